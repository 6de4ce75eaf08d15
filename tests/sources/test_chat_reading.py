"""What a small model gets wrong and code puts right: numbers of facts; and what guesses add to a ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.sources.conftest import ASKED, SPACE, request

from goalmem.engine.budget import Budget
from goalmem.logic.syntax import parse_atom
from goalmem.logic.terms import Goal, Variable
from goalmem.models.chat import ChatRequest
from goalmem.questions.chat import ChatReasoner
from goalmem.sources.chat.candidates import CandidateQuery, CandidateRetriever, TurnCandidate
from goalmem.sources.chat.source import ChatReading, goal_read
from goalmem.sources.chat.unifier import ChatJudgement, Unifier
from goalmem.sources.ranking import GoalRanking, QueryRanking
from goalmem.testing import ScriptedChat

NOWHERE = 99


def line_with(words: str, asked: ChatRequest) -> int:
    """The number of the fact that holds some words."""
    shown = asked.user.partition("Facts:\n")[2].splitlines()
    return next(n for n, row in enumerate(shown, 1) if words in row)


@pytest.fixture
def candidates(source: Any) -> list[TurnCandidate]:
    """Every turn of the two friends."""
    return CandidateRetriever(source.store, source.searcher, SPACE, ASKED).find(
        [CandidateQuery("bought a kayak or a canoe")], 40
    )


@pytest.fixture
def judged(source: Any, candidates: Sequence[TurnCandidate]) -> Callable[..., list[ChatJudgement]]:
    """What becomes of one binding that a model gives with the number of a fact that holds some words, or of none."""

    def judge(atom: str, words: str | None, **values: str) -> list[ChatJudgement]:
        def unify(asked: ChatRequest) -> dict[str, Any]:
            number = line_with(words, asked) if words else NOWHERE
            return {"bindings": [{"subgoal": 1, "fact": number, "values": values}], "conflicts": [], "unresolved": []}

        unifier = Unifier(ChatReasoner(ScriptedChat({"unify": unify}), Budget()), source, "What?")
        return unifier.judge([parse_atom(atom)], candidates, request(atom)) or []

    return judge


@pytest.mark.parametrize("words", ["Joris bought a canoe", "My favorite color is green", None])
def test_a_wrong_number_is_put_right_where_one_fact_holds(
    judged: Callable[..., list[ChatJudgement]], words: str | None
) -> None:
    (found,) = judged("Joris bought (x:thing)", words, x="a canoe")
    assert found.values["x"].text == "canoe"
    assert "Joris bought a canoe" in found.candidate.text


@pytest.mark.parametrize(
    ("atom", "value"),
    [
        ("Emre bought (x:thing)", "a canoe"),  # said of Joris
        ("Petra bought (x:thing)", "a kayak"),  # only planned
        ("Joris bought (x:thing)", "a yacht"),  # said nowhere
        ("Emre visited (x:place)", "Malta"),  # Selin did; Petra asked
    ],
)
def test_a_wrong_number_is_not_put_right_by_a_fact_that_does_not_hold(
    judged: Callable[..., list[ChatJudgement]], atom: str, value: str
) -> None:
    assert not judged(atom, None, x=value)
    assert not judged(atom, "My favorite color is green", x=value)


def test_where_several_facts_hold_the_one_that_speaks_most_of_it_is_meant(
    judged: Callable[..., list[ChatJudgement]],
) -> None:
    (found,) = judged("Petra quit (x:workplace)", None, x="the bakery")
    assert "I quit the bakery" in found.candidate.text


@pytest.fixture
def read(source: Any, candidates: Sequence[TurnCandidate]) -> Callable[..., list[str]]:
    """The values that hold of a reply to the question as it stands."""

    def read_values(question: str, values: Sequence[str], words: str | None, type: str = "thing") -> list[str]:
        def reply(asked: ChatRequest) -> dict[str, Any]:
            return {"facts": [line_with(words, asked)] if words else [], "values": list(values)}

        unifier = Unifier(ChatReasoner(ScriptedChat({"read": reply}), Budget()), source, question)
        steps = ChatReading(unifier).steps(Variable("x", type), candidates)
        return [s.bindings[0].value.text if s.bindings else "no" if s.negated else "yes" for s in steps]

    return read_values


def test_an_answer_is_read_where_the_words_hold_it(read: Callable[..., list[str]]) -> None:
    assert read("What did Joris buy?", ["a canoe"], "Joris bought a canoe") == ["canoe"]
    assert read("What did Joris buy?", ["a canoe", "a yacht"], None) == ["canoe"]
    assert read("When did Joris buy a canoe?", ["last Saturday"], None, "time") == ["9 March 2024"]


@pytest.mark.parametrize(
    ("question", "value", "words"),
    [
        ("What did Joris buy?", "a yacht", "Joris bought a canoe"),
        ("What did Emre buy?", "a canoe", "Joris bought a canoe"),
        ("What did Petra buy?", "a kayak", "I plan to buy a kayak"),
        ("What did Joris buy?", "unknown", "Joris bought a canoe"),
        ("Did Joris buy a canoe?", "yes", None),
        ("Did Joris buy a canoe?", "no", "Joris bought a canoe"),
    ],
)
def test_an_answer_that_no_fact_bears_out_is_none(
    read: Callable[..., list[str]], question: str, value: str, words: str | None
) -> None:
    assert read(question, [value], words) == []


def test_yes_needs_a_fact_that_may_say_so(read: Callable[..., list[str]]) -> None:
    assert read("Did Joris buy a canoe?", ["Yes"], "Joris bought a canoe") == ["yes"]


def test_what_is_read_answers_the_question_as_it_stands() -> None:
    goal = goal_read("Who?", Variable("x", "person"), [])
    assert isinstance(goal, Goal)
    assert goal.answer == Variable("x", "person")


def test_a_guess_that_is_right_brings_its_turn_forward(source: Any) -> None:
    def places(*queries: str) -> dict[str, int]:
        ranking = QueryRanking(GoalRanking(source, "Which boats are there?", ()), queries)
        turns = source.store.turns(SPACE, [r.turn for r in ranking.ranked(40, None)])
        ordered = [turns[r.turn].text for r in ranking.ranked(40, None)]
        return {text: place for place, text in enumerate(ordered)}

    olives = next(text for text in places() if "I love olives" in text)
    guessed = places("I cook with olives.", "I love olives.")
    assert guessed[olives] < places()[olives]
    assert set(guessed) == set(places())


def test_the_rank_of_a_turn_does_not_depend_on_how_many_are_asked_for(source: Any) -> None:
    ranking = QueryRanking(GoalRanking(source, "What did Joris buy?", ()), ["He bought a boat."])
    assert ranking.ranked(3, None) == ranking.ranked(9, None)[:3]


def test_the_day_of_telling_dates_only_what_is_told(judged: Callable[..., list[ChatJudgement]]) -> None:
    assert judged("Petra lived in Utrecht on (t:time)", "I live in Utrecht", t="13 March 2024")
    assert not judged("Petra adopted a cat on (t:time)", "I live in Utrecht", t="13 March 2024")
