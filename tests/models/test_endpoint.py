"""Embeddings from an endpoint of our own that plays what real ones do, and what broken ones do."""

from __future__ import annotations

import base64
import json
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import stamina
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import EmbeddingError, EmbeddingRefusedError, EmbeddingUnavailableError, InputError
from goalmem.models.endpoint import EndpointOptions, OpenAIEmbedder, recognised
from goalmem.models.registry import embedder_named, make_embedder
from tests.cases import one_in

from .endpoint import Act, Endpoint, Handler, answers, dies, hangs_up, meets, rejects, serving, sleeps, trickles

KEY = "sk-test-0123456789abcdef"
SIZE = 6


@pytest.fixture
def _no_waiting() -> Iterator[None]:
    stamina.set_testing(True, attempts=10, cap=True)
    yield
    stamina.set_testing(False)


def spelled(text: str, size: int = SIZE) -> list[float]:
    """A vector that tells texts apart."""
    vector = np.full(size, 0.1)
    for place, byte in enumerate(text.encode()):
        vector[byte % size] += 1 + place / 100
    return [float(x) for x in vector]


def answer(inputs: list[str], *, size: int = SIZE, packed: bool = False, order: Callable[[list], list] = list) -> Any:
    rows = []
    for index, text in enumerate(inputs):
        vector: Any = spelled(text, size)
        if packed:
            vector = base64.b64encode(np.array(vector, dtype="<f4").tobytes()).decode()
        rows.append({"object": "embedding", "index": index, "embedding": vector})
    return {"object": "list", "model": "served", "data": order(rows), "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def embeds(**how: Any) -> Act:
    """Vectors of what is asked; in base64 where that is asked for."""

    def act(handler: Handler) -> None:
        body = handler.asked.body
        packed = how.get("packed", body.get("encoding_format") == "base64")
        size = body.get("dimensions", how.get("size", SIZE))
        content = answer(body["input"], **{**how, "packed": packed, "size": size})
        handler.send(200, json.dumps(content).encode())

    return act


_made: list[OpenAIEmbedder] = []


@pytest.fixture(autouse=True)
def _all_closed() -> Iterator[None]:
    yield
    while _made:
        _made.pop().close()


def kept(embedder: Any) -> OpenAIEmbedder:
    """One whose connections are closed when the test ends."""
    assert isinstance(embedder, OpenAIEmbedder)
    _made.append(embedder)
    return embedder


def model(endpoint: Endpoint, name: str = "tiny", **options: Any) -> OpenAIEmbedder:
    return kept(OpenAIEmbedder(name, EndpointOptions(**{"url": endpoint.url, "key": KEY, "timeout": 5.0, **options})))


def unit(texts: list[str], size: int = SIZE) -> np.ndarray:
    rows = np.array([spelled(text, size) for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def failing(*acts: Act, texts: tuple[str, ...] = ("a", "b"), **options: Any) -> tuple[EmbeddingError, Endpoint]:
    """The error of one call, and the endpoint that was asked; it learnt the dimension before."""
    with serving(embeds(), *acts) as endpoint:
        made = model(endpoint, **options)
        assert made.dimension == SIZE
        with pytest.raises(EmbeddingError) as caught:
            made.embed(list(texts))
    endpoint.asked = endpoint.asked[1:]
    return caught.value, endpoint


# what is asked and answered


@pytest.mark.parametrize("how", [{}, {"packed": False}, {"packed": True}, {"order": lambda rows: rows[::-1]}])
def test_vectors_come_in_the_order_of_the_texts(how: dict[str, Any]):
    texts = [f"text {n}" for n in range(10)]
    with serving(embeds(**how)) as endpoint:
        made = model(endpoint)
        vectors = made.embed(texts)
        assert made.embed([]).shape == (0, SIZE)
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, unit(texts), atol=1e-6)
    probe, asked = endpoint.asked
    assert asked.path == "/v1/embeddings"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {"model": "tiny", "input": texts, "encoding_format": "base64"}
    assert len(probe.body["input"]) == 1


def test_what_is_asked_at_once_is_bounded_by_count_and_by_tokens():
    texts = [f"{n:02d}" * 20 for n in range(50)] + ["long " * 300, "short"]
    with serving(embeds()) as endpoint:
        made = model(endpoint, batch=8, tokens=60)
        vectors = made.embed(texts)
    assert np.allclose(vectors, unit(texts), atol=1e-6)
    sizes = [[len(text) for text in asked.body["input"]] for asked in endpoint.asked[1:]]
    assert sum(map(len, sizes)) == len(texts)
    assert all(len(own) <= 8 and (len(own) == 1 or sum(own) <= 4 * 60) for own in sizes)


def test_requests_run_side_by_side_up_to_the_limit():
    with serving(embeds(), meets(3, embeds())) as endpoint:
        made = model(endpoint, batch=1, concurrency=3)
        made.dimension  # noqa: B018  # asks once
        vectors = made.embed([str(n) for n in range(9)])
    assert np.allclose(vectors, unit([str(n) for n in range(9)]), atol=1e-6)
    assert endpoint.most_at_once == 3


def test_queries_and_passages_carry_their_prefixes():
    with serving(embeds()) as endpoint:
        made = model(endpoint, query_prefix="query: ", passage_prefix="passage: ")
        assert np.allclose(made.embed(["a"]), unit(["passage: a"]), atol=1e-6)
        assert np.allclose(made.embed_queries(["a", ""]), unit(["query: a", "query: "]), atol=1e-6)


def test_any_text_is_taken():
    with serving(embeds()) as endpoint:
        made = model(endpoint)
        vectors = made.embed(["", " \n", "a lone \ud800 surrogate", "\0", "x" * 30_000, "ü🎉"])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    sent = [text for asked in endpoint.asked for text in asked.body["input"]]
    assert all(text.strip() and len(text) <= 6_400 for text in sent)


def test_nothing_goes_out_that_was_not_asked_for(monkeypatch: pytest.MonkeyPatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "secret-of-another")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with serving(embeds()) as endpoint:
        made = model(endpoint, key="")
        made.embed(["a"])
    for asked in endpoint.asked:
        assert set(asked.headers) <= {"host", "accept", "connection", "content-type", "content-length", "user-agent"}


# what its vectors are known by


def test_the_name_tells_models_dimensions_and_prefixes_apart_and_nothing_else():
    with serving(embeds()) as one, serving(embeds()) as other:
        made = [
            model(one),
            model(one, name="BAAI/bge-m3"),
            model(one, dimensions=3),
            model(one, query_prefix="query: "),
            model(one, passage_prefix="query: "),
            model(one, passage_prefix='"\\ ü'),
        ]
        names = [embedder.name for embedder in made]
        assert names[:3] == ["openai:tiny/6", "openai:BAAI/bge-m3/6", "openai:tiny/3"]
        assert len(set(names)) == len(names)
        assert model(other, key="another").name == names[0]
        assert not any(KEY in name or "127.0.0.1" in name for name in names)
        for embedder in made:
            found = kept(embedder_named(embedder.name, endpoint=EndpointOptions(url=other.url, query_prefix="ignored")))
            before = len(other.asked)
            assert (found.name, found.dimension) == (embedder.name, embedder.dimension)
            assert len(other.asked) == before
            assert np.allclose(found.embed(["a"]), embedder.embed(["a"]), atol=1e-6)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda t: t.strip() == t),
    st.integers(1, 9999),
    st.text(),
    st.text(),
)
def test_any_name_is_read_back(name: str, dimensions: int, passage: str, query: str):
    options = EndpointOptions(dimensions=dimensions, passage_prefix=passage, query_prefix=query)
    made = OpenAIEmbedder(name, options)
    found = recognised(made.name, EndpointOptions())
    if "\n" not in name:
        assert found is not None
        assert found.name == made.name


@pytest.mark.parametrize("name", ["", "openai:", "openai:/6", "openai:m", "openai:m/0", "openai:m/6 query=x", "m/6"])
def test_other_names_are_not_ours(name: str):
    assert recognised(name, EndpointOptions()) is None


def test_a_dimension_that_is_known_is_not_asked_for():
    with serving(embeds()) as endpoint:
        made = model(endpoint)
        made.adopt("openai:other/9")
        made.adopt('openai:tiny/9 query="q"')
        made.adopt("openai:tiny/6")
        assert made.dimension == SIZE
        assert endpoint.asked == []


def test_the_choice_names_the_model():
    made = make_embedder("openai: text-embedding-3-small", endpoint=EndpointOptions(dimensions=8))
    assert made.name == "openai:text-embedding-3-small/8"
    with pytest.raises(InputError, match="GOALMEM_EMBEDDING_URL"):
        made.embed(["a"])
    with pytest.raises(InputError, match="no embedder"):
        make_embedder("openai: ")


# endpoints that do not take everything


def test_as_many_numbers_are_asked_for_as_are_set_or_as_a_store_keeps():
    with serving(embeds()) as endpoint:
        made = model(endpoint, dimensions=3)
        assert made.embed(["a"]).shape == (1, 3)
        again = kept(recognised(made.name, EndpointOptions(url=endpoint.url)))
        assert again.embed(["a"]).shape == (1, 3)
    assert [asked.body.get("dimensions") for asked in endpoint.asked] == [3, None, 3]


def test_an_endpoint_that_takes_no_dimensions_is_asked_without():
    no = rejects(
        "Model does not support matryoshka representation, changing output dimensions will lead to poor results."
    )
    with serving(no, embeds()) as endpoint:
        made = model(endpoint, dimensions=SIZE)
        made.embed(["a"])
        made.embed(["b"])
    assert [asked.body.get("dimensions") for asked in endpoint.asked] == [SIZE, None, None]
    with serving(no, embeds()) as endpoint, pytest.raises(EmbeddingError, match="6 numbers, not of 4"):
        model(endpoint, dimensions=4).embed(["a"])


def test_an_endpoint_that_takes_no_base64_is_asked_for_numbers():
    with serving(rejects("unknown field", param="encoding_format"), embeds()) as endpoint:
        made = model(endpoint)
        assert np.allclose(made.embed(["a", "b"]), unit(["a", "b"]), atol=1e-6)
    assert ["encoding_format" in asked.body for asked in endpoint.asked] == [True, False, False]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_too_many_texts_are_asked_for_in_fewer(status: int):
    def limited(handler: Handler) -> None:
        many = len(handler.asked.body["input"]) > 4
        (rejects("batch size > 4", status=status) if many else embeds())(handler)

    texts = [f"text {n}" for n in range(30)]
    with serving(limited) as endpoint:
        made = model(endpoint, concurrency=1)
        assert np.allclose(made.embed(texts), unit(texts), atol=1e-6)
        asked = len(endpoint.asked)
        made.embed(texts)
        assert len(endpoint.asked) - asked == 8


def test_a_text_that_is_too_long_is_halved():
    def limited(handler: Handler) -> None:
        long = any(len(text) > 500 for text in handler.asked.body["input"])
        (rejects("maximum context length is 512 tokens", status=400) if long else embeds())(handler)

    text = "a" * 500 + "b" * 500
    with serving(limited) as endpoint:
        vectors = model(endpoint).embed([text, "short"])
    halves = unit(["a" * 500, "b" * 500]).mean(axis=0)
    assert np.allclose(vectors[0], halves / np.linalg.norm(halves), atol=1e-5)
    assert np.allclose(vectors[1], unit(["short"])[0], atol=1e-6)


# failures


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize(
    "trouble",
    [rejects("slow down", status=429), rejects("oops", status=500), answers(503, "", "text/plain"), dies, hangs_up],
)
def test_what_may_pass_is_asked_again(trouble: Act):
    with serving(embeds(), trouble, trouble, embeds()) as endpoint:
        made = model(endpoint)
        assert made.dimension == SIZE
        assert np.allclose(made.embed(["a"]), unit(["a"]), atol=1e-6)
    assert len(endpoint.asked) == 4


def test_it_waits_as_long_as_it_is_asked_to():
    with serving(embeds(), answers(429, {"error": {"message": "wait"}}, retry_after="0.3"), embeds()) as endpoint:
        made = model(endpoint)
        assert made.dimension == SIZE
        began = time.monotonic()
        made.embed(["a"])
        assert time.monotonic() - began >= 0.3


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize("trouble", [rejects("slow down", status=429), rejects("oops", status=500), dies, hangs_up])
def test_what_does_not_pass_is_an_error_that_may_be_tried_again(trouble: Act):
    error, endpoint = failing(trouble, retries=2)
    assert isinstance(error, EmbeddingUnavailableError)
    assert len(endpoint.asked) == 3
    assert "embedding model tiny at 127.0.0.1" in error.problem
    assert "GOALMEM_EMBEDDING" in error.remedy


@pytest.mark.parametrize("trouble", [sleeps(2.0, embeds()), trickles(50, 0.05)])
def test_a_silent_endpoint_is_waited_for_no_longer_than_it_may_take(trouble: Act):
    began = time.monotonic()
    error, _ = failing(trouble, timeout=0.6, retries=0)
    assert isinstance(error, EmbeddingUnavailableError)
    assert time.monotonic() - began < 3
    assert "GOALMEM_EMBEDDING_TIMEOUT" in error.remedy


@pytest.mark.parametrize(
    ("trouble", "named"),
    [
        (rejects("bad key", status=401), "GOALMEM_EMBEDDING_KEY"),
        (rejects("no", status=403), "GOALMEM_EMBEDDING_KEY"),
        (rejects("no such model", status=404), "GOALMEM_EMBEDDER"),
        (rejects("spent", status=429, code="insufficient_quota"), "account"),
        (answers(302, "", location="http://127.0.0.1:1/"), "GOALMEM_EMBEDDING_URL"),
        (rejects("nonsense", status=400), "GOALMEM_EMBEDDING_BATCH"),
    ],
)
def test_what_does_not_change_is_asked_once_and_names_the_setting(trouble: Act, named: str):
    error, endpoint = failing(trouble, texts=("a",))
    assert isinstance(error, EmbeddingRefusedError)
    assert named in error.remedy
    assert len(endpoint.asked) == 1


def body(*embeddings: Any, **more: Any) -> Act:
    return answers(200, {"data": [{"index": n, "embedding": e} for n, e in enumerate(embeddings)], **more})


GOOD = [1.0] * SIZE


@pytest.mark.parametrize(
    ("sent", "said"),
    one_in(
        2,
        [
            (body(GOOD), "1 embeddings for 2"),
            (body(GOOD, GOOD, GOOD), "3 embeddings for 2"),
            (body(GOOD, GOOD[:-1]), "different lengths"),
            (body([*GOOD, 1.0], [*GOOD, 1.0]), "7 numbers, not of 6"),
            (body(GOOD, [float("nan"), *GOOD[1:]]), "no number"),
            (body(GOOD, [1e300, *GOOD[1:]]), "no number"),
            (body(GOOD, [0.0] * SIZE), "zeros"),
            (body(GOOD, None), "no list of numbers"),
            (body(GOOD, []), "no list of numbers"),
            (body(GOOD, "not base64!"), "no list of numbers"),
            (body(GOOD, base64.b64encode(b"12345").decode()), "no list of numbers"),
            (body(GOOD, [[1.0]] * SIZE), "no list of numbers"),
            (body(GOOD, ["1.0"] * SIZE + [{}]), "no list of numbers"),
            (answers(200, {"data": [{"index": 0, "embedding": GOOD}] * 2}), "numbered"),
            (answers(200, {"data": [{"index": 1, "embedding": GOOD}, {"index": 2, "embedding": GOOD}]}), "numbered"),
            (answers(200, {"data": [{"index": "0", "embedding": GOOD}, {"index": 1, "embedding": GOOD}]}), "numbered"),
            (answers(200, {"data": "x"}), "no embeddings"),
            (answers(200, {"error": {"message": "overloaded"}}), "no embeddings"),
            (answers(200, "[]"), "no embeddings"),
            (answers(200, "<html>", "text/html"), "no embeddings"),
            (answers(200, ""), "no embeddings"),
        ],
    ),
)
def test_what_are_no_vectors_is_refused(sent: Act, said: str):
    error, _ = failing(sent)
    assert said in error.problem
    assert not isinstance(error, EmbeddingUnavailableError | EmbeddingRefusedError)


def test_embeddings_without_numbers_are_taken_as_they_come():
    rows = [{"embedding": spelled(text)} for text in ("a", "b")]
    with serving(embeds(), answers(200, {"data": rows})) as endpoint:
        made = model(endpoint)
        assert made.dimension == SIZE
        assert np.allclose(made.embed(["a", "b"]), unit(["a", "b"]), atol=1e-6)


def test_one_request_that_fails_fails_the_call_and_the_others_are_not_begun():
    with serving(embeds(), rejects("bad key", status=401)) as endpoint:
        made = model(endpoint, batch=1, concurrency=2)
        assert made.dimension == SIZE
        with pytest.raises(EmbeddingRefusedError):
            made.embed([str(n) for n in range(40)])
    assert len(endpoint.asked) < 10


def test_the_key_is_told_nowhere(caplog: pytest.LogCaptureFixture):
    with caplog.at_level("DEBUG"):
        error, _ = failing(rejects(f"the key {KEY} is wrong", status=401), texts=("a",))
    told = "".join(traceback.format_exception(error)) + repr(error.__dict__) + caplog.text
    assert KEY not in told
    options = EndpointOptions(url="http://127.0.0.1:1/v1", key=KEY)
    assert KEY not in f"{options!r} {OpenAIEmbedder('m', options)!r}"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"url": "localhost"}, "GOALMEM_EMBEDDING_URL"),
        ({"url": "http://user:secret@host/v1"}, "GOALMEM_EMBEDDING_KEY"),
        ({"url": "http://127.0.0.1:1/v1", "key": "ключ"}, "GOALMEM_EMBEDDING_KEY"),
    ],
)
def test_what_cannot_be_used_names_the_setting(options: dict[str, str], named: str):
    with pytest.raises(InputError, match=named) as caught:
        OpenAIEmbedder("m", EndpointOptions(**options))
    assert "secret" not in str(caught.value)


def test_many_threads_share_one():
    with serving(embeds()) as endpoint:
        made = model(endpoint, batch=3)
        start = threading.Barrier(6)

        def work(n: int) -> bool:
            start.wait()
            texts = [f"{n} {k}" for k in range(8)]
            return bool(np.allclose(made.embed(texts), unit(texts), atol=1e-6))

        with ThreadPoolExecutor(6) as pool:
            assert all(pool.map(work, range(6)))
