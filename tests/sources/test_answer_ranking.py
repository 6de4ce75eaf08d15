"""What an answer read out of a passage is worth: clues, preference, certainty."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.sources.certainty.answer_ranking import (
    FLOOR,
    JUDGED_OF_FEW,
    CertaintyFeatures,
    OfferFeatures,
    QuestionFeatures,
    Refusal,
    WordOverlap,
    certainty,
    preference,
)
from goalmem.sources.passages.contradiction import says_opposite, speaks_of_another_being
from goalmem.sources.spans import sentence_around, trim_function_words, whole_words

SHARES = st.floats(0, 1, allow_nan=False)
COUNTS = st.integers(1, 1000)
CLUES = st.builds(OfferFeatures, SHARES, SHARES, SHARES, COUNTS, COUNTS, SHARES, SHARES)


@given(CLUES, SHARES)
def test_a_surer_reading_is_never_worth_less(features: OfferFeatures, more: float):
    for better in (
        replace(features, span=max(features.span, more)),
        replace(features, present=max(features.present, more)),
        replace(features, passage=max(features.passage, more)),
    ):
        assert preference(better) >= preference(features)


@given(CLUES, COUNTS)
def test_what_is_found_sooner_is_never_worth_less(features: OfferFeatures, other: int):
    assert preference(replace(features, place=min(features.place, other))) >= preference(features)


LIKED = st.floats(FLOOR, 6, allow_nan=False)


def sure(
    features: OfferFeatures, own: float, others: float, rival: float, entailed: float, recent: float = 0.0
) -> float:
    form = QuestionFeatures.of("Where did Ann go?")
    return certainty(CertaintyFeatures(form, features, own, others, rival, entailed, recent))


@given(CLUES, LIKED, LIKED, LIKED, SHARES, SHARES)
def test_what_the_judge_finds_surer_is_never_less_certain(features, own, others, rival, one, other):
    low, high = sorted((one, other))
    assert 0 < sure(features, own, others, rival, low) <= sure(features, own, others, rival, high) < 1


@given(CLUES, LIKED, LIKED, LIKED, st.floats(JUDGED_OF_FEW, 1), st.floats(1.5, 24))
def test_words_that_code_refuses_count_for_less_where_there_are_few_turns(features, own, others, rival, said, scarcity):
    """In a long conversation they are right as often as others; beside another person they are more often right than unasserted."""

    def certain(scarcity: float, refusal: Refusal | None = None) -> float:
        return sure(replace(features, scarcity=scarcity, refusal=refusal), own, others, rival, said)

    assert certain(1.0, Refusal.UNSAID) == certain(1.0, Refusal.OF_ANOTHER) == certain(1.0)
    assert certain(scarcity, Refusal.UNSAID) < certain(scarcity, Refusal.OF_ANOTHER) < certain(scarcity)


@given(CLUES, LIKED, LIKED, LIKED, SHARES, st.floats(1, 2.4), st.floats(1, 2.4))
def test_from_few_turns_to_many_certainty_changes_by_degrees(features, own, others, rival, said, one, other):
    fewer, few, more = (
        sure(replace(features, scarcity=scarcity), own, others, rival, said)
        for scarcity in sorted((one, 2.4, other))[::-1]
    )
    assert min(fewer, more) - 1e-9 <= few <= max(fewer, more) + 1e-9


@given(CLUES, LIKED, LIKED, LIKED, LIKED, SHARES)
def test_a_better_rival_never_makes_an_answer_surer(features, own, others, one, other, entailed):
    weak, strong = sorted((one, other))
    assert sure(features, own, others, strong, entailed) <= sure(features, own, others, weak, entailed)


@pytest.mark.parametrize(
    ("question", "reckoned", "joined"),
    [
        ("Where did Ann go?", False, False),
        ("How much more did the blue one cost?", True, False),
        ("What did both come to in total?", True, False),
        ("By how much did the bill exceed the quote?", True, False),
        ("How many points did my score go up from May to June?", True, False),
        ("How much did the taxi come to?", False, False),
        ("Where does the man who sold Ann the boat live?", False, True),
        ("what did the lights end up at, and who got the job", False, True),
    ],
)
def test_the_form_of_a_question_tells_what_one_turn_seldom_answers(question: str, reckoned: bool, joined: bool):
    form = QuestionFeatures.of(question)
    assert (form.reckoned, form.joined) == (reckoned, joined)
    assert form.words == len(question.split())


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("and 9", "9"),
        ("a red kite", "a red kite"),
        ("the", ""),
        ("of the", ""),
        ("$5 and", "$5"),
        ("in Lokeren", "in Lokeren"),
        ("my card in the", "my card"),
    ],
)
def test_an_answer_ends_where_its_last_word_needs_no_other(words: str, left: str):
    start, end = trim_function_words(words, 0, len(words))
    assert words[start:end] == left
    assert trim_function_words(words, start, end) == (start, end)


def test_words_of_the_question_that_few_turns_say_count_more():
    turns = ["I went to the lake", "the lake was cold", "the lake again", "pottery class by the lake"]
    spoken = WordOverlap("Who took a pottery class at the lake?", ["person"], turns)
    assert spoken.share(turns[3]) > 2 * spoken.share(turns[0]) > 0
    assert spoken.share("nothing of it") == 0


def test_a_question_that_asks_of_nothing_in_particular_is_spoken_of_everywhere():
    assert WordOverlap("What is it?", [], ["a", "b"]).share("anything") == 1


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
    assert speaks_of_another_being(question, sentence) is excluded


def test_who_won_did_not_lose(memory):
    memory.add([{"role": "user", "name": "Leo", "content": "My dog won a prize at the fair."}])
    facts = [entry.fact for entry in memory.history("dog")]
    start = "My dog won a prize".index("a prize")
    assert says_opposite("What did Leo's dog lose?", facts, start, start + 7)
    assert not says_opposite("What did Leo's dog win?", facts, start, start + 7)
    assert not says_opposite("What did Leo's dog get?", facts, start, start + 7)


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
def test_in_a_memory_of_few_turns_what_is_found_first_is_no_answer_yet(memory, question):
    told = ("We got a kitten yesterday! We named her Juniper.", "My sister works at a bakery in Ghent and loves it.")
    memory.add([{"role": "user", "name": "Ilse", "content": text} for text in told], at="2024-05-01T10:00:00")
    memory.add([{"role": "user", "name": "Bo", "content": "I bought a sailing boat."}], at="2024-05-02T10:00:00")
    assert not memory.ask(question).known
    assert memory.ask("What did Ilse name her kitten?").text == "Juniper"


@pytest.mark.parametrize(
    ("text", "found", "answer"),
    [
        ("Mushroom pie's still the best", "Mushroom pie", "Mushroom pie"),
        ("I shop at Sainsbury's every day", "Sainsbury", "Sainsbury's"),
        ("it took sixty-two days", "two", "sixty-two"),
        ("budget from them: 18 000 zł", "000 zł", "18 000 zł"),
        ("call 600 700 or come by 8", "8", "8"),
    ],
)
def test_a_word_is_whole_and_does_not_lead_on_to_the_next(text, found, answer):
    start = text.index(found)
    assert text[slice(*whole_words(text, start, start + len(found)))] == answer


@given(CLUES, LIKED, LIKED, LIKED, SHARES)
def test_what_was_told_for_granted_is_surer(features, own, others, rival, entailed):
    told, form = (features, own, others, rival, entailed, 0.0), QuestionFeatures.of("What was it?")
    assert certainty(CertaintyFeatures(replace(form, recalls=True), *told)) > certainty(CertaintyFeatures(form, *told))
