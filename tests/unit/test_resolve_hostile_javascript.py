"""JavaScript and TypeScript made to do harm: nothing hangs, nothing blows up, and what was cut short is told."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzers.analysis import analyze_and_digest
from analyzers.facts import Skipped
from analyzers.languages.javascript.grammar_gaps import mend
from analyzers.parsing import Parsed, parse
from tests.graph_trees import Incremental, edges_of, resolve_cold

DEEP = 10_000
DEEP_TEXTS = {
    "parentheses": "f" + "(\n" * DEEP + ")\n" * DEEP,
    "arrays": "x = " + "[\n" * DEEP + "]\n" * DEEP,
    "objects": "x = " + "{a:\n" * DEEP + "1" + "}\n" * DEEP,
    "functions": "function f() {\n" * DEEP + "}\n" * DEEP,
    "arrows": "x = " + "() =>\n" * DEEP + "1",
    "blocks": "if (x) {\n" * DEEP + "}\n" * DEEP,
    "operators": "x = " + "a +\n" * DEEP + "a",
    "calls": "a" + ".b()\n" * DEEP,
    "awaits": "async () => { " + "await\n" * DEEP + "f<T>() }",
    "casts": "x = y" + " as\nA" * DEEP,
    "templates": "x = " + "`${\n" * DEEP + "1" + "}`\n" * DEEP,
    "ternaries": "x = " + "a ? b :\n" * DEEP + "c",
    "types": "let x: " + "A<\n" * DEEP + "B" + ">\n" * DEEP,
    "unions": "type A = " + "B |\n" * DEEP + "C",
    "conditions": "type A = " + "B extends C ? D :\n" * DEEP + "E",
    "signatures": "interface A {\n" + "  <T>(x: T): T\n" * 3_000 + "}",
    "classes": "class A { x =\n" * DEEP + "1" + " }\n" * DEEP,
    "namespaces": "namespace A {\n" * DEEP + "}\n" * DEEP,
    "elements": "x = " + "<a>\n" * DEEP + "</a>\n" * DEEP,
}


@pytest.mark.parametrize("name", DEEP_TEXTS)
@pytest.mark.parametrize("language", ["typescript", "tsx"])
def test_what_is_nested_ten_thousand_deep_is_read_or_told(name: str, language: str) -> None:
    """Each kind of nesting: facts and hashes, or a reason why there are none."""
    found = analyze_and_digest(DEEP_TEXTS[name].encode(), language)
    if isinstance(found, Skipped):
        assert found.limitation.code == "too-deep"
        return
    suffix = "tsx" if language == "tsx" else "ts"
    assert set(resolve_cold({f"a.{suffix}": DEEP_TEXTS[name]})) == {f"a.{suffix}".encode()}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"let x = 1;" * 5_000_000, "file-too-large"), (b"let x = 1;" * 100_000, "minified"), (b"let x = '\xff\xfe'", "undecodable"),
        (b"let x = '\0'", "binary"),
    ],
)  # fmt: skip
def test_files_that_are_not_read_say_why(content: bytes, code: str) -> None:
    """A line of 50 MB, a minified file, bytes that are no text."""
    found = analyze_and_digest(content, "javascript")
    assert isinstance(found, Skipped)
    assert found.limitation.code == code


def test_a_file_of_another_encoding_is_read() -> None:
    """UTF-16 says so at its head; its ranges are told to be those of its text."""
    found = analyze_and_digest("export function größe() { return 한글(); }".encode("utf-16"), "typescript")
    assert not isinstance(found, Skipped)
    assert [definition.name for definition in found[0].definitions[1:]] == ["größe"]
    assert [limitation.code for limitation in found[0].limitations] == ["reencoded"]


def circle_of_exports() -> dict[str, str]:
    files = {
        f"m{i}.ts": f"export * from './m{(i + 1) % 60}';\nexport * from './m{(i * 7) % 60}';\nexport {{ f as g{i} }} from './m{i}';\n"
        for i in range(60)
    }
    return {**files, "main.ts": "import { f, g1 } from './m0';\nf();\ng1();\nexport * from './main';\n"}


def circle_of_bases() -> dict[str, str]:
    lines = [f"class C{i} extends C{(i + 1) % 50} {{ m{i}() {{ this.m0(); super.m1(); this.missing(); }} }}\n" for i in range(50)]
    return {"a.ts": "".join(lines) + "interface I extends J {}\ninterface J extends I { go(): I }\ndeclare const i: I;\ni.go().go().nothing();\n"}


def chain_of_bases() -> dict[str, str]:
    lines = ["class C0 { go() {} }\n", *(f"class C{i} extends C{i - 1} {{}}\n" for i in range(1, 2_000))]
    return {"a.js": "".join(lines) + "new C1999().go();\nnew C3().go();\n"}


def circle_of_types() -> dict[str, str]:
    lines = [f"type T{i}<A> = T{(i + 1) % 30}<T{(i * 3) % 30}<A>> | {{ go(): T{i}<A[]> }};\n" for i in range(30)]
    return {"a.ts": "".join(lines) + "declare const x: T0<T1<T2<string>>>;\nx.go().go();\nfunction f<A extends T0<A>>(a: A) { a.go(); }\n"}


def growing_types() -> dict[str, str]:
    wide = " | ".join(f"W{i}<T>" for i in range(12))
    lines = [f"type W{i}<T> = {wide};\n" for i in range(12)]
    return {"a.ts": "".join(lines) + "declare function f<T>(x: T): W0<T>;\nf(f(f(1))).go();\n"}


def many_of_one_name() -> dict[str, str]:
    return {
        "a.ts": "export function f(x: string): void;\n" * 1_000 + "f('');\n",
        "b.ts": "export class A { g() {} }\n" * 1_000 + "function run(x) { x.g(); }\n",
        "c.js": "var f = function () {};\n" * 1_000 + "f();\n",
        "d.ts": "interface I { (x: string): I }\n" * 1_000 + "declare const i: I;\ni('')('');\n",
    }


def everything_is_everything() -> dict[str, str]:
    lines = [f"function f{i}(x) {{ return {' || '.join(f'f{j}(x)' for j in range(20))}; }}\n" for i in range(20)]
    objects = [f"const o{i} = {{ ...o{(i + 1) % 20}, ...o{(i * 3) % 20}, f: o{(i + 2) % 20}.f }};\n" for i in range(20)]
    return {"a.js": "".join(lines) + "".join(objects) + "f0(f1).go();\no0.f();\no1.g();\n"}


def spread_into_itself() -> dict[str, str]:
    """Lists that are made of themselves, as an accumulator is and as what one file is bundled to often has."""
    return {
        "a.js": "let a = [f];\na = [...a, f];\nfor (const x of a) x();\nfunction f() {}\n",
        "b.js": "const a = [...a];\nfor (const x of a) x();\na[0]();\n",
        "c.js": "let a = [...b], b = [...a, ...a];\na.map(x => x());\nb.flat()[0]();\n",
        "d.js": "function f(a = [...f()]) { return [...a, ...f()]; }\nfor (const x of f()) x();\n",
        "e.ts": "type T = [...T, ...T];\ndeclare const t: T;\nfor (const x of t) x();\n",
    }


HARM = [
    spread_into_itself,
    circle_of_exports,
    circle_of_bases,
    chain_of_bases,
    circle_of_types,
    growing_types,
    many_of_one_name,
    everything_is_everything,
]


@pytest.mark.parametrize("make", HARM, ids=lambda make: make.__name__)
def test_harmful_trees_are_resolved(make) -> None:
    """From scratch, and the same again file by file."""
    files = make()
    cold = edges_of(resolve_cold(files))
    assert cold
    steps = Incremental({})
    steps.change(files)
    assert edges_of(steps.resolutions) == cold


_GAPS = st.lists(
    st.sampled_from([
        "interface A {", "}", "\n", "\n  <T>", "(x: T): B", "<", ">", "in?: C", "in", "/* c */", "// c\n", "typeof import('a')", "é", "=> ",
        "import('a').B<C>", "type A = ", "a: B", ";", "{", "'", "`", " as T", "await f<T>()", "<a class='b' href='?c&d'>", "</a>", "&",
        "[k: string]: A", "new (): A",
    ]),
    max_size=40,
)  # fmt: skip


@given(_GAPS, st.sampled_from(["javascript", "typescript", "tsx"]))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_mended_has_fewer_errors_and_the_same_text(parts: list[str], language: str) -> None:
    """Whatever the text: reading it again for the grammar's sake moves nothing, and makes no error."""
    text = "".join(parts).encode()
    before, after = parse(text, language), parse(text, language)
    assert isinstance(before, Parsed)
    assert isinstance(after, Parsed)
    mend(after)
    assert after.source == before.source
    assert after.root.end_byte == before.root.end_byte
    assert len(after.errors) <= len(before.errors)
    assert after.is_mended == (len(after.errors) < len(before.errors))
