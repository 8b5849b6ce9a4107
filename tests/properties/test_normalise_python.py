"""Python's hashes against two judges of their own: black, which changes only the looks of a file, and `ast`, which sees only structure."""

import ast
import os
import sysconfig
from pathlib import Path

import black
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from analyzers.analysis import analyze_and_digest
from analyzers.facts import FileFacts, Skipped, SymbolDigest, SymbolDigests

STDLIB = Path(sysconfig.get_paths()["stdlib"])
EVERY = 1 if os.environ.get("KNOWLEDGE_ALL_FILES") else 41
"""Which of the standard library's files are tried: every one where asked for, else a few spread over all."""
FILES = sorted(path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts and 500 < path.stat().st_size < 9_000)[::EVERY]

NASTY = """
from z import (a,
  b as c,); import q, r as s
from __future__ import annotations
def f(a,/,b:int=(1),*c:"str",d = {'k':[1,2,],},**e) -> (  Dict[str,int] )  :
    \'\'\'doc\'\'\'
    global g ; g = (yield)
    x = 'a' "b" f'{a!r:>{b}}' U'c' ; y = R'\\d' B'x'[0]
    if (a): pass
    elif (b): return(1,)
    else : return (not a) , -b ** 2 , not(a == b), (a, ) , ()
    for (i,j) , in ((1,2),) : print (i , end = '')
    while(a):break
    with (open(a)) as b, (c) as (d,e) : pass
    try: del (a), b[0,], c[::2, 1:]
    except(A, B)as z: raise X from(Y)
    finally: assert(a), "b"
    return lambda*a,b=1,**k:(a if b else c), [i for i in a if(i)for j in i], {**a,'b':1}, {*a}, a[b:c,...], a if(b)else(c)
@ decorator . call (a)[0]
class C ( A , metaclass = M ) :
    x : int = 0XFF ; y = 1_0.E3 ; z = 10J ; w : str
    async def m ( self ) :
        await ( a ) ; x = [i async for i in a]
        async with a as b : pass
        async for(i)in a : pass
def g(): return (((a + b)) * c), a + (b * c), (a ** b) ** c, a ** (b ** c), (a, b)[0], (lambda: a)(), (yield), (await_ := 1)
if x : y
(x).y = (z)
[p, (q)] = w
print(* a, ** b)
match x :
    case(1|2) , [a, * b] if (c) : pass
    case C ( x = 1 , ) | {"k": v, ** rest} : pass
x = \\
    1
"""


def read(source: str) -> tuple[FileFacts, SymbolDigests]:
    both = analyze_and_digest(source.encode(), "python")
    assert not isinstance(both, Skipped)
    return both


def counted(source: str) -> list[tuple[str, int, str, str, str, str]]:
    """Each definition and its hashes, but for that of its text."""
    facts, digests = read(source)
    return [
        (definition.qualified_name, definition.ordinal, found.signature, found.body, found.body_strict, found.value)
        for definition, found in zip(facts.definitions, digests.digests, strict=True)
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(STDLIB)))
def test_black_changes_no_hash(path: Path) -> None:
    """Real files, before and after."""
    source = path.read_bytes()
    try:
        text = source.decode()
        formatted = black.format_str(text, mode=black.Mode())
    except (UnicodeDecodeError, black.InvalidInput):
        pytest.skip("black refuses the file")
    assert counted(formatted) == counted(text)


def test_black_changes_no_hash_of_nasty_code() -> None:
    """Every construct, spelled as badly as Python allows."""
    formatted = black.format_str(NASTY, mode=black.Mode(target_versions={black.TargetVersion.PY311}))
    assert formatted != NASTY
    assert counted(formatted) == counted(NASTY)
    facts, _ = read(NASTY)
    assert not facts.has_error


def test_black_changes_no_value() -> None:
    """The texts of values and signatures are spelled one way too."""
    formatted = black.format_str(NASTY, mode=black.Mode(target_versions={black.TargetVersion.PY311}))
    before, after = read(NASTY)[0], read(formatted)[0]
    assert [(value.key, value.text, value.digest) for value in before.values] == [(value.key, value.text, value.digest) for value in after.values]
    for one, other in zip(before.definitions, after.definitions, strict=True):
        assert [(p.name, p.kind, p.default, p.annotation) for p in one.parameters] == [
            (p.name, p.kind, p.default, p.annotation) for p in other.parameters
        ]
        assert one.returns == other.returns


# Structure: two expressions have one hash exactly if `ast` sees one tree

NAMES = st.sampled_from(["a", "b"])
CONSTANTS = st.sampled_from([0, 1, 1.0, "a", "1", b"a", None, True, ..., 1j])


def name(text: str) -> ast.expr:
    return ast.Name(text)


def unless_boolean(found: ast.expr) -> bool:
    """`(a and b) and c` means what `a and b and c` means, and `ast` tells them apart: not asked."""
    return not isinstance(found, ast.BoolOp)


LEAVES = st.one_of(NAMES.map(name), CONSTANTS.map(ast.Constant))


def larger(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    """Expressions of expressions."""
    some = st.lists(inner, max_size=2)
    comprehension = st.builds(
        lambda target, source, tests: ast.comprehension(ast.Name(target), source, tests, 0), NAMES, inner, st.lists(inner, max_size=1)
    )
    operators = st.sampled_from([ast.Add(), ast.Sub(), ast.Mult(), ast.Pow()])
    compared = st.sampled_from([ast.Lt(), ast.Eq(), ast.Is(), ast.IsNot(), ast.In(), ast.NotIn()])
    keyword = st.builds(ast.keyword, st.one_of(st.none(), NAMES), inner)
    slices = st.builds(ast.Slice, st.one_of(st.none(), inner), st.one_of(st.none(), inner), st.one_of(st.none(), inner))
    return st.one_of(
        st.builds(ast.BinOp, inner, operators, inner),
        st.builds(ast.UnaryOp, st.sampled_from([ast.Not(), ast.USub(), ast.Invert()]), inner),
        st.builds(lambda op, one, other: ast.BoolOp(op, [one, other]), st.sampled_from([ast.And(), ast.Or()]), *[inner.filter(unless_boolean)] * 2),
        st.builds(lambda left, op, right: ast.Compare(left, [op], [right]), inner, compared, inner),
        st.builds(ast.Call, inner, st.lists(st.one_of(inner, inner.map(ast.Starred)), max_size=2), st.lists(keyword, max_size=2)),
        st.builds(ast.Attribute, inner, NAMES),
        st.builds(ast.Subscript, inner, st.one_of(inner, slices, st.lists(st.one_of(inner, slices), min_size=1, max_size=2).map(ast.Tuple))),
        some.map(ast.List),
        some.map(ast.Tuple),
        st.lists(inner, min_size=1, max_size=2).map(ast.Set),
        st.lists(st.tuples(st.one_of(st.none(), inner), inner), max_size=2).map(lambda pairs: ast.Dict([k for k, _ in pairs], [v for _, v in pairs])),
        st.builds(ast.IfExp, inner, inner, inner),
        st.builds(
            lambda argument, body: ast.Lambda(ast.arguments([], [ast.arg(argument)], None, [], [], None, []), body),
            st.sampled_from(["x", "a"]),
            inner,
        ),
        st.builds(ast.ListComp, inner, st.lists(comprehension, min_size=1, max_size=2)),
        st.builds(ast.GeneratorExp, inner, st.lists(comprehension, min_size=1, max_size=1)),
        st.lists(
            st.one_of(st.sampled_from(["a", "{", "'"]).map(ast.Constant), st.builds(ast.FormattedValue, inner, st.sampled_from([-1, 114]))),
            max_size=2,
        ).map(ast.JoinedStr),
    )


EXPRESSIONS = st.recursive(LEAVES, larger, max_leaves=5)


def written(expression: ast.expr) -> tuple[str, str]:
    """An expression as source text, and what `ast` reads there."""
    try:
        text = ast.unparse(ast.fix_missing_locations(ast.Expression(expression)))
        return text, ast.dump(ast.parse(text, mode="eval"))
    except (ValueError, SyntaxError):
        assume(False)
        raise


def strict(expression: str) -> SymbolDigest:
    facts, digests = read(f"def f():\n    return ({expression})\n")
    assert not facts.has_error, expression
    return digests.digests[1]


@settings(max_examples=400, deadline=None)
@given(EXPRESSIONS, EXPRESSIONS)
@example(ast.Constant("1"), ast.Constant(1))
def test_hashes_are_equal_exactly_if_trees_are(one: ast.expr, other: ast.expr) -> None:
    """No two different trees share a strict hash."""
    (first, first_tree), (second, second_tree) = written(one), written(other)
    assert (strict(first).body_strict == strict(second).body_strict) is (first_tree == second_tree)


class Respelled(ast.NodeTransformer):
    """One change of meaning somewhere in a tree."""

    def __init__(self, at: int) -> None:
        self.at = at

    def generic_visit(self, node: ast.AST) -> ast.AST:
        self.at -= 1
        if self.at == 0:
            if isinstance(node, ast.Name):
                node.id = {"a": "b", "b": "a"}.get(node.id, "a")
            elif isinstance(node, ast.Constant):
                node.value = 2 if node.value != 2 else 3
            elif isinstance(node, ast.Attribute):
                node.attr += "_"
            elif isinstance(node, ast.Call):
                node.args = [*node.args, ast.Constant(0)]
            elif isinstance(node, ast.List | ast.Tuple | ast.Set):
                node.elts = [*node.elts, ast.Constant(0)]
        return super().generic_visit(node)


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS, st.integers(1, 12))
def test_one_change_changes_the_hash(expression: ast.expr, at: int) -> None:
    """A near miss is a miss."""
    first, first_tree = written(expression)
    changed = Respelled(at).visit(ast.parse(first, mode="eval")).body
    second, second_tree = written(changed)
    assert (strict(first).body_strict == strict(second).body_strict) is (first_tree == second_tree)


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS, EXPRESSIONS)
def test_a_renamed_local_is_the_same_loose_body(one: ast.expr, other: ast.expr) -> None:
    """Whatever is made of a local variable, its name does not count, and which of two it is does."""
    (first, _), (second, _) = written(one), written(other)
    template = "def f():\n    {0} = {2}\n    {1} = g({0})\n    return [{3}, {0}, {1}]\n"
    body = {names: read(template.format(*names, first, second))[1].digests[1].body for names in (("p", "q"), ("v", "w"), ("q", "p"))}
    assert len(set(body.values())) == 1
    swapped = "def f():\n    {0} = {2}\n    {1} = g({0})\n    return [{3}, {1}, {0}]\n".format("p", "q", first, second)
    assert read(swapped)[1].digests[1].body not in body.values()
