"""What a file is for, where its path alone does not tell."""

import pytest

from tests.memory_tree import MemoryTree

PACKAGE = {"requests/__init__.py": "", "requests/packages/__init__.py": "", "requests/packages/urllib3/util/url.py": "import os\n"}


@pytest.mark.parametrize(
    ("files", "path", "kinds"),
    [
        (PACKAGE, "requests/packages/urllib3/util/url.py", {"vendored"}),
        (PACKAGE, "requests/packages/__init__.py", set()),
        ({"packages/core/a.py": "", "packages/__init__.py": ""}, "packages/core/a.py", set()),
        ({"python/packages/core/src/core/__init__.py": ""}, "python/packages/core/src/core/__init__.py", set()),
        ({"shop/packages/__init__.py": "", "shop/__init__.py": "", "shop/packages/models.py": ""}, "shop/packages/models.py", set()),
    ],
)
def test_packages_inside_a_package_are_copies(files: dict[str, str], path: str, kinds: set[str]) -> None:
    """What lies in them is another project's; the folder of a monorepo and a package's own modules are not."""
    assert MemoryTree(files).kinds_of(path.encode()) == kinds


@pytest.mark.parametrize(
    ("path", "content", "kinds"),
    [
        ("jinja2/tests.py", "import operator\ndef test_odd(value): return value % 2 == 1\nTESTS = {'odd': test_odd, 'eq': operator.eq}\n", set()),
        ("shop/tests.py", "from django.test import TestCase\nclass Prices(TestCase): pass\n", {"test"}),
        ("shop/tests.py", "from .base import BaseTestCase\n", {"test"}),
        ("shop/test.py", "def test_adds():\n    assert 1 + 1 == 2\n", {"test"}),
        ("shop/test.py", "class TestAdding:\n    def test_it(self): pass\n", {"test"}),
        ("tests/tests.py", "x = 1\n", {"test"}),
        ("shop/latest.py", "import unittest\n", set()),
    ],
)
def test_a_module_called_tests_has_tests_or_is_code(path: str, content: str, kinds: set[str]) -> None:
    """What it imports and defines tells."""
    assert MemoryTree({path: content}).kinds_of(path.encode()) == kinds
