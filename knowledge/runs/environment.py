"""The environment of a run, and its fingerprint: what a result may depend on besides the repository's code."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

VARIABLES = (
    "CI", "LANG", "LANGUAGE", "LC_ALL", "NODE_ENV", "NODE_OPTIONS", "PYTEST_ADDOPTS", "PYTHONHASHSEED", "PYTHONOPTIMIZE", "PYTHONPATH", "PYTHONUTF8",
    "PYTHONWARNINGS", "TZ",
)  # fmt: skip
"""Environment variables that tests are known to depend on."""
_LOCK_FILE = re.compile(
    rb"(?:.*/)?(?:uv\.lock|poetry\.lock|pdm\.lock|pixi\.lock|Pipfile\.lock|pylock(?:\.[\w-]+)?\.toml|requirements[\w.-]*\.txt|constraints[\w.-]*\.txt"
    rb"|requirements/[\w.-]+\.txt|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|Gemfile\.lock"
    rb"|composer\.lock)\Z"
)

_SCRIPT_SETTINGS = re.compile(
    rb"package\.json|tsconfig[\w.-]*\.json|jsconfig\.json|(?:vitest|vite|jest|babel|ava|mocha|swc)[\w.-]*\.(?:[cm]?[jt]s|json)"
    rb"|\.(?:mocharc|babelrc|swcrc)[\w.]*|\.env[\w.]*"
)


def is_lock_file(path: bytes) -> bool:
    """Whether a path is by its name one that fixes what is installed."""
    return _LOCK_FILE.match(path) is not None


def sets_up_scripts(path: bytes) -> bool:
    """Whether a path is by its name one that fixes what is installed, or that sets up a runner of tests in JavaScript or TypeScript."""
    return is_lock_file(path) or _SCRIPT_SETTINGS.fullmatch(path.rpartition(b"/")[2]) is not None


def describe(command: Iterable[str], variables: Mapping[str, str], names: Iterable[str], lock_files: Mapping[str, str]) -> dict[str, Any]:
    """The environment of a run as far as it is seen from outside.

    lock_files: path → blob id. names: of variables that count besides `VARIABLES`; of each a hash is kept, never the value.
    """
    return {
        "platform": f"{sys.platform} {platform.machine()}",
        "lock_files": dict(sorted(lock_files.items())),
        "variables": {name: _hash(variables[name]) for name in sorted({*VARIABLES, *names}) if name in variables},
        "program": _program(next(iter(command), ""), variables),
    }


def told_from_within(detail: Mapping[str, Any], sessions: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The environment with the interpreter and what is installed, where the tests' own processes told it: that counts, not the program called."""
    told = [session for session in sessions if session.get("python")]
    if not told:
        return dict(detail)
    first = told[0]
    return {name: value for name, value in detail.items() if name != "program"} | {
        "interpreter": f"{first.get('implementation', '')} {first['python']}".strip(),
        "distributions": sorted({str(name) for session in told for name in session.get("distributions", ())}),
        "pytest": str(first.get("pytest", "")),
    }


def fingerprint(detail: Mapping[str, Any]) -> str:
    """One hash of an environment: equal for equal ones."""
    return _hash(json.dumps(detail, sort_keys=True, ensure_ascii=True))


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """What differs between two environments, in words; nothing where nothing does."""
    found = []
    for name in sorted({*old, *new}):
        one, other = old.get(name), new.get(name)
        if one == other:
            continue
        if isinstance(one, list) and isinstance(other, list):
            gone, come = sorted(set(one) - set(other)), sorted(set(other) - set(one))
            found.append(f"{name}: {', '.join([*(f'-{item}' for item in gone[:4]), *(f'+{item}' for item in come[:4])])}")
        elif isinstance(one, dict) and isinstance(other, dict):
            changed = sorted(key for key in {*one, *other} if one.get(key) != other.get(key))
            found.append(f"{name}: {', '.join(changed[:6])}")
        else:
            found.append(f"{name}: {one or 'none'}, then {other or 'none'}")
    return tuple(found)


def _program(name: str, variables: Mapping[str, str]) -> str:
    """Which program a command starts: its real path and size, so that another version under the same name is told apart."""
    found = shutil.which(name, path=variables.get("PATH"))
    if found is None:
        return name
    real = Path(found).resolve()
    try:
        return f"{real} {real.stat().st_size}"
    except OSError:
        return str(real)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
