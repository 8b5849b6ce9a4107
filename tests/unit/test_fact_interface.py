"""The interface hash: what other files can see, and nothing else."""

import pytest

from analyzers.analysis import analyze
from analyzers.facts import Skipped
from analyzers.interface import interface_hash

PYTHON = """\
from a import b
LIMIT = 3
class C(b.Base):
    kind: str = "x"
    def __init__(self, x):
        self.store = Store(x)
    def get(self, key: str) -> int:
        found = self.store.get(key)
        log(found)
        return found
def make():
    local = C(1)
    unused = D()
    return local
"""
TYPESCRIPT = """\
import { b } from "./a";
export const LIMIT = 3;
export class C extends b.Base {
  kind = "x";
  constructor(x: string) { super(); this.store = new Store(x); }
  get(key: string) { const found = this.store.get(key); log(found); return found; }
}
export const make = () => { const local = new C("1"); const unused = new D(); return local; };
"""


def interface_of(text: str, language: str) -> str:
    facts = analyze(text.encode(), language)
    assert not isinstance(facts, Skipped)
    return interface_hash(facts)


@pytest.mark.parametrize(
    ("language", "text", "old", "new"),
    [
        ("python", PYTHON, "from a", "# a comment\n\nfrom a"),
        ("python", PYTHON, "log(found)", "log(found, 1)\n        print(key)"),
        ("python", PYTHON, "unused = D()", "unused = E(2)"),
        ("typescript", TYPESCRIPT, "import", "// a comment\n\nimport"),
        ("typescript", TYPESCRIPT, "log(found);", "log(found, 1); print(key);"),
        ("typescript", TYPESCRIPT, "new D()", "new E(2)"),
    ],
)
def test_what_others_cannot_see_does_not_count(language: str, text: str, old: str, new: str) -> None:
    """Places, calls, and locals that lead to no result."""
    assert interface_of(text, language) == interface_of(text.replace(old, new), language)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from a import b", "from c import b"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT", "BOUND"),
        ("b.Base", "b.Other"),
        ("key: str", "key: bytes"),
        ("-> int", "-> str"),
        ("def get(self", "async def get(self"),
        ("Store(x)", "Other(x)"),
        ("kind: str", "kind: bytes"),
        ("local = C(1)", "local = D(1)"),
        ("return local", "return unused"),
        ("    return local\n", ""),
        ("class C", "@decorated\nclass C"),
        ("def make", "def made"),
    ],
)
def test_what_others_can_see_counts_in_python(old: str, new: str) -> None:
    """Names, signatures, bases, values, attributes, and what a result goes through."""
    assert interface_of(PYTHON, "python") != interface_of(PYTHON.replace(old, new), "python")


def test_a_parameter_that_is_called_counts() -> None:
    """Whoever passes a function here learns that it runs."""
    assert interface_of("def run(f):\n    g()\n", "python") != interface_of("def run(f):\n    f()\n", "python")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"./a"', '"./c"'),
        ("LIMIT = 3", "LIMIT = 4"),
        ("export const LIMIT", "const LIMIT"),
        ("b.Base", "b.Other"),
        ("key: string", "key: number"),
        ("new Store", "new Other"),
        ("kind =", "static kind ="),
        ('local = new C("1")', "local = new D()"),
        ("return local", "return unused"),
        ("=> {", "async => {"),
        ("export class", "export default class"),
    ],
)
def test_what_others_can_see_counts_in_typescript(old: str, new: str) -> None:
    """The same, and exports."""
    assert interface_of(TYPESCRIPT, "typescript") != interface_of(TYPESCRIPT.replace(old, new), "typescript")


def test_only_the_order_of_places_counts() -> None:
    """A binding that moves behind the return is another file to whoever follows it."""
    one = "def f():\n    x = A()\n    return x\n    x = B()\n"
    other = "def f():\n    x = A()\n    x = B()\n    return x\n"
    assert interface_of(one, "python") != interface_of(other, "python")
