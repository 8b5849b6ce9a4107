"""The detached worker: brings index and statuses up to date after git changed something.

`python -I -m knowledge.surfaces.git_hooks.worker <git common dir>`. One worker at a time: a second one leaves at once, and the first
looks at the queue again after it has let go of the lock, so that no request is left lying. Whatever goes wrong is written to the log
and nowhere else: the next read reconciles by itself.
"""

from __future__ import annotations

import faulthandler
import sys
import time
from collections.abc import Callable
from pathlib import Path

from knowledge.surfaces.git_hooks.worklist import REQUEST_SECONDS, drop_expired, log_path, sole_worker, waiting, write_log


def drain(common_dir: Path, reconcile: Callable[[Path], object]) -> int:
    """Call `reconcile(common_dir)` until no request waits; the number of rounds. A failure is logged, and its requests count as done."""
    rounds = 0
    while waiting(common_dir):
        with sole_worker(common_dir) as is_ours:
            if not is_ours:
                return rounds
            while requests := drop_expired(waiting(common_dir), time.time()):
                started = time.monotonic()
                error = ""
                try:
                    reconcile(common_dir)
                except Exception as failure:  # the outermost frame: nobody is there to be told
                    error = f"{type(failure).__name__}: {failure}"
                for request in requests:
                    request.path.unlink(missing_ok=True)
                write_log(common_dir, requests, time.monotonic() - started, error)
                rounds += 1
    return rounds


def reconcile(common_dir: Path) -> None:
    """Bring the index and the statuses of every worktree that asked up to date."""
    # Imported here: it costs more than all the rest, and a worker that finds another one at work must be cheap.
    from knowledge.operations.reconcile import reconcile_queue

    reconcile_queue(common_dir)


def main() -> None:
    """Work until the queue is empty; a worker that hangs ends itself, with a traceback in the log."""
    common_dir = Path(sys.argv[1])
    with log_path(common_dir).open("a") as log:
        faulthandler.dump_traceback_later(REQUEST_SECONDS, exit=True, file=log)
        drain(common_dir, reconcile)


if __name__ == "__main__":
    main()
