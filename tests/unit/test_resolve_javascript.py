"""What the JavaScript resolver keeps for a whole tree, and how it reads types."""

import pytest

from knowledge.graph.javascript_annotations import read_type
from knowledge.graph.javascript_memory import DEPTH, STEPS, Memory
from tests.graph_trees import Incremental, edges_of, resolve_cold


def calls(files):
    return {(str(e.subject), str(e.object)) for e in edges_of(resolve_cold(files)) if e.predicate == "calls"}


def test_what_an_arrow_function_gives_concerns_other_files():
    """A value that a function is passed for may change without any name changing."""
    files = {
        "make.ts": "export function of<T>(f: () => T): T { return f(); }\n",
        "shop.ts": 'import { of } from "./make";\nexport class A { go() {} }\nexport class B { go() {} }\nexport const it = of(() => new A());\n',
        "main.ts": 'import { it } from "./shop";\nit.go();\n',
    }
    steps = Incremental(files)
    changed = {**files, "shop.ts": files["shop.ts"].replace("new A", "new B")}
    steps.change(changed)
    assert b"main.ts" in steps.resolved
    assert edges_of(steps.resolutions) == edges_of(resolve_cold(changed))
    assert ("main.ts", "shop.ts::B.go") in calls(changed)


def test_a_longer_chain_than_is_followed_is_said():
    """Constants that lead to one another without end are cut, wherever the chain is entered."""
    count = 3 * DEPTH
    text = (
        "".join(f"export const a{n} = () => a{n + 1}();\n" for n in range(count))
        + f"export class A {{ go() {{}} }}\nconst a{count} = () => new A();\n"
    )
    found = resolve_cold({"a.ts": text, "b.ts": 'import { a0 } from "./a";\na0().go();\n'})
    assert "too-deep-to-follow" in {limit.code for limit in found[b"b.ts"].limitations}


@pytest.mark.parametrize(
    "text", ["(" * 500, "A<" * 500, "{ a: " * 500, "A" + "[" * 500, "A extends B ? " * 500, "() => " * 500, "keyof " * 500, "<" * 99]
)
def test_types_without_end_are_unknown(text):
    """No nesting of brackets takes for ever or blows anything up."""
    assert read_type(text).kind in ("unknown", "name", "conditional", "function", "array", "keyof", "object")


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("A.B<C>", "name", "A.B"),
        ("readonly A[]", "array", ""),
        ("(a: A, ...b: B[]) => C", "function", ""),
        ("<T extends A>(this: A, a: T) => T", "function", ""),
        ("abstract new () => A", "constructor", ""),
        ('T["key"]', "indexed", ""),
        ("{ -readonly [K in keyof T]?: T[K] }", "mapped", "K"),
        ("{ a: A; b?(): B; [key: string]: C }", "object", ""),
        ("value is A", "predicate", ""),
        ("asserts value is A", "none", ""),
        ('typeof import("./a").b', "import", "b"),
        ("A extends infer U ? U : never", "conditional", ""),
        ("| A\n| B", "union", ""),
        ("$A", "name", "$A"),
        ("A B", "unknown", ""),
        ("", "unknown", ""),
    ],
)
def test_types_are_read(text, kind, name):
    """Every kind of type has its tree; what is no type is unknown."""
    found = read_type(text)
    assert (found.kind, found.name) == (kind, name)


def test_a_circle_is_kept_for_nobody_else():
    """An answer that needed itself is computed anew for the next file; one that did not is not."""
    memory, asked = Memory(), []

    def one():
        asked.append("one")
        return memory.remember(b"b", ("two",), "", two) + "1"

    def two():
        asked.append("two")
        return memory.remember(b"b", ("one",), "", one) + "2"

    def plain():
        asked.append("plain")
        memory.note("name", "x")
        return "plain"

    for path in (b"a", b"c"):
        memory.begin(path)
        assert memory.remember(b"b", ("one",), "", one) == "21"
        assert memory.remember(b"b", ("plain",), "", plain) == "plain"
        assert memory.reads() == {("name", "x")}
    assert asked == ["one", "two", "plain", "one", "two"]


def test_depth_does_not_depend_on_what_is_remembered():
    """A remembered answer counts as deep as it was."""
    memory = Memory()
    memory.begin(b"a")

    def nested(level):
        return "end" if level == 0 else memory.remember(b"b", ("nested", level), "cut", nested, level - 1)

    assert memory.remember(b"b", ("nested", DEPTH), "cut", nested, DEPTH - 1) == "end"
    memory.depth = 1
    assert memory.remember(b"b", ("nested", DEPTH), "cut", nested, DEPTH - 1) == "cut"
    assert memory.is_cut


def test_steps_are_counted_by_question():
    """What takes too long is cut; the next question begins anew."""
    memory = Memory()
    memory.begin(b"a")
    taken = 0
    while memory.enter():
        memory.depth -= 1
        taken += 1
    assert taken == STEPS
    memory.next_question()
    assert memory.enter()
