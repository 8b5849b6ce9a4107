"""What a claim about behaviour also rests on, one level below what it cites."""

from __future__ import annotations

import pytest

from knowledge.claims.anchors import make_anchor
from knowledge.claims.completion import MOST, rests_on
from tests.memory_tree import MemoryTree

TREE = MemoryTree({
    "app/settings.py": "TTL = 30\nNAMES = []\n\n\ndef load(): ...\n",
    "app/store.py": "class Store:\n    LIMIT = 3\n\n    def __init__(self, ttl):\n        self.ttl = ttl\n\n    def put(self, key): ...\n",
    "app/session.py": (
        "import json\n\nfrom app.settings import TTL\nfrom app.store import Store\n\n\ndef name_of(user): ...\n\n\n"
        "def create(user):\n    def inner(x):\n        return name_of(x)\n\n    store = Store(TTL)\n    store.put(inner(user))\n"
        "    return json.dumps(user.anything())\n"
    ),
    "tests/test_session.py": "from app.session import create\n\n\ndef check(x): ...\n\n\ndef test_create():\n    check(create(1))\n",
    "many.py": "".join(f"def f{n}(): ...\n\n\n" for n in range(60)) + "def all_of_them():\n" + "".join(f"    f{n}()\n" for n in range(60)),
    "web.ts": "export const PORT = 80;\n\nfunction listen(port: number) {}\n\nexport function start() {\n  listen(PORT);\n}\n",
})  # fmt: skip


def below(*symbols: str) -> list[str]:
    """What claims about these bodies could also rest on."""
    found = rests_on([make_anchor("body", symbol=symbol, strict=False) for symbol in symbols], TREE)
    assert {anchor.role for anchor in found} <= {"support"}
    return [f"{a.kind} {a.target.get('symbol') or a.target['key']}" for a in found]


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        (
            "app/session.py::create",
            ["body app/session.py::name_of", "body app/store.py::Store.__init__", "value TTL", "body app/store.py::Store.put"],
        ),
        ("app/session.py::name_of", []),
        ("tests/test_session.py::test_create", ["body app/session.py::create"]),
        ("web.ts::start", ["body web.ts::listen", "value PORT"]),
        ("nowhere.py::f", []),
    ],
)
def test_callees_and_constants_one_level_down_are_found(symbol: str, expected: list[str]) -> None:
    """What is resolved, in the repository and no test, in the order of the code; what is defined inside is the body's own."""
    assert below(symbol) == expected


def test_what_is_cited_already_is_not_offered_again() -> None:
    """A cited callee is left out, but what it rests on itself is found."""
    assert "body app/session.py::create" not in below("tests/test_session.py::test_create", "app/session.py::create")
    assert "value TTL" in below("tests/test_session.py::test_create", "app/session.py::create")


def test_only_bodies_are_completed_and_only_so_many() -> None:
    """A claim about a signature rests on nothing below it, and no offer is longer than anybody reads."""
    assert rests_on([make_anchor("signature", symbol="app/session.py::create")], TREE) == ()
    assert len(below("many.py::all_of_them")) == MOST
