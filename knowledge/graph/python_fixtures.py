"""pytest's fixtures: which one a parameter of a test, or of another fixture, asks for by its name.

As pytest looks for them: the class of the test, its module (with what that imports), then each conftest.py from its directory upwards. A plugin,
or a parametrization that is made at run time, may put another thing there: all of this is evidence, never certain.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from analyzers.facts import Definition
from knowledge.graph.layout import decode
from knowledge.graph.outline import CLASS_KINDS, Outline
from knowledge.graph.pytest_marks import USED, asks_for_fixtures, is_fixture, name_given, parametrized, renamed_fixtures, texts_of
from knowledge.graph.python_classes import Classes
from knowledge.graph.python_names import Names
from knowledge.graph.reads import View
from knowledge.graph.values import Function, Instance

_CONFTEST = b"conftest"


class Fixtures:
    """What the tests and fixtures that one resolution meets ask for."""

    def __init__(self, view: View, names: Names, classes: Classes) -> None:
        self._view = view
        self._names = names
        self._classes = classes
        self._found: dict[tuple[bytes, int, str], Function | None] = {}
        self._renamed: dict[bytes, dict[str, int]] = {}

    def asked_by(self, function: Function, definition: Definition) -> Iterator[Function]:
        """The fixtures that a test or fixture is given: by its parameters, and by `usefixtures`."""
        if not asks_for_fixtures(definition):
            return
        names = [parameter.name for parameter in definition.parameters if not parameter.default and parameter.kind in ("positional", "keyword_only")]
        for name in dict.fromkeys([*names, *texts_of(definition, USED)]):
            found = self.of(function, definition, name)
            if found is not None:
                yield found

    def of(self, function: Function, definition: Definition, name: str) -> Function | None:
        """The fixture that a parameter of a test or fixture asks for."""
        key = (function.path, function.index, name)
        if key not in self._found:
            self._found[key] = None
            if asks_for_fixtures(definition) and name not in parametrized(definition):
                others = (found for found in self._nearest(function.path, definition, name) if (found.path, found.index) != key[:2])
                self._found[key] = next(others, None)
        return self._found[key]

    def _nearest(self, path: bytes, definition: Definition, name: str) -> Iterator[Function]:
        outline = self._view.tree.outline(path)
        owner = definition.parent
        if outline is not None and owner > 0 and outline.definitions[owner].kind in CLASS_KINDS:
            if definition.parameters and definition.parameters[0].name == name and "static" not in definition.flags:
                return
            member = self._classes.attribute(Instance(path, owner), name)
            for value in member.values if member is not None else ():
                if isinstance(value, Function) and self._is_fixture(value):
                    yield Function(value.path, value.index)
        yield from self._in_module(path, name)
        directory = posixpath.dirname(path)
        while True:
            for conftest in self._view.module("python:" + decode(posixpath.join(directory, _CONFTEST))):
                if conftest != path:
                    yield from self._in_module(conftest, name)
            if not directory:
                return
            directory = posixpath.dirname(directory)

    def _in_module(self, path: bytes, name: str) -> Iterator[Function]:
        found = self._names.module_name(path, name)
        for value in found.values if found is not None else ():
            if isinstance(value, Function) and self._is_fixture(value):
                yield value
        # A fixture that is called otherwise than its function.
        outline = self._view.whole(path)
        index = self._renamed_in(path, outline).get(name) if outline is not None else None
        if outline is not None and index is not None:
            self._view.named(path, outline.definitions[index].name)
            yield Function(path, index)

    def _renamed_in(self, path: bytes, outline: Outline) -> dict[str, int]:
        if path not in self._renamed:
            self._renamed[path] = renamed_fixtures(outline)
        return self._renamed[path]

    def _is_fixture(self, function: Function) -> bool:
        definition = self._classes.definition(function.path, function.index)
        return definition is not None and is_fixture(definition) and not any(name_given(d) for d in definition.decorators)
