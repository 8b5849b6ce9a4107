"""Runs the analyzers over blobs, so that no blob can hang or crash the program.

Files are parsed in child processes that are started once, fed in batches, and killed when a file takes too long or too much memory; that
file is then skipped (`parse-timeout`, `analyzer-crashed`), and the work goes on in a new child.

A few small files are parsed in this process, because starting a child costs more than they do. That is safe as far as was measured:
the grammars concerned have no scanner that can stand still, and no input of INLINE_BYTES that was tried took them more than a second
and a half. One thing does blow up: unclosed generics in TypeScript (`a<b,a<b,…`), quadratic in the number of `<`; where they are many
the file goes to a child. So does a file at which an analyzer fails, to be recorded as what it is.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice

from knowledge.config import LIMITS, Limits
from knowledge.facts.children import Child, ChildFailure
from knowledge.facts.payloads import Row, decode_digests, decode_facts, decode_outline, skipped_row
from knowledge.facts.worker import Job, Wanted, compute
from knowledge.records.stored import FactKey, StoredFacts

__all__ = ["FactExtractor", "decode_digests", "decode_facts", "decode_outline"]

Blob = tuple[FactKey, bytes]

BATCH_BYTES = 256_000
BATCH_FILES = 64
MAX_CHILDREN = 2
SECOND_CHILD_BYTES = 4_000_000
"""A second child is worth the time it takes to start from here on."""
INLINE_BATCHES = 6
"""So many batches are worth the time that a child takes to start."""
INLINE_BYTES = 100_000
"""Larger files always go to a child."""
INLINE_LANGUAGES = frozenset({"python", "javascript", "typescript", "tsx", "json", "toml", "yaml", "ini", "dotenv"})
INLINE_ANGLES = 800
"""A TypeScript file with more `<` goes to a child: that many cost 15 MB at worst, ten times as many 1.5 GB."""
_ANGLED = frozenset({"typescript", "tsx"})
_FAILURES = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class FactExtractor:
    """Facts and hashes of blobs. Use as a context manager, or `close` it; children also end when it is collected.

    failures: (key, code, detail) of every file that a child did not survive, and of every skipped one.
    """

    def __init__(self, limits: Limits = LIMITS, *, inline: bool = True) -> None:
        """inline: whether small files may be parsed in this process."""
        self.limits = limits
        self.failures: list[tuple[FactKey, str, str]] = []
        self._inline = inline
        self._children: list[Child] = []
        self._closer = weakref.finalize(self, _close, self._children)

    def __enter__(self) -> FactExtractor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the children."""
        _close(self._children)

    def extract(self, blobs: Iterable[Blob]) -> Iterator[StoredFacts]:
        """The facts of many blobs, in their order. Raises AnalyzerStartError where no child can be started."""
        for key, row in self._rows(blobs, "facts"):
            yield _stored(key, row)

    def unread(self, key: FactKey, code: str, detail: str) -> StoredFacts:
        """What is kept of a blob whose bytes were not read: why, by a limitation's code."""
        self.failures.append((key, code, detail))
        return _stored(key, skipped_row(key.language, code, detail))

    def extract_one(self, key: FactKey, content: bytes) -> StoredFacts:
        """The facts of one blob."""
        [row] = self.extract([(key, content)])
        return row

    def digests(self, blobs: Iterable[Blob]) -> Iterator[tuple[FactKey, bytes]]:
        """The hashes of many blobs' definitions, as payloads for `decode_digests`; b"" for a blob that is skipped."""
        for key, row in self._rows(blobs, "digests"):
            yield key, row.payload

    def digests_for(self, key: FactKey, content: bytes) -> bytes:
        """The hashes of one blob's definitions, as a payload; b"" where it is skipped."""
        [(_, payload)] = self.digests([(key, content)])
        return payload

    def _rows(self, blobs: Iterable[Blob], wanted: Wanted) -> Iterator[tuple[FactKey, Row]]:
        batches = _batches(blobs)
        first = list(islice(batches, INLINE_BATCHES))
        if len(first) < 2 and wanted == "facts":
            wanted = "packed facts"
        one_by_one = len(first) < INLINE_BATCHES and self._inline
        rows = self._one_by_one(first, wanted) if one_by_one else self._through_children(chain(first, batches), wanted)
        for key, row in rows:
            if row.skipped:
                self.failures.append((key, row.skipped, row.detail))
            yield key, row

    def _one_by_one(self, batches: list[list[Blob]], wanted: Wanted) -> Iterator[tuple[FactKey, Row]]:
        """In this process, where that is safe."""
        for key, content in chain(*batches):
            row = None
            if _is_harmless(key.language, content):
                # The same failure in a child is recorded as what it is: `analyzer-crashed`.
                with suppress(*_FAILURES):
                    row = compute(key.language, content, wanted)
            if row is None:
                yield from self._through_children(iter([[(key, content)]]), wanted)
            else:
                yield key, row

    def _through_children(self, batches: Iterator[list[Blob]], wanted: Wanted) -> Iterator[tuple[FactKey, Row]]:
        """Each child has one batch at a time; their answers are read in turns, so the order stays."""
        waiting: deque[tuple[int, list[Blob]]] = deque()
        sent = 0
        is_done = False
        try:
            for batch in batches:
                place = len(waiting)
                if waiting and (sent < SECOND_CHILD_BYTES or place == MAX_CHILDREN):
                    place, answered = waiting.popleft()
                    yield from self._answers(place, answered, wanted)
                if place == len(self._children):
                    self._children.append(Child(self.limits))
                self._children[place].send(_jobs(batch, wanted))
                sent += sum(len(content) for _, content in batch)
                waiting.append((place, batch))
            while waiting:
                yield from self._answers(*waiting.popleft(), wanted)
            is_done = True
        finally:
            if not is_done:
                # What the children have not answered yet would be taken for answers to the next question.
                self.close()

    def _answers(self, place: int, batch: list[Blob], wanted: Wanted) -> Iterator[tuple[FactKey, Row]]:
        """The rows of a batch; a file that kills the child is skipped, and a new child goes on with the rest."""
        rest = deque(batch)
        while rest:
            try:
                for row in self._children[place].answers(len(rest)):
                    yield rest.popleft()[0], row
            except ChildFailure as failure:
                key, _ = rest.popleft()
                yield key, skipped_row(key.language, failure.code, failure.detail)
                self._children[place].close()
                self._children[place] = Child(self.limits)
                self._children[place].send(_jobs(rest, wanted))


def _stored(key: FactKey, row: Row) -> StoredFacts:
    return StoredFacts(key, row.parser_version, row.analyzer_version, row.payload, row.remark, row.definitions, row.skipped)


def _close(children: list[Child]) -> None:
    while children:
        children.pop().close()


def _jobs(batch: Iterable[Blob], wanted: Wanted) -> list[Job]:
    return [(number, key.language, content, wanted) for number, (key, content) in enumerate(batch)]


def _batches(blobs: Iterable[Blob]) -> Iterator[list[Blob]]:
    batch: list[Blob] = []
    size = 0
    for blob in blobs:
        batch.append(blob)
        size += len(blob[1])
        if size >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _is_harmless(language: str, content: bytes) -> bool:
    """Whether a file may be parsed in this process."""
    if language not in INLINE_LANGUAGES or len(content) > INLINE_BYTES:
        return False
    return language not in _ANGLED or content.count(b"<") <= INLINE_ANGLES
