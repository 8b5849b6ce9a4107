"""JavaScript values in one spelling, JSON's: `'a'` and `"a"` are `"a"`, `0x10` is `16`, `1.0` is `1`."""

from __future__ import annotations

from json.encoder import encode_basestring

from analyzers.escapes import unescape

_WORDS = {"true": "bool", "false": "bool", "null": "none", "undefined": "none"}


def spell_number(raw: str) -> str:
    """A number's one spelling; bigints keep their `n`. JavaScript has one kind of number, so `1.0` is `1`."""
    text = raw.replace("_", "").lower()
    if text.endswith("n") and not text.startswith("0x") and text[:-1].isdigit():
        return text if len(text) > 1_000 else f"{int(text[:-1])}n"
    suffix = "n" if text.endswith("n") else ""
    text = text.removesuffix("n")
    try:
        if text[:2] in ("0x", "0o", "0b"):
            value: float = int(text, 0)
            return f"{value}{suffix}"
        if len(text) > 1 and text[0] == "0" and text.isdigit():
            return str(int(text, 8)) if not set(text) & {"8", "9"} else str(int(text))
        value = float(text)
    except (ValueError, OverflowError):
        return raw
    if value == float("inf"):
        return raw
    return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)


def string_value(raw: str) -> str:
    """The value of a quoted string, quotes included in `raw`."""
    return unescape(raw[1:-1])


def spell_string(value: str) -> str:
    """A string's one spelling."""
    return encode_basestring(value)


def word_kind(word: str) -> str:
    """bool or none for a word that is a literal, else ""."""
    return _WORDS.get(word, "")
