"""`knowledge completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from knowledge.surfaces.cli.answers import CompletionAnswer
from knowledge.surfaces.cli.screen import show
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import COMPLETION, Verb

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", cls=Verb)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash: eval "$(knowledge completion bash)"                              in ~/.bashrc
    zsh:  eval "$(knowledge completion zsh)"                               in ~/.zshrc
    fish: knowledge completion fish > ~/.config/fish/completions/knowledge.fish
    """
    found = get_completion_class(shell)
    assert found is not None, "click knows all three shells"
    script = found(context.find_root().command, {}, "knowledge", COMPLETION).source()
    settings = context.ensure_object(Settings)
    if settings.is_json:
        show(CompletionAnswer(shell, script), settings)
    else:
        click.echo(script)
