"""Plain questions for what one turn states are answered with a proof; what it only mentions, or tells of somebody else, answers none."""

from __future__ import annotations

import pytest

from goalmem import Memory

STATED = [
    ("my cat Bazooka can't walk over wet paint anymore", "What's my cat's name?", "Bazooka"),
    ("We named the ferret Biscuit.", "What's the ferret called?", "Biscuit"),
    ("I have a sister, Pilar, and a brother, Tomás.", "What's my brother called?", "Tomás"),
    ("Mum lives in Zwolle with her cat Gerrit.", "What's my mother's cat called?", "Gerrit"),
    ("Main branch is called trunk.", "What's the main branch called?", "trunk"),
    ("Leo won't eat mushrooms.", "What won't Leo eat?", "mushrooms"),
    ("Ada doesn't like opera.", "What doesn't Ada like?", "opera"),
    ("Leo's school is St Anne's.", "Which school does Leo go to?", "St Anne's"),
    ("I started a new job as data engineer at Zalando.", "What's my job?", "data engineer"),
    ("I'm a nurse at St. Willibrord.", "Where do I work?", "St. Willibrord"),
    ("I paid 3,400 for the sofa.", "How much was the sofa?", "3,400"),
    ("Bins go out on Wednesdays.", "When do the bins go out?", "Wednesdays"),
    ("Leo's teacher is Mr. Brandt.", "leo's teacher?", "Mr. Brandt"),
    ("Mrs. Halina from downstairs brought me soup", "Who brought me soup?", "Mrs. Halina"),
]
MENTIONED = [
    ("We nearly named the ferret Biscuit.", "What's the ferret called?"),
    ("My neighbour's cat is called Miso.", "What's my cat called?"),
    ("Chidi isn't Bela's husband, he's her brother.", "Who is Bela's husband?"),
    ("Ada likes opera.", "What doesn't Ada like?"),
    ("Leo's brother won't eat mushrooms.", "What won't Leo eat?"),
    ("My sister's school is St Anne's.", "Which school do I go to?"),
    ("I'm a student at Oxford.", "Where do I work?"),
    ("Ida started a job as a gardener but quit after a week.", "What does Ida do for a living?"),
    ("I work at Nopi. I got fired.", "Where do I work?"),
    ("I paid 100 for the sofa as a deposit.", "How much did the sofa cost?"),
    ("I bought two lamps for 90 euros.", "How much did the lamp cost?"),
    ("Deploys never happen on fridays.", "When do deploys happen?"),
]


@pytest.mark.parametrize(("turn", "question", "answer"), STATED)
def test_what_a_turn_states_is_proved(turn: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": turn}], at="2026-05-04T10:00:00")
        found = memory.ask(question)
        assert (found.text, found.status) == (answer, "proved")
        assert memory.verify(found).ok


@pytest.mark.parametrize(("turn", "question"), MENTIONED)
def test_what_a_turn_only_mentions_is_left_open(turn: str, question: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": turn}], at="2026-05-04T10:00:00")
        assert memory.ask(question).status in ("unknown", "disproved")
