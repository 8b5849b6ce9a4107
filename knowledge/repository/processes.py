"""Which program a process was started by: what tells an agent's program where it names no session to what it starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from knowledge.config import PROCESS_MARK

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "busybox"})
_MOST = 64


def program_of(process_id: int) -> str:
    """The identity of the program that a process was started by, shells in between left out; "" where this system does not tell."""
    for mark, name in _ancestors(process_id):
        if name not in _SHELLS:
            return mark
    return ""


def own_programs() -> tuple[str, ...]:
    """The identities of all processes above this one."""
    return tuple(mark for mark, _ in _ancestors(os.getpid()))


def _ancestors(process_id: int) -> Iterator[tuple[str, str]]:
    """Identity and name of the processes above one, the nearest first. The time of its start tells a process from a later one of the same number."""
    parent = _read(process_id)[0]
    for _ in range(_MOST):
        if parent <= 1:
            return
        above, name, started = _read(parent)
        if not started:
            return
        yield f"{PROCESS_MARK}{parent}:{started}", name
        parent = above


def _read(process_id: int) -> tuple[int, str, str]:
    """Parent, name and start of a process, as proc(5) has them in `stat`; 0 and "" where it is gone or there is no /proc."""
    try:
        text = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0, "", ""
    # The name stands in parentheses and may hold any character, parentheses among them.
    head, _, rest = text.rpartition(")")
    fields = rest.split()
    return int(fields[1]), head.partition("(")[2], fields[19]
