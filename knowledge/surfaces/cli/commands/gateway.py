"""`knowledge gateway`, `knowledge session`."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import click

from knowledge.errors import UsageError
from knowledge.operations.off_record import put_on_record, take_off_record
from knowledge.surfaces.cli.answers import SessionAnswer
from knowledge.surfaces.cli.commands.opening import opened
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb

_OUTSIDE = ("fastmcp", "mcp", "mcp_types", "anyio")


@click.command("gateway", cls=Verb)
@click.option("--upstream", required=True, metavar="WHAT", help="A command, an address (http…), or an `mcpServers` JSON: a file or the text.")
@click.option("--http", "port", type=click.IntRange(1, 65_535), metavar="PORT", help="Serve on http://127.0.0.1:PORT/mcp instead.")
@click.pass_obj
def gateway_command(settings: Settings, upstream: str, port: int | None) -> None:
    """Stand before another MCP server, and put memories before its calls.

    Where a call matches a trigger, what is remembered stands before the free text that the trigger names. Everything else goes through as it
    is: names, results, errors. Where memory fails or takes longer than 0.2 s, the call goes on unchanged; that is counted.
    """
    _server().serve(upstream, settings.start, port)


def _server() -> Any:
    """The gateway's module. It brings its libraries only where it is used. Raises UsageError where they are not installed."""
    try:
        return import_module("knowledge.surfaces.gateway.server")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _OUTSIDE:
            raise
        raise UsageError(f"the gateway needs {missing.name}; install it with: pip install 'knowledge-runtime[gateway]'") from missing


_session_option = click.option("--session", default="", metavar="ID", help="The session; else the one that this command is started in.")
_host_option = click.option("--host", default="claude", show_default=True, metavar="NAME", help="The program whose session it is.")


@click.command("off-record", cls=Verb)
@_session_option
@_host_option
@click.pass_obj
def off_record_command(settings: Settings, session: str, host: str) -> None:
    """Record nothing of a session and push nothing to it.

    It holds for its sub-agents, too. What was kept of it is deleted; that it was so is all that stays. Saying "don't remember this session" or
    "기억하지 마" to the agent does the same where its hooks are set up.
    """
    named = _named(session)
    with opened(settings) as project:
        take_off_record(project, host, named)
    show(SessionAnswer(named, is_off_record=True), settings)


@click.command("on-record", cls=Verb)
@_session_option
@click.pass_obj
def on_record_command(settings: Settings, session: str) -> None:
    """Remember a session again, and tell it what is remembered."""
    named = _named(session)
    with opened(settings) as project:
        put_on_record(project, named)
    show(SessionAnswer(named, is_off_record=False), settings)


def _named(session: str) -> str:
    found = session or os.environ.get("KNOWLEDGE_SESSION") or os.environ.get("CLAUDE_CODE_SESSION_ID") or ""
    if not found:
        raise UsageError("no session is named, and this command is started in none; expected --session ID")
    return found
