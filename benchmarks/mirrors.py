"""The command line that every benchmark has, and the repositories that it is pointed at."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def arguments(description: str, data: str = "", more: Callable[[argparse.ArgumentParser], None] | None = None) -> argparse.Namespace:
    """`[--data DIR] [--mirror DIR] [--split S] [--json] [--only NAME]`. data: the default folder of ../shared/bench. more: adds its own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "bench" / data if data else None)
    parser.add_argument(
        "--mirror", type=Path, default=Path(os.environ.get("MIRROR", ROOT.parent / ".mirror")), help="bare repositories as owner+name/repo"
    )
    parser.add_argument("--split", default="dev")
    parser.add_argument("--json", action="store_true", help="one JSON object with the same figures")
    parser.add_argument("--only", action="append", default=[], help="only repositories with this in their name")
    if more is not None:
        more(parser)
    return parser.parse_args()


def repositories(asked: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """(owner/name, bare git directory) of every repository under --mirror."""
    found = sorted(p for p in asked.mirror.glob("*/repo") if p.is_dir())
    if not found:
        sys.exit(f"no repositories under {asked.mirror}: give --mirror a folder of bare repositories as owner+name/repo")
    for path in found:
        name = path.parent.name.replace("+", "/", 1)
        if not asked.only or any(part in name for part in asked.only):
            yield name, path


def git(directory: Path, *words: str) -> str:
    """The output of a git command."""
    env = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(["git", "-C", str(directory), *words], check=True, capture_output=True, text=True, env=env).stdout.strip()


def bare_clone(source: Path, target: Path, revision: str) -> Path:
    """A bare clone that borrows the objects of `source`, its branch `main` at `revision`."""
    git(source, "clone", "--quiet", "--bare", "--shared", str(source), str(target))
    git(target, "update-ref", "--no-deref", "refs/heads/knowledge-bench", revision)
    git(target, "symbolic-ref", "HEAD", "refs/heads/knowledge-bench")
    return target


def report(asked: argparse.Namespace, figures: dict[str, Any], columns: list[str]) -> None:
    """Print figures {row: {column: value}} as a table, or as JSON."""
    if asked.json:
        print(json.dumps(figures, indent=1))
        return
    rows = [["", *columns], *([name, *(_shown(row.get(c)) for c in columns)] for name, row in figures.items())]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "" if value is None else str(value)
