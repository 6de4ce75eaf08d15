"""What expires is found by nothing, proves nothing, and is gone for good; what is forgotten by its metadata is, too."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from goalmem import Memory
from goalmem.errors import InputError, ReadOnlyStoreError
from goalmem.maintenance import memory_parts, memory_turns
from goalmem.store.sqlite import SqliteStore

SOON = datetime.now(UTC) + timedelta(days=30)
VAULT = "The vault's code word is marzipan."
SAID = [
    {"role": "user", "name": "Maya", "content": "I live in Oslo.", "expires_at": SOON, "metadata": {"project": "x"}},
    {"role": "user", "name": "Maya", "content": VAULT, "ttl": 40 * 86_400},
    {"role": "user", "name": "Maya", "content": "I adopted a beagle."},
]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch):
    """Lets a year pass."""

    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=365)

    def pass_() -> None:
        for module in (memory_parts, memory_turns):
            monkeypatch.setattr(module, "datetime", Later)

    return pass_


def test_what_has_expired_is_neither_found_nor_proved(later, tmp_path: Path) -> None:
    place = tmp_path / "life.db"
    with Memory(place) as memory:
        memory.add(SAID)
        memory.add({"role": "user", "content": "I live in Rome.", "ttl": timedelta(days=1)}, space="other")
        answer = memory.ask("Where does Maya live?")
        assert answer.text == "Oslo"
        assert memory.verify(answer).ok
        (cited,) = answer.citations
        assert memory.get(cited).expires_at == SOON
        later()
        verification = memory.verify(answer)
        assert not verification.ok
        assert any(f"turn {cited} expired on {SOON:%Y-%m-%d}" in c.detail for c in verification.failures)
        assert not memory.ask("Where does Maya live?").known
        assert [t.text for t in memory.get_all().items] == [SAID[2]["content"]]
        assert [h.turn.text for h in memory.search("Oslo vault marzipan")] == [SAID[2]["content"]]
        assert memory.check() == []
    assert b"marzipan" not in place.read_bytes()
    with Memory(place) as again:
        assert not again.verify(answer).ok


def test_a_space_of_which_everything_has_expired_is_not_listed(later) -> None:
    with Memory() as memory:
        memory.add(SAID[:1], space="short")
        memory.add(SAID, space="long")
        assert memory.spaces() == ["long", "short"]
        later()
        assert memory.spaces() == ["long"]
        assert memory.stats(space="long").turns == 1


def test_a_memory_that_cannot_be_written_lists_its_spaces_all_the_same(
    later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "life.db"
    with Memory(place) as memory:
        memory.add(SAID[:1])
        monkeypatch.setattr(SqliteStore, "read_only", True)
        later()
        assert memory.spaces() == ["default"]


def test_a_memory_that_cannot_be_written_does_not_show_what_has_expired(
    later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "life.db"
    with Memory(place) as memory:
        memory.add(SAID)
    with Memory(place) as memory:
        monkeypatch.setattr(SqliteStore, "read_only", True)
        assert memory.get_all().items
        later()
        with pytest.raises(ReadOnlyStoreError):
            memory.search("Oslo")


def test_what_has_expired_is_not_imported_and_cannot_be_added(later, tmp_path: Path) -> None:
    with Memory() as memory:
        memory.add(SAID)
        memory.export(tmp_path / "all.jsonl")
    with Memory() as memory:
        memory.import_(tmp_path / "all.jsonl")
        assert memory.get_all().items[0].expires_at == SOON
    later()
    with Memory() as memory:
        assert memory.import_(tmp_path / "all.jsonl") == 1
        with pytest.raises(InputError):
            memory.add(SAID)
        assert len(memory.get_all().items) == 1


@pytest.mark.parametrize("ttl", [0, -1, "1", True, float("inf")])
def test_a_ttl_that_is_none_is_refused(ttl: object) -> None:
    with Memory() as memory, pytest.raises(InputError):
        memory.add({"role": "user", "content": "a", "ttl": ttl})


@pytest.mark.parametrize(
    "named", [{}, {"turn": None}, {"session": None, "where": None}, {"session": "default", "everything": True}]
)
def test_what_names_nothing_or_two_things_forgets_nothing(named: dict[str, Any]) -> None:
    with Memory() as memory:
        memory.add(SAID)
        with pytest.raises(InputError, match="forget"):
            memory.forget(**named)
        assert len(memory.get_all().items) == len(SAID)


def test_forgetting_by_metadata_says_beforehand_how_much_and_touches_nothing_else() -> None:
    with Memory() as memory:
        memory.add(SAID)
        memory.add(SAID[:1], space="other")
        would = memory.forget(where={"project": "x"}, dry_run=True)
        assert len(memory.get_all().items) == 3
        assert memory.forget(where={"project": "x"}) == would
        assert (would.turns, would.sessions) == (1, 0)
        assert [t.text for t in memory.get_all().items] == [m["content"] for m in SAID[1:]]
        assert len(memory.get_all(space="other").items) == 1
        assert memory.forget(where={"project": "x"}).turns == 0
        every = memory.forget(everything=True, dry_run=True)
        assert memory.forget(everything=True) == every
        with pytest.raises(InputError):
            memory.forget(where={}, space="other")
