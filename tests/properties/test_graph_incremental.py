"""After any edits the graph that was brought up to date equals one built from scratch (knowledge/graph/build.py)."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.graph.build import holds
from knowledge.graph.resolution import Resolution
from knowledge.records.edges import Limitation
from tests.graph_trees import Incremental, edges_of, resolve_cold, tree_of

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    "app/models.py", "app/store.py", "app/views.py", "app/__init__.py", "main.py", "tests/test_app.py", "tests/conftest.py", "app/models.pyi",
    "pyproject.toml",
]  # fmt: skip
NAMES = ["save", "load", "run", "Store", "Model", "purchase"]
PYTHON = [
    "def {a}():\n    {b}()\n",
    "class {a}:\n    def {b}(self):\n        self.{c}()\n    def {c}(self): ...\n",
    "class {a}({b}):\n    def {c}(self):\n        return super().{c}()\n",
    "def {a}() -> {b}: ...\ndef use():\n    {a}().{c}()\n",
    "{a} = {b}\n",
    "def {a}(x):\n    x.{b}()\n",
    "class {a}:\n    def __init__(self):\n        self.{b} = {c}()\n    def go(self):\n        self.{b}.save()\n",
    "from {m} import {a}\n{a}()\n",
    "from {m} import {a} as {b}\n",
    "from {m} import *\n{a}()\n",
    "import {m}\n{m}.{a}()\n",
    "from . import {a}\n",
    "from .{a} import {b}\n{b}.{c}()\n",
    "try:\n    from {m} import {a}\nexcept ImportError:\n    {a} = None\n",
    "def test_{a}():\n    {b}()\n",
    "{a}: {b} = {c}()\n{a}.load()\n",
    "__all__ = ['{a}']\n",
    "pass\n",
    "{a} = lambda: {b}()\n",
    "print(lambda: {a}())\n",
    "{a} = {{'x': {b}, 'y': lambda: {c}()}}\n{a}['x']()\n",
    "def {a}():\n    return {b}()\n",
    "def {a}():\n    return lambda: {b}\n{a}()()\n",
    "def {a}(f):\n    def inner():\n        return f()\n    return inner\n@{a}\ndef {b}(): ...\n{b}()\n",
    "def {a}(x: {b}, y: str = ''):\n    x.{c}().{b}()\n    y.upper()\n",
    "def {a}():\n    global {b}\n    {b} = {c}()\n",
    "class {a}:\n    {b}: {c}\n    @property\n    def {c}(self):\n        return self.{b}.{c}\n",
    "class {a}:\n    @staticmethod\n    def {b}() -> '{c}': ...\n{a}.{b}().{c}()\n",
    "for x in {a}():\n    x.{b}()\n",
    "with {a}() as x:\n    x.{b}()\n",
    "def {a}(x):\n    if isinstance(x, {b}):\n        x.{c}()\n",
    "def __getattr__(name): ...\n",
    "from functools import partial\n{a} = partial({b})\n{a}()\n",
    "class str:\n    def {a}(self): ...\n",
    "from typing import TypeVar\nT = TypeVar('T', bound='{a}')\ndef {b}(x: T) -> T:\n    return x\n{b}({a}()).{c}()\n",
    "def {a}(f):\n    f()\n{a}({b})\n",
    "from {m} import {a}\n{a}({b})\n",
    "from {m} import {a}\nclass {b}({a}):\n    def {c}(self):\n        self.{a}()\n",
    "import pytest\n@pytest.fixture\ndef {a}():\n    return {b}()\ndef test_x({a}):\n    {a}.{c}()\n",
    "import importlib\nimportlib.import_module('{m}').{a}()\n",
]
SCRIPTS = ["src/index.ts", "src/a.ts", "src/b.ts", "src/lib/index.ts"]
TYPESCRIPT = [
    "export function {a}() {{ {b}(); }}\n",
    "export class {a} {{ {b}() {{ this.{c}(); }} {c}() {{}} }}\n",
    "export class {a} extends {b} {{ {c}() {{ super.{c}(); }} }}\n",
    "export interface {a} {{ {b}(): {c}; }}\n",
    "export function {a}(x: {b}) {{ x.{c}(); }}\n",
    "import {{ {a} }} from './{s}';\n{a}();\n",
    "import {{ {a} as {b} }} from './{s}';\nnew {b}().{c}();\n",
    "import * as {a} from './{s}';\n{a}.{b}();\n",
    "export * from './{s}';\n",
    "export {{ {a} }} from './{s}';\n",
    "export default class {a} {{}}\n",
    "import {a} from './{s}';\nnew {a}();\n",
    "const {a} = require('./{s}');\n{a}.{b}();\n",
    "export const {a} = {{ {b}() {{ return {c}(); }} }};\n",
]

name = st.sampled_from(NAMES)


def piece(templates: list[str], modules: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda template, a, b, c, module: template.format(a=a, b=b, c=c, m=module, s=module), st.sampled_from(templates), name, name, name, modules
    )


def trees(paths: list[str], templates: list[str], modules: list[str]) -> st.SearchStrategy[dict[str, str]]:
    text = st.lists(piece(templates, st.sampled_from(modules)), max_size=3).map("".join)
    return st.dictionaries(st.sampled_from(paths), text, max_size=len(paths))


python_trees = trees(MODULES, PYTHON, ["app", "app.models", "app.store", "main", "models", "os"])
small_edits = st.tuples(st.sampled_from(MODULES), piece(PYTHON, st.sampled_from(["app", "app.models", "main"])))
typescript_trees = trees(SCRIPTS, TYPESCRIPT, ["a", "b", "lib", "index", "lib/index.js"])


def limitations_of(resolutions: dict[bytes, Resolution]) -> dict[bytes, tuple[Limitation, ...]]:
    return {path: found.limitations for path, found in resolutions.items()}


def check(steps: list[dict[str, str]]) -> None:
    """Goes through the trees one after the other; at each the edges equal those from scratch, and what was not resolved anew holds."""
    incremental = Incremental(steps[0])
    for files in steps[1:]:
        incremental.change(files)
        cold = resolve_cold(files)
        assert edges_of(incremental.resolutions) == edges_of(cold)
        assert limitations_of(incremental.resolutions) == limitations_of(cold)
        tree = tree_of(files)
        assert all(holds(found.reads, tree) for found in incremental.resolutions.values())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(python_trees, min_size=2, max_size=4))
def test_python_trees_from_one_to_the_next(steps: list[dict[str, str]]) -> None:
    """Whole trees that differ in anything: files added, removed, rewritten, names moved and redefined."""
    check(steps)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(typescript_trees, min_size=2, max_size=4))
def test_typescript_trees_from_one_to_the_next(steps: list[dict[str, str]]) -> None:
    """The same for ES modules and CommonJS."""
    check(steps)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(python_trees, st.lists(small_edits, min_size=1, max_size=5))
def test_small_edits(files: dict[str, str], edits: list[tuple[str, str]]) -> None:
    """One piece of code after the other put at the end, or at the head, of a file."""
    steps = [files]
    for index, (path, text) in enumerate(edits):
        before = steps[-1].get(path, "")
        steps.append({**steps[-1], path: text + before if index % 2 else before + text})
    check(steps)


USES_LOAD = "from a import load\nload()\nload().go()\n"
TARGETS = "class Store:\n    def go(self): ...\ndef run() -> Store: ...\nload_all = run\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("load = run\n", "def run(): ...\nload = run\n"),
        ("load = run\n", "from b import *\nload = run\n"),
        ("load = run\n", "try:\n    from b import run\nexcept ImportError: ...\nload = run\n"),
        ("load = run\n", "def set_up():\n    global run\n    run = load_later\nload = run\n"),
        ("load = run\n", "def __getattr__(name): ...\nload = run\n"),
        ("def load() -> str: ...\n", "def load() -> str: ...\nclass str:\n    def go(self): ...\n"),
        ("def load() -> str: ...\n", "from b import Store as str\ndef load() -> str: ...\n"),
        ("def load() -> Store: ...\n", "from b import *\ndef load() -> Store: ...\n"),
        ("def load():\n    return run()\n", "from b import run\ndef load():\n    return run()\n"),
        ("class load(Store): ...\n", "from b import Store\nclass load(Store): ...\n"),
        ("@run\ndef load(): ...\n", "from b import run\n@run\ndef load(): ...\n"),
        ("load = lambda: 1\n", "other = lambda: 2\nload = lambda: 1\n"),
        ("load = lambda: 1\n", "print(lambda: 2)\nload = lambda: 1\n"),
        ("def make():\n    return lambda: 1\nload = make()\n", "def make():\n    print(lambda: 2)\n    return lambda: 1\nload = make()\n"),
        ("load = {'x': run}['x']\n", "from b import run\nload = {'x': run}['x']\n"),
    ],
)
def test_what_a_file_gets_to_have_concerns_those_who_looked_for_it(before: str, after: str) -> None:
    """A name that another file's code goes through and does not have yet, or that comes to hide a built-in one, and the place of a lambda."""
    files = {"a.py": before, "b.py": TARGETS, "c.py": USES_LOAD}
    changed = {**files, "a.py": after}
    check([files, changed, files])
    without = {path: text for path, text in files.items() if path != "b.py"}
    check([without, files, without])


REAL = ("values", "bindings", "outline", "narrowing", "shapes", "python_names", "python_types", "python_classes")
REAL_FILES = {f"graph/{name}.py": (ROOT / "knowledge" / "graph" / f"{name}.py").read_text(encoding="utf-8") for name in REAL}
REAL_FILES = {path: text.replace("knowledge.graph.", "graph.") for path, text in REAL_FILES.items()}


def pieces(text: str) -> list[str]:
    """The top-level statements of a file, with what stands between them."""
    starts = [0, *(found.start() for found in re.finditer(r"^(?=[@A-Za-z_])(?<!\)\n)", text, re.MULTILINE) if found.start()), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(starts)]


@st.composite
def real_edits(draw: st.DrawFn) -> list[dict[str, str]]:
    """Trees of real files: statements removed, moved, doubled or put into another file, names exchanged, files renamed and taken away."""
    steps = [REAL_FILES]
    for _ in range(draw(st.integers(1, 3))):
        files = dict(steps[-1])
        path = draw(st.sampled_from(sorted(files)))
        parts = pieces(files[path])
        at, to = draw(st.integers(0, len(parts) - 1)), draw(st.integers(0, len(parts)))
        kind = draw(st.sampled_from(["remove", "double", "move", "give", "rename", "exchange", "file", "indent"]))
        if kind == "remove":
            files[path] = "".join(parts[:at] + parts[at + 1 :])
        elif kind == "double":
            files[path] = "".join([*parts[:to], parts[at], *parts[to:]])
        elif kind == "move":
            rest = parts[:at] + parts[at + 1 :]
            files[path] = "".join([*rest[:to], parts[at], *rest[to:]])
        elif kind == "give":
            other = draw(st.sampled_from(sorted(files)))
            files[path] = "".join(parts[:at] + parts[at + 1 :])
            files[other] = files[other] + parts[at]
        elif kind in ("rename", "exchange"):
            names = sorted(set(re.findall(r"^(?:def|class) (\w+)|^    def (\w+)", files[path], re.MULTILINE)))
            found = [name for pair in names for name in pair if name] or ["nothing"]
            old, new = draw(st.sampled_from(found)), draw(st.sampled_from([*found, "renamed"]))
            files[path] = re.sub(rf"\b{old}\b", new, files[path], count=0 if kind == "rename" else 1)
        elif kind == "file":
            files[draw(st.sampled_from([path, "graph/moved.py", "graph/values/__init__.py"]))] = files.pop(path)
        else:
            files[path] = "".join([*parts[:at], "if True:\n    pass\n", *parts[at:]])
        steps.append(files)
    return steps


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(real_edits())
def test_edits_of_real_files(steps: list[dict[str, str]]) -> None:
    """Real code that uses itself all over: this project's own resolver, cut and pasted."""
    check(steps)


def test_a_changed_body_leaves_other_files_alone() -> None:
    """Only the file itself is resolved anew while nothing that others can see of it changes."""
    files = {
        "a.py": "def f():\n    g()\n\n\ndef g() -> int: ...\n",
        "b.py": "from a import f\n\n\ndef run():\n    f()\n",
    }
    steps = Incremental(files)
    steps.change({**files, "a.py": "# moved\n\n\ndef f():\n    x = 1\n    g()\n    g()\n\n\ndef g() -> int: ...\n"})
    assert steps.resolved == (b"a.py",)
    assert [edge for edge in edges_of(steps.resolutions) if edge.subject.path == b"b.py" and edge.predicate == "calls"]


def test_a_new_name_in_a_file_leaves_those_alone_that_use_other_names() -> None:
    """Adding a function resolves the file and whoever asked for that name, nobody else."""
    files = {
        "a.py": "def f(): ...\n",
        "uses_f.py": "from a import f\nf()\n",
        "wants_new.py": "def run(x):\n    x.brand_new()\n",
        "wants_import.py": "from a import brand_new\nbrand_new()\n",
    }
    steps = Incremental(files)
    steps.change({**files, "a.py": files["a.py"] + "def brand_new(): ...\n"})
    assert steps.resolved == (b"a.py", b"wants_import.py", b"wants_new.py")
    steps.change({**files, "a.py": files["a.py"] + "class New:\n    def brand_new(self): ...\n"})
    assert steps.resolved == (b"a.py", b"wants_import.py", b"wants_new.py")


def test_a_method_of_a_used_class_concerns_its_users() -> None:
    """Whoever looked at the class is resolved anew when a member is added to it."""
    files = {"a.py": "class A: ...\n", "b.py": "from a import A\nA().go()\n", "c.py": "import a\n"}
    steps = Incremental(files)
    steps.change({**files, "a.py": "class A:\n    def go(self): ...\n"})
    assert steps.resolved == (b"a.py", b"b.py")


def test_a_project_file_concerns_who_imports() -> None:
    """A source directory that is declared changes what absolute imports mean."""
    files = {"code/app.py": "def f(): ...\n", "main.py": "from app import f\nf()\n", "other.py": "x = 1\n"}
    steps = Incremental(files)
    steps.change({**files, "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['code']\n"})
    assert b"main.py" in steps.resolved
    assert b"other.py" not in steps.resolved
    assert edges_of(steps.resolutions) == edges_of(resolve_cold(steps.files))
