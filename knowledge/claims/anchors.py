"""Anchors: making them, reading them in a tree, comparing two readings, and the watch keys that their readings depend on.

`read` is a pure function of (the verdict's tree, this tree): moves are followed from where the verdict saw the thing, whatever lay between.
One reader a kind, in the table READERS; adding a kind is a reader, a row there and a row in `watch_keys`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from knowledge.claims import sets
from knowledge.claims.covered import content_of
from knowledge.claims.locating import Place, definition_of, digests_of, indexes_of, locate, locate_file
from knowledge.claims.masking import mask_value
from knowledge.claims.membership import within
from knowledge.claims.view import FactsView, TreeView
from knowledge.errors import InvalidRecordError
from knowledge.records.claims import Anchor, AnchorKind, AnchorReading, Cause
from knowledge.records.identifiers import SymbolId, file_symbol, read_path, read_symbol, show_path

Role = str
_EXPECTED: dict[str, tuple[str, ...]] = {
    "source": ("path", "text"),
    "body": ("symbol",),
    "signature": ("symbol",),
    "location": ("symbol",),
    "edge": ("subject", "predicate", "object"),
    "set": ("question", "symbol"),
    "value": ("path", "key"),
    "claim": ("claim",),
    "time": (),
    "tests": ("test",),
    "environment": ("fingerprint",),
}


def make_anchor(kind: AnchorKind, role: str = "primary", **target: Any) -> Anchor:
    """An anchor with its digest. Raises InvalidRecordError where the target lacks what its kind needs."""
    if kind not in _EXPECTED:
        raise InvalidRecordError(f"there is no anchor kind {kind!r}", suggestions=tuple(_EXPECTED))
    missing = [name for name in _EXPECTED[kind] if not target.get(name)]
    if kind == "tests" and not (target.get("symbols") or target.get("opened")):
        missing = [*missing, "symbols or opened"]
    if missing or (kind == "time" and not ({"until", "period_days", "review_when"} & target.keys())):
        raise InvalidRecordError(f"a {kind} anchor needs {', '.join(missing) or 'until, period_days or review_when'}; given {sorted(target)}")
    written = json.dumps([kind, target], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return Anchor(digest_of(written), kind, target, "support" if role == "support" else "primary")


def digest_of(text: str) -> str:
    """blake2b, 16 bytes, of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def read(anchor: Anchor, then: FactsView | None, now: TreeView, old: AnchorReading | None = None) -> AnchorReading:
    """What the anchor says in `now`, seen from `then`, the tree of the verdict whose reading is `old`.

    Anchors of kind `claim` and `time` do not depend on a tree: they are read by `knowledge.claims.lifecycle`.
    """
    return READERS[anchor.kind](anchor.target, then, now, old)


def _origin(text: str, old: AnchorReading | None) -> SymbolId:
    """Where the verdict saw the anchor's subject; on recording, where the anchor says it is."""
    return read_symbol(old.place if old is not None and old.state == "present" and old.place else text)


def _unlike(place: Place) -> AnchorReading | None:
    if place.state == "present":
        return None
    # The homes are part of what was seen: a verdict on an ambiguous place holds only while the choice is the same.
    seen = digest_of(place.hint) if place.state == "two_homes" else ""
    return AnchorReading(place.state, seen, place=str(place.symbol), detail=place.hint)


def _moved(place: Place, symbol: SymbolId) -> str:
    return str(symbol) if place.is_moved else ""


def _symbol_reading(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None, part: str) -> AnchorReading:
    symbol = _origin(target["symbol"], old)
    place = locate(symbol, then, now)
    unlike = _unlike(place)
    if unlike is not None:
        return unlike
    found = digests_of(now, place.symbol)
    if not found:
        return AnchorReading("unreadable", place=str(place.symbol), detail=now.skipped(place.symbol.path) or "no hashes")
    facts = now.facts(place.symbol.path)
    indexes = indexes_of(now, place.symbol)
    if facts and any("error" in facts.definitions[i].flags for i in indexes):
        return AnchorReading("unreadable", place=str(place.symbol), detail="overlaps a syntax error")
    hashes = [getattr(digest, part) for digest in found]
    joined = hashes[0] if len(hashes) == 1 else digest_of("\0".join(hashes))
    return AnchorReading("present", joined, place=str(place.symbol), was=_moved(place, symbol), count=len(hashes))


def _read_body(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    return _symbol_reading(target, then, now, old, "body_strict" if target.get("strict") else "body")


def _read_signature(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    return _symbol_reading(target, then, now, old, "signature")


def _read_location(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    symbol = read_symbol(target["symbol"])
    if not symbol.qualified_name:
        return AnchorReading("present", "here", place=str(symbol)) if now.has_path(symbol.path) else AnchorReading("gone", place=str(symbol))
    if indexes_of(now, symbol):
        return AnchorReading("present", "here", place=str(symbol))
    facts = now.facts(symbol.path)
    if now.has_path(symbol.path) and (facts is None or facts.has_error):
        return AnchorReading("unreadable", place=str(symbol), detail=now.skipped(symbol.path) or "does not parse")
    place = locate(symbol, then, now)
    return AnchorReading("gone", place=str(symbol), detail=f"now at {place.symbol}" if place.state == "present" else place.hint)


def _read_source(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    path = _origin(target["path"], old).path
    place = locate_file(path, then, now)
    unlike = _unlike(place)
    if unlike is not None:
        return unlike
    content = now.text(place.symbol.path)
    if content is None:
        return AnchorReading("unreadable", place=str(place.symbol), detail="its bytes cannot be read")
    wanted = target["text"]
    is_there = wanted.encode("utf-8", "surrogateescape") in content.replace(b"\r\n", b"\n")
    found = digest_of(wanted) if is_there else f"changed:{now.blob_id(place.symbol.path)}"
    return AnchorReading("present", found, place=str(place.symbol), was=_moved(place, file_symbol(path)))


def _read_edge(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    subject = _origin(target["subject"], old)
    target_object = read_symbol(old.members[0] if old is not None and old.members else target["object"])
    place = locate(subject, then, now)
    unlike = _unlike(place)
    if unlike is not None:
        return unlike
    end = locate(target_object, then, now)
    if end.state in ("two_homes", "unreadable"):
        return _unlike(end) or AnchorReading("unreadable")
    if place.symbol.qualified_name and (broken := _broken(now, place.symbol)) is not None:
        return broken
    wanted = (end.symbol.path, end.symbol.qualified_name, end.symbol.package)
    edges = [e for s in within(place.symbol, now) for e in now.edges_from(s, target["predicate"])]
    proof = sets.Proof(now)
    found = {proof.is_proved(e) for e in edges if (e.object.path, e.object.qualified_name, e.object.package) == wanted}
    return AnchorReading(
        "present",
        "resolved" if True in found else "absent",
        "inferred" if False in found else "",
        place=str(place.symbol),
        was=_moved(place, subject),
        detail="" if end.state == "present" else f"{target_object} is gone",
        members=(str(end.symbol),),
        moved=(f"{target_object} → {end.symbol}",) if end.is_moved else (),
    )


def _broken(now: TreeView, symbol: SymbolId) -> AnchorReading | None:
    definition = definition_of(now, symbol)
    if definition is not None and "error" in definition.flags:
        return AnchorReading("unreadable", place=str(symbol), detail="overlaps a syntax error")
    return None


def _read_set(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    symbol = _origin(target["symbol"], old)
    place = locate(symbol, then, now)
    is_lost = place.state == "gone" and bool(symbol.qualified_name or (then is not None and then.has_path(symbol.path)))
    if is_lost or place.state in ("two_homes", "unreadable"):
        return _unlike(place) or AnchorReading("gone")
    answer = sets.ask(target["question"], place.symbol, target.get("scope", {}), now)
    before = old or AnchorReading("present")
    # A member whose file cannot be read may be one still: as it was seen last, and the file that cannot be read is told with the inferred part.
    unread = [m for m in before.members if (member := read_symbol(m)).path in answer.unseen and member not in answer.resolved]
    renamed = sets.old_names(answer.resolved, before.members, then, now)
    guessed = sets.old_names(answer.inferred, before.inferred_members, then, now)
    resolved = sorted({*(renamed.get(m, str(m)) for m in answer.resolved), *unread})
    inferred = sorted(guessed.get(m, str(m)) for m in answer.inferred)
    unseen = sorted(show_path(p) for p in answer.unseen)
    package = target.get("scope", {}).get("package")
    # Said, and no part of what is compared: such a file can neither prove a member nor hide one that was proved.
    unresolved = now.unresolved_in(package) if package is not None else ()
    return AnchorReading(
        "present",
        digest_of("\n".join(resolved)),
        digest_of("\n".join([*inferred, "", *unseen])) if inferred or unseen else "",
        place=str(place.symbol),
        was=_moved(place, symbol),
        members=tuple(sorted({*sets.shown(answer.resolved), *unread})),
        inferred_members=sets.shown(answer.inferred),
        detail=", ".join([*unseen[:4], *(f"no-resolution: {language}" for language in unresolved)]),
        moved=tuple(sorted(f"{was} → {member}" for member, was in renamed.items())),
    )


def _read_value(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    path, key = _origin(target["path"], old).path, target["key"]
    owner = SymbolId(path, key.partition("(")[0])
    then_facts = then.facts(path) if then is not None else None
    is_symbol = any(d.qualified_name == owner.qualified_name for d in then_facts.definitions) if then_facts else bool(indexes_of(now, owner))
    place = locate(owner, then, now) if is_symbol else locate_file(path, then, now)
    unlike = _unlike(place)
    if unlike is not None:
        return unlike
    facts = now.facts(place.symbol.path)
    if facts is None:
        return AnchorReading("unreadable", place=show_path(place.symbol.path), detail=now.skipped(place.symbol.path))
    if is_symbol and (broken := _broken(now, place.symbol)) is not None:
        return broken
    found = [v for v in facts.values if v.key == key]
    here = f"{show_path(place.symbol.path)}::{key}"
    if not found:
        state = "unreadable" if facts.has_error else "gone"
        return AnchorReading(state, place=here, detail="does not parse" if facts.has_error else "")  # type: ignore[arg-type]
    joined = found[0].digest if len(found) == 1 else digest_of("\0".join(v.digest for v in found))
    return AnchorReading("present", joined, place=here, was=_moved(place, owner), detail=mask_value(key, found[0].text)[:200], count=len(found))


def _read_tests(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    """What a test covered, by its text: each function where it stands now, and the files that it opened. members: name and text of each."""
    members, moved = [], []
    for text in target["symbols"]:
        symbol = read_symbol(text)
        place = locate(symbol, then, now)
        if place.state == "unreadable":
            return AnchorReading("unreadable", place=str(place.symbol), detail=place.hint)
        members.append(f"{text} {content_of(place.symbol, now) if place.state == 'present' else place.state}")
        moved += [f"{symbol} → {place.symbol}"] if place.is_moved else []
    members += [f"{path} {now.blob_id(read_path(path)) or 'gone'}" for path in target.get("opened", ())]
    return AnchorReading("present", digest_of("\n".join(members)), place=target["test"], members=tuple(members), moved=tuple(moved))


def _read_environment(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    """The part of an environment that stands in the tree: its lock files."""
    members = tuple(f"{path} {now.blob_id(read_path(path)) or 'gone'}" for path in sorted(target.get("files", {})))
    return AnchorReading(
        "present", digest_of("\n".join((target["fingerprint"], *members))), place=", ".join(sorted(target.get("files", {}))), members=members
    )


def _read_elsewhere(target: dict[str, Any], then: FactsView | None, now: TreeView, old: AnchorReading | None) -> AnchorReading:
    return AnchorReading("present")


READERS: dict[str, Callable[[dict[str, Any], FactsView | None, TreeView, AnchorReading | None], AnchorReading]] = {
    "source": _read_source,
    "body": _read_body,
    "signature": _read_signature,
    "location": _read_location,
    "edge": _read_edge,
    "set": _read_set,
    "value": _read_value,
    "tests": _read_tests,
    "environment": _read_environment,
    "claim": _read_elsewhere,
    "time": _read_elsewhere,
}


def compare(anchor: Anchor, old: AnchorReading, new: AnchorReading) -> Cause | None:
    """What differs between a verdict's reading and the present one; None where nothing does. Time is weighed by the lifecycle."""
    if anchor.kind == "time":
        return None
    if new.state != old.state or new.state == "unreadable":
        reason = {"gone": "subject_gone", "two_homes": "two_homes", "unreadable": "unreadable"}.get(new.state, "unexamined")
        return Cause(reason, anchor.digest, old.hash, new.hash, new.place or old.place, new.detail)  # type: ignore[arg-type]
    if new.state != "present":
        return None
    if new.count > old.count and new.hash != old.hash:
        return Cause("two_homes", anchor.digest, old.hash, new.hash, new.place, f"{new.count} definitions of one name, {old.count} before")
    if new.hash != old.hash:
        return _differs(anchor, old, new)
    if new.inferred_hash != old.inferred_hash and not (anchor.kind == "edge" and new.hash == "resolved"):
        return Cause("inferred_differs", anchor.digest, old.inferred_hash, new.inferred_hash, new.place, _set_difference(old, new, inferred=True))
    return None


def _differs(anchor: Anchor, old: AnchorReading, new: AnchorReading) -> Cause:
    if anchor.kind == "edge":
        if new.hash == "absent" and new.inferred_hash:
            return Cause("inferred_differs", anchor.digest, old.hash, "inferred", new.place, "now only inferred")
        detail = "the edge is gone" if new.hash == "absent" else "the edge is there now"
        return Cause("counter_evidence", anchor.digest, old.hash, new.hash, new.place, new.detail or detail)
    if anchor.kind in ("tests", "environment"):
        changed = sorted(member.rpartition(" ")[0] for member in {*new.members} - {*old.members})
        what = "what the test covers" if anchor.kind == "tests" else "the environment"
        return Cause("unexamined", anchor.digest, old.hash, new.hash, new.place, f"{what} changed: {', '.join(changed[:4])}")
    if anchor.kind == "set":
        return Cause("counter_evidence", anchor.digest, old.hash, new.hash, new.place, _set_difference(old, new))
    return Cause("unexamined", anchor.digest, old.hash, new.hash, new.place, new.detail)


def _set_difference(old: AnchorReading, new: AnchorReading, *, inferred: bool = False) -> str:
    before, after = (set(old.inferred_members), set(new.inferred_members)) if inferred else (set(old.members), set(new.members))
    parts = [f"new: {m}" for m in sorted(after - before)] + [f"gone: {m}" for m in sorted(before - after)]
    return "; ".join(parts) or new.detail


@dataclass(frozen=True, slots=True)
class Watched:
    """What `watch_keys` needs to know besides the anchor: its present reading and what its file held in the verdict's tree."""

    reading: AnchorReading
    then: FactsView | None
    old: AnchorReading | None = None


def watch_keys(anchor: Anchor, watched: Watched) -> set[str]:
    """Every key whose change can change the anchor's reading (`docs/architecture.md`, "From a change to a status")."""
    target, reading = anchor.target, watched.reading
    keys: set[str] = set()
    if anchor.kind in ("body", "signature"):
        keys |= _symbol_keys(_origin(target["symbol"], watched.old), watched)
    elif anchor.kind == "location":
        keys |= _symbol_keys(read_symbol(target["symbol"]), watched)
    elif anchor.kind == "source":
        keys |= _file_keys(_origin(target["path"], watched.old).path, watched)
    elif anchor.kind == "edge":
        subject = _origin(target["subject"], watched.old)
        ends = {read_symbol(m) for m in (target["object"], *reading.members, *(watched.old.members if watched.old else ()))}
        keys |= _symbol_keys(subject, watched)
        keys = keys.union(*(keys_of_place(end, watched.then) for end in ends))
        keys |= {f"from:{target['predicate']}:{_edge_end(s)}" for s in (subject, _place_symbol(reading, subject))}
        # A call in a function inside of the subject is the subject's, too.
        keys |= {f"into:{target['predicate']}:{_edge_end(s)}" for s in ends}
    elif anchor.kind == "set":
        symbol = _origin(target["symbol"], watched.old)
        question = sets.question_of(target["question"])
        way = "into" if question.is_into else "from"
        keys |= _symbol_keys(symbol, watched)
        keys |= {f"{way}:{question.predicate}:{_edge_end(s)}" for s in (symbol, _place_symbol(reading, symbol))}
        package = target.get("scope", {}).get("package")
        if package is not None:
            keys.add(f"unreadable:{package}")
        # A member that is no longer one may turn up elsewhere, and then be the same one.
        before = {*watched.old.members, *watched.old.inferred_members} if watched.old else set()
        keys = keys.union(*(keys_of_place(read_symbol(m), watched.then) for m in before - {*reading.members, *reading.inferred_members}))
    elif anchor.kind in ("tests", "environment"):
        paths = {read_path(path) for path in (*target.get("opened", ()), *target.get("files", ()))}
        paths |= {read_symbol(text).path for text in target.get("symbols", ())}
        keys = keys.union(*(_file_keys(path, Watched(AnchorReading("gone"), watched.then)) for path in paths))
        keys |= {f"symbol:{read_symbol(text).qualified_name}" for text in target.get("symbols", ())}
    elif anchor.kind == "value":
        path = _origin(target["path"], watched.old).path
        keys.add(f"value:{target['key']}")
        keys |= _symbol_keys(SymbolId(path, target["key"].partition("(")[0]), watched)
        keys |= _file_keys(path, watched)
    return keys


def _edge_end(symbol: SymbolId) -> str:
    return symbol.qualified_name or show_path(symbol.path) or symbol.package


def _place_symbol(reading: AnchorReading, fallback: SymbolId) -> SymbolId:
    if not reading.place or reading.state != "present":
        return fallback
    return read_symbol(reading.place)


def keys_of_place(symbol: SymbolId, then: FactsView | None) -> set[str]:
    """Every key whose change can change where a symbol or file of the tree `then` stands, or whether it does."""
    return _symbol_keys(symbol, Watched(AnchorReading("gone"), then))


def _symbol_keys(symbol: SymbolId, watched: Watched) -> set[str]:
    if symbol.is_external:
        return set()
    if not symbol.qualified_name:
        return _file_keys(symbol.path, watched)
    place = _place_symbol(watched.reading, symbol)
    keys = {f"symbol:{symbol.qualified_name}", f"symbol:{place.qualified_name}"}
    owner = symbol.qualified_name.rpartition(".")[0]
    if owner:
        keys |= {f"symbol:{owner}", f"from:implements:{owner}"} if watched.reading.state != "present" or watched.reading.was else set()
    if watched.reading.state != "present":
        keys.add(f"path:{show_path(symbol.path)}")
    return keys


def _file_keys(path: bytes, watched: Watched) -> set[str]:
    keys = {f"path:{show_path(path)}", f"basename:{show_path(path.rpartition(b'/')[2])}"}
    place = _place_symbol(watched.reading, file_symbol(path))
    if place.path:
        keys.add(f"path:{show_path(place.path)}")
    if watched.then is not None:
        keys.add(f"blob:{watched.then.blob_id(path)}")
        facts = watched.then.facts(path) if place.path != path or watched.reading.state != "present" else None
        keys |= {f"symbol:{d.qualified_name}" for d in facts.definitions if d.qualified_name} if facts else set()
    return keys
