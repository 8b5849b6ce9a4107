"""What a goal is about in a tree: its files by what texts, paths, definitions and earlier commits say, and their definitions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.facts import FileFacts
from analyzers.registry import LANGUAGES, language_of
from knowledge.claims.spelling import signature_text
from knowledge.errors import RepositoryReadError
from knowledge.operations.project import Project
from knowledge.operations.recent import Recent
from knowledge.operations.tree_view import IndexedTree
from knowledge.recall.terms import words
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import PastCommit
from knowledge.views.relevance import Goal, RankedFile, rank_files, terms_of

_NEVER = frozenset({"generated", "vendored", "minified"})
_PAST_COMMITS = 1_500
_SOURCES = 12
"""Files whose definitions are weighed."""
_NAMED_KINDS = frozenset({"function", "method", "class", "interface", "type", "enum"})
_CALLED_KINDS = frozenset({"function", "method"})
_NAME_WEIGHT, _LEAST_FIT = 2.0, 0.25
"""What a definition is called says more than what it uses; one that says nothing of the goal still stands in a file that fits."""
_PAST: Recent[list[PastCommit]] = Recent(8)
_LARGEST_TEXT = 1_000_000
"""Bytes: of a longer file the beginning can be searched for."""
_MIXED = re.compile(r"[A-Za-z]*[a-z][A-Z]\w*|[A-Z]{2,}[a-z]\w*|[가-힣]+")


def ranked_files(project: Project, view: IndexedTree, goal: Goal) -> list[RankedFile]:
    """The files of the tree that the goal may be about, the likeliest first."""
    paths = {path: is_beside(path, view) for path in view.files if language_of(path) and not view.kinds_of(path) & _NEVER}
    by_blob: dict[str, list[bytes]] = {}
    for path in paths:
        by_blob.setdefault(view.blob_id(path), []).append(path)
    _read_texts(view, by_blob)
    texts = {
        word: {path: score for blob_id, score in holders.items() for path in by_blob.get(blob_id, ())}
        for word, holders in project.index.texts_with(goal.plain).items()
    }
    named: dict[bytes, float] = defaultdict(float)
    for name in sorted(goal.names):
        symbols = view.symbols_named(name)
        for path in {s.path for s in symbols}:
            named[path] += 1 / len(symbols) ** 0.5
    return rank_files(goal, paths, texts, named, past_commits(project, view.tree.snapshot.revision))


@dataclass(frozen=True, slots=True)
class Defined:
    """A function, method or class of a file. own: the terms of its name; used: those of the names that it uses itself. first, last: its lines.

    parameters: as in `(self, obj: T) -> R`; "" for what is not called.
    """

    qualified_name: str
    ordinal: int
    kind: str
    first: int
    last: int
    parameters: str
    own: frozenset[str]
    used: frozenset[str]


_DEFINED: Recent[tuple[Defined, ...]] = Recent(1_000)


def ranked_definitions(goal: Goal, files: Sequence[RankedFile], view: IndexedTree) -> list[tuple[SymbolId, Defined, str]]:
    """The definitions of the likeliest files that the goal may be about, the likeliest first, each with what speaks for it.

    A definition is ranked by its file, and by how much of the goal its name and the names that it uses say.
    """
    found: list[tuple[float, SymbolId, Defined, str]] = []
    wanted = goal.terms.keys()
    for file in files[:_SOURCES]:
        defined = defined_in(file.path, view)
        fits = [sum(goal.terms[t] for t in d.own & wanted) * _NAME_WEIGHT + sum(goal.terms[t] for t in (d.used & wanted) - d.own) for d in defined]
        most = max(fits, default=0.0)
        for one, fit in zip(defined, fits, strict=True):
            symbol = SymbolId(file.path, one.qualified_name, one.ordinal)
            why = "its name fits" if one.own & wanted else "uses what the goal names" if fit else "its file fits"
            found.append((file.score * (_LEAST_FIT + (fit / most if most else 0.0)), symbol, one, why))
    return [(symbol, one, why) for _, symbol, one, why in sorted(found, key=lambda f: (-f[0], f[1]))]


def defined_in(path: bytes, view: IndexedTree) -> tuple[Defined, ...]:
    """What a file defines; nothing where it has no facts."""
    entry = view.entry_behind(path)
    if entry is None:
        return ()
    return _DEFINED.get((entry.blob_id, language_of(entry.path)), lambda: _read_defined(view.facts(path)))


def _read_defined(facts: FileFacts | None) -> tuple[Defined, ...]:
    if facts is None:
        return ()
    own, used = definition_terms(facts)
    found = []
    for index, terms in own.items():
        d = facts.definitions[index]
        parameters = signature_text(d)[signature_text(d).find("(") :] if d.kind in _CALLED_KINDS else ""
        used_terms = frozenset(used[index])
        found.append(Defined(d.qualified_name, d.ordinal, d.kind, d.span.row + 1, d.span.end_row + 1, parameters, terms, used_terms))
    return tuple(found)


def definition_terms(facts: FileFacts) -> tuple[dict[int, frozenset[str]], dict[int, set[str]]]:
    """For each function, method and class of a file: the terms of its name, and those of the names that it uses itself."""
    own = {i: terms_of(d.name) for i, d in enumerate(facts.definitions) if d.kind in _NAMED_KINDS}
    used: dict[int, set[str]] = {i: set() for i in own}
    named = [(call.scope, call.expression.parts[0] if call.expression.parts else None) for call in facts.calls]
    for scope, expression in (*named, *((access.scope, access.target) for access in facts.accesses)):
        holder = facts.scopes[scope].definition
        while holder > 0 and holder not in used:
            holder = facts.definitions[holder].parent
        while holder in used and expression is not None and expression.name:
            used[holder] |= terms_of(expression.name)
            expression = expression.parts[0] if expression.parts else None
    return own, used


def is_beside(path: bytes, view: IndexedTree) -> bool:
    """Whether a file is not what the product consists of: a test, an example, documentation, configuration."""
    return bool(view.kinds_of(path)) or LANGUAGES[language_of(path)].kind != "code"


def past_commits(project: Project, revision: str | None) -> list[PastCommit]:
    """What the commits before and at a revision said and touched, the newest first; merges aside, at most `_PAST_COMMITS`."""
    if revision is None:
        return []
    if project.repository.is_shallow:
        return _past_commits(project, revision)
    return _PAST.get((project.repository.common_dir, revision), lambda: _past_commits(project, revision))


def _past_commits(project: Project, revision: str) -> list[PastCommit]:
    repository, index = project.repository, project.index
    if (line := index.past_line(revision)) is not None:
        return line
    commits = [c for c in repository.walk(revision, limit=_PAST_COMMITS) if len(c.parents) < 2]
    known = index.past_commits(c.revision for c in commits)
    fresh = {}
    for commit in commits:
        if commit.revision not in known:
            try:
                paths = repository.changed_paths(commit)
            except RepositoryReadError:
                # A shallow or partial clone: what is not here cannot speak.
                continue
            fresh[commit.revision] = PastCommit(terms_of(commit.message), tuple(paths))
    if fresh:
        index.put_past_commits(fresh)
    known |= fresh
    line = [known[c.revision] for c in commits if c.revision in known]
    if not repository.is_shallow:
        index.put_past_line(revision, line)
    return line


def _read_texts(view: IndexedTree, by_blob: dict[str, list[bytes]]) -> None:
    """Make the tree's texts searchable. Only new contents are read."""
    index = view.loader.index
    missing = index.missing_texts(by_blob)
    for start in range(0, len(missing), 200):
        texts = [(blob_id, searchable(content)) for blob_id, content in view.tree.read_many(missing[start : start + 200])]
        index.put_texts(texts)


def searchable(content: bytes | None) -> str:
    """A text as it is searched for: itself, the parts of its mixed-case identifiers, and its Korean words without their endings."""
    text = (content or b"")[:_LARGEST_TEXT].decode("utf-8", "replace").replace("\0", " ")
    mixed = dict.fromkeys(_MIXED.findall(text))
    return text + "\n" + " ".join(part for word in words(" ".join(mixed)) for part in (word.text, *word.parts))
