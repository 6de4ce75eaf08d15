"""The chat client against an endpoint of our own that plays what real ones do."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
import stamina

from goalmem.errors import ChatError, ChatRefusedError, ChatReplyError, ChatUnavailableError, InputError
from goalmem.models.chat import ChatRequest
from goalmem.models.openai_chat import OpenAIChat
from tests.cases import one_in

from .endpoint import (
    Act,
    Endpoint,
    answers,
    completion,
    dies,
    hangs_up,
    meets,
    rejects,
    says,
    serving,
    sleeps,
    trickles,
)

KEY = "sk-test-0123456789abcdef"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
REQUEST = ChatRequest("answer", "Reply in one word.", "Capital of France?")
WITH_SCHEMA = replace(REQUEST, schema=SCHEMA, schema_name="city")


@pytest.fixture
def _no_waiting() -> Iterator[None]:
    stamina.set_testing(True, attempts=10, cap=True)
    yield
    stamina.set_testing(False)


def chat(endpoint: Endpoint, **options: object) -> OpenAIChat:
    return OpenAIChat(endpoint.url, "small", **{"key": KEY, "timeout": 5.0, **options})


def failing(*acts: Act, request: ChatRequest = REQUEST, **options: object) -> tuple[ChatError, Endpoint]:
    """The error of one call, and the endpoint that was asked."""
    with serving(*acts) as endpoint:
        model = chat(endpoint, **options)
        with pytest.raises(ChatError) as caught:
            model.reply(request)
        model.close()
    return caught.value, endpoint


# what is asked and answered


def test_a_reply_comes_with_its_counts():
    with serving(says("Paris")) as endpoint:
        model = chat(endpoint)
        reply = model.reply(REQUEST)
        model.close()
    assert (reply.text, reply.finish, reply.prompt_tokens, reply.completion_tokens) == ("Paris", "stop", 11, 3)
    assert (reply.model, reply.cached, reply.estimated) == ("served", False, False)
    assert 0 < reply.seconds < 5
    asked = endpoint.asked[0]
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Reply in one word."},
            {"role": "user", "content": "Capital of France?"},
        ],
        "max_tokens": 512,
        "temperature": 0.0,
        "seed": 0,
    }


def test_nothing_goes_out_that_was_not_asked_for(monkeypatch: pytest.MonkeyPatch):
    for name, value in {
        "OPENAI_API_KEY": "sk-of-somebody-else",
        "OPENAI_ADMIN_KEY": "sk-of-an-admin",
        "OPENAI_BASE_URL": "http://127.0.0.1:1/elsewhere",
        "OPENAI_ORG_ID": "org",
        "OPENAI_PROJECT_ID": "project",
        "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer sk-custom\nX-Secret: yes",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "http_proxy": "http://127.0.0.1:1",
        "ALL_PROXY": "http://127.0.0.1:1",
    }.items():
        monkeypatch.setenv(name, value)
    with serving(says()) as endpoint:
        model = chat(endpoint, key="")
        model.reply(replace(REQUEST, about=("turn-1",), seconds=4.0))
        model.close()
    sent = endpoint.asked[0]
    assert set(sent.headers) <= {"host", "accept", "connection", "content-type", "content-length", "user-agent"}
    assert sent.headers["user-agent"] == "goalmem"
    assert "turn-1" not in str(sent.body)
    assert "answer" not in str(sent.body)


def test_a_schema_is_asked_for_of_the_endpoint():
    with serving(says('{"city": "Paris"}')) as endpoint:
        model = chat(endpoint)
        assert model.reply(WITH_SCHEMA).text == '{"city": "Paris"}'
        closed = {**SCHEMA, "required": ["city"], "additionalProperties": False}
        model.reply(replace(WITH_SCHEMA, schema=closed))
        model.close()
    loose, strict = (asked.body["response_format"] for asked in endpoint.asked)
    assert loose == {"type": "json_schema", "json_schema": {"name": "city", "schema": SCHEMA, "strict": False}}
    assert strict["json_schema"]["strict"] is True


def test_a_rejected_schema_is_asked_for_in_weaker_forms_and_that_is_remembered():
    unknown = rejects("Unknown response_format: json_schema")
    with serving(unknown, rejects("Unknown response_format: json_object", status=422), says("{}")) as endpoint:
        model = chat(endpoint)
        assert model.reply(WITH_SCHEMA).text == "{}"
        model.reply(WITH_SCHEMA)
        model.close()
    schema, anything, text, again = (asked.body for asked in endpoint.asked)
    assert schema["response_format"]["type"] == "json_schema"
    assert anything["response_format"] == {"type": "json_object"}
    assert "response_format" not in text
    assert '"city"' in text["messages"][0]["content"]
    assert again == text


def test_a_request_that_is_rejected_in_every_form_changes_nothing():
    too_long = rejects("This model's maximum context length is 4096 tokens", code="context_length_exceeded")
    with serving(too_long, says(), rejects("no"), rejects("no"), rejects("no"), says()) as endpoint:
        model = chat(endpoint)
        with pytest.raises(ChatRefusedError, match="maximum context length"):
            model.reply(WITH_SCHEMA)
        model.reply(WITH_SCHEMA)
        with pytest.raises(ChatRefusedError):
            model.reply(WITH_SCHEMA)
        model.reply(WITH_SCHEMA)
        model.close()
    kinds = [asked.body.get("response_format", {}).get("type") for asked in endpoint.asked]
    assert kinds == ["json_schema", "json_schema", "json_schema", "json_object", None, "json_schema"]


def test_parameters_that_a_model_does_not_take_are_left_out():
    with serving(
        rejects("Unsupported parameter: use 'max_completion_tokens' instead.", param="max_tokens"),
        rejects("Only the default is supported.", param="temperature", code="unsupported_value"),
        rejects("extra fields not permitted: seed"),
        says(),
    ) as endpoint:
        model = chat(endpoint)
        model.reply(WITH_SCHEMA)
        model.close()
    last = endpoint.asked[-1].body
    assert last["max_completion_tokens"] == 512
    assert last.keys() & {"max_tokens", "temperature", "seed"} == set()
    assert last["response_format"]["type"] == "json_schema"


def test_any_text_can_be_asked_about():
    with serving(says("ok \ud83d\ude00")) as endpoint:
        model = chat(endpoint)
        model.reply(ChatRequest("t", "", 'a lone \ud800 surrogate, 😀, \x00 and "quotes"'))
        model.close()
    assert endpoint.asked[0].body["messages"] == [
        {"role": "user", "content": 'a lone � surrogate, 😀, \x00 and "quotes"'}
    ]


# replies that are no good replies


def test_cut_off_replies_and_refusals_are_values():
    with serving(
        says('{"city": "Par', finish="length"),
        says(None, refusal="I can't help with that."),
        says("", finish="content_filter"),
        says("Paris", finish=None),
    ) as endpoint:
        model = chat(endpoint)
        replies = [model.reply(REQUEST) for _ in range(4)]
        model.close()
    assert [(reply.text, reply.finish) for reply in replies] == [
        ('{"city": "Par', "length"),
        ("I can't help with that.", "refusal"),
        ("", "refusal"),
        ("Paris", "stop"),
    ]


@pytest.mark.parametrize("usage", [None, {}, [], {"prompt_tokens": "many", "completion_tokens": -1}, 7])
def test_tokens_that_were_not_counted_are_estimated(usage: object):
    with serving(says("Paris is it", usage=usage)) as endpoint:
        model = chat(endpoint)
        reply = model.reply(REQUEST)
        model.close()
    assert (reply.prompt_tokens, reply.completion_tokens, reply.estimated) == (10, 3, True)


def test_a_text_in_parts_is_put_together():
    with serving(
        says([{"type": "text", "text": "Par"}, {"type": "image"}, {"type": "text", "text": "is"}])
    ) as endpoint:
        model = chat(endpoint)
        assert model.reply(REQUEST).text == "Paris"
        model.close()


@pytest.mark.parametrize(
    "body",
    one_in(
        2,
        [
            "<html><body>It works!</body></html>",
            "",
            "{",
            "[" * 100_000,
            "null",
            [],
            {},
            {"choices": []},
            {"choices": None},
            {"choices": ["Paris"]},
            {"choices": [{"message": "Paris"}]},
            {"error": {"message": "the model crashed"}},
            completion(""),
            completion(" \n"),
            completion(None),
            completion(None, tool_calls=[{"id": "1"}]),
            completion("", finish="length"),
            completion({"not": "text"}),
        ],
    ),
    ids=str,
)
def test_what_is_no_reply_is_an_error_and_not_asked_for_again(body: object):
    error, endpoint = failing(answers(200, body, "text/html" if isinstance(body, str) else "application/json"))
    assert isinstance(error, ChatReplyError)
    assert len(endpoint.asked) == 1


# refusals


@pytest.mark.parametrize(
    ("act", "hint"),
    [
        (rejects(f"Incorrect API key provided: {KEY}", status=401), "GOALMEM_CHAT_KEY"),
        (answers(403, "<html>Forbidden</html>", "text/html"), "GOALMEM_CHAT_KEY"),
        (rejects("The model `small` does not exist", status=404, code="model_not_found"), "GOALMEM_CHAT_MODEL"),
        (answers(404, "<html>Not found</html>", "text/html"), "GOALMEM_CHAT_URL"),
        (answers(405, ""), "GOALMEM_CHAT_URL"),
        (answers(307, "", location="http://127.0.0.1:1/v1/chat/completions"), "GOALMEM_CHAT_URL"),
        (rejects("You exceeded your quota", status=429, code="insufficient_quota"), "account"),
        (rejects("prompt is too long"), "context"),
    ],
)
def test_what_cannot_succeed_is_asked_once_and_says_what_to_do(act: Act, hint: str):
    error, endpoint = failing(act)
    assert isinstance(error, ChatRefusedError)
    assert hint in error.remedy
    assert "small at 127.0.0.1" in error.problem
    assert len(endpoint.asked) == 1


def test_the_key_is_nowhere_but_in_the_request(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    for act in (rejects(f"bad key {KEY} " * 30, status=401), answers(500, f"key {KEY}"), dies, hangs_up):
        error, _ = failing(act, retries=0)
        shown = io.StringIO()
        traceback.print_exception(error, file=shown)
        seen: BaseException | None = error
        while seen is not None:
            assert KEY not in f"{seen!r} {vars(seen)}"
            assert type(seen).__module__.startswith("goalmem")
            seen = seen.__cause__ or seen.__context__
        assert KEY not in shown.getvalue()
    model = OpenAIChat("http://127.0.0.1:1/v1", "small", key=KEY)
    assert KEY not in f"{model!r} {model.name} {vars(model)}"
    assert KEY not in caplog.text


# what may succeed later


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize(
    "act",
    one_in(
        2,
        [
            answers(500, "<html>oops</html>", "text/html"),
            answers(502, ""),
            answers(503, {"error": "loading model"}),
            answers(529, "overloaded"),
            answers(429, {"detail": "slow down"}),
            answers(408, ""),
            dies,
            hangs_up,
        ],
    ),
)
def test_what_may_succeed_is_asked_again(act: Act):
    with serving(act, act, says("Paris")) as endpoint:
        model = chat(endpoint)
        assert model.reply(REQUEST).text == "Paris"
        model.close()
    assert len(endpoint.asked) == 3
    error, endpoint = failing(act)
    assert isinstance(error, ChatUnavailableError)
    assert len(endpoint.asked) == 3


def test_the_wait_that_an_endpoint_asks_for_is_kept():
    with serving(
        answers(429, "", retry_after="0.3"), answers(503, "", retry_after_ms="200"), says("Paris")
    ) as endpoint:
        model = chat(endpoint)
        assert 0.5 <= model.reply(REQUEST).seconds < 4
        model.close()


@pytest.mark.parametrize("asked", ["3600", "in an hour", "1e400"])
def test_a_wait_longer_than_the_time_left_is_not_begun(asked: str):
    if asked == "in an hour":
        asked = format_datetime(datetime.now(UTC) + timedelta(hours=1))
    began = time.monotonic()
    error, endpoint = failing(answers(429, "", retry_after=asked))
    assert isinstance(error, ChatUnavailableError)
    assert len(endpoint.asked) == 1
    assert time.monotonic() - began < 4


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize("asked", ["soon", "-5", "nan", "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_an_odd_wait_does_no_harm(asked: str):
    with serving(answers(429, "", retry_after=asked), says("Paris")) as endpoint:
        model = chat(endpoint)
        assert model.reply(REQUEST).text == "Paris"
        model.close()


@pytest.mark.parametrize("act", [sleeps(1.5), trickles(100, 0.05)], ids=["silent", "trickling"])
def test_a_call_ends_in_time(act: Act):
    began = time.monotonic()
    error, _ = failing(act, timeout=0.4)
    assert isinstance(error, ChatUnavailableError)
    assert "GOALMEM_CHAT_TIMEOUT" in error.remedy
    assert time.monotonic() - began < 2.5


def test_a_request_may_have_less_time_than_the_model():
    began = time.monotonic()
    for seconds in (0.3, 0.0, -1.0):
        error, _ = failing(sleeps(1.5), request=replace(REQUEST, seconds=seconds), timeout=60.0)
        assert isinstance(error, ChatUnavailableError)
    assert time.monotonic() - began < 5


def test_a_server_that_is_not_there_is_named():
    with serving(says()) as endpoint:
        pass
    model = chat(endpoint, retries=0)
    with pytest.raises(ChatUnavailableError, match=r"small at 127\.0\.0\.1.*cannot be reached"):
        model.reply(REQUEST)
    model.close()


# threads


def test_calls_run_side_by_side_up_to_the_limit():
    with serving(meets(3)) as endpoint:
        model = chat(endpoint, concurrency=3)
        with ThreadPoolExecutor(9) as pool:
            replies = list(pool.map(lambda _: model.reply(REQUEST).text, range(9)))
        model.close()
    assert replies == ["Paris"] * 9
    assert endpoint.most_at_once == 3


def test_a_call_that_finds_no_place_says_so():
    with serving(sleeps(1.0)) as endpoint:
        model = chat(endpoint, concurrency=1)
        first = threading.Thread(target=model.reply, args=(REQUEST,))
        first.start()
        while not endpoint.asked:
            time.sleep(0.01)
        with pytest.raises(ChatUnavailableError, match="GOALMEM_CHAT_CONCURRENCY"):
            model.reply(replace(REQUEST, seconds=0.1))
        first.join()
        model.close()
        assert model.reply(REQUEST).text == "Paris"
        model.close()


def test_a_fork_asks_over_connections_of_its_own():
    program = Path(__file__).with_name("chat_fork.py")
    with serving(says(), meets(2)) as endpoint:
        done = subprocess.run(
            [sys.executable, str(program), endpoint.url], capture_output=True, text=True, timeout=60, check=False
        )
    assert done.stdout.strip() == "same", done.stderr
    assert endpoint.most_at_once == 2


# construction


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "ftp://host/v1",
        "http://",
        "http://host:port/v1",
        "http://[::1/v1",
        "http://h/v1?key=1",
        "http://a b/v1",
    ],
)
def test_an_address_that_is_none_is_refused(url: str):
    with pytest.raises(InputError, match="GOALMEM_CHAT_URL"):
        OpenAIChat(url, "small")


def test_a_place_that_no_name_has_is_an_error_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for url in ("http://a..b/v1", "http://xn--a.xn--/v1", f"http://{'a' * 70}.example/v1", "http://[::ffff]:1/v1"):
        with pytest.raises(ChatError, match="GOALMEM_CHAT_URL"):
            OpenAIChat(url, "small", retries=0).reply(REQUEST)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(ChatRefusedError, match="SSL_CERT_FILE"):
        OpenAIChat("https://127.0.0.1:1/v1", "small", retries=0).reply(REQUEST)


def test_an_address_with_a_password_is_refused_and_not_shown():
    with pytest.raises(InputError) as caught:
        OpenAIChat("https://me:hunter2@host/v1", "small")
    assert "hunter2" not in str(caught.value)


def test_a_key_that_cannot_be_sent_is_refused_and_not_shown():
    for key in ("sk-ключ", "sk-a\nInjected: yes"):
        with pytest.raises(InputError, match="GOALMEM_CHAT_KEY") as caught:
            OpenAIChat("http://host/v1", "small", key=key)
        assert "sk-" not in str(caught.value)


def test_a_model_needs_a_name():
    with pytest.raises(InputError, match="GOALMEM_CHAT_MODEL"):
        OpenAIChat("http://host/v1", " ")


@pytest.mark.parametrize("ending", ["", "/", "/chat/completions"])
def test_the_address_may_be_given_as_it_is_copied(ending: str):
    with serving(says()) as endpoint:
        model = OpenAIChat(endpoint.url + ending, "small", key=f"{KEY}\n")
        assert model.reply(REQUEST).text == "Paris"
        model.close()
    assert endpoint.asked[0].path == "/v1/chat/completions"
    assert endpoint.asked[0].headers["authorization"] == f"Bearer {KEY}"
