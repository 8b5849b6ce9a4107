"""A bank that declares no vocabulary behaves byte for byte as one of a program that knows none."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest
from git_fixtures import GitRepo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.operations import record as recording
from knowledge.operations.claims import Filter, listing
from knowledge.operations.project import Project, open_project
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.records.claims import Author

TAGS = st.lists(
    st.sampled_from(["kind:done", "Kind:Done", "KIND:done ", "a", "A", "한글 태그", "ｋ：ｘ", "x:y:z", ":", "", "kind:done\n"]), max_size=6
)


def without_vocabulary(project: Project, tags: Sequence[str], statement: str, *, is_read: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a program that knows no vocabulary does with tags."""
    return tuple(dict.fromkeys(tags)), ()


def behaviour(repo: GitRepo, home: Path, drafts: Sequence[Sequence[str]], kept: Callable[..., object]) -> str:
    """All that recording these tags answers and leaves behind, as text: answers, lists by each tag, counts, the exported ledger."""
    numbers = itertools.count()
    with (
        patch.object(recording, "kept_tags", kept),
        patch("uuid.uuid4", lambda: type("Id", (), {"hex": f"{next(numbers):032x}"[::-1]})),
        open_project(repo.path, Author("person", "ada"), create=True, folder=home) as project,
    ):
        project.clock = lambda: datetime(2026, 1, 1, tzinfo=UTC)
        answers = [record(project, Draft(f"claim {n}", tags=tuple(tags), anchors=(UNANCHORED,))) for n, tags in enumerate(drafts)]
        used = project.ledger.tags()
        lists = [listing(project, Filter(tag=(tag,))) for tag in used]
        return "\n".join(
            [*map(str, answers), *map(str, lists), str(used), *(json.dumps(row, sort_keys=True) for row in project.ledger.export_rows())]
        )


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drafts=st.lists(TAGS, min_size=1, max_size=3))
def test_nothing_differs_without_a_policy(drafts: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tags of every sort, duplicates and all: answers, lists and the ledger are the same to the byte."""
    place = tmp_path_factory.mktemp("apart")
    repo = GitRepo.create(place / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit("Begin")
    assert behaviour(repo, place / "with", drafts, recording.kept_tags) == behaviour(repo, place / "without", drafts, without_vocabulary)
