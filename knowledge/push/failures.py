"""What failures have in common: the line that tells why, and a signature in which two failures of one cause agree."""

from __future__ import annotations

import re

_MOST_TEXT = 20_000
_ERROR_LINE = re.compile(
    r"error|fail|denied|refused|not found|cannot|can't|unable|invalid|unauthori[sz]ed|forbidden|timed? ?out|exception|missing|expired"
    r"|오류|실패|거부|없습니다|만료",
    re.IGNORECASE,
)
_DIFFERING = (
    (re.compile(r"\x1b\[[0-9;]*[A-Za-z]"), ""),
    (re.compile(r"https?://([^/\s'\"]+)[^\s'\"]*"), r"\1"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[\w.@~-]*[/\\])+[\w.@~-]*"), "<path>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "<id>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", re.IGNORECASE), "<id>"),
    (re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,}\b"), "<id>"),
    (re.compile(r"\d+(?:[.,:]\d+)*"), "<n>"),
)
_SIGNATURE_CHARACTERS = 160


def failure_line(result: str) -> str:
    """The line of a failed call's output that says most about why it failed; "" for none."""
    lines = [" ".join(line.split()) for line in result[-_MOST_TEXT:].splitlines() if line.strip()]
    telling = [line for line in lines if _ERROR_LINE.search(line) and not line.startswith(("File ", "at "))]
    return (telling or lines or [""])[-1][:400]


def failure_signature(operation: str, result: str) -> str:
    """What two failures of one cause have in common: the operation and the telling line, paths, numbers, ids and addresses out; "" for no output."""
    line = failure_line(result)
    if not line:
        return ""
    for pattern, stand_in in _DIFFERING:
        line = pattern.sub(stand_in, line)
    return f"{operation}: {line.lower()[:_SIGNATURE_CHARACTERS]}".strip()
