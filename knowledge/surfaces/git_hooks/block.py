"""The lines that we put into a hook, and how they come out again: pure functions over a hook's bytes.

The lines name no path of this machine, so that they can also stand in a tracked file: they call `<git common dir>/knowledge/hook`
where it is there, and are nothing but a few milliseconds where it is not. They stand first, so that a hook which ends early or fails
does not keep them from running, and they read no standard input, change no exit code and survive `set -eu`.
"""

from __future__ import annotations

import re

HOOKS = ("post-commit", "post-merge", "post-rewrite", "post-checkout")
MENTION = b"knowledge/hook"
"""Whatever calls us contains this, pasted by hand or not."""
ASIDE = ".before-knowledge"
"""Added to the name of a hook that is not a shell script, and so cannot take our lines; a wrapper stands in its place."""

_MADE = b"#!/bin/sh\n# made by `knowledge init`\n"
_BLOCK = re.compile(rb"^# >>> knowledge >>>[^\n]*\n.*?^# <<< knowledge <<<\n", re.DOTALL | re.MULTILINE)
_SHELL = re.compile(rb"#![ \t]*(?:\S*/env[ \t]+(?:-S[ \t]+)?)?(?:\S*/)?(?:ba|da|k|mk|z|a)?sh(?:[ \t][^\n]*)?\n")


def call_line(hook: str, arguments: str = '"$@"') -> str:
    """One line of shell that calls us, for a hook manager's configuration; `arguments` is how that manager spells the hook's."""
    return (
        'if knowledge_hook="$(git rev-parse --git-common-dir 2>/dev/null)/knowledge/hook" && [ -x "$knowledge_hook" ]; '
        f'then "$knowledge_hook" {hook} {arguments} </dev/null >/dev/null 2>&1 || :; fi'
    )


def block(hook: str) -> bytes:
    """The marked lines for one hook."""
    return (
        "# >>> knowledge >>> tells `knowledge` that git changed something; never fails or delays git; removed by `knowledge uninit`\n"
        f"{call_line(hook)}\n"
        "# <<< knowledge <<<\n"
    ).encode()


def new_hook(hook: str) -> bytes:
    """A hook where none was."""
    return insert_block(_MADE, hook)


def wrapper(hook: str) -> bytes:
    """A hook that calls us and then becomes the hook that stood here before, which lies beside it."""
    aside = f'"${{0%/*}}/{hook}{ASIDE}"'
    return insert_block(_MADE + f'[ ! -x {aside} ] || exec {aside} "$@"\n'.encode(), hook)


def is_wrapper(content: bytes, hook: str) -> bool:
    """Whether the hook is our wrapper, in this or an earlier wording of the marked lines."""
    return remove_block(content) == remove_block(wrapper(hook))


def can_hold_block(content: bytes) -> bool:
    """Whether the hook is a shell script: git runs one without a first line `#!` by the shell too."""
    return _SHELL.match(content) is not None if content.startswith(b"#!") else b"\0" not in content


def insert_block(content: bytes, hook: str) -> bytes:
    """The hook with our lines after its first line, or at the top where it has no `#!`; a block that is there is brought up to date."""
    bare = remove_block(content)
    first = bare.partition(b"\n")[0] + b"\n" if bare.startswith(b"#!") else b""
    return first + block(hook) + bare.removeprefix(first)


def remove_block(content: bytes) -> bytes:
    """The hook as it was before `insert_block`, byte for byte."""
    return _BLOCK.sub(b"", content)


def is_only_ours(content: bytes) -> bool:
    """Whether nothing is left that anybody else wrote."""
    return remove_block(content) == _MADE
