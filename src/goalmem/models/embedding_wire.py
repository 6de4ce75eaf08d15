"""A request of embeddings as OpenAI's endpoint takes it, and what its answers mean.

Endpoints differ in what they take. A `Form` is one way to put a request; when an endpoint does not take it, `weaker` says
which to try next.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.models.chat_failures import Endpoint
from goalmem.models.chat_wire import Rejection
from goalmem.models.vectors import clean

__all__ = ["Form", "body_of", "read_vectors", "weaker"]

_LEAST_LENGTH = 1e-12
"""Of a vector: a shorter one has no direction."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to put a request."""

    packed: bool = True
    """Whether vectors are asked for as base64, a quarter of their length as text."""
    dimensions: int | None = None
    """How many numbers are asked for; None: that is left to the model."""
    tried_dimensions: bool = False
    """Whether the endpoint was asked for so many, and does not take that."""


def body_of(texts: Sequence[str], model: str, form: Form) -> dict[str, Any]:
    """What is sent for texts, put in this form."""
    body: dict[str, Any] = {"model": model, "input": [clean(text) for text in texts]}
    if form.packed:
        body["encoding_format"] = "base64"
    if form.dimensions is not None:
        body["dimensions"] = form.dimensions
    return body


def weaker(form: Form, rejection: Rejection) -> Form | None:
    """The form to try after this one was rejected; None when none is left, or the reason lies elsewhere."""
    says = f"{rejection.parameter} {rejection.message}"
    if form.dimensions is not None and ("dimension" in says or "matryoshka" in says):
        return replace(form, dimensions=None, tried_dimensions=True)
    if form.packed and ("encoding_format" in says or "base64" in says):
        return replace(form, packed=False)
    return None


def read_vectors(content: str, count: int, endpoint: Endpoint) -> NDArray[np.float32]:
    """The vectors of so many texts in their order, shape (count, dimension), of any length above 0.

    Raises RequestError where it is anything else.
    """
    try:
        rows = json.loads(content)["data"]
        entries = [(row.get("index", place), row["embedding"]) for place, row in enumerate(rows)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise endpoint.unreadable("it holds no embeddings") from None
    if len(entries) != count:
        raise endpoint.unreadable(f"it holds {len(entries)} embeddings for {count} texts")
    if any(type(index) is not int for index, _ in entries) or {index for index, _ in entries} != set(range(count)):
        raise endpoint.unreadable("its embeddings are not numbered one after another")
    vectors = [_vector(said, endpoint) for _, said in sorted(entries, key=lambda entry: entry[0])]
    if len({len(vector) for vector in vectors}) != 1:
        raise endpoint.unreadable("its embeddings are of different lengths")
    made = np.stack(vectors)
    if not np.isfinite(made).all():
        raise endpoint.unreadable("its embeddings hold what is no number")
    if (np.linalg.norm(made, axis=1) < _LEAST_LENGTH).any():
        raise endpoint.unreadable("one of its embeddings is nothing but zeros")
    return made


def _vector(said: object, endpoint: Endpoint) -> NDArray[np.float32]:
    """One embedding: numbers, or their float32 bytes in base64."""
    try:
        if isinstance(said, str):
            return np.frombuffer(base64.b64decode(said, validate=True), dtype="<f4").astype(np.float32)
        vector = np.asarray(said, dtype=np.float64)
        if vector.ndim == 1 and len(vector) and isinstance(said, list):
            with np.errstate(over="ignore"):
                return vector.astype(np.float32)
    except (ValueError, TypeError, OverflowError, binascii.Error):
        pass
    raise endpoint.unreadable("one of its embeddings is no list of numbers")
