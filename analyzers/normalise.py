"""Structure → hashes. What two texts must share for their hashes to be equal is decided here and by a language's rules, nowhere else.

A syntax tree is turned into **pieces**: for each node that matters a mark of its kind, its children's pieces, and a closing mark; for each
leaf its text in one spelling. Structure is kept, so a change of precedence shows; layout has no pieces, so it does not.

The **strict** text of a range is its pieces as they are. The **loose** text leaves out what is hidden (annotations), and gives names that
a function binds itself a number in place of their spelling, by order of first use, so that a renamed local is the same text.

A language's `Rules` say what becomes of each kind of node. Where the default is not enough a rule is a function that is given the node and
yields, in place of it, nodes to visit and items: `Piece`, `Name`, `Enter`/`LEAVE` (a scope), `STEP_OUT`/`STEP_IN`, `HIDE`/`SHOW`, and
`Open`/`Begin`/`End`/`Close` (a definition and its parts). Nothing here recurses: nesting depth costs nothing but time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, Protocol

from analyzers.facts import FileFacts, SymbolDigest, SymbolDigests
from analyzers.parsing import ERROR_KIND, Grammar, Node, Parsed

Part = Literal["decorators", "header", "body", "value"]
"""decorators and header make the signature; the strict body has the decorators too."""

_DROP, _TEXT, _NAME, _TOKEN, _NODE, _PASS, _RULE, _ITEM = range(8)
_CLOSE = b")"
_ITEM_KIND = ERROR_KIND - 1
"""Not a kind of any grammar."""


class Item(Protocol):
    """Something other than a node that a rule yields."""

    kind_id: int

    def apply(self, text: Normaliser) -> None: ...


Rule = Callable[[Node, "Normaliser"], Iterable["Node | Item"]]
"""Given a node and the text being made (its `source` and `keys`), what is read in place of the node."""


class Rules:
    """What becomes of each kind of node of one grammar.

    silent: tokens without a piece (all other tokens are pieces). dropped: kinds left out with all that is in them.
    text: kinds that are one piece, their text. names: kinds that are a variable's name. passed: kinds that leave no mark
    but their children. rules: kinds with a function of their own. Any other named node is a mark, its children, a closing mark.
    """

    def __init__(
        self,
        grammar: Grammar,
        *,
        silent: Iterable[str] = (),
        dropped: Iterable[str] = (),
        text: Iterable[str] = (),
        names: Iterable[str] = (),
        passed: Iterable[str] = (),
        rules: Mapping[str, Rule] | None = None,
    ) -> None:
        self.actions = grammar.table(_NODE)
        self.marks = grammar.table(b"(ERROR")
        self.rules: list[Rule] = grammar.table(_children)
        for number in range(grammar.count):
            is_named, name = grammar.is_named[number], grammar.kinds[number].encode()
            self.actions[number] = _NODE if is_named else _TOKEN
            self.marks[number] = b"(" + name if is_named else name
        self.actions[_ITEM_KIND] = _ITEM
        for token in silent:
            self.actions[grammar.kind(token, named=False)] = _DROP
        for action, kinds in ((_DROP, dropped), (_TEXT, text), (_NAME, names), (_PASS, passed)):
            for kind in kinds:
                self.actions[grammar.kind(kind)] = action
        for kind, rule in (rules or {}).items():
            self.actions[grammar.kind(kind)] = _RULE
            self.rules[grammar.kind(kind)] = rule


def _children(node: Node, text: Normaliser) -> Iterable[Node]:
    return node.children


@dataclass(slots=True)
class _Scope:
    """A scope being read: the names it binds itself, and at which pieces names stand that may be among them."""

    bound: frozenset[bytes]
    is_class: bool
    depth: int
    places: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Definition:
    open_parts: dict[str, int] = field(default_factory=dict)
    ranges: dict[str, list[tuple[int, int]]] = field(default_factory=dict)


class Normaliser:
    """One file's pieces, and the hashes of its definitions, by the key that `Open` gives them."""

    def __init__(self, source: bytes, rules: Rules, bound_names: Mapping[int, frozenset[bytes]], keys: frozenset[int]) -> None:
        """bound_names: for each function-like scope, by the byte offset at which it begins, the names that it binds itself.

        keys: those of the definitions whose hashes are wanted.
        """
        self.source = source
        self.rules = rules
        self.bound_names = bound_names
        self.keys = keys
        self.pieces: list[bytes] = []
        self.digests: dict[int, SymbolDigest] = {}
        self._loose: list[bytes | None] = []
        self._scopes = [_Scope(frozenset(), False, 0)]
        self._outside: list[_Scope] = []
        self._hidden_from: list[int] = []
        self._open: dict[int, _Definition] = {}

    def run(self, root: Node) -> None:
        """Read a tree. Afterwards `digests` holds what was opened and closed in it."""
        actions, marks, rules = self.rules.actions, self.rules.marks, self.rules.rules
        source, add = self.source, self.pieces.append
        # Nodes and items, told apart by their kind's action alone: an isinstance for each would cost as much as all the rest.
        items: Iterator[Any] = iter((root,))
        stack: list[tuple[Iterator[Any], bool]] = []
        while True:
            for node in items:
                kind = node.kind_id
                action = actions[kind]
                if action == _DROP:
                    continue
                if action == _NODE:
                    if children := node.children:
                        add(marks[kind])
                        stack.append((items, True))
                        items = iter(children)
                        break
                    add(source[node.start_byte : node.end_byte])
                elif action == _TOKEN:
                    add(marks[kind])
                elif action == _NAME:
                    self.name(source[node.start_byte : node.end_byte])
                elif action == _TEXT:
                    add(source[node.start_byte : node.end_byte])
                elif action == _ITEM:
                    node.apply(self)
                else:
                    stack.append((items, False))
                    items = iter(rules[kind](node, self))
                    break
            else:
                if not stack:
                    return
                items, is_marked = stack.pop()
                if is_marked:
                    add(_CLOSE)

    def name(self, text: bytes) -> None:
        if not self._hidden_from and len(self._scopes) > 1:
            self._scopes[-1].places.append(len(self.pieces))
        self.pieces.append(text)

    def enter(self, start: int, is_class: bool) -> None:
        depth = self._scopes[-1].depth + (not is_class)
        self._scopes.append(_Scope(frozenset() if is_class else self.bound_names.get(start, frozenset()), is_class, depth))

    def leave(self) -> None:
        """Number the names that the scope binds, and hand the others to the scope around it."""
        scope = self._scopes.pop()
        owner = next(outer for outer in reversed(self._scopes) if not outer.is_class)
        free = scope.places
        if bound := scope.bound:
            loose, pieces = self._synced(), self.pieces
            numbers: dict[bytes, bytes] = {}
            free = []
            for place in scope.places:
                name = pieces[place]
                if name not in bound:
                    free.append(place)
                    continue
                if (number := numbers.get(name)) is None:
                    number = numbers[name] = b"\x01%d:%d" % (scope.depth, len(numbers))
                loose[place] = number
        if owner is not self._scopes[0]:
            owner.places += free

    def step_out(self) -> None:
        """What follows is in the scope around this one: a parameter's default, a comprehension's first source."""
        self._outside.append(self._scopes.pop())

    def step_in(self) -> None:
        self._scopes.append(self._outside.pop())

    def hide(self) -> None:
        self._hidden_from.append(len(self.pieces))

    def show(self) -> None:
        start = self._hidden_from.pop()
        loose = self._synced()
        loose[start:] = [None] * (len(loose) - start)

    def open(self, key: int) -> None:
        self._open[key] = _Definition()

    def begin(self, key: int, part: Part) -> None:
        self._open[key].open_parts[part] = len(self.pieces)

    def end(self, key: int, part: Part) -> None:
        definition = self._open[key]
        definition.ranges.setdefault(part, []).append((definition.open_parts.pop(part), len(self.pieces)))

    def close(self, key: int) -> None:
        ranges = self._open.pop(key).ranges
        decorators, header, body, value = (ranges.get(part, []) for part in ("decorators", "header", "body", "value"))
        self.digests[key] = SymbolDigest(
            source="",
            signature=self._strict_hash(decorators + header),
            body=self._loose_hash(body),
            body_strict=self._strict_hash(decorators + body) if body else "",
            value=self._strict_hash(value),
        )

    def _synced(self) -> list[bytes | None]:
        self._loose += self.pieces[len(self._loose) :]
        return self._loose

    def _strict_hash(self, ranges: list[tuple[int, int]]) -> str:
        return hash_pieces(piece for start, end in ranges for piece in self.pieces[start:end]) if ranges else ""

    def _loose_hash(self, ranges: list[tuple[int, int]]) -> str:
        loose = self._synced()
        return hash_pieces(piece for start, end in ranges for piece in loose[start:end] if piece is not None) if ranges else ""


class Piece:
    """A piece of text as it is."""

    __slots__ = ("text",)
    kind_id = _ITEM_KIND

    def __init__(self, text: bytes) -> None:
        self.text = text

    def apply(self, text: Normaliser) -> None:
        text.pieces.append(self.text)


class Name(Piece):
    """A variable's name: in the loose text a number, where a function around it binds it."""

    __slots__ = ()

    def apply(self, text: Normaliser) -> None:
        text.name(self.text)


class Enter:
    """What follows is in the scope that begins at this byte offset (as in `facts.Scope.start`), until `LEAVE`."""

    __slots__ = ("is_class", "start")
    kind_id = _ITEM_KIND

    def __init__(self, start: int, *, is_class: bool = False) -> None:
        self.start = start
        self.is_class = is_class

    def apply(self, text: Normaliser) -> None:
        text.enter(self.start, self.is_class)


class _Leave:
    __slots__ = ()
    kind_id = _ITEM_KIND

    def apply(self, text: Normaliser) -> None:
        text.leave()


class _Hide:
    __slots__ = ()
    kind_id = _ITEM_KIND

    def apply(self, text: Normaliser) -> None:
        text.hide()


class _Show:
    __slots__ = ()
    kind_id = _ITEM_KIND

    def apply(self, text: Normaliser) -> None:
        text.show()


class _StepOut:
    __slots__ = ()
    kind_id = _ITEM_KIND

    def apply(self, text: Normaliser) -> None:
        text.step_out()


class _StepIn:
    __slots__ = ()
    kind_id = _ITEM_KIND

    def apply(self, text: Normaliser) -> None:
        text.step_in()


LEAVE = _Leave()
STEP_OUT = _StepOut()
"""What follows is read in the scope around the one entered last, until `STEP_IN`: a parameter's default."""
STEP_IN = _StepIn()
HIDE = _Hide()
"""What follows is not in the loose text, until `SHOW`."""
SHOW = _Show()


class Open:
    """A definition begins. key: the start of its `name_span`; -1 for the module."""

    __slots__ = ("key",)
    kind_id = _ITEM_KIND

    def __init__(self, key: int) -> None:
        self.key = key

    def apply(self, text: Normaliser) -> None:
        text.open(self.key)


class Close(Open):
    """The definition ends; its hashes are taken, with names as its own scopes bind them."""

    __slots__ = ()

    def apply(self, text: Normaliser) -> None:
        text.close(self.key)


class Begin:
    """A part of an open definition begins. A part may come in several stretches."""

    __slots__ = ("key", "part")
    kind_id = _ITEM_KIND

    def __init__(self, key: int, part: Part) -> None:
        self.key = key
        self.part = part

    def apply(self, text: Normaliser) -> None:
        text.begin(self.key, self.part)


class End(Begin):
    """A part of an open definition ends."""

    __slots__ = ()

    def apply(self, text: Normaliser) -> None:
        text.end(self.key, self.part)


def normalise(parsed: Parsed, facts: FileFacts, rules: Rules) -> SymbolDigests:
    """The hashes of all definitions of a file, in the order of `facts.definitions`."""
    bound: dict[int, set[bytes]] = {}
    scopes = facts.scopes
    is_renamed = [scope.kind not in ("module", "class") for scope in scopes]
    for binding in facts.bindings:
        if is_renamed[binding.scope] and binding.kind not in ("global", "nonlocal"):
            bound.setdefault(scopes[binding.scope].start, set()).add(binding.name.encode())
    keys = frozenset(definition.name_span.start for definition in facts.definitions[1:])
    normaliser = Normaliser(parsed.source, rules, {start: frozenset(names) for start, names in bound.items()}, keys)
    normaliser.run(parsed.root)
    empty = SymbolDigest("", "", "", "", "")
    digests = []
    for index, definition in enumerate(facts.definitions):
        found = normaliser.digests.get(definition.name_span.start if index else -1, empty)
        source = hash_text(parsed.source[definition.span.start : definition.span.end])
        digests.append(SymbolDigest(source, found.signature, found.body, found.body_strict, found.value))
    return SymbolDigests(facts.parser_version, facts.analyzer_version, tuple(digests))


def hash_pieces(pieces: Iterable[bytes]) -> str:
    """The hash of a sequence of pieces; no piece has a NUL byte, so no two sequences share a text."""
    return hash_text(b"\0".join(pieces))


def hash_text(text: bytes) -> str:
    """32 hexadecimal digits."""
    return blake2b(text, digest_size=16).hexdigest()
