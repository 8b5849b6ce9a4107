"""A pytest plugin that writes down every call between functions below a folder, as sys.setprofile tells it: what observed edges are held against.

It shares nothing with the observer, knows no contexts and takes no short cuts, so it is slow. PROFILE_CALLS_TO is the file that it writes at the
end (JSON lines), PROFILE_CALLS_BELOW the folder.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

_BELOW = os.path.realpath(os.environ["PROFILE_CALLS_BELOW"]) + os.sep
_calls: set[tuple[str, str, int, int, str, str, int]] = set()


def _on_event(frame: FrameType, event: str, argument: Any) -> None:
    back = frame.f_back
    if event != "call" or back is None:
        return
    caller, callee = back.f_code, frame.f_code
    if caller.co_filename.startswith(_BELOW) and callee.co_filename.startswith(_BELOW) and back.f_lineno is not None:
        names = (getattr(code, "co_qualname", code.co_name) for code in (caller, callee))
        one, other = names
        _calls.add((caller.co_filename, one, caller.co_firstlineno, back.f_lineno, callee.co_filename, other, callee.co_firstlineno))


def pytest_load_initial_conftests() -> None:
    """Profile before anything of the repository is imported, each thread."""
    sys.setprofile(_on_event)
    threading.setprofile(_on_event)


def pytest_runtest_setup() -> None:
    """Go on where a test has put its own in the place."""
    sys.setprofile(_on_event)


def pytest_sessionfinish() -> None:
    """Write what was seen."""
    sys.setprofile(None)
    threading.setprofile(None)
    with Path(os.environ["PROFILE_CALLS_TO"]).open("w", encoding="utf-8") as out:
        for call in sorted(_calls):
            out.write(json.dumps(call) + "\n")
