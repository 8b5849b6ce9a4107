"""Which arguments of a call are texts in a person's words: only such a one may get a memory put in front of it."""

from __future__ import annotations

import re

from knowledge.errors import InvalidRecordError
from knowledge.push.stuck import is_shell_or_editor
from knowledge.push.triggers import Trigger

_NOT_FREE = re.compile(
    r"(?:^|_)(?:command|cmd|script|code|source|sql|expression|regex|pattern|patch|diff|edits?|argv?|args|path|paths|file|files|filename|filepath|dir"
    r"|directory|folder|cwd|url|uri|href|host|id|ids|key|token|old|new|old_str(?:ing)?|new_str(?:ing)?|content|contents|body|data|json|env)$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_free_text(tool: str, argument: str) -> bool:
    """Whether an argument of a tool may be rewritten at all: never a command, a path, code or what a file will hold."""
    return not is_shell_or_editor(tool) and not _NOT_FREE.search(_CAMEL.sub("_", argument).replace("-", "_"))


def refuse_argument(trigger: Trigger) -> None:
    """Raises InvalidRecordError for a row that names as free text what is none."""
    if trigger.argument and not is_free_text("", trigger.argument):
        raise InvalidRecordError(
            f"trigger {trigger.id}: {trigger.argument!r} names a command, a path or code, which is never rewritten; expected one in plain"
            " words (task, prompt, message), or none"
        )
