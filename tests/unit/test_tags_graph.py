"""Edges of languages without a resolver: guesses within a language and a project, and the limitation that says so."""

import re
from pathlib import Path

import pytest

from analyzers import analysis, parsing, registry
from analyzers.analysis import analyze
from analyzers.facts import Skipped
from analyzers.languages import tags
from analyzers.registry import LANGUAGES, LanguageSpec
from knowledge.claims import anchors
from knowledge.claims.anchors import make_anchor
from tests.graph_trees import Incremental, edges_of, resolve_cold, written
from tests.memory_tree import MemoryTree

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")

GO = {
    "go.mod": "module shop\n",
    "shop/order.go": "package shop\nfunc Order() { check(1); Ship(); store.Save(2); list.Add(3); fmt.Println() }\nfunc check(n int) {}\n",
    "shop/ship.go": "package shop\nfunc Ship() {}\nfunc (s *Store) Save(n int) {}\nfunc (s *Store) Add(n int) {}\nfunc check(n int) {}\n",
    "shop/order_test.go": "package shop\nfunc TestOrder() { Order() }\nfunc Println() {}\n",
    "tool/go.mod": "module tool\n",
    "tool/main.go": "package main\nfunc main() { Ship(); Order() }\n",
    "ship.py": "def Ship(): pass\n\n\ndef Other():\n    Ship()\n",
}


def calls(files: dict[str, str]) -> list[str]:
    return sorted(written(edge) for edge in edges_of(resolve_cold(files)) if edge.predicate == "calls")


def test_calls_are_guessed_within_language_and_project() -> None:
    """By the file's own name, by a unique name; not for common names, not to tests, not into another project, not into another language."""
    assert calls(GO) == [
        "ship.py::Other calls ship.py::Ship · resolved, local",
        "shop/order.go::Order calls shop/order.go::check · inferred, same-file",
        "shop/order.go::Order calls shop/ship.go::Ship · inferred, unique-name",
        "shop/order.go::Order calls shop/ship.go::Store.Save · inferred, unique-name",
        "shop/order_test.go::TestOrder calls shop/order.go::Order · inferred, unique-name",
    ]


def test_nothing_but_declarations_is_resolved() -> None:
    """No file of such a language is a proved caller, and each says which language it is."""
    found = resolve_cold(GO)
    for path, resolution in found.items():
        if path.endswith(b".go"):
            assert {edge.predicate for edge in resolution.edges if edge.confidence_kind == "resolved"} <= {"declares"}
            [said] = [limitation for limitation in resolution.limitations if limitation.code == "no-resolution"]
            assert "go" in said.detail.split()
    assert "common-name" in {limitation.code for limitation in found[b"shop/order.go"].limitations}
    assert "no-resolution" not in {limitation.code for limitation in found[b"ship.py"].limitations}


def test_few_rivals_are_told_and_many_are_none() -> None:
    """Up to three definitions of a name are guesses with rivals; four are a limitation."""
    bearers = {f"m{n}.lua": "function M.go_on() end\n" for n in range(4)}
    caller = {"a.lua": "function f() x.go_on() end\n"}
    three = dict(list(bearers.items())[:3])
    assert calls(caller | three) == [f"a.lua::f calls m{n}.lua::M.go_on · inferred, name, 2 rivals" for n in range(3)]
    assert calls(caller | bearers) == []
    assert "too-many-candidates" in {limitation.code for limitation in resolve_cold(caller | bearers)[b"a.lua"].limitations}


def test_a_prototype_is_no_rival_of_what_it_declares() -> None:
    """C and C++ call each other, and a header's prototype is not called."""
    files = {"a.h": "int turn(int n);\n", "a.cpp": "int turn(int n) { return n; }\n", "b.c": '#include "a.h"\nint main(void) { return turn(1); }\n'}
    assert calls(files) == ["b.c::main calls a.cpp::turn · inferred, unique-name"]


def test_step_by_step_equals_from_scratch() -> None:
    """Added file by file, and with each taken away and put back, manifests too, the edges come out the same."""
    steps = Incremental({})
    for count in range(1, len(GO) + 1):
        steps.change(dict(list(GO.items())[:count]))
        assert edges_of(steps.resolutions) == edges_of(resolve_cold(steps.files))
    for path in GO:
        rest = {other: text for other, text in GO.items() if other != path}
        steps.change(rest)
        assert edges_of(steps.resolutions) == edges_of(resolve_cold(rest))
        steps.change(GO)
    assert edges_of(steps.resolutions) == edges_of(resolve_cold(GO))


def test_only_what_asked_is_resolved_anew() -> None:
    """A changed body of another file asks nobody; a second bearer of a name asks those who use the name."""
    steps = Incremental(GO)
    steps.change(GO | {"shop/ship.go": GO["shop/ship.go"].replace("func Ship() {}", "func Ship() { x := 1 }")})
    assert steps.resolved == (b"shop/ship.go",)
    steps.change(steps.files | {"shop/new.go": "package shop\nfunc Ship() {}\n"})
    assert b"shop/order.go" in steps.resolved and b"ship.py" not in steps.resolved


def test_syntax_errors_of_such_a_language_are_no_gap_of_a_set() -> None:
    """Sets of proved members lose nothing by a file that could never prove one."""
    tree = MemoryTree({"app/a.py": "def f(): pass\n", "app/broken.go": "package a\nfunc ( {{{\n", "app/broken.py": "def (\n"})
    assert tree.unreadable_in(tree.package_of(b"app/a.py")) == [b"app/broken.py"]


def test_a_set_says_which_languages_it_cannot_see_and_stays_as_it_is() -> None:
    """A Go file that comes into the package is told of, and no reading of the set differs for it."""
    files = {"app/a.py": "def f(): pass\n\n\ndef g():\n    f()\n"}
    before, after = MemoryTree(files), MemoryTree(files | {"app/run.go": "package app\nfunc Run() { f() }\n"})
    anchor = make_anchor("set", symbol="app/a.py::f", question="callers", scope={"package": before.package_of(b"app/a.py")})
    old = anchors.read(anchor, None, before)
    new = anchors.read(anchor, before, after, old)
    assert (old.hash, old.inferred_hash, old.detail) == (new.hash, new.inferred_hash, "")
    assert new.detail == "no-resolution: go"


def test_the_page_names_places_that_exist() -> None:
    """Every path that docs/languages.md names, placeholders aside, is there; every tagged language stands in its table."""
    for path in re.findall(r"`((?:analyzers|knowledge|tests)/[\w./<>]+)`", PAGE):
        examples = [path.replace("<language>", language) for language in ("go", "toml", "python")]
        assert any((ROOT / example).exists() for example in examples), path
    titles = {"csharp": "C#", "cpp": "C++", "php": "PHP"}
    row = next(line for line in PAGE.splitlines() if "| Bash" in line)
    named = set(row.split("|")[1].replace(" ", "").split(","))
    assert named == {titles.get(name, name.capitalize()) for name, spec in LANGUAGES.items() if spec.analyzer == "tags"}


def test_a_language_is_added_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """An allowed grammar, the page's own query and one row: its files have definitions and calls."""
    query = re.search(r"```scheme\n(.*?)```", PAGE, re.DOTALL)
    assert query is not None
    assert "javascript" in parsing.GRAMMARS
    monkeypatch.setitem(registry.LANGUAGES, "toy", LanguageSpec("toy", "code", "tags", "1", "javascript", 15, (".toy",)))  # type: ignore[arg-type]
    monkeypatch.setattr(tags, "query_of", {"toy": query[1]}.__getitem__)
    monkeypatch.setitem(analysis._CODE, "toy", analysis._CODE["go"])  # type: ignore[arg-type]
    facts = analyze(b"function f(a) { return g(a) }\n", "toy")
    assert not isinstance(facts, Skipped)
    assert [definition.qualified_name for definition in facts.definitions] == ["", "f"]
    assert [call.expression.parts[0].name for call in facts.calls] == ["g"]
    assert facts.mentions == ("a", "f", "g")
