"""Context packs and memory views as lines: the text that an agent reads, with its headings in bold."""

from __future__ import annotations

from knowledge.records.packs import ContextPack
from knowledge.surfaces.cli.render.lines import Line, data
from knowledge.views.pack_text import render


def pack_answer(pack: ContextPack) -> list[Line]:
    """The pack as compact Markdown."""
    return markdown_lines(render(pack))


def markdown_lines(text: str) -> list[Line]:
    """Markdown as it stands; headings in bold, lists hang."""
    return [
        Line(data(row, "bold") if row.startswith("#") else data(row), hang=2 if row.startswith("- ") else 0) for row in text.rstrip("\n").split("\n")
    ]
