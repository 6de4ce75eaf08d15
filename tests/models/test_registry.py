"""Embedders are chosen by name, combined, and found again by the name that a store keeps."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import InputError
from goalmem.models import registry
from goalmem.models.minilm import MiniLM
from goalmem.models.registry import AUTO, CHOICES, CombinedEmbedder, embedder_named, make_embedder, minilm_of
from goalmem.settings import EmbedderChoice


class Fixed:
    """Embeds a text as the angle that it names."""

    def __init__(self, name: str, queries: float = 0.0) -> None:
        self.name, self.dimension, self.turned = name, 2, queries

    def embed(self, texts):
        angles = np.array([float(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def embed_queries(self, texts):
        return self.embed([str(float(text) + self.turned) for text in texts])


@pytest.fixture(autouse=True)
def _all_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "package_folder", lambda *_: None)


def test_the_setting_offers_every_embedder():
    assert get_args(EmbedderChoice) == (AUTO, *CHOICES)


def test_the_names_of_embedders_differ():
    assert len({make_embedder(choice).name for choice in CHOICES}) == len(CHOICES)


@pytest.mark.parametrize("choice", CHOICES)
def test_an_embedder_is_found_again_by_its_name(choice: str):
    made = make_embedder(choice)
    found = embedder_named(made.name)
    assert found is not None
    assert (found.name, found.dimension) == (made.name, made.dimension)


@pytest.mark.parametrize("name", ["", "another", "0.5 another + 0.5 yet another", " + ", "1 ", "nan x"])
def test_the_name_of_another_embedder_finds_none(name: str):
    assert embedder_named(name) is None


def test_shares_of_another_version_are_kept():
    made = CombinedEmbedder([(make_embedder("static"), 0.8), (make_embedder("minilm"), 0.2)])
    found = embedder_named(made.name)
    assert found is not None
    assert found.name == made.name


@pytest.mark.parametrize("choice", ["", "MiniLM", "minilm+", "minilm+minilm", "bert", "e5 + static"])
def test_an_unknown_name_is_answered_with_the_choices(choice: str):
    with pytest.raises(InputError, match=r"There is no embedder") as caught:
        make_embedder(choice)
    assert all(known in caught.value.remedy for known in (AUTO, *CHOICES))


@given(
    weights=st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)),
    angles=st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
)
def test_a_combined_cosine_is_the_weighted_mean(weights: tuple[float, float], angles: tuple[float, float]):
    combined = CombinedEmbedder([(Fixed("a"), weights[0]), (Fixed("b", 1.0), weights[1])])
    passage, query = combined.embed([str(angles[0])])[0], combined.embed_queries([str(angles[1])])[0]
    expected = np.average([np.cos(angles[1] - angles[0]), np.cos(angles[1] + 1 - angles[0])], weights=weights)
    assert np.isclose(passage @ query, expected, atol=1e-4)
    assert np.isclose(np.linalg.norm(passage), 1, atol=1e-5)


def test_the_name_of_a_combination_says_what_counts_how_much():
    assert CombinedEmbedder([(Fixed("a"), 1), (Fixed("b"), 3)]).name == "0.25 a + 0.75 b"
    assert CombinedEmbedder([(Fixed("a"), 1), (Fixed("b"), 3)]).dimension == 4


@pytest.mark.parametrize("parts", [[], [(Fixed("a"), 0)], [(Fixed("a"), 1), (Fixed("b"), -1)], [(Fixed("a"), np.nan)]])
def test_a_combination_needs_weights(parts: list[tuple[Fixed, float]]):
    with pytest.raises(InputError, match="weight"):
        CombinedEmbedder(parts)


def test_the_minilm_of_an_embedder_is_the_one_it_has():
    model = MiniLM()
    assert minilm_of(model) is model
    assert minilm_of(CombinedEmbedder([(Fixed("a"), 1), (model, 1)])) is model
    assert isinstance(minilm_of(Fixed("a")), MiniLM)
