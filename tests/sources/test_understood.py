"""What was told of something is certain only where all that was told of it since is understood, and leaves it as it was."""

from __future__ import annotations

import pytest
from tests.cases import one_in

from goalmem import Memory

AT = "2025-03-04T18:30:00+00:00"
MOVED = [
    *(("The lantern is in the loft.", f"{line}", "Where is the lantern?") for line in (
        "Tomas pawned the lantern.", "Somebody ran away with the lantern.", "The lantern did not survive the storm.", "Tomas gave it to a friend.")),
    *(("Tomas owns the mill.", line, "Who owns the mill?") for line in (
        "The mill changed hands.", "Ownership of the mill passed to Irma.", "The mill is Irma's now.")),
    *(("Irma lives in Ghent.", line, "Where does Irma live?") for line in (
        "Irma fled the country.", "Irma was deported.", "Irma bought a house in Turin.", "Irma turned her back on Ghent.")),
    *(("The parrot is called Kiki.", line, "What is the parrot called?") for line in (
        "The parrot was given another name.", "The parrot is Rosa from now on.")),
    ("The canoe costs 400 euros.", "They raised it to 450.", "How much does the canoe cost?"),
    ("The regatta is on 3 August.", "Regatta's now the 10th of August.", "When is the regatta?"),
]  # fmt: skip
QUALIFIED = [
    ("In the game Tomas owns the mill.", "Who owns the mill?"),
    ("Tomas practically owns the mill.", "Who owns the mill?"),
    ("Irma lives in Ghent in my story.", "Where does Irma live?"),
    ("Irma adopted a dog in the simulation.", "Did Irma adopt a dog?"),
    ("The canoe costs 400 euros, give or take.", "How much does the canoe cost?"),
    ("The fair is on 3 August at the earliest.", "When is the fair?"),
]
UNCHANGED = [
    ("The lantern is in the loft.", "The lantern is old.", "Where is the lantern?", "loft"),
    ("The lantern is in the loft.", "Tomas likes the lantern.", "Where is the lantern?", "loft"),
    ("Tomas owns the mill.", "Irma works in the mill.", "Who owns the mill?", "Tomas"),
    ("Tomas owns the mill.", "It rained.", "Who owns the mill?", "Tomas"),
    ("Irma lives in Ghent.", "Irma visited Turin.", "Where does Irma live?", "Ghent"),
    ("Irma lives in Ghent.", "Irma bought a bicycle.", "Where does Irma live?", "Ghent"),
    ("The canoe costs 400 euros.", "The paddle costs 50 euros.", "How much does the canoe cost?", "400 euros"),
]
NOT_SAID = [
    ("Irma lives in Ghent.", "Where does Irma's brother live?"),
    ("The canoe costs 400 euros.", "How much did the canoe cost before?"),
]


def told(*lines: str) -> Memory:
    """A memory in which somebody tells something."""
    memory = Memory(":memory:")
    memory.add([{"role": "user", "name": "Teller", "content": line} for line in lines], at=AT)
    return memory


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("first", "second", "question"), one_in(2, MOVED))
def test_what_may_have_changed_is_not_proved(first: str, second: str, question: str) -> None:
    with told(first) as memory:
        before = memory.ask(question)
        memory.add([{"role": "user", "name": "Teller", "content": second}], at=AT)
        found = memory.ask(question)
        assert before.status == "proved"
        assert found.status != "proved" or found.text != before.text
        assert not found.known or memory.verify(found).ok


@pytest.mark.parametrize(("line", "question"), one_in(2, QUALIFIED))
def test_what_is_told_with_a_qualification_is_not_proved_without_it(line: str, question: str) -> None:
    with told(line) as memory:
        assert memory.ask(question).status not in ("proved", "disproved")


@pytest.mark.parametrize(("first", "second", "question", "answer"), one_in(2, UNCHANGED))
def test_what_was_told_since_of_other_matters_leaves_it_certain(
    first: str, second: str, question: str, answer: str
) -> None:
    with told(first, second) as memory:
        found = memory.ask(question)
        assert (found.status, found.text) == ("proved", answer)


@pytest.mark.parametrize(("line", "question"), NOT_SAID)
def test_what_nobody_said_is_not_known(line: str, question: str) -> None:
    with told(line) as memory:
        assert memory.ask(question).status == "unknown"
