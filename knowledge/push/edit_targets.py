"""Which lines of which files a call is about to change, read from what each program's editing tools take. Pure: no file is read here.

Claude Code: Edit, Write, MultiEdit, NotebookEdit. Codex: apply_patch, as a tool or in a shell's here-document. Gemini CLI: replace, write_file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_MOST_TEXT = 400_000
_PATHS = ("file_path", "path", "notebook_path", "filePath", "absolute_path", "target_file")
_OLD = ("old_string", "old_str", "oldString")
_WHOLE = ("content", "new_source", "file_text", "contents")
_PATCHES = ("input", "patch", "command", "cmd", "diff")
_PATCH = re.compile(r"^\*\*\* Begin Patch\s*$", re.MULTILINE)
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$")


@dataclass(frozen=True, slots=True)
class EditTarget:
    """A file that a call changes. path: as the call names it. pieces: texts of the file, as it is, in which the change lies; () = all of it."""

    path: str
    pieces: tuple[str, ...] = ()


def edit_targets(tool: str, arguments: Mapping[str, object]) -> tuple[EditTarget, ...]:
    """The files that a call changes; () for a call that edits nothing, or in a way that is not known here."""
    if patch := _patch_text(arguments):
        return tuple(_of_patch(patch))
    path = next((value for key in _PATHS if isinstance(value := arguments.get(key), str) and value), "")
    if not path:
        return ()
    edits = arguments.get("edits")
    if isinstance(edits, list):
        pieces = tuple(old for edit in edits if isinstance(edit, Mapping) and (old := _first(edit, _OLD)))
        return (EditTarget(path, pieces),) if pieces else ()
    if any(key in arguments for key in _OLD):
        old = _first(arguments, _OLD)
        return (EditTarget(path, (old,)),) if old else ()
    # A file written whole; something that has neither an old nor a new text only reads.
    return (EditTarget(path),) if any(isinstance(arguments.get(key), str) for key in _WHOLE) else ()


def _first(values: Mapping[str, object], keys: tuple[str, ...]) -> str:
    return next((value[:_MOST_TEXT] for key in keys if isinstance(value := values.get(key), str) and value), "")


def _patch_text(arguments: Mapping[str, object]) -> str:
    for key in _PATCHES:
        value = arguments.get(key)
        text = "\n".join(str(word) for word in value) if isinstance(value, list) else value
        if isinstance(text, str) and (found := _PATCH.search(text[:_MOST_TEXT])):
            return text[found.end() : _MOST_TEXT]
    return ""


def _of_patch(text: str) -> Iterator[EditTarget]:
    """A patch as apply_patch takes it: for each file hunks of lines that stay (blank), go (-) and come (+)."""
    verb, path = "", ""
    hunks: list[list[str]] = [[]]
    for line in [*text.splitlines(), "*** End Patch"]:
        begins = _FILE.match(line)
        if begins is None and not line.startswith("*** End Patch"):
            if line.startswith("@@"):
                hunks.append([])
            elif line[:1] in (" ", "-"):
                hunks[-1].append(line[1:])
            continue
        if verb == "Delete":
            yield EditTarget(path)
        elif verb == "Update" and (pieces := tuple(piece for hunk in hunks if (piece := "\n".join(hunk).strip("\n")))):
            yield EditTarget(path, pieces)
        if begins is None:
            return
        verb, path, hunks = begins[1], begins[2], [[]]
