"""`knowledge mcp`, `knowledge setup`."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from knowledge.config import PUSH_OFF_FILE
from knowledge.errors import KnowledgeError, UsageError
from knowledge.operations.meaning import require_encoder
from knowledge.operations.project import open_project
from knowledge.surfaces.cli.answers import PushAnswer, SetupAnswer, SetupFile
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import Verb
from knowledge.surfaces.hosts.edits import Edit
from knowledge.surfaces.hosts.host import Launch, server_command
from knowledge.surfaces.hosts.table import HOSTS, to_paste

OTHER = "other"


@click.command("mcp", cls=Verb)
@click.option("--http", "port", type=click.IntRange(1, 65_535), metavar="PORT", help="Serve on http://127.0.0.1:PORT/mcp instead; needs a token.")
@click.option("--semantic", is_flag=True, help="Recall by what texts mean, too: needs the extra of that name.")
@click.pass_obj
def mcp_command(settings: Settings, port: int | None, semantic: bool) -> None:
    """Serve agents over MCP, on standard input and output.

    The server works for the repository that it is started in, and ends when its client goes. Over HTTP a request must bear the token in
    KNOWLEDGE_MCP_TOKEN; where none is set one is made and written to standard error.
    """
    if semantic:
        require_encoder()
    server = _server()
    if port is None:
        server.serve_stdio(settings.start, by_meaning=semantic)
    else:
        server.serve_http(settings.start, port, by_meaning=semantic)


def _server() -> Any:
    """The server's module. It brings its libraries only where it is used. Raises UsageError where they are not installed."""
    try:
        return import_module("knowledge.surfaces.mcp_server.server")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("mcp", "mcp_types", "uvicorn", "starlette", "anyio"):
            raise
        raise UsageError(f"the MCP server needs {missing.name}; install it with: pip install 'knowledge-runtime[mcp]'") from missing


@click.command("setup", cls=Verb)
@click.argument("host", type=click.Choice([*HOSTS, OTHER]))
@click.option("--remove", is_flag=True, help="Take out again what was written.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.pass_obj
def setup_command(settings: Settings, host: str, remove: bool, yes: bool, dry_run: bool) -> None:
    """Tell an agent's program about this server, and when to ask and record.

    The change is shown as a diff and written when you say so. Doing it again changes nothing; --remove takes it out without a trace.
    `other` prints what to paste elsewhere.
    """
    command = server_command()
    if host == OTHER:
        show(SetupAnswer(host, (), False, to_paste(command)), settings)
        return
    chosen = HOSTS[host]
    root, common_dir = _places(settings)
    edits = chosen.edits(root, Launch(command, common_dir), is_removal=remove)
    is_asked = bool(edits) and not (yes or dry_run or settings.is_json)
    if is_asked:
        for edit in edits:
            click.echo(edit.diff(), nl=False)
        yes = click.confirm(f"Write {'this file' if len(edits) == 1 else f'these {len(edits)} files'}?")
    is_written = yes and not dry_run
    if is_written:
        for edit in edits:
            _write(root, edit)
    files = tuple(SetupFile(str(edit.path), "" if is_asked else edit.diff()) for edit in edits)
    show(SetupAnswer(host, files, is_written, chosen.after if is_written and not remove else ""), settings)


@click.command("on", cls=Verb)
@click.pass_obj
def on_command(settings: Settings) -> None:
    """Let memories come to agents by themselves.

    They do so where `knowledge setup` has written an agent's hooks, unless the agent's environment says KNOWLEDGE_PUSH=0.
    """
    _switch(settings, is_on=True)


@click.command("off", cls=Verb)
@click.pass_obj
def off_command(settings: Settings) -> None:
    """Say nothing to agents by itself, whatever hooks are there.

    This holds for all worktrees; hooks stay where they are and do nothing. One session alone is switched off by KNOWLEDGE_PUSH=0 in its environment.
    """
    _switch(settings, is_on=False)


def _switch(settings: Settings, *, is_on: bool) -> None:
    """Raises KnowledgeError where the git directory cannot be written."""
    with open_project(settings.start) as project:
        file = project.repository.common_dir / PUSH_OFF_FILE
    try:
        if is_on:
            file.unlink(missing_ok=True)
        else:
            file.touch()
    except OSError as error:
        raise KnowledgeError(f"{file} cannot be written: {error.strerror}") from error
    is_silenced = is_on and os.environ.get("KNOWLEDGE_PUSH", "").lower() in ("0", "off", "no", "false")
    show(PushAnswer(is_on, "but not where the environment says KNOWLEDGE_PUSH=0, as it does here" if is_silenced else ""), settings)


def _places(settings: Settings) -> tuple[Path, Path]:
    """The worktree's root and the git common directory."""
    with open_project(settings.start) as project:
        if project.repository.workdir is None:
            raise UsageError("a bare repository has no project files; run this in a work tree")
        return project.repository.workdir, project.repository.common_dir


def _write(root: Path, edit: Edit) -> None:
    """Raises KnowledgeError where a link leads out of the project, or the file cannot be written."""
    file = root / edit.path
    try:
        if not file.parent.resolve().is_relative_to(root.resolve()) or file.is_symlink():
            raise KnowledgeError(f"{edit.path} leads out of the project through a link; nothing was written there")
        if edit.after is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(edit.after, encoding="utf-8")
            return
        file.unlink(missing_ok=True)
        for folder in file.parents:
            if folder == root or any(folder.iterdir()):
                return
            folder.rmdir()
    except OSError as error:
        raise KnowledgeError(f"{edit.path} cannot be written: {error.strerror}") from error
