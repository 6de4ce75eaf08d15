"""Laws: what is encoded reads back, filters follow logic, ids never mix, and memories travel with the store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem import InputError
from goalmem.integrations.mem0.lookup import predicate
from goalmem.integrations.mem0.rows import Deletion, Deletions, MemoryChange, Version, decode, encode
from goalmem.integrations.mem0.scope import MemoryScope, owner_of

from .conftest import MAYA, Opened, added

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)
payloads = st.dictionaries(st.text(), values, max_size=4)
versions = st.builds(Version, st.text(), st.text(), st.integers(0, 99), payloads, st.text())
changes = st.builds(MemoryChange, st.text(), st.text(), st.text(), st.booleans(), payloads)
ends = st.builds(
    Deletions, st.lists(st.builds(Deletion, st.text(), st.text(), st.text(), payloads, st.just([])), max_size=3)
)

NAMES = st.sampled_from(["topic", "stars"])
held = st.dictionaries(NAMES, st.sampled_from(["sport", "food", 1, 2.5, True, ["sport", 2]]))
conditions = st.one_of(
    st.sampled_from(["sport", "food", 1, True, "*"]),
    st.builds(lambda op, value: {op: value}, st.sampled_from(["eq", "ne"]), st.sampled_from(["sport", 1, True])),
    st.builds(lambda op, value: {op: value}, st.sampled_from(["gt", "gte", "lt", "lte"]), st.integers(0, 3)),
    st.builds(lambda op, value: {op: value}, st.sampled_from(["in", "nin"]), st.just(["sport", 2])),
)
filters = st.dictionaries(NAMES, conditions, max_size=2)
words = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=12)


@given(versions | changes | ends)
def test_what_is_encoded_reads_back(row: Any):
    assert decode(encode(row)) == row


@given(
    st.text() | st.text().map(lambda tail: f"mem0 version {tail}") | values.map(lambda v: f"mem0 ends {json.dumps(v)}")
)
def test_any_other_id_is_no_row(text: str):
    assert decode(text) is None or json.loads(text.split(" ", 2)[2])


@given(held, filters, filters)
def test_filters_follow_logic(fields: dict[str, Any], one: dict[str, Any], other: dict[str, Any]):
    def meets(asked: dict[str, Any]) -> bool:
        return predicate(asked)(fields)

    first, second = meets(one), meets(other)
    assert meets({"AND": [one, other]}) == (first and second)
    assert meets({"OR": [one, other]}) == (first or second)
    assert meets({"NOT": [one, other]}) == (not first and not second)
    assert meets({"NOT": [{"NOT": [one]}]}) == first
    assert meets(one) == all(meets({name: condition}) for name, condition in one.items())


@given(st.none() | words, st.none() | words, st.none() | words)
def test_ids_never_share_a_place(user: str | None, agent: str | None, run: str | None):
    scope = MemoryScope(user, agent, run)
    if not scope.ids:
        return
    place = scope.space, scope.session
    for other in (
        MemoryScope(agent, user, run),
        MemoryScope(run, agent, user),
        MemoryScope(user, run, agent),
        MemoryScope(user, None, run),
    ):
        if other != scope and other.ids and set(other.ids) == set(scope.ids):
            assert (other.space, other.session) != place
    name = next(iter(scope.ids))
    assert owner_of(scope.space) == {name: scope.ids[name]}


@given(st.sampled_from(["user:", "agent:", "run:", ""]), words)
def test_a_users_space_is_no_agents(mark: str, name: str):
    spaces = [
        MemoryScope(mark + name).space,
        MemoryScope(None, mark + name).space,
        MemoryScope(None, None, mark + name).space,
    ]
    assert len(set(spaces)) == 3
    assert owner_of(spaces[0]) == {"user_id": mark + name}


@given(st.dictionaries(st.text() | st.sampled_from(["AND", "OR", "NOT", "topic"]), values, max_size=3))
def test_any_filter_is_one_or_is_refused(asked: dict[str, Any]):
    try:
        predicate(asked)({"topic": "sport"})
    except InputError as refused:
        assert refused.remedy


def test_memories_travel_with_an_export(opened: Opened, tmp_path: Path):
    memory = opened(tmp_path / "one.db")
    id_ = added(memory, "I like tea.", metadata={"a": [1, "\x00"]}, run_id="r")
    gone = added(memory, "I like rain.")
    memory.update(id_, text="I like coffee.")
    memory.update(id_, metadata={"b": 2})
    memory.delete(gone)
    memory.goalmem.export(tmp_path / "all.jsonl")
    other = opened(tmp_path / "two.db")
    other.goalmem.import_(tmp_path / "all.jsonl")
    assert other.get(id_) == memory.get(id_)
    assert other.history(id_) == memory.history(id_)
    assert other.history(gone) == memory.history(gone)
    assert other.get_all(filters=MAYA) == memory.get_all(filters=MAYA)


def test_memories_that_were_imported_keep_their_ids(opened: Opened, tmp_path: Path):
    from goalmem.integrations.importers import import_history

    ids = [f"892db2ae-06d9-49e5-8b3e-585ef9b85b8{n}" for n in range(2)]
    rows = [{"id": id_, "memory": f"I like tea number {n}.", "user_id": "maya"} for n, id_ in enumerate(ids)]
    (tmp_path / "mem0.json").write_text(json.dumps({"results": rows}))
    memory = opened(tmp_path / "life.db")
    import_history(memory.goalmem, tmp_path / "mem0.json", "mem0", space="{user}")
    assert {row["id"] for row in memory.get_all(filters=MAYA)["results"]} == set(ids)
    memory.update(ids[0], text="I like coffee.")
    memory.delete(ids[1])
    assert [row["event"] for row in memory.history(ids[0])] == ["ADD", "UPDATE"]
    assert [row["id"] for row in memory.get_all(filters=MAYA)["results"]] == ids[:1]


@pytest.mark.parametrize("other", ["maya", "ruben"])
def test_the_same_message_id_in_two_sessions_loses_nothing(opened: Opened, tmp_path: Path, other: str):
    memory = opened(tmp_path / "life.db")
    id_ = "892db2ae-06d9-49e5-8b3e-585ef9b85b8e"
    memory.goalmem.add([{"role": "user", "content": "I like tea.", "id": id_}], space="maya", session="one")
    memory.goalmem.add([{"role": "user", "content": "I like rain.", "id": id_}], space=other, session="two")
    memory.get_all(filters=MAYA)
    again = opened(tmp_path / "life.db")
    again.get_all(filters=MAYA)
    assert sum(again.goalmem.stats(space=space).turns for space in again.goalmem.spaces()) == 2
