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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, Protocol

from analyzers.facts import FileFacts, SymbolDigest, SymbolDigests
from analyzers.parsing import ERROR_KIND, Grammar, Node, Parsed

Part = Literal["decorators", "header", "body", "value"]
"""decorators and header make the signature; the strict body has the decorators too."""

_DROP, _TEXT, _NAME, _TOKEN, _ITEM, _NODE, _PASS, _RULE, _INNER, _SPELLED, _HIDDEN, _CHAIN = range(12)
_CLOSE = b")"
_CHAIN_BYTES = 200
"""A longer chain is left to its kind's rule: in a chain of calls the texts would add up to the square of its length."""
_WHOLE = b"\x02"
_ITEM_KIND = ERROR_KIND - 1
"""Not a kind of any grammar."""


class Item(Protocol):
    """Something other than a node that a rule yields."""

    kind_id: int

    def apply(self, text: Normaliser) -> None: ...


Rule = Callable[[Node, "Normaliser"], "Iterable[Node | Item] | None"]
"""Given a node and the text being made (its `source` and `keys`), what is read in place of the node; None: what is by default."""
Speller = Callable[[bytes], bytes | None]
"""Source text → its one spelling, or None where the kind's rule has to look at the node. It depends on nothing but the text."""


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """What becomes of each kind of node of one grammar. Any named node that is not spoken of is a mark, its children, a closing mark.

    silent: tokens without a piece (all other tokens are pieces). dropped: kinds left out with all that is in them.
    text: kinds that are one piece, their text. names: kinds that are a variable's name. passed: kinds that leave no mark
    but their children. spelled: kinds that are one piece, the text in one spelling. hidden: the same, and not in the loose text.
    chains: kinds whose text may be a plain dotted chain `a.b.c`: the name of a variable, then a piece `.b` for each attribute.
    rules: kinds with a function of their own, also for what a speller or a chain leaves. inner_rules: the same, between the kind's mark and
    a closing mark. marks: kinds whose mark is another kind's, because there is no difference in meaning.
    has_keywords: callers may give arguments by name, so the parameters of functions (not of lambdas) are no local names.
    signature: what of the text of a signature counts in its hash.
    """

    grammar: Grammar
    silent: Iterable[str] = ()
    dropped: Iterable[str] = ()
    text: Iterable[str] = ()
    names: Iterable[str] = ()
    passed: Iterable[str] = ()
    spelled: Mapping[str, Speller] = field(default_factory=dict)
    hidden: Mapping[str, Speller] = field(default_factory=dict)
    chains: Iterable[str] = ()
    rules: Mapping[str, Rule] = field(default_factory=dict)
    inner_rules: Mapping[str, Rule] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    has_keywords: bool = False
    signature: Callable[[bytes], bytes] = bytes
    tables: _Tables = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", _Tables(self))


class _Tables:
    """The rules by the number of a node's kind."""

    def __init__(self, rules: Rules) -> None:
        grammar = rules.grammar
        self.actions = grammar.table(_NODE)
        self.marks = grammar.table(b"(ERROR")
        self.rules: list[Rule] = grammar.table(_children)
        self.spellers: list[Speller] = grammar.table(bytes)
        for number in range(grammar.count):
            is_named, name = grammar.is_named[number], grammar.kinds[number].encode()
            self.actions[number] = _NODE if is_named else _TOKEN
            self.marks[number] = b"(" + name if is_named else name
        self.actions[_ITEM_KIND] = _ITEM
        for token in rules.silent:
            self.actions[grammar.kind(token, named=False)] = _DROP
        for kind, mark in rules.marks.items():
            self.marks[grammar.kind(kind)] = b"(" + mark.encode()
        for action, table in ((_RULE, rules.rules), (_INNER, rules.inner_rules)):
            for kind, rule in table.items():
                self.actions[grammar.kind(kind)] = action
                self.rules[grammar.kind(kind)] = rule
        for action, kinds in ((_DROP, rules.dropped), (_TEXT, rules.text), (_NAME, rules.names), (_PASS, rules.passed), (_CHAIN, rules.chains)):
            for kind in kinds:
                self.actions[grammar.kind(kind)] = action
        for action, spellers in ((_SPELLED, rules.spelled), (_HIDDEN, rules.hidden)):
            for kind, speller in spellers.items():
                self.actions[grammar.kind(kind)] = action
                self.spellers[grammar.kind(kind)] = speller


def _children(node: Node, text: Normaliser) -> Iterable[Node]:
    return node.children


def _chain(raw: bytes) -> tuple[bytes, bytes] | None:
    """A plain dotted chain as its first name and the pieces of its attributes; None for any other text."""
    first, *attributes = raw.split(b".")
    if not raw.replace(b".", b"").decode("utf-8", "replace").isidentifier():
        return None
    return first, b"\0".join([b"." + name for name in attributes])


@dataclass(slots=True)
class _Scope:
    """A scope being read: the names it binds itself, and at which pieces names stand that may be among them (None: none can be)."""

    bound: frozenset[bytes]
    is_class: bool
    depth: int
    places: list[int] | None


@dataclass(slots=True)
class _Definition:
    """An open definition: where among the pieces its open parts begin, and where its other parts are."""

    start: int
    is_whole: bool
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
        self.places: list[int] | None = None
        """Where the places of names are kept that a function around may bind; None: outside of functions, or hidden."""
        self._spellings: dict[tuple[int, bytes], Any] = {}
        """(kind, text) → its piece, of a chain its pieces; None where a rule has to look at the node"""
        self._loose: list[bytes | None] = []
        self._veiled: list[int] = []
        self._scopes = [_Scope(frozenset(), False, 0, None)]
        self._outside: list[_Scope] = []
        self._hidden_from: list[int] = []
        self._open: dict[int, _Definition] = {}

    def run(self, root: Node) -> None:
        """Read a tree. Afterwards `digests` holds what was opened and closed in it."""
        actions, marks, rules = self.rules.tables.actions, self.rules.tables.marks, self.rules.tables.rules
        source, pieces, places = self.source, self.pieces, self.places
        add = pieces.append
        # Nodes and items, told apart by their kind's action alone: an isinstance for each would cost as much as all the rest.
        items: Iterator[Any] = iter((root,))
        stack: list[tuple[Iterator[Any], bool]] = []
        while True:
            for node in items:
                kind = node.kind_id
                action = actions[kind]
                if action == _DROP:
                    continue
                if action == _NAME:
                    if places is not None:
                        places.append(len(pieces))
                    add(source[node.start_byte : node.end_byte])
                    continue
                if action == _ITEM:
                    node.apply(self)
                    places = self.places
                    continue
                if action == _TOKEN:
                    add(marks[kind])
                    continue
                if action == _TEXT:
                    add(source[node.start_byte : node.end_byte])
                    continue
                if action >= _SPELLED:
                    start, end = node.start_byte, node.end_byte
                    if (action != _CHAIN or end - start <= _CHAIN_BYTES) and self._spell(kind, action, source[start:end]):
                        continue
                made = None if action == _NODE else node.children if action == _PASS else rules[kind](node, self)
                is_marked = made is None or action == _INNER
                if made is None and not (made := node.children):
                    add(source[node.start_byte : node.end_byte])
                    continue
                if is_marked:
                    add(marks[kind])
                stack.append((items, is_marked))
                items = iter(made)
                break
            else:
                if not stack:
                    return
                items, is_marked = stack.pop()
                if is_marked:
                    add(_CLOSE)

    def _spell(self, kind: int, action: int, raw: bytes) -> bool:
        """Add the pieces of a leaf. False: its text alone does not tell them."""
        known = self._spellings.get((kind, raw), _UNSEEN)
        if known is _UNSEEN:
            known = self._spellings[kind, raw] = _chain(raw) if action == _CHAIN else self.rules.tables.spellers[kind](raw)
        if known is None:
            return False
        if action == _CHAIN:
            if self.places is not None:
                self.places.append(len(self.pieces))
            self.pieces += known
            return True
        if action == _HIDDEN:
            self._veiled.append(len(self.pieces))
        self.pieces.append(known)
        return True

    def name(self, text: bytes) -> None:
        if self.places is not None:
            self.places.append(len(self.pieces))
        self.pieces.append(text)

    def hidden(self, text: bytes) -> None:
        self._veiled.append(len(self.pieces))
        self.pieces.append(text)

    @property
    def depth(self) -> int:
        """How many functions, lambdas and comprehensions are around what is read."""
        return self._scopes[-1].depth

    def enter(self, start: int, is_class: bool) -> None:
        outer = self._scopes[-1]
        if is_class:
            self._scopes.append(_Scope(frozenset(), True, outer.depth, None if outer.depth == 0 else []))
        else:
            self._scopes.append(_Scope(self.bound_names.get(start, frozenset()), False, outer.depth + 1, []))
        self._look()

    def leave(self) -> None:
        """Number the names that the scope binds, and hand the others to the scope around it."""
        scope = self._scopes.pop()
        self._look()
        owner = next(outer for outer in reversed(self._scopes) if not outer.is_class)
        free = scope.places or []
        if bound := scope.bound:
            loose, pieces = self._synced(), self.pieces
            numbers: dict[bytes, bytes] = {}
            places, free = free, []
            for place in places:
                name = pieces[place]
                if name not in bound:
                    free.append(place)
                    continue
                if (number := numbers.get(name)) is None:
                    number = numbers[name] = b"\x01%d:%d" % (scope.depth, len(numbers))
                loose[place] = number
        if owner.places is not None:
            owner.places += free

    def _look(self) -> None:
        self.places = None if self._hidden_from else self._scopes[-1].places

    def step_out(self) -> None:
        """What follows is in the scope around this one: a parameter's default, a comprehension's first source."""
        self._outside.append(self._scopes.pop())
        self._look()

    def step_in(self) -> None:
        self._scopes.append(self._outside.pop())
        self._look()

    def hide(self) -> None:
        self._hidden_from.append(len(self.pieces))
        self.places = None

    def show(self) -> None:
        start = self._hidden_from.pop()
        self._veiled += range(start, len(self.pieces))
        self._look()

    def open(self, key: int, is_whole: bool) -> None:
        self._open[key] = _Definition(len(self.pieces), is_whole)

    def begin(self, key: int, part: Part) -> None:
        self._open[key].open_parts[part] = len(self.pieces)

    def end(self, key: int, part: Part) -> None:
        definition = self._open[key]
        definition.ranges.setdefault(part, []).append((definition.open_parts.pop(part), len(self.pieces)))

    def end_all(self, key: int) -> None:
        definition = self._open[key]
        place = len(self.pieces)
        for part, start in definition.open_parts.items():
            definition.ranges.setdefault(part, []).append((start, place))
        definition.open_parts.clear()

    def close(self, key: int) -> None:
        self.end_all(key)
        definition = self._open.pop(key)
        ranges, pieces, loose = definition.ranges, self.pieces, self._synced()
        value = ranges.get("value", [])
        decorators, header, body = ranges.get("decorators", []), ranges.get("header", []), ranges.get("body", value)
        head, strict = _join(pieces, decorators + header), _join(pieces, decorators + body)
        found = self.digests[key] = SymbolDigest(
            source="",
            signature=hash_text(self.rules.signature(head)) if head else "",
            body=hash_text(_join(loose, body)) if body else "",
            body_strict=hash_text(strict) if body else "",
            value=hash_text(_join(pieces, value)) if value else "",
        )
        if definition.is_whole and self._scopes[-1].depth == 0:
            # Outside of functions no name of it can be bound: its hashes stand for it, and its pieces are not hashed again.
            start = definition.start
            loose[start:] = [_WHOLE + _join(loose, decorators + header) + b"\0" + found.body.encode()]
            pieces[start:] = [_WHOLE + head + b"\0" + found.body_strict.encode()]

    def _synced(self) -> list[bytes | None]:
        loose = self._loose
        loose += self.pieces[len(loose) :]
        for place in self._veiled:
            loose[place] = None
        self._veiled.clear()
        return loose


_UNSEEN = object()


def _join(pieces: Sequence[bytes | None], ranges: list[tuple[int, int]]) -> bytes:
    """The text of some stretches. No piece has a NUL byte or is empty, so no two sequences of pieces share a text."""
    return b"\0".join([b"\0".join(filter(None, pieces[start:end])) for start, end in ranges])


class Piece:
    """A piece of text as it is."""

    __slots__ = ("text",)
    kind_id = _ITEM_KIND

    def __init__(self, text: bytes) -> None:
        self.text = text

    def apply(self, text: Normaliser) -> None:
        text.pieces.append(self.text)


class Hidden(Piece):
    """A piece that is not in the loose text."""

    __slots__ = ()

    def apply(self, text: Normaliser) -> None:
        text.hidden(self.text)


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
    """A definition begins. key: the start of its `name_span`; -1 for the module.

    is_whole: decorators, header and body are all that there is between `Open` and `Close`. Then, outside of functions, its hashes
    stand for it in what is around it.
    """

    __slots__ = ("is_whole", "key")
    kind_id = _ITEM_KIND

    def __init__(self, key: int, *, is_whole: bool = False) -> None:
        self.key = key
        self.is_whole = is_whole

    def apply(self, text: Normaliser) -> None:
        text.open(self.key, self.is_whole)


class Close:
    """The definition ends; its hashes are taken, with names as its own scopes bind them."""

    __slots__ = ("key",)
    kind_id = _ITEM_KIND

    def __init__(self, key: int) -> None:
        self.key = key

    def apply(self, text: Normaliser) -> None:
        text.close(self.key)


class Begin:
    """A part of an open definition begins. It lasts until its `End`, the next `Next` or `Close`, and may come in several stretches.

    A definition without a body part has its value as its body.
    """

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


class Next(Begin):
    """All open parts of the definition end, and this one begins."""

    __slots__ = ()

    def apply(self, text: Normaliser) -> None:
        text.end_all(self.key)
        text.begin(self.key, self.part)


_UNRENAMED = frozenset({"module", "class"})
"""Kinds of scope whose names others may use."""


def normalise(parsed: Parsed, facts: FileFacts, rules: Rules) -> SymbolDigests:
    """The hashes of all definitions of a file, in the order of `facts.definitions`."""
    bound: dict[int, set[bytes]] = {}
    elsewhere: dict[int, set[bytes]] = {}
    scopes = facts.scopes
    for binding in facts.bindings:
        scope = scopes[binding.scope]
        if scope.kind in _UNRENAMED or (binding.kind == "parameter" and rules.has_keywords and scope.kind == "function"):
            continue
        names = elsewhere if binding.kind in ("global", "nonlocal") else bound
        names.setdefault(scope.start, set()).add(binding.name.encode())
    local_names = {start: frozenset(names - elsewhere.get(start, set())) for start, names in bound.items()}
    keys = frozenset(definition.name_span.start for definition in facts.definitions[1:])
    normaliser = Normaliser(parsed.source, rules, local_names, keys)
    normaliser.run(parsed.root)
    empty = SymbolDigest("", "", "", "", "")
    digests = []
    for index, definition in enumerate(facts.definitions):
        found = normaliser.digests.get(definition.name_span.start if index else -1, empty)
        source = hash_text(parsed.source[definition.span.start : definition.span.end])
        digests.append(SymbolDigest(source, found.signature, found.body, found.body_strict, found.value))
    return SymbolDigests(facts.parser_version, facts.analyzer_version, tuple(digests))


def hash_text(text: bytes) -> str:
    """32 hexadecimal digits."""
    return blake2b(text, digest_size=16).hexdigest()
