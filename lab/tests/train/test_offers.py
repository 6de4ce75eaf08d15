"""What a memory offers for the questions of a life, as claims to train a judge on."""

from __future__ import annotations

import pytest

from goalmem.logic.terms import Derivation, Value
from goalmem.sources.passages.span_values import Proposal
from goalmem_lab.train.lives import Label, Life
from goalmem_lab.train.offers import ANOTHER, WRONG, is_right, last_moment, offered_claims, remembered
from goalmem_lab.train.token_overlap import best_f1

AT = "2025-03-04T10:00:00"


def life(*questions: dict[str, object], reading: tuple[dict[str, object], ...] = ()) -> Life:
    """Two people who talk about a bicycle and a boat."""
    said = [
        ("Ann", "I bought a red bicycle in Ghent yesterday."),
        ("Leo", "Nice! I sold my old boat to a baker in Bruges."),
        ("Ann", "What did you get for the boat?"),
        ("Leo", "900 euros."),
    ]
    messages = [{"role": "user", "name": name, "content": content} for name, content in said]
    asked = [{"asked_at": "2025-04-01T10:00:00", "asker": None, "evidence": [], **each} for each in questions]
    return Life(
        "l", {"sessions": [{"session": "s01", "at": AT, "messages": messages}], "questions": asked}, (), reading
    )


BOUGHT = {"question": "What did Ann buy in Ghent?", "type": "single-hop", "answers": ["a red bicycle"]}


def proposal(text: str) -> Proposal:
    return Proposal("t1", Value(text, text.casefold()), Derivation.QUOTED, text, 0, len(text), 1.0)


@pytest.mark.parametrize(
    ("answers", "given", "right"),
    [
        (["a red kite"], "red kite", True),
        (["Oslo"], "Rome", False),
        (["90 euros"], "80 euros", False),
        (["90 euros", "90"], "90", True),
        ([], "anything", False),
    ],
)
def test_an_answer_is_right_by_its_words_and_its_numbers(answers: list[str], given: str, right: bool):
    assert is_right(answers, proposal(given)) is right


def test_right_offers_are_entailed_and_others_unsupported():
    claims = offered_claims([life(BOUGHT)], seed=1)
    right = [claim for claim in claims if claim.label is Label.ENTAILED]
    wrong = [claim for claim in claims if claim.label is Label.UNSUPPORTED]
    assert right
    assert len(right) + len(wrong) == len(claims)
    assert all("bicycle" in claim.statement.answer for claim in right)
    assert all(best_f1(claim.statement.answer, ["a red bicycle"]) <= ANOTHER for claim in wrong)
    assert len(wrong) <= WRONG
    assert right[0].excerpt.speaker == "Ann"
    assert offered_claims([life(BOUGHT)], seed=1) == claims


def test_a_question_without_an_answer_has_no_right_offer_and_one_of_yes_or_no_has_none():
    never = {"question": "What did Ann pay for the bicycle?", "type": "unanswerable", "answers": []}
    claims = offered_claims([life(never)], seed=1)
    assert claims
    assert {claim.label for claim in claims} == {Label.UNSUPPORTED}
    assert not offered_claims([life({**BOUGHT, "answers": ["Yes"]})], seed=1)


def test_a_share_of_the_questions_that_were_written_to_be_read_for_is_asked():
    quoted = tuple(
        {"question": f"What did Leo get for the boat{mark}", "asker": None, "turn": "s01:3", "quote": "900 euros"}
        for mark in ("?", "??", "???", "", " in the end?", " he sold?", " from the baker?", " then?")
    )
    claims = offered_claims([life(reading=quoted)], seed=3)
    asked = {claim.statement.question for claim in claims}
    assert 0 < len(asked) < len(quoted)
    assert any(claim.label is Label.ENTAILED and "900" in claim.statement.answer for claim in claims)


def test_a_life_is_remembered_with_names_for_its_turns():
    told = life(BOUGHT)
    assert last_moment(told) == "2025-04-01T10:00:00"
    with remembered(told) as (memory, ids):
        assert list(ids) == ["s01:0", "s01:1", "s01:2", "s01:3"]
        assert memory.get(ids["s01:3"]).content.startswith("900 euros")
