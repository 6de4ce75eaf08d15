"""What a search may cost: work is counted, seconds only cut short, and both are said."""

from __future__ import annotations

import pytest
from tests.engine.test_build import ASKED

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.logic.terms import Aggregate
from goalmem.proof.build import build_proof


def ticking(step=1.0):
    now = iter(range(10_000))
    return lambda: next(now) * step


def crowd(toy):
    people = [f"P{i}" for i in range(8)]
    return toy.Facts([(f"Maya knows {p}", 0.9) for p in people] + [(f"{p} knows {p}x", 0.9) for p in people])


def far(toy, **more):
    return toy.goal("Maya knows (x:person)", "(x:person) knows (y:person)", "(y:person) knows (z:person)", **more)


def proof_of(goal, source, budget, **more):
    outcome = prove(goal, [source], budget, **more)
    return outcome, build_proof(outcome, goal, question=goal.question, space="s", asked_at=ASKED)


def test_an_outcome_that_met_the_time_limit_says_so(toy):
    outcome, proof = proof_of(far(toy, answer="z"), crowd(toy), Budget(seconds=9), clock=ticking())
    assert (outcome.status, outcome.cut_short, outcome.exhausted) == ("unknown", True, True)
    assert proof.spent["cut_short"] == 1
    assert proof.missing[0].stage == "over-budget"
    assert proof.missing[0].reason == "cut short: the limit of 9 seconds was met before this was found"


def test_work_that_is_spent_is_not_cut_short(toy):
    outcome, proof = proof_of(far(toy, answer="z"), crowd(toy), Budget(steps=3))
    assert (outcome.cut_short, outcome.exhausted) == (False, True)
    assert "cut_short" not in proof.spent
    assert proof.missing[0].reason == "the budget of 3 steps was spent before this was found"


def test_a_slow_clock_changes_nothing_within_the_limit(toy):
    runs = [proof_of(far(toy, answer="z"), crowd(toy), Budget(), clock=ticking(s))[1] for s in (0.0, 0.1)]
    assert runs[0].to_json() == runs[1].to_json()


@pytest.mark.parametrize("kind", ["passages", "judgements"])
def test_sources_draw_on_the_budget_of_the_search(toy, kind):
    facts = crowd(toy)
    found = facts.steps

    def reading(request):
        if not request.budget.allows(**{kind: 5}):
            return []
        request.budget.spend(**{kind: 5})
        return found(request)

    facts.steps = reading
    goal = toy.goal("Maya knows (x:person)", "(x:person) knows (y:person)", answer="y", aggregate=Aggregate.COUNT)
    outcome, proof = proof_of(goal, facts, Budget())
    assert (proof.answer, proof.spent[kind]) == ("8", 45)
    outcome, proof = proof_of(goal, facts, Budget(**{kind: 20}))
    assert (outcome.exhausted, proof.status, proof.spent[kind]) == (True, "unknown", 20)
    one = toy.goal("Maya knows (x:person)", answer="x")
    assert proof_of(one, facts, Budget(**{kind: 4}))[1].missing[0].stage == "over-budget"


def test_a_search_inside_a_source_is_part_of_the_search(toy):
    facts = crowd(toy)
    found = facts.steps
    facts.steps = lambda request: request.budget.spend(steps=50) or found(request)
    outcome, _ = proof_of(far(toy, answer="z"), facts, Budget(steps=120))
    assert outcome.exhausted
    assert outcome.spent.steps == 153
