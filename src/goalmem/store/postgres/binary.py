"""Vectors on their way in and out, in PostgreSQL's and pgvector's binary forms.

pgvector sends a halfvec as its dimension and an unused field, two bytes each, and then the coordinates; everything
on the wire is big-endian (pgvector, src/halfvec.c, halfvec_send).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import psycopg
from psycopg import pq
from psycopg.adapt import Dumper

_HEAD = 4
"""Bytes before the coordinates."""


@dataclass(frozen=True, slots=True)
class Halfvec:
    """A vector, as a parameter of type `halfvec`; little-endian float16."""

    vector: bytes

    def wire(self) -> bytes:
        """The vector as PostgreSQL receives it."""
        coordinates = np.frombuffer(self.vector, dtype="<f2")
        return np.array([len(coordinates), 0], dtype=">i2").tobytes() + coordinates.astype(">f2").tobytes()


@dataclass(frozen=True, slots=True)
class Halfvecs:
    """Some vectors of one dimension, as a parameter of type `halfvec[]`; little-endian float16, one after another."""

    vectors: bytes
    dimension: int
    type_number: int
    """OID of `halfvec` in the database."""

    def wire(self) -> bytes:
        """The array as PostgreSQL receives it: dimensions, a flag for nulls, the type, size and lower bound; elements."""
        vectors = np.frombuffer(self.vectors, dtype="<f2").reshape(-1, self.dimension)
        form = np.dtype(
            [("size", ">i4"), ("dimension", ">i2"), ("unused", ">i2"), ("vector", ">f2", (self.dimension,))]
        )
        rows = np.zeros(len(vectors), dtype=form)
        rows["size"], rows["dimension"], rows["vector"] = _HEAD + 2 * self.dimension, self.dimension, vectors
        return np.array([1, 0, self.type_number, len(vectors), 1], dtype=">i4").tobytes() + rows.tobytes()


@dataclass(frozen=True, slots=True)
class VectorForm:
    """Wire format of vectors in this database."""

    dimension: int
    halfvec: int
    """Number of the type."""


def little_endian(sent: Iterable[bytes], dimension: int) -> bytes:
    """Convert vectors from the format of `halfvec_send` to that of a store."""
    form = np.dtype([("head", f"V{_HEAD}"), ("vector", ">f2", (dimension,))])
    return np.frombuffer(b"".join(sent), dtype=form)["vector"].astype("<f2").tobytes()


class _HalfvecDumper(Dumper):
    """Sends values that already are in wire format; the statement casts them to their type."""

    format = pq.Format.BINARY

    def dump(self, obj: Halfvec | Halfvecs) -> bytes:
        """The parameter in binary."""
        return obj.wire()


for _form in (Halfvec, Halfvecs):
    psycopg.adapters.register_dumper(_form, _HalfvecDumper)
