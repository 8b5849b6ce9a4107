"""What static checkers say: SARIF 2.1.0 of any tool, pyright's `--outputjson`, pyrefly's JSON, mypy's `--output json` and its text.

Rows are told from 1, 0 where none is known. None of the formats lists the files in which nothing was found: whoever ran the tool has to know them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from knowledge.errors import InvalidRecordError

CHECKERS = ("mypy", "pyright", "basedpyright", "ty", "pyrefly")
"""Tools whose silence about a file says that its types hold; of another tool's report only what it found is evidence."""
_TEXT = re.compile(r"(?P<path>[^:\n]+\.pyi?):(?P<row>\d+)(?::\d+)*: (?P<level>error|warning|note): (?P<message>.*?)(?:  \[(?P<code>[\w-]+)\])?\Z")
_COUNT = re.compile(r"(?:no issues found in|\(checked) (\d+) source files?")
_PYREFLY = re.compile(rb'\s*\{\s*"errors"\s*:\s*\[')
_LONGEST = 500
_MOST = 100_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. path: as told, below the root where it lies there. level: `error`, `warning` or `note`. rows: from 1, 0 for unknown."""

    path: str
    row: int
    end_row: int
    level: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ToldCheck:
    """What a report says. tool: in lower case. version: "" where it is not told. revision: that SARIF names, or "".

    count: how many files were looked at, None where it is not told.
    """

    tool: str
    version: str
    findings: tuple[Finding, ...]
    revision: str = ""
    count: int | None = None


def is_check(content: bytes) -> bool:
    """Whether a file is by its marks the report of a static checker."""
    head = content[:4_000_000]
    if b'"testResults"' in head:
        return False
    is_sarif = b'"runs"' in head and b'"tool"' in head and b'"driver"' in head
    is_mypy = content.lstrip()[:1] == b"{" and all(mark in content.lstrip().partition(b"\n")[0] for mark in (b'"severity"', b'"hint"', b'"file"'))
    return is_sarif or is_mypy or b'"generalDiagnostics"' in head or _PYREFLY.match(head) is not None


def read_check(content: bytes, root: str, tool: str = "") -> ToldCheck:
    """Read a report; `tool`: which the command ran, for the formats that do not say it. Raises InvalidRecordError for anything else."""
    text = content.decode("utf-8", "replace")
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        try:
            found = msgspec.json.decode(text[start : end + 1])
        except msgspec.MsgspecError:
            found = None
        try:
            if isinstance(found, dict) and "runs" in found:
                return _sarif(found, root)
            if isinstance(found, dict) and "generalDiagnostics" in found:
                return _pyright(found, root, tool)
            if isinstance(found, dict) and isinstance(found.get("errors"), list):
                return ToldCheck("pyrefly", "", tuple(_pyrefly(found["errors"], root)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidRecordError(f"the report of the checker is not as expected: {error!r}") from error
    findings = tuple(_lines(text, root))
    if tool not in ("", "mypy") or not (findings or tool):
        raise InvalidRecordError("this is no report of a static checker; expected SARIF 2.1.0, or JSON of pyright, pyrefly or mypy")
    told = _COUNT.search(text)
    return ToldCheck("mypy", "", findings, count=int(told[1]) if told is not None else None)


def _sarif(report: Mapping[str, Any], root: str) -> ToldCheck:
    found: list[Finding] = []
    name = version = revision = ""
    for run in report["runs"]:
        driver = run["tool"]["driver"]
        if name and str(driver["name"]).lower() != name:
            raise InvalidRecordError("the SARIF file is of several tools; expected one: write a file for each")
        name = str(driver["name"]).lower()
        version = str(driver.get("semanticVersion") or driver.get("version") or "")
        revision = next((str(p["revisionId"]) for p in run.get("versionControlProvenance") or () if p.get("revisionId")), revision)
        levels = {str(r["id"]): str((r.get("defaultConfiguration") or {}).get("level") or "warning") for r in driver.get("rules") or ()}
        bases = {key: str(base.get("uri") or "") for key, base in (run.get("originalUriBaseIds") or {}).items()}
        for result in run.get("results") or ():
            if result.get("kind", "fail") != "fail" or any(s.get("status", "accepted") == "accepted" for s in result.get("suppressions") or ()):
                continue
            code = str(result.get("ruleId") or (result.get("rule") or {}).get("id") or "")
            level = str(result.get("level") or levels.get(code, "warning"))
            message = str((result.get("message") or {}).get("text") or "")[:_LONGEST]
            for location in result.get("locations") or ():
                physical = location.get("physicalLocation") or {}
                artifact, region = physical.get("artifactLocation") or {}, physical.get("region") or {}
                row = int(region.get("startLine") or 0)
                path = _path(bases.get(artifact.get("uriBaseId", ""), "") + str(artifact.get("uri") or ""), root)
                found.append(Finding(path, row, int(region.get("endLine") or row), level, code, message))
        _bounded(found)
    return ToldCheck(name, version, tuple(found), revision)


def _pyright(report: Mapping[str, Any], root: str, tool: str) -> ToldCheck:
    found = []
    for d in report["generalDiagnostics"]:
        place = d.get("range") or {}
        row = int(place["start"]["line"]) + 1 if place else 0
        end = int(place["end"]["line"]) + 1 if place else 0
        level = "note" if d["severity"] == "information" else str(d["severity"])
        found.append(Finding(_path(str(d["file"]), root), row, end, level, str(d.get("rule") or ""), str(d["message"])[:_LONGEST]))
    return ToldCheck(tool or "pyright", str(report.get("version") or ""), tuple(_bounded(found)), count=int(report["summary"]["filesAnalyzed"]))


def _pyrefly(errors: list[Mapping[str, Any]], root: str) -> Iterator[Finding]:
    for e in errors:
        row = int(e.get("line") or 0)
        level = {"warn": "warning", "info": "note"}.get(str(e.get("severity") or "error"), str(e.get("severity") or "error"))
        message = str(e.get("description") or e.get("concise_description") or "")[:_LONGEST]
        yield Finding(_path(str(e["path"]), root), row, int(e.get("stop_line") or row), level, str(e.get("name") or ""), message)


def _lines(text: str, root: str) -> Iterator[Finding]:
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                d = msgspec.json.decode(line, type=dict[str, Any])
            except msgspec.MsgspecError:
                continue
            if "file" in d and "severity" in d:
                row = int(d.get("line") or 0)
                end = int(d.get("end_line") or row)
                yield Finding(_path(str(d["file"]), root), row, end, str(d["severity"]), str(d.get("code") or ""), str(d.get("message"))[:_LONGEST])
        elif found := _TEXT.match(line.strip()):
            row = int(found["row"])
            yield Finding(_path(found["path"], root), row, row, found["level"], found["code"] or "", found["message"][:_LONGEST])


def _path(told: str, root: str) -> str:
    """A path or `file:` URI, below the root where it lies there."""
    text = unquote(urlsplit(told).path) if told.startswith("file:") else unquote(told) if "%" in told else told
    whole = PurePath(text)
    return whole.relative_to(root).as_posix() if root and whole.is_absolute() and whole.is_relative_to(root) else whole.as_posix()


def _bounded(found: list[Finding]) -> list[Finding]:
    if len(found) > _MOST:
        raise InvalidRecordError(f"the report has more than {_MOST:,} findings")
    return found
