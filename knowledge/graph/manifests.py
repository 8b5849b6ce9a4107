"""Where projects of languages without a resolver of their own begin: the files that a build tool or package manager looks for.

Languages of one family call each other, and share their manifests. A language without manifests has one project: the repository.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping

_JVM = ("pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", "build.sc")
MANIFESTS: Mapping[str, tuple[str, ...]] = {
    "csharp": (".csproj",),
    "go": ("go.mod",),
    "jvm": _JVM,
    "php": ("composer.json",),
    "ruby": ("Gemfile", ".gemspec"),
    "rust": ("Cargo.toml",),
    "solidity": ("foundry.toml", "hardhat.config.js", "hardhat.config.ts", "truffle-config.js"),
    "swift": ("Package.swift",),
}
"""Family → names of manifests; one that begins with a dot is an ending."""
_FAMILIES: Mapping[str, str] = {"c": "c", "cpp": "c", "java": "jvm", "kotlin": "jvm", "scala": "jvm"}
_ENDINGS = tuple({name.encode() for names in MANIFESTS.values() for name in names})


def family_of(language: str) -> str:
    """The family of a language: the language itself where it has no relatives."""
    return _FAMILIES.get(language, language)


def families_begun_by(path: bytes) -> Iterator[str]:
    """The families of which a project begins where the file `path` stands."""
    if path.endswith(_ENDINGS):
        name = posixpath.basename(path).decode("utf-8", "replace")
        for family, manifests in MANIFESTS.items():
            if any(name.endswith(manifest) if manifest.startswith(".") else name == manifest for manifest in manifests):
                yield family


def project_directory(path: bytes, directories: Collection[bytes]) -> bytes:
    """The innermost of the projects' directories that holds a file; b"" where none does."""
    directory = posixpath.dirname(path)
    while directory and directory not in directories:
        directory = posixpath.dirname(directory)
    return directory
