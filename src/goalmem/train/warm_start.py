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

__all__ = ["exported_encoder", "exported_reader"]

PREFIX = "encoder."
EMBEDDED = ("embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight")
SPAN = "/span/MatMul_quant"
"""The node that multiplies by the weights of the head for spans."""
HEADS = ("inner.weight", "present.weight")
PRODUCT = re.compile(r"/encoder/encoder/layer\.(?P<layer>\d+)/(?P<part>[\w/]+)/MatMul_quant")
"""Name of the node that multiplies by a layer's weights; the weights themselves have none."""


def exported_encoder(path: Path) -> dict[str, Tensor]:
    """The encoder's weights in `path`, a file that `goalmem train` exported, under the names of transformers' BertModel.

    Word embeddings are not among them: training leaves them as they are published. Of the positions there are as many as a
    window is long. Raises ModelError for another file.
    """
    return _encoder(_graph(path), path)


def exported_reader(path: Path) -> dict[str, Tensor]:
    """The weights of a whole reader in `path`, under the names of `ReaderNetwork`; otherwise as `exported_encoder`."""
    graph = _graph(path)
    found = {PREFIX + name: weights for name, weights in _encoder(graph, path).items()}
    arrays = _arrays(graph)
    try:
        heads = {name: arrays[name] for name in ("span.bias", "inner.bias", "present.bias")}
        heads |= {name: _whole(arrays, name).T for name in HEADS}
        span = next(node.input[1] for node in graph.node if node.name == SPAN)
        heads["span.weight"] = _whole(arrays, span.removesuffix("_quantized")).T
    except (KeyError, StopIteration) as error:
        raise ModelError(f"{path} holds no reader in 8 bits.", "Name a model that `goalmem train reader` made.") from error
    return found | {name: _tensor(array) for name, array in heads.items()}


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


def _encoder(graph: Any, path: Path) -> dict[str, Tensor]:
    arrays = _arrays(graph)
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
    return {name: _tensor(array) for name, array in found.items()}


def _tensor(array: Any) -> Tensor:
    return torch.from_numpy(np.array(array, dtype=np.float32))


def _whole(arrays: Mapping[str, Any], name: str) -> Any:
    """Weights as they were before they were rounded, but for the rounding."""
    rounded = arrays[f"{name}_quantized"].astype(np.float32) - arrays[f"{name}_zero_point"].astype(np.float32)
    return rounded * arrays[f"{name}_scale"]
