"""Trees made to do harm: nothing hangs, nothing blows up, and what was cut short is told."""

import pytest

from tests.graph_trees import Incremental, edges_of, resolve_cold

DEEP = 2_000


def chain_of_bases() -> dict[str, str]:
    lines = ["class C0:\n    def go(self): ...\n", *(f"class C{i}(C{i - 1}): ...\n" for i in range(1, DEEP))]
    return {"a.py": "".join(lines) + f"C{DEEP - 1}().go()\nC3().go()\n"}


def chain_of_assignments() -> dict[str, str]:
    return {"a.py": "def f(): ...\nx0 = f\n" + "".join(f"x{i} = x{i - 1}\n" for i in range(1, DEEP)) + f"x{DEEP - 1}()\nx3()\n"}


def chain_of_imports() -> dict[str, str]:
    files = {f"m{i}.py": f"from m{i + 1} import f\n" for i in range(300)}
    return {**files, "m300.py": "def f(): ...\n", "main.py": "from m0 import f\nf()\n"}


def chain_of_stars() -> dict[str, str]:
    files = {f"m{i}.py": f"from m{i + 1} import *\nfrom m{(i * 7) % 60} import *\n" for i in range(60)}
    return {**files, "m60.py": "from m0 import *\n", "main.py": "from m0 import f\nf()\n"}


def chain_of_calls() -> dict[str, str]:
    return {"a.py": "class A:\n    def me(self) -> 'A': ...\n\n\nA()" + ".me()" * 400 + "\n"}


def chain_of_functions() -> dict[str, str]:
    lines = [f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(DEEP)]
    return {"a.py": "".join(lines) + f"def f{DEEP}(x):\n    return x\n\n\nclass A:\n    def go(self): ...\n\n\nf0(A()).go()\n"}


def many_definitions() -> dict[str, str]:
    return {"a.py": "def f(): ...\n" * 1_000 + "f()\n", "b.py": "class A:\n    def g(self): ...\n" * 1_000 + "def run(x):\n    x.g()\n"}


def bases_of_bases() -> dict[str, str]:
    """Every class derives from all classes before it: no order of resolution, and many paths."""
    lines = [f"class C{i}({', '.join(f'C{j}' for j in range(i))}):\n    def m{i}(self): self.m0()\n" for i in range(40)]
    return {"a.py": "".join(lines)}


def attributes_in_circles() -> dict[str, str]:
    return {"a.py": "class A:\n    def __init__(self):\n        self.x = self.y\n        self.y = self.x\n    def go(self):\n        self.x.go()\n"}


def everything_is_everything() -> dict[str, str]:
    """Functions that return one another's results, in both directions."""
    lines = [f"def f{i}():\n    return {' or '.join(f'f{j}()' for j in range(20))}\n" for i in range(20)]
    return {"a.py": "".join(lines) + "f0().go()\n"}


def odd_annotations() -> dict[str, str]:
    deep = "list[" * 300 + "int" + "]" * 300
    return {"a.py": f"def f(x: {deep}, y: 'A' = 1, z: '((((' = 2) -> \"f'\": ...\nf(1).go()\ndef g(x: 'g'): x.go()\nT = 'T'\ndef h(x: T): x.go()\n"}


HARM = [
    chain_of_bases, chain_of_assignments, chain_of_imports, chain_of_stars, chain_of_calls, chain_of_functions, many_definitions, bases_of_bases,
    attributes_in_circles, everything_is_everything, odd_annotations,
]  # fmt: skip


@pytest.mark.parametrize("make", HARM, ids=lambda make: make.__name__)
def test_harmful_trees_are_resolved(make) -> None:
    """From scratch, and the same again file by file."""
    files = make()
    cold = edges_of(resolve_cold(files))
    assert cold
    steps = Incremental({})
    steps.change(files)
    assert edges_of(steps.resolutions) == cold


def test_what_is_too_deep_is_told() -> None:
    """The start of a chain is followed, its far end is not, and that is a limitation of the file."""
    (found,) = resolve_cold(chain_of_assignments()).values()
    called = [edge.object.qualified_name for edge in found.edges if edge.predicate == "calls"]
    assert called == ["f"]
    assert "too-deep-to-follow" in {limitation.code for limitation in found.limitations}


def test_a_long_chain_of_bases_is_followed_as_far_as_it_is_sure() -> None:
    """Near the root the method is found; 2,000 classes further down it is not, and nothing is made up."""
    (found,) = resolve_cold(chain_of_bases()).values()
    calls = [(edge.row, edge.object.qualified_name, edge.confidence_kind) for edge in found.edges if edge.name == "go"]
    assert (DEEP + 2, "C0.go", "resolved") in calls
    assert (DEEP + 1, "C0.go", "resolved") not in calls


def test_a_chain_of_calls_is_followed_to_its_end() -> None:
    """Every link has a declared result, so depth of nesting is no matter... up to the limit, beyond which it is told."""
    (found,) = resolve_cold(chain_of_calls()).values()
    assert sum(edge.name == "me" and edge.confidence_kind == "resolved" for edge in found.edges) >= 15
