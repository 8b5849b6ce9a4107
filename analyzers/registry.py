"""Which language a path is, and what kind of file: one row a language. Imports no grammar, so it is cheap to ask.

What a file is for (tests, generated, vendored …) follows from its path by convention, and from marks at its head.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Literal

PACK_VERSION = "0.13.0"
"""tree-sitter-language-pack, pinned: an upgrade changes node kinds."""

FileClass = Literal["test", "generated", "vendored", "minified", "docs", "example"]


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """One language.

    grammar: the name in tree-sitter-language-pack, "" for a language read without one; grammar_abi is checked in a test.
    analyzer: the module in analyzers/languages; `tags` reads analyzers/queries/<name>.scm. version: of that analyzer and query; raise it
    whenever its facts or hashes come out otherwise.
    has_resolution: whether names of this language are resolved across files.
    """

    name: str
    kind: Literal["code", "data"]
    analyzer: str
    version: str
    grammar: str = ""
    grammar_abi: int = 0
    suffixes: tuple[str, ...] = ()
    file_names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    has_resolution: bool = False


LANGUAGES: Mapping[str, LanguageSpec] = {
    spec.name: spec
    for spec in (
        LanguageSpec(
            "python", "code", "python", "2", "python", 15, (".py", ".pyi", ".pyw"), ("SConstruct", "SConscript", "wscript"), ("python",), True
        ),
        LanguageSpec(
            "javascript", "code", "javascript", "2", "javascript", 15, (".js", ".mjs", ".cjs", ".jsx"), ("Jakefile",), ("node", "bun", "deno"), True
        ),
        LanguageSpec("typescript", "code", "javascript", "2", "typescript", 14, (".ts", ".mts", ".cts"), (), ("ts-node", "tsx"), True),
        LanguageSpec("tsx", "code", "javascript", "2", "tsx", 14, (".tsx",), has_resolution=True),
        LanguageSpec("bash", "code", "tags", "1", "bash", 15, (".sh", ".bash"), (".bashrc", ".bash_profile", ".profile"), ("bash", "sh", "dash")),
        LanguageSpec("c", "code", "tags", "1", "c", 15, (".c", ".h")),
        LanguageSpec("cpp", "code", "tags", "1", "cpp", 14, (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx")),
        LanguageSpec("csharp", "code", "tags", "1", "csharp", 15, (".cs",)),
        LanguageSpec("go", "code", "tags", "1", "go", 15, (".go",)),
        LanguageSpec("java", "code", "tags", "1", "java", 14, (".java",)),
        LanguageSpec("kotlin", "code", "tags", "1", "kotlin", 14, (".kt", ".kts")),
        LanguageSpec("lua", "code", "tags", "1", "lua", 14, (".lua",), (), ("lua", "luajit")),
        LanguageSpec("php", "code", "tags", "1", "php", 15, (".php",), (), ("php",)),
        LanguageSpec("ruby", "code", "tags", "1", "ruby", 14, (".rb", ".rake", ".gemspec"), ("Gemfile", "Rakefile"), ("ruby",)),
        LanguageSpec("rust", "code", "tags", "1", "rust", 15, (".rs",)),
        LanguageSpec("scala", "code", "tags", "1", "scala", 14, (".scala", ".sc")),
        LanguageSpec("solidity", "code", "tags", "1", "solidity", 15, (".sol",)),
        LanguageSpec("swift", "code", "tags", "1", "swift", 14, (".swift",)),
        LanguageSpec("toml", "data", "toml", "1", suffixes=(".toml",), file_names=("Pipfile", "poetry.lock", "uv.lock", "Cargo.lock")),
        LanguageSpec("yaml", "data", "yaml", "1", suffixes=(".yaml", ".yml"), file_names=(".clang-format",)),
        LanguageSpec(
            "json", "data", "json", "1", suffixes=(".json", ".jsonc", ".json5", ".webmanifest"), file_names=(".babelrc", ".eslintrc", ".prettierrc"),
        ),
        LanguageSpec(
            "ini", "data", "ini", "1", suffixes=(".ini", ".cfg", ".conf"), file_names=(".editorconfig", ".coveragerc", ".flake8", ".pylintrc"),
        ),
        LanguageSpec("dotenv", "data", "dotenv", "1", suffixes=(".env",), file_names=(".env", ".flaskenv")),
    )
}  # fmt: skip
"""name → row."""

_BY_SUFFIX = {suffix: spec.name for spec in LANGUAGES.values() for suffix in spec.suffixes}
_BY_NAME = {name: spec.name for spec in LANGUAGES.values() for name in spec.file_names}
_BY_INTERPRETER = {name: spec.name for spec in LANGUAGES.values() for name in spec.interpreters}
_SHEBANG = re.compile(rb"#![ \t]*(?:\S*/)?([\w.+-]+)(?:[ \t]+(?:-\S+[ \t]+)*([\w.+-]+))?")

_PARTS: Mapping[str, FileClass] = {
    "test": "test", "tests": "test", "testing": "test", "testsuite": "test", "__tests__": "test", "spec": "test", "specs": "test", "e2e": "test",
    "__mocks__": "test",
    "vendor": "vendored", "_vendor": "vendored", "vendored": "vendored", "third_party": "vendored", "third-party": "vendored",
    "node_modules": "vendored", "site-packages": "vendored", "bower_components": "vendored", "extern": "vendored", "external": "vendored",
    "externals": "vendored", "_externals": "vendored", "_vendored": "vendored", "thirdparty": "vendored", "3rdparty": "vendored",
    "docs": "docs", "doc": "docs", "documentation": "docs",
    "example": "example", "examples": "example", "samples": "example", "demo": "example", "demos": "example",
    "playground": "example", "playgrounds": "example",
    "generated": "generated", "__generated__": "generated", "_generated": "generated",
}  # fmt: skip
_TEST_FOLDER = re.compile(r"(?:.+[-_.])?(?:tests?|e2e|bench(?:es|marks?)?)", re.DOTALL)
"""Also what drives the code from outside: `runtime-tests`, `benchmarks`."""
_NAMES: tuple[tuple[re.Pattern[str], FileClass], ...] = (
    (re.compile(r"test_.*\.pyi?|.*_test\.pyi?|tests?\.pyi?|conftest\.py|.*\.(?:test|spec)\.[cm]?[jt]sx?", re.DOTALL), "test"),
    (re.compile(r".*_test\.go|.*(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|cs|swift|php)|.*_(?:spec|test)\.rb", re.DOTALL), "test"),
    (re.compile(r"playground\.[cm]?[jt]sx?", re.DOTALL), "example"),
    (re.compile(r".*[.-]min\.[cm]?js", re.DOTALL), "minified"),
    (re.compile(r".*_pb2(?:_grpc)?\.pyi?|.*\.generated\.\w+|.*\.gen\.\w+|.*_generated\.\w+|package-lock\.json|.*\.lock", re.DOTALL), "generated"),
)
_GENERATED = re.compile(
    rb"@generated\b|\bDO NOT (?:EDIT|MODIFY)\b|\b[Gg]enerated by (?:the )?(?:protocol buffer compiler|protoc|swagger|openapi|ANTLR)"
    rb"|\b[Aa]uto(?:matically)?[- ]?generated\b[^\n]{0,80}\b(?:do not|don't)\b|This file (?:is|was) (?:auto[- ]?|automatically )generated"
)
_HEAD_BYTES = 2_000


def language_of(path: bytes, head: bytes = b"") -> str:
    """The language of a file, by its name, or by the `#!` line at its head; "" for a file that no analyzer reads."""
    name = path.rpartition(b"/")[2].decode("utf-8", "replace")
    if found := _BY_NAME.get(name):
        return found
    _, dot, suffix = name.rpartition(".")
    if dot and (found := _BY_SUFFIX.get("." + suffix) or _BY_SUFFIX.get("." + suffix.lower())):
        return found
    if name.startswith(".env."):
        return "dotenv"
    if head.startswith(b"#!") and (shebang := _SHEBANG.match(head)):
        program = shebang[2] if shebang[1] == b"env" and shebang[2] else shebang[1]
        return _BY_INTERPRETER.get(program.decode("ascii", "replace").rstrip("0123456789."), "")
    return ""


def classify(path: bytes, head: bytes = b"") -> frozenset[FileClass]:
    """What a file is for. `head`: its first bytes (2,000 are enough; all of it tells minified code from its line lengths)."""
    by_name = _classify_name(path)
    if not head:
        return by_name
    found: set[FileClass] = set(by_name)
    if _GENERATED.search(head[:_HEAD_BYTES]):
        found.add("generated")
    if path.endswith((b".js", b".mjs", b".cjs", b".css")) and _looks_minified(head):
        found.add("minified")
    return frozenset(found)


@lru_cache(1 << 15)
def _classify_name(path: bytes) -> frozenset[FileClass]:
    *folders, name = path.decode("utf-8", "replace").split("/")
    found: set[FileClass] = {_PARTS[part] for part in folders if part in _PARTS}
    if any(_TEST_FOLDER.fullmatch(part) for part in folders):
        found.add("test")
    found.update(kind for pattern, kind in _NAMES if pattern.fullmatch(name))
    return frozenset(found)


@cache
def parser_version(language: str) -> str:
    """What a syntax tree of this language depends on besides the text: grammar, its ABI, the pack's and tree-sitter's versions."""
    spec = LANGUAGES[language]
    if not spec.grammar:
        return "none"
    return f"{spec.grammar} abi {spec.grammar_abi}, pack {PACK_VERSION}, tree-sitter {version('tree-sitter')}"


def analyzer_version(language: str) -> str:
    """The version of the analyzer: facts and hashes of two versions are not to be compared."""
    spec = LANGUAGES[language]
    return f"{spec.analyzer} {spec.version}"


def _looks_minified(head: bytes) -> bool:
    """Long lines nearly without white space: written by a tool."""
    if len(head) < 1_000:
        return False
    lines = head.split(b"\n")
    return len(head) / len(lines) > 300 and sum(head.count(mark) for mark in (b" ", b"\n", b"\t")) < len(head) / 12
