"""Turns made up for measuring a PostgreSQL store: words, vectors and what is derived, without a model.

Sentences are put together from the parts of benchmarks/search.py. A vector is that of its topic, one of some hundred directions
drawn at random, moved by as much as paraphrases differ; topics have topics of their own within them, as real texts have. Or it is
mixed from the vectors of real texts, of which there are fewer than turns (`Mixed`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import numpy as np
from benchmarks.search import REPLIES, one_of, sentence
from numpy.typing import NDArray

from goalmem.language.terms import encode_terms
from goalmem.records import Argument, Edge, Extraction, Fact, Mention, Modality, Turn
from goalmem.store import Batch, NewTurn

MODEL, DIMENSION = "made-up", 384
SEED = 7
SESSION_TURNS = 50
TOPICS, SUBTOPICS = 200, 50
SUBTOPIC_NOISE, NOISE = 0.7, 0.6
"""Length of what is added to a topic of length one for a subtopic, and to that for a turn: two turns of a subtopic then have a
cosine of .73, two of a topic of .50, as paraphrases and texts on one thing have with MiniLM."""
HELD_OUT = 1_000
CANDIDATES, NEAR = 4_000, 8
"""Texts among which a text's nearest are looked for, and how many of them it is mixed with."""
SAME = 0.98
"""Cosine from which two texts say the same."""
MOST_MIXED, MIXED_NOISE = 0.5, 0.2
"""Share of the other text at most, and length of what is added anywhere."""
START = datetime(2022, 1, 1, 9, tzinfo=UTC)

Floats = NDArray[np.float32]


def space_name(number: int) -> str:
    """The name of a space."""
    return f"user-{number:05}"


class Vectors(Protocol):
    """Where the vectors of turns and of queries come from."""

    def vectors(self, chance: np.random.Generator, count: int) -> Floats:
        """Of turns: unit length, shape (count, dimension)."""
        ...

    def asked(self, chance: np.random.Generator, count: int) -> Floats:
        """Of queries, none of which is the vector of a turn."""
        ...


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

    def asked(self, chance: np.random.Generator, count: int) -> Floats:
        """As those of turns."""
        return self.vectors(chance, count)


@dataclass(frozen=True)
class Mixed:
    """Vectors of real texts, and what lies between texts on the same thing.

    A turn's vector is that of a text, moved towards one of the texts nearest to it, and a little anywhere: so vectors lie where real
    ones lie, and no two are the same. Queries are real vectors that were held out.
    """

    texts: Floats
    near: NDArray[np.int64]
    """Of each text the texts nearest to it, shape (texts, NEAR)."""
    held_out: Floats

    @classmethod
    def load(cls, path: Path) -> Mixed:
        """From an array of vectors of different texts, shape (texts, dimension), as numpy.save writes it."""
        every = _unit(np.load(path).astype(np.float32))
        texts, held_out = every[HELD_OUT:], every[:HELD_OUT]
        some = np.random.default_rng(SEED).permutation(len(texts))[:CANDIDATES]
        near = np.empty((len(texts), NEAR), dtype=np.int64)
        for first in range(0, len(texts), 1000):
            products = texts[first : first + 1000] @ texts[some].T
            # The text itself may be among those it is compared with.
            products[products > SAME] = -1.0
            near[first : first + 1000] = some[np.argpartition(-products, NEAR, axis=1)[:, :NEAR]]
        return cls(texts, near, held_out)

    def vectors(self, chance: np.random.Generator, count: int) -> Floats:
        """See `Vectors.vectors`."""
        own = chance.integers(len(self.texts), size=count)
        other = self.near[own, chance.integers(NEAR, size=count)]
        share = chance.uniform(0.0, MOST_MIXED, size=(count, 1)).astype(np.float32)
        noise = _unit(chance.standard_normal((count, DIMENSION), dtype=np.float32))
        return _unit((1 - share) * self.texts[own] + share * self.texts[other] + np.float32(MIXED_NOISE) * noise)

    def asked(self, chance: np.random.Generator, count: int) -> Floats:
        """See `Vectors.asked`."""
        found: Floats = self.held_out[chance.integers(len(self.held_out), size=count)]
        return found


def vectors_from(path: Path | None) -> Vectors:
    """Made-up vectors, or those of real texts in a file."""
    return Made.new() if path is None else Mixed.load(path)


def _unit(vectors: Floats) -> Floats:
    found: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return found


def batches(made: Vectors, space: int, turns: int, *, label: str = "session") -> Iterator[Batch]:
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
