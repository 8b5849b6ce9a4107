"""What changes a definition's hashes and what does not, in Python: a table of pairs."""

import pytest

from analyzers.analysis import analyze_and_digest
from analyzers.facts import Skipped, SymbolDigest


def hashes(source: str) -> dict[str, SymbolDigest]:
    both = analyze_and_digest(source.encode(), "python")
    assert not isinstance(both, Skipped)
    facts, digests = both
    assert len(facts.definitions) == len(digests.digests)
    return {definition.qualified_name + "#" * definition.ordinal: found for definition, found in zip(facts.definitions, digests.digests, strict=True)}


def function(body: str, header: str = "def f(a, b=1):") -> SymbolDigest:
    return hashes(header + "\n" + "".join(f"    {line}\n" for line in body.split("\n")))["f"]


SAME_STRICT = [
    ("return (a)", "return a"),
    ("return ((a + b)) * c", "return (a + b) * c"),
    ("return a + (b * c)", "return a + b * c"),
    ("return 'x'", 'return """x"""'),
    ("return r'x' B'y'", "return 'x' b'y'"),
    ("return 'a' \"b\" 'c'", "return 'abc'"),
    ("return ('a'\n        'b')", "return 'ab'"),
    ("return '\\x41\\n'", "return 'A\\n'"),
    ("return u'é'", "return '\\xe9'"),
    ("return f'a{x}' 'b'", "return f'a{x}b'"),
    ("return f'{x!r:>{w}}'", 'return f"{x!r:>{w}}"'),
    ("return 0x10, 1_000, 1e3, 10J", "return 16, 1000, 1000.0, 10j"),
    ("return [1, 2,]", "return [1, 2]"),
    ("return f(a, b,)", "return f(\n        a,\n        b,\n    )"),
    ("return {1: 2,}", "return {1: 2}"),
    ("return 1, 2", "return (1, 2)"),
    ("return x[1, 2]", "return x[(1, 2)]"),
    ("for a, b in c: pass", "for (a, b) in c:\n    pass"),
    ("(a), b = c", "a, b = c"),
    ("del (a, b)", "del a, b"),
    ("with (open(a) as b, c): pass", "with open(a) as b, c:\n    pass"),
    ("a = 1; b = 2", "a = 1\nb = 2"),
    ("a = b + \\\n    c", "a = b + c"),
    ("a = 1  # comment", "# another\n\n\na = 1"),
    ("'docstring'\nreturn 1", '"""Other."""\nreturn 1'),
    ("'docstring'", "pass"),
    ("return f(x for x in y)", "return f((x for x in y))"),
    ("if a:\n    pass\nelif b:\n    c()", "if a:\n    pass\nelse:\n    if b:\n        c()"),
    ("return (a\n    .b\n    .c)", "return a.b.c"),
    ("return a.b(c).d", "return (a.b(c)).d"),
    ("from a import (b,\n    c)", "from a import b, c"),
    ("x: 'List[int]' = 1", 'x: "List[int]" = 1'),
    ("x: List[ int ,] = 1", "x: List[int,] = 1"),
    ("x: Dict[\n    int,\n    str,\n] = 1", "x: Dict[int, str] = 1"),
    ("lambda: (yield)", "lambda: (yield )"),
    ("print((a))", "print(a)"),
    ("assert (a), (b)", "assert a, b"),
]

DIFFERENT_STRICT = [
    ("return (1,)", "return (1)"),
    ("return x[1,]", "return x[1]"),
    ("return (a + b) * c", "return a + b * c"),
    ("return not a == b", "return a != b"),
    ("return not (a and b)", "return (not a) and b"),
    ("return 1", "return 1.0"),
    ("return 1", "return True"),
    ("return '1'", "return 1"),
    ("return 'a'", "return b'a'"),
    ("return 'ab'", "return 'a', 'b'"),
    ("return 'None'", "return None"),
    ("return f'{x}'", "return '{x}'"),
    ("return f'{x}'", "return f'{x!r}'"),
    ("return f'{x:>2}'", "return f'{x:>3}'"),
    ("return f'{x=}'", "return f'{x}'"),
    ("return f'{{x}}'", "return f'{x}'"),
    ("return r'\\n'", "return '\\n'"),
    ("return a + b", "return b + a"),
    ("return a + b", "return a - b"),
    ("return a < b", "return a <= b"),
    ("return a is b", "return a is not b"),
    ("return a in b", "return a not in b"),
    ("return a and b", "return a or b"),
    ("return f(a, b)", "return f(b, a)"),
    ("return f(a)", "return f(*a)"),
    ("return f(*a)", "return f(**a)"),
    ("return f(a=b)", "return f(c=b)"),
    ("return f(a=b)", "return f((a := b))"),
    ("return f(a)(b)", "return f(a, b)"),
    ("return a.b", "return a.c"),
    ("return a.b", "return b.a"),
    ("return a.b.c", "return a.c.b"),
    ("return GLOBAL", "return OTHER"),
    ("return x[1:2]", "return x[1::2]"),
    ("return x[:1]", "return x[1:]"),
    ("return x[1]", "return x[-1]"),
    ("return [a, b]", "return (a, b)"),
    ("return [a]", "return {a}"),
    ("return {a: b}", "return {b: a}"),
    ("return {**a}", "return {*a}"),
    ("return [x for x in y]", "return [x for x in y if x]"),
    ("return [x for x in y for z in w]", "return [x for z in w for x in y]"),
    ("return [x for x in y]", "return (x for x in y)"),
    ("return [x async for x in y]", "return [x for x in y]"),
    ("return await a", "return a"),
    ("yield a", "yield from a"),
    ("yield a", "return a"),
    ("raise A", "raise A from B"),
    ("raise A from B", "raise B from A"),
    ("a = 1\nb = 2", "b = 2\na = 1"),
    ("if a:\n    b()\nc()", "if a:\n    b()\n    c()"),
    ("if a:\n    b()\nelse:\n    c()", "if a:\n    c()\nelse:\n    b()"),
    ("for a in b:\n    c()\nelse:\n    d()", "for a in b:\n    c()\nd()"),
    ("try:\n    a()\nexcept E:\n    b()\nelse:\n    c()", "try:\n    a()\nexcept E:\n    b()\nfinally:\n    c()"),
    ("try:\n    a()\nexcept E:\n    b()", "try:\n    a()\nexcept* E:\n    b()"),
    ("async with a: pass", "with a: pass"),
    ("async for a in b: pass", "for a in b: pass"),
    ("a = b = c", "b = a = c"),
    ("a += b", "a = a + b"),
    ("global a", "nonlocal a"),
    ("a: int = 1", "a: str = 1"),
    ("a: 'X' = 1", "a: X = 1"),
    ("a = 1", "a: int = 1"),
    ("from a import b", "from a import c"),
    ("from a import b", "from .a import b"),
    ("from a import b", "import a.b"),
    ("import a", "import a as b"),
    ("return lambda x: x", "return lambda *x: x"),
    ("return lambda x=1: x", "return lambda x=2: x"),
    ("match a:\n    case 1: b()", "match a:\n    case -1: b()"),
    ("match a:\n    case B(x): c()", "match a:\n    case B(x=x): c()"),
    ("match a:\n    case [b, *_]: c()", "match a:\n    case [b, _]: c()"),
    ("match a:\n    case B.c: d()", "match a:\n    case B.d: d()"),
    ("return a if b else c", "return b if a else c"),
    ("...", "pass"),
    ("def g(): return 1\nreturn g", "def g(): return 2\nreturn g"),
    ("@a\ndef g(): pass", "@b\ndef g(): pass"),
    ("class A(B): pass", "class A(C): pass"),
    ("return cast(A, b)", "return b"),
]


@pytest.mark.parametrize(("old", "new"), SAME_STRICT)
def test_spelling_changes_no_hash(old: str, new: str) -> None:
    """Layout, quotes, joins, numbers, brackets without meaning: neither text knows them."""
    before, after = function(old), function(new)
    assert (before.body, before.body_strict, before.signature) == (after.body, after.body_strict, after.signature)


@pytest.mark.parametrize(("old", "new"), DIFFERENT_STRICT)
def test_meaning_changes_the_strict_body(old: str, new: str) -> None:
    """Whatever may behave differently, or is written with another annotation or cast."""
    assert function(old).body_strict != function(new).body_strict


ONLY_STRICT = {
    ("a: int = 1", "a: str = 1"), ("a: 'X' = 1", "a: X = 1"), ("a = 1", "a: int = 1"), ("return cast(A, b)", "return b"), ("a = b = c", "b = a = c"),
    ("a = 1\nb = 2", "b = 2\na = 1"), ("import a", "import a as b"),
}  # fmt: skip
"""Pairs whose difference the loose text does not keep: annotations, casts, and which local name is which where none is used."""


@pytest.mark.parametrize(("old", "new"), [pair for pair in DIFFERENT_STRICT if pair not in ONLY_STRICT])
def test_meaning_changes_the_loose_body(old: str, new: str) -> None:
    """Local names aside, the same."""
    assert function(old).body != function(new).body


SAME_LOOSE = [
    ("x = 1\nreturn x", "y = 1\nreturn y"),
    ("for i, j in a: g(i, j)", "for k, l in a: g(k, l)"),
    ("return [x for x in a if x]", "return [y for y in a if y]"),
    ("return lambda x, *y, z=a: (x, y, z)", "return lambda p, *q, r=a: (p, q, r)"),
    ("with a as x: g(x)", "with a as y: g(y)"),
    ("try: g()\nexcept E as e: h(e)", "try: g()\nexcept E as error: h(error)"),
    ("if (n := g()): return n", "if (m := g()): return m"),
    ("import x as y\nreturn y", "import x as z\nreturn z"),
    ("def inner(v):\n    return v + w\nw = 1\nreturn inner", "def other(v):\n    return v + u\nu = 1\nreturn other"),
    ("x: int = 1\nreturn x", "x = 1\nreturn x"),
    ("x: int\nx = g()", "x = g()"),
    ("return cast('A', b)", "return b"),
    ("return typing.cast(A, b).c", "return b.c"),
    ("match a:\n    case {'k': v}: g(v)", "match a:\n    case {'k': w}: g(w)"),
]


@pytest.mark.parametrize(("old", "new"), SAME_LOOSE)
def test_local_names_and_annotations_do_not_change_the_loose_body(old: str, new: str) -> None:
    """The strict body sees each of them."""
    before, after = function(old), function(new)
    assert before.body == after.body
    assert before.body_strict != after.body_strict


DIFFERENT_LOOSE = [
    ("x = 1\nreturn x", "x = 1\nreturn X"),
    ("x = 1\ny = 2\nreturn x", "x = 1\ny = 2\nreturn y"),
    ("x = g()\nreturn x.y", "x = g()\nreturn x.z"),
    ("x = g()\nreturn h(x=x)", "x = g()\nreturn h(y=x)"),
    ("global x\nx = 1", "global y\ny = 1"),
    ("return [x for x in x]", "return [x for x in y]"),
    ("x = 1\nreturn [x for y in x]", "x = 1\nreturn [y for y in x]"),
    ("x = 1\nreturn lambda y: x", "x = 1\nreturn lambda y: y"),
    ("import x\nreturn x", "import y\nreturn y"),
    ("from m import x\nreturn x", "from m import y\nreturn y"),
    ("return a", "return b"),
    ("def g(v: int): return v\nreturn g", "def g(v): return v\nreturn g"),
    ("def g(v): return v\nreturn g", "def g(w): return w\nreturn g"),
]


@pytest.mark.parametrize(("old", "new"), DIFFERENT_LOOSE)
def test_other_names_change_the_loose_body(old: str, new: str) -> None:
    """Globals, attributes, keywords, imports, which local is which, and the signatures of functions inside."""
    assert function(old).body != function(new).body


SIGNATURES = [
    ("def f(a, b=1):", "def f( a , b = 0x1, ):", True),
    ("def f(a: int) -> str:", "def f(a:int)->str:", True),
    ("def f(a: 'A') -> \"B[C]\":", "def f(a: A) -> B[C]:", True),
    ("def f(a) -> (int):", "def f(a) -> int:", True),
    ("@a\n@b(1)\ndef f():", "@a\n\n# why\n@b( 1 )\ndef f():", True),
    ("def f(a: Literal['x']):", "def f(a: Literal[x]):", False),
    ("def f(a):", "def f(b):", False),
    ("def f(a, b):", "def f(b, a):", False),
    ("def f(a, b):", "def f(a, /, b):", False),
    ("def f(a, b):", "def f(a, *, b):", False),
    ("def f(a, *b):", "def f(a, **b):", False),
    ("def f(a, b=1):", "def f(a, b=2):", False),
    ("def f(a, b=1):", "def f(a, b):", False),
    ("def f(a, b=None):", "def f(a, b='None'):", False),
    ("def f(a: int):", "def f(a: str):", False),
    ("def f(a) -> int:", "def f(a) -> str:", False),
    ("def f(a) -> int:", "def f(a):", False),
    ("async def f(a):", "def f(a):", False),
    ("@a\ndef f():", "def f():", False),
    ("@a\n@b\ndef f():", "@b\n@a\ndef f():", False),
    ("@a(1)\ndef f():", "@a(2)\ndef f():", False),
    ("def f[T](a: T):", "def f[T: int](a: T):", False),
]


@pytest.mark.parametrize(("old", "new", "is_same"), SIGNATURES)
def test_signatures(old: str, new: str, is_same: bool) -> None:
    """Names, kinds, order, defaults, annotations, decorators; the body has no part in it, nor has it in the body."""
    before, after = function("return 1", old), function("return 1", new)
    assert (before.signature == after.signature) is is_same
    assert before.body == after.body
    assert function("return 2", old).signature == before.signature


def test_decorators_are_in_the_strict_body() -> None:
    """Strict is body and decorators, loose the body alone."""
    plain, decorated = function("return 1", "def f():"), function("return 1", "@a\ndef f():")
    assert plain.body == decorated.body
    assert plain.body_strict != decorated.body_strict


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("class C(A, metaclass=M): pass", "class C( A,\n metaclass=M,\n):\n    '''Doc.'''", True),
        ("class C(A): pass", "class C(B): pass", False),
        ("class C(A, B): pass", "class C(B, A): pass", False),
        ("class C(A): pass", "class C(A, metaclass=M): pass", False),
        ("class C: pass", "class C(): pass", True),
        ("@d\nclass C: pass", "class C: pass", False),
    ],
)
def test_signatures_of_classes(old: str, new: str, is_same: bool) -> None:
    """Bases, keywords, decorators."""
    assert (hashes(old)["C"].signature == hashes(new)["C"].signature) is is_same


def test_a_class_covers_its_members() -> None:
    """A method's body or signature, an attribute, an order: the class's body changes, its signature does not."""
    first = "class C:\n    x = 1\n    def m(self): return 1\n    def n(self): return 2\n"
    before = hashes(first)
    for change in (("x = 1", "x = 2"), ("return 1", "return 3"), ("def m(self)", "def m(self, a)"), ("def m", "@d\n    def m")):
        after = hashes(first.replace(*change))
        assert after["C"].body != before["C"].body
        assert after["C"].signature == before["C"].signature
        assert after["C.n"] == before["C.n"]
        assert after[""].body != before[""].body
    annotated = hashes(first.replace("def m(self)", "def m(self: C) -> int"))
    assert annotated["C"].body == before["C"].body != annotated["C"].body_strict
    renamed = hashes(first.replace("return 1", "y = 1; return y"))["C"].body
    assert hashes(first.replace("return 1", "z = 1; return z"))["C"].body == renamed


def test_the_order_of_a_modules_imports_does_not_count() -> None:
    """Sorted and split otherwise, they are the same imports; one more or one less is not."""
    before = hashes("import b\nfrom a import x, y\nimport c.d as e\n\nprint(x)\n")[""]
    assert hashes("from a import (\n    y,\n)\nimport c.d as e, b\nfrom a import x\nprint(x)")[""].body == before.body
    assert hashes("import b\nfrom a import x, z\nimport c.d as e\nprint(x)")[""].body != before.body
    assert hashes("import b\nfrom a import x, y\nprint(x)")[""].body != before.body


def test_values_of_variables() -> None:
    """A constant's value counts by meaning, its name and annotation are its signature."""
    before = hashes("A: int = 0x10\nB = (1, 'a')\nC, D = f()\n")
    after = hashes('A = 16\nB = (\n    1,\n    "a",\n)\nC, D = f()\n')
    assert before["A"].value == after["A"].value and before["A"].value
    assert before["A"].signature != after["A"].signature
    assert before["B"] == SymbolDigest(before["B"].source, after["B"].signature, after["B"].body, after["B"].body_strict, after["B"].value)
    assert before["C"].value == before["D"].value and before["C"].signature == before["D"].signature
    assert hashes("A = 17")["A"].value != after["A"].value
    assert hashes("A: int")["A"].value == ""


def test_source_is_the_exact_text() -> None:
    """A blank more is another source, and nothing else."""
    one, other = function("return 1"), function("return  1")
    assert one.source != other.source
    assert (one.body, one.signature) == (other.body, other.signature)


def test_every_definition_has_its_hashes() -> None:
    """Each kind of definition is found again in the structure."""
    source = """
import a
X = 1
Y: int
(U), [V, *W] = a
type T = int
if X:
    def f(): ...
else:
    def f(): ...
class C:
    z = 1
    @property
    def p(self):
        def inner(): return [lambda: 0 for q in r]
        return inner
    @p.setter
    def p(self, v): ...
"""
    found = hashes(source)
    assert list(found) == ["", "X", "Y", "U", "V", "W", "T", "f", "f#", "C", "C.z", "C.p", "C.p.inner", "C.p#"]
    for name, digest in found.items():
        assert digest.source
        assert bool(digest.signature) is bool(name)
        assert bool(digest.body) is (name != "Y")


def test_free_names_of_an_inner_function_are_its_own() -> None:
    """In its own hash the names of the function around are written out; in the outer one they are local names."""
    first = hashes("def f():\n    x = 1\n    def g():\n        y = 2\n        return x + y\n    return g\n")
    second = hashes("def f():\n    z = 1\n    def g():\n        w = 2\n        return z + w\n    return g\n")
    assert first["f"].body == second["f"].body
    assert first["f.g"].body != second["f.g"].body


@pytest.mark.parametrize("source", ["def f(:\n    return 1\n\ndef g(): return 2\n", "class A(\n  def g(): return 2", "x = (1\ndef g(): return 2\n"])
def test_broken_files_have_hashes(source: str) -> None:
    """Each definition that was found has an entry, the same every time."""
    assert hashes(source) == hashes(source)


def test_deep_nesting_is_hashed_without_recursion() -> None:
    """Ten thousand levels, and the innermost change is seen."""
    deep = "x = " + "[\n" * 10_000 + "{}" + "]\n" * 10_000
    assert hashes(deep.format("1"))["x"].value != hashes(deep.format("2"))["x"].value


def test_long_chains_read_like_short_ones() -> None:
    """A chain too long to be read as text has the same pieces."""
    short, long = "return a.b.c", "return (a" + " " * 300 + ".b.c)"
    assert function(short).body == function(long).body
