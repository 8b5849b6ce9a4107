"""Other programs' files: ours comes and goes without a trace, and theirs is left alone."""

import json
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors import InvalidRecordError
from knowledge.surfaces.hosts.edits import Edit, with_block, with_json

PATH = PurePosixPath("settings.json")
MARKS = ("# >>> ours", "# <<< ours")
LEAVES = st.sampled_from([None, True, 3, "한", {"a": {}}, {"knowledge": 1}, []])
OBJECTS = st.dictionaries(st.sampled_from(["a", "hooks"]), LEAVES, max_size=2)
LINES = st.text(st.sampled_from("ab#\n 한"), max_size=40)


@given(OBJECTS, st.sampled_from([2, 4, "\t"]))
def test_a_json_value_comes_and_goes(whole: dict[str, Any], indent: int | str) -> None:
    """What was there before is there afterwards; setting twice changes nothing the second time."""
    text = json.dumps(whole, indent=indent)
    once = with_json(text, ("mcpServers", "knowledge"), {"command": "x"}, PATH)
    assert once is not None
    assert json.loads(once) == whole | {"mcpServers": {"knowledge": {"command": "x"}}}
    assert with_json(once, ("mcpServers", "knowledge"), {"command": "x"}, PATH) == once
    gone = with_json(once, ("mcpServers", "knowledge"), None, PATH)
    assert (json.loads(gone) if gone is not None else {}) == whole


@pytest.mark.parametrize("text", ["{", "[1]", '{"mcpServers": 3}', "// no\n{}"])
def test_a_file_that_is_not_understood_is_left_alone(text: str) -> None:
    """Broken or odd files are an error that says so, never overwritten."""
    with pytest.raises(InvalidRecordError, match="nothing was written"):
        with_json(text, ("mcpServers", "knowledge"), {}, PATH)


@given(LINES, st.text(st.sampled_from("xy\n"), min_size=1, max_size=10).filter(str.strip))
def test_a_block_comes_and_goes(text: str, block: str) -> None:
    """Everything around the marks stays; putting the block in again changes nothing; taking it out leaves the rest."""
    once = with_block(text, block, MARKS)
    assert once is not None
    assert text.rstrip("\n") in once
    assert with_block(once, block, MARKS) == once
    assert (with_block(once, "", MARKS) or "").strip() == text.strip()


def test_a_change_is_shown_as_a_diff() -> None:
    """A person sees what would be written before it is."""
    diff = Edit(PATH, None, "a\n").diff()
    assert diff.splitlines()[:2] == ["--- /dev/null", "+++ b/settings.json"]
    assert "+a" in diff
