"""What the post-commit hook adds to `git commit`: milliseconds of wall time, hooked and plain commits in turn, medians.

The work that the hook starts goes on detached; the next commit waits here until it is done, so that commits are not measured beside it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mirrors import ROOT, arguments, git, report, repositories

sys.path.insert(0, str(ROOT))

from knowledge.surfaces.git_hooks.install import install
from knowledge.surfaces.git_hooks.worklist import sole_worker, waiting

COMMITS = 30
SETTLE_SECONDS = 120


def measure(source: Path, workplace: Path) -> dict[str, float]:
    """The figures of one repository: a clone with hooks beside one without."""
    plain, hooked = workplace / "plain", workplace / "hooked"
    for target in (plain, hooked):
        git(source, "clone", "--quiet", "--shared", str(source), str(target))
        git(target, "config", "user.name", "bench")
        git(target, "config", "user.email", "bench@example.org")
    subprocess.run([Path(sys.executable).with_name("knowledge"), "init", "--quiet"], cwd=hooked, check=True, capture_output=True)
    install(hooked)
    spent: dict[Path, list[float]] = {plain: [], hooked: []}
    for _ in range(COMMITS):
        for target, times in spent.items():
            started = time.perf_counter()
            git(target, "commit", "--quiet", "--allow-empty", "--message", "measure")
            times.append(1000 * (time.perf_counter() - started))
        settle(hooked / ".git")
    without, with_hooks = (statistics.median(times) for times in spent.values())
    return {"commit_ms": without, "with_hooks_ms": with_hooks, "added_ms": with_hooks - without}


def settle(common_dir: Path) -> None:
    """Wait until the worker has taken every request and let go of the lock. Raises TimeoutError."""
    end = time.monotonic() + SETTLE_SECONDS
    time.sleep(0.1)
    while time.monotonic() < end:
        with sole_worker(common_dir) as is_free:
            if is_free and not waiting(common_dir):
                return
        time.sleep(0.05)
    raise TimeoutError(f"the worker is still busy after {SETTLE_SECONDS} s; see {common_dir}/knowledge/hooks.log")


def main() -> None:
    """Measure every repository under --mirror."""
    asked = arguments(__doc__ or "")
    figures = {}
    for name, path in repositories(asked):
        with tempfile.TemporaryDirectory(prefix="knowledge-hook-", ignore_cleanup_errors=True) as folder:
            figures[name] = measure(path, Path(folder))
    report(asked, figures, ["commit_ms", "with_hooks_ms", "added_ms"])


if __name__ == "__main__":
    main()
