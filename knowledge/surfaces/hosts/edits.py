"""Changing other programs' files: only our own part of them, again and again the same, and away without a trace. Pure; writing is the caller's."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from knowledge.errors import InvalidRecordError


@dataclass(frozen=True, slots=True)
class Edit:
    """A file as it is and as it should be, by its path from the project's root. None: it is not there, or should not be."""

    path: PurePosixPath
    before: str | None
    after: str | None

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        names = ("/dev/null" if self.before is None else f"a/{self.path}", "/dev/null" if self.after is None else f"b/{self.path}")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in difflib.unified_diff(old, new, *names))


def with_json(text: str | None, keys: Sequence[str], value: Any, path: PurePosixPath) -> str | None:
    """The JSON text with `value` under a path of keys; None for the value takes it out, and what is empty then goes too.

    Raises InvalidRecordError where the text is no JSON object, or something else stands in the way.
    """
    try:
        whole = json.loads(text) if text and text.strip() else {}
    except ValueError as error:
        raise InvalidRecordError(f"{path} is not JSON ({error}); mend it first, nothing was written") from error
    steps, holder = [], whole
    for key in keys[:-1]:
        steps.append((holder, key))
        if not isinstance(holder, dict) or not isinstance(holder.get(key, {}), dict):
            raise InvalidRecordError(f"{path} has no object at {'.'.join(keys[:-1])}; mend it first, nothing was written")
        if key not in holder and value is None:
            return text
        holder = holder.setdefault(key, {})
    if not isinstance(holder, dict):
        raise InvalidRecordError(f"{path} is no JSON object; mend it first, nothing was written")
    if holder.get(keys[-1]) == value:
        return text
    if value is None:
        del holder[keys[-1]]
        for parent, key in reversed(steps):
            if not parent[key]:
                del parent[key]
        if not whole:
            return None
    else:
        holder[keys[-1]] = value
    return json.dumps(whole, indent=_indent(text), ensure_ascii=False) + "\n"


def with_hooks(text: str | None, groups: Mapping[str, Any], mark: str, path: PurePosixPath) -> str | None:
    """The JSON text with a list of hooks under `hooks` → event: ours, which contain `mark`, are replaced by those given; others stay in their order.

    Raises InvalidRecordError as `with_json` does.
    """
    try:
        there = json.loads(text) if text and text.strip() else {}
    except ValueError as error:
        raise InvalidRecordError(f"{path} is not JSON ({error}); mend it first, nothing was written") from error
    hooks = there.get("hooks", {}) if isinstance(there, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(entries, list) for entries in hooks.values()):
        raise InvalidRecordError(f"{path} has no lists of hooks at `hooks`; mend it first, nothing was written")
    for event in [*hooks, *(event for event in groups if event not in hooks)]:
        theirs = [entry for entry in hooks.get(event, []) if mark not in json.dumps(entry)]
        entries = [*theirs, *([groups[event]] if event in groups else [])]
        text = with_json(text, ("hooks", event), entries or None, path)
    return text


def _indent(text: str | None) -> int | str:
    """As the file has it already."""
    found = re.search(r"^([ \t]+)\S", text or "", re.MULTILINE)
    return "\t" if found and found[1].startswith("\t") else len(found[1]) if found else 2


def with_block(text: str | None, block: str, marks: tuple[str, str]) -> str | None:
    """The text with a block between two marks, replacing what stands between them; "" for the block takes it out. None: nothing is left."""
    begin, end = marks
    kept = text or ""
    found = re.search(rf"\n?{re.escape(begin)}\n.*?{re.escape(end)}\n?", kept, re.DOTALL)
    if found is not None:
        before, after = kept[: found.start()], kept[found.end() :]
        kept = before + ("\n" if before and not before.endswith("\n") else "") + after
        if block:
            return f"{before}{_gap(before)}{begin}\n{block.strip()}\n{end}\n{after}"
        return kept if kept.strip() else None
    if not block:
        return text
    return f"{kept}{_gap(kept)}{begin}\n{block.strip()}\n{end}\n"


def _gap(before: str) -> str:
    return "" if not before else "\n" if before.endswith("\n") else "\n\n"
