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

PREFIX = "encoder."
"""Of the names of an encoder's weights; the others are those of the heads on it."""
EMBEDDED = ("embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight")
PRODUCT = re.compile(r"/encoder/encoder/layer\.(?P<layer>\d+)/(?P<part>[\w/]+)/MatMul_quant")
"""Name of the node that multiplies by a layer's weights; the weights themselves have none."""
BIAS = ".bias"


def exported_weights(path: Path) -> dict[str, Tensor]:
    """The weights in `path`, a file that `goalmem train` exported, under the names of the network that it was made of.

    Word embeddings are not among them: training leaves them as they are published. Of the positions there are as many as a
    window is long. Raises ModelError for another file.
    """
    graph = _graph(path)
    arrays = _arrays(graph)
    products = {
        node.name: node.input[1].removesuffix("_quantized") for node in graph.node if node.op_type == "MatMulInteger"
    }
    found = {name: array for name, array in arrays.items() if array.dtype == np.float32 and _is_vector(name, array)}
    for name in EMBEDDED:
        if f"{PREFIX}{name}_quantized" in arrays:
            found[PREFIX + name] = _whole(arrays, PREFIX + name)
    for node, weights in products.items():
        place = PRODUCT.fullmatch(node)
        if place is not None:
            name = f"{PREFIX}encoder.layer.{place['layer']}.{place['part'].replace('/', '.')}.weight"
            found[name] = _whole(arrays, weights).T
    for bias in [name for name in found if name.endswith(BIAS) and not name.startswith(PREFIX)]:
        head = bias.removesuffix(BIAS)
        held = [f"{head}.weight", products.get(f"/{head}/MatMul_quant", "")]
        weights = next((name for name in held if f"{name}_quantized" in arrays), None)
        if weights is not None:
            found[f"{head}.weight"] = _whole(arrays, weights).T
    if not any(name.endswith("query.weight") for name in found):
        raise ModelError(f"{path} holds no encoder in 8 bits.", "Name a model that `goalmem train` made.")
    return {name: torch.from_numpy(np.array(array, dtype=np.float32)) for name, array in found.items()}


def _is_vector(name: str, array: Any) -> bool:
    return array.ndim == 1 and (name.startswith(PREFIX) or name.endswith(BIAS))


def _graph(path: Path) -> Any:
    import onnx

    try:
        return onnx.load(path).graph
    except Exception as error:  # the parser's errors have no base in common
        raise ModelError(
            f"{path} cannot be read as an ONNX file.", "Name a model that `goalmem train` made."
        ) from error


def _arrays(graph: Any) -> dict[str, Any]:
    import onnx

    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}


def _whole(arrays: Mapping[str, Any], name: str) -> Any:
    """Weights as they were before they were rounded, but for the rounding."""
    rounded = arrays[f"{name}_quantized"].astype(np.float32) - arrays[f"{name}_zero_point"].astype(np.float32)
    return rounded * arrays[f"{name}_scale"]
