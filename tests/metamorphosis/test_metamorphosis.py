"""What a turn mentions without stating is not answered; what it states is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from goalmem import Memory
from goalmem.language import Analyzer
from tests.metamorphosis.instances import Instance, instances
from tests.metamorphosis.kinds import KINDS, STATING, Kind
from tests.metamorphosis.measure import Outcome, outcomes, rate, rates

SAMPLED = 2
"""Instances a kind, other ones for each of two kinds beside each other; `python -m tests.metamorphosis` asks all."""
EVERY = (3, pytest.param(1, marks=pytest.mark.thorough))
"""One in so many kinds of what is only mentioned is sampled."""
ALL, ANY = 0.05, 0.5
"""Most that may be answered as if stated: of all kinds together, and of any one (of two instances: not both)."""
STATED = 0.95


def sample(kinds: Sequence[Kind]) -> list[Instance]:
    """A few instances of every kind, spread over its wordings and words."""
    chosen = []
    for n, kind in enumerate(kinds):
        made = instances(kind)
        chosen += [made[(n * 3 + k * 7) % len(made)] for k in range(SAMPLED)]
    return chosen


@pytest.fixture(scope="module")
def memory(analyzer: Analyzer) -> Memory:
    return Memory(":memory:", analyzer=analyzer)


@pytest.fixture(scope="module", params=EVERY)
def mentioned(memory: Memory, request: pytest.FixtureRequest) -> list[Outcome]:
    return outcomes(memory, sample(KINDS[:: request.param]), f"mentioned-{request.param}-")


def wrong(found: Sequence[Outcome]) -> list[str]:
    return [f"{o.instance.turn} {o.instance.question} {o.text}" for o in found if o.said]


def test_there_are_at_least_forty_kinds_and_a_thousand_instances() -> None:
    assert len(KINDS) >= 40
    assert sum(len(instances(kind)) for kind in KINDS) >= 1000


def test_the_instances_are_always_the_same() -> None:
    assert [instances(kind) for kind in KINDS[:5]] == [instances(kind) for kind in KINDS[:5]]


def test_what_is_only_mentioned_is_not_answered(mentioned: list[Outcome]) -> None:
    assert rate(mentioned) <= ALL, wrong(mentioned)


def test_no_kind_is_taken_for_a_statement(mentioned: list[Outcome]) -> None:
    assert {kind: share for kind, share in rates(mentioned).items() if share > ANY} == {}


def test_what_is_stated_is_answered(memory: Memory) -> None:
    found = outcomes(memory, sample(STATING), "stated-")
    assert rate(found) >= STATED, [o.instance for o in found if not o.said]


@pytest.mark.parametrize(
    ("turn", "giver", "taker"),
    [
        ("I gave Leo a book.", "Ann", "Leo"),
        ("Leo gave me a book.", "Leo", "Ann"),
        ("I was given a book by Leo.", "Leo", "Ann"),
        ("Leo was given a book by Nora.", "Nora", "Leo"),
    ],
)
def test_who_gave_and_who_was_given_are_not_confused(memory: Memory, turn: str, giver: str, taker: str) -> None:
    space = f"{giver}-{taker}-{len(turn)}"
    memory.add([{"role": "user", "name": "Ann", "content": turn}], space=space)
    assert memory.ask(f"Who gave {taker} a book?", space=space).text == giver
    assert memory.ask(f"Who gave {giver} a book?", space=space).status == "unknown"


def test_where_somebody_used_to_live_is_where_they_lived(memory: Memory) -> None:
    memory.add([{"role": "user", "name": "Ann", "content": "I used to live in Oslo."}], space="former")
    assert memory.ask("Where does Ann live?", space="former").status == "unknown"
    assert memory.ask("Where did Ann live before?", space="former").text == "Oslo"
