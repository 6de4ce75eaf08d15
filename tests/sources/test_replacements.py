"""What a later statement replaced or called off: it stays in the history, and proves nothing more."""

from collections import Counter

import pytest
from tests.sources.conftest import DATES, SPACE, messages

from goalmem.store.sqlite import SqliteStore

FRIENDS = ("Ines", "Bo", "Tomas", "Ada", "Lars", "Petra", "Emre", "Lucia", "Ivo", "Nadia", "Otto", "Mara")


def replaced(entries):
    """Statement -> the statement that holds instead, or None."""
    texts = {e.fact.id: e.fact.statement for e in entries}
    return {e.fact.statement: texts.get(e.superseded_by) if e.superseded_by else None for e in entries}


@pytest.mark.parametrize(
    ("about", "older", "newer"),
    [
        ("Petra", "Utrecht", "Leiden"),
        ("Emre's favorite color", "green", "blue"),
        ("Petra", "job at a bakery", "museum"),
    ],
)
def test_the_older_statement_is_kept_and_names_the_newer(remembered, about, older, newer):
    memory, _ = remembered
    held = replaced(memory.history(about, space=SPACE))
    before = {s: n for s, n in held.items() if older in s and n is not None}
    assert before, held
    assert all(newer in str(n) for n in before.values())


def test_statements_come_in_the_order_said(remembered):
    memory, _ = remembered
    said = [e.fact.said for e in memory.history("Petra", space=SPACE)]
    assert said == sorted(said)
    assert {d.date() for d in said} == {d.date() for d in DATES.values()}


def test_a_fact_brings_the_others_about_the_same_thing(remembered):
    memory, store = remembered
    fact = next(f for f in store.facts(SPACE, slot="favorite color") if "green" in f.statement)
    assert {"green", "blue"} <= {e.fact.object for e in memory.history(fact.id, space=SPACE)}


def test_words_find_the_statements_that_hold_them(remembered):
    memory, _ = remembered
    assert any("canoe" in e.fact.statement for e in memory.history("the canoe", space=SPACE))


def test_of_what_was_never_spoken_of_there_is_no_history(remembered):
    memory, _ = remembered
    assert memory.history("Wenceslas", space=SPACE) == []


def test_nothing_said_before_replaces_what_was_said_later(remembered):
    memory, store = remembered
    said = {f.id: f.said for f in store.facts(SPACE)}
    for name in ("Petra", "Emre", "Joris"):
        for entry in memory.history(name, space=SPACE):
            assert entry.superseded_by is None or said[entry.superseded_by] > entry.fact.said


def test_once_the_newer_statement_is_forgotten_the_older_holds_again(open_memory, embedder):
    memory = open_memory(embedder=embedder)
    for session, color in (("one", "green"), ("two", "blue")):
        at = DATES["spring"] if session == "one" else DATES["summer"]
        memory.add(messages([("Emre", f"My favorite color is {color}.")]), session=session, at=at)
    assert memory.ask("What is Emre's favorite color?").text == "blue"
    memory.forget(session="two")
    assert memory.ask("What is Emre's favorite color?").text == "green"
    assert all(e.superseded_by is None for e in memory.history("Emre"))


def test_a_date_is_proved_until_the_event_is_called_off(module_memory):
    memory = module_memory()
    arranged = ["The gala was scheduled for 5 May.", "The rehearsal is planned for 3 May."]
    memory.add([{"role": "user", "name": "Ana", "content": text} for text in arranged], at="2024-04-16T21:10:00")
    old = memory.ask("When is the gala?")
    assert (old.text, old.status) == ("5 May 2024", "proved")
    said = [{"role": "user", "name": "Ben", "content": "They called off the gala."}]
    memory.add(said, at="2024-04-18T21:10:00")
    checked = memory.verify(old.proof)
    assert not checked.ok
    assert checked.superseded
    assert any("called off the gala" in failure.detail for failure in checked.failures)
    assert memory.ask("When is the gala?").status != "proved"
    assert memory.ask("When is the rehearsal?").text == "3 May 2024"


def test_a_plan_that_is_cancelled_in_the_same_breath_gives_no_duration(module_memory):
    memory = module_memory()
    told = ["The concert was planned for 5 April but we cancelled it.", "I moved to Oslo on 1 April."]
    memory.add([{"role": "user", "name": "Ana", "content": text} for text in told], at="2024-04-16T21:10:00")
    assert memory.ask("How many days passed between the concert and when Ana moved?").status == "unknown"


def test_what_was_said_is_read_once_a_question_however_much_is_compared(memory, monkeypatch):
    friends = [f"My friend {name} lives in {place}." for name in FRIENDS for place in ("Ghent", "Leiden", "Lund")]
    memory.add([{"role": "user", "name": "Ann", "content": text} for text in friends], at="2024-01-01")
    read, turns = Counter(), SqliteStore.turns

    def counted(store, space, ids):
        ids = list(ids)
        read.update(ids)
        return turns(store, space, ids)

    monkeypatch.setattr(SqliteStore, "turns", counted)
    memory.ask("Who likes tea?")
    assert read.total() < 5 * len(friends)
