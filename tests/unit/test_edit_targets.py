"""Which lines of which files a call is about to change, as each agent's program says it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.push.edit_targets import EditTarget, edit_targets

PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def f
 def f():
-    return 1
+    return 2
@@ def g
-    x = 1
*** Add File: src/new.py
+x = 1
*** Delete File: src/old.py
*** End Patch"""
PATCHED = (EditTarget("src/a.py", ("def f():\n    return 1", "    x = 1")), EditTarget("src/old.py"))


@pytest.mark.parametrize(
    ("tool", "arguments", "targets"),
    [
        ("Edit", {"file_path": "/r/a.py", "old_string": "x = 1", "new_string": "x = 2"}, (EditTarget("/r/a.py", ("x = 1",)),)),
        ("Edit", {"file_path": "/r/a.py", "old_string": "", "new_string": "x = 2"}, ()),
        ("Write", {"file_path": "/r/a.py", "content": "x"}, (EditTarget("/r/a.py"),)),
        (
            "MultiEdit",
            {"file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]},
            (EditTarget("a.py", ("a", "c")),),
        ),
        ("NotebookEdit", {"notebook_path": "a.ipynb", "cell_id": "1", "new_source": "x"}, (EditTarget("a.ipynb"),)),
        ("replace", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, (EditTarget("a.py", ("a",)),)),
        ("write_file", {"file_path": "a.py", "content": "a"}, (EditTarget("a.py"),)),
        ("apply_patch", {"input": PATCH}, PATCHED),
        ("apply_patch", {"command": PATCH}, PATCHED),
        ("Bash", {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}, PATCHED),
        ("shell", {"command": ["apply_patch", PATCH]}, PATCHED),
        ("Read", {"file_path": "a.py"}, ()),
        ("Bash", {"command": "cat a.py"}, ()),
        ("Grep", {"path": "src", "pattern": "x"}, ()),
        ("Edit", {"file_path": 3, "old_string": None}, ()),
        ("MultiEdit", {"file_path": "a.py", "edits": ["x", 3]}, ()),
    ],
)
def test_what_each_program_changes(tool: str, arguments: dict[str, Any], targets: tuple[EditTarget, ...]) -> None:
    """Files and the pieces of them that will be replaced; a file that is written whole has no pieces, one that is new is none yet."""
    assert edit_targets(tool, arguments) == targets


@given(
    st.dictionaries(
        st.sampled_from(["file_path", "old_string", "edits", "input", "command", "content"]), st.text("*** BeginPatchUpdFl:\n+- @", max_size=80)
    )
)
def test_any_arguments_are_read(arguments: dict[str, Any]) -> None:
    """No arguments break it, and whatever is found has a path."""
    assert all(target.path for target in edit_targets("apply_patch", arguments))
