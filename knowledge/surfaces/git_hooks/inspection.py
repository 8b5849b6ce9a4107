"""What is to be said of the hooks of a repository: are they there, does git run them, when did they last fire, what failed."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from knowledge.surfaces.git_hooks.block import HOOKS, MENTION
from knowledge.surfaces.git_hooks.install import MADE_BY_LEFTHOOK, MADE_BY_PRE_COMMIT, runner_path
from knowledge.surfaces.git_hooks.site import LEFTHOOK_FILES, HookSite, locate
from knowledge.surfaces.git_hooks.worklist import read_log, waiting

Situation = Literal["installed", "missing", "bypassed", "disabled"]
"""git runs it · it is nowhere · it is there, but git looks elsewhere · git looks there, but it cannot run."""


@dataclass(frozen=True, slots=True)
class HookState:
    """One hook. `path` is the file that git would run; `last_fired` is ISO 8601, "" where the log does not go back to it."""

    hook: str
    situation: Situation
    path: Path
    detail: str = ""
    last_fired: str = ""


@dataclass(frozen=True, slots=True)
class HookHealth:
    """All hooks of a repository, and how the work that they started went (as far as the log goes back)."""

    site: HookSite
    states: tuple[HookState, ...]
    waiting: int
    rounds: int
    failures: int
    last_error: str


def inspect(directory: Path) -> HookHealth:
    """Look at the hooks of the repository that `directory` lies in. Raises NotARepositoryError and RepositoryReadError."""
    site = locate(directory)
    requests, rounds = waiting(site.common_dir), read_log(site.common_dir)
    fired = {hook: entry.at for entry in rounds for hook in entry.hooks}
    fired |= {request.hook: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(request.at)) for request in requests}
    errors = [entry.error for entry in rounds if entry.error]
    return HookHealth(
        site=site,
        states=tuple(_state(site, hook, fired.get(hook, "")) for hook in HOOKS),
        waiting=len(requests),
        rounds=len(rounds),
        failures=len(errors),
        last_error=errors[-1] if errors else "",
    )


def _state(site: HookSite, hook: str, last_fired: str) -> HookState:
    path = site.hooks_dir / hook
    caller = _caller(site, hook)
    if caller is None:
        bypassed = _bypassed(site, hook)
        return HookState(hook, "bypassed" if bypassed else "missing", path, bypassed, last_fired)
    hindrance = _hindrance(site, path)
    return HookState(hook, "disabled" if hindrance else "installed", path, hindrance or f"called from {caller}", last_fired)


def _caller(site: HookSite, hook: str) -> Path | None:
    """The file that calls us when git runs this hook."""
    made = _content(site.hooks_dir / hook)
    if MADE_BY_LEFTHOOK in made and site.top is not None:
        configurations = [site.top / name for name in LEFTHOOK_FILES]
        return next((file for file in configurations if MENTION + b'" ' in _content(file) and hook.encode() in _content(file)), None)
    candidates = [site.written_dir / hook]
    if MADE_BY_PRE_COMMIT in made:
        candidates.append(site.hooks_dir / (hook + ".legacy"))
    return next((file for file in candidates if MENTION in _content(file)), None)


def _bypassed(site: HookSite, hook: str) -> str:
    """Why a hook of ours that lies somewhere is not run; "" where there is none."""
    usual = site.common_dir / "hooks" / hook
    if site.hooks_path and MENTION in _content(usual):
        return f"{usual} is not run: core.hooksPath ({site.scope} configuration) is {site.hooks_path}"
    replaced = usual.with_name(hook + ".old")
    if MENTION in _content(replaced):
        return f"{replaced} is not run: lefthook put its own hook there; `knowledge init` says what to add to its configuration"
    return ""


def _hindrance(site: HookSite, path: Path) -> str:
    if not path.exists() or not path.stat().st_mode & 0o111:
        return f"git does not run {path}: it is not there, or not executable"
    runner = _content(runner_path(site.common_dir)).decode(errors="replace")
    test = next((line for line in runner.splitlines() if line.startswith("[ -x ")), "")
    if not test:
        return f"{runner_path(site.common_dir)} is gone; `knowledge init` makes it again"
    interpreter = Path(shlex.split(test)[2])
    return "" if interpreter.exists() else f"{interpreter} is gone; `knowledge init` takes the interpreter that runs it"


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
