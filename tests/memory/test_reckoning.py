"""What is reckoned from parts told in turns apart is right, proved and verified; where a part is missing it is not known."""

from __future__ import annotations

from itertools import islice

import pytest

from goalmem import Memory
from tests.cases import one_in
from tests.memory.reckoning import LAST, Reckoned, reckonings

KINDS = 12
"""Of reckonings, drawn one after another."""


def answered(reckoned: Reckoned) -> tuple[str, str, bool]:
    """Status, text and whether the proof verifies, of the question asked of its conversation."""
    with Memory() as memory:
        for i, (at, text) in enumerate(reckoned.turns):
            memory.add([{"role": "user", "name": "Ana", "content": text}], session=f"s{i}", at=at)
        answer = memory.ask(reckoned.question, at=LAST, speaker="Ana")
        assert answer.proof is not None
        return str(answer.status), answer.text, memory.verify(answer.proof).ok


@pytest.mark.parametrize("each", [1, pytest.param(2, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("held_out", [False, True])
def test_a_reckoning_is_right_or_not_known(held_out, each):
    drawn = list(islice(reckonings(21, held_out=held_out), each * KINDS))
    known = 0
    for reckoned in drawn:
        status, text, verified = answered(reckoned)
        assert verified, reckoned
        if status != "unknown":
            assert text in reckoned.right, (reckoned, text)
            known += 1
    assert known >= each * KINDS // 4


@pytest.mark.parametrize(
    ("told", "question"),
    one_in(
        2,
        [
            (
                ("The bike cost 300 euros.", "The helmet cost 45 dollars."),
                "How much more did the bike cost than the helmet?",
            ),
            (
                ("The helmet cost 300 euros.", "The bike cost 45 euros."),
                "How much more did the bike cost than the helmet?",
            ),
            (
                ("The bike cost 300 euros.", "The helmet would have cost 45 euros."),
                "How much did the bike and the helmet cost together?",
            ),
            (("Ines was born in 1990.",), "How old is Ines?"),
            (("Ines was born on 3 March 1990.", "I moved to Rome in 1980."), "How old was Ines when I moved to Rome?"),
            (
                ("The interview was on 3 March.", "I moved to Rome on 1 March."),
                "How many days after the interview did I move to Rome?",
            ),
            (
                ("The interview was on 3 March.", "The interview was on 9 March.", "The wedding was on 5 April."),
                "How many days between the interview and the wedding?",
            ),
            (
                ("The interview was on 3 March.", "My flight was on 5 April."),
                "How many days between the interview and the move?",
            ),
        ],
    ),
)
def test_what_the_parts_do_not_decide_is_not_known(told, question):
    status, text, verified = answered(Reckoned(tuple((LAST, t) for t in told), question, (), ""))
    assert (status, verified) == ("unknown", True), text
