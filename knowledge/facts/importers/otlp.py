"""OpenTelemetry traces as JSON: one ExportTraceServiceRequest, or one a line as the collector's file exporter writes them.

Both ways of writing it are read: protobuf's own JSON mapping (base64 ids, names of enumerations) and OTLP's (hexadecimal ids, numbers). Where a span
ran is told by `code.function.name`, `code.file.path`, `code.line.number`, or by the older `code.function`, `code.namespace`, `code.filepath`,
`code.lineno`. That a span lies in another is no call: much may run between them.
Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding and the semantic conventions for code, 1.44
"""

from __future__ import annotations

import base64
import binascii
import json
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.errors import OutsideInputError

_MOST_SPANS = 500_000
_HEXADECIMAL = frozenset(string.hexdigits)
_TRACE_ID_BYTES = 16
_REVISIONS = ("vcs.ref.head.revision", "vcs.repository.ref.revision")


@dataclass(frozen=True, slots=True)
class SeenSpan:
    """One span that tells where it ran. name: the function's, qualified as told; path: as deployed; line: from 1, 0 where it is not told.

    route: `GET /path` where the span is a request's. revision, version: of the build that ran, "" where the trace does not say.
    """

    trace: str
    name: str
    path: str
    line: int
    route: str = ""
    revision: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """The spans of a file that tell where they ran, and how many do not."""

    spans: tuple[SeenSpan, ...]
    placeless: int


def read_traces(content: bytes) -> Trace:
    """The spans. Raises OutsideInputError where it is no OTLP JSON."""
    spans: list[SeenSpan] = []
    placeless = 0
    try:
        for request in _requests(content):
            for resource_spans in _list(request, "resourceSpans", "resource_spans"):
                build = _attributes(resource_spans.get("resource", {}))
                for scope_spans in _list(resource_spans, "scopeSpans", "scope_spans"):
                    for span in _list(scope_spans, "spans", "spans"):
                        found = _span(span, build)
                        placeless += found is None
                        spans += [found] if found is not None else []
                        if len(spans) + placeless > _MOST_SPANS:
                            raise OutsideInputError(f"the traces have more than {_MOST_SPANS:,} spans")
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise OutsideInputError(f"these are no OTLP traces as JSON: {error!r}") from error
    if not spans and not placeless:
        raise OutsideInputError("there is no span in it; expected OTLP traces as JSON")
    return Trace(tuple(spans), placeless)


def _requests(content: bytes) -> Iterator[Mapping[str, Any]]:
    try:
        yield json.loads(content)
    except ValueError:
        for line in content.splitlines():
            if line.strip():
                yield json.loads(line)


def _list(parent: Mapping[str, Any], name: str, other: str) -> Sequence[Mapping[str, Any]]:
    found = parent.get(name, parent.get(other, []))
    if not isinstance(found, list):
        raise TypeError(f"{name} is no list")
    return found


def _attributes(owner: Mapping[str, Any]) -> dict[str, str]:
    """Plain attributes as text; an int64 is a number or a text of one."""
    found = {}
    for attribute in owner.get("attributes", []):
        for value in attribute.get("value", {}).values():
            if isinstance(value, str | int | float):
                found[str(attribute["key"])] = str(value)
    return found


def _span(span: Mapping[str, Any], build: Mapping[str, str]) -> SeenSpan | None:
    told = _attributes(span)
    name = told.get("code.function.name") or ".".join(filter(None, [told.get("code.namespace", ""), told.get("code.function", "")]))
    path = told.get("code.file.path") or told.get("code.filepath", "")
    if not name or not path:
        return None
    line = told.get("code.line.number") or told.get("code.lineno", "")
    method, route = told.get("http.request.method") or told.get("http.method", ""), told.get("http.route", "")
    return SeenSpan(
        trace=_trace_id(str(span.get("traceId", span.get("trace_id", "")))),
        name=name,
        path=path.replace("\\", "/"),
        line=int(line) if line.isdigit() else 0,
        route=f"{method.upper()} {route}" if method and route else "",
        revision=next((build[key] for key in _REVISIONS if key in build), ""),
        version=build.get("service.version", ""),
    )


def _trace_id(text: str) -> str:
    """As 32 hexadecimal digits, whichever way it was written; as told where it is neither."""
    if len(text) == 2 * _TRACE_ID_BYTES and set(text) <= _HEXADECIMAL:
        return text.lower()
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text
    return found.hex() if len(found) == _TRACE_ID_BYTES else text
