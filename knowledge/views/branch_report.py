"""What a branch makes of the claims, for a pull request (Markdown) and for code scanning (SARIF 2.1.0)."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from knowledge import __version__
from knowledge.records.answers import ClaimLine, DifferenceAnswer, TouchedLine

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_PLACE = re.compile(r"(?P<path>.+?)(?:::[^:]*|:(?P<line>\d+))?\Z")
UNDECIDED = "looked at and undecided"
"""Why a claim is up for review that no change made fall."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#+|~])")


def markdown(answer: DifferenceAnswer) -> str:
    """The difference as a comment on a pull request. Texts of claims are shown as data: no mark-up of theirs is obeyed."""
    count = len(answer.fallen)
    head = f"{count} claim{'s' if count != 1 else ''} would have to be looked at again" if count else "No claim falls"
    lines = [f"### {head}", "", f"`{answer.base.label}` → `{answer.head.label}`", ""]
    if answer.fallen:
        lines += ["| claim | status | statement | why |", "| --- | --- | --- | --- |", *(_row(c) for c in answer.fallen), ""]
    if answer.touched:
        lines += ["Plans that this touches:", "", *(_touched(node) for node in answer.touched), ""]
    if answer.restored:
        lines += ["Restored:", "", *(f"- `{c.id}` {_plain(c.statement)}" for c in answer.restored), ""]
    if answer.still_fallen:
        lines += [f"{answer.still_fallen} had fallen before.", ""]
    lines.append(
        f"Checked {answer.checked.checked}, could not check {answer.checked.could_not_check}" + "".join(f"; {b}" for b in answer.checked.because)
    )
    return "\n".join(lines) + "\n"


def _row(claim: ClaimLine) -> str:
    why = "; ".join(_plain(" ".join(p for p in (c.detail or c.reason, c.place) if p)) for c in claim.causes[:3]) or UNDECIDED
    return f"| `{claim.id}` | {claim.status} | {_plain(claim.statement)} | {why} |"


def _touched(node: TouchedLine) -> str:
    of_goal = f" (of “{_plain(node.goal_statement)}”)" if node.goal_statement else ""
    return f"- `{node.id}` {_plain(node.statement)}{of_goal}: {_plain(', '.join(node.by))}"


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def sarif(answer: DifferenceAnswer) -> dict[str, Any]:
    """The fallen claims as SARIF results, at the place that made them fall."""
    rules = sorted({c.causes[0].reason if c.causes else "undecided" for c in answer.fallen})
    driver = {"name": "knowledge", "version": __version__, "rules": [{"id": f"claim-{r.replace('_', '-')}"} for r in rules]}
    run: dict[str, Any] = {"tool": {"driver": driver}, "results": [_result(c) for c in answer.fallen], "columnKind": "unicodeCodePoints"}
    if answer.head.revision:
        run["versionControlProvenance"] = [{"repositoryUri": "file:///", "revisionId": answer.head.revision}]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(claim: ClaimLine) -> dict[str, Any]:
    cause = claim.causes[0] if claim.causes else None
    why = " ".join(p for p in (cause.detail or cause.reason, cause.place) if p) if cause else UNDECIDED
    result: dict[str, Any] = {
        "ruleId": f"claim-{(cause.reason if cause else 'undecided').replace('_', '-')}",
        "level": "warning" if claim.status == "stale" else "note",
        "message": {"text": f"{claim.id} is {claim.status}: {claim.statement} ({why})"},
        "partialFingerprints": {"claim": claim.id},
    }
    place = next((c.place for c in claim.causes if c.place), "")
    found = _PLACE.match(place)
    if found is not None and not place.startswith("external:"):
        physical: dict[str, Any] = {"artifactLocation": {"uri": quote(found["path"])}}
        if found["line"]:
            physical["region"] = {"startLine": int(found["line"])}
        result["locations"] = [{"physicalLocation": physical}]
    return result
