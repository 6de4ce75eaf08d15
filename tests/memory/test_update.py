"""A turn that is changed says what it says now, to everything that reads, and what it said before is kept beside it."""

from __future__ import annotations

import random
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.errors import BackendError, ConflictError, InputError, NotFoundError, StoreFullError
from goalmem.language import Analyzer
from goalmem.maintenance.check import check
from goalmem.settings import Settings
from tests.cases import one_in

MOVED = [
    {"role": "user", "name": "Maya", "content": "Ida moved to Oslo."},
    {"role": "user", "name": "Maya", "content": "She works at a bakery."},
    {"role": "user", "name": "Maya", "content": "I adopted a beagle.", "tags": ["pets"], "metadata": {"n": 1}},
]


@pytest.fixture
def memory(analyzer: Analyzer) -> Memory:
    return Memory(analyzer=analyzer)


@pytest.mark.parametrize(
    ("said", "changed", "question", "old", "new"),
    one_in(2, [
        ("I adopted a beagle.", "I adopted a parrot.", "What did Maya adopt?", "beagle", "parrot"),
        ("My brother lives in Ghent.", "My brother lives in Turin.", "Where does Maya's brother live?", "Ghent", "Turin"),
        ("Tom bought a canoe.", "Tom bought a lathe.", "What did Tom buy?", "canoe", "lathe"),
        ("Ana works at Nordlys.", "Ana works at Fjordkraft.", "Where does Ana work?", "Nordlys", "Fjordkraft"),
        ("Leo is in the kitchen.", "Leo is in the cellar.", "Where is Leo?", "kitchen", "cellar"),
    ]),
)  # fmt: skip
def test_the_new_words_answer_and_the_old_ones_no_more(
    memory: Memory, said: str, changed: str, question: str, old: str, new: str
) -> None:
    (turn,) = memory.add({"role": "user", "name": "Maya", "content": said}).turns
    before = memory.ask(question)
    assert old in before.text
    kept = memory.turn(turn)
    after = memory.update(turn, text=changed)
    assert (after.id, after.position, after.at, after.text) == (turn, kept.position, kept.at, changed)
    answer = memory.ask(question)
    assert new in answer.text
    assert old not in answer.text
    assert memory.verify(answer).ok
    verification = memory.verify(before)
    assert not verification.ok
    assert any(f"turn {turn} was changed on" in c.detail for c in verification.failures)
    assert old not in memory.context(question).text
    assert [h.turn.text for h in memory.search(old)] == [changed]
    assert memory.check() == []


@pytest.mark.parametrize(
    "changed", one_in(2, ["Ida nearly moved to Oslo.", "If Ida moved to Oslo, I would visit.", "Ida refused to move to Oslo.", "Did Ida move?"])
)  # fmt: skip
def test_what_is_taken_back_is_proved_no_more(memory: Memory, changed: str) -> None:
    turn = memory.add(MOVED).turns[0]
    assert memory.ask("Where does Ida live?").text == "Oslo"
    memory.update(turn, text=changed)
    assert not memory.ask("Where does Ida live?").known


def test_what_stood_for_the_old_words_stands_for_the_new(memory: Memory) -> None:
    turn = memory.add(MOVED).turns[0]
    assert "bakery" in memory.ask("Where does Ida work?").text
    memory.update(turn, text="Lena moved to Bergen.")
    assert not memory.ask("Where does Ida work?").known
    answer = memory.ask("Where does Lena work?")
    assert "bakery" in answer.text
    assert memory.verify(answer).ok


TELLINGS = [
    "Ida moved to Oslo.", "She loves it there.", "My sister Bea bought a canoe.", "Does Tom still paint?", "Yes, he does.",
    "He sold it to Ana.", "I call my bike Rocket.", "Rocket is broken.", "We went to Porto last May.", "They don't eat fish.",
    "Tom: I'll have the soup.", "Bea gave me her key.", "No, in 2020.", "Me too.", "It was cold.",
]  # fmt: skip


@pytest.mark.parametrize("seed", one_in(2, range(8)))
def test_a_changed_memory_knows_what_one_knows_that_was_told_so_at_once(seed: int, analyzer: Analyzer) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    texts = chance.sample(TELLINGS, 6)
    names = [chance.choice(["Maya", "Noor"]) for _ in texts]

    def told(of: list[str]) -> list[dict[str, str]]:
        return [{"role": "user", "name": name, "content": text} for name, text in zip(names, of, strict=True)]

    with Memory(analyzer=analyzer) as changed, Memory(analyzer=analyzer) as fresh:
        turns = changed.add(told(texts), at="2024-05-08").turns
        for place in chance.sample(range(6), 3):
            texts[place] = chance.choice(TELLINGS)
            changed.update(turns[place], text=texts[place])
        places = dict(zip(turns, fresh.add(told(texts), at="2024-05-08").turns, strict=True))

        def known(memory: Memory) -> list[object]:
            of = {turn: place for place, turn in enumerate(places if memory is changed else places.values())}
            store = memory._parts.store
            facts = [
                (of[f.turn], f.statement, f.args, f.predicate, f.polarity, f.modality) for f in store.facts("default")
            ]
            return [facts, store.entities("default"), store.aliases("default"), memory.stats().facts]

        assert known(changed) == known(fresh)
        assert check(changed._parts.store, changed._parts.embedder, analyzer=analyzer).sound


def test_what_is_noted_changes_alone_and_may_stay_for_ever(memory: Memory) -> None:
    turn = memory.add(MOVED).turns[2]
    facts = memory._parts.store.facts("default")
    assert memory.update(turn, metadata={"n": 2, "who": "Maya"}).metadata == {"n": 2, "who": "Maya", "tags": ["pets"]}
    assert memory.ask("What did Maya adopt?", where={"n": 2}).text == "beagle"
    assert not memory.ask("What did Maya adopt?", where={"n": 1}).known
    assert memory.update(turn, tags=["dogs"]).metadata["tags"] == ["dogs"]
    assert memory.update(turn, tags=[]).metadata == {"n": 2, "who": "Maya"}
    assert memory.update(turn, metadata={}).metadata == {}
    soon = datetime.now(UTC) + timedelta(days=2)
    assert memory.update(turn, expires_at=soon).expires_at == soon
    assert memory.update(turn, text="I adopted a cat.").expires_at == soon
    assert memory.update(turn, expires_at="never").expires_at is None
    assert memory.update(turn, ttl=timedelta(days=1)).expires_at is not None
    assert memory._parts.store.facts("default") != facts
    assert [v.text for v in memory.versions(turn)] == [MOVED[2]["content"]] * 6 + ["I adopted a cat."] * 3
    assert [v.until is None for v in memory.versions(turn)] == [False] * 8 + [True]


def test_the_same_again_changes_nothing(memory: Memory) -> None:
    turn = memory.add(MOVED).turns[0]
    after = memory.update(turn, text="Ida moved to Rome.", metadata={"a": 1})
    state = memory._parts.store.version("default")
    assert memory.update(turn, text="Ida moved to Rome.", metadata={"a": 1}) == after
    assert memory._parts.store.version("default") == state
    assert len(memory.versions(turn)) == 2


def test_a_changed_message_is_known_by_what_it_says_and_by_what_it_said(memory: Memory) -> None:
    said = [{**MOVED[0], "id": "m1"}, {"role": "user", "name": "Maya", "content": "I live in Oslo."}]
    first, second = memory.add(said).turns
    memory.update(first, text="Ida moved to Rome.", metadata={"a": 1})
    memory.update(second, text="I live in Rome.")
    assert memory.add(said).new == 0
    changed = [
        {**said[0], "content": "Ida moved to Rome.", "metadata": {"a": 1}},
        {**said[1], "content": "I live in Rome."},
    ]
    assert memory.add(changed).turns == (first, second)
    with pytest.raises(ConflictError):
        memory.add({**said[0], "content": "Ida moved to Lima."})


def test_what_it_was_survives_export_and_import(memory: Memory, analyzer: Analyzer, tmp_path: Path) -> None:
    turns = memory.add(MOVED).turns
    memory.update(turns[0], text="Ida moved to Rome.", metadata={"a": 1}, ttl=86_400)
    memory.update(turns[0], text="Ida moved to Lima.")
    memory.export(tmp_path / "all.jsonl")
    with Memory(analyzer=analyzer) as other:
        assert other.import_(tmp_path / "all.jsonl") == 3
        assert other.get_all().items == memory.get_all().items
        assert other.versions(turns[0]) == memory.versions(turns[0])
        assert other.import_(tmp_path / "all.jsonl") == 0
        assert other.add(MOVED).new == 0
        other.export(tmp_path / "again.jsonl")
        assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "all.jsonl").read_text()
        assert check(other._parts.store, other._parts.embedder, analyzer=analyzer).sound


def test_an_export_whose_versions_are_damaged_is_refused(memory: Memory, analyzer: Analyzer, tmp_path: Path) -> None:
    memory.update(memory.add(MOVED).turns[0], text="Ida moved to Rome.")
    memory.export(tmp_path / "all.jsonl")
    written = (tmp_path / "all.jsonl").read_text()
    for damage in (
        '"versions": [1]',
        '"versions": [{"text": "x"}]',
        '"versions": [{"text": "x", "hash": "y", "until": "z"}]',
    ):
        (tmp_path / "bad.jsonl").write_text(damage.join(re.split(r'"versions": \[.*?\]', written)))
        with Memory(analyzer=analyzer) as other, pytest.raises(InputError):
            other.import_(tmp_path / "bad.jsonl")


def test_two_who_change_one_turn_at_once_follow_one_another(analyzer: Analyzer, tmp_path: Path) -> None:
    place = tmp_path / "life.db"
    with Memory(place, analyzer=analyzer) as one, Memory(place, analyzer=analyzer) as other:
        turn = one.add(MOVED).turns[0]
        towns = ["Rome", "Lima", "Bonn", "Cork"]
        with ThreadPoolExecutor(4) as pool:
            done = [
                pool.submit(memory.update, turn, text=f"Ida moved to {town}.")
                for memory, town in zip([one, other] * 2, towns, strict=True)
            ]
            assert sorted(future.result().text for future in done) == sorted(f"Ida moved to {town}." for town in towns)
        versions = [version.text for version in one.versions(turn)]
        assert sorted(versions) == sorted([MOVED[0]["content"], *(f"Ida moved to {town}." for town in towns)])
        for memory in (one, other):
            assert memory.turn(turn).text == versions[-1]
            assert memory.ask("Where does Ida live?").text == versions[-1].split()[-1].rstrip(".")
        assert check(one._parts.store, one._parts.embedder, analyzer=analyzer).sound


@pytest.mark.parametrize(
    "given", [{}, {"text": " "}, {"text": 3}, {"ttl": 1, "expires_at": "2090-01-01"}, {"expires_at": "2020-01-01"},
              {"metadata": {"a": {}}}, {"metadata": {"tags": ["a"]}, "tags": ["b"]}, {"tags": "a"}, {"text": "x" * 101}]
)  # fmt: skip
def test_what_a_turn_cannot_be_is_refused_and_it_stays(given: dict[str, object], analyzer: Analyzer) -> None:
    with Memory(analyzer=analyzer, settings=Settings(max_message_characters=100)) as memory:
        turn = memory.add(MOVED).turns[2]
        with pytest.raises(InputError):
            memory.update(turn, **given)  # type: ignore[arg-type]
        with pytest.raises(NotFoundError):
            memory.update("t0", text="x")
        with pytest.raises(NotFoundError):
            memory.update(turn, text="x", space="other")
        with pytest.raises(NotFoundError):
            memory.versions(turn, space="other")
        assert [v.text for v in memory.versions(turn)] == [MOVED[2]["content"]]


def test_a_backend_is_not_changed_here() -> None:
    with Memory(backend=lambda query, k: []) as memory, pytest.raises(BackendError):
        memory.update("t0", text="x")


def test_a_space_that_is_full_takes_no_more_and_says_so(analyzer: Analyzer) -> None:
    with Memory(analyzer=analyzer, settings=Settings(space_turns=3, space_bytes=200)) as memory:
        turn = memory.add(MOVED).turns[0]
        with pytest.raises(StoreFullError, match="4 turns; it may hold 3"):
            memory.add({"role": "user", "content": "One more."})
        assert memory.add({"role": "user", "content": "One more."}, space="other").new == 1
        with pytest.raises(StoreFullError, match="bytes; it may hold 200"):
            memory.update(turn, text="x" * 200)
        assert memory.stats().turns == 3
        assert (memory.stats().quota.turns, memory.stats().text_bytes < 200) == (3, True)


def test_what_names_no_time_is_kept_as_long_as_is_set(analyzer: Analyzer) -> None:
    with Memory(analyzer=analyzer, settings=Settings(retention=86_400)) as memory:
        before = datetime.now(UTC)
        turns = memory.add([MOVED[0], {**MOVED[1], "ttl": 60}]).turns
        day, minute = (memory.turn(turn).expires_at for turn in turns)
        assert day is not None
        assert timedelta(days=1) <= day - before < timedelta(days=1, hours=1)
        assert minute is not None
        assert minute - before < timedelta(hours=1)
        assert memory.update(turns[0], text="Ida moved to Rome.").expires_at == day
