"""How the command line ends: exit codes, and errors as people or programs read them. Standard library only."""

from __future__ import annotations

import sys
import traceback
from typing import TextIO

from knowledge.errors import KnowledgeError
from knowledge.surfaces.cli.json_text import error_value, json_text
from knowledge.surfaces.cli.safe_text import clean
from knowledge.surfaces.cli.settings import Settings, wants_colour

FOUND = 1
"""`--check` was given and there is something to look at."""
INTERRUPTED = 130
_ONE_LINE = 60
"""Characters of suggestions that are told on one line."""
READER_GONE = 141
"""Whoever read our output went away, as with `| head`: what a shell reports for SIGPIPE."""


class FileFailureError(KnowledgeError):
    """A file or folder that the person named, or that we need, cannot be read or written."""

    exit_code = 74
    code = "file"


class DefectError(KnowledgeError):
    """Something that this program should have foreseen."""

    exit_code = 70
    code = "defect"


def explain(failure: BaseException) -> KnowledgeError:
    """Any failure as one that can be told."""
    if isinstance(failure, KnowledgeError):
        return failure
    if isinstance(failure, OSError) and failure.filename is not None:
        return FileFailureError(f"{failure.strerror or failure}: {failure.filename}")
    return DefectError(f"{type(failure).__name__}: {failure}; this is a defect of knowledge, please report it with the lines above")


def report(failure: BaseException, settings: Settings) -> int:
    """Tell a failure, on standard error for people or as JSON on standard output; the exit code."""
    error = explain(failure)
    if isinstance(error, DefectError):
        traceback.print_exception(failure, file=sys.stderr)
    if settings.is_json:
        sys.stdout.write(json_text(error_value(error), is_indented=sys.stdout.isatty(), is_ascii=not takes_unicode(sys.stdout)))
    else:
        sys.stderr.write(_for_people(error, has_colour=wants_colour(sys.stderr, settings)))
    return error.exit_code


def takes_unicode(stream: TextIO) -> bool:
    """Whether the stream's encoding holds every character."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def _for_people(error: KnowledgeError, *, has_colour: bool) -> str:
    head = "\x1b[1;31merror:\x1b[0m" if has_colour else "error:"
    lines = [f"{head} {clean(error.message)}"]
    meant = [clean(suggestion) for suggestion in error.suggestions]
    if sum(map(len, meant)) > _ONE_LINE:
        lines += ["did you mean:", *(f"  {suggestion}" for suggestion in meant)]
    elif meant:
        lines.append(f"did you mean: {', '.join(meant)}")
    return "\n".join(lines) + "\n"
