"""What remembered facts offer a goal: steps from what is asserted and still holds, and near misses from the rest."""

import hashlib

import pytest
from tests.sources.conftest import SPACE, request

from goalmem.logic.terms import Aggregate, Derivation


def values(source, atom, name):
    return [b.value.text for step in source.steps(request(atom)) for b in step.bindings if b.variable.name == name]


@pytest.mark.parametrize(
    ("atom", "expected"),
    [
        ("Joris bought (x:thing)", "canoe"),
        ("(x:person) bought a canoe", "Joris"),
        ("(x:person) is Petra's brother", "Joris"),
        ("Petra's brother bought (x:thing)", "canoe"),
        ("Selin visited (x:place)", "Malta"),
        ("Petra moved to (x:place)", "Leiden"),
    ],
)
def test_a_fact_binds_what_stands_in_its_place(source, atom, expected):
    assert values(source, atom, "x")[0] == expected


def test_a_step_quotes_the_turn_it_rests_on(source, remembered):
    memory, _ = remembered
    step = source.steps(request("Joris bought (x:thing)"))[0]
    (evidence,) = step.evidence
    content = memory.turn(evidence.turn, space=SPACE).content
    assert content[evidence.start : evidence.end] == evidence.quote
    assert evidence.sha256 == hashlib.sha256(content.encode()).hexdigest()
    assert "canoe" in evidence.quote
    assert (evidence.speaker, evidence.session) == ("Petra", "spring")
    assert 0 < step.score <= 1


def test_steps_come_best_first_and_no_more_than_asked_for(source):
    steps = source.steps(request("(x:person) bought (y:thing)"))
    assert [s.score for s in steps] == sorted((s.score for s in steps), reverse=True)
    assert len(source.steps(request("Petra did (x:activity)", limit=2))) == 2


@pytest.mark.parametrize(
    "atom",
    [
        "Emre bought (x:thing)",
        "Petra bought a kayak",
        "Petra grew (x:thing)",
        "Petra has a garden",
        "Petra visited (x:place)",
    ],
)
def test_what_was_only_supposed_planned_or_asked_proves_nothing(source, atom):
    assert [s for s in source.steps(request(atom)) if not s.negated] == []


def test_a_plan_proves_that_it_is_planned(source):
    assert source.steps(request("Petra plans to buy a kayak"))
    assert source.steps(request("Petra will buy a kayak"))


def test_a_denial_says_the_opposite(source):
    steps = source.steps(request("Emre visited Malta"))
    assert steps
    assert all(s.negated for s in steps)


def test_a_time_is_the_one_said_or_the_day_of_saying(source):
    dated = next(b for b in source.steps(request("Joris bought a canoe on (t:time)"))[0].bindings)
    assert (dated.value.text, dated.derivation, dated.span) == ("9 March 2024", Derivation.TIME, "last Saturday")
    undated = next(b for b in source.steps(request("Petra started a new job on (t:time)"))[0].bindings)
    assert (undated.value.text, undated.derivation) == ("13 March 2024", Derivation.SAID)


# -- what holds now ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("atom", "now", "before"),
    [
        ("Petra lives in (x:place)", "", "Utrecht"),
        ("Emre's favorite color is (x:color)", "blue", "green"),
    ],
)
def test_the_later_statement_about_one_thing_holds(source, atom, now, before):
    found = values(source, atom, "x")
    assert before not in found
    assert not now or now in found


def test_what_was_replaced_still_answers_when_it_was(source):
    assert "Utrecht" in values(source, "Petra lives in (x:place) on (t:time)", "x")


def test_an_earliest_looks_back(source):
    from dataclasses import replace

    asked = request("Emre's favorite color is (x:color)")
    looking_back = replace(asked, goal=replace(asked.goal, aggregate=Aggregate.EARLIEST))
    found = [b.value.text for step in source.steps(looking_back) for b in step.bindings]
    assert {"green", "blue"} <= set(found)


# -- near misses ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("atom", "stage", "nearest"),
    [
        ("Emre bought a motorbike", "not-asserted", "might buy a motorbike"),
        ("Petra bought a kayak", "not-asserted", "kayak"),
        ("Petra grew tomatoes", "not-asserted", "tomatoes"),
        ("Petra lives in Utrecht", "superseded", "live in Utrecht"),
        ("Emre's favorite color is green", "superseded", "green"),
        ("Joris bought a piano", "not-unified", "canoe"),
        ("Selin visited Iceland", "not-unified", "Malta"),
    ],
)
def test_a_near_miss_says_at_which_stage_it_failed(source, atom, stage, nearest):
    miss = source.near_misses(request(atom))[0]
    assert miss.stage == stage
    assert miss.reason
    assert nearest in miss.evidence.quote
    assert 0 < miss.score < 1


def test_of_what_nobody_spoke_of_it_is_said_that_it_was_never_said(source):
    (miss,) = source.near_misses(request("Wenceslas studied astronomy"))
    assert (miss.stage, miss.evidence, miss.score) == ("never-said", None, 0.0)


def test_near_misses_come_nearest_first(source):
    scores = [m.score for m in source.near_misses(request("Petra lives in Utrecht"))]
    assert scores == sorted(scores, reverse=True)


def test_memory_is_open(source):
    assert not source.closed
