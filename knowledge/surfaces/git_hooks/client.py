"""What a hook starts: leave a request in the queue, become the worker.

Run in the background by `<git common dir>/knowledge/hook` with `python -I -S client.py <that script> <hook> <hook's arguments>`: git
does not even wait for Python to start. It runs at every commit all the same, so it imports nothing but built-in modules. Errors need no
care here: the caller has closed all three streams, and nobody looks at the exit code.
"""

import os
import sys
import time

WORKER = "knowledge.surfaces.git_hooks.worker"
QUEUE_LIMIT = 1000
"""Requests waiting; beyond it none are added, because nothing takes them (the package may be gone)."""

REPOSITORY_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_DIR",
    "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
    "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
)  # fmt: skip
"""What git sets for a hook (`git rev-parse --local-env-vars`): left set, they would point the worker's git at the wrong place."""


def main(script: str, hook: str, *arguments: str) -> None:
    """Note that `hook` ran in the worktree that is the current directory; start the worker unless more is about to come."""
    if hook == "post-checkout" and arguments[2:] == ("0",):
        return  # files were checked out, HEAD did not move
    common_dir = os.path.dirname(os.path.dirname(os.path.realpath(script)))
    if not write_request(os.path.join(common_dir, "knowledge", "queue"), hook):
        return
    ends_rebase = hook == "post-rewrite" and arguments[:1] == ("rebase",)
    if ends_rebase or not is_rebasing(find_git_dir()):
        start_worker(common_dir)


def write_request(queue: str, hook: str) -> bool:
    """Leave a file `<nanoseconds>.<pid>.<hook>` whose content is the worktree's path; False where the queue is full."""
    os.makedirs(queue, exist_ok=True)
    if len(os.listdir(queue)) >= QUEUE_LIMIT:
        return False
    name = os.path.join(queue, f"{time.time_ns()}.{os.getpid()}.{hook}")
    with open(name + ".part", "wb") as file:
        file.write(os.fsencode(os.getcwd()))
    os.rename(name + ".part", name)
    return True


def find_git_dir() -> str:
    """The git directory of the worktree we are in: what git says, else `.git` here (a folder, or a file that names one), else here."""
    if "GIT_DIR" in os.environ:
        return os.environ["GIT_DIR"]
    if os.path.isfile(".git"):
        with open(".git", encoding="utf-8", errors="surrogateescape") as file:
            return file.read().removeprefix("gitdir:").strip()
    return ".git" if os.path.isdir(".git") else "."


def is_rebasing(git_dir: str) -> bool:
    """Whether a rebase is under way: its commits come in bursts, and its end has a hook of its own."""
    return any(os.path.isdir(os.path.join(git_dir, name)) for name in ("rebase-merge", "rebase-apply"))


def start_worker(common_dir: str) -> None:
    """Become the worker, so that nothing waits for it: own session, no stream or folder of the caller held open. Does not return."""
    if os.getpgrp() != os.getpid():  # else a shell with job control has made us a group of our own, which is as good
        os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.closerange(3, 65536)
    os.chdir("/")
    for name in REPOSITORY_VARIABLES:
        os.environ.pop(name, None)
    os.execv(sys.executable, [sys.executable, "-I", "-m", WORKER, common_dir])


if __name__ == "__main__":
    main(*sys.argv[1:])
