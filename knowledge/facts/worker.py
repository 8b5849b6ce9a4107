"""The child process in which files of a repository are parsed: `python -P -m knowledge.facts.worker SECONDS BYTES`.

It may be killed at any time. Frames go both ways: four bytes of length, little endian, then msgpack. In come lists of jobs
(number, language, content, `facts`, `packed facts` or `digests`); out goes (number, row) for each job as soon as it is done, in order. The first
frame out is (-1, ()), when all is loaded. A file that takes too much processor time ends the process by SIGPROF, one that takes too much
memory, or at which an analyzer fails, ends it too: the parent knows which it was, because it has no answer.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import struct
import sys
from typing import Any, Literal

import msgspec

from knowledge.facts.payloads import Row, digests_row, facts_row

Wanted = Literal["facts", "packed facts", "digests"]
Job = tuple[int, str, bytes, Wanted]
COLLECT_AFTER = 16
"""Batches between two searches for circles: no reader makes any, but one that fails may leave some."""
LENGTH = struct.Struct("<I")
_JOBS = msgspec.msgpack.Decoder(list[Job])
_ENCODER = msgspec.msgpack.Encoder()


def frame(message: Any) -> bytes:
    """A message as it goes through the pipe."""
    body = _ENCODER.encode(message)
    return LENGTH.pack(len(body)) + body


def compute(language: str, content: bytes, wanted: Wanted) -> Row:
    """What is wanted of one blob."""
    return digests_row(language, content) if wanted == "digests" else facts_row(language, content, wanted == "packed facts")


def main(seconds: float, memory_bytes: int) -> None:
    """Answer until the parent closes the pipe. seconds: of processor time for one file."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most), most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answers.write(frame((-1, ())))
    answers.flush()
    # Facts hold no circles; looking for some after every few thousand new objects would take longer than making them.
    gc.freeze()
    gc.disable()
    batches = 0
    while head := sys.stdin.buffer.read(LENGTH.size):
        for number, language, content, wanted in _JOBS.decode(sys.stdin.buffer.read(LENGTH.unpack(head)[0])):
            signal.setitimer(signal.ITIMER_PROF, seconds)
            answer = frame((number, compute(language, content, wanted)))
            signal.setitimer(signal.ITIMER_PROF, 0)
            answers.write(answer)
            answers.flush()
        batches += 1
        if batches % COLLECT_AFTER == 0:
            gc.collect()
            # The tables of the grammars that are in use by now are large, and looked through every time.
            gc.freeze()


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
