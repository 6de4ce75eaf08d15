"""What holds over time: what begins holds until it is ended, moves with people, and is proved from the events that are cited."""

from __future__ import annotations

from datetime import datetime

import pytest
from tests.cases import one_in

from goalmem import Memory
from goalmem.sources.similarity import Similarity
from goalmem.sources.state.loader import StateLoader

AT = "2025-03-04T18:30:00+00:00"


def told(*lines: str) -> Memory:
    """A memory in which somebody tells a story."""
    memory = Memory(":memory:")
    memory.add([{"role": "user", "name": "Teller", "content": line} for line in lines], at=AT)
    return memory


@pytest.mark.parametrize(
    ("lines", "question", "answer", "cited"),
    [
        (("Nadia went to the attic.", "Nadia strolled to the cellar."), "Where is Nadia?", "cellar", 1),
        (("Nadia took the lamp.", "Nadia hurried to the cellar."), "Where is the lamp?", "cellar", 2),
        (("Omar went to the shed.", "Omar took the map.", "Omar left the map."), "Where is the map?", "shed", 2),
        (("Omar took the map.", "Omar handed Nadia the map.", "Nadia ran home."), "Where is the map?", "home", 2),
        (("The map was given to Nadia by Omar.",), "Who has the map?", "Nadia", 1),
        (("Mary and John went to the shed.", "Then they went to the attic."), "Where is John?", "attic", 1),
        (("Omar moved to Rome.", "Omar no longer lives in Rome.", "He lives in Milan."), "Where did Omar live before Milan?", "Rome", 2),
    ],
)  # fmt: skip
def test_what_holds_is_proved_from_the_events_it_rests_on(
    lines: tuple[str, ...], question: str, answer: str, cited: int
) -> None:
    with told(*lines) as memory:
        found = memory.ask(question)
        assert (found.text, found.status) == (answer, "proved")
        assert found.proof is not None
        assert len(found.proof.evidence()) == cited
        assert memory.verify(found.proof).ok


@pytest.mark.parametrize(
    "line",
    one_in(
        2,
        [
            "Omar planned to go to the shed.",
            "Omar might go to the shed.",
            "Omar wanted to go to the shed.",
            "If Omar goes to the shed, he will be late.",
            "They say that Omar went to the shed.",
            "Omar is either in the shed or the attic.",
            "Omar refused to go to the shed.",
            "Omar nearly went to the shed.",
        ],
    ),
)
def test_what_is_not_stated_moves_nobody(line: str) -> None:
    with told(line) as memory:
        assert memory.ask("Where is Omar?").status not in ("proved", "disproved")
        assert memory.ask("Is Omar in the shed?").status not in ("proved", "disproved")


def test_a_proof_is_refused_once_a_later_event_ends_what_it_says() -> None:
    with told("Nadia took the lamp.", "Nadia went to the cellar.") as memory:
        proofs = [memory.ask(q).proof for q in ("Where is the lamp?", "Who has the lamp?", "Is Nadia in the cellar?")]
        assert all(proof is not None and memory.verify(proof).ok for proof in proofs)
        memory.add(
            [{"role": "user", "name": "Teller", "content": t} for t in ("Nadia gave the lamp to Omar.", "Nadia went out to the yard.", "Omar went to the attic.")],
            session="later", at="2025-03-05T09:00:00+00:00",
        )  # fmt: skip
        assert not any(proof is not None and memory.verify(proof).ok for proof in proofs)


def test_a_proof_with_another_value_or_without_one_of_its_events_is_refused() -> None:
    with told("Nadia went to the attic.", "Nadia took the lamp.", "Nadia went to the cellar.") as memory:
        proof = memory.ask("Where is the lamp?").proof
        assert proof is not None
        text = proof.to_json()
        forged = type(proof).from_json(text.replace("cellar", "attic")).digested()
        assert not memory.verify(forged).ok
        assert proof.root is not None
        step = proof.root.children[0].children[0]
        fewer = step.model_copy(update={"evidence": step.evidence[:1]})
        solution = proof.root.children[0].model_copy(update={"children": (fewer,)})
        root = proof.root.model_copy(update={"children": (solution,)})
        assert not memory.verify(proof.model_copy(update={"root": root}).digested()).ok


def test_what_is_left_open_last_is_not_answered_with_what_was_before() -> None:
    with told("Omar went to the shed.", "Omar is no longer in the shed.") as memory:
        assert memory.ask("Where is Omar?").status == "unknown"
        found = memory.ask("Is Omar in the shed?")
        assert (found.text, found.status) == ("No", "disproved")


def test_what_somebody_carries_is_listed_and_counted() -> None:
    with told("Omar took the map.", "Omar grabbed the lamp.", "Omar dropped the map.") as memory:
        assert memory.ask("What is Omar carrying?").text == "lamp"
        assert memory.ask("How many objects is Omar carrying?").text == "1"
    with told("Omar took the map.", "Omar dropped the map.") as memory:
        assert memory.ask("What is Omar carrying?").text == "nothing"
        assert memory.ask("How many objects is Omar carrying?").text == "none"


@pytest.mark.parametrize("thing", one_in(2, ["ring", "lamp", "call button", "drink"]))
def test_what_a_pronoun_hands_over_is_had_no_longer(thing: str) -> None:
    with told(f"Amina collected the {thing}.", "She gave it to Noor.", "Noor went to the park.") as memory:
        assert memory.ask(f"Who has the {thing}?").text == "Noor"
        assert memory.ask(f"Where is the {thing}?").text == "park"


def test_things_that_are_named_in_the_plural_move_with_who_took_them() -> None:
    with told("The keys are in the drawer.", "Ann took the keys.", "Ann went to the garage.") as memory:
        assert memory.ask("Where are the keys?").text == "garage"
        assert memory.ask("Who has the keys?").text == "Ann"


def test_a_picture_that_was_taken_is_carried_by_nobody() -> None:
    with told("Leo took a photo.", "Leo took the lamp.") as memory:
        assert memory.ask("What is Leo carrying?").text == "lamp"


@pytest.mark.parametrize(
    "line",
    one_in(2, ["Omar scurried off towards the bank.", "Omar headed for the station.", "Omar was whisked off to Lyon.", "Omar is away.", "Omar vanished.", "Omar skedaddled out of there."]),
)  # fmt: skip
def test_a_move_that_tells_no_place_ends_what_was_known(line: str) -> None:
    with told("Omar went to the shed.", line) as memory:
        assert memory.ask("Where is Omar?").status == "unknown"


@pytest.mark.parametrize(
    "line",
    one_in(2, ["Omar kicked the lamp over the wall.", "Nadia swapped the lamp for a rope.", "Omar wiped the lamp.", "The lamp went missing."]),
)  # fmt: skip
def test_what_no_list_of_verbs_interprets_proves_no_holder(line: str) -> None:
    with told("Omar took the lamp.", "Omar went to the shed.", line) as memory:
        assert memory.ask("Who has the lamp?").status in ("likely", "unknown")
        assert memory.ask("Where is the lamp?").status in ("likely", "unknown")


def test_what_touches_nothing_leaves_it_proved() -> None:
    with told("Omar took the lamp.", "Omar went to the shed.", "Omar met Nadia.", "Omar cooked dinner.") as memory:
        assert memory.ask("Who has the lamp?").status == "proved"
        assert memory.ask("Where is Omar?").status == "proved"


def test_events_cost_a_bounded_number_of_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many verbs there are, an entity is read by one query, and the turns around its own by one a session."""
    lines = [f"Omar went to the {place}." for place in ("shed", "attic", "cellar") * 20]
    with told(*lines) as memory:
        store, calls = memory._parts.store, list[str]()
        loader = StateLoader(store, "default", Similarity({}, lambda a, b: 0.0), datetime(2026, 1, 1))
        for name in ("facts", "turns", "session_turns", "phrase"):
            whole = getattr(store, name)
            monkeypatch.setattr(store, name, lambda *a, _n=name, _w=whole, **k: (calls.append(_n), _w(*a, **k))[1])
        assert len(loader.events(["omar"])) == 60
        assert len(calls) <= 6
