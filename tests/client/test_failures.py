"""What goes wrong between a client and a server: what is sent again, what is not, and what is told."""

import json
import logging
import socket
import time
import traceback
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from goalmem import Client, GoalmemError
from goalmem.errors import (
    AccessDeniedError,
    ConflictError,
    InputError,
    NotFoundError,
    ServiceError,
    ServiceUnavailableError,
    StoreBusyError,
    UnstratifiedError,
)

RECEIPT = {"session": "default", "turns": ["t1"], "new": 1, "repaired": []}
KEY = "gm_0123456789ab_SECRETSECRETSECRETSECRETSECRETSECRETSECRETS"

Fake = Callable[..., Client]


def problem(status: int, kind: str, headers: dict[str, str] | None = None, **more: Any) -> httpx2.Response:
    body = {"type": f"urn:goalmem:problem:{kind}", "detail": "What.", "remedy": "Do.", "status": status, **more}
    content = json.dumps(body).encode()
    return httpx2.Response(
        status, headers={"content-type": "application/problem+json", **(headers or {})}, content=content
    )


class Script:
    """Answers in order, and what was asked."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.asked: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx2.Response) else httpx2.Response(200, json=answer)


@pytest.mark.parametrize(
    "failure",
    [
        httpx2.ConnectError("refused"),
        httpx2.ReadError("reset"),
        httpx2.ReadTimeout("late"),
        httpx2.RemoteProtocolError("half"),
        problem(503, "busy", {"retry-after": "0"}),
        problem(429, "too-many", {"retry-after": "0"}),
        problem(409, "idempotency", {"retry-after": "0"}),
        httpx2.Response(502, text="<html>bad gateway"),
    ],
)
def test_what_may_yet_succeed_is_sent_again_as_the_same_write(failure: Any, fake: Fake):
    script = Script(failure, RECEIPT)
    assert fake(script).add("Hello").new == 1
    first, second = (request.headers["idempotency-key"] for request in script.asked)
    assert first == second
    assert script.asked[0].content == script.asked[1].content


def test_every_write_has_a_key_of_its_own_and_reads_have_none(fake: Fake):
    script = Script(RECEIPT, RECEIPT, {"items": []})
    client = fake(script)
    client.add("Hello")
    client.add("Hello")
    client.search("Hello")
    keys = [request.headers.get("idempotency-key") for request in script.asked]
    assert keys[0] != keys[1]
    assert keys[2] is None


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (404, "not-found", NotFoundError),
        (409, "conflict", ConflictError),
        (422, "input", InputError),
        (413, "too-large", InputError),
        (401, "unauthorized", AccessDeniedError),
        (403, "forbidden", AccessDeniedError),
        (412, "precondition", ServiceError),
        (500, "internal-server-error", ServiceError),
        (507, "store-full", GoalmemError),
    ],
)
def test_what_would_fail_again_is_not_sent_again(status: int, kind: str, error: type[Exception], fake: Fake):
    script = Script(problem(status, kind, instance="abc123"))
    with pytest.raises(error) as raised:
        fake(script).add("Hello")
    assert len(script.asked) == 1
    assert isinstance(raised.value, GoalmemError)
    assert (raised.value.problem, raised.value.remedy) == ("What.", "Do.")
    assert "abc123" in raised.value.__notes__[0]


def test_an_error_with_more_to_it_is_made_whole(fake: Fake):
    with pytest.raises(UnstratifiedError) as raised:
        fake(Script(problem(409, "unstratified", cycle=["a", "b"]))).ask("Is a?")
    assert raised.value.cycle == ("a", "b")


def test_the_server_says_how_long_to_wait(fake: Fake):
    began = time.monotonic()
    fake(Script(problem(503, "store-busy", {"retry-after": "1"}), RECEIPT)).add("Hello")
    assert 0.9 < time.monotonic() - began < 5


def test_a_wait_that_is_too_long_is_not_begun(fake: Fake):
    script = Script(problem(503, "store-busy", {"retry-after": "3600"}))
    with pytest.raises(StoreBusyError) as raised:
        fake(script).add("Hello")
    assert "3600 s" in raised.value.__notes__[-1]


def test_attempts_end(fake: Fake):
    script = Script(*[httpx2.ConnectError("refused")] * 3)
    with pytest.raises(ServiceUnavailableError, match="refused"):
        fake(script, attempts=3).stats()
    assert len(script.asked) == 3


def test_nothing_is_sent_again_where_that_is_not_wanted(fake: Fake):
    script = Script(problem(503, "busy"))
    with pytest.raises(ServiceUnavailableError):
        fake(script, attempts=1).stats()
    assert len(script.asked) == 1


def test_no_server_is_a_connection_error():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}", attempts=2) as client, pytest.raises(ConnectionError) as raised:
        client.stats()
    assert isinstance(raised.value, ServiceUnavailableError)
    assert str(port) in raised.value.problem
    assert "goalmem serve" in raised.value.remedy


def test_a_server_that_says_nothing_is_not_waited_for():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        began = time.monotonic()
        with Client(url, timeout=0.3) as client, pytest.raises(ServiceUnavailableError):
            client.stats()
        assert time.monotonic() - began < 3


def test_an_answer_that_trickles_ends_in_time(fake: Fake):
    def trickle() -> Any:
        for _ in range(1000):
            time.sleep(0.05)
            yield b" "

    with pytest.raises(ServiceUnavailableError, match="longer than"):
        fake(lambda _: httpx2.Response(200, content=trickle()), timeout=0.4).stats()


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<html>Welcome to nginx"),
        httpx2.Response(200, json={"unexpected": True}),
        httpx2.Response(200, json=[1, 2]),
        httpx2.Response(200, content=b""),
        httpx2.Response(404, text="<html>not here"),
        httpx2.Response(301, headers={"location": "http://elsewhere.test/"}),
        httpx2.Response(422, headers={"content-type": "application/problem+json"}, content=b"[]"),
    ],
)
def test_what_is_no_goalmem_server_is_said_to_be_none(answer: httpx2.Response, fake: Fake):
    with pytest.raises(ServiceError) as raised:
        fake(Script(answer)).stats()
    assert "server.test" in raised.value.problem


def events(*told: tuple[str, Any]) -> httpx2.Response:
    content = "".join(f"event: {kind}\ndata: {json.dumps(data)}\n\n" for kind, data in told).encode()
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=content)


GOAL = ("goal", {"text": "a goal", "data": {}, "seconds": 0.1})


def test_a_stream_that_breaks_off_after_the_first_event_is_not_begun_again(fake: Fake):
    script, told = Script(events(GOAL)), []
    with pytest.raises(ServiceUnavailableError, match="broke off"):
        fake(script).ask("What?", on_event=told.append)
    assert (len(script.asked), len(told)) == (1, 1)


def test_a_stream_that_breaks_off_before_any_event_is_begun_again(fake: Fake):
    failed = ("error", {"type": "urn:goalmem:problem:input", "detail": "What.", "remedy": "Do.", "status": 422})
    script, told = Script(events(), httpx2.ReadError("reset"), events(GOAL, failed)), []
    with pytest.raises(InputError, match="What"):
        fake(script).ask("What?", on_event=told.append)
    assert (len(script.asked), len(told)) == (3, 1)


def test_events_that_are_not_known_are_left_out(fake: Fake):
    told: list[Any] = []
    with pytest.raises(ServiceUnavailableError):
        fake(Script(events(("tomorrow", {"x": 1}), GOAL))).ask("What?", on_event=told.append)
    assert [event.kind for event in told] == ["goal"]


@pytest.mark.parametrize(
    "url",
    ["", "server", "ftp://x", "http://", "http://u:p@x", "http://x?y=1", "http://x/#y", "http://x y", "http://x:0"],
)
def test_addresses_that_are_none(url: str):
    with pytest.raises(InputError, match="address"):
        Client(url)


@pytest.mark.parametrize("options", [{"key": "with\nbreak"}, {"key": "ü"}, {"timeout": 0}, {"attempts": 0}])
def test_other_values_that_cannot_be_used(options: dict[str, Any]):
    with pytest.raises(InputError) as raised:
        Client("http://server.test", **options)
    assert "break" not in str(raised.value)


@pytest.mark.parametrize("name", ["", " ", "a\0b", "\ud800", "x" * 600])
def test_spaces_that_cannot_be_are_refused_here(name: str, fake: Fake):
    with pytest.raises(InputError, match="space"):
        fake(Script()).stats(space=name)


def test_the_key_is_sent_and_shown_nowhere(fake: Fake, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    script = Script(httpx2.ConnectError("refused"), problem(401, "unauthorized"))
    client = fake(script, key=KEY)
    with pytest.raises(AccessDeniedError) as raised:
        client.add("Hello")
    assert script.asked[0].headers["authorization"] == f"Bearer {KEY}"
    shown = [repr(client), repr(client._client._server), caplog.text, "".join(traceback.format_exception(raised.value))]
    error: BaseException | None = raised.value
    while error is not None:
        shown += [repr(vars(error)), repr(error.args)]
        error = error.__cause__ or error.__context__
    assert not any("SECRET" in text for text in shown)


def test_it_is_the_server_that_says_which_space_a_key_is_for(fake: Fake):
    script = Script({"items": []}, {"items": []}, {"items": []})
    fake(script).search("x")
    fake(script, space="mine").search("x")
    fake(script, space="mine").search("x", space="other")
    assert [request.url.params.get("space") for request in script.asked] == [None, "mine", "other"]


def test_lists_are_fetched_page_by_page(fake: Fake):
    script = Script({"items": ["a"], "next": "c1"}, {"items": ["b"], "next": None})
    assert fake(script).spaces() == ["a", "b"]
    assert script.asked[1].url.params["cursor"] == "c1"


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ServiceError, match=r"goalmem\[client\]"):
        Client()
