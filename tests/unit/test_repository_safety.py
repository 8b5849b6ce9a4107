"""Nothing of a repository is executed, whatever its configuration, attributes and hooks ask for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest
from git_fixtures import GitRepo, build_repository

from knowledge.errors import UnknownRevisionError
from knowledge.repository.opening import open_repository

ATTRIBUTES = "*.py filter=evil diff=evil merge=evil text\n*.bin filter=evil-process\n"


def make_hostile(repo: GitRepo, git_dir: Path, marker: Path) -> None:
    """Point everything that git can run at a script that leaves a marker."""
    script = marker.with_name("run.sh")
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {marker}\nexit 1\n', encoding="utf-8")
    script.chmod(0o755)
    run = str(script)
    settings = {
        "core.fsmonitor": run, "core.sshCommand": run, "core.gitProxy": run, "core.pager": run, "core.editor": run, "core.askPass": run,
        "core.alternateRefsCommand": run, "credential.helper": run, "diff.external": run, "diff.evil.textconv": run, "diff.evil.command": run,
        "merge.evil.driver": run, "filter.evil.clean": run, "filter.evil.smudge": run, "filter.evil-process.process": run, "gpg.program": run,
        "filter.evil-process.required": "true", "gpg.ssh.program": run, "log.showSignature": "true", "alias.status": f"!{run}",
        "alias.cat-file": f"!{run}", "interactive.diffFilter": run, "uploadpack.packObjectsHook": run, "pager.status": "true",
        "status.submoduleSummary": "true", "submodule.recurse": "true", "remote.origin.url": f"ext::{run}", "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none", "protocol.ext.allow": "always", "trailer.x.command": run,
    }  # fmt: skip
    for name, value in settings.items():
        repo.git("config", name, value)
    for hook in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman", "query-watchman"):
        (git_dir / "hooks").mkdir(exist_ok=True)
        path = git_dir / "hooks" / hook
        path.write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
        path.chmod(0o755)


@pytest.mark.parametrize("backend", ["any", "git"])
def test_nothing_is_executed(tmp_path: Path, backend: Literal["any", "git"]) -> None:
    """Every question that can be asked is answered without running anything the repository names, or fetching."""
    inner = build_repository(tmp_path / "inner", [{"x.py": "1"}])
    repo = build_repository(tmp_path / "repo", [{".gitattributes": ATTRIBUTES, "a.py": "1\n", "b.bin": "2\n"}, {"a.py": "3\n"}])
    repo.submodule_add(inner, "sub")
    repo.commit("Submodule")
    missing = repo.git("hash-object", "--stdin", stdin=b"never stored")
    marker = tmp_path / "ran"
    make_hostile(repo, repo.path / ".git", marker)
    submodule = GitRepo(repo.path / "sub")
    make_hostile(submodule, repo.path / ".git/modules/sub", marker)
    submodule.git("config", "filter.inner.clean", str(marker.with_name("run.sh")))
    (repo.path / ".git/modules/sub/info/attributes").write_text("*.py filter=inner\n", encoding="utf-8")
    repo.write("a.py", b"4\r\n")
    repo.write("b.bin", "5\n")
    repo.write("new.py", "6\n")
    repo.write("sub/x.py", "7")
    os.utime(repo.file(".gitattributes"), (1, 1))
    opened = open_repository(repo.path / "sub" / "..", backend=backend)
    tree = opened.tree("HEAD+dirty")
    assert {b"a.py", b"b.bin", b"new.py"} <= tree.uncommitted().keys()
    assert dict(tree.read_many(entry.blob_id for entry in tree.entries().values() if entry.kind != "submodule"))
    assert list(opened.tree().read_many([missing])) == [(missing, None)]
    assert not opened.has_object(missing)
    with pytest.raises(UnknownRevisionError):
        opened.resolve(f"{missing}^0")
    assert len(opened.diff(opened.tree("HEAD~2"), tree)) >= 3
    assert [opened.resolve("HEAD~1"), len(list(opened.walk("HEAD"))), len(opened.refs())] == [opened.commit("HEAD").parents[0], 3, 1]
    assert opened.merge_base("HEAD", "HEAD~1") == opened.resolve("HEAD~1")
    assert opened.is_ancestor("HEAD~1", "HEAD")
    assert len(opened.worktrees()) == 1
    assert not marker.exists(), marker.read_text(encoding="utf-8")


def test_the_hostile_repository_is_hostile(tmp_path: Path) -> None:
    """The same repository does run its commands for a plain `git status`: the test above can fail."""
    repo = build_repository(tmp_path / "repo", [{".gitattributes": ATTRIBUTES, "a.py": "1\n"}])
    marker = tmp_path / "ran"
    make_hostile(repo, repo.path / ".git", marker)
    repo.write("a.py", "2\n")
    repo.git("status")
    assert marker.exists()
