"""From touched keys to the claims that may be concerned, through anchors and premises."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from knowledge.errors import InvalidRecordError


def concerned(
    keys: Iterable[str],
    watching: Callable[[set[str]], set[str]],
    claims_on: Callable[[set[str]], dict[str, set[str]]],
    derived_from: Callable[[set[str]], set[str]],
) -> list[str]:
    """Claims whose anchors watch one of the keys, and every claim derived from those, sorted.

    watching: keys → anchor digests; claims_on: anchor digests → claims; derived_from: claims → claims that name one of them as premise.
    """
    anchors = watching(set(keys))
    found = set().union(*claims_on(anchors).values()) if anchors else set()
    return sorted(with_derived(found, derived_from))


def with_derived(claims: Iterable[str], derived_from: Callable[[set[str]], set[str]]) -> set[str]:
    """The claims and all that rest on them, however far."""
    found = set(claims)
    front = set(found)
    while front:
        front = derived_from(front) - found
        found |= front
    return found


def circular(claims: Iterable[str], premises_of: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """The claims that rest on themselves, and those between two such circles: what is left when everything that ends somewhere is taken away."""
    left = set(claims)
    below = {c: {p for p in premises_of(c) if p in left} for c in left}
    for links in (below, _turned(below)):
        ended = [c for c in left if not links[c] & left]
        above = _turned(links)
        while ended:
            gone = ended.pop()
            left.discard(gone)
            ended += [c for c in above[gone] & left if not links[c] & left]
    return frozenset(left)


def _turned(links: dict[str, set[str]]) -> dict[str, set[str]]:
    turned: dict[str, set[str]] = {c: set() for c in links}
    for claim, others in links.items():
        for other in others:
            turned[other].add(claim)
    return turned


def in_order(claims: Iterable[str], premises_of: Callable[[str], Iterable[str]]) -> list[str]:
    """The claims, premises first. Raises InvalidRecordError on a cycle of premises."""
    wanted, done, open_claims, order = sorted(set(claims)), set(), set(), []
    for root in wanted:
        stack = [(root, iter(sorted(premises_of(root))))]
        if root in done:
            continue
        open_claims.add(root)
        while stack:
            claim, rest = stack[-1]
            following = next((p for p in rest if p not in done), None)
            if following is None:
                stack.pop()
                open_claims.discard(claim)
                done.add(claim)
                order.append(claim)
            elif following in open_claims:
                raise InvalidRecordError(f"claims rest on each other in a circle: {' → '.join([*(c for c, _ in stack), following])}")
            else:
                open_claims.add(following)
                stack.append((following, iter(sorted(premises_of(following)))))
    return order
