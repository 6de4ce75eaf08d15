"""Turns made up for measuring a PostgreSQL store: words, vectors and what is derived, without a model.

Sentences are put together from the parts of benchmarks/search.py. A vector is that of its topic, one of some hundred directions
drawn at random, moved by as much as paraphrases differ; topics have topics of their own within them, as real texts have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

import numpy as np
from benchmarks.search import REPLIES, one_of, sentence
from numpy.typing import NDArray

from goalmem.records import Argument, Edge, Extraction, Fact, Mention, Modality, Turn
from goalmem.retrieve.words import encode_terms
from goalmem.store import Batch, NewTurn

__all__ = ["DIMENSION", "MODEL", "SEED", "SESSION_TURNS", "Made", "batches", "space_name"]

MODEL, DIMENSION = "made-up", 384
SEED = 7
SESSION_TURNS = 50
TOPICS, SUBTOPICS = 200, 50
SUBTOPIC_NOISE, NOISE = 0.7, 0.6
"""Length of what is added to a topic of length one for a subtopic, and to that for a turn: two turns of a subtopic then have a
cosine of .73, two of a topic of .50, as paraphrases and texts on one thing have with MiniLM."""
START = datetime(2022, 1, 1, 9, tzinfo=UTC)

Floats = NDArray[np.float32]


def space_name(number: int) -> str:
    """The name of a space."""
    return f"user-{number:05}"


@dataclass(frozen=True)
class Made:
    """What vectors are drawn around, shape (topics, subtopics, dimension)."""

    around: Floats

    @classmethod
    def new(cls) -> Made:
        """The same every time."""
        chance = np.random.default_rng(SEED)
        topics = _unit(chance.standard_normal((TOPICS, 1, DIMENSION), dtype=np.float32))
        within = _unit(chance.standard_normal((TOPICS, SUBTOPICS, DIMENSION), dtype=np.float32))
        return cls(_unit(topics + np.float32(SUBTOPIC_NOISE) * within))

    def vectors(self, chance: np.random.Generator, count: int) -> Floats:
        """Vectors of unit length, shape (count, dimension)."""
        own = self.around[chance.integers(TOPICS, size=count), chance.integers(SUBTOPICS, size=count)]
        noise = _unit(chance.standard_normal((count, DIMENSION), dtype=np.float32))
        return _unit(own + np.float32(NOISE) * noise)


def _unit(vectors: Floats) -> Floats:
    found: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return found


def batches(made: Made, space: int, turns: int, *, label: str = "session") -> Iterator[Batch]:
    """A space's turns, a session at a time; the same every time."""
    chance = np.random.default_rng((SEED, space))
    name, at = space_name(space), START
    for first in range(0, turns, SESSION_TURNS):
        at += timedelta(hours=int(chance.integers(1, 9)))
        count = min(SESSION_TURNS, turns - first)
        vectors = made.vectors(chance, count).astype("<f2")
        session = f"{label}-{first}"
        rows = [_new(name, session, n, at, chance, vectors[n].tobytes()) for n in range(count)]
        yield Batch(name, session, at, rows)


def _new(space: str, session: str, place: int, at: datetime, chance: np.random.Generator, vector: bytes) -> NewTurn:
    """A turn with one passage, one fact, two mentions and an edge."""
    text = f"{one_of(chance, REPLIES)} {sentence(chance)} That was number {chance.integers(10**6)}."
    speaker = "Maya" if place % 2 else "Leo"
    id_ = "t" + blake2b(f"{space}/{session}/{place}".encode(), digest_size=12).hexdigest()
    turn = Turn(id_, space, session, place, speaker, "user", text, at + timedelta(minutes=place))
    words = text.split()
    subject = Argument("subject", "I", 0, 1, "i", speaker, "person", "speaker")
    thing = Argument("object", words[-6], 0, 5, words[-6], words[-6], "thing")
    fact = Fact(
        f"f{id_[1:]}", space, id_, text[:60], 0, 60, f"{speaker} did it", "clause", words[4], (subject, thing), True,
        Modality.ASSERTED, speaker, turn.at,
    )  # fmt: skip
    made = Extraction(
        id_,
        (fact,),
        (Mention(space, id_, 0, 1, "I", speaker, "person"), Mention(space, id_, 0, 5, words[-6], words[-6], "thing")),
        (Edge(space, speaker, words[4], words[-6], fact.id, id_),),
    )
    terms = encode_terms(text)
    return NewTurn(turn, place, blake2b(text.encode(), digest_size=16).hexdigest(), made, vector, terms, terms[:80])
