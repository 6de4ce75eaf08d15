"""Rules draw on the one budget: a theory that explodes ends with an honest answer, the same one on every machine."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest

from goalmem import Memory
from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.errors import RuleError
from goalmem.logic.terms import Variable
from goalmem.proof.document import Node, Proof
from goalmem.rules import Clause, Literal, Reading, Theory
from goalmem.rules.record import goal_of
from goalmem.rules.source import RuleSource
from tests.rules.theories import X, said

AT = datetime(2024, 5, 1, tzinfo=UTC)
LEAST = 5_000
SLACK = 256
"""The solver looks at the budget every so many inferences."""


def lit(predicate: str, *terms: str | Variable) -> Literal:
    return Literal(predicate.removeprefix("not "), terms, predicate.startswith("not "))


def rule(head: Literal, *body: Literal) -> Clause:
    return Clause(head, body, f"{said(head)}{' if ' * bool(body)}{' and '.join(map(said, body))}.")


class Asked:
    """Reads every question as one statement."""

    name = "asked"

    def __init__(self, literal: Literal) -> None:
        self.literal = literal

    def read(self, _text: str) -> Reading:
        return Reading(())

    def read_statement(self, _text: str) -> Literal | None:
        return self.literal


def exploding(goal: Literal) -> Theory:
    """Twenty big things, and something that is ready where any six of them are: 64 million ways to try."""
    six = [lit("_ is big", Variable(name, "thing")) for name in "abcdef"]
    clauses = (
        *(rule(lit("_ is big", f"thing {n}")) for n in range(20)),
        rule(lit("_ is red", "Bob")),
        rule(lit("_ is ready", X), lit("_ is big", X), *six),
        rule(lit("_ is old", X), lit("_ is red", X)),
        rule(lit("_ is idle", X), lit("_ is big", X), lit("not _ is ready", X)),
    )
    return Theory(clauses, reader=Asked(goal))


def proved(goal: Literal, least: float = LEAST) -> tuple[Theory, Proof]:
    theory = exploding(goal)
    return theory, theory.prove(goal, "q", AT, Budget(inferences=least))


@pytest.mark.parametrize(
    "goal",
    [
        lit("_ is ready", "thing 1"),
        lit("not _ is ready", "thing 1"),
        lit("_ is ready", X),
        lit("not _ is ready", X),
        lit("_ is idle", "thing 1"),
        lit("not _ is idle", "thing 1"),
    ],
    ids=said,
)
def test_what_the_budget_does_not_reach_is_unknown_and_says_so(goal: Literal) -> None:
    theory, proof = proved(goal)
    assert proof.status == "unknown"
    assert {(m.stage, m.reason) for m in proof.missing} == {
        ("over-budget", "the budget of 5000 inferences was spent before this was found")
    }
    assert LEAST <= proof.spent["inferences"] < LEAST + SLACK
    assert theory.check(proof).ok


def test_the_same_work_is_done_every_time() -> None:
    goal = lit("_ is ready", "thing 1")
    assert proved(goal)[1].to_json() == proved(goal)[1].to_json()


@pytest.mark.parametrize(
    ("goal", "status"), [(lit("_ is old", "Bob"), "proved"), (lit("_ is old", "thing 1"), "disproved")], ids=str
)
def test_what_little_bears_on_is_answered_beside_it(goal: Literal, status: str) -> None:
    theory, proof = proved(goal)
    assert proof.status == status
    assert 0 < proof.spent["inferences"] < SLACK
    assert theory.check(proof).ok


def test_all_goals_of_a_question_draw_on_one_budget() -> None:
    goal, budget = lit("_ is old", "Bob"), Budget(inferences=LEAST)
    theory = exploding(goal)
    spent = []
    for _ in range(2):
        prove(goal_of("q", goal), [RuleSource(theory, alone=True)], budget)
        spent.append(budget.spent.inferences)
    assert spent[1] == 2 * spent[0] > 0


def test_a_solver_that_is_asked_directly_says_that_it_does_not_reach() -> None:
    goal = lit("_ is ready", "thing 1")
    with pytest.raises(RuleError, match="the budget of 5000 inferences was spent"):
        exploding(goal).decide(goal, Budget(inferences=LEAST))


def test_solutions_are_not_compared_each_with_each(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [
        f"{first}{second}" for first in ("Al", "Ber", "Cor", "Dor", "Ed") for second in ("an", "en", "in", "on", "win")
    ]
    memory.add_rules("Everyone who has a dog needs a leash. " + " ".join(f"{name} has a dog." for name in names))
    compared, same = Counter[str](), Node.__eq__

    def counted(node: Node, other: object) -> bool:
        compared["nodes"] += 1
        return same(node, other)

    monkeypatch.setattr(Node, "__eq__", counted)
    assert memory.ask("Who needs a leash?").text.count(",") == len(names) - 2
    assert compared["nodes"] < 3 * len(names)
