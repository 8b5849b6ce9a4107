"""What changes the hashes of JavaScript and TypeScript, and what does not."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from analyzers.analysis import analyze_and_digest
from analyzers.facts import Skipped, SymbolDigest
from tests.unit.test_javascript_facts import ALL

SUFFIXES = {"javascript": ".mjs", "typescript": ".ts", "tsx": ".tsx"}


def hashes(text: str, language: str = "tsx") -> dict[str, SymbolDigest]:
    """Qualified name (and how often it came before) → hashes, without that of the exact bytes."""
    found = analyze_and_digest(text.encode(), language)
    assert not isinstance(found, Skipped)
    facts, digests = found
    return {
        f"{definition.qualified_name}#{definition.ordinal}": SymbolDigest("", digest.signature, digest.body, digest.body_strict, digest.value)
        for definition, digest in zip(facts.definitions, digests.digests, strict=True)
    }


SAME = {
    "layout, comments, semicolons": ("function f(a,b){return a+b}", "// c\nfunction f(\n  a, // one\n  b,\n) {\n  return a /* + */ + b;\n}\n"),
    "quotes": ("const s = 'it\\'s'", 'const s = "it\'s";'),
    "numbers": ("const n = [0xFF, 1.0, .5, 1_000, 0XABn]", "const n = [255, 1, 0.5, 1000, 171n];"),
    "redundant parentheses": ("const f = () => { return ((a) && (b * c)) }", "const f = () => { return a && b * c; }"),
    "parentheses of an arrow function": ("const f = async x => x", "const f = async (x) => x"),
    "quoted keys": ("const o = { 'a': 1, \"b-c\": 2, 3: 4 }", "const o = { a: 1, 'b-c': 2, '3': 4 }"),
    "shorthand": ("const f = (a) => ({ a })", "const f = (a) => ({ a: a })"),
    "trailing commas": ("f([a, b,], {c, d,}, )", "f([a, b], {c, d})"),
    "new without arguments": ("const x = new Foo", "const x = new Foo()"),
    "flags of a regular expression": ("const r = /a/mgi", "const r = /a/gim"),
    "JSX": (
        "const e = <p a=\"x\" b={'y'}>one two {v}<b/> end</p>",
        'const e = (\n  <p a={\'x\'} b="y">\n    one\n    two {v}\n    <b />{" "}\n    {/* c */}\n    end\n  </p>\n)',
    ),
    "unions and types": (
        "type T = {a: string, b?: (A | B)[]} | null",
        "type T =\n  | {\n      'a': string;\n      b?: ((A) | B)[];\n    }\n  | (null);\n",
    ),
    "interfaces": ("interface I { a: string, f(): void }", "interface I {\n  a: string;\n  f(): void;\n}"),
    "order of imports": ("import a from 'a'\nimport { b, c } from 'b'", 'import { c, b } from "b";\nimport a from "a";'),
    "class members": ("class C { a = 1; b() {}; static c }", "class C {\n  a = 1\n  b() {}\n  static c\n}"),
    "empty statements": ("function f() { ; a(); ; }", "function f() {\n  a()\n}"),
}
"""name → two texts of which all hashes are the same"""


@pytest.mark.parametrize("name", SAME)
def test_looks_change_no_hash(name: str) -> None:
    """Not even a strict one."""
    one, other = SAME[name]
    assert hashes(one) == hashes(other)


LOOSE = {
    "own local names": ("function f(a) { const b = a; for (const c of b) g(c, b) }", "function f(x) { const y = x; for (const z of y) g(z, y) }"),
    "names of inner functions": (
        "function f() { function g(a) { return a } return g(1) }",
        "function f() { function h(b) { return b } return h(1) }",
    ),
    "destructured names": ("const f = ({ a, b: c }) => a + c", "const f = ({ a: x, b: y }) => x + y"),
    "caught errors": ("function f() { try { g() } catch (e) { h(e) } }", "function f() { try { g() } catch (error) { h(error) } }"),
    "annotations": ("function f() { const a: A = g() }", "function f() { const a: B = g() }"),
    "casts": ("function f() { return g(a as A, b!) }", "function f() { return g(a, b satisfies B) }"),
    "type arguments": ("function f() { return g<A>(new Map<B, C>()) }", "function f() { return g(new Map()) }"),
    "modifiers for the compiler": (
        "class C { m() { return class { private readonly a = 1 } } }",
        "class C { m() { return class { public a = 1 } } }",
    ),
}
"""name → two texts of which only the strict hash of the body differs"""


@pytest.mark.parametrize("name", LOOSE)
def test_names_and_types_change_only_the_strict_hash(name: str) -> None:
    """The first definition of the file tells."""
    one, other = (list(hashes(text).values())[1] for text in LOOSE[name])
    assert one.body == other.body
    assert one.body_strict != other.body_strict


DIFFERENT = {
    "an operator": ("const f = () => a + b", "const f = () => a - b"),
    "precedence": ("const f = () => (a + b) * c", "const f = () => a + b * c"),
    "the end of an optional chain": ("const f = () => (a?.b).c", "const f = () => a?.b.c"),
    "optional chaining": ("const f = () => a.b", "const f = () => a?.b"),
    "an optional call": ("const f = () => a()", "const f = () => a?.()"),
    "a called name": ("const f = () => g()", "const f = () => h()"),
    "a global name": ("const f = () => a + a", "const f = () => a + b"),
    "which local": ("const f = (a, b) => a", "const f = (a, b) => b"),
    "a property": ("const f = () => a.b", "const f = () => a.c"),
    "a key": ("const f = () => ({ a: 1 })", "const f = () => ({ b: 1 })"),
    "a string": ("const f = () => 'a'", "const f = () => 'b'"),
    "a template": ("const f = () => `a ${b}`", "const f = () => `a  ${b}`"),
    "a returned expression": ("const f = () => a", "const f = () => { return a }"),
    "await": ("const f = async () => g()", "const f = async () => await g()"),
    "yield*": ("function* f() { yield a }", "function* f() { yield* a }"),
    "const and let": ("const f = () => { const a = 1 }", "const f = () => { let a = 1 }"),
    "of and in": ("const f = () => { for (const a of b) {} }", "const f = () => { for (const a in b) {} }"),
    "parts of a loop": ("const f = () => { for (; a; ) {} }", "const f = () => { for (a; ; ) {} }"),
    "a hole": ("const f = () => [, a]", "const f = () => [a]"),
    "spread": ("const f = () => g(...a)", "const f = () => g(a)"),
    "tagged or called": ("const f = () => g`a`", "const f = () => g(`a`)"),
    "new": ("const f = () => new G()", "const f = () => G()"),
    "else": ("const f = () => { if (a) b(); else c(); }", "const f = () => { if (a) b(); c(); }"),
    "a case": ("const f = () => { switch (a) { case 1: b() } }", "const f = () => { switch (a) { default: b() } }"),
    "order of statements": ("const f = () => { a(); b() }", "const f = () => { b(); a() }"),
    "a default in a pattern": ("const f = () => { const { a = 1 } = b }", "const f = () => { const { a = 2 } = b }"),
    "JSX text": ("const f = () => <p>a b</p>", "const f = () => <p>a  c</p>"),
    "JSX space": ("const f = () => <p>a {b}</p>", "const f = () => <p>a{b}</p>"),
    "an attribute": ("const f = () => <p a='x' />", "const f = () => <p a='y' />"),
    "a component": ("const f = () => <A />", "const f = () => <B />"),
    "typeof and void": ("const f = () => typeof a", "const f = () => void a"),
    "prefix and postfix": ("const f = () => { ++a }", "const f = () => { a++ }"),
    "a private name": ("const f = (a) => a.b", "const f = (a) => a.#b"),
    "a NUL in a string": ("const f = () => ['a', 'b']", "const f = () => ['a\\0b']"),
    "a value": ("const f = 1", "const f = 2"),
    "a constant object": ("const f = { a: { b: 1 } }", "const f = { a: { b: 2 } }"),
    "a type": ("type f = { a: string }", "type f = { a: number }"),
    "an optional member": ("interface f { a: string }", "interface f { a?: string }"),
    "a union": ("type f = A | B", "type f = A | C"),
    "grouping of types": ("type f = (A | B)[]", "type f = A | B[]"),
    "an enum member": ("enum f { A = 1 }", "enum f { A = 2 }"),
    "a member of a class": ("class f { m() { a() } }", "class f { m() { b() } }"),
    "a member of a namespace": ("namespace f { g() }", "namespace f { h() }"),
    "a parameter of a declaration": ("declare function f(a: string): void", "declare function f(a: number): void"),
}
"""name → two texts of which the body of `f` differs"""


@pytest.mark.parametrize("name", DIFFERENT)
def test_content_changes_the_body(name: str) -> None:
    """Also the loose hash."""
    one, other = (hashes(text)["f#0"] for text in DIFFERENT[name])
    assert one.body and other.body
    assert one.body != other.body


SIGNATURES = {
    "a parameter": ("function f(a) {}", "function f(a, b) {}"),
    "a name of a parameter": ("function f(a) {}", "function f(b) {}"),
    "a default": ("function f(a = 1) {}", "function f(a = 2) {}"),
    "rest": ("function f(a) {}", "function f(...a) {}"),
    "an annotation": ("function f(a: string) {}", "function f(a: number) {}"),
    "a result": ("const f = (): A => x", "const f = (): B => x"),
    "optional": ("function f(a?: string) {}", "function f(a: string) {}"),
    "type parameters": ("function f<T>(a: T) {}", "function f<T extends U>(a: T) {}"),
    "async": ("function f() {}", "async function f() {}"),
    "a generator": ("function f() {}", "function* f() {}"),
    "a base": ("class f extends A {}", "class f extends B {}"),
    "an interface": ("class f implements A {}", "class f implements B {}"),
    "a decorator": ("@a class f {}", "@b class f {}"),
    "an annotated constant": ("const f: A = x", "const f: B = x"),
    "a destructured parameter": ("const f = ({ a }) => x", "const f = ({ b }) => x"),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_header_changes_the_signature(name: str) -> None:
    """What a caller or heir has to know."""
    one, other = (hashes(text)["f#0"] for text in SIGNATURES[name])
    assert one.signature != other.signature


def test_a_body_leaves_the_signature_alone() -> None:
    """And the other way round."""
    one, body, header = (hashes(text)["f#0"] for text in ("function f(a) { b() }", "function f(a) { c() }", "function f(a, d) { b() }"))
    assert one.signature == body.signature and one.body != body.body
    assert one.signature != header.signature and one.body == header.body


def test_a_member_has_hashes_of_its_own() -> None:
    """A change in one method is not a change of another, but of the class."""
    text = "class C {{ @d() a(x: A) {{ return 1 }} b = () => {}; get c() {{ return 3 }} static #d = 4 }}"
    one, other = (hashes(text.format(value)) for value in ("2", "5"))
    assert {name for name in one if one[name] != other[name]} == {"#0", "C#0", "C.b#0"}


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.file.stem}: {case.name}")
def test_every_definition_has_hashes(case: object) -> None:
    """A signature always, a body wherever there is a value, a body, or a type."""
    found = analyze_and_digest(case.content.encode(), case.language)  # type: ignore[attr-defined]
    assert not isinstance(found, Skipped)
    for definition, digest in list(zip(found[0].definitions, found[1].digests, strict=True))[1:]:
        assert digest.signature, definition.qualified_name
        assert digest.body or definition.kind in ("variable", "constant"), definition.qualified_name


OPTIONS = {
    "as it comes": {},
    "the opposite": {
        "semi": False, "singleQuote": True, "jsxSingleQuote": True, "trailingComma": "none", "arrowParens": "avoid", "quoteProps": "consistent",
        "printWidth": 40, "useTabs": True, "bracketSameLine": True, "singleAttributePerLine": True, "objectWrap": "collapse",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def prettier(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The formatter: the installed one, or one fetched by npm."""
    if found := shutil.which("prettier"):
        return found
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("neither prettier nor npm is installed")
    folder = tmp_path_factory.mktemp("prettier")
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=0", "prettier@3"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        pytest.skip(f"npm cannot fetch prettier: {done.stderr.strip()[-200:]}")
    return str(folder / "node_modules" / ".bin" / "prettier")


@pytest.mark.parametrize("options", OPTIONS)
def test_prettier_changes_no_hash(prettier: str, tmp_path: Path, options: str) -> None:
    """Every file of the cases, with opposite settings."""
    texts: dict[Path, tuple[str, str]] = {}
    samples = [(case.language, case.content) for case in ALL] + [("tsx", text) for pair in SAME.values() for text in pair]
    for number, (language, content) in enumerate(samples):
        found = analyze_and_digest(content.encode(), language)
        if not isinstance(found, Skipped) and not found[0].has_error and "with (" not in content:
            path = tmp_path / f"{number}{SUFFIXES[language]}"
            path.write_text(content)
            texts[path] = (language, content)
    (tmp_path / "options.json").write_text(json.dumps(OPTIONS[options]))
    command = [prettier, "--write", "--config", str(tmp_path / "options.json"), *map(str, texts)]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    changed = 0
    for path, (language, content) in texts.items():
        formatted = path.read_text()
        changed += formatted != content
        assert hashes(formatted, language) == hashes(content, language), formatted
    assert changed > len(texts) / 2
