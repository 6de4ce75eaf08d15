"""Turns ranked by goals: what a first subgoal may stand for is searched for in the later ones."""

from __future__ import annotations

from typing import Any

import pytest

from goalmem import Memory
from goalmem.language import Analyzer
from goalmem.logic.terms import Aggregate, Atom, Goal, Variable
from goalmem.retrieve.search import RankedTurn, Searcher
from goalmem.sources.ranking import joins, question_of

PERSON, PLACE = Variable("p", "person"), Variable("x", "place")
BAKES, LIVES = Atom((PERSON, " bakes for Leo")), Atom((PERSON, " lives in ", PLACE))
QUESTION = "Where does the woman who bakes for Leo live?"


def test_only_a_subgoal_with_one_open_variable_comes_first():
    goal = Goal("", (LIVES, BAKES), PLACE, Aggregate.ONE)
    assert [(first, later) for _, first, later in joins([goal])] == [(BAKES, LIVES)]
    assert [*joins([Goal("", (BAKES,), PERSON, Aggregate.ONE)])] == []


@pytest.mark.parametrize(
    ("atom", "question"),
    [(BAKES, "Who bakes for Leo?"), (Atom(("Leo has ", Variable("x", "sister"))), "Leo has which sister?")],
)
def test_a_subgoal_is_read_for_as_a_question(atom: Atom, question: str):
    assert question_of(atom) == question


@pytest.fixture
def bakers(analyzer: Analyzer):
    with Memory(analyzer=analyzer) as memory:
        said = ["Ines bakes for Leo every week.", "Ines has a flat by the harbour of Tarnholm.", "It rained in Oslo."]
        memory.add([{"role": "user", "name": "Ada", "content": text} for text in said], at="2024-05-01")
        yield memory


def searched(memory: Memory, monkeypatch: pytest.MonkeyPatch, *, goals: bool) -> list[str]:
    """What is searched for to recall the turns of the question."""
    texts: list[str] = []
    rank = Searcher.rank

    def watched(searcher: Searcher, text: str, **options: Any) -> list[RankedTurn]:
        texts.append(text)
        return rank(searcher, text, **options)

    monkeypatch.setattr(Searcher, "rank", watched)
    memory.recall(QUESTION, goals=goals)
    return texts


def test_a_later_subgoal_is_searched_for_with_what_the_first_one_stands_for(
    bakers: Memory, monkeypatch: pytest.MonkeyPatch
):
    assert "Ines lives in place" in searched(bakers, monkeypatch, goals=True)


def test_without_goals_only_the_question_is_searched_for_and_the_same_reader_ranks(
    bakers: Memory, monkeypatch: pytest.MonkeyPatch
):
    assert searched(bakers, monkeypatch, goals=False) == [QUESTION]
    found = bakers.recall(QUESTION, goals=False)
    assert any("reading" in hit.signals for hit in found)
    assert not any("subgoals" in hit.signals for hit in found)
