"""What any `Store` must do. Subclass `StoreConformance` and give it a `store` fixture: an empty store for
`MODEL` and `DIMENSION`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goalmem.errors import InputError, StoreClosedError, StoreFullError
from goalmem.io.portable import export
from goalmem.logic.interval import Grain, Interval
from goalmem.records import Argument, Extraction, Mention, Modality, StatedRule
from goalmem.store import Batch, Forgotten, Quota, Store
from goalmem.store.metadata import meets, parse_metadata, parse_where
from goalmem.store.protocol import Reanalysis
from tests.cases import examples

from .samples import DIMENSION, START, batch, batch_of, change_of, derived, digest, fact, ids, new_turn, turn

SCALARS = st.one_of(
    st.sampled_from(["x", "y", "", "é", "#", "=x", "1"]), st.integers(-2, 2), st.booleans(), st.just(0.5)
)
KEYS = st.sampled_from(["a", "b", "é key"])
METADATA = st.dictionaries(KEYS, st.one_of(SCALARS, st.lists(SCALARS, max_size=3)), max_size=3)
ORDERED = st.one_of(st.sampled_from(["", "x", "y", "é"]), st.sampled_from([-1, 0, 0.5, 1]))
BOUNDS = ORDERED.flatmap(
    lambda one: st.dictionaries(
        st.sampled_from(["$gt", "$gte", "$lt", "$lte"]),
        ORDERED.filter(lambda o: isinstance(o, str) == isinstance(one, str)),
        min_size=1,
    )
)
PLAIN_WHERE = st.dictionaries(
    KEYS,
    st.one_of(
        SCALARS,
        st.lists(SCALARS, min_size=1, max_size=2),
        BOUNDS,
        st.fixed_dictionaries({"$in": st.lists(SCALARS, min_size=1, max_size=2), "$gte": st.sampled_from([0, 1])}),
    ),
    min_size=1,
    max_size=2,
)
SOME_WHERE = st.recursive(
    PLAIN_WHERE,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"$or": st.lists(inner, min_size=1, max_size=3)}, optional={"a": SCALARS}),
        st.fixed_dictionaries({"$and": st.lists(inner, min_size=1, max_size=2)}, optional={"$not": inner}),
        st.fixed_dictionaries({"$not": inner}),
    ),
    max_leaves=5,
)
WHERE = st.one_of(st.just({}), SOME_WHERE)


def met(where: Mapping[str, Any], metadata: Mapping[str, Any]) -> bool:
    """What a filter means, in plain Python, by what is written alone."""

    def same(one: Any, other: Any) -> bool:
        return isinstance(one, bool) == isinstance(other, bool) and one == other

    def compared(one: Any, sign: str, other: Any) -> bool:
        if isinstance(one, bool) or isinstance(one, str) != isinstance(other, str):
            return False
        return {"$gt": one > other, "$gte": one >= other, "$lt": one < other, "$lte": one <= other}[sign]

    def holds(key: str, wanted: Any) -> bool:
        if key == "$or":
            return any(met(one, metadata) for one in wanted)
        if key == "$and":
            return all(met(one, metadata) for one in wanted)
        if key == "$not":
            return not met(wanted, metadata)
        held = metadata.get(key, [])
        values = held if isinstance(held, list) else [held]
        if not isinstance(wanted, dict):
            choices = wanted if isinstance(wanted, list) else [wanted]
            return any(same(v, c) for v in values for c in choices)
        bounds = [(sign, bound) for sign, bound in wanted.items() if sign != "$in"]
        chosen = "$in" not in wanted or any(same(v, c) for v in values for c in wanted["$in"])
        return chosen and (not bounds or any(all(compared(v, s, b) for s, b in bounds) for v in values))

    return all(holds(key, wanted) for key, wanted in where.items())


class StoreConformance:
    """Behaviour every implementation shares."""

    # changing

    def test_a_changed_turn_is_what_it_became_and_keeps_what_it_was(self, store: Store) -> None:
        said = [turn(t, n, metadata={"project": "x"}) for n, t in enumerate(["red \x00 apple", "green pear"])]
        for space in ("ana", "bo"):
            store.add(batch_of([new_turn(replace(t, space=space), n) for n, t in enumerate(said)], space))
        store.keep_reply("ana", "k", "an apple", [said[0].id])
        elsewhere = (store.session_turns("bo", "s1"), store.facts("bo"), list(store.index_rows("bo")))
        before, rows = store.version("ana"), {row.turn: row for row in store.index_rows("ana")}
        ends = datetime(2090, 1, 2, tzinfo=UTC)
        wanted = change_of(store, said[0], "blue \x00 plum", metadata={"project": "y"}, expires_at=ends)
        assert store.change(wanted)
        assert store.turns("ana", [said[0].id]) == {said[0].id: wanted.turn}
        assert (wanted.turn.position, wanted.turn.at, wanted.turn.id) == (0, said[0].at, said[0].id)
        old, new = store.versions("ana")[said[0].id]
        assert (old.text, old.metadata, old.expires_at, old.until) == (said[0].text, {"project": "x"}, None, START)
        assert (new.text, new.metadata, new.expires_at, new.until) == (wanted.turn.text, {"project": "y"}, ends, None)
        assert [store.phrase("ana", p) for p in ("apple", "plum", "green pear")] == [[], [said[0].id], [said[1].id]]
        assert {f.turn: f.text for f in store.facts("ana")} == {said[0].id: wanted.turn.text, said[1].id: said[1].text}
        assert store.matching("ana", parse_where({"project": "y"})) == [rows[said[0].id].seq]
        assert store.next_expiry("ana") == ends
        assert store.cached_reply("ana", "k") is None
        assert store.version("ana")[0] != before[0]
        assert [row.terms != rows[row.turn].terms for row in store.index_rows("ana")] == [True, False]
        assert store.fate("ana", said[0].id) == f"turn {said[0].id} was changed on 2024-03-01"
        # The message is known by what it says and by what it said.
        hashes = [new_turn(said[0]).content_hash, wanted.content_hash]
        assert [store.known("ana", "s1")[f"at:{of}:0"] for of in hashes] == [said[0].id] * 2
        assert store.check() == []
        assert (store.session_turns("bo", "s1"), store.facts("bo"), list(store.index_rows("bo"))) == elsewhere
        assert (store.versions("bo"), store.fate("bo", said[0].id)) == ({}, "")

    def test_the_turns_read_again_with_a_changed_one_say_what_they_now_mean(self, store: Store) -> None:
        said = [turn(t, n) for n, t in enumerate("abc")]
        store.add(batch_of([new_turn(t, n) for n, t in enumerate(said)]))
        made = change_of(store, said[0], "d")
        behind = new_turn(store.turns("ana", [said[2].id])[said[2].id], 2, derived(said[2], 2))
        assert store.change(replace(made, reading=Reanalysis([*made.reading.derived, behind])))
        assert [f.turn for f in store.facts("ana")] == [said[0].id, said[1].id, said[2].id, said[2].id]
        assert list(store.versions("ana")) == [said[0].id]
        assert store.check() == []

    def test_what_is_not_as_it_was_when_it_was_read_is_not_changed(self, store: Store) -> None:
        said = [turn(t, n) for n, t in enumerate("abc")]
        store.add(batch_of([new_turn(t, n) for n, t in enumerate(said)]))
        first, second = change_of(store, said[0], "d"), change_of(store, said[0], "e")
        with_other = replace(
            change_of(store, said[1], "f"),
            reading=Reanalysis([*change_of(store, said[1], "f").reading.derived, new_turn(said[2], 2)]),
        )
        assert store.change(first)
        assert not store.change(second)
        assert store.change(change_of(store, said[2], "g"))
        state = store.version("ana")
        assert not store.change(with_other)
        gone = change_of(store, said[1], "h")
        store.forget("ana", turn=said[1].id)
        assert not store.change(gone)
        assert not store.change(replace(first, turn=replace(first.turn, space="nowhere")))
        assert [t.text for t in store.session_turns("ana", "s1")] == ["d", "g"]
        assert state != (0, 0)
        assert "nowhere" not in store.spaces()

    def test_a_turn_that_was_forgotten_and_added_elsewhere_since_it_was_read_is_not_changed(self, store: Store) -> None:
        store.add(batch(["a", "b"]))
        as_read = change_of(store, batch(["a"]).turns[0].turn, "c")
        store.forget("ana", turn=as_read.turn.id)
        store.add(batch(["a"]))
        assert not store.change(as_read)
        assert store.change(change_of(store, as_read.turn, "c"))
        assert store.check() == []

    def test_of_changes_at_once_of_one_turn_one_is_made(self, store: Store) -> None:
        said = turn("a", 0)
        store.add(batch_of([new_turn(said)]))
        wanted = [change_of(store, said, f"b{n}") for n in range(4)]
        with ThreadPoolExecutor(4) as pool:
            made = list(pool.map(store.change, wanted))
        assert sum(made) == 1
        (kept,) = store.turns("ana", [said.id]).values()
        assert kept.text == f"b{made.index(True)}"
        assert [v.text for v in store.versions("ana")[said.id]] == ["a", kept.text]

    def test_forgetting_and_expiry_take_every_version_with_them(self, store: Store) -> None:
        said = [turn(t, n) for n, t in enumerate("abc")]
        store.add(batch_of([new_turn(t, n) for n, t in enumerate(said)]))
        ends = datetime(2030, 1, 2, tzinfo=UTC)
        for n, of in enumerate(said):
            for text in ("x", "y"):
                assert store.change(change_of(store, of, f"{text}{n}", expires_at=ends if n == 1 else None))
        store.forget("ana", turn=said[0].id)
        assert set(store.versions("ana")) == {said[1].id, said[2].id}
        store.purge("ana", ends)
        assert [v.text for v in store.versions("ana")[said[2].id]] == ["c", "x2", "y2"]
        assert store.fate("ana", said[1].id) == f"turn {said[1].id} expired on 2030-01-02"
        store.forget("ana")
        assert store.versions("ana") == {}
        assert store.check() == []

    def test_a_space_that_holds_only_notes_of_what_expired_is_not_held(self, store: Store) -> None:
        ends = datetime(2030, 1, 2, tzinfo=UTC)
        for space in ("bo", "ana"):
            store.add(batch_of([new_turn(turn("a", 0, space, expires_at=ends))], space))
        store.add(batch(["b"], first=1))
        store.add_rules("cy", [rule("Bob is big.")])
        assert store.held_spaces() == {space: store.version(space) for space in ("ana", "bo", "cy")}
        for space in ("bo", "ana"):
            store.purge(space, ends)
        assert store.held_spaces() == {space: store.version(space) for space in ("ana", "cy")}
        assert "expired on" in store.fate("bo", turn("a", 0, "bo").id)
        assert store.check() == []

    def test_what_is_exported_while_others_write_is_of_one_moment_in_each_session(
        self, store: Store, tmp_path: Path
    ) -> None:
        over = Event()

        def write() -> None:
            for number in count(1):
                said = turn(f"a{number}", number)
                store.add(batch_of([new_turn(said, number)]))
                store.change(change_of(store, said, f"b{number}"))
                if number % 3 == 0:
                    store.forget("ana", turn=said.id)
                if over.is_set():
                    return

        store.add(batch(["z"]))
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(write)
            try:
                for _ in range(20):
                    export(store, tmp_path / "all.jsonl", None)
                    lines = map(json.loads, (tmp_path / "all.jsonl").read_text().splitlines()[1:])
                    for line in lines:
                        assert line["hash"] == digest(line["speaker"], line["role"], line["text"])
                        assert line["text"][0] != "b" or line["versions"]
            finally:
                over.set()
                writing.result()

    # quotas

    def test_a_space_holds_no_more_than_it_may(self, store: Store) -> None:
        store.add(replace(batch(["é", "b"]), quota=Quota(2, 3)))
        with pytest.raises(StoreFullError, match="3 turns; it may hold 2"):
            store.add(replace(batch(["c"], first=2), quota=Quota(2)))
        with pytest.raises(StoreFullError, match="4 bytes; it may hold 3"):
            store.add(replace(batch(["c"], first=2), quota=Quota(0, 3)))
        assert store.add(replace(batch(["é", "b"]), quota=Quota(2, 3))) == []
        assert store.add(replace(batch(["c"], space="bo"), quota=Quota(1))) != []
        assert (store.stats("ana").turns, store.stats("ana").text_bytes) == (2, 3)
        with pytest.raises(StoreFullError, match="4 bytes; it may hold 3"):
            store.change(replace(change_of(store, turn("é", 0), "c"), quota=Quota(2, 3)))
        assert store.change(replace(change_of(store, turn("é", 0), "c"), quota=Quota(2, 4)))
        assert store.stats("ana").text_bytes == 4
        store.forget("ana", turn=ids(batch(["é", "b"]))[0])
        assert store.add(replace(batch(["cd"], first=2), quota=Quota(2, 3))) != []

    def test_writers_at_once_do_not_go_beyond_it_together(self, store: Store) -> None:
        def add(place: int) -> bool:
            try:
                return bool(store.add(replace(batch(["a"], first=place), quota=Quota(3))))
            except StoreFullError:
                return False

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(add, range(8))) == 3
        assert store.stats("ana").turns == 3

    # adding

    def test_a_turn_comes_back_as_it_was_said(self, store: Store) -> None:
        said = turn(
            'Ünïcode 🎉 "quoted"; DROP TABLE turn;--\x00 end\n',
            0,
            speaker="O'Hara",
            role="assistant",
            at=datetime(2024, 2, 29, 23, 59, 59, 999_999, timezone(timedelta(hours=-7, minutes=-30))),
            caption="a dog\x00 in snow",
            external_id="msg-1",
        )
        store.add(batch_of([new_turn(said)]))
        assert store.turns("ana", [said.id]) == {said.id: replace(said, position=0)}
        assert store.turns("ana", [said.id])[said.id].at.utcoffset() == said.at.utcoffset()

    @pytest.mark.parametrize(
        "at",
        [
            datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
            datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))),
            datetime(1969, 12, 31, 23, 59, 59, 1, UTC),
        ],
    )
    def test_any_date_of_the_calendar_is_kept(self, store: Store, at: datetime) -> None:
        said = turn("long ago or far ahead", 0, at=at)
        store.add(batch_of([new_turn(said)], at=at))
        assert store.turns("ana", [said.id])[said.id].at == at
        assert store.sessions("ana") == [("s1", at, 1)]

    def test_a_fact_comes_back_as_it_was_read(self, store: Store) -> None:
        said = turn("I can't stand sushi", 0)
        full = fact(
            said,
            args=(
                Argument("subject", "", -1, -1, "i", "Maya", "person", "speaker"),
                Argument("in", "it", 3, 5, "it", modifiers=("a", "b")),
            ),
            polarity=False,
            modality=Modality.HYPOTHETICAL,
            when=Interval(datetime(2024, 3, 1, 8, 15, 30), datetime(2024, 3, 1, 8, 16), Grain.MINUTE),
        )
        bare = fact(said, 1, args=(), when=None, when_text="", slot="", kind="preference")
        store.add(batch_of([new_turn(said, 0, Extraction(said.id, (full, bare)))]))
        assert store.facts("ana") == [full, bare]

    # metadata

    def test_metadata_comes_back_as_it_was_noted(self, store: Store) -> None:
        noted = {"project": "x", "n": 3, "share": 0.5, "open": True, "tags": ["a", "b", "a"], "none": []}
        said = turn("a", 0, metadata=noted, expires_at=datetime(2099, 1, 2, 3, 4, 5, 6, UTC))
        store.add(batch_of([new_turn(said)]))
        (kept,) = store.turns("ana", [said.id]).values()
        assert kept == replace(said, position=0)
        assert [type(v) for v in kept.metadata.values()] == [type(noted[k]) for k in kept.metadata]

    @given(notes=st.lists(METADATA, min_size=1, max_size=4), where=WHERE)
    @settings(examples(15, 40), suppress_health_check=list(HealthCheck))
    def test_conditions_find_the_turns_whose_metadata_meet_them(
        self, store: Store, notes: list[dict[str, Any]], where: dict[str, Any]
    ) -> None:
        """The database finds what the conditions mean, and what `Condition.holds` of the metadata says."""
        if store.spaces():
            store.forget("ana")
        turns = [turn(str(n), n, metadata=parse_metadata(note, "It")) for n, note in enumerate(notes)]
        store.add(batch_of([new_turn(t, n) for n, t in enumerate(turns)]))
        conditions = parse_where(where)
        right = [t.id for t in turns if met(where, t.metadata)]
        assert [t.id for t in turns if meets(t.metadata, conditions)] == right
        assert [t.id for _, t in store.listed("ana", conditions, limit=10)] == right
        numbers = {row.turn: row.seq for row in store.index_rows("ana")}
        assert store.matching("ana", conditions) == [numbers[id_] for id_ in right]
        assert store.matching("ana", conditions, numbers=[*numbers.values()][:2]) == [
            n for id_, n in [*numbers.items()][:2] if id_ in right
        ]

    def test_conditions_see_one_space_alone(self, store: Store) -> None:
        for space in ("ana", "bo"):
            store.add(batch_of([new_turn(turn("a", 0, space, metadata={"project": "x"}))], space))
        found = store.listed("ana", parse_where({"project": "x"}), limit=10)
        assert [t.space for _, t in found] == ["ana"]
        assert len(store.matching("ana", parse_where({"project": "x"}))) == 1
        store.forget("ana")
        assert not store.matching("ana", parse_where({"project": "x"}))
        assert len(store.matching("bo", parse_where({"project": "x"}))) == 1

    def test_what_is_forgotten_is_not_found_by_its_metadata(self, store: Store) -> None:
        said = [turn(t, n, metadata={"project": "x"}) for n, t in enumerate("ab")]
        store.add(batch_of([new_turn(t, n) for n, t in enumerate(said)]))
        store.forget("ana", turn=said[0].id)
        assert [t.id for _, t in store.listed("ana", parse_where({"project": "x"}), limit=10)] == [said[1].id]
        assert len(store.matching("ana", parse_where({"project": "x"}))) == 1
        assert store.check() == []

    def test_names_are_those_of_turns_that_meet_the_conditions(self, store: Store) -> None:
        said = [turn(t, n, metadata={"project": p}) for n, (t, p) in enumerate(zip("ab", "xy", strict=True))]
        store.add(
            batch_of([new_turn(t, n, derived(t, aliases=[(f"Alias{n}", f"Name{n}")])) for n, t in enumerate(said)])
        )
        where = parse_where({"project": "y"})
        assert store.aliases("ana", where) == {"alias1": "Name1"}
        every, some = store.entities("ana"), store.entities("ana", where)
        assert sum(n for _, n in some.values()) < sum(n for _, n in every.values())

    def test_what_expired_is_removed_with_what_was_read_from_it_and_its_fate_is_known(self, store: Store) -> None:
        ends = datetime(2030, 1, 2, tzinfo=UTC)
        said = [
            turn(t, n, expires_at=e)
            for n, (t, e) in enumerate(zip("abc", (ends, None, ends.replace(year=2040)), strict=True))
        ]
        for space in ("ana", "bo"):
            store.add(batch_of([new_turn(replace(t, space=space), n) for n, t in enumerate(said)], space))
        assert store.next_expiry("ana") == ends
        assert store.purge("ana", ends - timedelta(microseconds=1)).turns == 0
        before = store.version("ana")
        gone = store.purge("ana", ends)
        assert (gone.turns, gone.facts) == (1, 1)
        assert [*store.turns("ana", ids(batch_of([new_turn(t) for t in said])))] == [said[1].id, said[2].id]
        assert said[0].id not in {f.turn for f in store.facts("ana")}
        assert store.version("ana")[0] != before[0]
        assert store.fate("ana", said[0].id) == f"turn {said[0].id} expired on 2030-01-02"
        assert store.fate("ana", said[1].id) == store.fate("bo", said[0].id) == ""
        assert len(store.turns("bo", [t.id for t in said])) == 3
        assert store.next_expiry("ana") == said[2].expires_at
        store.forget("ana")
        assert store.fate("ana", said[0].id) == ""
        assert store.check() == []

    def test_the_fate_of_a_space_that_expired_whole_is_known(self, store: Store) -> None:
        said = turn("a", 0, expires_at=START)
        store.add(batch_of([new_turn(said)]))
        store.purge("ana", START)
        assert store.size("ana") == 0
        assert "expired" in store.fate("ana", said.id)
        store.add(batch_of([new_turn(said)]))
        assert store.size("ana") == 1

    def test_a_dry_run_counts_what_forgetting_removes(self, store: Store) -> None:
        said = [turn(t, n, metadata={"project": p}) for n, (t, p) in enumerate(zip("abc", "xyx", strict=True))]
        store.add(batch_of([new_turn(t, n) for n, t in enumerate(said)]))
        store.add(batch(["d"], session="s2"))
        store.add(batch(["e"], session="s3"))
        for named in ({"turn": said[1].id}, {"where": parse_where({"project": "x"})}, {"session": "s2"}, {}):
            would = store.forget("ana", **named, dry_run=True)
            assert would.turns
            assert store.forget("ana", **named) == would

    def test_add_returns_the_new_ids_in_order_and_numbers_the_turns(self, store: Store) -> None:
        first, second = batch(["a", "b"]), batch(["c"], first=2)
        assert store.add(first) == ids(first)
        assert store.add(second) == ids(second)
        assert [t.position for t in store.session_turns("ana", "s1")] == [0, 1, 2]

    def test_adding_again_adds_nothing(self, store: Store) -> None:
        store.add(batch(["a", "b"]))
        before = (store.version("ana"), store.facts("ana"), store.mentions("ana"), store.edges("ana"))
        assert store.add(batch(["a", "b"])) == []
        assert (store.version("ana"), store.facts("ana"), store.mentions("ana"), store.edges("ana")) == before

    def test_only_what_is_missing_is_added(self, store: Store) -> None:
        store.add(batch(["a", "b"]))
        longer = batch(["a", "b", "c"])
        assert store.add(longer) == ids(longer)[2:]
        assert [t.text for t in store.session_turns("ana", "s1")] == ["a", "b", "c"]

    def test_a_turn_given_twice_in_a_batch_is_stored_once(self, store: Store) -> None:
        one = new_turn(turn("a", 0))
        assert store.add(batch_of([one, one])) == [one.turn.id]
        assert store.stats("ana").turns == 1

    def test_an_empty_batch_leaves_no_trace(self, store: Store) -> None:
        assert store.add(batch([])) == []
        assert store.spaces() == []
        assert store.sessions("ana") == []

    def test_the_first_time_of_a_session_stays(self, store: Store) -> None:
        store.add(batch(["a"]))
        later = batch(["b"], first=1)
        store.add(Batch(later.space, later.session, START + timedelta(days=9), later.turns))
        assert store.sessions("ana") == [("s1", START, 2)]

    def test_one_bad_turn_refuses_the_whole_batch(self, store: Store) -> None:
        good = new_turn(turn("fine", 0))
        for bad in (
            new_turn(turn("a lone \ud800 surrogate", 1)),
            new_turn(turn("naive", 1, at=datetime(2024, 3, 1))),
            replace(new_turn(turn("short", 1)), vector=b"\0" * DIMENSION),
            replace(new_turn(turn("ragged", 1)), terms=b"\0" * 9),
            replace(new_turn(turn("frayed", 1)), features=b"\0" * 9),
            new_turn(turn("elsewhere", 1, space="bob")),
            new_turn(turn("mixed up", 1), 1, derived(good.turn)),
            new_turn(turn("twice", 1), 1, Extraction(turn("twice", 1).id, (fact(turn("twice", 1)),) * 2)),
        ):
            with pytest.raises(InputError):
                store.add(batch_of([good, bad]))
            assert store.spaces() == []
            assert store.facts("ana") == []
            assert store.phrase("ana", "fine") == []
        assert store.check() == []

    def test_a_huge_message_is_kept_whole(self, store: Store) -> None:
        said = turn("word " * 400_000 + "needle in it" + "x" * 1_000_000, 0)
        store.add(batch_of([new_turn(said)]))
        assert store.turns("ana", [said.id])[said.id].text == said.text
        assert store.phrase("ana", "word needle") == [said.id]

    # recognising

    def test_known_maps_every_identity_to_the_turn(self, store: Store) -> None:
        a, b = turn("a", 0, external_id="m-7"), turn("b", 1)
        store.add(batch_of([new_turn(a, 4), new_turn(b, 5)]))
        hash_a, hash_b = new_turn(a).content_hash, new_turn(b).content_hash
        assert store.known("ana", "s1") == {
            "id:m-7": a.id,
            f"at:{hash_a}:0": a.id,
            f"at:{hash_a}:4": a.id,
            f"at:{hash_b}:1": b.id,
            f"at:{hash_b}:5": b.id,
        }
        assert store.known("ana", "other") == {}
        assert store.known("bob", "s1") == {}

    def test_the_stored_position_decides_between_two_that_say_the_same(self, store: Store) -> None:
        first, second = turn("ok", 0), turn("ok", 1)
        store.add(batch_of([new_turn(first, 1), new_turn(second, 0)]))
        content = new_turn(first).content_hash
        assert store.known("ana", "s1") == {f"at:{content}:0": first.id, f"at:{content}:1": second.id}

    # reading turns

    def test_unknown_turns_are_left_out(self, store: Store) -> None:
        made = batch(["a", "b"])
        store.add(made)
        a, b = ids(made)
        assert list(store.turns("ana", [b, "nowhere", a, "id with \x00", b])) == [b, a]
        assert store.turns("ana", []) == {}

    def test_lists_of_any_length_are_fine(self, store: Store) -> None:
        made = batch([f"turn {n}" for n in range(40)])
        store.add(made)
        many = [*(f"no-{n}" for n in range(5_000)), *ids(made)]
        assert list(store.turns("ana", iter(many))) == ids(made)
        assert len(store.facts("ana", turns=iter(many))) == 40
        assert len(store.facts("ana", ids=[f.id for f in store.facts("ana")] + many)) == 40
        assert len(store.mentions("ana", turns=iter(many))) == 80

    def test_ids_may_come_from_the_store_itself(self, store: Store) -> None:
        store.add(batch(["a", "b"]))
        assert len(store.turns("ana", (t.id for t in store.all_turns("ana")))) == 2
        assert len(store.facts("ana", turns=(row.turn for row in store.index_rows("ana")))) == 2
        assert len(store.mentions("ana", turns=(t.id for t in store.all_turns("ana")))) == 4

    @pytest.mark.parametrize(
        ("first", "last", "expected"),
        [(0, None, "abcde"), (1, 3, "bcd"), (-2, None, "de"), (-9, 1, "ab"), (4, 99, "e"), (3, 2, ""), (9, None, "")],
    )
    def test_part_of_a_session(self, store: Store, first: int, last: int | None, expected: str) -> None:
        store.add(batch(list("abcde")))
        assert "".join(t.text for t in store.session_turns("ana", "s1", first=first, last=last)) == expected
        assert store.session_turns("ana", "unknown", first=first, last=last) == []

    def test_sessions_come_in_order_of_time_then_name(self, store: Store) -> None:
        for name, days in (("b", 1), ("c", 0), ("a", 1)):
            made = batch([name], session=name)
            store.add(Batch("ana", name, START + timedelta(days=days), made.turns))
        assert [name for name, _, _ in store.sessions("ana")] == ["c", "a", "b"]

    def test_all_turns_come_in_the_order_stored(self, store: Store) -> None:
        said = [turn(str(n), n, session="s2") for n in range(1_100)]
        store.add(batch_of([new_turn(one, n, Extraction(one.id)) for n, one in enumerate(said)], session="s2"))
        store.add(batch(["last"], session="s1"))
        assert [t.text for t in store.all_turns("ana")] == [*(str(n) for n in range(1_100)), "last"]
        assert list(store.all_turns("bob")) == []

    # reading what is derived

    def test_facts_satisfy_every_condition_given(self, store: Store) -> None:
        a, b = turn("a", 0), turn("b", 1, speaker="Tom")
        adopt, like = fact(a), fact(a, 1, predicate="like", slot="like sushi")
        toms = fact(b)
        store.add(
            batch_of([new_turn(a, 0, Extraction(a.id, (adopt, like))), new_turn(b, 1, Extraction(b.id, (toms,)))])
        )
        assert store.facts("ana", predicate="adopt") == [adopt, toms]
        assert store.facts("ana", predicate="adopt", entity="mAyA") == [adopt]
        assert store.facts("ana", slot="like sushi") == [like]
        assert store.facts("ana", turns=[b.id]) == [toms]
        assert store.facts("ana", ids=[toms.id, like.id], turns=[a.id]) == [like]
        assert store.facts("ana", entity="biscuit", turns=[a.id, b.id], predicate="like", slot="like sushi") == [like]
        assert store.facts("ana", entity="Bisc") == store.facts("ana", ids=[]) == store.facts("ana", predicate="") == []

    def test_facts_come_in_order_of_time_position_and_place(self, store: Store) -> None:
        late, early = turn("late", 5), turn("early", 0)
        made = [fact(late, 3), fact(late, 1), fact(early, 9)]
        store.add(
            batch_of(
                [
                    new_turn(late, 0, Extraction(late.id, tuple(made[:2]))),
                    new_turn(early, 1, Extraction(early.id, (made[2],))),
                ]
            )
        )
        assert store.facts("ana") == [made[2], made[1], made[0]]

    def test_names_match_in_any_case_of_any_script(self, store: Store) -> None:
        said = turn("x", 0, speaker="Straße ΣΊΣΥΦΟΣ")
        store.add(batch_of([new_turn(said)]))
        for name in ("STRASSE σίσυφος", "straße Σίσυφος"):
            assert len(store.facts("ana", entity=name)) == 1
            assert len(store.mentions("ana", entity=name)) == 1
            assert len(store.edges("ana", subject=name)) == 1

    def test_mentions_edges_and_entities(self, store: Store) -> None:
        made = batch(["a", "b"])
        store.add(made)
        a, b = (new.extraction for new in made.turns)
        assert store.mentions("ana") == [*a.mentions, *b.mentions]
        assert store.mentions("ana", turns=[b.turn], entity="BISCUIT") == [b.mentions[1]]
        assert store.edges("ana", subject="maya", object="biscuit") == [*a.edges, *b.edges]
        assert store.edges("ana", object="maya") == []
        assert store.entities("ana") == {"Maya": ("person", 2), "Biscuit": ("animal", 2)}

    def test_an_entity_has_the_type_most_mentions_give_it(self, store: Store) -> None:
        said = turn("x", 0)
        types = ("", "", "", "place", "place", "person")
        mentions = tuple(Mention("ana", said.id, n, n + 1, "Paris", "Paris", type_) for n, type_ in enumerate(types))
        store.add(batch_of([new_turn(said, 0, Extraction(said.id, (), mentions))]))
        assert store.entities("ana") == {"Paris": ("place", 6)}

    def test_of_two_aliases_what_was_said_last_wins(self, store: Store) -> None:
        late, early = turn("late", 9), turn("early", 0)
        store.add(batch_of([new_turn(late, 0, derived(late, 0, [("My Sister", "Ines")]))]))
        store.add(batch_of([new_turn(early, 1, derived(early, 0, [("my sister", "Rita"), ("Bee", "Biscuit")]))]))
        assert store.aliases("ana") == {"my sister": "Ines", "bee": "Biscuit"}

    # phrases

    @pytest.mark.parametrize(
        ("text", "phrase"),
        [
            ("We met at the Café Zürich, finally!", "cafe ZURICH"),
            ("It's a well-known place", "it's a WELL known"),
            ("他昨天去了北京大学读书", "北京大学"),
            ("वह हिन्दी बोलता है", "हिन्दी"),
            ("ผมรักแมวมาก", "แมว"),
            ("snake_case and 3.14", "snake case and 3 14"),
            ("say NEAR AND OR * now", 'near and "OR" *'),
            ("so happy 🎉 today", "happy today"),
        ],
    )
    def test_words_next_to_each_other_are_found(self, store: Store, text: str, phrase: str) -> None:
        made = batch([text, "something else"])
        store.add(made)
        assert store.phrase("ana", phrase) == ids(made)[:1]

    @pytest.mark.parametrize(
        "phrase",
        [
            "dog lazy",
            "lazy cat",
            "azy",
            "",
            "🎉",
            '"',
            "''; DROP TABLE turn",
            "\x00",
            "\ud800",
            "lazy* OR dog",
            "1·lazy",
            "x" * 100_000,
            "lazy " * 20_000,
        ],
    )
    def test_any_other_text_is_just_not_found(self, store: Store, phrase: str) -> None:
        store.add(batch(["the lazy dog"]))
        assert store.phrase("ana", phrase) == []

    def test_a_long_phrase_is_compared_to_its_end(self, store: Store) -> None:
        words = [f"w{n}" for n in range(100)]
        made = batch([" ".join(words), " ".join(words[:-1])])
        store.add(made)
        assert store.phrase("ana", " ".join(words)) == ids(made)[:1]
        assert store.phrase("ana", " ".join(words[:-1])) == ids(made)

    def test_phrases_see_captions_and_stop_at_the_limit(self, store: Store) -> None:
        made = [new_turn(turn("look", n, caption="a red barn"), n) for n in range(5)]
        store.add(batch_of(made))
        assert store.phrase("ana", "red barn", limit=3) == [new.turn.id for new in made[:3]]
        assert store.phrase("ana", "red barn", limit=0) == []

    # following changes

    def test_version_and_index_rows_tell_what_is_new(self, store: Store) -> None:
        assert store.version("ana") == (0, 0)
        made = batch(["a", "b"])
        store.add(made)
        epoch, last = store.version("ana")
        rows = list(store.index_rows("ana"))
        assert [row.turn for row in rows] == ids(made)
        assert [(r.session, r.position, r.speaker, r.role, r.at) for r in rows] == [
            ("s1", 0, "Maya", "user", START.timestamp()),
            ("s1", 1, "Maya", "user", START.timestamp() + 60),
        ]
        assert [(r.vector, r.terms, r.features) for r in rows] == [(n.vector, n.terms, n.features) for n in made.turns]
        assert rows[-1].seq == last
        more = batch(["c"], first=2)
        store.add(more)
        assert store.version("ana") > (epoch, last)
        assert store.version("ana")[0] == epoch
        assert [row.turn for row in store.index_rows("ana", after=last)] == ids(more)

    def test_a_turn_may_have_no_features(self, store: Store) -> None:
        without = replace(new_turn(turn("plain", 0)), features=b"")
        store.add(batch_of([without, new_turn(turn("rich", 1), 1)]))
        assert [len(row.features) for row in store.index_rows("ana")] == [0, 24]
        assert store.check() == []

    def test_index_rows_stream_over_many_turns(self, store: Store) -> None:
        said = [turn(str(n), n) for n in range(2_100)]
        store.add(batch_of([new_turn(one, n, Extraction(one.id)) for n, one in enumerate(said)]))
        rows = list(store.index_rows("ana"))
        assert [row.position for row in rows] == list(range(2_100))
        assert [row.seq for row in rows] == sorted({row.seq for row in rows})

    def test_a_space_that_was_emptied_never_shows_an_old_version(self, store: Store) -> None:
        seen = set()
        seqs: list[int] = []
        for _ in range(3):
            store.add(batch(["a", "b"]))
            assert store.version("ana") not in seen
            seen.add(store.version("ana"))
            seqs += [row.seq for row in store.index_rows("ana")]
            store.forget("ana")
            assert store.version("ana") == (0, 0)
        assert len(set(seqs)) == len(seqs)

    # forgetting

    def test_forgetting_a_turn_takes_all_that_hangs_on_it(self, store: Store) -> None:
        made = batch(["red apple", "green pear", "blue plum"])
        store.add(made)
        a, b, c = ids(made)
        before = store.version("ana")
        assert store.forget("ana", turn=b) == Forgotten(turns=1, facts=1, sessions=0)
        assert store.version("ana")[0] > before[0]
        assert [t.id for t in store.all_turns("ana")] == [a, c]
        assert [t.position for t in store.session_turns("ana", "s1")] == [0, 2]
        assert {f.turn for f in store.facts("ana")} == {m.turn for m in store.mentions("ana")} == {a, c}
        assert {e.turn for e in store.edges("ana")} == {row.turn for row in store.index_rows("ana")} == {a, c}
        assert store.facts("ana", entity="maya", turns=[b]) == []
        assert store.phrase("ana", "green pear") == []
        assert b not in store.known("ana", "s1").values()
        assert store.entities("ana") == {"Maya": ("person", 2), "Biscuit": ("animal", 2)}
        assert store.check() == []

    def test_what_another_turn_also_states_survives(self, store: Store) -> None:
        first, second = turn("Ines is my sister", 0), turn("my sister Ines", 1)
        for place, said in enumerate((first, second)):
            store.add(batch_of([new_turn(said, place, derived(said, 1, [("my sister", "Ines")]))]))
        store.forget("ana", turn=first.id)
        assert store.aliases("ana") == {"my sister": "Ines"}
        assert len(store.facts("ana", entity="maya")) == 1
        store.forget("ana", turn=second.id)
        assert store.aliases("ana") == {}

    def test_a_session_goes_with_its_last_turn(self, store: Store) -> None:
        made = batch(["only"])
        store.add(made)
        store.add(batch(["other"], session="s2"))
        assert store.forget("ana", turn=ids(made)[0]) == Forgotten(turns=1, facts=1, sessions=1)
        assert [name for name, _, _ in store.sessions("ana")] == ["s2"]

    def test_forgetting_a_session_or_a_space(self, store: Store) -> None:
        for session in ("s1", "s2"):
            store.add(batch(["a", "b"], session=session))
        store.add(batch(["a"], space="bob"))
        assert store.forget("ana", session="s1") == Forgotten(turns=2, facts=2, sessions=1)
        assert {t.session for t in store.all_turns("ana")} == {"s2"}
        assert store.forget("ana") == Forgotten(turns=2, facts=2, sessions=1)
        assert store.spaces() == ["bob"]
        assert store.stats("bob").turns == 1

    def test_forgetting_what_is_not_there_changes_nothing(self, store: Store) -> None:
        made = batch(["a"])
        store.add(made)
        before = store.version("ana")
        for space, turn_id, session in (
            ("ana", "unknown", None),
            ("ana", None, "unknown"),
            ("ana", ids(made)[0], "s2"),
            ("bob", ids(made)[0], None),
            ("bob", None, None),
        ):
            assert store.forget(space, turn=turn_id, session=session) == Forgotten()
        assert store.version("ana") == before

    def test_what_was_forgotten_can_be_added_again(self, store: Store) -> None:
        made = batch(["a", "b", "c"])
        store.add(made)
        store.forget("ana", turn=ids(made)[1])
        assert store.add(made) == ids(made)[1:2]
        assert [(t.text, t.position) for t in store.session_turns("ana", "s1")] == [("a", 0), ("c", 2), ("b", 3)]

    # replies of chat models

    def test_a_reply_is_kept_and_replaced(self, store: Store) -> None:
        made = batch(["a", "b"])
        store.add(made)
        assert store.cached_reply("ana", "k") is None
        assert store.keep_reply("ana", "k", "Ünï\x00 🎉", ids(made))
        assert store.keep_reply("ana", "none", "", [])
        assert store.cached_reply("ana", "k") == "Ünï\x00 🎉"
        assert store.cached_reply("ana", "none") == ""
        assert store.keep_reply("ana", "k", "newer", ids(made)[:1] * 3)
        assert store.cached_reply("ana", "k") == "newer"
        store.forget("ana", turn=ids(made)[1])
        assert store.cached_reply("ana", "k") == "newer"
        assert store.check() == []

    def test_a_reply_goes_with_any_turn_it_was_asked_about(self, store: Store) -> None:
        made, other = batch(["a", "b", "c"]), batch(["d"], session="s2")
        store.add(made)
        store.add(other)
        a, b, c = ids(made)
        for key, about in (("ab", [a, b]), ("bc", [b, c]), ("d", ids(other)), ("question", [])):
            assert store.keep_reply("ana", key, key, about)

        def left() -> list[str]:
            return [key for key in ("ab", "bc", "d", "question") if store.cached_reply("ana", key) is not None]

        store.forget("ana", turn="unknown")
        assert left() == ["ab", "bc", "d", "question"]
        store.forget("ana", turn=a)
        assert left() == ["bc", "d"]
        store.forget("ana", session="s1")
        assert left() == ["d"]
        store.forget("ana")
        assert left() == []
        store.add(made)
        assert left() == []
        assert store.check() == []

    def test_a_reply_about_what_is_not_there_is_not_kept(self, store: Store) -> None:
        made = batch(["a", "b"])
        store.add(made)
        store.add(batch(["a"], space="bob"))
        a, b = ids(made)
        store.forget("ana", turn=b)
        assert not store.keep_reply("ana", "k", "text", [a, b])
        assert not store.keep_reply("bob", "k", "text", [a])
        assert not store.keep_reply("nobody", "k", "text", [])
        assert not store.keep_reply("ana", "k", "a lone \ud800 surrogate", [a])
        assert store.cached_reply("ana", "k") is store.cached_reply("nobody", "k") is None
        assert store.spaces() == ["ana", "bob"]

    def test_replies_cross_no_spaces_and_change_no_version(self, store: Store) -> None:
        mine, theirs = batch(["my secret plan"]), batch(["my secret plan"], space="bob")
        store.add(mine)
        store.add(theirs)
        before = (store.version("ana"), store.stats("ana").facts)
        assert store.keep_reply("ana", "k", "mine", ids(mine))
        assert store.cached_reply("bob", "k") is None
        assert store.keep_reply("bob", "k", "theirs", ids(theirs))
        store.forget("bob")
        assert store.cached_reply("ana", "k") == "mine"
        assert (store.version("ana"), store.stats("ana").facts) == before

    # spaces

    def test_nothing_crosses_spaces(self, store: Store) -> None:
        mine, theirs = batch(["my secret plan"]), batch(["my secret plan"], space="bob")
        store.add(mine)
        assert store.add(theirs) == ids(theirs)
        (a,), (b,) = ids(mine), ids(theirs)
        assert store.turns("ana", [a, b]).keys() == {a}
        assert store.phrase("bob", "secret plan") == [b]
        assert store.facts("ana", turns=[b]) == store.facts("ana", ids=[digest(b, 0)]) == []
        assert store.mentions("ana", turns=[b]) == []
        assert [row.turn for row in store.index_rows("bob")] == [b]
        assert store.stats("ana").turns == store.stats("bob").turns == 1

    def test_the_same_turn_id_may_live_in_two_spaces(self, store: Store) -> None:
        for space in ("ana", "bob"):
            said = turn("hello", 0, space, id="shared")
            store.add(batch_of([new_turn(said)], space))
        store.forget("ana", turn="shared")
        assert list(store.turns("bob", ["shared"])) == ["shared"]

    @pytest.mark.parametrize("name", ["", "ANA", "ana'; --", "a\x00b", "ana ", "空間 🎉", "n" * 10_000])
    def test_any_name_of_a_space_is_just_a_name(self, store: Store, name: str) -> None:
        store.add(batch(["a"]))
        store.add(batch(["b"], space=name))
        assert store.spaces() == sorted(["ana", name])
        assert [t.text for t in store.all_turns(name)] == ["b"]

    def test_an_unknown_space_is_empty(self, store: Store) -> None:
        stats = store.stats("nobody")
        assert (stats.sessions, stats.turns, stats.facts, stats.entities, stats.first) == (0, 0, 0, 0, None)
        assert store.facts("nobody") == store.edges("nobody") == store.phrase("nobody", "a") == []
        assert store.entities("nobody") == store.aliases("nobody") == {}

    # the whole

    def test_stats_count_a_space(self, store: Store) -> None:
        said = turn("x", 0)
        plan = fact(said, 1, modality=Modality.PLANNED)
        store.add(batch_of([new_turn(said, 0, Extraction(said.id, (fact(said), plan), derived(said).mentions))]))
        store.add(batch(["y"], session="s2", first=30))
        stats = store.stats("ana")
        assert (stats.sessions, stats.turns, stats.facts, stats.entities) == (2, 2, 3, 2)
        assert (stats.first, stats.last) == (START, START + timedelta(minutes=30))
        assert stats.facts_by_modality == {"asserted": 2, "planned": 1}
        assert stats.bytes > 0

    def test_meta_names_the_model(self, store: Store) -> None:
        meta = store.meta()
        assert (meta["model"], meta["dimension"]) == ("test-model", DIMENSION)
        assert meta["schema"] >= 1
        assert meta["created"] <= datetime.now(UTC)
        assert meta["program"]

    def test_a_closed_store_says_so(self, store: Store) -> None:
        store.add(batch(["a"]))
        store.close()
        store.close()
        for use in (
            lambda: store.add(batch(["b"])),
            lambda: store.turns("ana", ["x"]),
            lambda: list(store.index_rows("ana")),
            lambda: store.version("ana"),
            lambda: store.forget("ana"),
            lambda: store.cached_reply("ana", "k"),
            lambda: store.keep_reply("ana", "k", "text", []),
            store.spaces,
            store.check,
            store.meta,
        ):
            with pytest.raises(StoreClosedError):
                use()

    # rules

    def test_rules_come_back_in_order_as_they_were_stated(self, store: Store) -> None:
        made = [rule("Big people are rough."), rule('"Ünïcode 🎉"; DROP TABLE rule;--'), rule("Bob is big.")]
        assert store.rules_version("ana") == 0
        assert store.add_rules("ana", made) == [r.id for r in made]
        assert store.rules("ana") == made
        assert store.rules("bo") == []
        assert store.spaces() == ["ana"]
        assert store.stats("ana").rules == 3

    def test_adding_rules_again_adds_nothing_and_a_new_reading_replaces_the_old(self, store: Store) -> None:
        made = [rule("Big people are rough."), rule("Bob is big.")]
        store.add_rules("ana", made)
        before = store.rules_version("ana")
        assert store.add_rules("ana", made) == []
        assert store.rules_version("ana") == before
        anew = replace(made[0], clauses="[1]", reader="chat", world="open")
        assert store.add_rules("ana", [anew, rule("Eve is big.")]) == [rule("Eve is big.").id]
        assert store.rules("ana") == [anew, made[1], rule("Eve is big.")]
        assert store.rules_version("ana") != before

    def test_rules_are_removed_by_id_in_their_space_alone(self, store: Store) -> None:
        made = [rule("Big people are rough."), rule("Bob is big.")]
        store.add_rules("ana", made)
        store.add_rules("bo", made)
        before = store.rules_version("ana")
        assert store.remove_rules("ana", [made[0].id, "rule-unknown"]) == [made[0].id]
        assert store.remove_rules("ana", [made[0].id]) == []
        assert store.remove_rules("nowhere", [made[0].id]) == []
        assert store.rules("ana") == made[1:]
        assert store.rules("bo") == made
        assert store.rules_version("ana") != before
        store.remove_rules("ana", [made[1].id])
        assert store.spaces() == ["bo"]

    def test_rules_go_with_their_space_and_stay_when_turns_go(self, store: Store) -> None:
        made = batch(["a", "b"])
        store.add(made)
        store.add_rules("ana", [rule("Bob is big.")])
        assert store.forget("ana", session="s1").rules == 0
        assert store.rules("ana") == [rule("Bob is big.")]
        store.add(made)
        gone = store.forget("ana")
        assert (gone.turns, gone.rules) == (2, 1)
        assert store.spaces() == []
        assert store.rules("ana") == []
        before = store.rules_version("ana")
        store.add_rules("ana", [rule("Bob is big.")])
        assert store.rules_version("ana") not in (0, before)
        assert store.check() == []


def rule(text: str) -> StatedRule:
    return StatedRule(f"rule-{digest(text)}", text, "[]", "closed", "grammar")
