"""Reading TypeScript's types: their text into a small tree. Pure; bounded in depth and length. What is not understood is `unknown`.

kind            name               arguments
name            dotted             type arguments
typeof          dotted             type arguments
import          dotted, after "specifier."   type arguments; the specifier stands first as a `literal`
union, intersection, tuple         members
array                              element
function, constructor              result, then parameters, then its own type parameters
parameter, rest name               type
this                               type of the receiver, among the parameters
type            name               bound, if any
object                             member, index, call and construct rows
member          name               type (a method: its function)
index                              type of what any key leads to
call, construct                    function
mapped          key                constraint (`keyof` where it says so), type of each member
indexed                            object, index
keyof                              type
conditional                        when it holds, when not
literal         kind               ()      a string literal's name is "string", and its value stands in an argument of kind `text`
predicate, none, unknown           ()
"""

from __future__ import annotations

import re
from functools import lru_cache

from knowledge.graph.annotations import NO_TYPE, UNKNOWN_TYPE, Annotation

_TOKEN = re.compile(r"""\s*(?:([^\W\d][\w$]*|[$#][\w$]*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(=>|\.\.\.|\d[\w.]*|[^\s\w]))""")
_NAME = re.compile(r"[A-Za-z_$#]|[^\W\d]")
_DEPTH = 30
_LENGTH = 6_000
_NOTHING = frozenset({"null", "undefined", "void", "never"})
_OPEN = {"(": ")", "[": "]", "{": "}", "<": ">"}
_CLOSE = frozenset(_OPEN.values())
_MODIFIERS = frozenset({"readonly", "static", "public", "private", "protected", "get", "set"})
_ENDS = frozenset({"", ":", "?", "(", "<", ",", ";", "}", ")", "="})


@lru_cache(maxsize=20_000)
def read_type(text: str) -> Annotation:
    """The tree of a type."""
    if len(text) > _LENGTH:
        return UNKNOWN_TYPE
    reader = _Reader([found[1] or found[2] or found[3] for found in _TOKEN.finditer(text)])
    found = reader.type(0)
    return found if reader.at == len(reader.tokens) else UNKNOWN_TYPE


class _Reader:
    """Recursive descent over tokens; anything unexpected stays where it is, so that the whole is unknown."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted: str) -> bool:
        if self.peek() == wanted:
            self.at += 1
            return True
        return False

    def closing(self) -> int:
        """Where the bracket that opens here is closed."""
        level = 0
        for at in range(self.at, len(self.tokens)):
            token = self.tokens[at]
            if token in _OPEN:
                level += 1
            elif token in _CLOSE:
                level -= 1
                if level == 0:
                    return at
        return len(self.tokens)

    def skip(self) -> None:
        """Past what is in brackets here."""
        self.at = min(self.closing() + 1, len(self.tokens))

    # ── types ──

    def type(self, depth: int) -> Annotation:
        if depth > _DEPTH:
            self.at = len(self.tokens)
            return UNKNOWN_TYPE
        found = self.union(depth)
        if not self.take("extends"):
            return found
        self.union(depth + 1)
        if not self.take("?"):
            return UNKNOWN_TYPE
        yes = self.type(depth + 1)
        return Annotation("conditional", "", (yes, self.type(depth + 1))) if self.take(":") else UNKNOWN_TYPE

    def union(self, depth: int) -> Annotation:
        self.take("|")
        members = [self.intersection(depth)]
        while self.take("|"):
            members.append(self.intersection(depth))
        return members[0] if len(members) == 1 else Annotation("union", "", tuple(members))

    def intersection(self, depth: int) -> Annotation:
        self.take("&")
        members = [self.suffixed(depth)]
        while self.take("&"):
            members.append(self.suffixed(depth))
        return members[0] if len(members) == 1 else Annotation("intersection", "", tuple(members))

    def suffixed(self, depth: int) -> Annotation:
        found = self.single(depth)
        while self.peek() == "[" and (self.peek(1) == "]" or self.peek(2) not in (":", "in")):
            self.at += 1
            if self.take("]"):
                found = Annotation("array", "", (found,))
                continue
            index = self.type(depth + 1)
            found = Annotation("indexed", "", (found, index)) if self.take("]") else UNKNOWN_TYPE
        return found

    def single(self, depth: int) -> Annotation:
        token = self.peek()
        if depth > _DEPTH or not token:
            return UNKNOWN_TYPE
        special = _PREFIXED.get(token)
        if special is not None and self.peek(1) not in (*_ENDS - {"(", "<"}, "=>", "|", "&", ">", "]"):
            return special(self, depth)
        if token in _BRACKETED:
            return _BRACKETED[token](self, depth)
        if token[0] in "\"'`":
            self.at += 1
            return Annotation("literal", "string", (Annotation("text", token[1:-1]),))
        if token[0].isdigit() or (token == "-" and self.peek(1)[:1].isdigit()):
            self.at += 2 if token == "-" else 1
            return Annotation("literal", "number")
        return self.named(depth) if _NAME.match(token) else UNKNOWN_TYPE

    def named(self, depth: int) -> Annotation:
        name = self.dotted()
        if name in _NOTHING:
            return NO_TYPE
        if name in ("true", "false"):
            return Annotation("literal", "boolean")
        if self.peek() == "is":
            self.at += 1
            self.type(depth + 1)
            return Annotation("predicate")
        return Annotation("name", name, self.arguments(depth))

    def dotted(self) -> str:
        parts = [self.peek()]
        self.at += 1
        while self.peek() == "." and _NAME.match(self.peek(1)):
            parts.append(self.peek(1))
            self.at += 2
        return ".".join(parts)

    def arguments(self, depth: int) -> tuple[Annotation, ...]:
        if self.peek() != "<" or self._is_signature():
            return ()
        self.at += 1
        return self.sequence(">", depth)

    def _is_signature(self) -> bool:
        """Whether `<…>` here begins the next member of an object type: type arguments have no parameters after them."""
        after = self.closing() + 1
        return after < len(self.tokens) and self.tokens[after] == "("

    def sequence(self, close: str, depth: int) -> tuple[Annotation, ...]:
        """Types between an opening bracket (already taken) and `close`."""
        found = []
        while self.peek() and self.peek() != close:
            is_rest = self.take("...")
            if self.peek(1) == ":" or (self.peek(1) == "?" and self.peek(2) == ":"):
                # A named member of a tuple.
                self.at += 2 if self.peek(1) == ":" else 3
            member = self.type(depth + 1)
            found.append(Annotation("rest", "", (member,)) if is_rest else member)
            self.take("?")
            if not self.take(","):
                break
        return tuple(found) if self.take(close) else (UNKNOWN_TYPE,)

    # ── what begins with a word ──

    def plain_prefix(self, depth: int) -> Annotation:
        self.at += 1
        return self.suffixed(depth + 1)

    def keyof(self, depth: int) -> Annotation:
        self.at += 1
        return Annotation("keyof", "", (self.suffixed(depth + 1),))

    def infer(self, depth: int) -> Annotation:
        self.at += 2
        if self.take("extends"):
            self.suffixed(depth + 1)
        return UNKNOWN_TYPE

    def asserts(self, depth: int) -> Annotation:
        self.at += 2
        if self.take("is"):
            self.type(depth + 1)
        return NO_TYPE

    def typeof(self, depth: int) -> Annotation:
        self.at += 1
        if self.peek() == "import":
            found = self.imported(depth)
            return Annotation("unknown") if found.kind == "unknown" else found
        name = self.dotted()
        return Annotation("typeof", name, self.arguments(depth))

    def imported(self, depth: int) -> Annotation:
        """`import("./x").Y<Z>`"""
        self.at += 1
        if not self.take("("):
            return UNKNOWN_TYPE
        specifier = self.peek()[1:-1]
        self.at += 1
        if self.peek() != ")":
            self.at -= 2
            self.skip()
        else:
            self.at += 1
        name = ""
        if self.take("."):
            name = self.dotted()
        return Annotation("import", name, (Annotation("text", specifier), *self.arguments(depth)))

    def constructor(self, depth: int) -> Annotation:
        self.take("abstract")
        self.at += 1
        found = self.function(depth)
        return Annotation("constructor", "", found.arguments) if found.kind == "function" else UNKNOWN_TYPE

    # ── what begins with a bracket ──

    def parenthesized(self, depth: int) -> Annotation:
        """A function type, or a type in parentheses."""
        closing = self.closing()
        if self.peek() == "<" or (closing + 1 < len(self.tokens) and self.tokens[closing + 1] == "=>"):
            return self.function(depth)
        self.at += 1
        inner = self.type(depth + 1)
        return inner if self.take(")") else UNKNOWN_TYPE

    def function(self, depth: int, arrow: str = "=>") -> Annotation:
        """`<T>(a: A) => R`; with `:` instead of the arrow a signature in an object type."""
        types = self.type_parameters(depth) if self.take("<") else ()
        if not self.take("("):
            return UNKNOWN_TYPE
        parameters = self.parameters(depth)
        result = self.type(depth + 1) if self.take(arrow) else UNKNOWN_TYPE
        return Annotation("function", "", (result, *parameters, *types))

    def type_parameters(self, depth: int) -> tuple[Annotation, ...]:
        """`T, U extends V = W>`"""
        found = []
        while self.peek() and not self.take(">"):
            while self.peek() in ("const", "in", "out") and _NAME.match(self.peek(1)):
                self.at += 1
            name = self.peek()
            self.at += 1
            bound = (self.union(depth + 1),) if self.take("extends") else ()
            if self.take("="):
                self.type(depth + 1)
            found.append(Annotation("type", name, bound))
            if not self.take(",") and self.peek() != ">":
                self.at = len(self.tokens) + 1
        return tuple(found)

    def parameters(self, depth: int) -> tuple[Annotation, ...]:
        """`a: A, b?: B)`, up to the closing bracket."""
        found = []
        while self.peek() and not self.take(")"):
            kind = "rest" if self.take("...") else "parameter"
            name = self.peek()
            if name in ("{", "["):
                self.skip()
                name = ""
            else:
                self.at += 1
            self.take("?")
            inner = self.type(depth + 1) if self.take(":") else UNKNOWN_TYPE
            found.append(Annotation(kind, name, (inner,)) if name != "this" else Annotation("this", "", (inner,)))
            if not self.take(",") and self.peek() != ")":
                self.at = len(self.tokens) + 1
                break
        return tuple(found)

    def tuple_(self, depth: int) -> Annotation:
        self.at += 1
        return Annotation("tuple", "", self.sequence("]", depth))

    def object(self, depth: int) -> Annotation:
        self.at += 1
        members: list[Annotation] = []
        while self.peek() and not self.take("}"):
            before = self.at
            member = self.member(depth + 1)
            if member.kind == "mapped":
                while self.take(";"):
                    pass
                return member if self.take("}") else UNKNOWN_TYPE
            if member.kind != "unknown":
                members.append(member)
            while self.peek() in (";", ","):
                self.at += 1
            if self.at == before:
                self.at = len(self.tokens) + 1
        return Annotation("object", "", tuple(members))

    def member(self, depth: int) -> Annotation:
        while self.peek() in ("+", "-") or (self.peek() in _MODIFIERS and self.peek(1) not in _ENDS):
            self.at += 1
        token = self.peek()
        if token in ("(", "<"):
            return Annotation("call", "", (self.function(depth, ":"),))
        if token == "new" and self.peek(1) in ("(", "<"):
            self.at += 1
            return Annotation("construct", "", (self.function(depth, ":"),))
        if token == "[":
            return self.bracketed(depth)
        self.at += 1
        return self.member_type(token[1:-1] if token[0] in "\"'" else token, depth)

    def member_type(self, name: str, depth: int) -> Annotation:
        while self.peek() in ("?", "-", "+", "!"):
            self.at += 1
        if self.peek() in ("(", "<"):
            return Annotation("member", name, (self.function(depth, ":"),))
        return Annotation("member", name, (self.type(depth) if self.take(":") else UNKNOWN_TYPE,))

    def bracketed(self, depth: int) -> Annotation:
        """`[K in T]: V`, `[key: string]: V`, `[Symbol.iterator]: V`."""
        if self.peek(2) == "in":
            key = self.peek(1)
            self.at += 3
            constraint = self.type(depth)
            if self.take("as"):
                self.type(depth)
            if not self.take("]"):
                return UNKNOWN_TYPE
            value = self.member_type("", depth)
            return Annotation("mapped", key, (constraint, *value.arguments))
        is_index = self.peek(2) == ":"
        name = "".join(self.tokens[self.at + 1 : self.closing()])
        self.skip()
        if name.startswith("Symbol."):
            name = "@@" + name[7:]
        found = self.member_type(name.strip("\"'"), depth)
        return Annotation("index", "", found.arguments) if is_index else found


_PREFIXED = {
    "readonly": _Reader.plain_prefix, "unique": _Reader.plain_prefix, "keyof": _Reader.keyof, "infer": _Reader.infer, "asserts": _Reader.asserts,
    "typeof": _Reader.typeof, "import": _Reader.imported, "new": _Reader.constructor, "abstract": _Reader.constructor,
}  # fmt: skip
_BRACKETED = {"(": _Reader.parenthesized, "<": _Reader.parenthesized, "[": _Reader.tuple_, "{": _Reader.object}
