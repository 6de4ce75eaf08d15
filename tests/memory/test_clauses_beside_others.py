"""Clauses that lean on the one before, conditions, degrees and titles: what they say, and what they leave open."""

from __future__ import annotations

import pytest

from tests.asking import asked


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I speak Polish, and so does Ana.", "Who speaks Polish?", "you and Ana"),
        ("Ana speaks Polish. So does Tom.", "Who speaks Polish?", "Ana and Tom"),
        ("Ana speaks Polish, and Tom does too.", "Who speaks Polish?", "Ana and Tom"),
        ("Ana speaks Polish. Tom speaks Polish too.", "Who speaks Polish?", "Ana and Tom"),
        ("I like jazz and so does my brother.", "Does my brother like jazz?", "Yes"),
        ("Ana speaks Polish. So does Tom.", "Does Tom speak Polish?", "Yes"),
        ("Ana doesn't eat meat but Tom does.", "Does Tom eat meat?", "Yes"),
        ("Leo came first, Ida second and Max third.", "Who came second?", "Ida"),
        ("Leo came first, Ida second and Max third.", "Who came third?", "Max"),
        ("Leo came first, Ida second and Max third.", "Who came first?", "Leo"),
        ("Leo won, followed by Ida.", "Who won?", "Leo"),
        ("My car is red and Ana's is blue.", "What color is Ana's car?", "blue"),
        ("My car is red and Ana's is blue.", "What color is my car?", "red"),
        ("We have two toilets. The downstairs one is broken.", "Is the downstairs toilet broken?", "Yes"),
        ("I have yoga on alternate Thursdays.", "When do I have yoga?", "alternate Thursdays"),
        ("I read Death in Venice.", "What did I read?", "Death in Venice"),
        ("I watched Notes on a Scandal.", "What did I watch?", "Notes on a Scandal"),
        ("I'm reading Love in the Time of Cholera.", "What am I reading?", "Love in the Time of Cholera"),
        ("We played Murder in Paris.", "What did we play?", "Murder in Paris"),
        ("We played chess in Paris.", "Where did we play chess?", "Paris"),
        ("I went to Rome again in May.", "Did I go to Rome again?", "Yes"),
        ("I still play chess.", "Do I play chess?", "Yes"),
    ],
)
def test_a_clause_says_what_the_one_before_lends_it(said: str, question: str, answer: str) -> None:
    assert asked(said, question)[1] == answer


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Ana doesn't eat meat. Neither does Tom.", "Does Tom eat meat?"),
        ("Ana doesn't eat meat, and neither does Tom.", "Does Tom eat meat?"),
        ("Ana speaks Polish but Tom doesn't.", "Does Tom speak Polish?"),
        ("I no longer play chess.", "Do I play chess?"),
        ("I haven't eaten yet.", "Have I already eaten?"),
    ],
)
def test_a_clause_denies_what_the_one_before_denies(said: str, question: str) -> None:
    assert asked(said, question)[1] == "No"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Ana speaks Polish. Tom does the dishes.", "Does Tom speak Polish?"),
        ("Ana might speak Polish. So does Tom.", "Does Tom speak Polish?"),
        ("I went to Rome in May.", "Did I go to Rome again?"),
        ("I went to Rome in May.", "Was it the first time I went to Rome?"),
        ("I met Ida in May.", "Did I meet Ida for the second time in May?"),
        ("Leo came first, Ida second and Max third.", "Did Ida come first?"),
        ("I came home.", "Did I come home first?"),
        ("Leo won, followed by Ida.", "Who came second?"),
        ("I couldn't agree more with Tom.", "Do I disagree with Tom?"),
        ("My car is red and hers is blue.", "Is my car blue?"),
        ("I will come on condition that Tom drives.", "Will I come?"),
        ("I'll come provided that Tom drives.", "Will Tom drive?"),
        ("I'll help providing Tom pays me.", "Will I help?"),
        ("So long as Tom drives, I will come.", "Does Tom drive?"),
        ("We played Murder in Paris.", "Did we play in Paris?"),
        ("I have yoga on alternate Thursdays.", "Do I have yoga every Thursday?"),
    ],
)
def test_what_is_left_open_is_not_proved(said: str, question: str) -> None:
    assert asked(said, question)[0] != "proved"


def test_a_high_degree_is_no_denial() -> None:
    assert asked("I couldn't agree more with Tom.", "Do I agree with Tom?")[1] != "No"
    assert asked("I can't stand olives any more.", "Do I like olives?")[1] != "Yes"
