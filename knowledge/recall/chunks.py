"""Cutting a text into pieces that say one thing: a long note is found by the paragraph that matters, not by its average."""

from __future__ import annotations

import re

CHUNK_CHARACTERS = 320
"""Of the pieces that are compared with a query; a longer sentence is cut between words."""
_PARAGRAPH = re.compile(r"\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?。])\s+(?=\S)")


def sentences(text: str) -> list[str]:
    """The sentences of a text; a line break ends one."""
    return [part for line in _PARAGRAPH.split(text) for part in _SENTENCE.split(line.strip()) if part.strip()]


def chunks(text: str, most: int = CHUNK_CHARACTERS) -> list[str]:
    """Pieces of at most `most` characters, each of whole sentences of one paragraph as far as they fit."""
    found: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        piece = ""
        for sentence in _SENTENCE.split(paragraph.strip()):
            for part in _cut(sentence, most):
                if piece and len(piece) + 1 + len(part) > most:
                    found.append(piece)
                    piece = ""
                piece = f"{piece} {part}" if piece else part
        if piece:
            found.append(piece)
    return found


def _cut(sentence: str, most: int) -> list[str]:
    """A sentence in parts of at most `most` characters, cut between words where it has any."""
    parts = []
    rest = sentence
    while len(rest) > most:
        space = rest.rfind(" ", 1, most + 1)
        end = space if space > 0 else most
        parts.append(rest[:end])
        rest = rest[end:].lstrip()
    return [*parts, rest] if rest else parts
