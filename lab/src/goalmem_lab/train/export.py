"""The trained network as one ONNX file in 8 bits."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from goalmem.models.encoder_file import MAX_PIECES

OPSET = 17
PER_PIECE = "spans"
"""The output that has a row for each piece."""


def export(network: nn.Module, path: Path, metadata: Mapping[str, str], outputs: Sequence[str]) -> None:
    """Write `network` to `path`, whole or not at all, with its outputs named: weights and embeddings in 8 bits, activations in 8 bits as they come.

    Weights have a scale for each output (per channel) and use seven of the eight bits: without that, sums overflow on
    processors that lack 8-bit dot products, and the same file would read otherwise there.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".model-") as folder:
        exact = Path(folder) / "float.onnx"
        small = Path(folder) / "int8.onnx"
        _to_onnx(network, exact, outputs)
        quantize_dynamic(exact, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        model = onnx.load(small)
        onnx.helper.set_model_props(model, {**metadata})
        onnx.save(model, small)
        os.replace(small, path)


def _to_onnx(network: Any, path: Path, outputs: Sequence[str]) -> None:
    network.eval()
    with torch.no_grad():
        # No window is longer; positions beyond are never looked up.
        positions = network.encoder.embeddings.position_embeddings
        positions.weight = torch.nn.Parameter(positions.weight[:MAX_PIECES].clone())
    ids = torch.ones((1, 16), dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(
        network,
        (ids, ids, torch.zeros_like(ids)),
        str(path),
        input_names=names,
        output_names=list(outputs),
        dynamic_axes={
            **{name: {0: "batch", 1: "pieces"} for name in names},
            **{name: {0: "batch", 1: "pieces"} if name == PER_PIECE else {0: "batch"} for name in outputs},
        },
        opset_version=OPSET,
        dynamo=False,
    )
