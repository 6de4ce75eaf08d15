"""The same signatures, shapes and errors as mem0 itself, where it is installed (with models that are stubs)."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goalmem.integrations import mem0 as ours

from .conftest import MAYA, TOLD

pytestmark = pytest.mark.filterwarnings("default")  # what mem0 and its packages warn of is not ours

STUB_DIMENSION = 8
PUBLIC = (
    "add",
    "search",
    "get",
    "get_all",
    "update",
    "delete",
    "delete_all",
    "history",
    "reset",
    "chat",
    "close",
    "from_config",
)


class StubEmbedder:
    """A vector for any text."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        del memory_action
        return [1.0 + (zlib.crc32(text.encode()) >> bit) % 2 for bit in range(STUB_DIMENSION)]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """mem0's package; skips where it is missing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEM0_TELEMETRY", "False")
        patch.setenv("MEM0_DIR", str(tmp_path_factory.mktemp("mem0")))
        yield pytest.importorskip("mem0", minversion="2.2")


@pytest.fixture
def pair(
    theirs: Any, memory: ours.Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Any, ours.Memory]]:
    """One of theirs and one of ours, both empty."""
    from mem0.memory import main

    monkeypatch.setattr(main.EmbedderFactory, "create", lambda *_: StubEmbedder())
    monkeypatch.setattr(main.LlmFactory, "create", lambda *_: None)
    # These would load a spaCy model, and fetch it first.
    monkeypatch.setattr(main, "lemmatize_for_bm25", lambda text: text)
    monkeypatch.setattr(main, "extract_entities", lambda _: [])
    vectors = {"path": str(tmp_path / "q"), "embedding_model_dims": STUB_DIMENSION, "collection_name": "notes"}
    config = {
        "vector_store": {"provider": "qdrant", "config": vectors},
        "history_db_path": str(tmp_path / "history.db"),
    }
    with theirs.Memory.from_config(config) as real:
        yield real, memory
        real.vector_store.client.close()


@pytest.mark.parametrize("kind", ["Memory", "AsyncMemory"])
@pytest.mark.parametrize("name", PUBLIC)
def test_parameters_and_defaults_are_the_same(theirs: Any, kind: str, name: str):
    def parameters(module: Any) -> list[tuple[object, ...]]:
        method = getattr(getattr(module, kind), name)
        given = list(inspect.signature(method).parameters.values())
        # Each has a sentinel of its own for what is not given.
        return [(p.name, p.kind, "unset" if type(p.default) is object else p.default) for p in given]

    assert parameters(ours) == parameters(theirs)
    mine, other = getattr(getattr(ours, kind), name), getattr(getattr(theirs, kind), name)
    assert inspect.iscoroutinefunction(mine) == inspect.iscoroutinefunction(other)


def shape(value: object) -> object:
    """Names and types of what is returned; values, and the order of memories, left out."""
    if isinstance(value, dict):
        return {name: shape(held) for name, held in sorted(value.items()) if name != "score_details"}
    if isinstance(value, list):
        return sorted((shape(one) for one in value), key=repr)
    return type(value).__name__


def test_what_is_returned_has_the_same_shape(pair: tuple[Any, ours.Memory]):
    def use(memory: Any) -> list[object]:
        messages = [*TOLD, {"role": "user"}]
        seen: list[Any] = [memory.add(messages, metadata={"topic": "pets", "n": 1}, infer=False, **MAYA)]
        id_ = seen[0]["results"][0]["id"]
        seen += [memory.add("I like tea.", infer=False, expiration_date="2999-01-01", user_id="ruben", run_id="r")]
        seen += [memory.get(id_), memory.get("00000000-0000-4000-8000-000000000000")]
        seen += [memory.get_all(filters=MAYA), memory.get_all(filters={"run_id": "r"})]
        seen += [memory.search("tea", filters={"user_id": "ruben"})]
        seen += [memory.update(id_, text="I adopted a poodle.", metadata={"n": 2}), memory.get(id_)]
        seen += [memory.update(id_, expiration_date=None), memory.get(id_)]
        seen += [memory.history(id_), memory.history("00000000-0000-4000-8000-000000000000")]
        seen += [memory.delete(id_), memory.get(id_), memory.delete_all(user_id="ruben")]
        seen += [memory.get_all(filters={"user_id": "ruben"}), memory.reset(), memory.get_all(filters=MAYA)]
        return [shape(one) for one in seen]

    real, own = pair
    for theirs, mine in zip(use(real), use(own), strict=True):
        assert mine == theirs


def test_history_tells_the_same_words(pair: tuple[Any, ours.Memory]):
    def use(memory: Any) -> list[object]:
        (row,) = memory.add([{"role": "user", "name": "Nadia", "content": "tea"}], infer=False, **MAYA)["results"]
        memory.update(row["id"], text="coffee")
        memory.update(row["id"], metadata={"a": 1})
        told = [
            {name: event[name] for name in event if name not in ("id", "memory_id")}
            for event in memory.history(row["id"])
        ]
        return [{name: held for name, held in event.items() if not name.endswith("_at")} for event in told]

    real, own = pair
    assert use(own) == use(real)


MISSING = "00000000-0000-4000-8000-000000000000"
REFUSED: list[Callable[[Any], object]] = [
    lambda m: m.add("tea"),
    lambda m: m.add("tea", user_id="two words"),
    lambda m: m.add("tea", user_id=" "),
    lambda m: m.add(5, user_id="maya"),
    lambda m: m.add("tea", user_id="maya", memory_type="semantic"),
    lambda m: m.add("tea", user_id="maya", expiration_date="soon"),
    lambda m: m.search("tea"),
    lambda m: m.search("", filters=MAYA),
    lambda m: m.search("tea", user_id="maya"),
    lambda m: m.search("tea", filters=MAYA, top_k=-1),
    lambda m: m.search("tea", filters=MAYA, top_k="5"),
    lambda m: m.search("tea", filters=MAYA, threshold=2),
    lambda m: m.search("tea", filters=MAYA | {"a": {"like": "b"}}),
    lambda m: m.search("tea", filters=MAYA | {"OR": []}),
    lambda m: m.search("tea", filters=MAYA | {"AND": {}}),
    lambda m: m.get_all(),
    lambda m: m.get_all(user_id="maya"),
    lambda m: m.get_all(filters={"a": 1}),
    lambda m: m.update(MISSING, text="tea"),
    lambda m: m.update(MISSING),
    lambda m: m.delete(MISSING),
    lambda m: m.delete_all(),
    lambda m: m.chat("tea"),
]


@pytest.mark.parametrize("place", range(len(REFUSED)))
def test_what_is_refused_is_refused_with_the_same_kind_of_error(pair: tuple[Any, ours.Memory], place: int):
    real, own = pair
    with pytest.raises(Exception, match=r".") as theirs:
        REFUSED[place](real)
    with pytest.raises(Exception, match=r".") as mine:
        REFUSED[place](own)
    names = {kind.__name__ for kind in type(mine.value).__mro__}
    assert type(theirs.value).__name__ in names
    assert getattr(mine.value, "error_code", None) == getattr(theirs.value, "error_code", None)


# Without `contains`: a part of a word for mem0's documentation and for us, whole words for its local store.
FILTERS: list[dict[str, Any]] = [
    {"topic": "sport"},
    {"topic": {"ne": "sport"}},
    {"topic": {"in": ["sport", "food"]}},
    {"topic": {"nin": ["sport"]}},
    {"topic": ["food"]},
    {"stars": {"gt": 2}},
    {"stars": {"gte": 2, "lt": 5}},
    {"tags": "snow"},
    {"tags": {"in": ["sun"]}},
    {"sure": True},
    {"AND": [{"topic": "sport"}, {"stars": {"gt": 1}}]},
    {"OR": [{"topic": "food"}, {"stars": {"gt": 4}}]},
    {"NOT": [{"topic": "sport"}]},
    {"created_at": {"gte": "2020-01-01"}},
    {"run_id": "r"},
]


def test_filters_let_the_same_memories_through(pair: tuple[Any, ours.Memory]):
    def use(memory: Any) -> list[list[str]]:
        for text, metadata in (
            ("I love hiking.", {"topic": "sport", "stars": 5, "tags": ["snow", "sun"]}),
            ("I hate olives.", {"topic": "food", "stars": 2, "sure": True}),
            ("I play chess.", {"topic": "games", "stars": 4.5}),
            ("I sleep.", {}),
        ):
            memory.add(text, metadata=metadata, infer=False, **MAYA)
        memory.add("I run.", infer=False, run_id="r", **MAYA)
        found = [memory.search("I", filters=MAYA | one, threshold=0.0) for one in FILTERS]
        listed = [memory.get_all(filters=MAYA | one) for one in FILTERS]
        return [sorted(row["memory"] for row in result["results"]) for result in (*found, *listed)]

    real, own = pair
    for place, (theirs, mine) in enumerate(zip(use(real), use(own), strict=True)):
        assert mine == theirs, FILTERS[place % len(FILTERS)]


def test_a_configuration_of_theirs_names_our_place(theirs: Any, tmp_path: Path):
    from mem0.configs.base import MemoryConfig

    vectors = {"provider": "qdrant", "config": {"path": str(tmp_path), "collection_name": "notes"}}
    with ours.Memory(MemoryConfig(vector_store=vectors)):
        assert (tmp_path / "notes.goalmem").is_file()
