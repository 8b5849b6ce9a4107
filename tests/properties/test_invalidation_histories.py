"""After any history a claim is worth the same however the answer is had: kept up to date, from no index, in one jump, in a fresh clone.

Histories are random and real: commits on several branches, merges, rebases, resets, amends, reverts, stashes, uncommitted work, detached
HEADs, and people who say things of claims in between. Sometimes the statuses are brought up to date after a step, sometimes not.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from git_fixtures import GitRepo
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from status_fixtures import Kept, OldState, differences, plain

from knowledge.errors import LifecycleError
from knowledge.invalidation.dependencies import with_derived
from knowledge.operations import steps
from knowledge.operations.reading import Reading
from knowledge.operations.record import Draft, record_many
from knowledge.operations.transfer import export, import_

START = {
    "pkg/__init__.py": "",
    "pkg/a.py": "LIMIT = 1\n\n\ndef f(x):\n    return x\n",
    "pkg/b.py": "from pkg.a import f\nfrom pkg.c import L\n\n\ndef g(x):\n    return f(x)\n\n\nclass K(L):\n    def m(self):\n        return f(1)\n",
    "pkg/c.py": "class L:\n    def m(self):\n        return self.n()\n\n    def n(self):\n        return 1\n\n\ndef h(x):\n    return L()\n",
    "tests/test_f.py": "from pkg.a import f\n\n\ndef test_f():\n    assert f(1) == 1\n",
    "conf.toml": '[pool]\nlimit = 1\nname = "a"\n',
}
CLAIMS = [
    "body:pkg/a.py::f", "strict:pkg/a.py::f", "signature:pkg/a.py::f", "location:pkg/a.py::f", "callers:pkg/a.py::f", "callees:pkg/b.py::g",
    "subclasses:pkg/c.py::L", "importers:pkg/a.py", "importers:pkg/c.py", "imports:pkg/b.py", "value:pkg/a.py::LIMIT",
    "value:conf.toml::pool.limit", "edge:pkg/b.py::g calls pkg/a.py::f", "source:pkg/a.py:4", "overriders:pkg/c.py::L.m", "body:pkg/b.py::K.m",
    "body:pkg/c.py::L", "location:conf.toml", "tests:pkg/a.py::f",
]  # fmt: skip
STATEMENTS = [
    "f is only called from g and K.m", "g calls f", "h never calls f", "K inherits from L", "the subclasses of L are K", "LIMIT is 1",
    "f is defined in pkg/a.py", "only pkg/b.py imports pkg/a.py", "the signature of f is (x)", "f never returns a value", "f uses LIMIT",
]  # fmt: skip
PATHS = ["pkg/a.py", "pkg/b.py", "pkg/c.py", "pkg/d.py", "pkg/sub/a.py", "tests/test_f.py"]
PIECES = [
    "from pkg.a import f\n", "from pkg.b import f, g\n", "from pkg.c import *\n", "import pkg.a\n", "from pkg import d\n", "from pkg.d import f, L\n",
    "LIMIT = 1\n", "LIMIT = 2\n", "LIMIT: int = 0x1\n", "def f(x):\n    return x\n", "def f(x):\n    # the same\n    return (x)\n",
    "def f(x):\n    return x + 1\n", "def f(x, y=LIMIT):\n    raise ValueError\n", "def g(x):\n    return f(x)\n",
    "def g(x):\n    return pkg.a.f(x)\n", "def g(x):\n    return x.f()\n", "def h(x):\n    return g(f(x))\n", "def h(x):\n    return L()\n",
    "class L:\n    def m(self):\n        return self.n()\n",
    "class K(L):\n    def m(self):\n        return f(1)\n", "class K(L):\n    pass\n", "class M(K):\n    def n(self):\n        return super().m()\n",
    "def renamed(x):\n    return x\n", "if LIMIT:\n    def f(x):\n        return 0\n", "def broken(:\n", "def test_f():\n    assert f(1) == 1\n",
    "getattr(f, 'g')(1)\n", "f = g\n", "x = 'pkg.a.f'\n",
]  # fmt: skip


@dataclass(frozen=True)
class Act:
    """One thing that happens. `one`, `other`: which branch, path, claim; `pieces`: a file's text. is_seen: whether anybody looks afterwards."""

    kind: str
    one: int
    other: int
    pieces: tuple[str, ...]
    is_seen: bool


WRITING = ["commit", "commit", "commit", "delete", "move", "amend", "dirty"]
MOVING = ["switch", "branch", "merge", "merge", "rebase", "pick", "reset", "revert", "squash", "stash", "pop", "detach"]
SAYING = ["verify", "review", "reject", "reopen", "record"]


def acts(*kinds: list[str]) -> st.SearchStrategy[list[Act]]:
    """Histories of these kinds of acts."""
    one = st.builds(
        Act,
        kind=st.sampled_from([kind for several in kinds for kind in several]),
        one=st.integers(0, 40),
        other=st.integers(0, 5),
        pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=4, unique=True).map(tuple),
        is_seen=st.booleans(),
    )
    return st.lists(one, min_size=2, max_size=9)


class History:
    """A repository in which acts happen; what git refuses does not happen."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        self.repo = kept.repo

    def act(self, act: Act) -> None:
        try:
            getattr(self, "_" + act.kind)(act)

        except (subprocess.CalledProcessError, FileNotFoundError, LifecycleError):
            for unfinished in ("merge", "rebase", "cherry-pick", "revert"):
                if (self.repo.path / ".git" / {"merge": "MERGE_HEAD", "rebase": "rebase-merge"}.get(unfinished, "CHERRY_PICK_HEAD")).exists():
                    self.repo.git(unfinished, "--abort")
        if act.is_seen:
            self.kept.step()

    def branches(self) -> list[str]:
        return self.repo.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def _other_branch(self, act: Act) -> str:
        names = self.branches()
        return names[act.one % len(names)]

    def _write(self, act: Act) -> None:
        path = PATHS[act.other]
        text = '[pool]\nlimit = 2\nname = "b"\n' if act.one == 0 else "\n".join(act.pieces)
        self.repo.write("conf.toml" if act.one == 0 else path, text.replace("\n", "\r\n") if act.one == 1 else text)

    def _commit(self, act: Act) -> None:
        self._write(act)
        self.repo.commit()

    def _dirty(self, act: Act) -> None:
        self._write(act)

    def _amend(self, act: Act) -> None:
        self._write(act)
        self.repo.amend()

    def _delete(self, act: Act) -> None:
        self.repo.delete(PATHS[act.other])
        self.repo.commit()

    def _move(self, act: Act) -> None:
        self.repo.rename(PATHS[act.other], PATHS[act.one % len(PATHS)])
        self.repo.commit()

    def _switch(self, act: Act) -> None:
        self.repo.checkout(self._other_branch(act))

    def _branch(self, act: Act) -> None:
        self.repo.checkout("HEAD", "-b", f"branch-{len(self.branches())}")

    def _detach(self, act: Act) -> None:
        self.repo.checkout(self._other_branch(act), "--detach")

    def _merge(self, act: Act) -> None:
        self.repo.merge(self._other_branch(act), *(("-X", "theirs") if act.other % 2 else ()))

    def _rebase(self, act: Act) -> None:
        self.repo.rebase(self._other_branch(act))

    def _pick(self, act: Act) -> None:
        self.repo.git("cherry-pick", self._other_branch(act))

    def _revert(self, act: Act) -> None:
        self.repo.git("revert", "--no-edit", "HEAD")

    def _reset(self, act: Act) -> None:
        self.repo.git("reset", "--quiet", "--hard", "HEAD~1")

    def _squash(self, act: Act) -> None:
        self.repo.git("reset", "--quiet", "--soft", "HEAD~2")
        self.repo.commit()

    def _stash(self, act: Act) -> None:
        self.repo.stash()

    def _pop(self, act: Act) -> None:
        self.repo.stash("pop", "--quiet")

    def _say(self, step: str, act: Act) -> None:
        with self.kept.project() as project:
            ids = project.ledger.claim_ids()
            getattr(steps, step)(project, ids[act.one % len(ids)], f"act {act.one}")

    def _verify(self, act: Act) -> None:
        self._say("verify", act)

    def _review(self, act: Act) -> None:
        self._say("review", act)

    def _reject(self, act: Act) -> None:
        self._say("reject", act)

    def _reopen(self, act: Act) -> None:
        self._say("reopen", act)

    def _record(self, act: Act) -> None:
        if (self.repo.path / "conf.toml").exists():
            with self.kept.project() as project:
                record_many(project, [Draft("said later", anchors=("value:conf.toml::pool.limit",)), Draft(STATEMENTS[act.one % len(STATEMENTS)])])


@cache
def template() -> Path:
    """The first commit, with the claims recorded: made once."""
    place = Path(tempfile.mkdtemp())
    repo = GitRepo.create(place / "repo", "--template=")
    for path, text in START.items():
        repo.write(path, text)
    repo.commit()
    with Kept(repo).project(create=True) as project:
        first, *_ = record_many(project, [Draft(spec, anchors=(spec,)) for spec in CLAIMS] + [Draft(statement) for statement in STATEMENTS])
        rests = Draft("rests on it", "inference", anchors=("body:pkg/c.py::h",), derived_from=(first.claim.id,))
        record_many(project, [rests, Draft("why", "decision", anchors=("body:pkg/a.py::f",))])
    return place


@contextmanager
def history() -> Iterator[tuple[History, Path]]:
    """A copy of the beginning, and a folder beside it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copytree(template() / "repo", folder / "repo", symlinks=True)
        repo = GitRepo(folder / "repo")
        repo.git("update-index", "-q", "--refresh")
        yield History(Kept(repo)), folder


def transitions(kept: Kept) -> list[tuple[str, str, str]]:
    """(claim, old fingerprint, new fingerprint) of every transition that is told."""
    with kept.project() as project:
        told = [e for e in project.ledger.events() if "new_fingerprint" in e.payload]
        return [(e.claim_id, e.payload["old_fingerprint"], e.payload["new_fingerprint"]) for e in told]


SLOW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.explicit, Phase.reuse, Phase.generate])
"""A history of at most nine acts need not be made smaller to be read; doing that would take minutes."""


@SLOW
@given(acts(WRITING, MOVING))
def test_kept_up_to_date_equals_cold_equals_one_jump(done: list[Act]) -> None:
    """The working tree and HEAD are read alike from the stored statuses, from no index, and from an index of the first commit."""
    with history() as (past, folder):
        old = OldState(past.kept, folder / "old")
        for act in done:
            past.act(act)
        found = past.kept.step()
        assert differences(past.kept.cold(), found) == []
        assert differences(old.read(), found) == []
        assert differences(past.kept.read("HEAD"), past.kept.stored()) == []
        assert differences(past.kept.cold("HEAD"), past.kept.stored()) == []


@SLOW
@given(acts(WRITING, MOVING, SAYING, SAYING))
def test_what_was_said_is_rebuilt_from_the_ledger(done: list[Act]) -> None:
    """Verdicts, rejections and claims of any tree, uncommitted work too, give the stored statuses again without the index."""
    with history() as (past, _):
        for act in done:
            past.act(act)
        found = past.kept.step()
        assert differences(past.kept.cold(), found) == []
        assert differences(past.kept.cold("HEAD"), past.kept.stored()) == []
        told = transitions(past.kept)
        assert len(told) == len(set(told))


@SLOW
@given(acts(WRITING, MOVING, SAYING))
def test_looking_around_writes_nothing(done: list[Act]) -> None:
    """Once each branch was looked at, going round them, detached ones and uncommitted edits changes neither statuses nor the ledger."""
    with history() as (past, _):
        for act in done:
            past.act(act)
        past.repo.git("reset", "--quiet", "--hard")
        past.repo.git("clean", "--quiet", "-d", "--force")
        first = {}
        for branch in past.branches():
            past.repo.checkout(branch)
            first[branch] = past.kept.step()
        before = past.kept.last_event()
        for branch in reversed(past.branches()):
            past.repo.checkout(branch)
            assert differences(past.kept.step(), first[branch]) == []
            past.repo.checkout(branch, "--detach")
            assert differences(past.kept.step(), first[branch]) == []
            past.repo.write("pkg/a.py", "def f(x):\n    return None\n")
            past.kept.step()
            past.repo.git("reset", "--quiet", "--hard")
            past.repo.git("clean", "--quiet", "-d", "--force")
            for other in past.branches():
                assert differences(past.kept.read(other), first[other]) == []
        assert past.kept.last_event() == before


@SLOW
@given(acts(WRITING, MOVING, SAYING))
def test_a_clone_with_the_claims_says_the_same(done: list[Act]) -> None:
    """Exported and imported into a fresh clone every claim that was said of what the clone has is worth the same, and nothing is told twice."""
    with history() as (past, folder):
        for act in done:
            past.act(act)
        past.repo.git("stash", "push", "--quiet", "--include-untracked")
        branch = past.branches()[0]
        past.repo.checkout(branch)
        found = past.kept.step()
        with past.kept.project() as project:
            export(project, folder / "claims.jsonl")
        copy = Kept(past.repo.clone(folder / "copy", "--template=", f"--branch={branch}"))
        with copy.project(create=True) as project:
            import_(project, folder / "claims.jsonl")
            has = project.repository.has_object
            lacking = {c for c, said in project.ledger.verdicts().items() if not all(has(v.tree_id) for v in said)}
            # What rests on something that was said of a tree which the clone lacks is worth what that is worth there.
            known = set(found) - set(with_derived(lacking, Reading(project).bearing_on))
        restored = copy.step()
        assert {c: s for c, s in plain(restored).items() if c in known} == {c: s for c, s in plain(found).items() if c in known}
        assert {c: s.status for c, s in restored.items()}.keys() == found.keys()
        with copy.project() as project:
            assert sum(import_(project, folder / "claims.jsonl").rows.values()) == 0


@SLOW
@given(acts(WRITING, MOVING, SAYING))
def test_garbage_collection_breaks_nothing(done: list[Act]) -> None:
    """With every unreachable revision gone each claim still has a status, and one whose evidence stands where it stood has the same."""
    with history() as (past, _):
        for act in done:
            past.act(act)
        before = past.kept.cold()
        past.repo.git("stash", "clear")
        past.repo.forget_unreachable()
        after = past.kept.cold()
        assert after.keys() == before.keys()
        for claim, status in before.items():
            if all(reading.state == "present" and not reading.was for reading in status.readings.values()):
                assert after[claim].status == status.status, claim
        assert plain(past.kept.step()).keys() == plain(after).keys()
