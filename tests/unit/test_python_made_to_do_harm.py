"""Python programs made to do harm: reading and resolving each ends, and what was not followed is told."""

import pytest

from tests.graph_trees import edges_of, resolve_cold

DEEP = 10_000
PROGRAMS: dict[str, tuple[dict[str, str], str]] = {
    "a chain of names": ({"a.py": "x0 = print\n" + "".join(f"x{i + 1} = x{i}\n" for i in range(DEEP)) + f"x{DEEP}()\n"}, "too-deep-to-follow"),
    "a chain of functions": ({"a.py": "".join(f"def f{i}():\n    return f{i + 1}()\n" for i in range(DEEP)) + "f0().go()\n"}, "too-deep-to-follow"),
    "a chain of classes": (
        {"a.py": "class C0: ...\n" + "".join(f"class C{i + 1}(C{i}): ...\n" for i in range(200)) + "C200().go()\n"},
        "too-deep-to-follow",
    ),
    "a lattice of classes": (
        {
            "a.py": "class A0: ...\nclass B0: ...\n"
            + "".join(f"class A{i + 1}(A{i}, B{i}): ...\nclass B{i + 1}(B{i}, A{i}): ...\n" for i in range(70))
            + "class Z(A70, B70): ...\nZ().go()\n"
        },
        "too-deep-to-follow",
    ),
    "a symbol defined a thousand times": (
        {"a.py": "def f(x):\n    f(x)\n    return x.f()\n" * 1_000, "b.py": "from a import f\n" + "f(1)\n" * 1_000},
        "too-many-candidates",
    ),
    "a class defined a thousand times": (
        {"a.py": "class C(C):\n    def f(self):\n        return self.f().g(C())\n" * 1_000, "b.py": "from a import C\nC().f()\n"},
        "unknown-receiver",
    ),
    "a method defined a thousand times": (
        {"a.py": "class C:\n" + "    def f(self):\n        self.x = self.f()\n        return self.x\n" * 1_000 + "C().f().x.f()\n"},
        "too-many-candidates",
    ),
    "a thousand decorators": ({"a.py": "def d(f):\n    def w():\n        return f()\n    return w\n" + "@d\n" * 1_000 + "def g(): ...\ng()\n"}, ""),
    "star imports in circles": (
        {f"m{i}.py": f"from m{(i + 1) % 40} import *\nfrom m{(i + 7) % 40} import *\ndef f{i}(): ...\nzzz()\n" for i in range(40)},
        "undeclared-name",
    ),
    "bases in circles": (
        {f"m{i}.py": f"from m{(i + 1) % 40} import C as B\nclass C(B):\n    def f(self):\n        self.g(super().f())\n" for i in range(40)},
        "unknown-receiver",
    ),
    "results in circles": (
        {
            "a.py": "".join(f"def f{i}(x):\n    return f{(i * 7 + 1) % 99}(x) or f{(i * 3 + 2) % 99}(f{(i + 1) % 99})\n" for i in range(99))
            + "f0(1).go()\n"
        },
        "unknown-receiver",
    ),
    "functions passed in circles": (
        {"a.py": "".join(f"def f{i}(g):\n    g(f{(i + 1) % 60})\n    f{(i + 1) % 60}(g)\n" for i in range(60)) + "f0(f1)\n" * 60},
        "",
    ),
    "containers of themselves": (
        {"a.py": "x = {}\n" + "".join(f"x[k{i}] = x\nx.append(x)\n" for i in range(500)) + "for y in x:\n    y()\nx[1][2]()\n"},
        "computed-callee",
    ),
    "fixtures in circles": (
        {
            "conftest.py": "import pytest\n"
            + "".join(f"@pytest.fixture\ndef f{i}(f{(i + 1) % 200}, f{(i * 7 + 3) % 200}):\n    return f{(i + 1) % 200}\n" for i in range(200)),
            "test_a.py": "def test_a(f0):\n    f0.go()\n",
        },
        "unknown-receiver",
    ),
    "a stub that describes itself": (
        {"a.py": "def f(): ...\nf().g()\n", "a.pyi": "from a import C\ndef f() -> C: ...\nclass C(C): ...\n"},
        "unknown-receiver",
    ),
    "imports of no module": (
        {"a.py": f"from importlib import import_module\nimport_module('/etc/passwd').f()\nimport_module('{'.' * 500}a').f()\n__import__('').x()\n"},
        "unresolved-import",
    ),
    "two thousand parameters": (
        {"a.py": "def f(" + ", ".join(f"p{i}=f" for i in range(2_000)) + "):\n" + "".join(f"    p{i}(p{i + 1})\n" for i in range(1_999)) + "f()\n"},
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_made_to_do_harm_ends(name: str) -> None:
    """It is resolved; where it was not followed to its end, that is said."""
    files, code = PROGRAMS[name]
    found = resolve_cold(files)
    assert edges_of(found)
    assert not code or code in {limitation.code for resolution in found.values() for limitation in resolution.limitations}
