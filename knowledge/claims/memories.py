"""What has been remembered elsewhere, read as statements: Markdown memories and instructions, decision records, JSON exports of Hindsight.

In Markdown each list item and each sentence is a statement of its own. What is no statement is passed over: headings, code, tables, quotes,
links alone, front matter, HTML comments and whatever stands between the marks of a block that this program wrote. An instruction ("Use …",
"… 하라") is a decision: it says what shall be, and is not true or false. Nothing else is guessed.

Hindsight lists its memories as `{"items": [{"id", "text", "fact_type", "date" or "mentioned_at", "tags", …}], "total", "limit", "offset"}`
(its HTTP API, `GET …/memories/list`); documents have `original_text` or `content`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from knowledge.claims.decision_messages import read_decisions
from knowledge.errors import InvalidRecordError
from knowledge.recall.chunks import sentences
from knowledge.records.claims import ClaimKind

LONGEST = 1_000_000
"""Characters of a file that are read."""
_LONGEST_STATEMENT = 2_000
_FEWEST_WORDS = 3
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)\Z")
_NO_STATEMENT = re.compile(r"\s*(?:#{1,6}\s|\||>|!\[|<|@|[-*_=]{3,}\s*\Z|\[[^\]]+\]:)")
_LINK_ALONE = re.compile(r"\[[^\]]*\]\([^)]*\)[.:]?\Z")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_OWN_BLOCK = re.compile(r"<!-- >>> knowledge.*?<!-- <<< knowledge[^\n]*", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT_MATTER = re.compile(r"---\n.*?\n---\n", re.DOTALL)
_ORDERS = (
    "please", "always", "never", "do not", "don't", "prefer", "avoid", "ensure", "make sure", "use", "run", "add", "keep", "write", "put", "follow",
    "check", "read", "create", "update", "remove", "see", "call", "set", "start", "stop", "import", "name", "place", "return", "test", "commit",
    "treat", "leave", "let", "ask", "remember", "note",
)  # fmt: skip
_INSTRUCTION = re.compile(rf"(?:{'|'.join(_ORDERS)})\b(?!\s+(?:of|is|are|was|were|has|have|does|do)\b)", re.IGNORECASE)
_KOREAN_ORDERS = ("하라", "하세요", "하십시오", "해라", "말라", "마라", "마세요", "말 것", "할 것", "야 한다", "야 함", "쓰자", "하자", "금지")
_KOREAN_INSTRUCTION = re.compile(rf"(?:{'|'.join(_KOREAN_ORDERS)})[.!]?\Z")


@dataclass(frozen=True, slots=True)
class Remembered:
    """One statement that somebody wrote down. rows: its first and last line in the file, from 0. said_at: "" where it is not known."""

    text: str
    kind: ClaimKind
    rows: tuple[int, int] = (0, 0)
    heading: str = ""
    said_at: str = ""
    tags: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()


def read_markdown(text: str, *, kind: ClaimKind) -> list[Remembered]:
    """The statements of a memory or of instructions; `kind` is what a plain statement is taken for."""
    text = _blanked(text[:LONGEST])
    found = []
    for first, last, heading, block in _blocks(text.split("\n")):
        for sentence in sentences(block):
            plain = _plain(sentence)
            if _says_something(plain):
                is_rule = bool(_INSTRUCTION.match(plain) or _KOREAN_INSTRUCTION.search(plain))
                found.append(Remembered(plain[:_LONGEST_STATEMENT], "decision" if is_rule else kind, (first, last), heading))
    return found


def read_decision_record(text: str) -> list[Remembered]:
    """What a decision record decides, with its constraints and rejected alternatives; nothing where it does not say so under such a heading."""
    return [
        Remembered(told.statement[:_LONGEST_STATEMENT], "decision", told.lines, "", "", (), told.constraints, told.rejected)
        for told in read_decisions(text)
        if not told.is_subject and _says_something(told.statement)
    ]


def read_hindsight(text: str) -> tuple[list[Remembered], str]:
    """The memories of an export, and what is to be noted of it ("" for nothing). Raises InvalidRecordError for what is no such export."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise InvalidRecordError(f"it is not JSON: {error}") from error
    items = _items(given)
    found = [one for item in items if isinstance(item, dict) and (one := _memory(item)) is not None]
    passed = len(items) - len(found)
    total = given.get("total") if isinstance(given, dict) else None
    notes = [f"{passed} without a text"] if passed else []
    if isinstance(total, int) and total > len(items):
        notes.append(f"it holds {len(items)} of {total} memories")
    return found, "; ".join(notes)


def _items(given: Any) -> list[Any]:
    if isinstance(given, list):
        return given
    for key in ("items", "memories", "memory_units", "facts", "results", "documents"):
        if isinstance(given, dict) and isinstance(given.get(key), list):
            return list(given[key])
    raise InvalidRecordError("it is no export of memories: expected a list, or an object with `items`, `memories`, `facts`, `results` or `documents`")


def _memory(item: dict[str, Any]) -> Remembered | None:
    text = next((item[key] for key in ("text", "content", "original_text") if isinstance(item.get(key), str)), "")
    plain = " ".join(text.split())
    if not plain:
        return None
    at = next((item[key] for key in ("mentioned_at", "occurred_start", "date", "created_at", "event_date") if isinstance(item.get(key), str)), "")
    tags = item.get("tags")
    kept = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    # An opinion is nobody's observation.
    kind: ClaimKind = "inference" if item.get("fact_type") in ("opinion", "observation") else "observation"
    return Remembered(plain[:_LONGEST_STATEMENT], kind, said_at=at, tags=kept)


def _blanked(text: str) -> str:
    """The text with what is no statement replaced by empty lines, so that lines keep their numbers."""
    for pattern in (_OWN_BLOCK, _COMMENT):
        text = pattern.sub(lambda found: "\n" * found[0].count("\n"), text)
    front = _FRONT_MATTER.match(text)
    return "\n" * front[0].count("\n") + text[front.end() :] if front else text


def _blocks(lines: list[str]) -> Iterator[tuple[int, int, str, str]]:
    """(first row, last row, heading above it, text) of each list item and paragraph."""
    heading, is_code, rows, block = "", False, (0, 0), ""
    for row, line in enumerate([*lines, ""]):
        is_fence = bool(_FENCE.match(line))
        item = None if is_code else _ITEM.match(line)
        ends = is_fence or is_code or not line.strip() or bool(_NO_STATEMENT.match(line)) or item is not None
        if block and ends:
            yield *rows, heading, block
            block = ""
        is_code ^= is_fence
        if item is not None:
            block, rows = item["text"].strip(), (row, row)
        elif not ends:
            block, rows = (f"{block} {line.strip()}", (rows[0], row)) if block else (line.strip(), (row, row))
        elif line.startswith("#") and not is_code:
            heading = line.strip("# ").strip()


def _plain(text: str) -> str:
    """Without emphasis and the addresses of links; back-ticks stay, for names stand in them."""
    if _LINK_ALONE.fullmatch(text):
        return ""
    return " ".join(re.sub(r"\*\*|__(?=\W|\Z)|(?<!\w)__", "", _LINK.sub(r"\1", text)).split())


def _says_something(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS and any(character.isalpha() for character in text) and not text.endswith(":")
