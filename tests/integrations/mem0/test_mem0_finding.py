"""`search` and `get_all`: whose memories, which of them, in what shape."""

from __future__ import annotations

from typing import Any

import pytest

from goalmem import InputError
from goalmem.integrations.mem0 import Memory

from .conftest import MAYA, added, texts

SPORT = {"user_id": "maya", "topic": "sport"}


def test_the_best_memory_comes_first_with_a_score(furnished: Memory):
    found = furnished.search("Where does she go hiking?", filters=MAYA)["results"]
    assert found[0]["memory"] == "I love hiking in the Alps."
    assert [row["score"] for row in found] == sorted((row["score"] for row in found), reverse=True)
    assert all(0 <= row["score"] <= 1 for row in found)
    assert set(found[0]) == {
        "id",
        "memory",
        "hash",
        "metadata",
        "score",
        "created_at",
        "updated_at",
        "user_id",
        "role",
        "attributed_to",
    }


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"user_id": "ruben"}, ["I love hiking in the Andes."]),
        ({"agent_id": "guide"}, ["The train leaves at nine.", "Always answer politely."]),
        ({"run_id": "trip"}, ["The train leaves at nine.", "The door code was changed."]),
        ({"agent_id": "guide", "run_id": "trip"}, ["The train leaves at nine."]),
        ({"user_id": "maya", "agent_id": "guide"}, ["The train leaves at nine."]),
        ({"user_id": "maya", "agent_id": "other"}, []),
        ({"user_id": "nobody"}, []),
        ({"user_id": "*", "topic": "sport"}, ["I love hiking in the Alps.", "I love hiking in the Andes."]),
        ({"user_id": "agent:guide"}, []),
    ],
)
def test_memories_belong_to_users_agents_and_runs(furnished: Memory, filters: dict[str, Any], expected: list[str]):
    assert sorted(texts(furnished.get_all(filters=filters))) == sorted(expected)
    assert sorted(texts(furnished.search("all", filters=filters, threshold=0.0))) == sorted(expected)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"topic": "sport"}, ["Alps"]),
        ({"topic": {"eq": "sport"}}, ["Alps"]),
        ({"topic": {"ne": "sport"}}, ["olives", "chess"]),
        ({"topic": {"in": ["sport", "food"]}}, ["Alps", "olives"]),
        ({"topic": ["sport", "food"]}, ["Alps", "olives"]),
        ({"topic": {"nin": ["sport", "food"]}}, ["chess"]),
        ({"stars": {"gt": 4.5}}, ["Alps"]),
        ({"stars": {"gte": 4.5}}, ["Alps", "chess"]),
        ({"stars": {"lt": 4, "gte": 1}}, ["olives"]),
        ({"stars": {"lte": 2}}, ["olives"]),
        ({"topic": {"contains": "ame"}}, ["chess"]),
        ({"topic": {"contains": "game"}}, []),
        ({"topic": {"icontains": "game"}}, ["chess"]),
        ({"topic": "*"}, ["Alps", "olives", "chess"]),
        ({"sure": True}, ["olives"]),
        ({"sure": 1}, []),
        ({"tags": "snow"}, ["Alps"]),
        ({"tags": {"in": ["sun", "rain"]}}, ["Alps"]),
        ({"role": "user", "topic": "food"}, ["olives"]),
        ({"data": {"contains": "olives"}}, ["olives"]),
        ({"created_at": {"gte": "2020-01-01"}, "topic": "food"}, ["olives"]),
        ({"created_at": {"lt": "2020-01-01T00:00:00Z"}}, []),
        ({"AND": [{"topic": "sport"}, {"stars": {"gt": 1}}]}, ["Alps"]),
        ({"AND": []}, ["Alps", "olives", "chess", "train"]),
        ({"OR": [{"topic": "sport"}, {"stars": {"lt": 3}}]}, ["Alps", "olives"]),
        ({"NOT": [{"topic": "sport"}, {"topic": "food"}]}, ["chess", "train"]),
        ({"topic": "*", "NOT": [{"topic": "sport"}]}, ["olives", "chess"]),
        ({"OR": [{"AND": [{"topic": "sport"}, {"stars": 5}]}, {"NOT": [{"topic": "*"}]}]}, ["Alps", "train"]),
        ({"$or": [{"topic": "sport"}]}, ["Alps"]),
    ],
)
def test_filters_keep_what_meets_them(furnished: Memory, filters: dict[str, Any], expected: list[str]):
    wanted = {"user_id": "maya"} | filters
    listed, found = furnished.get_all(filters=wanted), furnished.search("anything", filters=wanted, threshold=0.0)
    for given in (listed, found):
        assert len(given["results"]) == len(expected)
        assert all(any(word in text for text in texts(given)) for word in expected)


@pytest.mark.parametrize(
    "filters",
    [
        None,
        {},
        {"topic": "sport"},
        {"AND": [{"user_id": "maya"}]},
        {"user_id": None},
        {"user_id": ""},
        {"user_id": "two words"},
        {"user_id": {"in": ["maya", "ruben"]}},
        ["user_id", "maya"],
        {"user_id": "maya", "topic": {"like": "s%"}},
        {"user_id": "maya", "topic": {}},
        {"user_id": "maya", "topic": None},
        {"user_id": "maya", "topic": {"in": "sport"}},
        {"user_id": "maya", "topic": {"contains": 5}},
        {"user_id": "maya", "stars": {"gt": "many"}},
        {"user_id": "maya", "AND": {"topic": "sport"}},
        {"user_id": "maya", "OR": []},
        {"user_id": "maya", "NOT": []},
        {"user_id": "maya", "OR": ["topic"]},
        {"user_id": "maya", 5: "sport"},
    ],
)
def test_what_is_no_filter_is_refused(furnished: Memory, filters: Any):
    for call in (lambda: furnished.get_all(filters=filters), lambda: furnished.search("tea", filters=filters)):
        with pytest.raises(ValueError, match=r"\w") as refused:
            call()
        assert isinstance(refused.value, InputError)


def test_filters_nested_without_end_are_refused(furnished: Memory):
    nested: dict[str, Any] = {"topic": "sport"}
    for _ in range(5_000):
        nested = {"AND": [nested]}
    with pytest.raises(InputError, match="nested"):
        furnished.get_all(filters=MAYA | nested)


@pytest.mark.parametrize("name", ["user_id", "agent_id", "run_id"])
def test_ids_beside_the_filters_are_refused(furnished: Memory, name: str):
    with pytest.raises(ValueError, match=r"filters=\{"):
        furnished.search("tea", **{name: "maya"})
    with pytest.raises(ValueError, match=r"filters=\{"):
        furnished.get_all(**{name: "maya"})


@pytest.mark.parametrize(
    "options",
    [
        {"top_k": -1},
        {"top_k": True},
        {"top_k": "5"},
        {"top_k": 1.5},
        {"threshold": 1.5},
        {"threshold": -0.1},
        {"threshold": "0.5"},
        {"threshold": float("nan")},
        {"reference_date": "soon"},
        {"query": ""},
        {"query": "  "},
        {"query": None},
        {"query": 5},
    ],
)
def test_values_out_of_range_are_refused(furnished: Memory, options: dict[str, Any]):
    given: dict[str, Any] = {"query": "tea", "filters": MAYA} | options
    with pytest.raises(ValueError, match=r"\w") as refused:
        furnished.search(**given)
    assert isinstance(refused.value, InputError)


def test_any_query_is_just_text(furnished: Memory):
    for query in ("\x00\ud800", 'a" OR 1=1 --', "?" * 100_000, "😀"):
        furnished.search(query, filters=MAYA)


def test_as_many_as_are_wanted(furnished: Memory):
    assert len(furnished.get_all(filters=MAYA, top_k=2)["results"]) == 2
    assert len(furnished.search("all", filters=MAYA, top_k=2, threshold=0.0)["results"]) == 2
    assert furnished.search("all", filters=MAYA, top_k=0) == {"results": []}
    assert furnished.get_all(filters=MAYA, top_k=0) == {"results": []}
    assert len(furnished.search("all", filters=MAYA, limit=1, threshold=0.0)["results"]) == 1, "mem0 1's name"


def test_what_filters_leave_over_is_found_however_far_down(memory: Memory):
    chosen = added(memory, "I bought a green umbrella.", metadata={"kept": True})
    memory.add([{"role": "user", "content": f"I went hiking on mountain {n}."} for n in range(90)], **MAYA)
    found = memory.search("hiking on a mountain", filters={"user_id": "maya", "kept": True}, threshold=0.0, top_k=1)
    assert [row["id"] for row in found["results"]] == [chosen]


def test_the_threshold_is_the_least_score(furnished: Memory):
    every = furnished.search("hiking", filters=MAYA, threshold=0.0)["results"]
    least = every[0]["score"]
    assert [row["score"] for row in furnished.search("hiking", filters=MAYA, threshold=least)["results"]] == [least]
    assert furnished.search("hiking", filters=MAYA, threshold=1.0) == {"results": []}
    assert furnished.search("hiking", filters=MAYA, threshold=None) == furnished.search("hiking", filters=MAYA)


def test_scores_are_explained(furnished: Memory):
    best = furnished.search("hiking", filters=MAYA, explain=True, rerank=True)["results"][0]
    details = best["score_details"]
    assert details["final_score"] == best["score"]
    assert details["threshold"] == 0.1
    assert 0 < details["semantic_score"] <= 1
    assert details["raw_score"] == pytest.approx(sum(details["signals"].values()), abs=0.01)


def test_a_reference_date_leaves_out_what_was_said_later(memory: Memory):
    added(memory, "I live in Ghent.", timestamp="2024-01-01")
    added(memory, "I live in Bruges.", timestamp="2024-06-01")
    assert texts(memory.search("Where do I live?", filters=MAYA, reference_date="2024-02-01")) == ["I live in Ghent."]


def test_what_goalmem_remembers_is_a_memory_too(memory: Memory):
    memory.goalmem.add([{"role": "user", "name": "Maya", "content": "I like tea."}], space="maya", at="2024-01-01")
    (row,) = memory.get_all(filters=MAYA)["results"]
    assert (row["memory"], row["actor_id"], row["user_id"]) == ("I like tea.", "Maya", "maya")
    memory.update(row["id"], text="I like coffee.", metadata={"sure": True})
    kept = memory.get(row["id"])
    assert kept is not None
    assert (kept["memory"], kept["metadata"], kept["actor_id"]) == ("I like coffee.", {"sure": True}, "Maya")
    assert kept["created_at"] == "2024-01-01T00:00:00+00:00"
    memory.delete(row["id"])
    assert memory.get_all(filters=MAYA) == {"results": []}


def test_what_is_remembered_can_be_asked_and_proved(memory: Memory):
    memory.add("I adopted a beagle last Friday.", **MAYA)
    answer = memory.ask("What did I adopt?", user_id="maya")
    assert answer.text == "beagle"
    assert memory.goalmem.verify(answer.proof).ok
    assert memory.goalmem.turn(answer.citations[0], space=memory.space_of(user_id="maya"))
    assert not memory.ask("What did I adopt?", user_id="ruben").known
    for ids in ({}, {"user_id": "maya", "run_id": "x"}):
        with pytest.raises(InputError):
            memory.ask("What did I adopt?", **ids)


def test_chat_is_not_done_as_in_mem0(memory: Memory):
    with pytest.raises(NotImplementedError, match="ask"):
        memory.chat("Hello?")
