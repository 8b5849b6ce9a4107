"""What a file declares, arranged for JavaScript: by parent and name, what belongs together, type parameters."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.facts import Definition
from knowledge.graph.javascript_names import Names
from knowledge.graph.outline import CLASS_KINDS, FUNCTION_KINDS, Outline
from knowledge.graph.reads import Tree

OBJECT_TYPES = CLASS_KINDS | {"type"}
"""Kinds of definition that may have members in a body of their own."""


class Declarations:
    """Declarations of one tree's files; every look at another file is noted."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self._tree = tree
        self._names = names
        self._by_name: dict[bytes, dict[tuple[int, str], list[int]]] = {}
        self._parameters: dict[tuple[bytes, int], tuple[str, ...]] = {}
        self._owners: dict[tuple[bytes, int, str], int] = {}
        self._siblings: dict[tuple[bytes, int], tuple[int, ...]] = {}

    def outline(self, path: bytes) -> Outline | None:
        return self._tree.outline(path)

    def get(self, path: bytes, index: int) -> Definition | None:
        """A definition that a value names; noted, for it may stand in another file."""
        outline = self._tree.outline(path)
        if outline is None:
            return None
        self._names.named(path, outline.top_of(index))
        return outline.definitions[index]

    def named(self, path: bytes, parent: int, name: str) -> Sequence[int]:
        """The definitions of a name directly below another (0: the module), in the order of the source."""
        if path not in self._by_name:
            outline = self._tree.outline(path)
            rows: dict[tuple[int, str], list[int]] = {}
            for index, definition in enumerate(outline.definitions if outline is not None else ()):
                rows.setdefault((definition.parent, definition.name), []).append(index)
            self._by_name[path] = rows
        return self._by_name[path].get((parent, name), ())

    def siblings(self, path: bytes, index: int) -> tuple[int, ...]:
        """The declarations that make up one class, interface or namespace, or the signatures of one function."""
        key = (path, index)
        if key not in self._siblings:
            outline = self._tree.outline(path)
            assert outline is not None
            own = outline.definitions[index]
            kinds = OBJECT_TYPES | {"namespace"} if own.kind in OBJECT_TYPES or own.kind == "namespace" else FUNCTION_KINDS
            same = self.named(path, own.parent, own.name)
            found = tuple(i for i in same if outline.definitions[i].kind in kinds and outline.definitions[i].scope == own.scope)
            self._siblings[key] = found or (index,)
        return self._siblings[key]

    def body_of(self, path: bytes, index: int) -> int:
        """The definition that runs, of several signatures; the first where none has a body."""
        same = self.siblings(path, index)
        if len(same) == 1:
            return index
        outline = self._tree.outline(path)
        assert outline is not None
        with_body = [i for i in same if not {"overload", "declaration"} & set(outline.definitions[i].flags)]
        return with_body[-1] if with_body else same[0]

    # ── type parameters ──

    def parameters(self, path: bytes, index: int) -> tuple[str, ...]:
        """The names of a definition's type parameters, in order."""
        key = (path, index)
        if key not in self._parameters:
            outline = self._tree.outline(path)
            found = outline.definitions[index].parameters if outline is not None else ()
            self._parameters[key] = tuple(p.name for p in found if p.kind == "type" and p.name != "this")
        return self._parameters[key]

    def owner_of_parameter(self, path: bytes, scope: int, name: str) -> int:
        """The definition around a scope that declares a type parameter; -1: none."""
        outline = self._tree.outline(path)
        if outline is None:
            return -1
        key = (path, outline.scopes[scope].definition, name)
        found = self._owners.get(key)
        if found is None:
            index = key[1]
            while index > 0 and name not in self.parameters(path, index):
                index = outline.definitions[index].parent
            found = self._owners[key] = index if index > 0 else -1
        return found

    def class_around(self, path: bytes, scope: int) -> int:
        """The class or interface whose member stands around a scope; -1: none."""
        outline = self._tree.outline(path)
        index = outline.scopes[scope].definition if outline is not None else 0
        while outline is not None and index > 0 and outline.definitions[index].kind not in OBJECT_TYPES:
            index = outline.definitions[index].parent
        return index if index > 0 else -1
