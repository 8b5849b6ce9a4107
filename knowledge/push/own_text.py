"""What a task says itself: without what was pasted into it. Pasted logs speak of everything, so they cause most false alarms."""

from __future__ import annotations

import re

_BANNER = re.compile(
    r"\s*[-=*#_]{2,}\s*.*(?:paste|log|transcript|previous|earlier|output|stderr|stdout|history|붙여|기록|로그|이전|출력|원문|내역).*", re.IGNORECASE
)
"""A line that says that something foreign follows, up to an empty line."""
_INTRODUCTION = re.compile(r".*(?:below|as follows|아래|다음)(?:[^.]{0,20})?(?:log|notes?|output|기록|로그|메모|출력)?\s*[:：]\s*$", re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LABEL = r"(?:[^\]]*[가-힣][^\]]*|[\w +/-]*(?:gotcha|pitfall|trap|done|todo|fix|note|urgent|correction|blocked|decision|task|important)[\w +/-]*)"
"""What a record or a task is headed with in brackets by whoever writes it: Korean, or one of these words."""
_FOREIGN = re.compile(
    r"\s*(?:[<>|]\s|\$ |>>> |\[(?:오류|에러|경고|정보|디버그|로그)\]\s|\[(?!(?i:" + _LABEL + r")\])[^\]]{1,40}\]\s"
    r"|\d{1,2}:\d{2}(?::\d{2})?\s|\d{4}-\d{2}-\d{2}[T ]\d{2}:|(?:DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE|FATAL)\b"
    r"|Traceback \(most recent|File \"|at \S+ \(|HTTP/\d|[+-]{3} [ab]/|@@ )"
)
"""A line as programs write it: quoted, prompted, dated, of a log, a trace, a protocol, a difference."""


def own_text(text: str) -> str:
    """The lines that whoever gave the task wrote, as far as can be told; line ends are kept, for a line is a sentence of its own."""
    kept: list[str] = []
    in_fence = is_pasted = False
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
        if _FENCE.match(line):
            # A fence that opens the text is how a command or a task is sometimes given.
            in_fence = not in_fence if number or in_fence else False
            continue
        if not line.strip():
            is_pasted = False
        elif _BANNER.fullmatch(line):
            is_pasted = True
        elif not (in_fence or is_pasted or _FOREIGN.match(line)):
            kept.append(line)
            is_pasted = bool(_INTRODUCTION.fullmatch(line))
    return "\n".join(kept)
