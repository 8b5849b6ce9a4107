"""The module table of one tree: which file a module name means, seen from another file.

Pure over `FactSource.paths()` and `text()`. Questions about single files go through `answer`, by key, so that who asked can note
the key and ask again later (see `reads`). Keys:

    python-top:NAME    directories that hold a top-level module or package NAME
    python:STEM        the file (or namespace directory, with "/" at its end) that the path STEM means as a Python module
    stubs:             every stub file
    javascript:STEM    the file that the path STEM means as an ES or CommonJS module

What follows from project files alone (source directories, declared dependencies, aliases, workspaces) is `describe_python` and
`describe_javascript`: one text for each directory that has project files.

Python looks for an absolute import in this order: the source directories of the importer's own project, the directory that holds
the importer's top-level package, enclosing projects, projects named by path, projects that it declares as dependencies. A module
of another project is never found by its name alone.
"""

from __future__ import annotations

import posixpath
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from knowledge.graph.layout_javascript import JavaScriptLayout
from knowledge.graph.manifests import families_begun_by
from knowledge.graph.project_files import JAVASCRIPT_FILES, PYTHON_FILES, PythonProject, join, read_python_project
from knowledge.graph.source import FactSource
from knowledge.records.identifiers import read_path, show_path

STANDARD_LIBRARY = sys.stdlib_module_names
_STUBS = b"-stubs"
_SOURCE_NAMES = (b"src", b"lib", b"python")
_IGNORED = frozenset((b"node_modules", b".git", b".venv", b"site-packages"))
_PROJECT_FILES = tuple(b"/" + name for name in PYTHON_FILES + JAVASCRIPT_FILES)


class Layout:
    """See the module's docstring. Built once per tree; everything costly is computed when first asked."""

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self.paths = source.paths()
        found: dict[bytes, list[bytes]] = defaultdict(list)
        for path in self.paths:
            if path.endswith(_PROJECT_FILES) or path in PYTHON_FILES + JAVASCRIPT_FILES:
                directory, name = posixpath.split(path)
                if not _IGNORED.intersection(directory.split(b"/")):
                    found[name].append(directory)
        self._python_directories = {b"", *(directory for name in PYTHON_FILES for directory in found[name])}
        node, typescript = set(found[b"package.json"]), {*found[b"tsconfig.json"], *found[b"jsconfig.json"]}
        self.javascript = JavaScriptLayout(self.paths, source.text, node, typescript)
        self._projects: dict[bytes, PythonProject] = {}
        self._project_directories: dict[bytes, bytes] = {}
        self._roots: dict[bytes, tuple[bytes, ...]] = {}
        self._answers: dict[str, tuple[bytes, ...]] = {}

    # ── projects ──

    def project(self, directory: bytes) -> PythonProject:
        """The Python project whose project files stand in `directory`."""
        if directory not in self._projects:
            self._projects[directory] = read_python_project(directory, self._source.text)
        return self._projects[directory]

    def project_of(self, path: bytes) -> bytes:
        """The directory of the innermost Python project that holds `path`; b"" where no nearer one does."""
        directory = posixpath.dirname(path)
        if directory not in self._project_directories:
            found = directory if directory in self._python_directories else self.project_of(directory) if directory else b""
            self._project_directories[directory] = found
        return self._project_directories[directory]

    def roots(self, directory: bytes) -> tuple[bytes, ...]:
        """Where the project in `directory` keeps its modules, best first."""
        if directory not in self._roots:
            usual = [path for name in _SOURCE_NAMES if self._is_source(path := posixpath.join(directory, name))]
            self._roots[directory] = tuple(dict.fromkeys([*self.project(directory).source_directories, *usual, directory]))
        return self._roots[directory]

    def visible_projects(self, directory: bytes) -> tuple[bytes, ...]:
        """The project itself, then the projects that enclose it, that it links by path, and that it declares as dependencies."""
        project = self.project(directory)
        enclosing = [above for above in _ancestors(directory) if directory and above in self._python_directories]
        linked = [path for path in project.linked if path in self._python_directories]
        declared = [path for name in sorted(project.dependencies) for path in self._projects_named.get(name, ())]
        return tuple(dict.fromkeys([directory, *enclosing, *linked, *declared]))

    def describe_python(self, directory: bytes) -> str:
        """Everything that project files and source directories say about imports in the files of `directory`."""
        project = self.project_of(directory + b"/x" if directory else b"x")
        return repr(([(other, self.roots(other)) for other in self.visible_projects(project)], sorted(self._python_directories)))

    def package_of(self, path: bytes) -> str:
        """The project's directory and the top-level package of a file. It survives moves of the package between source directories.

        A Python module that stands in no package belongs to the project as a whole.
        """
        project = self.project_of(path)
        if path.endswith((b".py", b".pyi")):
            root = next(root for root in (*self.roots(project), project, b"") if _is_below(path, root))
            top = path[len(root) :].lstrip(b"/").split(b"/")[0]
            return _label(project, b"" if top.endswith((b".py", b".pyi")) else top)
        if path.endswith(self.javascript.SUFFIXES):
            return _label(self.javascript.package_directory(path), b"")
        return _label(project, path[len(project) :].lstrip(b"/").partition(b"/")[0] if b"/" in path[len(project) :].lstrip(b"/") else b"")

    def packages_of(self, path: bytes) -> tuple[str, ...]:
        """The packages whose sets have members in a file: its own; for Python also the project as a whole, of which loose modules speak."""
        own = self.package_of(path)
        whole = _label(self.project_of(path), b"") if path.endswith((b".py", b".pyi")) else own
        return (own,) if whole == own else (own, whole)

    # ── questions by key ──

    def answer(self, key: str) -> tuple[bytes, ...]:
        """The paths that answer a module question (see the module's docstring); empty where there are none."""
        if key not in self._answers:
            kind, _, rest = key.partition(":")
            name = encode(rest)
            if kind == "python-top":
                self._answers[key] = tuple(sorted(self._top_level.get(name, ())))
            elif kind == "stubs":
                self._answers[key] = tuple(sorted(path for path in self.paths if path.endswith(b".pyi")))
            elif kind == "manifests":
                self._answers[key] = tuple(self._manifests.get(rest, ()))
            elif kind == "python":
                found = self._python_file(name)
                self._answers[key] = (found,) if found is not None else ()
            else:
                found = self.javascript.file_of(name)
                self._answers[key] = (found,) if found is not None else ()
        return self._answers[key]

    def choose_root(self, importer: bytes, candidates: Sequence[bytes], own_directory: bytes) -> tuple[bytes, bool] | None:
        """Which of the directories that hold a module the importer means, and whether that is certain. None: none of them."""
        directory = self.project_of(importer)
        visible = self.visible_projects(directory)
        for root in (*self.roots(directory), own_directory, *(root for other in visible[1:] for root in self.roots(other))):
            if root in candidates:
                return root, True
        inside = [path for path in candidates if self.project_of(path + b"/x") == directory]
        above = [path for path in inside if _is_below(importer, path)]
        if above:
            return max(above, key=len), False
        return (inside[0], False) if len(inside) == 1 else None

    def module_keys(self, path: bytes) -> Iterator[str]:
        """Every module question whose answer may change when `path` is added or removed."""
        if path.endswith((b".py", b".pyi")):
            stem = path.rpartition(b".")[0]
            if path.endswith(b".pyi"):
                yield "stubs:"
            for place in (stem, *_ancestors(stem), *((plain := _without_stubs(stem)) and (plain, *_ancestors(plain)))):
                if place:
                    yield "python:" + decode(place)
                    yield "python-top:" + decode(posixpath.basename(place))
        for stem in self.javascript.stems(path):
            yield "javascript:" + decode(stem)
        for family in families_begun_by(path):
            yield "manifests:" + family

    def _python_file(self, stem: bytes) -> bytes | None:
        """A package before a module, source before a stub, a directory without `__init__` last: as Python's own finder does.

        A package that is only there as stubs (PEP 561: `name-stubs`) is what stands for `name`.
        """
        for candidate in (stem + b"/__init__.py", stem + b".py", stem + b"/__init__.pyi", stem + b".pyi"):
            if candidate in self.paths:
                return candidate
        if stem in self._directories:
            return stem + b"/"
        package = next((place for place in (stem, *_ancestors(stem)) if place and place + _STUBS in self._directories), None)
        return self._python_file(package + _STUBS + stem[len(package) :]) if package is not None else None

    def _is_source(self, directory: bytes) -> bool:
        return directory in self._directories and directory + b"/__init__.py" not in self.paths

    @cached_property
    def _manifests(self) -> dict[str, list[bytes]]:
        """Family of languages → the files at which its projects begin, sorted."""
        found: dict[str, list[bytes]] = defaultdict(list)
        for path in sorted(self.paths):
            for family in families_begun_by(path):
                found[family].append(path)
        return found

    @cached_property
    def _projects_named(self) -> dict[str, tuple[bytes, ...]]:
        found: dict[str, tuple[bytes, ...]] = {}
        for directory in sorted(self._python_directories):
            name = self.project(directory).name
            if name:
                found[name] = (*found.get(name, ()), directory)
        return found

    @cached_property
    def _directories(self) -> frozenset[bytes]:
        """Directories with Python files somewhere below."""
        found: set[bytes] = set()
        for path in self.paths:
            if path.endswith((b".py", b".pyi")):
                directory = path.rpartition(b"/")[0]
                while directory and directory not in found:
                    found.add(directory)
                    directory = directory.rpartition(b"/")[0]
        return frozenset(found)

    @cached_property
    def _top_level(self) -> dict[bytes, set[bytes]]:
        found: dict[bytes, set[bytes]] = defaultdict(set)
        for path in self.paths:
            if path.endswith((b".py", b".pyi")):
                directory, _, name = path.rpartition(b"/")
                found[name.rpartition(b".")[0]].add(directory)
        for path in self._directories:
            directory, _, name = path.rpartition(b"/")
            found[name.removesuffix(_STUBS)].add(directory)
        return found


def python_roots(layout: Layout, paths: Iterable[bytes]) -> list[bytes]:
    """Every directory in which modules of these files lie: those of the outermost project first."""
    projects = sorted({layout.project_of(path) for path in paths}, key=lambda directory: (directory.count(b"/"), directory))
    return list(dict.fromkeys(root for project in projects for root in layout.roots(project)))


def decode(path: bytes) -> str:
    """A path inside a key: text that any store keeps; `encode` gives the bytes back."""
    return show_path(path)


def encode(text: str) -> bytes:
    """The path that `decode` made into text."""
    return read_path(text) if "\\" in text else text.encode("utf-8", "surrogateescape")


def relative_stem(importer: bytes, level: int, module: str) -> bytes | None:
    """The path stem that `from <level dots><module>` means in the file `importer`; None where it leaves the repository."""
    directory = posixpath.dirname(importer)
    for _ in range(level - 1):
        if not directory:
            return None
        directory = posixpath.dirname(directory)
    return join(directory, module.replace(".", "/")) if module else directory


def _ancestors(path: bytes) -> Iterator[bytes]:
    """The directories above a path, innermost first, down to b""."""
    while path.strip(b"/"):
        path = posixpath.dirname(path)
        yield path
    # The top directory stands above itself, so that every path has one.
    yield b""


def _without_stubs(path: bytes) -> bytes:
    """The path as the package calls it whose stubs stand there; b"" where it is none of a package of stubs."""
    parts = path.split(b"/")
    return b"/".join(part.removesuffix(_STUBS) for part in parts) if any(part.endswith(_STUBS) for part in parts) else b""


def _is_below(path: bytes, directory: bytes) -> bool:
    return not directory or path.startswith(directory + b"/")


def _label(project: bytes, package: bytes) -> str:
    head, tail = (part.decode("utf-8", "backslashreplace") for part in (project, package))
    return f"{head}:{tail}" if head and tail else head or tail or "."
