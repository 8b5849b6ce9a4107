"""64-bit hashes that the index's thin tables are keyed by. Signed, for SQLite's integers are."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from knowledge.records.identifiers import SymbolId, show_path

_LOW_BITS = 32
_LOW_MASK = (1 << _LOW_BITS) - 1
_CACHED = 1 << 16


def text_key(*parts: str) -> int:
    """The hash of one or more texts, told apart by a character that they do not contain."""
    return int.from_bytes(blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


@lru_cache(_CACHED)
def symbol_key(symbol: SymbolId) -> int:
    """The hash of a symbol: its name in the high half, so that all symbols of one name lie side by side (`name_range`)."""
    texts = (symbol.qualified_name, symbol.package, str(symbol.ordinal))
    whole = blake2b(b"\0".join((symbol.path, *(text.encode("utf-8", "surrogatepass") for text in texts))), digest_size=4)
    return (_name_half(indexed_name(symbol)) << _LOW_BITS) | int.from_bytes(whole.digest(), "big")


def name_range(name: str) -> tuple[int, int]:
    """The first and last key that a symbol of this name can have."""
    low = _name_half(name) << _LOW_BITS
    return low, low | _LOW_MASK


def indexed_name(symbol: SymbolId) -> str:
    """What a symbol is found by: its qualified name; for a file its path, for an outside module its name."""
    return symbol.qualified_name or (show_path(symbol.path) if symbol.path else symbol.package)


@lru_cache(_CACHED)
def _name_half(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big", signed=True)
