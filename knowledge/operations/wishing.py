"""A person's wish that a session be not remembered: read from what they say, or said by command (`knowledge session`)."""

from __future__ import annotations

from knowledge.operations.attention import Advice, Attention
from knowledge.push.off_record import off_record_sentence

NOTICE = "This session is off the record: nothing of it is recorded or pushed (`knowledge session on-record` takes it back)."


def advise(attention: Attention) -> Advice | None:
    """Whether the prompt takes the session off the record."""
    return Advice(notice=NOTICE, is_off_record=True) if off_record_sentence(attention.event.prompt) else None
