"""The bar that shows how long work goes on."""

import io

import pytest
from rich.console import Console

from knowledge.surfaces.cli import screen
from knowledge.surfaces.cli.screen import TerminalProgress, terminal_progress
from knowledge.surfaces.cli.settings import Settings


def worked(monkeypatch: pytest.MonkeyPatch, patience: float) -> str:
    """What a terminal is sent while two pieces of work are done."""
    monkeypatch.setattr(screen, "PATIENCE_SECONDS", patience)
    out = io.StringIO()
    progress = TerminalProgress(Console(file=out, force_terminal=True, width=80))
    for title in ("reading [files]", "resolving names"):
        progress.start(title, 3)
        progress.advance(2)
    progress.finish()
    progress.finish()
    return out.getvalue()


def test_long_work_shows_a_bar_with_its_title(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece of work is named, markup or not, with how much of it is done; in the end the bar is taken away."""
    shown = worked(monkeypatch, -1.0)
    assert "reading [files]" in shown
    assert "2/3" in shown
    assert shown.rstrip().endswith("\x1b[2K") or "\x1b[?25h" in shown


def test_short_work_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that is soon done leaves the terminal alone."""
    assert worked(monkeypatch, 3600.0) == ""


def test_nobody_watches_a_pipe() -> None:
    """Without a terminal on standard error, with --json or with --quiet there is no bar."""
    assert terminal_progress(Settings()) is None
    assert terminal_progress(Settings(is_json=True)) is None
    assert terminal_progress(Settings(is_quiet=True)) is None
