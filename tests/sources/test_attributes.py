"""What holds one value at a time: what changes it is proved, what only mentions a change is not, and what ended it is told."""

from __future__ import annotations

import pytest
from tests.cases import one_in

from goalmem import Memory

AT = "2025-03-04T18:30:00+00:00"


def told(*lines: str) -> Memory:
    """A memory in which somebody tells something."""
    memory = Memory(":memory:")
    memory.add([{"role": "user", "name": "Teller", "content": line} for line in lines], at=AT)
    return memory


@pytest.mark.parametrize(
    ("lines", "question", "answer"),
    one_in(2, [
        (("The toll is 40.", "The toll was raised to 45.", "It is now 48."), "What is the toll?", "48"),
        (("The price of the kite is 40 euros.", "The kite price went up to 48 euros."), "How much is the kite?", "48 euros"),
        (("The recital is on 12 May.", "They pushed the recital back to 19 May."), "When is the recital?", "19 May 2025"),
        (("The recital is on 12 May.", "They pushed the recital back to 19 May."), "When was the recital originally?", "12 May 2025"),
        (("The barge is called Juno.", "We renamed the barge to Flora."), "What is the barge called?", "Flora"),
        (("The audit was assigned to Omar.", "Nadia took over the audit from Omar."), "Who is responsible for the audit?", "Nadia"),
        (("The loader is at version 2.1.", "We bumped the loader to 2.3."), "What version is the loader?", "2.3"),
        (("The loader is at version 2.1.", "We bumped the loader to 2.3."), "What version was the loader before?", "2.1"),
        (("The audit is open.", "Omar closed the audit.", "Nadia reopened the audit."), "Is the audit closed?", "No"),
        (("The gate is green.", "Omar painted the gate orange."), "What colour is the gate?", "orange"),
        (("The toll was raised from 40 to 45.",), "What was the toll before?", "40"),
        (("The toll is 40.", "They raised the toll to 45.", "They cut the toll to 30."), "How often has the toll changed?", "2"),
    ]),
)  # fmt: skip
def test_what_was_changed_is_proved_from_the_changes(lines: tuple[str, ...], question: str, answer: str) -> None:
    with told(*lines) as memory:
        found = memory.ask(question)
        assert (found.text, found.status in ("proved", "disproved")) == (answer, True)
        assert memory.verify(found).ok


@pytest.mark.parametrize(
    "line",
    one_in(
        2,
        [
            "They might raise the toll to 50.",
            "They were going to raise the toll to 50.",
            "Omar refused to raise the toll to 50.",
            "Omar thinks that the toll was raised to 50.",
            "If Omar agrees, the toll will be raised to 50.",
            "They almost raised the toll to 50.",
            "The toll was not raised to 50.",
            "Was the toll raised to 50?",
            "The bridge toll was raised to 50.",
            "The fee was raised to 50.",
        ],
    ),
)
def test_what_only_mentions_a_change_changes_nothing(line: str) -> None:
    with told("The toll is 40.", "They raised the toll to 45.", line) as memory:
        found = memory.ask("What is the toll?")
        assert (found.text, found.status) == ("45", "proved")


@pytest.mark.parametrize("line", ["The toll was raised again.", "They changed the toll.", "The toll is no longer 40."])
def test_a_value_that_was_changed_to_nobody_says_what_is_not_told_as_it_was(line: str) -> None:
    with told("The toll is 40.", line) as memory:
        assert memory.ask("What is the toll?").status == "unknown"


def test_a_proof_is_refused_once_the_value_changes_and_with_another_value() -> None:
    with told("The toll is 40.", "They raised the toll to 45.") as memory:
        proofs = [memory.ask(q).proof for q in ("What is the toll?", "What was the toll before?")]
        assert all(proof is not None and memory.verify(proof).ok for proof in proofs)
        assert proofs[0] is not None
        forged = type(proofs[0]).from_json(proofs[0].to_json().replace('"45"', '"40"')).digested()
        assert not memory.verify(forged).ok
        later = [{"role": "user", "name": "Teller", "content": "They cut the toll to 30."}]
        memory.add(later, session="later", at="2025-03-05T09:00:00+00:00")
        assert not any(proof is not None and memory.verify(proof).ok for proof in proofs)


def test_what_is_told_of_later_holds_only_from_then_on() -> None:
    with told("The toll is 40.") as memory:
        memory.add(
            [{"role": "user", "name": "Teller", "content": "The toll was changed to 45 yesterday."}],
            session="later", at="2025-04-13T09:00:00+00:00",
        )  # fmt: skip
        assert memory.ask("What was the toll on 20 March 2025?").text == "40"
        found = memory.ask("When did the toll change?")
        assert (found.text, found.status) == ("12 April 2025", "proved")
