"""Embeddings from any OpenAI-compatible endpoint: vLLM, llama.cpp, Ollama, text-embeddings-inference, or one that is hosted.

A text of a model that reads queries otherwise than passages gets the prefix that it was trained with (E5: "query: " and
"passage: ", nomic-embed-text: "search_query: " and "search_document: ", BGE: an instruction before queries alone). Model,
dimension and prefixes are the embedder's name, so that a store never mixes vectors of two of them; the address and the key
are not: the same model may be served elsewhere.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import GoalmemError, InputError
from goalmem.models.chat import tokens_in
from goalmem.models.chat_failures import EMBEDDING, EndpointName, RequestError
from goalmem.models.chat_wire import Rejection
from goalmem.models.openai_requests import OpenAILine
from goalmem.models.vectors import clean, mean_of_windows, unit

PREFIX = "openai:"
"""Prefix of the setting for this embedder, and of its name."""
_PATH = "/embeddings"
_LARGEST_ANSWER = 128 * 2**20
"""Bytes; 512 vectors of 4,096 numbers written out are 40 MB."""
_SHORTEST = 200
"""Characters of a text that is not cut any more where an endpoint does not take it: any model takes as many."""
_NOTHING = "."
"""Sent for a text without any character, which endpoints reject."""
_NAME = re.compile(
    r'openai:(?P<model>.+)/(?P<dimension>[1-9]\d*)(?: passage=(?P<passage>"(?:[^"\\]|\\.)*"))?(?: query=(?P<query>"(?:[^"\\]|\\.)*"))?'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOptions:
    """Address and options of an endpoint."""

    url: str = ""
    """Base address, as `http://127.0.0.1:8000/v1`."""
    key: str = field(default="", repr=False)
    """Sent as a bearer token; empty if not required."""
    dimensions: int | None = None
    """Requested dimension of the vectors; None: the model's default."""
    query_prefix: str = ""
    passage_prefix: str = ""
    batch: int = 64
    """Texts of a request at most."""
    tokens: int = 32_768
    """Tokens of a request at most, about."""
    timeout: float = 60.0
    """Seconds that a request may take with all that is tried again."""
    retries: int = 5
    """Number of retries of a request that may yet succeed."""
    concurrency: int = 4
    """Requests that run side by side."""


class OpenAIEmbedder:
    """`QueryEmbedder` of a model behind an endpoint. Safe for many threads, and across a fork.

    Of a text of more than 6,400 characters four evenly spread slices are read; one that is still too long for the model is
    halved until it is taken, and the halves averaged.
    """

    def __init__(self, model: str, options: EndpointOptions, *, dimension: int | None = None) -> None:
        """Nothing is contacted yet. `dimension`: where it is known, as of a store.

        Raises:
            InputError: the address is none, the model has no name, or the key cannot be sent.
            ModelError: the extra `chat` is not installed.
        """
        self._model = model.strip()
        self._options = options
        self._dimension = options.dimensions or dimension
        self._form = EmbeddingRequestForm(dimensions=options.dimensions)
        self._batch = options.batch
        self._made: OpenAILine | None = self._connected() if options.url.strip() else None

    @property
    def name(self) -> str:
        """Model, dimension and prefixes, which identify its vectors. Asks the endpoint if the dimension is unknown."""
        said = (("passage", self._options.passage_prefix), ("query", self._options.query_prefix))
        prefixes = "".join(f" {which}={json.dumps(prefix)}" for which, prefix in said if prefix)
        return f"{PREFIX}{self._model}/{self.dimension}{prefixes}"

    @property
    def dimension(self) -> int:
        """Length of a vector: as set, or as the endpoint gives them when it is first asked. Raises EmbeddingError."""
        if self._dimension is None:
            self._line.connect()
            self._dimension = len(self._asked(["How long is a vector?"], self._options.query_prefix)[0])
        return self._dimension

    def adopt(self, name: str) -> None:
        """Take the dimension of a store's vectors, where it is a store of this embedder; so it opens without asking."""
        known = recognised(name, self._options)
        if self._dimension is None and known is not None:
            kept = (known._model, known._options.passage_prefix, known._options.query_prefix)
            if kept == (self._model, self._options.passage_prefix, self._options.query_prefix):
                self._dimension = known._dimension

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._model!r})"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of passages, shape (len(texts), dimension).

        Raises:
            EmbeddingUnavailableError: the endpoint gives no answer, also when it is asked again.
            EmbeddingRefusedError: it does not take such requests.
            EmbeddingError: what it sent are no vectors of this dimension, or not as many as texts.
        """
        return self._embedded(texts, self._options.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of queries, shape (len(texts), dimension). Raises as `embed`."""
        return self._embedded(texts, self._options.query_prefix)

    def close(self) -> None:
        """Let go of the connections. A later call opens new ones."""
        if self._made is not None:
            self._made.close()

    def _embedded(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        dimension = self.dimension
        if not texts:
            return np.zeros((0, dimension), dtype=np.float32)
        self._line.connect()
        return mean_of_windows(texts, lambda parts: self._in_batches(parts, prefix))

    def _in_batches(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        batches = list(_batches(texts, self._batch, self._options.tokens))
        if len(batches) == 1:
            return self._asked(batches[0], prefix)
        with ThreadPoolExecutor(self._options.concurrency, thread_name_prefix="goalmem-embedding") as pool:
            waiting = [pool.submit(self._asked, batch, prefix) for batch in batches]
            try:
                return np.concatenate([asked.result() for asked in waiting])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _asked(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        """Vectors of texts, with smaller batches or shorter texts if the endpoint rejects the request as too large."""
        try:
            return self._in_any_form([f"{prefix}{text}" if prefix or text.strip() else _NOTHING for text in texts])
        except RequestError as failure:
            hopeless = failure.rejection is None or (len(texts) == 1 and len(texts[0]) <= _SHORTEST)
            error: GoalmemError | None = failure.error if hopeless else None
        if error is not None:
            # Raised here, it drags no exception along that knows the request.
            raise error
        if len(texts) == 1:
            middle = len(texts[0]) // 2
            return unit(self._asked([texts[0][:middle], texts[0][middle:]], prefix).mean(axis=0, keepdims=True))
        middle = len(texts) // 2
        found = np.concatenate([self._asked(texts[:middle], prefix), self._asked(texts[middle:], prefix)])
        self._batch = min(self._batch, len(texts) - middle)
        return found

    def _in_any_form(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Send one request, in simpler forms until the endpoint accepts one. Raises RequestError."""
        form = self._form
        while True:
            deadline = time.monotonic() + self._options.timeout
            try:
                with self._line.place(deadline):
                    content = self._line.ask(body_of(texts, self._model, form), deadline)
            except RequestError as failure:
                other = weaker(form, failure.rejection) if failure.rejection else None
                if other is None:
                    raise
                form = other
                continue
            vectors = read_vectors(content, len(texts), self._line.endpoint)
            if self._dimension is not None and vectors.shape[1] != self._dimension:
                if form.dimensions is not None or form.tried_dimensions:
                    raise self._line.endpoint.unreadable(
                        f"vectors of {vectors.shape[1]} numbers, not of {self._dimension}"
                    )
                form = replace(form, dimensions=self._dimension)
                continue
            # Remember only accepted forms: a request may be rejected for other reasons.
            self._form = form
            return unit(vectors)

    @property
    def _line(self) -> OpenAILine:
        if self._made is None:
            self._made = self._connected()
        return self._made

    def _connected(self) -> OpenAILine:
        o = self._options
        if not o.url.strip():
            raise InputError(
                f"The embedding model {self._model!r} has no address.",
                "Set GOALMEM_EMBEDDING_URL to that of an OpenAI-compatible endpoint, as http://127.0.0.1:8000/v1.",
            )
        return OpenAILine(
            EMBEDDING,
            _PATH,
            o.url,
            self._model,
            o.key,
            timeout=o.timeout,
            retries=o.retries,
            concurrency=o.concurrency,
            largest=_LARGEST_ANSWER,
        )


def recognised(name: str, options: EndpointOptions) -> OpenAIEmbedder | None:
    """The embedder of that name, with its dimension and its prefixes, asked where `options` say; None for another's name."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    prefixes = {which: json.loads(found[which] or '""') for which in ("passage", "query")}
    return OpenAIEmbedder(
        found["model"],
        replace(options, dimensions=None, passage_prefix=prefixes["passage"], query_prefix=prefixes["query"]),
        dimension=int(found["dimension"]),
    )


def _batches(texts: Sequence[str], most: int, tokens: int) -> Iterator[Sequence[str]]:
    """Runs of texts of at most so many, and so many tokens together; a longer text goes alone."""
    first, size = 0, 0
    for place, text in enumerate(texts):
        own = tokens_in(text)
        if place > first and (place - first == most or size + own > tokens):
            yield texts[first:place]
            first, size = place, 0
        size += own
    yield texts[first:]


# -- requests and responses of OpenAI's embeddings API ---------------------------------------------------------------
# Endpoints differ in what they take. A `Form` is one way to put a request; when an endpoint does not take it, `weaker` says
# which to try next.

_LEAST_LENGTH = 1e-12
"""Minimum length of a vector; a shorter one has no direction."""


@dataclass(frozen=True, slots=True)
class EmbeddingRequestForm:
    """A variant of a request."""

    packed: bool = True
    """True if vectors are asked for as base64, a quarter of their length as text."""
    dimensions: int | None = None
    """Requested dimensions; None: the model's default."""
    tried_dimensions: bool = False
    """True if the endpoint was asked for so many, and does not take that."""


def body_of(texts: Sequence[str], model: str, form: EmbeddingRequestForm) -> dict[str, Any]:
    """The body of a request in this form."""
    body: dict[str, Any] = {"model": model, "input": [clean(text) for text in texts]}
    if form.packed:
        body["encoding_format"] = "base64"
    if form.dimensions is not None:
        body["dimensions"] = form.dimensions
    return body


def weaker(form: EmbeddingRequestForm, rejection: Rejection) -> EmbeddingRequestForm | None:
    """The next form to try after a rejection; None if none is left or the form is not the reason."""
    says = f"{rejection.parameter} {rejection.message}"
    if form.dimensions is not None and ("dimension" in says or "matryoshka" in says):
        return replace(form, dimensions=None, tried_dimensions=True)
    if form.packed and ("encoding_format" in says or "base64" in says):
        return replace(form, packed=False)
    return None


def read_vectors(content: str, count: int, endpoint: EndpointName) -> NDArray[np.float32]:
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


def _vector(said: object, endpoint: EndpointName) -> NDArray[np.float32]:
    """Parse an embedding: numbers, or float32 bytes in base64."""
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
