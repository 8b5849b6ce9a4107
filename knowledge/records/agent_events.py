"""What an agent's program tells of one moment, and what it is answered: the same for every program (`knowledge/surfaces/hosts`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Moment = Literal[
    "session_start", "subagent_start", "prompt", "before_call", "after_call", "after_failure", "after_batch", "stop", "subagent_stop",
    "before_compaction",
]  # fmt: skip
REPLY_CHARACTERS = 8_000
"""Of a reply's text: programs cut, or drop, what is longer than ten thousand."""


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """What an agent's program told of one moment.

    host: its name in `knowledge/surfaces/hosts`, gateway, or probe. session: the host's id of the session. agent: the sub-agent's id, "" for the
    main one. source, of session_start: startup, resume, clear, compact. call: the host's id of the call. result: what the tool answered or why it
    failed, as text. prompt: what the user said. message: the agent's last one (stop). is_continued: the agent goes on because of an earlier stop
    hook. folder: the absolute working directory. version: of the host's program, "" where it is not told. calls: of after_batch. program: the
    process that told it, where the host names its session to nothing else that it starts.
    """

    host: str
    moment: Moment
    session: str
    agent: str = ""
    source: str = ""
    tool: str = ""
    call: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)
    result: str = ""
    prompt: str = ""
    message: str = ""
    is_continued: bool = False
    folder: str = ""
    version: str = ""
    calls: tuple[AgentEvent, ...] = ()
    program: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back. All empty: nothing is said, 0 bytes.

    context: text for the agent: data, quoted, at most REPLY_CHARACTERS. arguments: the whole new arguments of the call, of which only a named
    free-text argument differs. is_continuing: at a stop, go on once because of context. notice: one line for the person.
    """

    context: str = ""
    arguments: Mapping[str, object] | None = None
    is_continuing: bool = False
    notice: str = ""
