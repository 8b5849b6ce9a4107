"""What a project's own files say of where its code is: pyproject.toml, setup.cfg, setup.py, package.json, tsconfig.json.

Nothing is executed. A file that does not parse says nothing; directories are bytes without a slash at the end, b"" is the top.
"""

from __future__ import annotations

import configparser
import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Text = Callable[[bytes], bytes | None]

PYTHON_FILES = (b"pyproject.toml", b"setup.cfg", b"setup.py")
JAVASCRIPT_FILES = (b"package.json", b"tsconfig.json", b"jsconfig.json", b"pnpm-workspace.yaml")
CONFIGURATION_BYTES = 1_000_000
"""Larger files are not read: no project describes itself at that length."""
EXTENDS_DEPTH = 16
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_PACKAGE_DIRECTORY = re.compile(r"""package_dir\s*=\s*\{\s*['"]{2}\s*:\s*['"]([^'"]+)['"]|where\s*=\s*['"]([^'"]+)['"]""")
_SETUP_NAME = re.compile(r"""\bname\s*=\s*['"]([^'"]+)['"]""")
_JSONC = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(\s*[}\]])')
_SCOPED = re.compile(r"(?:@[^/]+/)?[^/]+")
_WORKSPACE_ITEM = re.compile(r"^\s*-\s*['\"]?([^'\"#\n]+?)['\"]?\s*(?:#.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PythonProject:
    """A directory with a project file. source_directories come before the directory itself when a module is looked for."""

    directory: bytes
    name: str = ""
    source_directories: tuple[bytes, ...] = ()
    dependencies: frozenset[str] = frozenset()
    linked: tuple[bytes, ...] = ()
    """Directories of other projects that it names by path."""


@dataclass(frozen=True, slots=True)
class NodePackage:
    """A directory with a package.json. entries: subpath ("." or "./x", with one "*") → targets in the order to try, relative to the directory."""

    directory: bytes
    name: str = ""
    entries: tuple[tuple[str, tuple[str, ...]], ...] = ()
    imports: tuple[tuple[str, tuple[str, ...]], ...] = ()
    dependencies: frozenset[str] = frozenset()
    workspaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeScriptConfig:
    """A directory with a tsconfig.json (or jsconfig.json), its extends chain already applied."""

    directory: bytes
    base: bytes | None = None
    paths: tuple[tuple[str, tuple[bytes, ...]], ...] = ()
    """pattern with at most one "*" → targets as paths from the top."""


def join(directory: bytes, relative: str | bytes) -> bytes | None:
    """The path from the top of `relative` seen from `directory`; None where it leaves the repository."""
    tail = relative.encode("utf-8", "surrogateescape") if isinstance(relative, str) else relative
    path = posixpath.normpath(posixpath.join(directory, tail.replace(b"\\", b"/")))
    if path in (b".", b""):
        return b""
    return None if path.startswith((b"../", b"/")) or path == b".." else path


def normalise_name(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_python_project(directory: bytes, text: Text) -> PythonProject:
    """What the project files in `directory` say together."""
    names: list[str] = []
    sources: list[bytes] = []
    dependencies: set[str] = set()
    linked: list[bytes] = []
    table = _toml(_read(directory, b"pyproject.toml", text))
    if table:
        names += _pyproject_names(table)
        sources += _directories(directory, _pyproject_sources(table))
        dependencies |= _pyproject_dependencies(table)
        linked += _directories(directory, _pyproject_linked(table))
    setup_cfg = _ini(_read(directory, b"setup.cfg", text))
    if setup_cfg:
        names.append(setup_cfg.get("metadata", {}).get("name", ""))
        options, find = setup_cfg.get("options", {}), setup_cfg.get("options.packages.find", {})
        sources += _directories(directory, [find.get("where", ""), *re.findall(r"^\s*=\s*(\S+)", options.get("package_dir", ""), re.MULTILINE)])
        dependencies |= set(_requirements(options.get("install_requires", "").split("\n")))
    setup_py = _read(directory, b"setup.py", text)
    if setup_py:
        names += [found[1] for found in _SETUP_NAME.finditer(setup_py)]
        sources += _directories(directory, [found[1] or found[2] for found in _PACKAGE_DIRECTORY.finditer(setup_py)])
    name = next((normalise_name(name) for name in names if name), "")
    return PythonProject(directory, name, tuple(dict.fromkeys(sources)), frozenset(dependencies), tuple(dict.fromkeys(linked)))


def read_node_package(directory: bytes, text: Text) -> NodePackage:
    """What package.json (and pnpm-workspace.yaml beside it) say."""
    table = _json(_read(directory, b"package.json", text))
    workspaces = table.get("workspaces", ())
    if isinstance(workspaces, dict):
        workspaces = workspaces.get("packages", ())
    globs = _strings(workspaces) + _WORKSPACE_ITEM.findall(_read(directory, b"pnpm-workspace.yaml", text).partition("packages:")[2])
    dependencies: set[str] = set()
    for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        dependencies |= set(_table(table, key))
    name = table.get("name")
    return NodePackage(
        directory, name if isinstance(name, str) else "", tuple(_node_entries(table)), tuple(_conditions(_table(table, "imports"))),
        frozenset(dependencies), tuple(globs),
    )  # fmt: skip


def read_typescript_config(directory: bytes, text: Text, package: Callable[[str], Iterable[bytes]] = lambda name: ()) -> TypeScriptConfig:
    """tsconfig.json (else jsconfig.json) with everything that it extends inside the repository; the nearest setting wins.

    One that only refers to others beside it (`references`) says what they say. package: the directories of a package that may be extended.
    """
    start = next((p for name in (b"tsconfig.json", b"jsconfig.json") if (p := join(directory, name)) and text(p) is not None), None)
    base: bytes | None = None
    paths: dict[str, tuple[bytes, ...]] | None = None
    queue, seen, referred = [start] if start is not None else [], set[bytes](), set[bytes]()
    while queue and len(seen) < EXTENDS_DEPTH:
        path = queue.pop(0)
        if path in seen or (path in referred and paths is not None):
            continue
        seen.add(path)
        where = posixpath.dirname(path)
        table = _json(_decode(text(path)))
        options = _table(table, "compilerOptions")
        written = options.get("baseUrl")
        own_base = join(where, written) if isinstance(written, str) else None
        if paths is None and isinstance(options.get("paths"), dict):
            paths = dict(_alias_targets(options["paths"], own_base if own_base is not None else where, directory))
        base = own_base if base is None else base
        # A later entry of an extends list wins over an earlier one, so they are asked last to first.
        queue += [target for name in reversed(_strings(table.get("extends", ()))) if (target := _extended(where, name, text, package)) is not None]
        if path == start:
            beside = [join(where, row["path"]) for row in _tables(table.get("references")) if isinstance(row.get("path"), str)]
            found = [target for target in beside if target and posixpath.dirname(target) == where and text(target) is not None]
            referred.update(found)
            queue += found
    return TypeScriptConfig(directory, base, tuple((paths or {}).items()))


def _alias_targets(table: Mapping[str, Any], base: bytes, directory: bytes) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    for pattern, targets in table.items():
        found = tuple(p for target in _strings(targets) if (p := _alias_target(target, base, directory)) is not None)
        if found and pattern.count("*") <= 1:
            yield pattern, found


def _alias_target(target: str, base: bytes, directory: bytes) -> bytes | None:
    """`${configDir}` is the directory of the configuration that is read, wherever the setting stands."""
    inside = target.removeprefix("${configDir}/")
    return join(base, target) if inside == target else join(directory, inside)


def _extended(where: bytes, name: str, text: Text, package: Callable[[str], Iterable[bytes]]) -> bytes | None:
    if name.startswith("."):
        places = [(where, name)]
    else:
        found = _SCOPED.match(name)
        owner = found[0] if found is not None else name
        places = [(directory, "." + name[len(owner) :]) for directory in package(owner)]
    for directory, relative in places:
        for candidate in (relative, relative + ".json", relative + "/tsconfig.json"):
            path = join(directory, candidate)
            if path and text(path) is not None:
                return path
    return None


def _node_entries(table: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    exports = table.get("exports")
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        yield from _conditions(exports)
    elif exports is not None:
        targets = tuple(_targets(exports))
        if targets:
            yield ".", targets
    fields = tuple(value for key in ("source", "types", "typings", "module", "main", "browser") if isinstance(value := table.get(key), str))
    if fields:
        yield ".", fields


def _conditions(table: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key, value in table.items():
        targets = tuple(_targets(value))
        if targets:
            yield key, targets


def _targets(value: Any, depth: int = 0) -> Iterator[str]:
    """Every file that a conditional export may stand for, in the order written: the caller takes those that are in the tree."""
    if isinstance(value, str):
        yield value
    elif depth < EXTENDS_DEPTH and isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _targets(item, depth + 1)


def _pyproject_names(table: Mapping[str, Any]) -> list[str]:
    found = [_table(table, "project").get("name"), _table(_table(table, "tool"), "poetry").get("name")]
    return [name for name in found if isinstance(name, str)]


def _pyproject_sources(table: Mapping[str, Any]) -> list[str]:
    tool = _table(table, "tool")
    setuptools = _table(tool, "setuptools")
    hatch = _table(_table(_table(_table(tool, "hatch"), "build"), "targets"), "wheel")
    found = _strings(_table(_table(setuptools, "packages"), "find").get("where", ()))
    found += [v for k, v in _table(setuptools, "package-dir").items() if k == "" and isinstance(v, str)]
    found += [str(item["from"]) for item in _tables(_table(tool, "poetry").get("packages")) if isinstance(item.get("from"), str)]
    found += [posixpath.dirname(package) for package in _strings(hatch.get("packages", ()))]
    found += _strings(hatch.get("sources", ())) if isinstance(hatch.get("sources"), list) else []
    found += _strings(_table(_table(tool, "pdm"), "build").get("package-dir", ()))
    found += _strings(_table(_table(_table(tool, "uv"), "build-backend"), "").get("module-root", ()))
    found += _strings(_table(_table(tool, "uv"), "build-backend").get("module-root", ()))
    found += _strings(_table(tool, "maturin").get("python-source", ()))
    found += _strings(_table(_table(tool, "pytest"), "ini_options").get("pythonpath", ()))
    found += _strings(_table(tool, "pyright").get("extraPaths", ()))
    mypy_path = _table(tool, "mypy").get("mypy_path", ())
    return found + [part for item in _strings(mypy_path) for part in re.split(r"[:,]", item.replace("$MYPY_CONFIG_FILE_DIR/", ""))]


def _pyproject_dependencies(table: Mapping[str, Any]) -> set[str]:
    project, poetry = _table(table, "project"), _table(_table(table, "tool"), "poetry")
    lists = [project.get("dependencies"), *_table(project, "optional-dependencies").values(), *_table(table, "dependency-groups").values()]
    found = {name for one in lists for name in _requirements(_strings(one))}
    groups = [group for group in _table(poetry, "group").values() if isinstance(group, dict)]
    for section in [poetry, *groups]:
        found |= {normalise_name(name) for key in ("dependencies", "dev-dependencies") for name in _table(section, key)}
    return found


def _pyproject_linked(table: Mapping[str, Any]) -> list[str]:
    tool = _table(table, "tool")
    sources = [*_table(_table(tool, "uv"), "sources").values(), *_table(_table(tool, "poetry"), "dependencies").values()]
    return [str(item["path"]) for item in _tables(sources) if isinstance(item.get("path"), str)]


def _requirements(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        found = _REQUIREMENT.match(line)
        if found:
            yield normalise_name(found[1])


def _directories(directory: bytes, names: Iterable[str]) -> list[bytes]:
    return [path for name in names if name and (path := join(directory, name.strip())) is not None]


def _table(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _tables(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def _read(directory: bytes, name: bytes, text: Text) -> str:
    return _decode(text(posixpath.join(directory, name)))


def _decode(content: bytes | None) -> str:
    return "" if content is None or len(content) > CONFIGURATION_BYTES else content.decode("utf-8-sig", "replace")


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(text: str) -> dict[str, Any]:
    """JSON with comments and trailing commas."""
    without = _JSONC.sub(lambda m: m[0] if m[0][0] == '"' else " ", text)
    try:
        value = json.loads(_TRAILING_COMMA.sub(lambda m: m[1] or m[2], without))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _ini(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    return {name: dict(parser[name]) for name in parser.sections()}
