"""Resolving one file of a tree, whatever its language."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from analyzers.facts import FileFacts
from knowledge.graph.outline import Outline
from knowledge.graph.reads import Tree, View
from knowledge.graph.resolution import EdgeWriter, Resolution
from knowledge.graph.resolve_javascript import JavaScriptResolver, flow_of
from knowledge.graph.resolve_python import PythonResolver
from knowledge.graph.resolve_tags import resolve_tags
from knowledge.graph.setting_reads import note_settings

Resolver = Callable[[View, FileFacts, Outline], EdgeWriter]


def resolve_file(path: bytes, tree: Tree) -> Resolution | None:
    """The edges that go out of one file of `tree`; None where it has no facts.

    The result depends on the file's facts and on the answers to its `reads`, and on nothing else.
    """
    facts = tree.source.facts(path)
    outline = tree.outline(path)
    if facts is None or outline is None:
        return None
    resolver = _RESOLVERS.get(facts.language, resolve_tags)
    return resolver(View(tree, path), facts, outline).resolution()


def _python(view: View, facts: FileFacts, outline: Outline) -> EdgeWriter:
    resolver = PythonResolver(view, facts, outline)
    resolver.run()
    note_settings(resolver.writer, facts)
    return resolver.writer


def _javascript(view: View, facts: FileFacts, outline: Outline) -> EdgeWriter:
    resolver = JavaScriptResolver(view, facts, outline, flow_of(view.tree))
    resolver.run()
    note_settings(resolver.writer, facts)
    return resolver.writer


_RESOLVERS: Mapping[str, Resolver] = {"python": _python, "javascript": _javascript, "typescript": _javascript, "tsx": _javascript}
