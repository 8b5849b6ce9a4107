"""“t tests f”: a call in the test, or in what it is run with."""

import pytest

from knowledge.claims.predicates import decide
from knowledge.records.claims import Predicate
from tests.memory_tree import MemoryTree

TREE = MemoryTree({
    "a.py": "def make():\n    return 1\n\n\ndef other():\n    return 2\n",
    "test_a.py": (
        "import pytest\nfrom a import make, other\n\n"
        "@pytest.mark.parametrize('x', [make()])\ndef test_it(x):\n    assert x == other()\n\n"
        "class TestIt:\n    @pytest.mark.parametrize('x', [make()])\n    def test_method(self, x):\n        assert x\n\n"
        "    def test_beside(self):\n        pass\n\n"
        "made = make()\ndef test_nothing():\n    pass\n"
    ),
})  # fmt: skip


@pytest.mark.parametrize(
    ("test", "called", "holds", "place"),
    [
        ("test_it", "make", True, "test_a.py:4"),
        ("test_it", "other", True, "test_a.py:6"),
        ("TestIt.test_method", "make", True, "test_a.py:9"),
        ("TestIt.test_beside", "make", False, "test_a.py"),
        ("TestIt.test_method", "other", False, "test_a.py"),
        ("test_nothing", "make", False, "test_a.py"),
    ],
)
def test_inputs_are_made_where_a_test_is_decorated(test: str, called: str, holds: bool, place: str) -> None:
    """What decorates one test is no other test's, and what stands beside it is none's."""
    decision = decide(Predicate("tests", f"test_a.py::{test}", f"a.py::{called}"), TREE, TREE)
    assert (decision.holds, decision.place) == (holds, place)


def test_a_call_is_no_call_of_the_function_that_it_decorates() -> None:
    """“calls” stays what a body does."""
    assert decide(Predicate("calls", "test_a.py::test_it", "a.py::make"), TREE, TREE).holds is False
