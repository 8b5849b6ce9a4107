"""What the import of a file runs, by pieces: through which names a change of it can be seen."""

from __future__ import annotations

import pytest

from knowledge.claims.imported import parse, read_newly, spread, tainted

CASES: list[tuple[str, str, str, set[str] | None]] = [
    ("a constant", "A = 1\nB = 2\n", "A = 3\nB = 2\n", {"A"}),
    ("two targets", "A, B = 1, 2\n", "A, B = 1, 3\n", {"A", "B"}),
    ("an import that came", "A = 1\n", "import os\nfrom re import sub as s\nA = 1\n", {"os", "s"}),
    ("imports in another order", "import os\nimport re\n", "import re\nimport os\n", set()),
    ("an import of everything", "A = 1\n", "from re import *\nA = 1\n", None),
    ("an import for types only", "if TYPE_CHECKING:\n    import os\n", "if TYPE_CHECKING:\n    import re\n", set()),
    (
        "what runs otherwise",
        "if t.TYPE_CHECKING:\n    import os\nelse:\n    os = 1\n",
        "if t.TYPE_CHECKING:\n    import os\nelse:\n    os = 2\n",
        {"os"},
    ),
    ("an annotation", "A: int = 1\n", "A: str = 1\n", set()),
    ("an annotation of an attribute", "class C:\n    a: int = 1\n", "class C:\n    a: str = 1\n", {"C"}),
    ("an attribute", "class C:\n    a = 1\n", "class C:\n    a = 2\n", {"C"}),
    ("an attribute of a class inside", "class C:\n    class D:\n        a = 1\n", "class C:\n    class D:\n        a = 2\n", {"C"}),
    ("a base", "class C(A):\n    pass\n", "class C(B):\n    pass\n", {"C"}),
    ("a metaclass", "class C:\n    pass\n", "class C(metaclass=M):\n    pass\n", None),
    ("a call", "A = 1\n", "A = make()\n", None),
    ("a call that only makes a value", "A = re.compile('a')\n", "A = re.compile('b')\n", {"A"}),
    ("a statement that does something", "register(1)\n", "register(2)\n", None),
    ("a loop", "A = 1\n", "A = 1\nfor a in b:\n    a()\n", None),
    ("a decorator that may register", "@app.get('/')\ndef f(): ...\n", "@app.get('/x')\ndef f(): ...\n", None),
    ("a function's text", "def f():\n    return 1\n", "def f():\n    return 2\n", set()),
    ("a setting that the test runner reads", "A = 1\n", "A = 1\npytestmark = []\n", None),
    ("a name that the interpreter reads", "A = 1\n", "A = 1\n__slots__ = ()\n", None),
    ("constants in another order", "A = 1\nB = A\n", "B = A\nA = 1\n", None),
    ("a docstring of the module", '"""One."""\n', '"""Two."""\n', {"__doc__"}),
    ("under a condition", "if sys.platform == 'x':\n    A = 1\n", "if sys.platform == 'y':\n    A = 1\n", {"A"}),
    ("comments", "A = 1\n", "# one\nA = 1  # two\n", set()),
]


@pytest.mark.parametrize(("what", "old", "new", "expected"), CASES, ids=[case[0] for case in CASES])
def test_through_which_names_a_change_is_seen(what: str, old: str, new: str, expected: set[str] | None) -> None:
    """Names where the change does nothing but bind them; None where it may do more."""
    before, after = parse(old.encode()), parse(new.encode())
    assert before is not None and after is not None
    assert tainted(before.pieces, after.pieces) == expected
    assert tainted(after.pieces, before.pieces) == expected


def test_names_spread_to_what_is_made_of_them() -> None:
    """Through constants, subclasses, imports under another name and defaults; where one is used for something that binds no name, all is in doubt."""
    files = [
        parse(text.encode())
        for text in ("B = A + 1\nclass C(D):\n    x = B\n", "from m import C as E\n", "def f(x=E): ...\ndef g(x): return E\n", "H = 1\n")
    ]
    known = [one for one in files if one is not None]
    assert spread(frozenset({"A"}), known) == {"A", "B", "C", "E", "f"}
    register = parse(b"register(C)\n")
    assert register is not None
    assert spread(frozenset({"A"}), [*known, register]) is None
    everything = parse(b"from m import *\n")
    assert everything is not None
    assert spread(frozenset({"__all__"}), [everything]) is None and spread(frozenset({"Z"}), [everything]) == {"Z"}


def test_modules_that_are_loaded_newly_are_told() -> None:
    """Their names are among the words of the imports that came."""
    before, after = parse(b"import a\n"), parse(b"import a\nfrom .b.c import d\n")
    assert before is not None and after is not None
    assert {"c", "b", "d"} <= read_newly(before.pieces, after) and "a" not in read_newly(before.pieces, after)


def test_what_cannot_be_parsed_has_no_pieces() -> None:
    """Then the whole file counts."""
    assert parse(b"def (\n") is None and parse(b"\0") is None
