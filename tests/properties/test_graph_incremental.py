"""After any edits the graph that was brought up to date equals one built from scratch (knowledge/graph/build.py)."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.graph.build import holds
from knowledge.graph.resolution import Resolution
from knowledge.records.edges import Limitation
from tests.graph_trees import Incremental, edges_of, resolve_cold, tree_of

MODULES = ["app/models.py", "app/store.py", "app/views.py", "app/__init__.py", "main.py", "tests/test_app.py"]
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
