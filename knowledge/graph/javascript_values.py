"""What JavaScript's expressions and TypeScript's types may stand for, besides what all languages have (see `values`).

A type is read where it is declared and as late as possible: `Described` keeps its text's tree, the place where its names are looked up, and the
**environment** that says what type parameters and `this` stand for there. So nothing is copied or replaced inside of types, and types that
contain themselves have no end that would have to be reached.
"""

from __future__ import annotations

from analyzers.facts import Expression
from knowledge.graph.annotations import Annotation
from knowledge.graph.values import Alias, Flow, Foreign, Instance, Place, TypeVariable, Value

RUNTIME = "javascript"
"""The package of what the language and its hosts bring."""


class Environment:
    """What type parameters and `this` stand for inside of a declaration; what it does not know is asked of the one around it."""

    __slots__ = ("outer", "receiver")

    def __init__(self, receiver: Value | None = None, outer: Environment | None = None) -> None:
        self.receiver = receiver
        self.outer = outer

    def own(self, path: bytes, owner: int, name: str) -> Flow | None:
        """What the parameter `name` that the definition `owner` of the file `path` declares stands for; None: not said here."""
        return None

    def find(self, path: bytes, owner: int, name: str) -> Flow | None:
        """The same, here or around."""
        at: Environment | None = self
        while at is not None:
            found = at.own(path, owner, name)
            if found is not None:
                return found
            at = at.outer
        return None


class Typed(Instance, frozen=True):
    """An object of a class, interface or named object type, with what its type parameters stand for."""

    environment: Environment | None = None


class This(Instance, frozen=True):
    """The object that a method of the class runs on: of the class or of one below it."""


class Described(Foreign, frozen=True):
    """Something of a type that is no class of the repository. name: Array, Promise, Function, Object, intersection …"""

    place: Place = Place(b"", 0)
    annotation: Annotation = Annotation("unknown")
    environment: Environment | None = None


class Written(Foreign, frozen=True):
    """An object or array literal (name Object or Array): its items are read when they are asked for."""

    place: Place = Place(b"", 0)
    expression: Expression = Expression("unknown")


class Parameter(TypeVariable, frozen=True):
    """A type parameter: of the definition `owner`, with the text of its bound."""

    owner: int = -1
    text: str = ""


class NamedType(Alias, frozen=True):
    """A type alias: the definition `index` of the file of `place`."""

    index: int = -1


class Prototype(Instance, frozen=True):
    """`C.prototype`."""


def environment_of(value: Value) -> Environment | None:
    """What the type parameters of an object's class stand for."""
    return value.environment if isinstance(value, Typed | Described) else None


def primitive(name: str) -> Foreign:
    """A value that is no object."""
    return Foreign(RUNTIME, name)
