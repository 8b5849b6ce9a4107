"""The APIs of three models on loopback, scripted: what a program sends is kept, so it shows what a model would have had in front of it.

A script is a list of turns, a turn what the model says and calls at once; a request that offers tools takes the next turn, and the last one again
when they are used up. What a program asks for on the side (a title, which model to take) is answered with a word and takes no turn.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Dialect = Literal["anthropic", "responses", "gemini"]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Say:
    """Words to the person."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool. server: the MCP server that it is of, "" for the program's own."""

    tool: str
    arguments: Mapping[str, Any]
    server: str = ""


Turn = Sequence[Say | Call]
Scripted = Turn | Callable[[str], Turn]
"""A turn, or what makes one of all text that the model then has in front of it (JSON with readable letters)."""


@dataclass(slots=True)
class Model:
    """A scripted model. requests: the bodies that took a turn, in their order; each holds the whole conversation so far."""

    dialect: Dialect
    turns: Sequence[Scripted]
    url: str = ""
    requests: list[Json] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def seen(self, number: int) -> str:
        """All text that the model had in front of it at a turn (from 0; -1: the last), as JSON with readable letters."""
        return json.dumps(self.requests[number], ensure_ascii=False)

    def new(self, number: int) -> str:
        """What a turn (from 1) had in front of it that the one before had not: the messages that were added, as JSON."""
        before, after = (self.requests[n][_CONVERSATION[self.dialect]] for n in (number - 1, number))
        known = [json.dumps(message, sort_keys=True) for message in before]
        return json.dumps([message for message in after if json.dumps(message, sort_keys=True) not in known], ensure_ascii=False)

    def offered(self) -> set[str]:
        """The names of all tools that were offered at any turn; a program may start before its servers answer."""
        return {name for request in self.requests for name in _names(request.get("tools") or [])}

    def take(self, body: Json) -> tuple[int, Turn]:
        """The turn that answers a request, and its number."""
        with self._lock:
            self.requests.append(body)
            number = len(self.requests) - 1
            turn = self.turns[min(number, len(self.turns) - 1)]
            return number, turn(self.seen(number)) if callable(turn) else turn


_CONVERSATION: dict[Dialect, str] = {"anthropic": "messages", "responses": "input", "gemini": "contents"}


def _names(value: Any) -> Iterator[str]:
    """Every name in a list of tools, however deep a program nests them; those of a namespace bear its name in front."""
    for tool in value:
        if "functionDeclarations" in tool:
            yield from _names(tool["functionDeclarations"])
        elif tool.get("type") == "namespace":
            yield from (f"{tool['name']}__{name}".replace("____", "__") for name in _names(tool.get("tools") or []))
        elif "name" in tool:
            yield tool["name"]


def _anthropic(number: int, turn: Turn, body: Json) -> list[tuple[str, Json]]:
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body.get("model", "m"), "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
    events: list[tuple[str, Json]] = [("message_start", {"message": message})]
    for place, part in enumerate(turn):
        if isinstance(part, Say):
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": part.text}
        else:
            name = f"mcp__{part.server}__{part.tool}" if part.server else part.tool
            block = {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(part.arguments)}
        events += [
            ("content_block_start", {"index": place, "content_block": block}),
            ("content_block_delta", {"index": place, "delta": delta}),
            ("content_block_stop", {"index": place}),
        ]
    reason = "tool_use" if any(isinstance(part, Call) for part in turn) else "end_turn"
    events += [("message_delta", {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 5}}), ("message_stop", {})]
    return events


def _responses(number: int, turn: Turn, body: Json) -> list[tuple[str, Json]]:
    usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 5, "output_tokens_details": None, "total_tokens": 15}
    events: list[tuple[str, Json]] = [("response.created", {"response": {"id": f"resp_{number}"}})]
    for place, part in enumerate(turn):
        item: Json
        if isinstance(part, Say):
            item = {"type": "message", "role": "assistant", "id": f"msg_{number}_{place}", "content": [{"type": "output_text", "text": part.text}]}
        else:
            item = {"type": "function_call", "call_id": f"call_{number}_{place}", "name": part.tool, "arguments": json.dumps(part.arguments)}
            item |= {"namespace": f"mcp__{part.server}"} if part.server else {}
        events.append(("response.output_item.done", {"output_index": place, "item": item}))
    return [*events, ("response.completed", {"response": {"id": f"resp_{number}", "usage": usage}})]


def _gemini(number: int, turn: Turn, body: Json) -> list[tuple[str, Json]]:
    parts: list[Json] = []
    for part in turn:
        if isinstance(part, Say):
            parts.append({"text": part.text})
        else:
            name = f"mcp_{part.server}_{part.tool}" if part.server else part.tool
            parts.append({"functionCall": {"name": name, "args": part.arguments}})
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return [("", {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})]


_CHOICE = json.dumps({"model_choice": "flash", "reasoning": "x", "complexity_reasoning": "x", "complexity_score": 1})
_WRITERS = {"anthropic": _anthropic, "responses": _responses, "gemini": _gemini}
_ASIDE: dict[Dialect, Json] = {
    "anthropic": {
        "id": "msg_aside", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "title"}],
        "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}, "input_tokens": 100,
    },
    "responses": {"data": [], "models": []},
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{"text": _CHOICE}]}, "finishReason": "STOP"}],
        "totalTokens": 5, "usageMetadata": {},
    },
}  # fmt: skip
_TURN_AT: dict[Dialect, str] = {"anthropic": "/messages", "responses": "/responses", "gemini": "streamGenerateContent"}


@contextmanager
def served(dialect: Dialect, *turns: Scripted) -> Iterator[Model]:
    """A model that listens on a free port of loopback while the block runs."""
    model = Model(dialect, turns)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer("application/json", json.dumps(_ASIDE[dialect]))

        def do_HEAD(self) -> None:
            self._answer("application/json", "")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            path = self.path.partition("?")[0]
            if not path.endswith(_TURN_AT[dialect]) or len(set(_names(body.get("tools") or []))) < 3:
                events = [*_WRITERS[dialect](0, [Say("title")], body)] if body.get("stream") else []
            else:
                events = _WRITERS[dialect](*model.take(body), body)
            if events:
                self._answer("text/event-stream", "".join(_event(name, data) for name, data in events))
            else:
                self._answer("application/json", json.dumps(_ASIDE[dialect]))

        def _answer(self, kind: str, text: str) -> None:
            content = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *words: object) -> None:
            """Nothing is told."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def _event(name: str, data: Json) -> str:
    return f"event: {name}\ndata: {json.dumps({'type': name} | data)}\n\n" if name else f"data: {json.dumps(data)}\n\n"
