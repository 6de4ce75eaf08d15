"""Models of sentence-transformers: a real one where the package is there, made here; else a stand-in with its interface."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from goalmem import Memory
from goalmem.errors import InputError, ModelError, OtherModelError
from goalmem.models.registry import make_embedder
from goalmem.models.sentence_transformers import SentenceTransformerEmbedder
from goalmem.settings import Settings
from goalmem_lab.evals.cache import NoAnalysis

REAL = importlib.util.find_spec("sentence_transformers") is not None
SIZE = 16


class StandIn:
    """As much of SentenceTransformer as is used."""

    def __init__(self, folder: str, *, local_files_only: bool, truncate_dim: int | None) -> None:
        assert local_files_only
        self.prompts = json.loads((Path(folder) / "config_sentence_transformers.json").read_text())["prompts"]
        self.seed = len((Path(folder) / "model.safetensors").read_bytes())
        self.size = truncate_dim or SIZE

    def encode(self, texts: list[str], *, prompt: str | None = None, show_progress_bar: bool) -> np.ndarray:
        assert not show_progress_bar
        rows = np.full((len(texts), SIZE), 0.1, dtype=np.float32)
        for row, text in enumerate(texts):
            for byte in f"{prompt or ''}{text}".encode():
                rows[row, (byte + self.seed) % SIZE] += 1
        return rows[:, : self.size]

    def encode_query(self, texts: list[str], *, prompt: str | None, show_progress_bar: bool) -> np.ndarray:
        return self.encode(texts, prompt=prompt or self.prompts["query"], show_progress_bar=show_progress_bar)

    def encode_document(self, texts: list[str], *, prompt: str | None, show_progress_bar: bool) -> np.ndarray:
        return self.encode(texts, prompt=prompt or self.prompts["document"], show_progress_bar=show_progress_bar)


def real_model(folder: Path, seed: int, prompts: dict[str, str]) -> None:
    """A tiny model with weights that nothing was learnt by."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    letters = [chr(code) for code in range(97, 123)]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = [*special, *letters, *(f"##{letter}" for letter in letters), ":", "."]
    pieces = Tokenizer(models.WordPiece({word: n for n, word in enumerate(words)}, unk_token=special[1]))
    pieces.normalizer, pieces.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    raw = folder.with_name(f"{folder.name}-raw")
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=pieces, model_max_length=64, **names).save_pretrained(raw)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(words), hidden_size=SIZE, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(raw)
    parts = [modules.Transformer(str(raw)), modules.Pooling(SIZE)]
    SentenceTransformer(modules=parts, prompts=prompts).save(str(folder))


def stand_in_model(folder: Path, seed: int, prompts: dict[str, str]) -> None:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    (folder / "model.safetensors").write_bytes(bytes(seed))


@pytest.fixture(scope="module", autouse=True)
def _package() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        if not REAL:
            package = ModuleType("sentence_transformers")
            package.SentenceTransformer = StandIn
            find = importlib.util.find_spec
            patch.setitem(sys.modules, "sentence_transformers", package)
            patch.setattr(
                importlib.util, "find_spec", lambda name: find("json" if name == "sentence_transformers" else name)
            )
        yield


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models: plain, another one, and one with prompts."""
    folder = tmp_path_factory.mktemp("models")
    make = real_model if REAL else stand_in_model
    make(folder / "one", 1, {"query": "", "document": ""})
    make(folder / "two", 2, {"query": "", "document": ""})
    make(folder / "asym", 1, {"query": "query: ", "document": "passage: "})
    return folder


def test_vectors_are_of_unit_length_and_the_same_in_any_company(models: Path):
    model = SentenceTransformerEmbedder(str(models / "one"))
    texts = ["a beagle", "", "b" * 9_000, "a lone \ud800 surrogate", "we moved to lisbon"]
    vectors = model.embed(texts)
    assert vectors.shape == (5, SIZE) == (5, model.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(vectors[4], model.embed(texts[4:])[0], atol=1e-5)
    assert not np.allclose(vectors[0], vectors[4], atol=1e-3)
    assert np.allclose(model.embed_queries(texts), vectors, atol=1e-5)
    assert model.embed([]).shape == (0, SIZE)


def test_prompts_are_the_models_own_unless_others_are_given(models: Path):
    plain, own = (SentenceTransformerEmbedder(str(models / name)) for name in ("one", "asym"))
    given = SentenceTransformerEmbedder(str(models / "one"), query_prefix="query: ", passage_prefix="passage: ")
    expected = plain.embed(["query: a dog", "passage: a dog"])
    for model in (own, given):
        assert np.allclose(model.embed_queries(["a dog"])[0], expected[0], atol=1e-5)
        assert np.allclose(model.embed(["a dog"])[0], expected[1], atol=1e-5)


def test_the_name_is_of_the_files_the_dimension_and_the_prefixes(models: Path, tmp_path: Path):
    made = [
        SentenceTransformerEmbedder(str(models / "one")),
        SentenceTransformerEmbedder(str(models / "two")),
        SentenceTransformerEmbedder(str(models / "asym")),
        SentenceTransformerEmbedder(str(models / "one"), dimensions=4),
        SentenceTransformerEmbedder(str(models / "one"), query_prefix="q: "),
        SentenceTransformerEmbedder(str(models / "one"), passage_prefix="q: "),
    ]
    names = [model.name for model in made]
    assert len(set(names)) == len(names)
    assert names[0].startswith("sentence-transformers:bert-")
    assert made[3].embed(["a"]).shape == (1, 4)
    moved = tmp_path / "renamed"
    shutil.copytree(models / "one", moved)
    (moved / "README.md").write_text("Something else.")
    assert SentenceTransformerEmbedder(str(moved)).name == names[0]


def test_a_store_opens_without_loading_the_model(models: Path, tmp_path: Path):
    place, choice = tmp_path / "memory.goalmem", f"sentence-transformers:{models / 'one'}"
    with Memory(place, settings=Settings(embedder=choice), analyzer=NoAnalysis()) as memory:
        memory.add("I adopted a beagle.")
        assert memory.search("beagle")
    with Memory(place, settings=Settings(embedder=choice), analyzer=NoAnalysis()) as memory:
        assert memory._parts.embedder._loaded._held is None
        assert memory.search("beagle")
    other = Settings(embedder=f"sentence-transformers:{models / 'two'}")
    with pytest.raises(OtherModelError, match="bert-"):
        Memory(place, settings=other)
    with pytest.raises(OtherModelError, match="bert-"):
        Memory(place, settings=Settings())


def test_threads_share_one(models: Path):
    model = SentenceTransformerEmbedder(str(models / "one"))
    expected = [model.embed([f"text {n}" * n]) for n in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: model.embed([f"text {n}" * n]), range(8)))
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(found, expected, strict=True))


def test_what_is_no_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="not in the cache"):
        make_embedder("sentence-transformers:someone/no-such-model")
    with pytest.raises(ModelError, match=r"config\.json"):
        make_embedder(f"sentence-transformers:{tmp_path}")
    (tmp_path / "config.json").write_text('{"model_type": "nothing"}')
    (tmp_path / "config_sentence_transformers.json").write_text("{")
    with pytest.raises(ModelError, match="cannot be loaded"):
        make_embedder(f"sentence-transformers:{tmp_path}").embed(["a"])
    with pytest.raises(InputError):
        make_embedder("sentence-transformers: ")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ModelError, match=r"goalmem\[sentence-transformers\]"):
        make_embedder(f"sentence-transformers:{tmp_path}")
