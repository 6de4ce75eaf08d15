"""A memory without a façade, and an embedder that is quick."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from hashlib import blake2b

import numpy as np

from goalmem.language.terms import terms_of
from goalmem.records import Extraction, Turn
from goalmem.retrieve.filters import Filters
from goalmem.retrieve.search import Parse, Searcher
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.vectors import best_of_each
from goalmem.store import Batch, NewTurn, Store

Said = tuple[str, str]
"""Speaker and text; a speaker called user or assistant is a role."""
Extract = Callable[[Sequence[Turn]], Sequence[Extraction]]
"""Language analysis of turns."""


class WordEmbedder:
    """A bag of hashed words: texts that share words are alike. Quick, and nothing to load."""

    name = "words"
    dimension = 64

    def embed(self, texts):
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms_of(text):
                vectors[row, int.from_bytes(blake2b(term.encode(), digest_size=2).digest()) % self.dimension] += 1
            vectors[row, 0] += 0.1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class Told:
    """A memory without a façade: what is said is encoded and stored; only with `extract` it has features, too."""

    def __init__(
        self,
        store: Store,
        *,
        settings: RetrievalSettings | None = None,
        extract: Extract | None = None,
        parse: Parse | None = None,
    ) -> None:
        self.store = store
        self.searcher = Searcher(store, WordEmbedder(), settings, parse)
        self.extract = extract

    def say(self, *said: Said, space: str = "s", session: str = "1", at: datetime = datetime(2024, 5, 1, tzinfo=UTC)):
        first = len(self.store.session_turns(space, session))
        roles = {"user", "assistant"}
        turns = [
            Turn(
                f"{space}/{session}/{first + n}",
                space,
                session,
                first + n,
                who,
                who if who in roles else "user",
                text,
                at,
            )
            for n, (who, text) in enumerate(said)
        ]
        encoded = self.searcher.encode(turns)
        features = [b""] * len(turns)
        if self.extract:
            features = [self.searcher.features(*read) for read in zip(turns, self.extract(turns), strict=True)]
        rows = [
            NewTurn(turn, n, f"hash of {turn.id}", Extraction(turn.id), vector, terms, found)
            for n, (turn, (vector, terms), found) in enumerate(zip(turns, encoded, features, strict=True))
        ]
        return self.store.add(Batch(space, session, at, rows))

    def found(self, query: str, **options) -> list[str]:
        """Texts found, best first."""
        return [hit.turn.text for hit in self.searcher.search(query, space="s", **filtered(options))]


def filtered(options):
    """The arguments of a search, with the conditions among them as one."""
    conditions = {field.name: options[field.name] for field in fields(Filters) if field.name in options}
    return {"filters": Filters(**conditions)} | {n: value for n, value in options.items() if n not in conditions}


def nearest(view, query):
    """Cosine of a query and the nearest passage of each row."""
    return best_of_each(view.vectors.dots(query), view.passages)
