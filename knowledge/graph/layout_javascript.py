"""Which file an ES or CommonJS specifier means: extensions and index files, aliases of tsconfig, packages of a monorepo.

A specifier becomes path stems to try in order (`stems_for`); `file_of` says which file a stem means. A bare specifier leads into
another package of the repository only if that package is the importer's own or is declared in its package.json (or the one above).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from functools import cached_property

from knowledge.graph.project_files import NodePackage, Text, TypeScriptConfig, join, read_node_package, read_typescript_config

_EXTENSIONS = (b".ts", b".tsx", b".d.ts", b".mts", b".cts", b".js", b".jsx", b".mjs", b".cjs", b".d.mts", b".d.cts", b".json")
_WRITTEN_FOR = {b".js": (b".ts", b".tsx", b".d.ts", b".jsx"), b".jsx": (b".tsx",), b".mjs": (b".mts", b".d.mts"), b".cjs": (b".cts", b".d.cts")}
"""What a compiled extension in a specifier may stand for."""
_BUILT = re.compile(rb"\A(?:\./)?(?:dist|lib|build|out|esm|cjs|es)/(?:(?:esm|cjs|es|types|src)/)?")
_PACKAGE_NAME = re.compile(r"(?:@[^/]+/)?[^/]+")


class JavaScriptLayout:
    """The packages and aliases of one tree. `node` and `typescript` are the directories with a package.json and a tsconfig.json."""

    SUFFIXES = tuple(suffix for suffix in _EXTENSIONS if suffix != b".json")

    def __init__(self, paths: Collection[bytes], text: Text, node: set[bytes], typescript: set[bytes]) -> None:
        self._paths = paths
        self._text = text
        self._node = node
        self._typescript = typescript
        self._packages: dict[bytes, NodePackage] = {}
        self._configs: dict[bytes, TypeScriptConfig] = {}

    def package_directory(self, path: bytes) -> bytes:
        """The directory of the innermost package.json above `path`; b"" where there is none."""
        return _nearest(path, self._node)

    def package(self, directory: bytes) -> NodePackage:
        if directory not in self._packages:
            self._packages[directory] = read_node_package(directory, self._text) if directory in self._node else NodePackage(directory)
        return self._packages[directory]

    def stems_for(self, importer: bytes, specifier: str) -> tuple[bytes, ...]:
        """Path stems that `specifier` may mean in the file `importer`, best first. Empty: it is outside the repository."""
        if specifier.startswith(("./", "../")) or specifier in (".", ".."):
            stem = join(posixpath.dirname(importer), specifier)
            return () if stem is None else (stem,)
        if specifier.startswith(("/", "node:")) or "://" in specifier or not specifier:
            return ()
        package = self.package(self.package_directory(importer))
        if specifier.startswith("#"):
            return tuple(_match_entries(package, package.imports, specifier))
        return tuple(dict.fromkeys([*self._aliased(importer, specifier), *self._packaged(package, specifier)]))

    def file_of(self, stem: bytes, depth: int = 0) -> bytes | None:
        """The file that a stem means, or None."""
        if stem in self._paths:
            return stem
        name, extension = posixpath.splitext(stem)
        for written in _WRITTEN_FOR.get(extension, ()):
            if name + written in self._paths:
                return name + written
        for suffix in _EXTENSIONS:
            if stem + suffix in self._paths:
                return stem + suffix
        if stem in self._node and depth == 0:
            for target in _match_entries(self.package(stem), self.package(stem).entries, "."):
                if target != stem and (found := self.file_of(target, depth + 1)) is not None:
                    return found
        index = posixpath.join(stem, b"index")
        return next((index + suffix for suffix in _EXTENSIONS if index + suffix in self._paths), None)

    def stems(self, path: bytes) -> Iterator[bytes]:
        """Every stem whose file may change when `path` is added or removed."""
        extension = next((e for e in sorted(_EXTENSIONS, key=len, reverse=True) if path.endswith(e)), None)
        yield path
        if extension is None:
            return
        name = path[: -len(extension)]
        yield name
        for written, sources in _WRITTEN_FOR.items():
            if extension in sources:
                yield name + written
        directory, base = posixpath.split(name)
        if base == b"index":
            yield directory
        # A package's directory means its entry file, wherever below that may be.
        while directory:
            if directory in self._node:
                yield directory
            directory = posixpath.dirname(directory)

    def describe(self, importer: bytes) -> str:
        """Everything that project files say about the imports of `importer`."""
        package = self.package(self.package_directory(importer))
        declared = self._declared(package)
        visible = [self.package(d) for name in sorted(declared | {package.name}) for d in self._packages_named.get(name, ()) if name]
        return repr((package, visible, self.config(_nearest(importer, self._typescript)), sorted(self._node)))

    def sees(self, importer: bytes, path: bytes) -> bool:
        """Whether a file belongs to the importer's package, or to one that encloses it or that it declares."""
        own, other = self.package_directory(importer), self.package_directory(path)
        return own == other or not other or own.startswith(other + b"/") or self.package(other).name in self._declared(self.package(own))

    def config(self, directory: bytes) -> TypeScriptConfig:
        if directory not in self._configs:
            names = self._declared(self.package(self.package_directory(posixpath.join(directory, b"tsconfig.json"))))

            def declared(name: str) -> tuple[bytes, ...]:
                return self._packages_named.get(name, ()) if name in names else ()

            is_there = directory in self._typescript
            self._configs[directory] = read_typescript_config(directory, self._text, declared) if is_there else TypeScriptConfig(directory)
        return self._configs[directory]

    def _aliased(self, importer: bytes, specifier: str) -> Iterator[bytes]:
        config = self.config(_nearest(importer, self._typescript))
        matches = [(len(pattern.partition("*")[0]), pattern, targets) for pattern, targets in config.paths if _matches(pattern, specifier)]
        for _, pattern, targets in sorted(matches, key=lambda match: -match[0]):
            for target in targets:
                stem = target.replace(b"*", _star(pattern, specifier).encode("utf-8", "surrogateescape"))
                if (clean := join(b"", stem)) is not None:
                    yield clean
        if config.base is not None and (stem := join(config.base, specifier)):  # type: ignore[assignment]
            yield stem

    def _packaged(self, package: NodePackage, specifier: str) -> Iterator[bytes]:
        found = _PACKAGE_NAME.match(specifier)
        name = found[0] if found else ""
        if name != package.name and name not in self._declared(package):
            return
        for directory in self._packages_named.get(name, ()):
            target = self.package(directory)
            subpath = "." + specifier[len(name) :]
            yield from _match_entries(target, target.entries, subpath)
            if not target.entries or subpath != ".":
                yield from (stem for relative in (subpath, "./src" + subpath[1:]) if (stem := join(directory, relative)) is not None)
            elif subpath == ".":
                yield from (stem for relative in ("./src/index", "./index") if (stem := join(directory, relative)) is not None)

    def _declared(self, package: NodePackage) -> frozenset[str]:
        """Names of packages that this one, or a package.json above it, lists as dependencies."""
        found, directory = package.dependencies, package.directory
        while directory:
            directory = posixpath.dirname(directory)
            if directory in self._node:
                found |= self.package(directory).dependencies
        return found

    @cached_property
    def _packages_named(self) -> dict[str, tuple[bytes, ...]]:
        found: dict[str, tuple[bytes, ...]] = {}
        for directory in sorted(self._node):
            name = self.package(directory).name
            if name:
                found[name] = (*found.get(name, ()), directory)
        return found


def _match_entries(package: NodePackage, entries: tuple[tuple[str, tuple[str, ...]], ...], subpath: str) -> Iterator[bytes]:
    matches = [(pattern == subpath, len(pattern), pattern, targets) for pattern, targets in entries if _matches(pattern, subpath)]
    for _, _, pattern, targets in sorted(matches, reverse=True):
        star = _star(pattern, subpath)
        for target in targets:
            written = target.replace("*", star)
            stem = join(package.directory, written)
            if stem is not None:
                yield stem
            # Built files are not in the repository: what they are built from stands under the same name in src/.
            built = _BUILT.sub(b"src/", written.encode("utf-8", "surrogateescape"))
            source = join(package.directory, built)
            if source is not None and source != stem:
                yield re.sub(rb"\.d(\.[cm]?ts)\Z", rb"\1", source)


def _matches(pattern: str, text: str) -> bool:
    head, star, tail = pattern.partition("*")
    return text == pattern if not star else len(text) >= len(head) + len(tail) and text.startswith(head) and text.endswith(tail)


def _star(pattern: str, text: str) -> str:
    head, star, tail = pattern.partition("*")
    return text[len(head) : len(text) - len(tail)] if star else ""


def _nearest(path: bytes, directories: Collection[bytes]) -> bytes:
    while path.strip(b"/"):
        path = posixpath.dirname(path)
        if path in directories:
            return path
    return b""
