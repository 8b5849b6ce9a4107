"""What memory is asked for when an agent is stuck: short queries, for a long one is answered by nothing."""

from __future__ import annotations

import re

from knowledge.push.own_text import own_text
from knowledge.recall.chunks import sentences

_MOST_QUERIES = 5
_CHARACTERS = 300
_URL = re.compile(r"https?://(?:[^/@\s]*@)?([^/:\s'\"]+)(?::\d+)?([^\s'\"?#]*)", re.IGNORECASE)
_COMMON_LABELS = frozenset(("www", "api", "com", "org", "net", "io", "dev", "app", "co", "kr", "localhost"))
_PATH_NOISE = re.compile(r"^(?:v\d+|client|api|rest|\d+|[0-9a-f]{8,}|index)$", re.IGNORECASE)
_SITE = re.compile(r"(?<![\w@/.-])(?:[\w-]+\.)*([\w-]+)\.(?:com|org|net|io|dev|app|co\.kr|kr)\b(?!/)", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[{}\[\]\"'`<>|=\\]+")
_SELF = re.compile(
    r"\b(?:there (?:is|was) no way to|(?:it )?(?:is|was) (?:not possible|impossible) to|(?:do not|don't|lack|have no) (?:have )?(?:the )?"
    r"(?:permission|access|rights)s? to|(?:must|has to|have to|needs? to|can only) be done (?:by you|by hand|manually))\b"
    r"|\b(?:i|we|you|it|this|that|is|am|are|was|were|will|have to|has to|need to|unfortunately|currently|simply|with this|here|from here|do it"
    r"|yourself)\b"
    r"|\b(?:cannot|can't|can’t|could not|couldn't|unable to|not able to|not possible to|impossible to|blocked by|blocked)\b"
    r"|(?:내가|제가|저는|나는|여기서는?|이\s*환경에서는?|현재|지금은?|직접)(?=\s)"
    r"|(?:더\s*)?(?:진행할|할|처리할)\s*(?:방법이|수가?)\s*없[가-힣]*|못\s*(?:합니다|한다|함)|막혔[가-힣]*|막혀\s*있[가-힣]*|안\s*(?:됩니다|된다|됨)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;,()]|[:–—-](?=\s)|\s(?:but|because|since|so|and|as|due to|without)\s|(?<=[가-힣])(?:지만|는데|어서|아서|라서|므로|니까|기에)\s|\s때문에\s",
    re.IGNORECASE,
)


def about_call(operation: str, text: str, failure: str) -> tuple[str, ...]:
    """What to ask after a call that failed again.

    operation: what was tried (`stuck.py`); text: the call's command or task; failure: the telling line of what it answered.
    """
    named = " ".join(_url_words(text))
    answer = " ".join(_PUNCTUATION.sub(" ", failure).split())
    if named:
        return _several((named, f"{named} {answer}"))
    wish = " ".join(_SITE.sub(r"\1", _short(own_text(text))).split())
    plain = " ".join(word for word in wish.split() if not word.startswith("-") and "=" not in word)
    is_command = operation.count(" ") > 0
    return _several((wish, plain, f"{operation if is_command else plain} {answer}", operation if is_command else "", answer))


def about_saying(sentence: str) -> tuple[str, ...]:
    """What to ask where an agent says that something cannot be done: the sentence, and each of its clauses, without the words of giving up."""
    whole = " ".join(_SELF.sub(" ", sentence).split())
    parts = [" ".join(_SELF.sub(" ", part).split()) for part in _CLAUSE.split(sentence)]
    return _several((sentence, whole, *(part for part in parts if len(part) > 7)))


def _short(text: str) -> str:
    """The first sentences of a text, up to a bound."""
    kept = ""
    for sentence in sentences(text):
        if kept and len(kept) + len(sentence) > _CHARACTERS:
            break
        kept = f"{kept} {sentence}".strip()
    return kept[:_CHARACTERS]


def _url_words(text: str) -> list[str]:
    """What an address is about: the names of the machine and of the path."""
    found: list[str] = []
    for match in _URL.finditer(text[:20_000]):
        found += [label for label in match[1].lower().split(".") if label not in _COMMON_LABELS]
        found += [word for part in match[2].split("/") if part and not _PATH_NOISE.match(part) for word in re.split(r"[_-]", part)]
    return list(dict.fromkeys(found))[:8]


def _several(queries: tuple[str, ...]) -> tuple[str, ...]:
    """The queries once each; one word is too little to ask what nobody asked for."""
    told = dict.fromkeys(" ".join(query.split()) for query in queries)
    return tuple(query for query in told if len(query.split()) > 1)[:_MOST_QUERIES]
