"""Finding a repository and its HEAD by reading files, held against what git itself says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from git_fixtures import GitRepo, build_repository

from knowledge.errors import NotARepositoryError
from knowledge.records.trees import Head
from knowledge.repository.locate import Location, has_replacements, head_of, linked_locations, locate, location_at, shallow_boundary


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return build_repository((tmp_path / "repo").resolve(), [{"a.py": "x = 1\n", "deep/er/b.py": "y = 2\n"}])


def assert_as_git_says(directory: Path, location: Location) -> None:
    asked = GitRepo(directory).git("rev-parse", "--path-format=absolute", "--git-common-dir", "--absolute-git-dir").split("\n")
    assert [str(location.common_dir), str(location.git_dir)] == asked


@pytest.mark.parametrize("place", [".", "deep/er", "a.py", ".git", ".git/refs/heads"])
def test_main_worktree_from_any_place(repo: GitRepo, place: str) -> None:
    """A directory or file inside, and the git directory too, lead to the main worktree."""
    location = locate(repo.path / place)
    assert location == Location(repo.path / ".git", repo.path / ".git", repo.path, "")
    assert_as_git_says(repo.path, location)


def test_linked_worktree_shares_the_project(repo: GitRepo, tmp_path: Path) -> None:
    """A linked worktree has a git directory of its own and the common directory of the project."""
    linked = repo.worktree_add(tmp_path / "elsewhere" / "topic", "-b", "topic")
    (linked.path / "sub").mkdir()
    location = locate(linked.path / "sub")
    assert location == Location(repo.path / ".git", repo.path / ".git/worktrees/topic", linked.path.resolve(), "topic")
    assert_as_git_says(linked.path, location)
    assert locate(location.git_dir) == location
    assert linked_locations(location.common_dir) == [location]


def test_variables_of_hooks_do_not_mislead(repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git sets for hooks of another worktree is not followed: the directory decides."""
    linked = repo.worktree_add(tmp_path / "topic", "--detach")
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo.path))
    assert locate(linked.path).worktree_name == "topic"


def test_symlinked_directories_are_one_project(repo: GitRepo, tmp_path: Path) -> None:
    """Reached through a symlink it is the same project."""
    (tmp_path / "link").symlink_to(repo.path / "deep")
    assert locate(tmp_path / "link") == locate(repo.path)


def test_bare_repository_has_no_worktree(repo: GitRepo, tmp_path: Path) -> None:
    """A bare repository is its own git directory; a worktree linked to it is a worktree all the same."""
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    location = locate(bare.path / "refs")
    assert (location.common_dir, location.workdir, location.worktree_name) == (bare.path.resolve(), None, "")
    linked = bare.worktree_add(tmp_path / "linked", "--detach")
    assert locate(linked.path).workdir == linked.path.resolve()
    assert locate(linked.path).common_dir == bare.path.resolve()


def test_bare_setting_of_a_git_directory_counts(repo: GitRepo) -> None:
    """`core.bare` in a configuration with comments, quotes and odd spacing takes the worktree away."""
    (repo.path / ".git/config").write_text('[core] ; a comment\n\tbare = "tr\\\nue" # yes\n[other "x"]\n\tbare = false\n', encoding="utf-8")
    assert locate(repo.path).workdir is None


def test_worktree_setting_moves_the_worktree(repo: GitRepo, tmp_path: Path) -> None:
    """`core.worktree` says where the files are, as for submodules."""
    (tmp_path / "files").mkdir()
    repo.git("config", "core.worktree", str(tmp_path / "files"))
    assert locate(repo.path).workdir == (tmp_path / "files").resolve()


def test_submodule_is_a_repository_of_its_own(repo: GitRepo, tmp_path: Path) -> None:
    """From inside a submodule the submodule is found, with its git directory below the outer one's."""
    repo.submodule_add(build_repository(tmp_path / "inner", [{"x": "y"}]), "libs/inner")
    location = locate(repo.path / "libs/inner")
    assert location.workdir == repo.path / "libs/inner"
    assert location.common_dir == repo.path / ".git/modules/libs/inner"
    assert locate(location.git_dir) == location


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of any repository, in a missing directory, and above a ceiling, the answer says what to do."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.resolve()))
    (tmp_path / "plain" / ".git").mkdir(parents=True)
    with pytest.raises(NotARepositoryError, match="git init"):
        locate(tmp_path / "plain")
    with pytest.raises(NotARepositoryError, match="no directory"):
        locate(tmp_path / "missing")


def test_ceiling_stops_the_search(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search does not go up into a directory that GIT_CEILING_DIRECTORIES names, but starts in one."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repo.path))
    assert locate(repo.path).workdir == repo.path
    with pytest.raises(NotARepositoryError):
        locate(repo.path / "deep")


@pytest.mark.parametrize(("content", "reason"), [("gitdir: ../nowhere\n", "leads to"), ("nonsense", "gitdir:")])
def test_broken_git_file(tmp_path: Path, content: str, reason: str) -> None:
    """A `.git` file that leads nowhere is told as such, and the search does not go on above it."""
    (tmp_path / ".git").write_text(content, encoding="utf-8")
    with pytest.raises(NotARepositoryError, match=reason):
        locate(tmp_path)


def test_head_on_a_branch_detached_packed_and_unborn(repo: GitRepo, tmp_path: Path) -> None:
    """HEAD is read wherever git keeps the branch it names."""
    first = repo.head()
    assert head_of(locate(repo.path)) == Head("main", first)
    repo.checkout("feature/one", "-b")
    repo.git("pack-refs", "--all")
    assert not (repo.path / ".git/refs/heads/feature").exists()
    assert head_of(locate(repo.path)) == Head("feature/one", first)
    repo.checkout(first, "--detach")
    assert head_of(locate(repo.path)) == Head(None, first)
    assert head_of(locate(GitRepo.create(tmp_path / "new").path)) == Head("main", None)


def test_head_through_symbolic_refs_and_symlinks(repo: GitRepo) -> None:
    """A branch that is itself symbolic is followed; a circle of them names no commit; an old HEAD may be a symlink."""
    revision = repo.head()
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert head_of(locate(repo.path)) == Head("alias", revision)
    (repo.path / ".git/refs/heads/alias").write_text("ref: refs/heads/alias\n", encoding="utf-8")
    assert head_of(locate(repo.path)) == Head("alias", None)
    (repo.path / ".git/HEAD").unlink()
    (repo.path / ".git/HEAD").symlink_to("refs/heads/main")
    assert head_of(locate(repo.path)) == Head("main", revision)


@pytest.mark.parametrize("content", ["ref: refs/heads/.invalid\n", "", "ref refs/heads/main", "\0\0"])
def test_head_that_files_cannot_tell(repo: GitRepo, content: str) -> None:
    """With refs in a reftable, or a damaged HEAD, the answer is that git must be asked."""
    location = locate(repo.path)
    (repo.path / ".git/HEAD").write_text(content, encoding="utf-8")
    assert head_of(location) is None


def test_head_never_leaves_the_repository(repo: GitRepo, tmp_path: Path) -> None:
    """A HEAD that names a path outside is not followed."""
    (tmp_path / "id").write_text(repo.head(), encoding="utf-8")
    (repo.path / ".git/HEAD").write_text("ref: refs/../../../id\n", encoding="utf-8")
    head = head_of(locate(repo.path))
    assert head is not None
    assert head.revision is None


def test_a_pipe_in_place_of_a_file_is_not_waited_for(repo: GitRepo) -> None:
    """A pipe named `packed-refs` or `.git` keeps nobody waiting."""
    os.mkfifo(repo.path / ".git/packed-refs")
    os.mkfifo(repo.path / "deep/.git")
    assert locate(repo.path / "deep").workdir == repo.path
    assert not has_replacements(locate(repo.path))


def test_replacements_are_noticed(repo: GitRepo) -> None:
    """Replaced objects are noticed, loose and packed."""
    location = locate(repo.path)
    assert not has_replacements(location)
    first = repo.head()
    second = repo.commit("Second")
    repo.git("replace", second, first)
    assert has_replacements(location)
    repo.git("pack-refs", "--all")
    assert has_replacements(location)


def test_shallow_boundary(repo: GitRepo, tmp_path: Path) -> None:
    """The commits at the edge of a shallow clone are known; a whole repository has none."""
    last = repo.commit("Second")
    assert shallow_boundary(locate(repo.path).common_dir) == frozenset()
    assert shallow_boundary(locate(repo.clone(tmp_path / "shallow", "--depth=1").path).common_dir) == {last}


def test_only_the_directory_itself(repo: GitRepo) -> None:
    """`location_at` does not search the parents."""
    assert location_at(repo.path / "deep") is None
    assert location_at(repo.path) == locate(repo.path)


def test_nothing_heavy_is_imported() -> None:
    """Locating, and importing what opens repositories, loads neither pygit2 nor anything else from outside the standard library."""
    code = (
        "import sys; import knowledge.repository.locate; light = set(sys.modules); import knowledge.repository.opening\n"
        "outside = {name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names) - {'__main__', 'knowledge'}\n"
        "print(sorted(name for name in outside if name in {'pygit2', 'sqlalchemy', 'pydantic', 'typer', 'rich', 'msgspec', 'cffi', '_pygit2'}))\n"
        "print('subprocess' in light)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "False"]
