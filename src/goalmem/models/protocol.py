"""Protocols of embedders, span readers and judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike the texts are.

    This is all that an embedder must do. One whose model reads a query otherwise than a passage is a `QueryEmbedder`.
    """

    @property
    def name(self) -> str:
        """Identifies the model and its weights; stored with the vectors."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors, shape (len(texts), dimension). Any text is accepted; long ones are cut at the model's limit."""


class QueryEmbedder(Embedder, Protocol):
    """An embedder that says how a query is embedded, so that its dot product with a passage's vector is a match."""

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of queries, shape (len(texts), dimension)."""


def queries_of(embedder: Embedder) -> Callable[[Sequence[str]], NDArray[np.float32]]:
    """The query function of `embedder`: `embed_queries`, or `embed` if it does not distinguish queries."""
    own: Callable[[Sequence[str]], NDArray[np.float32]] | None = getattr(embedder, "embed_queries", None)
    return embedder.embed if own is None else own


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a passage that may answer a question: `passage[start:end]`."""

    start: int
    end: int
    score: float
    """Expected F1 of its words with the answer's, in [0, 1]: the mean over all spans and no answer, weighted by
    probability.
    """


@dataclass(frozen=True, slots=True)
class PassageReading:
    """Output of a span reader for one question and one passage."""

    present: float
    """Probability in [0, 1] that the passage answers the question at all."""
    spans: tuple[Span, ...]
    """Best first, without near-duplicates of better ones; empty for a passage without words."""


class SpanReader(Protocol):
    """Finds the words of a passage that answer a question, or says that they are not there (extractive reading)."""

    @property
    def name(self) -> str:
        """Identifies the model and its weights; appears in proofs that depend on it."""

    def read(self, pairs: Sequence[tuple[str, str]], *, limit: int = 3) -> list[PassageReading]:
        """A reading for each (question, passage), with at most `limit` spans each.

        A passage consists of lines `Speaker: text`. Any text is accepted; long ones are read in overlapping windows.
        The result for a pair does not depend on the rest of the batch.
        """


@dataclass(frozen=True, slots=True)
class Statement:
    """A ground statement to judge: a question and its answer."""

    question: str
    """The question, or a statement with a question word in place of the answer: `Ines lives where?`."""
    answer: str
    """Empty for a statement that is whole."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The words of a conversation that a statement is judged by."""

    text: str
    speaker: str
    said: datetime | None = None
    before: str = ""
    """The end of the turn that it replies to, as `Speaker: text`; empty for the first of a session."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Probabilities, which add up to 1."""

    entailed: float
    contradicted: float
    not_said: float

    @property
    def name(self) -> Literal["entailed", "contradicted", "not-said"]:
        """The most likely label."""
        if self.not_said >= max(self.entailed, self.contradicted):
            return "not-said"
        return "entailed" if self.entailed >= self.contradicted else "contradicted"


class Judge(Protocol):
    """Says of a ground statement and an excerpt whether the excerpt entails it, contradicts it, or does not say.

    It never proposes: a span reader, a parser or a chat model proposes, and another model judges (design.md, Propose and judge).
    """

    @property
    def name(self) -> str:
        """Identifies the judge and its weights; appears in proofs that depend on it."""

    def judge(self, pairs: Sequence[tuple[Statement, Excerpt]]) -> list[Verdict]:
        """A verdict for each pair. The same pair gives the same verdict whatever it is judged together with."""
