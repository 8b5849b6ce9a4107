"""The entry point. It imports nothing heavy: `status` and `--version` are answered here with the standard library alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from knowledge import __version__
from knowledge.surfaces.cli.failures import INTERRUPTED, READER_GONE, report
from knowledge.surfaces.cli.settings import Settings, asks_for_json, read_plain_request


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (default: this process's) and return the exit code (`docs/exit-codes.md`)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its escape, never a crash.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    try:
        code = _run(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered would fail again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    return code


def _run(words: list[str]) -> int:
    if words == ["--version"]:
        sys.stdout.write(f"knowledge {__version__}\n")
        return 0
    settings = read_plain_request(words, "status")
    name = "app" if settings is None else "status_view"
    try:
        code: int = import_module(f"knowledge.surfaces.cli.{name}").run(words if settings is None else settings)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as failure:
        return report(failure, settings or Settings(is_json=asks_for_json(words), is_plain="--no-color" in words))
    return code
