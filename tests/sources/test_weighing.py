"""What an answer read out of a passage is worth: clues, preference, confidence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem import Memory
from goalmem.sources.answer_ranking import Clue, Spoken, confidence, preference
from goalmem.sources.contradiction import another, opposed
from goalmem.sources.spans import sentence_around

SHARES = st.floats(0, 1, allow_nan=False)
COUNTS = st.integers(1, 1000)
CLUES = st.builds(Clue, SHARES, SHARES, SHARES, COUNTS, COUNTS, SHARES, SHARES)


@given(CLUES, SHARES)
def test_a_surer_reading_is_never_worth_less(clue: Clue, more: float):
    for better in (
        replace(clue, span=max(clue.span, more)),
        replace(clue, present=max(clue.present, more)),
        replace(clue, passage=max(clue.passage, more)),
    ):
        assert preference(better) >= preference(clue)


@given(CLUES, COUNTS)
def test_what_is_found_sooner_and_said_in_fewer_words_is_never_worth_less(clue: Clue, other: int):
    assert preference(replace(clue, place=min(clue.place, other))) >= preference(clue)
    assert preference(replace(clue, words=min(clue.words, other))) >= preference(clue)


@given(CLUES, st.lists(CLUES, max_size=4))
def test_what_somebody_else_tells_never_makes_an_answer_surer(best: Clue, others: list[Clue]):
    alone, beside = confidence(best, []), confidence(best, others)
    assert 0 < beside <= alone < 1


def test_words_of_the_question_that_few_turns_say_count_more():
    turns = ["I went to the lake", "the lake was cold", "the lake again", "pottery class by the lake"]
    spoken = Spoken("Who took a pottery class at the lake?", ["person"], turns)
    assert spoken.in_(turns[3]) > 2 * spoken.in_(turns[0]) > 0
    assert spoken.in_("nothing of it") == 0


def test_a_question_that_asks_of_nothing_in_particular_is_spoken_of_everywhere():
    assert Spoken("What is it?", [], ["a", "b"]).in_("anything") == 1


@pytest.mark.parametrize(
    ("question", "sentence", "excluded"),
    [
        ("What is the name of Ann's cat?", "Juniper is my new dog.", True),
        ("What is the name of Ann's pet?", "Juniper is my new dog.", False),
        ("What is the name of Ann's dog?", "Juniper is my new beagle.", False),
        ("Where does Ann's sister live?", "My brother lives in Rome.", True),
        ("Where does Ann's sister live?", "My sister lives near my brother.", False),
        ("What did my kids do?", "My son swam.", False),
        ("Where does Ann live?", "My brother lives in Rome.", False),
    ],
)
def test_another_animal_or_relative_is_not_the_one_asked_about(question: str, sentence: str, excluded: bool):
    assert another(question, sentence) is excluded


def test_who_won_did_not_lose():
    with Memory() as memory:
        memory.add([{"role": "user", "name": "Leo", "content": "My dog won a prize at the fair."}])
        facts = memory._store.facts("default")
    start = "My dog won a prize".index("a prize")
    assert opposed("What did Leo's dog lose?", facts, start, start + 7)
    assert not opposed("What did Leo's dog win?", facts, start, start + 7)
    assert not opposed("What did Leo's dog get?", facts, start, start + 7)


def test_a_sentence_is_found_around_a_span():
    text = "One. Two three! Four?"
    assert text[slice(*sentence_around(text, 5, 8))].strip() == "Two three!"


@pytest.mark.parametrize(
    "question",
    [
        "What is Ilse allergic to?",
        "What did Bo name his boat?",
        "What did Bo cook for dinner?",
    ],
)
def test_in_a_memory_of_few_turns_what_is_found_first_is_no_answer_yet(question):
    told = ("We got a kitten yesterday! We named her Juniper.", "My sister works at a bakery in Ghent and loves it.")
    with Memory(":memory:") as memory:
        memory.add([{"role": "user", "name": "Ilse", "content": text} for text in told], at="2024-05-01T10:00:00")
        memory.add([{"role": "user", "name": "Bo", "content": "I bought a sailing boat."}], at="2024-05-02T10:00:00")
        assert not memory.ask(question).known
        assert memory.ask("What did Ilse name her kitten?").text == "Juniper"
