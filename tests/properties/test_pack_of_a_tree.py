"""A pack of a real repository lacks no claim that could overturn what it shows: any claims, edits and conflicts, any budget."""

from __future__ import annotations

import tempfile
from pathlib import Path

from git_fixtures import GitRepo
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.operations.conflicts import report
from knowledge.operations.context_pack import context_pack
from knowledge.operations.project import open_project
from knowledge.operations.reading import Reading
from knowledge.operations.record import Draft, record
from knowledge.records.claims import Author
from knowledge.records.packs import CallFrame, ContextPack

FILES = ("login", "session", "token")
NAMES = ("check", "store")
PLACES = [(file, f"{name}_{file}") for file in FILES for name in NAMES]
NUMBERS = st.lists(st.integers(0, len(PLACES) - 1), max_size=5)
KINDS = ("body", "signature", "callers", "location")


def _file(file: str, changed: set[str]) -> str:
    """A module whose functions call those of the next one; a changed one takes and gives something else."""
    after = FILES[(FILES.index(file) + 1) % len(FILES)]
    text = f"from app.{after} import check_{after}\n"
    for name in NAMES:
        more = ", again" if f"{name}_{file}" in changed else ""
        text += f"\n\ndef {name}_{file}(user{more}):\n    return check_{after}(user){' or again' if more else ''}\n"
    return text


@settings(max_examples=10, deadline=None)
@given(
    claims=st.lists(st.tuples(st.integers(0, len(PLACES) - 1), st.sampled_from(KINDS)), min_size=1, max_size=6),
    edited=NUMBERS,
    conflicting=NUMBERS,
    goal=st.sampled_from(("세션을 저장하는 방법을 바꾼다", "check the token again", "change `store_session` and login")),
    focus=st.sampled_from(((), ("src/app/token.py",), ("check_login", "src/app/session.py"))),
    budget=st.sampled_from((200, 700, 4_000)),
)
def test_what_bears_on_a_shown_line_is_there_or_counted(
    claims: list[tuple[int, str]], edited: list[int], conflicting: list[int], goal: str, focus: tuple[str, ...], budget: int
) -> None:
    """Which claims these are is worked out from the lines that are shown, not from how the pack was made."""
    with tempfile.TemporaryDirectory() as folder:
        repo = GitRepo.create(Path(folder) / "repo")
        for file in FILES:
            repo.write(f"src/app/{file}.py", _file(file, set()))
        repo.write("src/app/__init__.py", "")
        repo.commit("Begin")
        with open_project(repo.path, Author("person", "ada"), create=True) as project:
            on: dict[str, tuple[str, str]] = {}
            for number, (place, kind) in enumerate(claims):
                path, symbol = f"src/app/{PLACES[place][0]}.py", PLACES[place][1]
                draft = Draft(f"number {number}: what `{symbol}` does is settled", anchors=(f"{kind}:{path}::{symbol}",))
                on[record(project, draft).claim.id] = path, symbol
            ids = list(on)
            pairs = {frozenset((ids[number % len(ids)], ids[(number + 1) % len(ids)])) for number in conflicting}
            for one, other in (sorted(pair) for pair in pairs if len(pair) > 1):
                report(project, one, other, "they differ")
            changed = {PLACES[place][1] for place in edited}
            for file in FILES:
                repo.write(f"src/app/{file}.py", _file(file, changed))
            pack = context_pack(project, CallFrame(goal, (), focus, "", budget))
            reading = Reading(project)
            statuses = reading.statuses(reading.trees.at())
            overturning = {
                claim
                for claim, status in statuses.items()
                if status.status in ("stale", "needs_review") or any(c.resolution is None for c in reading.held([claim])[claim].contradictions)
            }
    bearing = {claim for claim in overturning if _is_shown(*on[claim], pack)}
    missing = bearing - {claim.id for claim in pack.stale_or_conflicting_claims}
    assert len(missing) <= pack.left_out.get("stale_or_conflicting_claims", 0), (missing, pack)


def _is_shown(path: str, symbol: str, pack: ContextPack) -> bool:
    """Whether a line of the pack is about the file or the definition."""
    files = {file.path for file in pack.relevant_files}
    symbols = {one.symbol for one in pack.relevant_symbols_and_source_ranges}
    ends = {end for edge in pack.resolved_and_inferred_edges for end in (edge.subject, edge.object)}
    return path in files or f"{path}::{symbol}" in symbols | ends
