"""The repository's own rules, as tests: what a reviewer would otherwise have to look for."""

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from knowledge import errors

ROOT = Path(__file__).parents[2]
TOP_LEVEL = {
    ".ci", ".gitignore", "LICENSE", "Makefile", "README.ko.md", "README.md", "analyzers", "benchmarks", "docs", "knowledge", "migrations",
    "pyproject.toml", "sample_repos", "tests",
}  # fmt: skip
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "core", "base", "manager", "service", "handler", "data", "info", "process", "misc"}
FUNCTION_LINES = 60
PARAMETERS = 6
FILE_LINES = 600

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tracked() -> tuple[str, ...]:
    """Every file that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return tuple(sorted(path for path in listed if path and (ROOT / path).is_file()))


def files(*endings: str, below: tuple[str, ...] = ("",)) -> list[str]:
    """Tracked files with one of these endings below one of these folders."""
    return [path for path in tracked() if path.endswith(endings) and path.startswith(below)]


PRODUCT = ("knowledge/", "analyzers/", "benchmarks/", "sample_repos/", "migrations/")


@cache
def syntax(path: str) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def functions(path: str) -> Iterator[Function]:
    """All functions and methods of a file, also inner ones."""
    return (node for node in ast.walk(syntax(path)) if isinstance(node, Function))


def text(path: str) -> str:
    """A tracked file's text."""
    return (ROOT / path).read_text(encoding="utf-8")


def expect_none(found: Iterable[str]) -> None:
    """Fail with all that was found, one a line."""
    assert not (lines := sorted(found)), "\n" + "\n".join(lines)


def test_the_top_level_is_fixed() -> None:
    """A new entry at the top is a decision, not an accident."""
    assert {path.partition("/")[0] for path in tracked()} <= TOP_LEVEL


def test_functions_are_short() -> None:
    """No function is longer than a screen, but for a migration's list of statements."""
    long = [f"{path}:{f.lineno} {f.name}: {f.end_lineno - f.lineno + 1}" for path in files(".py") for f in functions(path) if _is_long(path, f)]
    expect_none(long)


def _is_long(path: str, function: Function) -> bool:
    is_migration = path.startswith("migrations/") and function.name in ("upgrade", "downgrade")
    return (function.end_lineno or 0) - function.lineno + 1 > FUNCTION_LINES and not is_migration


def test_functions_have_few_parameters() -> None:
    """More than six, `self` or a call's context apart, is a value without a name. A command's parameters are its options, pytest's are fixtures."""
    wide = [f"{path}:{f.lineno} {f.name}: {_parameters(f)}" for path in files(".py", below=PRODUCT) for f in functions(path) if _is_wide(f)]
    expect_none(wide)


def _parameters(function: Function) -> int:
    arguments = function.args
    named = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len(named) - (named[:1] in (["self"], ["cls"], ["context"]))


def _is_wide(function: Function) -> bool:
    return _parameters(function) > PARAMETERS and not any("command" in ast.unparse(decorator) for decorator in function.decorator_list)


def test_files_are_short() -> None:
    """No Python file is longer than anybody reads."""
    expect_none([f"{path}: {text(path).count(chr(10))}" for path in files(".py") if text(path).count("\n") > FILE_LINES])


def test_no_broad_except() -> None:
    """Errors that nobody expected are seen: only the outermost frame of a surface may catch everything."""
    caught = [
        f"{path}:{node.lineno}"
        for path in files(".py", below=PRODUCT)
        if not path.startswith("knowledge/surfaces/")
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.ExceptHandler) and _is_broad(node)
    ]
    expect_none(caught)


def test_a_surface_catches_everything_once() -> None:
    """In a surface one place catches everything, not several."""
    per_surface: dict[str, list[str]] = {}
    for path in files(".py", below=("knowledge/surfaces/",)):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.ExceptHandler) and _is_broad(node):
                per_surface.setdefault(path.split("/")[2], []).append(f"{path}:{node.lineno}")
    assert {surface: places for surface, places in per_surface.items() if len(places) > 1} == {}


def _is_broad(clause: ast.ExceptHandler) -> bool:
    named = clause.type.elts if isinstance(clause.type, ast.Tuple) else [clause.type]
    return any(name is None or ast.unparse(name) in ("Exception", "BaseException") for name in named)


def test_imports_stand_at_the_top() -> None:
    """An import inside a function has a comment on its line, or on the line before, that says why: it is heavy."""
    bare = []
    for path in files(".py", below=PRODUCT):
        lines = text(path).splitlines()
        for function in functions(path):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom) and not any("#" in line for line in lines[node.lineno - 2 : node.lineno]):
                    bare.append(f"{path}:{node.lineno}")
    expect_none(bare)


def test_names_say_something() -> None:
    """No module or package is called after nothing in particular."""
    parts = {(path, part) for path in files(".py") for part in path.removesuffix(".py").split("/")}
    expect_none(path for path, part in parts if VAGUE_NAMES & set(part.lower().split("_")))


def test_everything_public_has_a_docstring() -> None:
    """Modules, and the functions and classes that others may use, say what they are; errors.py in one tree, a migration in its first line."""
    silent = []
    for path in files(".py", below=PRODUCT):
        if ast.get_docstring(syntax(path)) is None and text(path).strip():
            silent.append(path)
        if path != "knowledge/errors.py" and not path.startswith("migrations/"):
            silent += [f"{path}:{node.lineno} {node.name}" for node in syntax(path).body if _is_silent(node)]
    expect_none(silent)


def _is_silent(node: ast.stmt) -> bool:
    is_public = isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_") and not node.name.endswith("_command")
    return is_public and ast.get_docstring(node) is None  # type: ignore[arg-type]


def test_every_test_says_what_it_holds() -> None:
    """Each test has a sentence."""
    silent = [
        f"{path}:{function.lineno} {function.name}"
        for path in files(".py", below=("tests/",))
        for function in functions(path)
        if function.name.startswith("test_") and ast.get_docstring(function) is None
    ]
    expect_none(silent)


def test_test_files_have_names_of_their_own() -> None:
    """pytest collects files by their base names: two alike in different folders stop the whole run."""
    names = [Path(path).name for path in files(".py", below=("tests/",)) if Path(path).name.startswith("test_")]
    expect_none({name for name in names if names.count(name) > 1})


def test_every_invariant_names_a_test_that_exists() -> None:
    """The architecture promises nothing that no test holds."""
    table = text("docs/architecture.md").partition("## Invariants")[2]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if re.match(r"\| *\d+ *\|", line)]
    assert rows
    unheld = []
    for row in rows:
        named = re.findall(r"`(tests/[\w./-]+?)(?:::(\w+))?`", row[-1])
        if not named or not all(_test_exists(path, name) for path, name in named):
            unheld.append("|".join(row).strip())
    expect_none(unheld)


def _test_exists(path: str, name: str) -> bool:
    if not (ROOT / path).exists():
        return False
    return not name or any(function.name == name for function in functions(path))


def test_the_tree_of_errors_is_drawn_right() -> None:
    """The docstring of errors.py shows every class below its parent, with the exit code it has."""
    drawn: dict[str, str] = {}
    above: list[str] = []
    codes: dict[str, int] = {}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"    (?P<branch>(?:│   |    |├── |└── )*)(?P<name>\w+Error)\b(?:.*\bexit (?P<code>\d+))?", line):
            depth = len(found["branch"]) // 4
            above[depth:] = [found["name"]]
            drawn[found["name"]] = above[depth - 1] if depth else "Exception"
            if found["code"]:
                codes[found["name"]] = int(found["code"])
    defined = {name: value for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert drawn == {name: value.__bases__[0].__name__ for name, value in defined.items()}
    assert {name: defined[name].exit_code for name in codes} == codes
    assert {value.code for value in defined.values() if not value.__subclasses__()} <= set(re.findall(r"`([a-z-]+)`", text("docs/exit-codes.md")))


def test_every_exit_code_is_documented() -> None:
    """Each exit code that an error has stands in docs/exit-codes.md."""
    codes = {
        node.value.value
        for path in files(".py", below=("knowledge/",))
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        if any(isinstance(target, ast.Name) and target.id == "exit_code" for target in node.targets)
    }
    documented = {int(found) for found in re.findall(r"^\| (\d+) \|", text("docs/exit-codes.md"), re.MULTILINE)}
    assert codes <= documented


def test_every_limitation_is_documented() -> None:
    """Each code that a Limitation is made with has a row in docs/limitations.md."""
    documented = set(re.findall(r"^\| `([a-z0-9-]+)` \|", text("docs/limitations.md"), re.MULTILINE))
    undocumented = {f"{code} ({path}:{line})" for code, path, line in _limitation_codes() if code not in documented}
    expect_none(undocumented)


def test_no_limitation_is_documented_in_vain() -> None:
    """docs/limitations.md has no code that nothing uses."""
    documented = set(re.findall(r"^\| `([a-z0-9-]+)` \|", text("docs/limitations.md"), re.MULTILINE))
    everything = "\n".join(text(path) for path in files(".py", below=("knowledge/", "analyzers/")))
    expect_none(code for code in documented if f'"{code}"' not in everything)


def test_every_finding_is_documented() -> None:
    """Each code that doctor's findings are made with stands in docs/operations.md."""
    used = {
        node.args[1].value
        for path in files(".py", below=("knowledge/",))
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Finding" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    }
    documented = set(re.findall(r"`([a-z-]+)`", text("docs/operations.md").partition("## What doctor finds")[2]))
    expect_none(str(code) for code in used - documented)


def test_documents_that_the_code_names_exist() -> None:
    """A message or comment that points to docs/x.md points somewhere."""
    named = {(path, found) for path in files(".py", below=PRODUCT) for found in re.findall(r"docs/[\w/-]+\.md", text(path))}
    expect_none(f"{path}: {found}" for path, found in named if not (ROOT / found).exists())


def _limitation_codes() -> Iterator[tuple[str, str, int]]:
    for path in files(".py", below=("knowledge/", "analyzers/")):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2].lstrip("_").lower() in ("limitation", "limit", "skipped"):
                given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
                for value in (part for expression in given if not isinstance(expression, ast.Call) for part in ast.walk(expression)):
                    if isinstance(value, ast.Constant) and isinstance(value.value, str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", value.value):
                        yield value.value, path, node.lineno


def test_every_make_target_is_in_the_readmes() -> None:
    """Both READMEs list all targets; there are at most ten."""
    targets = re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE)
    assert 0 < len(targets) <= 10
    for readme in ("README.md", "README.ko.md"):
        assert [target for target in targets if f"`make {target}`" not in text(readme)] == []


def test_the_readmes_say_the_same() -> None:
    """The Korean README has the sections, tables and commands of the English one."""
    english, korean = (text(name) for name in ("README.md", "README.ko.md"))
    for shape in (r"^#+ ", r"^\|", r"^    \S"):
        assert len(re.findall(shape, english, re.MULTILINE)) == len(re.findall(shape, korean, re.MULTILINE)), shape


def test_links_in_the_docs_lead_somewhere() -> None:
    """Every relative link in a Markdown file leads to a file, and every anchor to a heading."""
    broken = []
    for path in files(".md", below=("README", "docs/")):
        for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text(path)):
            name, _, anchor = target.partition("#")
            place = (ROOT / path).parent / name if name else ROOT / path
            if not place.exists() or (anchor and anchor not in _anchors(place)):
                broken.append(f"{path}: {target}")
    expect_none(broken)


def _anchors(place: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", place.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_decisions_are_numbered_and_short() -> None:
    """docs/decisions/ holds NNNN-title.md, without gaps, a page each."""
    decisions = [Path(path).name for path in files(".md", below=("docs/decisions/",))]
    assert [name[:4] for name in decisions] == [f"{number:04}" for number in range(1, len(decisions) + 1)]
    assert all(re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name) for name in decisions)
    assert [name for name in decisions if text(f"docs/decisions/{name}").count("\n") > 60] == []


# Written in two halves, so that this file does not find itself.
UNFITTING = {
    "a path of one machine": re.compile(r"/wor" + r"k/|/hom" + r"e/\w+/"),
    "the number of an issue": re.compile(r"\bissue" + r"s? #?\d", re.IGNORECASE),
    "a step of a plan": re.compile(r"\bstep" + r" \d+ of\b|\bnext" + r" step\b", re.IGNORECASE),
    "who wrote it": re.compile(
        r"generated (by|with) (claude|an ai|ai\b|a model|gpt|copilot)|co-authored-" + r"by|\bsub" + r"agents?\b", re.IGNORECASE
    ),
    "something left to do": re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b"),
}


@pytest.mark.parametrize("kind", UNFITTING)
def test_the_project_speaks_of_itself_alone(kind: str) -> None:
    """Nothing in the tree tells how or where it came about."""
    found = [
        f"{path}: {match[0]}"
        for path in files(".py", ".md", ".toml", "Makefile", ".ci/run", ".mako", ".sql")
        for match in UNFITTING[kind].finditer(text(path))
    ]
    expect_none(found)
