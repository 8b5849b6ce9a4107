"""Python source text in one spelling: literals by value, one way to put blanks. The spelling is that of `ast.unparse` wherever it can be."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SHORT = 200
"""Texts up to this length are remembered: annotations and defaults repeat all the time."""

_STRING = r"[rRbBuUfFtT]{0,3}(?:\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*+'''|\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+')"
_TOKEN = re.compile(
    rf"(?P<blank>(?:[ \t\r\n\f]|\\\r?\n|\#[^\n]*+)++)|(?P<string>{_STRING})"
    r"|(?P<number>(?:0[xXoObB][0-9a-fA-F_]++|(?:[0-9][0-9_]*+\.?[0-9_]*+|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9_]++)?)[jJlL]?)"
    r"|(?P<name>[^\W\d]\w*+)|(?P<operator>\*\*=?|//=?|>>=?|<<=?|->|:=|\.\.\.|[-+*/%@&|^=!<>]=|.)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(\r?\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|.)", re.DOTALL)
_SIMPLE_ESCAPES = {"\n": "", "\r\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_QUOTED_TYPE = re.compile(r"'([\w.\[\], |]+)'")
_KEYWORDS = frozenset({"and", "or", "not", "in", "is", "if", "else", "lambda", "await", "yield", "for", "async", "from", "return", "as"})
_UNARY = frozenset({"-", "+", "~", "*", "**"})
_OPENING = frozenset({"(", "[", "{"})
_BEFORE_VALUE = frozenset({"", "(", "[", "{", ",", ":", "="})
_AFTER_VALUE = frozenset({")", "]", "}", ",", "for"})
_NEEDS_PARENTHESES = frozenset({"for", "yield", ":=", "*"})
_PAIRS = {")": "(", "]": "[", "}": "{"}
_MAX_DIGITS = 1_000
"""Longer numbers stay as written: turning them into decimal costs time that grows with the square of their length."""


def quote_at(raw: str) -> int:
    """Where a string literal's first quote stands: how long its prefix is."""
    for index, character in enumerate(raw[:3]):
        if character in "'\"":
            return index
    return 3


def literal_kind(raw: str) -> str:
    """str, bytes or template, by the prefix of a string literal."""
    if raw[0] in "'\"":
        return "str"
    prefix = raw[: quote_at(raw)].lower()
    if "f" in prefix or "t" in prefix:
        return "template"
    return "bytes" if "b" in prefix else "str"


def string_value(raw: str) -> str:
    """The value of a string literal; of a bytes literal its bytes as characters; of a template what is between its quotes."""
    quote = quote_at(raw)
    prefix = raw[:quote].lower()
    width = 3 if raw[quote : quote + 3] in ("'''", '"""') and len(raw) >= quote + 6 else 1
    content = raw[quote + width : -width].replace("\r\n", "\n")
    if "r" in prefix or "f" in prefix or "t" in prefix:
        return content
    return unescape(content, has_names="b" not in prefix)


def unescape(content: str, *, has_names: bool = True) -> str:
    """What stands between the quotes of a literal that is not raw. has_names: `\\N{...}` and `\\u` are escapes (not in bytes)."""
    return _ESCAPE.sub(lambda found: _unescaped(found, has_names), content) if "\\" in content else content


def _unescaped(found: re.Match[str], has_names: bool) -> str:
    escape = found[1]
    if (simple := _SIMPLE_ESCAPES.get(escape)) is not None:
        return simple
    if escape[0] in "01234567":
        return chr(int(escape, 8))
    if escape[0] == "x" and len(escape) == 3:
        return chr(int(escape[1:], 16))
    if has_names and escape[0] in "uU" and len(escape) > 1:
        code = int(escape[1:], 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else found[0].lower()
    if has_names and escape[0] == "N" and len(escape) > 1:
        try:
            return unicodedata.lookup(escape[2:-1])
        except KeyError:
            return found[0]
    return found[0]


def spell_string(kind: str, value: str) -> str:
    """A string's one spelling."""
    if kind == "bytes":
        return repr(value.encode("latin-1", "replace"))
    return repr(value) if kind == "str" else "f" + repr(value)


def spell_number(raw: str) -> str:
    """A number's one spelling: `0x10` is 16, `1_000` is 1000, `1e3` is 1000.0."""
    text = raw.replace("_", "").lower()
    if len(text) > _MAX_DIGITS:
        return text
    try:
        if text[-1] == "j":
            return repr(float(text[:-1])).removesuffix(".0") + "j"
        if text[:2] in ("0x", "0o", "0b"):
            return str(int(text.rstrip("l"), 0))
        if "." in text or "e" in text:
            value = repr(float(text))
            is_exact = value != "inf" and (value != "0.0" or not text.partition("e")[0].strip("0."))
            return value if is_exact else text
        text = text.rstrip("l")
        return str(int(text, 8 if text[0] == "0" and text.strip("0") else 10))
    except ValueError:
        return text


def tidy(raw: str) -> str:
    """An expression's text in one spelling."""
    return _tidy_short(raw) if len(raw) <= _SHORT else _tidy(raw)


def without_quotes(annotation: str) -> str:
    """A tidy annotation with its quoted parts as the types that they name; the strings of a `Literal` stay."""
    if "'" not in annotation or "Literal" in annotation:
        return annotation
    return _QUOTED_TYPE.sub(r"\1", annotation)


def _tidy(raw: str) -> str:
    writer = _Writer()
    for found in _TOKEN.finditer(raw):
        kind = found.lastgroup or ""
        if kind != "blank":
            writer.add(kind, found[0])
    writer.end_string()
    writer.drop_redundant()
    text = "".join(writer.out)
    return f"({text})" if writer.commas[0] and len(writer.commas) == 1 else text


_tidy_short = lru_cache(maxsize=8_192)(_tidy)


class _Writer:
    """Puts tokens together again."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.brackets: list[tuple[str, bool, int]] = []
        """(bracket, whether it follows an operand, index of it in `out`)"""
        self.commas = [0]
        self.lambdas = [0]
        self.last = ""
        self.is_operand = False
        """Whether what was written last ends an operand."""
        self.is_glued = True
        """Whether the next token follows without a blank."""
        self.string: tuple[str, list[str]] | None = None
        """Kind and parts of the string literal written last, to which the next is joined."""
        self.redundant = -1
        """Where in `out` stands the opening of parentheses just closed that may not be needed."""

    def add(self, kind: str, token: str) -> None:
        if self.redundant >= 0:
            if token in _AFTER_VALUE:
                self.drop_redundant()
            self.redundant = -1
        if kind == "string":
            self._string(token)
            return
        self.end_string()
        if kind == "number":
            self._word(spell_number(token), is_operand=True)
        elif kind == "name":
            self._word(token, is_operand=token not in _KEYWORDS)
            self.lambdas[-1] += token == "lambda"
        elif token in _OPENING:
            self._open(token)
        elif token in _PAIRS:
            self._close(token)
        else:
            self._operator(token)

    def _string(self, token: str) -> None:
        kind, value = literal_kind(token), string_value(token)
        if self.string is not None and self.string[0] == kind != "template":
            self.string[1].append(value)
            return
        self.end_string()
        self._word(spell_string(kind, value), is_operand=True)
        self.string = (kind, [value])

    def end_string(self) -> None:
        """Nothing more is joined to the string written last."""
        if self.string is not None and len(self.string[1]) > 1:
            self.out[-1] = spell_string(self.string[0], "".join(self.string[1]))
        self.string = None

    def _word(self, token: str, *, is_operand: bool) -> None:
        if not self.is_glued:
            self.out.append(" ")
        self.out.append(token)
        self.last, self.is_operand, self.is_glued = token, is_operand, False

    def _open(self, token: str) -> None:
        if not self.is_glued and not self.is_operand:
            self.out.append(" ")
        self.brackets.append((token, self.is_operand, len(self.out)))
        self.out.append(token)
        self.commas.append(0)
        self.lambdas.append(0)
        self.last, self.is_operand, self.is_glued = token, False, True

    def _close(self, token: str) -> None:
        opening, follows, place = self.brackets.pop() if self.brackets else ("", False, 0)
        commas = self.commas.pop() if len(self.commas) > 1 else 0
        if len(self.lambdas) > 1:
            self.lambdas.pop()
        keeps = commas == 1 and ((opening == "(" and not follows) or (opening == "[" and follows))
        if self.last == "," and not keeps and self.out and self.out[-1] == ",":
            self.out.pop()
        self.out.append(token)
        self.last, self.is_operand, self.is_glued = token, True, False
        before = next((piece for piece in self.out[max(0, place - 2) : place][::-1] if piece != " "), "")
        if opening == "(" and not follows and not commas and place + 2 < len(self.out) and before in _BEFORE_VALUE:
            self.redundant = place

    def drop_redundant(self) -> None:
        """Take away the parentheses just closed, unless they hold a generator or something that needs them."""
        inside = self.out[self.redundant + 1 : -1]
        if self.redundant >= 0 and not _NEEDS_PARENTHESES.intersection(inside):
            self.out.pop()
            del self.out[self.redundant]

    def _operator(self, token: str) -> None:
        if token == ",":
            self.commas[-1] += 1
            self.out.append(",")
            self.is_glued = False
        elif token in (".", "..."):
            if token == "..." and not self.is_glued:
                self.out.append(" ")
            self.out.append(token)
            self.is_glued = token == "."
        elif token == ":":
            in_slice = bool(self.brackets) and self.brackets[-1][0] == "[" and not self.lambdas[-1]
            self.lambdas[-1] = max(0, self.lambdas[-1] - 1)
            self.out.append(":")
            self.is_glued = in_slice
        elif token == "=" and (self.lambdas[-1] or (self.brackets and self.brackets[-1][0] == "(")):
            self.out.append("=")
            self.is_glued = True
        elif token in _UNARY and not self.is_operand:
            if not self.is_glued:
                self.out.append(" ")
            self.out.append(token)
            self.is_glued = True
        else:
            if self.out and not (self.is_glued and self.last in _OPENING):
                self.out.append(" ")
            self.out.append(token)
            self.is_glued = token == "~"
        self.last, self.is_operand = token, token == "..."
