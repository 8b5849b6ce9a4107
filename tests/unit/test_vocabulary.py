"""A bank's vocabulary: what is kept of a tag, what is refused, and which policies are not taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors import InvalidPolicyError, InvalidRecordError, UnknownTagError
from knowledge.vocabulary.drift import MOST_ALIASES, MOST_NEW, near_pairs, old_forms, unfolded, unused, warnings
from knowledge.vocabulary.policy import Policy, grammar_fault, read_policy
from knowledge.vocabulary.reading import announcement, check_label, read_tag, read_tags, suggest
from knowledge.vocabulary.spelling import normalise

CASE = (Path(__file__).parent.parent / "cases" / "vocabulary" / "tags.md").read_text(encoding="utf-8")
POLICY = read_policy(re.findall(r"^```toml\n(.*?)^```$", CASE, re.MULTILINE | re.DOTALL)[0], "tags.md")
ROWS = [tuple(cell.strip() for cell in line.strip().strip("|").split(" |")) for line in CASE.splitlines() if line.startswith("| ")][2:]


@pytest.mark.parametrize(("tag", "kept", "why"), ROWS)
def test_a_tag_is_kept_as_the_table_says(tag: str, kept: str, why: str) -> None:
    """Normal form, then one hop, then the grammar; what is refused is told why, with the nearest tags."""
    if not kept.startswith("refused: "):
        found = read_tag(tag, POLICY)
        assert (found.kept, found.why) == (kept, why)
        return
    with pytest.raises(UnknownTagError) as refused:
        read_tag(tag, POLICY)
    assert kept.removeprefix("refused: ") in refused.value.message
    assert ", ".join(refused.value.suggestions) == why


BASE = 'prefixes = ["kind", "topic"]\ndefault_prefix = "topic"\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("prefixes = [", "is not TOML"),
        ("", "prefixes names none"),
        ('prefixes = ["Kind"]', "lower-case letters"),
        ('prefixes = "kind"', "list of texts"),
        (BASE + 'default_prefix2 = "x"', "there is no setting 'default_prefix2'"),
        ('prefixes = ["kind"]\ndefault_prefix = "topic"', "none of the prefixes"),
        (BASE + "aliases = 3", "table of texts"),
        (BASE + '[aliases]\n"kind:a" = "kind:b"\n"kind:b" = "kind:c"', "one hop is all that is followed"),
        (BASE + '[aliases]\n"kind:a" = "kind:b"\n"kind:b" = "kind:a"', "one hop is all that is followed"),
        (BASE + '[aliases]\n"kind:a" = "kind:a"', "one hop is all that is followed"),
        (BASE + '[aliases]\n"aside" = "kind:b"', "write 'topic:aside'"),
        (BASE + '[aliases]\n"Kind:Done" = "kind:b"', "write 'kind:done'"),
        (BASE + '[aliases]\n"kind:a" = "area:b"', "prefix 'area'"),
        (BASE + '[aliases]\n"kind:a" = "kind:B C"', "lower-case letters"),
        (BASE + '[aliases]\n"kind:a" = "b"', "no prefix"),
        (BASE + 'labels = [""]', "list of texts that say something"),
    ],
)
def test_a_policy_that_could_go_wrong_later_is_not_taken(text: str, fault: str) -> None:
    """Chains, circles, keys that nothing would match and targets that the grammar refuses are faults of the declaration."""
    with pytest.raises(InvalidPolicyError, match=re.escape(fault)):
        read_policy(text, "vocabulary.toml")


def test_every_fault_is_told_at_once() -> None:
    """A declaration is mended in one go."""
    with pytest.raises(InvalidPolicyError) as refused:
        read_policy('prefixes = ["kind"]\nlabl = ["x"]\n[aliases]\n"A" = "kind:b"\n"kind:c" = "kind:D"', "v.toml")
    assert all(part in refused.value.message for part in ("'labl'", "'A'", "'kind:c'"))
    assert "labels" in refused.value.suggestions


def test_two_tags_that_become_one_are_folded_only_by_aliases() -> None:
    """Without any alias a bank keeps as many tags as came."""
    tags = ("kind:done", "Kind:Done", "topic:x")
    assert read_tags(tags, Policy(("kind", "topic")))[0] == ("kind:done", "kind:done", "topic:x")
    assert read_tags(tags, POLICY)[0] == ("kind:completion", "topic:x")
    assert [rewrite.given for rewrite in read_tags(tags, POLICY)[1]] == ["kind:done", "Kind:Done"]


LABELLED = Policy(("kind",), labels=("완료", "gotcha"))


@pytest.mark.parametrize("text", ["[완료] 배포했다", " [gotcha] x", "[완료+gotcha] 배포했다", "[완료 + gotcha] x"])
def test_a_labelled_text_passes(text: str) -> None:
    """One label or several, in Korean or English."""
    check_label(text, LABELLED)
    check_label("배포했다", Policy(("kind",)))


@pytest.mark.parametrize(
    ("text", "near"), [("배포했다", "[완료]"), ("[완효] 배포했다", "[완료]"), ("[완료+gotchas] x", "[gotcha]"), ("x [완료]", "[완료]")]
)
def test_a_text_without_its_label_is_refused(text: str, near: str) -> None:
    """What is missing or wrong is told, with the nearest labels."""
    with pytest.raises(InvalidRecordError) as refused:
        check_label(text, LABELLED)
    assert near in refused.value.suggestions


@given(st.text(max_size=30))
def test_reading_a_tag_twice_changes_nothing(text: str) -> None:
    """What is kept is in normal form, passes the grammar and is no alias: reading it again gives it back, with nothing to tell."""
    assert normalise(normalise(text, "topic"), "topic") == normalise(text, "topic")
    try:
        kept = read_tag(text, POLICY).kept
    except UnknownTagError:
        return
    assert not grammar_fault(kept, POLICY)
    again = read_tag(kept, POLICY)
    assert (again.kept, again.why) == (kept, "")


def test_near_tags_are_found_by_spelling_prefix_and_bearers() -> None:
    """Three ways in which one meaning gets two names."""
    counts = {"kind:completion": 9, "kind:completions": 2, "topic:cache": 4, "project:cache": 1, "kind:trap": 5, "kind:gotcha": 5, "user:ann": 9}
    bearers = [("kind:trap", "kind:gotcha")] * 5 + [("user:ann", "kind:completion")] * 3 + [("user:ann",)] * 6
    found = {(pair.one, pair.other): pair.why for pair in near_pairs(counts, bearers)}
    assert found == {
        ("kind:completion", "kind:completions"): "spelling",
        ("project:cache", "topic:cache"): "other-prefix",
        ("kind:gotcha", "kind:trap"): "together",
    }


def test_what_is_old_refused_and_unused_is_told_apart() -> None:
    """Tags that an alias folds, tags that nothing folds, and what the policy declares in vain."""
    counts = {"kind:done": 3, "area:x": 1, "topic:y": 2}
    assert old_forms(counts, POLICY) == {"kind:done": "kind:completion"}
    assert unfolded(counts, POLICY) == ["area:x"]
    assert unused(counts, POLICY) == ["project:", "user:", "kind:completion", "project:hindsight-crew", "topic:mcp-gateway", "topic:browser"]
    assert (old_forms(counts, None), unfolded(counts, None), unused(counts, None)) == ({}, [], [])


def test_too_many_aliases_and_new_tags_are_warned_of() -> None:
    """The two signs that the vocabulary should be opened again."""
    many = Policy(("kind",), aliases={f"kind:a{n}": "kind:b" for n in range(MOST_ALIASES + 1)})
    fresh = [f"kind:n{n}" for n in range(MOST_NEW + 1)]
    assert len(warnings(many, fresh)) == 2
    assert warnings(POLICY, fresh[1:]) == []


def test_suggestions_look_at_the_name_below_another_prefix_first() -> None:
    """A right name under a wrong prefix is the likeliest slip."""
    assert suggest("topic:deploy", ["kind:deploy", "topic:deploys", "user:ann"]) == ["kind:deploy", "topic:deploys"]


def test_who_records_is_told_what_happens_to_tags() -> None:
    """The announcement names the prefixes, the default one, and that some are rewritten."""
    text = announcement(POLICY)
    assert all(part in text for part in ("project, kind, topic, user", "topic:…", f"{len(POLICY.aliases)} old ones are rewritten"))
    assert "[완료]" in announcement(LABELLED)
