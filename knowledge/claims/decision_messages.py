"""Decisions as commit messages keep them: what was decided, what bound it, what was rejected and why. English and Korean alike.

    Decision: keep sessions in Redis              결정: 세션은 Redis에 둔다
    Constraint: no new service before the move    제약: 이전하기 전에는 새 서비스를 두지 않는다
    Rejected: cookies — too large                 기각: 쿠키 - 너무 크다
    Rejected:                                     기각한 안:
    - memory: lost at a restart                   - 메모리: 다시 시작하면 사라진다

A key begins a line, also as a heading (`## Decision`), in bold, or with a bullet of its own; its text goes on over the following lines up to an empty
one, another key or a trailer (`Signed-off-by: …`); below a key without a text a list stands for it. Where a message has constraints or rejected
alternatives and says no decision of its own, its subject is the decision. Nothing is guessed from other prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

Key = Literal["decision", "constraint", "rejected"]

KEYS: dict[Key, tuple[str, ...]] = {
    "decision": ("decision", "decisions", "decided", "결정", "결정 사항", "결정사항"),
    "constraint": ("constraint", "constraints", "제약", "제약 사항", "제약사항", "제약 조건", "제약조건"),
    "rejected": (
        "rejected", "rejected alternative", "rejected alternatives", "alternatives rejected", "alternatives considered and rejected",
        "기각", "기각안", "기각한 안", "기각한 대안", "기각된 안", "기각된 대안",
    ),
}  # fmt: skip
"""What a key may be called."""

_KEY_OF: dict[str, Key] = {name: key for key, names in KEYS.items() for name in names}
_NAMES = "|".join(re.escape(name).replace(r"\ ", r"[ -]") for name in sorted(_KEY_OF, key=len, reverse=True))
_BULLET = r"(?:[-*+•·‣]|\d{1,3}[.)])\s+"
_LINE = re.compile(
    rf"(?P<bullet>\s{{0,8}}{_BULLET})?(?P<heading>\#{{1,6}}\s+)?(?:\*\*|__)?(?P<key>{_NAMES})(?:\*\*|__)?\s*(?P<colon>[:：])?(?:\*\*|__)?\s*(?P<text>.*)\Z",
    re.IGNORECASE,
)
_ITEM = re.compile(rf"(?P<indent>\s*){_BULLET}(?P<text>\S.*)\Z")
_TRAILER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*(?:-[Bb]y)?:\s|#|\(cherry picked from commit ")
_REASONS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (
    r"\s*\|\s*", r"\s*—\s*", r"\s+–\s+", r"\s+--\s+", r"\s+-\s+", r"\s*[:：]\s+", r",?\s+because\s+(?:of\s+)?",
))  # fmt: skip
"""What stands between an alternative and the reason against it, the clearest first."""
_IN_BRACKETS = re.compile(r"(?P<alternative>[^()]+?)\s*\((?P<reason>[^()]+)\)\Z")
_BECAUSE = re.compile(r"(?P<alternative>[^,]+),\s*(?P<reason>\S.*(?:때문에|때문|므로))\s*(?:기각)?\Z")
LONGEST = 64 * 1024
"""Characters of a message that are read."""


@dataclass(frozen=True, slots=True)
class Told:
    """A decision that a message tells. rejected: (alternative, reason), the reason "" where none is given. is_subject: it is the message's subject.

    lines: the first and the last line of the message that tell of it, from 0.
    """

    statement: str
    constraints: tuple[str, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    is_subject: bool = False
    lines: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class _Section:
    """What one key says: its texts. is_list: they stand below the key. indent: of the list's items. is_apart: an empty line came last."""

    key: Key
    row: int
    last: int
    is_list: bool = False
    texts: list[str] = field(default_factory=list)
    indent: int = -1
    is_apart: bool = False


def read_decisions(message: str) -> tuple[Told, ...]:
    """The decisions that a commit message tells, in order; () for most messages."""
    lines = message[:LONGEST].split("\n")
    sections = _sections(lines)
    if not sections:
        return ()
    found: list[Told] = []
    waiting: list[_Section] = []
    for section in sections:
        if section.key == "decision":
            found += [Told(text, lines=(section.row, section.last)) for text in section.texts]
        elif found:
            found[-1] = _with(found[-1], section)
        else:
            waiting.append(section)
    if not found:
        subject = next((line.strip() for line in lines if line.strip()), "")
        found = [Told(subject, is_subject=True, lines=(waiting[0].row, waiting[0].last))]
    for section in waiting:
        # What stands before the only decision, or before the first of several, belongs to that one.
        found[0] = _with(found[0], section)
    return tuple(found)


def _with(told: Told, section: _Section) -> Told:
    lines = min(told.lines[0], section.row), max(told.lines[1], section.last)
    if section.key == "constraint":
        return replace(told, constraints=(*told.constraints, *section.texts), lines=lines)
    return replace(told, rejected=(*told.rejected, *(split_reason(text) for text in section.texts)), lines=lines)


def _sections(lines: list[str]) -> list[_Section]:
    """The keys with their texts. In the subject only a decision is one: `constraint: handle null` is a prefix like any other."""
    found: list[_Section] = []
    is_open = False
    for row, line in enumerate(lines):
        match = _LINE.match(line)
        key = _key(match) if match is not None else None
        if match is not None and key is not None and (row or key == "decision"):
            text = _plain(match["text"])
            found.append(_Section(key, row, row, is_list=not text, texts=[text] if text else []))
            is_open = True
        elif is_open:
            is_open = _go_on(found[-1], line, row)
    return [section for section in found if section.texts]


def _key(match: re.Match[str]) -> Key | None:
    is_said = match["colon"] or (match["heading"] and not match["text"].strip())
    return _KEY_OF[re.sub(r"[ -]+", " ", match["key"].lower())] if is_said else None


def _go_on(section: _Section, line: str, row: int) -> bool:
    """Take a line below a key: an item of its list, or more of a text. False where it is neither, and nothing after it is."""
    if not line.strip():
        # A list may stand apart from its key, and its items from one another; a text ends here.
        section.is_apart = True
        return section.is_list
    item = _ITEM.match(line)
    indent = len(line) - len(line.lstrip())
    if item is not None and (section.is_list or section.key != "decision") and (section.indent < 0 or indent <= section.indent):
        section.is_list, section.indent = True, indent
        section.texts.append(_plain(item["text"]))
    elif _TRAILER.match(line) or (item is not None and section.indent < 0) or (section.is_apart and section.texts):
        return False
    elif section.texts:
        section.texts[-1] = f"{section.texts[-1]} {_plain(item['text'] if item is not None else line)}"
    else:
        # A paragraph below a heading.
        section.texts.append(_plain(line))
        section.is_list = False
    section.last, section.is_apart = row, False
    return True


def _plain(text: str) -> str:
    return " ".join(text.strip().strip("*_").split())


def split_reason(text: str) -> tuple[str, str]:
    """(alternative, reason) of `ALT — reason`, `ALT | reason`, `ALT (reason)` …; the reason "" where none is told apart."""
    for pattern in _REASONS:
        found = pattern.search(text)
        if found is not None and found.start() and found.end() < len(text):
            return text[: found.start()].strip(), text[found.end() :].strip()
    for pattern in (_IN_BRACKETS, _BECAUSE):
        match = pattern.match(text)
        if match is not None:
            return match["alternative"].strip(), match["reason"].strip()
    return text.strip(), ""
