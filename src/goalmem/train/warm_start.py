"""An encoder that was exported in 8 bits, as weights to train on from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from goalmem.errors import ModelError

__all__ = ["exported_encoder"]

PREFIX = "encoder."
EMBEDDED = ("embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight")
PRODUCT = re.compile(r"/encoder/encoder/layer\.(?P<layer>\d+)/(?P<part>[\w/]+)/MatMul_quant")
"""Name of the node that multiplies by a layer's weights; the weights themselves have none."""


def exported_encoder(path: Path) -> dict[str, Tensor]:
    """The encoder's weights in `path`, a file that `goalmem train` exported, under the names of transformers' BertModel.

    Word embeddings are not among them: training leaves them as they are published. Of the positions there are as many as a
    window is long. Raises ModelError for another file.
    """
    import onnx

    try:
        graph = onnx.load(path).graph
    except Exception as error:  # the parser's errors have no base in common
        raise ModelError(
            f"{path} cannot be read as an ONNX file.", "Name a model that `goalmem train` made."
        ) from error
    arrays = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    found = {
        name.removeprefix(PREFIX): array
        for name, array in arrays.items()
        if name.startswith(PREFIX) and array.dtype == np.float32 and array.ndim == 1
    }
    for name in EMBEDDED:
        if f"{PREFIX}{name}_quantized" in arrays:
            found[name] = _whole(arrays, PREFIX + name)
    for node in graph.node:
        place = PRODUCT.fullmatch(node.name)
        if place is not None:
            name = f"encoder.layer.{place['layer']}.{place['part'].replace('/', '.')}.weight"
            found[name] = _whole(arrays, node.input[1].removesuffix("_quantized")).T
    if not any(name.endswith("query.weight") for name in found):
        raise ModelError(f"{path} holds no encoder in 8 bits.", "Name a model that `goalmem train` made.")
    return {name: torch.from_numpy(np.array(array, dtype=np.float32)) for name, array in found.items()}


def _whole(arrays: Mapping[str, Any], name: str) -> Any:
    """Weights as they were before they were rounded, but for the rounding."""
    rounded = arrays[f"{name}_quantized"].astype(np.float32) - arrays[f"{name}_zero_point"].astype(np.float32)
    return rounded * arrays[f"{name}_scale"]
