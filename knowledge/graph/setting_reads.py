"""Reads and writes of configuration keys, as far as one file shows them: what it asks of objects that hold settings.

    config["db"]["host"] · app.config["KEY"] · settings.KEY · config.get("db.host") · parser.get("section", "key")      → configuration::KEY
    config = json.load(open("conf/app.json")); config["a"]                                                            → configuration:app.json::a
    class Settings(BaseSettings): host                                                                                → environment::HOST
    import conf from "./conf.json"; conf.db.host                                                                      → conf.json::db.host

Only the last names the file that holds the key, so only it is resolved. An object is taken for settings by what it is called (`NAMES`), so all
others are inferred; which files hold such a key is found when somebody asks (`operations/settings.py`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from analyzers.facts import Access, Call, Expression, FileFacts, Span
from knowledge.graph.resolution import EdgeWriter, Target
from knowledge.records.identifiers import SymbolId, external_symbol

CONFIGURATION, ENVIRONMENT = "configuration", "environment"
NAMES = frozenset({"config", "settings", "cfg", "conf", "configuration", "app_config", "appConfig", "CONFIG", "SETTINGS"})
"""What objects that hold settings are called."""
_GETTERS = frozenset({"get", "getint", "getfloat", "getboolean", "has", "setdefault", "get_or_default", "getOrThrow"})
_SETTERS = frozenset({"set", "setdefault"})
_BASES = frozenset({"BaseSettings"})
_FILE = re.compile(r"[\w./\\-]*?(?P<name>[\w.-]+\.(?:json|ya?ml|toml|ini|cfg|env)|\.env[\w.-]*)\Z")
_READING = frozenset({"load", "loads", "safe_load", "dotenv_values", "readFileSync"})
_LOADERS = _READING | {"read_text", "open", "parse", "Path"}
_DEEPEST = 12


def note_settings(writer: EdgeWriter, facts: FileFacts) -> None:
    """Add the file's reads and writes of configuration keys."""
    imported = _json_imports(writer, facts)
    if imported or any(_mentions(facts, name) for name in NAMES | _BASES | _READING):
        _Settings(writer, facts, imported).run()


def _mentions(facts: FileFacts, name: str) -> bool:
    place = bisect_left(facts.mentions, name)
    return place < len(facts.mentions) and facts.mentions[place] == name


def _json_imports(writer: EdgeWriter, facts: FileFacts) -> dict[str, bytes]:
    """Local names that stand for a JSON file's whole content → its path."""
    wanted = [found for found in facts.imports if found.module.endswith(".json") and found.name in ("default", "*") and found.alias]
    if not wanted:
        return {}
    paths = {edge.start: edge.object.path for edge in writer.edges() if edge.predicate == "imports" and edge.object.path.endswith(b".json")}
    spans = ((found.alias, found.module_span or found.span) for found in wanted)
    return {alias: paths[span.start] for alias, span in spans if span.start in paths}


class _Settings:
    def __init__(self, writer: EdgeWriter, facts: FileFacts, imported: Mapping[str, bytes]) -> None:
        self._writer, self._facts, self._imported = writer, facts, imported
        self._loaded = dict(_loaded(facts))
        self._known = {(edge.start, edge.end, edge.predicate) for edge in writer.edges() if edge.predicate in ("reads", "writes")}
        self._called = {call.name_span.start for call in facts.calls if "implicit" not in call.flags}

    def run(self) -> None:
        longest: dict[int, tuple[int, Access, str, tuple[str, ...]]] = {}
        for access in self._facts.accesses:
            if access.target.kind in ("subscript", "attribute") and access.span.start not in self._called:
                root, start, keys = _chain(access.target)
                is_setting = root in self._imported or root in NAMES or root in self._loaded
                # Of `config["a"]["b"]` the whole is what is asked for.
                if keys and is_setting and (start not in longest or len(keys) > longest[start][0]):
                    longest[start] = len(keys), access, root, keys
        for _, access, root, keys in longest.values():
            self._add(access.scope, "writes" if access.is_write else "reads", root, keys, access.span)
        for call in self._facts.calls:
            self._call(call)
        self._classes()

    def _call(self, call: Call) -> None:
        callee = call.expression.parts[0] if call.expression.parts else None
        if callee is None or callee.kind != "attribute" or callee.name not in _GETTERS | _SETTERS:
            return
        root, _, keys = _chain(callee.parts[0])
        literals = [text for part in call.expression.parts[1:3] if (text := _text(part)) is not None]
        if not literals or not (root in NAMES or root in self._loaded):
            return
        # `parser.get("section", "key")`; with any other method the second text is what stands in for a missing value.
        asked = literals[:2] if callee.name.startswith("get") and callee.name != "get" and len(literals) > 1 else literals[:1]
        predicate = "writes" if callee.name in _SETTERS else "reads"
        self._add(call.scope, predicate, root, (*keys, *".".join(asked).split(".")), call.name_span)

    def _add(self, scope: int, predicate: str, root: str, keys: tuple[str, ...], span: Span) -> None:
        if (span.start, span.end, predicate) in self._known:
            return
        key = ".".join(keys)
        if root in self._imported:
            target = Target(SymbolId(self._imported[root], key), "resolved", "json-import")
        elif root in self._loaded:
            target = Target(external_symbol(f"{CONFIGURATION}:{self._loaded[root]}", key), "inferred", "loaded-file")
        else:
            target = Target(external_symbol(CONFIGURATION, key), "inferred", "settings-object")
        self._writer.add(self._writer.owner(scope), "writes" if predicate == "writes" else "reads", target, span, keys[-1])

    def _classes(self) -> None:
        """Fields of pydantic-settings' classes are read from the environment, under a prefix."""
        definitions = self._facts.definitions
        classes = {i for i, d in enumerate(definitions) if d.kind == "class" and any(base.name in _BASES for base in d.bases)}
        prefixes = {i: _prefix(definitions[i].value) for i in range(len(definitions)) if definitions[i].name == "model_config"}
        prefix_of = {definitions[i].parent: prefix for i, prefix in prefixes.items()}
        for index, field in enumerate(definitions):
            if field.parent in classes and field.kind in ("variable", "constant", "property") and field.name != "model_config" and field.returns:
                name = (prefix_of.get(field.parent, "") + field.name).upper()
                target = Target(external_symbol(ENVIRONMENT, name), "inferred", "settings-class")
                self._writer.add(self._writer.symbol(self._writer.path, index), "reads", target, field.name_span, name)


def _chain(expression: Expression) -> tuple[str, int, tuple[str, ...]]:
    """The name of the object that is asked, where that name stands, and the keys it is asked for: `app.config["a"].b` → config, …, (a, b)."""
    keys: list[str] = []
    node = expression
    for _ in range(_DEEPEST):
        if node.kind == "subscript" and len(node.parts) > 1 and (text := _text(node.parts[1])) is not None:
            keys.append(text)
        elif node.kind == "attribute" and node.name not in NAMES:
            keys.append(node.name)
        else:
            break
        node = node.parts[0]
    named = node.kind == "name" or (node.kind == "attribute" and node.name in NAMES)
    return (node.name, node.start, tuple(reversed(keys))) if named else ("", -1, ())


def _text(expression: Expression) -> str | None:
    is_text = expression.kind == "literal" and expression.name == "str"
    return expression.text.strip("\"'`") or None if is_text else None


def _loaded(facts: FileFacts) -> Iterator[tuple[str, str]]:
    """Variables that are given what a data file holds → the name of that file."""
    for binding in facts.bindings:
        if binding.kind == "assignment" and binding.value is not None and binding.value.kind == "call":
            name = _file_in(binding.value, _DEEPEST)
            if name:
                yield binding.name, name


def _file_in(expression: Expression, depth: int) -> str:
    """The data file that a nest of calls such as `json.load(open("a.json"))` reads; "" where it reads none."""
    if expression.kind == "call" and expression.parts and depth:
        callee = expression.parts[0]
        inner = [*expression.parts[1:], *(callee.parts if callee.kind == "attribute" else ())]
        for part in inner:
            text = _text(part)
            found = _FILE.match(text) if text is not None and callee.name in _LOADERS else None
            name = found["name"] if found is not None else _file_in(part, depth - 1)
            if name:
                return name
    return ""


def _prefix(value: Expression | None) -> str:
    """`env_prefix` of `SettingsConfigDict(env_prefix="APP_")`."""
    if value is None or "env_prefix" not in value.keywords:
        return ""
    given = value.parts[len(value.parts) - len(value.keywords) + value.keywords.index("env_prefix")]
    return _text(given) or ""
