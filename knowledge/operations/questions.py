"""Graph questions about one tree, and the graph as a file. Never a bare "none": limitations that bear on the answer come with it."""

from __future__ import annotations

from pathlib import Path

from knowledge.errors import UsageError
from knowledge.graph import queries
from knowledge.graph.network import write_graph
from knowledge.graph.symbols import find_one
from knowledge.operations.lines import edge_line
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.specs import file_or_symbol
from knowledge.records.answers import GraphAnswer, TransferAnswer
from knowledge.records.identifiers import show_path


def ask(project: Project, question: str, symbol_text: str, *, other: str = "", at: str | None = None, limit: int = 200) -> GraphAnswer:
    """Answer one of `queries.QUESTIONS` about a symbol. Raises UsageError, UnknownSymbolError, AmbiguousSymbolError."""
    view = Reading(project).trees.at(at)
    if question not in queries.QUESTIONS:
        raise UsageError(f"there is no question {question!r}", suggestions=tuple(queries.QUESTIONS))
    symbol = file_or_symbol(symbol_text, view, is_outside_allowed=question == "importers") if symbol_text else None
    answer = queries.answer(question, view, symbol, find_one(other, view) if other else None)
    lines = [edge_line(e) for e in answer.edges]
    return GraphAnswer(
        tree=project.tree_name(view.tree.snapshot),
        question=question,
        symbol=str(symbol or ""),
        edges=tuple(lines[:limit]) if limit else tuple(lines),
        resolved=sum(e.confidence_kind == "resolved" for e in answer.edges),
        inferred=sum(e.confidence_kind == "inferred" for e in answer.edges),
        left_out=answer.left_out + (max(0, len(lines) - limit) if limit else 0),
        limitations=tuple(f"{x.code}: {x.detail}" + (f" ({show_path(x.path)}:{x.row + 1})" if x.path else "") for x in answer.limitations),
        notes=tuple(answer.notes),
    )


def export_graph(project: Project, out: Path, form: str, *, at: str | None = None) -> TransferAnswer:
    """Write the whole graph of a tree as `graphml` or `json`."""
    view = Reading(project).trees.at(at)
    counts = write_graph(out, form, view.all_edges(), view.node_kind, revision=view.tree.snapshot.label)
    return TransferAnswer(str(out), counts)
