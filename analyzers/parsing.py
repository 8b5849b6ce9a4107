"""Bytes → a syntax tree within limits. The only user of tree-sitter.

A grammar is used only if it is in `GRAMMARS`: some grammars of the pack never end on some input, and nothing but killing the process
stops a parse (the caller runs this in a child process that can be killed).

Positions everywhere are byte offsets into `Parsed.source`: the file's own bytes, except where the file is not UTF-8 (a PEP 263 cookie, a
UTF-16 mark). Such a file is decoded and written as UTF-8 again, and offsets are into that text: `source_text` gives it to whoever
wants to show a range.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import TypeVar

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree
from tree_sitter_language_pack import get_language

from analyzers.facts import Limitation, Skipped, Span
from analyzers.registry import LANGUAGES

__all__ = ["ERROR_KIND", "MAX_BYTES", "MAX_DEPTH", "MAX_LINE", "Edit", "Grammar", "Node", "Parsed", "grammar_of", "parse", "source_text"]

GRAMMARS = frozenset({
    "bash", "c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "lua", "php", "python", "ruby", "rust", "scala", "solidity", "swift",
    "tsx", "typescript",
})  # fmt: skip

MAX_BYTES = 2_000_000
"""Larger files are skipped: `file-too-large`."""
MAX_LINE = 20_000
"""A file with a longer line (bytes, what stands in quotes aside) is skipped: `minified`."""
MAX_DEPTH = 500
"""A syntax tree nested deeper than this is skipped: `too-deep`."""

MAX_MATCHES = 500
"""So many matches of a query may have begun and not ended; more would take the square of the tree's depth."""

ERROR_KIND = 65_535
"""`Node.kind_id` of a syntax error, in every grammar."""
T = TypeVar("T")

_COOKIE = re.compile(rb"\A(?:[ \t\f]*(?:#[^\n]*)?\r?\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_TEXT_CODECS = re.compile(
    r"(?:iso8859-\d+|cp\d+|koi8-[rtu]|kz1048|mac-\w+|gbk|gb2312|gb18030|hz|big5\w*|euc_\w+|shift_jis\w*|johab|iso2022_\w+|ascii|utf-8|tis-620|ptcp154|hp-roman8)\Z"
)
_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_QUOTED = re.compile(rb"""(["'`])(?:(?!\1)[^\\]|\\.)*+(?:\1|\\?\Z)""", re.DOTALL)
"""A text in quotes, or from a quote to the end: so that no part of a line is looked through twice."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the text between an earlier parse and this one: bytes [start, old_end) became [start, new_end)."""

    start: int
    old_end: int
    new_end: int


class Grammar:
    """One grammar: its node kinds by number, so that an analyzer's tables are plain lists."""

    def __init__(self, name: str) -> None:
        self.language: Language = get_language(name)  # type: ignore[arg-type]
        self.parser = Parser(self.language)
        self.errors = Query(self.language, "(ERROR) @error (MISSING) @error")
        self.count = self.language.node_kind_count
        self.kinds: list[str] = self.table("")
        self.is_named: list[bool] = self.table(True)
        for kind in range(self.count):
            self.kinds[kind] = self.language.node_kind_for_id(kind) or ""
            self.is_named[kind] = self.language.node_kind_is_named(kind)
        self.kinds[ERROR_KIND] = "ERROR"
        self._queries: dict[str, Query] = {}

    def query(self, text: str) -> Query:
        """A query of this grammar, compiled once. Raises ValueError for one that does not fit it."""
        if text not in self._queries:
            self._queries[text] = Query(self.language, text)
        return self._queries[text]

    def has_kind(self, name: str, *, named: bool = True) -> bool:
        """Whether `kind` has an answer."""
        return self.language.id_for_node_kind(name, named) is not None

    @staticmethod
    def table(default: T) -> list[T]:
        """A list with a place for the number of every kind of node, that of syntax errors (65535) too."""
        return [default] * (ERROR_KIND + 1)

    def kind(self, name: str, *, named: bool = True) -> int:
        """The number (`Node.kind_id`) of a kind of node; of a token such as `not in` with `named=False`. Raises LookupError."""
        found = self.language.id_for_node_kind(name, named)
        if found is None:
            raise LookupError(f"the grammar {self.language.name} has no node kind {name!r}")
        return found


@dataclass(slots=True, eq=False)
class Parsed:
    """One file's text and its syntax tree.

    row_starts: the byte offset at which each row begins. errors: the spans of its syntax errors and of tokens that are missing.
    """

    language: str
    grammar: Grammar
    source: bytes
    tree: Tree
    row_starts: list[int]
    is_reencoded: bool = False
    is_mended: bool = False
    errors: tuple[tuple[int, int], ...] = ()
    limitations: list[Limitation] = field(default_factory=list)
    root: Node = field(init=False)
    """One object for all who walk: what one has seen of the tree the next finds at hand."""

    def __post_init__(self) -> None:
        self.root = self.tree.root_node

    @property
    def line_count(self) -> int:
        if not self.source:
            return 0
        return len(self.row_starts) - self.source.endswith(b"\n")

    def row(self, offset: int) -> int:
        return bisect_right(self.row_starts, offset) - 1

    def span(self, start: int, end: int) -> Span:
        """The range [start, end) with its rows and byte columns."""
        return self.spans()(start, end)

    def spans(self) -> Callable[[int, int], Span]:
        """`span` as a function of its own, fast where ranges come roughly in the order of the text."""
        starts = [*self.row_starts, len(self.source) + 1]
        row, first, after = 0, 0, starts[1]

        def span(start: int, end: int) -> Span:
            nonlocal row, first, after
            if not first <= start < after:
                row = bisect_right(starts, start) - 1
                first, after = starts[row], starts[row + 1]
            if end < after:
                return Span(start, end, row, start - first, row, end - first)
            end_row = bisect_right(starts, end) - 1
            return Span(start, end, row, start - first, end_row, end - starts[end_row])

        return span

    def text(self, start: int, end: int) -> str:
        return self.source[start:end].decode("utf-8", "replace")

    def mend(self, text: bytes) -> bool:
        """Take the tree of `text`, which is as long as the source, if it has fewer syntax errors; says whether it had.

        For what the grammar cannot read as it is written. Everything else, ranges and texts too, stays that of the source.
        """
        tree = self.grammar.parser.parse(text)
        errors = _errors_of(self.grammar, tree)
        if len(errors) >= len(self.errors):
            return False
        self.tree, self.root, self.errors, self.is_mended = tree, tree.root_node, errors, True
        return True

    def matches(self, query: str) -> tuple[list[tuple[int, dict[str, list[Node]]]], bool]:
        """What a query finds: the number of each match's pattern and its captures by name; and whether that is all.

        Raises ValueError for a query that does not fit the grammar.
        """
        cursor = QueryCursor(self.grammar.query(query), match_limit=MAX_MATCHES)
        found = cursor.matches(self.root)
        return found, not cursor.did_exceed_match_limit

    def overlaps_error(self, start: int, end: int) -> bool:
        """Whether a syntax error touches [start, end)."""
        return any(first < end and (last > start or first == last >= start) for first, last in self.errors)

    def error_rows(self) -> tuple[tuple[int, int], ...]:
        return tuple(sorted({(self.row(start), self.row(max(start, end - 1))) for start, end in self.errors}))


@cache
def grammar_of(language: str) -> Grammar:
    """The grammar of a language of the registry. Raises LookupError for a language that has none."""
    spec = LANGUAGES[language]
    if spec.grammar not in GRAMMARS:
        raise LookupError(f"no grammar is allowed for {language!r}")
    return Grammar(spec.grammar)


def parse(content: bytes, language: str, earlier: Parsed | None = None, edits: Sequence[Edit] = ()) -> Parsed | Skipped:
    """The syntax tree of a file's bytes.

    With `earlier` (the parse of the text before) and the edits made since, in the order made, only what they touch is parsed again. The
    result is the same as without. Raises LookupError for a language without a grammar.
    """
    grammar = grammar_of(language)
    decoded = _decode(content, language)
    source = decoded if isinstance(decoded, Skipped) else _checked(decoded)
    if isinstance(source, Skipped):
        return source
    lengths = list(map(len, source.split(b"\n")))
    long_line = _long_line(source, lengths)
    row_starts = [0, *accumulate(map((1).__add__, lengths))]
    row_starts.pop()
    if long_line:
        return Skipped(Limitation("minified", f"a line of {long_line} bytes, the limit is {MAX_LINE}"))
    is_usable = earlier is not None and earlier.grammar is grammar and not earlier.is_mended
    old_tree = _edited_tree(earlier, edits, source, row_starts) if earlier is not None and is_usable else None
    tree = grammar.parser.parse(source, old_tree) if old_tree is not None else grammar.parser.parse(source)
    parsed = Parsed(language, grammar, source, tree, row_starts)
    if decoded is not content:
        parsed.is_reencoded = True
        parsed.limitations.append(Limitation("reencoded", "the file is not UTF-8: offsets are into its text as UTF-8"))
    parsed.errors = _errors_of(grammar, tree)
    return parsed


def _errors_of(grammar: Grammar, tree: Tree) -> tuple[tuple[int, int], ...]:
    root = tree.root_node
    if not root.has_error:
        return ()
    found = QueryCursor(grammar.errors).captures(root).get("error", [])
    return tuple(sorted((node.start_byte, node.end_byte) for node in found)) or ((0, root.end_byte),)


def _long_line(source: bytes, lengths: Sequence[int]) -> int:
    """The length of the longest line that a tool must have written; 0: none. A text in quotes may be as long as it likes."""
    if max(lengths) <= MAX_LINE:
        return 0
    return max((length for line in source.split(b"\n") if (length := len(line)) > MAX_LINE and len(_QUOTED.sub(b"", line)) > MAX_LINE), default=0)


def source_text(content: bytes, language: str) -> bytes | Skipped:
    """The text that is parsed: `content` itself, or the same in UTF-8 where the file says that it is in another encoding.

    Lone carriage returns, which end a line too, become line feeds; no offset moves by that.
    """
    decoded = _decode(content, language)
    return decoded if isinstance(decoded, Skipped) else _checked(decoded)


def _checked(text: bytes) -> bytes | Skipped:
    if b"\0" in text:
        return Skipped(Limitation("binary", "the file has NUL bytes"))
    return _LONE_RETURN.sub(b"\n", text) if b"\r" in text else text


def _decode(content: bytes, language: str) -> bytes | Skipped:
    """The text in UTF-8: `content` itself where it is that already."""
    if len(content) > MAX_BYTES:
        return Skipped(Limitation("file-too-large", f"{len(content)} bytes, the limit is {MAX_BYTES}"))
    if content.isascii():
        return content
    codec = next((codec for mark, codec in _MARKS if content.startswith(mark)), "")
    if not codec and language == "python" and (cookie := _COOKIE.match(content)) and not content.startswith(codecs.BOM_UTF8):
        codec = _text_codec(cookie[1].decode("ascii", "replace"))
        if not codec:
            return Skipped(Limitation("undecodable", f"unknown encoding {cookie[1].decode('ascii', 'replace')}"))
    try:
        text = content.decode(codec or "utf-8")
        return content if codec in ("", "utf-8") else text.encode()
    except UnicodeError as error:
        if b"\0" in content:
            return Skipped(Limitation("binary", "the file has NUL bytes"))
        return Skipped(Limitation("undecodable", f"not {codec or 'utf-8'}: {type(error).__name__}"))


def _text_codec(name: str) -> str:
    """Python's name of a text encoding that is safe to run on anybody's bytes; "" for any other."""
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return ""
    return found if _TEXT_CODECS.match(found) else ""


def _edited_tree(earlier: Parsed, edits: Sequence[Edit], source: bytes, row_starts: list[int]) -> Tree | None:
    """The earlier tree with the edits marked in it; None where they do not lead from the earlier text to this one."""
    length = len(earlier.source)
    tree = earlier.tree.copy()
    for edit in edits:
        if not 0 <= edit.start <= edit.old_end <= length or edit.new_end < edit.start:
            return None
        length += edit.new_end - edit.old_end
        # Points of an edit between others are approximate in rows; tree-sitter looks at bytes to find what is to be parsed again.
        tree.edit(
            edit.start, edit.old_end, edit.new_end, _point(earlier.row_starts, edit.start), _point(earlier.row_starts, edit.old_end),
            _point(row_starts, edit.new_end),
        )  # fmt: skip
    return tree if length == len(source) else None


def _point(row_starts: list[int], offset: int) -> tuple[int, int]:
    row = bisect_right(row_starts, offset) - 1
    return row, offset - row_starts[row]
