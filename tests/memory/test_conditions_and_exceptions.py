"""What is said under a condition, with an exception, of somebody's somebody, or in a text given to work on."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

OPEN = [
    ("As long as Ana pays, I'm in.", "Does Ana pay?"),
    ("I'll come as long as Tom drives.", "Will I come?"),
    ("Provided the visa arrives, I fly on 3 June.", "When do I fly?"),
    ("I fly on 3 June provided that the visa arrives.", "When do I fly?"),
    ("I'm going on condition that Tom pays.", "Does Tom pay?"),
    ("In the event that Ana quits, Tom takes over.", "Did Ana quit?"),
    ("Whenever I eat nuts I get a rash.", "Did I eat nuts?"),
    ("I only eat meat when I'm at my gran's.", "Am I at my gran's?"),
    ("I only eat meat when I'm at my gran's.", "Do I eat meat at home?"),
    ("When I'm rich I'll buy a boat.", "Will I buy a boat?"),
    ("I'm moving to Oslo once I'm rich.", "Will I move to Oslo?"),
    ("Apart from Spanish, I speak Dutch.", "Do I speak Spanish?"),
    ("Other than tennis, I play golf.", "Do I play tennis?"),
    ("I have no pets other than a fish.", "Do I have pets?"),
    ("I have no siblings except Leo.", "Do I have siblings?"),
    ("Ana, whose husband is a cook, opened a cafe.", "Is Ana a cook?"),
    ("Ana, whose husband is a cook, opened a cafe.", "What does Ana do?"),
    ("My friend Tom's mother is a judge.", "What does my friend do?"),
    ("My daughter's best friend is Zoe.", "Who is my friend?"),
    ("My mother's friend Olga bakes bread.", "Who is my friend?"),
    ("Lea is a friend of my boss.", "Who is my friend?"),
    ("Translate to French: I have two cats and live in Oslo.", "Where do I live?"),
    ("Can you proofread this?\n\nI works in Oslo.", "Where do I work?"),
    ("Summarise: I moved to Oslo and bought a house.", "Where do I live?"),
    ("Rephrase: I love tea.", "Do I love tea?"),
    ("Fix my sentence: I lives in Oslo.", "Where do I live?"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "question"), one_in(2, OPEN))
def test_what_is_not_said_is_neither_proved_nor_disproved(said: str, question: str) -> None:
    assert asked(said, question)[0] in ("unknown", "likely")


TOLD = [
    ("Not only Tom but also Ana came.", "Did Ana come?", "Yes"),
    ("Not only did Tom come, but my sister sang.", "Did my sister sing?", "Yes"),
    ("Apart from Spanish, I speak Dutch.", "Do I speak Dutch?", "Yes"),
    ("I have no pets other than a fish.", "Do I have a fish?", "Yes"),
    ("Nobody apart from Tom came.", "Who came?", "Tom"),
    ("Ana, whose husband is a cook, opened a cafe.", "What does Ana's husband do?", "cook"),
    ("My boss, whose wife is a pilot, moved to Rome.", "Where does my boss live?", "Rome"),
    ("My friend Tom's mother is a judge.", "What does Tom's mother do?", "judge"),
    ("My friend Tom's mother is a judge.", "Who is my friend?", "Tom"),
    ("My friend is Zoe.", "Who is my friend?", "Zoe"),
    ("I stayed as long as Ana was there.", "Did I stay?", "Yes"),
    ("When I was rich I bought a boat.", "What did I buy?", "boat"),
    ("When I get home I'll feed the cat.", "Will I feed the cat?", "Yes"),
    ("Edit: I live in Oslo.", "Where do I live?", "Oslo"),
    ("I live in Oslo. Translate to French: I have a cat.", "Where do I live?", "Oslo"),
    ("I edited this: I live in Oslo.", "Where do I live?", "Oslo"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, TOLD))
def test_what_is_said_beside_is_proved(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)


def test_not_only_denies_neither() -> None:
    assert asked("Not only Tom but also Ana came.", "Did Tom come?")[1] == "Yes"


def test_an_exception_to_all_is_denied() -> None:
    assert asked("I like all fruit apart from bananas.", "Do I like bananas?")[1] == "No"
