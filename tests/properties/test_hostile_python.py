"""Any bytes at all: reading Python and resolving it ends, and never fails (analyzers/languages/python, knowledge/graph/resolve_python.py)."""

import random
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzers.analysis import analyze, digest
from analyzers.facts import FileFacts, Skipped
from tests.graph_trees import edges_of, resolve_cold

GRAPH = Path(__file__).resolve().parents[2] / "knowledge" / "graph"
REAL = [(GRAPH / name).read_text(encoding="utf-8") for name in ("python_flow.py", "python_classes.py", "narrowing.py", "values.py")]
TOKENS = [
    "def", "class", "lambda", "return", "yield", "yield_from", "await", "async", "with", "for", "in", "if", "else", "elif", "while", "try",
    "except", "finally", "raise", "import", "from", "as", "global", "nonlocal", "del", "pass", "match", "case", "type", "not", "and", "or", "is",
    "None", "True", "False", "self", "cls", "super", "print", "__init__", "__call__", "__getattr__", "__all__", "x", "y", "f", "C", "D", "a.b", "@",
    "(", ")", "[", "]", "{", "}", ":", ",", "=", "==", "+=", ":=", "->", "*", "**", ".", "...", ";", "|", "&", "+", "-", "<", ">", "~", "%", '"s"',
    "'é'", 'f"{x}"', 'b"b"', "1", "2.5", "#", "\\", "\n", "\t",
]  # fmt: skip
LINES = [
    "def f(x=f, *a, y: C = D, **k):", "class C(C):", "class C(D, metaclass=C):", "class D(C[f], Generic[T]):", "from . import *",
    "from .a import x as x", "import a, b.c as d", "from b import *", "x = x", "x: x = x", "x, *y, (z, [f]) = f", "self.x = self.x.x", "@f",
    "@f(x)(y)", "@property", "@x.setter", "@overload", "@pytest.fixture", "return f", "return lambda: f", "yield x", "yield from x",
    "with f() as (x, y), x:", "for x, *y in f():", "if isinstance(x, (C, x)):", "match x:", "case C(x=y, z=[*f]):", "case {'k': v, **r}:",
    "async def f(self):", "await x", "global x, f", "nonlocal x", "del x, f.x, x[0]", "f(*x, **y, z=1)(f)[x](y)", "x[f](x)[1:2]",
    "getattr(x, 'f')()", "getattr(f, f'a{x}')()", "import_module('.a', x)()", "__import__('a.b').f()", "T = TypeVar('T', bound='C')",
    "type A[T] = list[A]", "def f[T: C](x: T) -> 'T': ...", "x = [f, lambda: x]", "x = {'a': f, **x}", "x['a']['b'] = x", "x.append(x)",
    "map(f, x)", "functools.partial(f, x)()", "super().f()", "super(C, x).f()", "__all__ = ['x', *y]", "__all__ += x", "try:", "except C as x:",
    "finally:", "else:", "raise C", "raise x from f", "lambda: (yield)", "print(f'{x!r:{y}}')", "pass", "...", "(x := f)(x)", "assert x, f()",
    "while f():", "x = f if x else f()",
]  # fmt: skip
soup = st.lists(st.sampled_from(TOKENS), max_size=60).map(" ".join)
program = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(LINES)), max_size=25).map(
    lambda rows: "".join(f"{'    ' * depth}{line}\n" for depth, line in rows)
)


@st.composite
def mangled(draw: st.DrawFn) -> str:
    """Real code with pieces taken out, doubled and put elsewhere."""
    text, chance = draw(st.sampled_from(REAL)), random.Random(draw(st.integers(0, 1 << 32)))
    for _ in range(draw(st.integers(1, 12))):
        start = chance.randrange(len(text))
        piece = text[start : start + chance.randrange(1, 80)]
        rest = text[:start] + text[start + len(piece) :] if chance.random() < 0.6 else text
        at = chance.randrange(len(rest) + 1)
        text = rest[:at] + chance.choice([piece, "", piece[::-1], "(" * 9, '"""', "\n"]) + rest[at:]
    return text[: draw(st.integers(200, 6_000))]


def read(content: bytes) -> FileFacts | Skipped:
    """The facts; their indexes must point at what is there, and the hashes must be as many as the definitions."""
    found = analyze(content, "python")
    if isinstance(found, FileFacts):
        assert all(-1 <= definition.parent < index for index, definition in enumerate(found.definitions))
        assert all(0 <= row.definition < len(found.definitions) for row in found.scopes)
        assert all(0 <= row.scope < len(found.scopes) for row in (*found.bindings, *found.calls, *found.accesses, *found.returns))
        hashes = digest(content, "python")
        assert isinstance(hashes, Skipped) or len(hashes.digests) == len(found.definitions)
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes(content: bytes) -> None:
    """Encodings that are wrong, and text that is no Python."""
    read(content)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(soup | program, min_size=1, max_size=3))
def test_any_program(texts: list[str]) -> None:
    """Words of Python in any order, and statements that make no sense together, in files that import one another."""
    files = dict(zip(("a.py", "b.py", "pkg/__init__.py"), texts, strict=False))
    for text in texts:
        read(text.encode())
    resolve_cold(files)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(mangled())
def test_mangled_code(text: str) -> None:
    """Real code that somebody broke; resolving it twice gives the same."""
    read(text.encode())
    files = {"graph/broken.py": text, "graph/whole.py": REAL[2]}
    assert edges_of(resolve_cold(files)) == edges_of(resolve_cold(files))
