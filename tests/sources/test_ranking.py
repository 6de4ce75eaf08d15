"""Turns ranked by goals: what a first subgoal may stand for is searched for in the later ones."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.extract import Analyzer
from goalmem.logic.terms import Aggregate, Atom, Goal, Variable
from goalmem.sources.ranking import joins, question_of

PERSON, PLACE = Variable("p", "person"), Variable("x", "place")
BAKES, LIVES = Atom((PERSON, " bakes for Leo")), Atom((PERSON, " lives in ", PLACE))
TOWNS = ("Oslo", "Lyon", "Graz", "Kyiv", "Turin", "Bonn", "Riga", "Nantes", "Leeds", "Porto", "Basel", "Minsk")
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
def towns(analyzer: Analyzer):
    with Memory(analyzer=analyzer) as memory:
        said = [f"I met a woman in {town} who lives there with her brother." for town in TOWNS]
        said = [*said, "Ines bakes for Leo every week.", *said[:3], "Ines has a flat by the harbour of Tarnholm."]
        for n, text in enumerate(said):
            memory.add({"role": "user", "name": "Ada", "content": text}, session=f"s{n}", at=f"2024-05-{n + 1:02}")
        yield memory


def place_of(memory: Memory, words: str, *, goals: bool) -> int:
    found = [hit.turn.text for hit in memory.recall(QUESTION, k=20, goals=goals)]
    return next((n for n, text in enumerate(found) if words in text), len(found))


def test_a_later_subgoal_is_searched_for_with_what_the_first_one_stands_for(towns: Memory):
    assert place_of(towns, "Tarnholm", goals=True) < place_of(towns, "Tarnholm", goals=False)


def test_without_goals_the_same_reader_ranks(towns: Memory):
    found = towns.recall(QUESTION, k=5, goals=False)
    assert any("reading" in hit.signals for hit in found)
    assert not any("bindings" in hit.signals for hit in found)
