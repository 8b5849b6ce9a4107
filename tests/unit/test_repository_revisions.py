"""What people write for a revision: understood as git does, refused where it is none, with near misses."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Literal

import pytest
from git_fixtures import GitRepo, build_repository

from knowledge.errors import RepositoryReadError, UnknownRevisionError
from knowledge.repository.opening import open_repository

Backend = Literal["any", "git"]
both = pytest.mark.parametrize("backend", ["any", "git"])

UNDERSTOOD = [
    "HEAD", "@", "main", "heads/main", "refs/heads/main", "topic/one", "v1.0", "tags/v1.0", "v2.0-nested", "HEAD~2", "main^", "main^2", "HEAD^0",
    "v1.0^{commit}", "v1.0^{}", "HEAD^{/Commit 2}", ":/Commit 2", "main@{1}", "HEAD@{0}", "@{-1}", "@{1}~1", "origin", "v1.0-0-gSHORT",
    "SHORT", "FULL", "UPPER",
]  # fmt: skip
REFUSED = [
    "", "-", "--all", "--output=x", "-h", "^main", "main..topic/one", "main...topic/one", "main^@", "main^!", "nosuch", "HEAD~99", "HEAD^9",
    "main@{99}", "HEAD:", "HEAD:a.py", "HEAD^{tree}", ":a.py", "to-tree", "annotated-tree", "to-blob", "a b", "main\n", "\0", "\udcff", "*",
    "HEAD+dirty",
    "0" * 40, "f" * 64, "abc", "main@{upstream}", "$(touch x)", "ext::sh -c touch", "/etc/passwd", "a.py",
]  # fmt: skip


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    repo = build_repository(tmp_path_factory.mktemp("revisions"), [{"a.py": str(n)} for n in range(4)])
    repo.tag("v1.0", message="The first")
    repo.tag("v2.0-nested", "v1.0", message="A tag of a tag")
    repo.tag("to-tree", "HEAD^{tree}")
    repo.tag("annotated-tree", "HEAD^{tree}", message="Of a tree")
    repo.tag("to-blob", "HEAD:a.py")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main")
    repo.git("symbolic-ref", "refs/heads/dangling", "refs/heads/nowhere")
    repo.git("checkout", "-q", "-b", "topic/one", "HEAD~1")
    repo.write("b.py", "b")
    repo.commit("On topic")
    repo.checkout("main")
    repo.merge("topic/one")
    return repo


@both
@pytest.mark.parametrize("expression", UNDERSTOOD)
def test_understood_as_git_does(repo: GitRepo, backend: Backend, expression: str) -> None:
    """Every expression names the commit that git says."""
    full = repo.revision("v1.0^{commit}")
    written = expression.replace("SHORT", full[:8]).replace("FULL", full).replace("UPPER", full.upper())
    opened = open_repository(repo.path, backend=backend)
    assert opened.resolve(written) == repo.git("rev-parse", "--verify", f"{repo.git('rev-parse', '--verify', written)}^{{commit}}")
    assert opened.tree(written).snapshot.tree_id == repo.revision(f"{opened.resolve(written)}^{{tree}}")


@both
@pytest.mark.parametrize("expression", REFUSED)
def test_refused(repo: GitRepo, backend: Backend, expression: str) -> None:
    """What names no commit, or looks like an option, is an error of whoever asked, and leaves no trace."""
    before = sorted(path.name for path in repo.path.iterdir())
    with pytest.raises(UnknownRevisionError):
        open_repository(repo.path, backend=backend).resolve(expression)
    assert sorted(path.name for path in repo.path.iterdir()) == before


@both
def test_says_what_it_names_instead(repo: GitRepo, backend: Backend) -> None:
    """A tag of a tree, or of a file, is said to be that."""
    opened = open_repository(repo.path, backend=backend)
    with pytest.raises(UnknownRevisionError, match="names a tree, not a commit"):
        opened.resolve("annotated-tree")
    with pytest.raises(UnknownRevisionError, match="names a blob, not a commit"):
        opened.resolve("to-blob")


@both
def test_suggestions(repo: GitRepo, backend: Backend) -> None:
    """Near names are suggested, and commit ids that begin alike; the rest of the expression does not disturb."""
    opened = open_repository(repo.path, backend=backend)
    for written, near in {"mian": "main", "topic/on~2": "topic/one", "v1.O": "v1.0"}.items():
        with pytest.raises(UnknownRevisionError) as raised:
            opened.resolve(written)
        assert near in raised.value.suggestions
    full = repo.revision("HEAD~1")
    with pytest.raises(UnknownRevisionError) as raised:
        opened.resolve(full[:4] + "0000000")
    assert full[:11] in raised.value.suggestions


@both
def test_ambiguous_abbreviation(tmp_path: Path, backend: Backend) -> None:
    """An abbreviation that fits two objects is said to be ambiguous."""
    repo = GitRepo.create(tmp_path / "repo")
    blobs = [str(number).encode() for number in range(2000)]
    opened = open_repository(repo.path, backend=backend)
    by_prefix: dict[str, list[bytes]] = {}
    for blob in blobs:
        by_prefix.setdefault(opened.hash_blob(blob)[:4], []).append(blob)
    prefix, pair = next((prefix, pair) for prefix, pair in by_prefix.items() if len(pair) > 1)
    for blob in pair:
        repo.git("hash-object", "-w", "--stdin", stdin=blob)
    with pytest.raises(UnknownRevisionError, match="ambiguous"):
        opened.resolve(prefix)


@both
def test_collected_commit(tmp_path: Path, backend: Backend) -> None:
    """A commit that git has deleted is unknown, with its reason; a tree taken before cannot be read any more."""
    repo = build_repository(tmp_path / "repo", [{"a.py": "1"}, {"a.py": "2", "d/b.py": "3"}])
    lost = repo.head()
    opened = open_repository(repo.path, backend=backend)
    tree = opened.tree(lost)
    blob = repo.revision("HEAD:d/b.py")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.forget_unreachable()
    opened = open_repository(repo.path, backend=backend)
    for ask in (opened.resolve, opened.commit, opened.tree, lambda name: list(opened.walk(name))):
        with pytest.raises(UnknownRevisionError, match="deleted"):
            ask(lost)
    assert not opened.has_object(lost)
    with pytest.raises(RepositoryReadError):
        opened.diff(opened.tree(), tree)
    with pytest.raises(RepositoryReadError):
        opened.tree().read(blob)
    assert list(opened.tree().read_many([blob])) == [(blob, None)]


@both
def test_trees_by_name(repo: GitRepo, backend: Backend) -> None:
    """A tree is had by its own id too; labels are what people read."""
    opened = open_repository(repo.path, backend=backend)
    head = opened.resolve("HEAD")
    tree_id = repo.revision("HEAD^{tree}")
    labels = {None: "main", "HEAD": "main", head: head[:10], "v1.0": "v1.0", tree_id: f"tree {tree_id[:10]}"}
    assert {name: opened.tree(name).snapshot.label for name in labels} == labels
    by_id = opened.tree(tree_id)
    assert (by_id.snapshot.key, by_id.snapshot.revision, by_id.entries()) == (tree_id, None, opened.tree().entries())
    empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    assert opened.tree(empty).entries() == {}
    with pytest.raises(UnknownRevisionError, match="uncommitted"):
        opened.tree(f"{tree_id}+0123")


@both
def test_refs(repo: GitRepo, backend: Backend) -> None:
    """Refs lead to commits, tags peeled; what leads to no commit is left out; odd bytes are shown."""
    repo.git("branch", "-f", b"caf\xe9")
    main = repo.head()
    first = repo.revision("v1.0^{commit}")
    assert open_repository(repo.path, backend=backend).refs() == {
        "refs/heads/caf\\xe9": main,
        "refs/heads/main": main,
        "refs/heads/topic/one": repo.revision("topic/one"),
        "refs/remotes/origin/HEAD": main,
        "refs/tags/v1.0": first,
        "refs/tags/v2.0-nested": first,
    }


@both
def test_ancestry(repo: GitRepo, backend: Backend) -> None:
    """Ancestry and merge bases are git's; a commit is its own ancestor; strangers have no base."""
    opened = open_repository(repo.path, backend=backend)
    repo.git("checkout", "-q", "--orphan", "island")
    stranger = repo.commit("Alone")
    repo.checkout("main")
    assert opened.is_ancestor("main", "main")
    assert opened.is_ancestor("topic/one", "main")
    assert not opened.is_ancestor("main", "topic/one")
    assert opened.merge_base("main~1", "topic/one") == repo.git("merge-base", "main~1", "topic/one")
    assert opened.merge_base("main", stranger) is None
    assert not opened.is_ancestor(stranger, "main")
    repo.git("branch", "-q", "-D", "island")


@both
def test_commit_and_walk(repo: GitRepo, backend: Backend) -> None:
    """Commits carry what git stored; a walk gives each once, newest first, and can stop or keep to first parents."""
    opened = open_repository(repo.path, backend=backend)
    commit = opened.commit("v1.0")
    shown = repo.git("show", "-s", "--format=%H%n%T%n%P%n%an <%ae>%n%at%n%ct%n%s", "v1.0^{commit}").split("\n")
    fields = [
        commit.revision,
        commit.tree_id,
        " ".join(commit.parents),
        commit.author,
        str(commit.authored_at),
        str(commit.committed_at),
        commit.subject,
    ]
    assert fields == shown
    assert [c.revision for c in opened.walk("HEAD")] == repo.git("rev-list", "HEAD").split("\n")
    assert [c.revision for c in opened.walk("HEAD", first_parent=True)] == repo.git("rev-list", "--first-parent", "HEAD").split("\n")
    assert [c.revision for c in opened.walk("HEAD", limit=2)] == repo.git("rev-list", "-n2", "HEAD").split("\n")


@both
@pytest.mark.parametrize(
    ("raw", "author", "times", "message"),
    [
        (b"author M\xfcller <m@x> 7 +0100\ncommitter C <c@x> 9 +0000\nencoding ISO-8859-1\n\nGr\xfc\xdfe\n", "Müller <m@x>", (7, 9), "Grüße\n"),
        (b"author M\xfcller <m@x> 7 +0100\ncommitter C <c@x> 9 +0000\n\n\xff\n", "M\ufffdller <m@x>", (7, 9), "\ufffd\n"),
        (b"author nobody\ncommitter <> -5 +0000\nencoding rot13\n\n", "nobody", (0, 0), ""),
        (b"author A <a> 99999999999999999999 +0000\ngpgsig x\n y\n\n z\ncommitter later\n", "A <a>", (999999999999999, 0), " z\ncommitter later\n"),
        (b"", "", (0, 0), ""),
    ],
)  # fmt: skip
def test_odd_commits(tmp_path: Path, backend: Backend, raw: bytes, author: str, times: tuple[int, int], message: str) -> None:
    """Whatever bytes a commit has, it can be shown: other encodings, missing dates, numbers that fit nowhere."""
    repo = build_repository(tmp_path / "repo", [{"a": "1"}])
    content = b"tree " + repo.revision("HEAD^{tree}").encode() + b"\n" + raw
    revision = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=content)
    commit = open_repository(repo.path, backend=backend).commit(revision)
    assert (commit.author, (commit.authored_at, commit.committed_at), commit.message) == (author, times, message)
    assert commit.tree_id == repo.revision("HEAD^{tree}")


def test_git_agrees_that_the_refused_are_no_commits(repo: GitRepo) -> None:
    """The table of refused expressions is right: git finds a single commit for none of them."""
    for expression in REFUSED:
        if "\0" in expression or expression.startswith("-") or "\n" in expression:
            continue
        try:
            answer = repo.git("rev-parse", "--verify", "-q", expression.encode("utf-8", "surrogateescape"))
            assert repo.git("cat-file", "-t", answer) != "commit", expression
        except subprocess.CalledProcessError:
            continue
