"""What a server tells of itself: logs, figures, spans, problems; and what it keeps to itself."""

from __future__ import annotations

import json
import logging

import pytest
from starlette.testclient import TestClient

from goalmem import CorruptStoreError, StoreBusyError
from goalmem.serve.auth import Scope
from goalmem.serve.logs import LOGGER, JsonLines

from .conftest import add, key_for, problem_of

SECRET = "Xylophonia"  # noqa: S105


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(LOGGER, "propagate", True)
    caplog.set_level(logging.DEBUG, logger=LOGGER.name)
    return lambda: [JsonLines().format(record) for record in caplog.records if record.name == LOGGER.name]


def test_logs_are_structured_and_hold_no_content(client: TestClient, lines):
    key = key_for(client, SECRET, scope=Scope.ADMIN)
    add(client, f"I live in {SECRET}.", key, session=SECRET)
    client.post("/v1/ask", json={"question": f"Who lives in {SECRET}?"}, headers=key)
    client.get("/v1/turns", params={"session": SECRET}, headers=key)
    client.get(f"/v1/turns/{SECRET}", headers=key)
    client.get(f"/{SECRET}", headers=key)
    client.get("/v1/stats", params={"space": SECRET + "2"}, headers=key)
    client.get("/v1/stats", headers={"Authorization": f"Bearer {SECRET}"})
    client.request(SECRET.upper(), "/v1/stats")
    client.post("/v1/search", content=f'{{"query": "{SECRET}", "k": "{SECRET}"}}', headers=key)
    client.post("/v1/uploads", params={"name": SECRET}, content=f"{SECRET}: x\n\xff".encode("latin-1"), headers=key)
    written = lines()
    assert len(written) >= 10
    assert all(isinstance(json.loads(line), dict) for line in written)
    assert SECRET.casefold() not in "".join(written).casefold()
    assert key["Authorization"].split("_", 2)[2] not in "".join(written)
    first = json.loads(written[0])
    assert (first["event"], first["route"], first["status"]) == ("request", "/v1/messages", 201)
    assert first["key"] == client.service.keys.list()[0].id


def test_figures_hold_no_content_either(client: TestClient):
    key = key_for(client, SECRET, scope=Scope.ADMIN)
    add(client, f"I live in {SECRET}.", key, session=SECRET)
    client.get(f"/{SECRET}")
    client.request(SECRET.upper(), "/v1/stats")
    text = client.get("/metrics", headers=key_for(client, scope=Scope.ADMIN)).text
    assert SECRET.casefold() not in text.casefold()
    assert 'goalmem_http_requests_total{method="POST",route="/v1/messages",status="201"} 1.0' in text
    assert "goalmem_turns_added_total 1.0" in text
    assert 'goalmem_work_waiting{lane="asking"} 0.0' in text
    assert 'goalmem_jobs{state="queued"} 0.0' in text


def test_a_defect_is_a_problem_without_its_words(client: TestClient, lines, monkeypatch: pytest.MonkeyPatch):
    def broken(**_: object) -> None:
        raise RuntimeError(f"cannot read {SECRET}")

    monkeypatch.setattr(client.service.memory, "stats", broken)
    problem = problem_of(client.get("/v1/stats"), 500)
    assert SECRET not in json.dumps(problem)
    told = [json.loads(line) for line in lines()]
    defect = next(line for line in told if line["event"] == "defect")
    assert defect["error"] == "RuntimeError"
    assert any("test_telling" in frame for frame in defect["at"])
    assert SECRET not in json.dumps(told)
    assert defect["id"] == problem["instance"]


@pytest.mark.parametrize(("error", "status"), [(CorruptStoreError, 500), (StoreBusyError, 503)])
def test_no_path_of_the_server_is_told(client: TestClient, error: type, status: int, monkeypatch: pytest.MonkeyPatch):
    def failing(**_: object) -> None:
        raise error("The store /srv/private/store.goalmem is damaged.", "See /srv/private.")

    monkeypatch.setattr(client.service.memory, "stats", failing)
    assert "/srv" not in json.dumps(problem_of(client.get("/v1/stats"), status))


def test_what_was_sent_is_not_repeated(client: TestClient):
    body = {"query": "x", "k": SECRET}
    assert SECRET not in json.dumps(problem_of(client.post("/v1/search", json=body), 422))


@pytest.mark.parametrize(("given", "kept"), [("abc-1.2_3", True), ("two words", False), ("x" * 65, False)])
def test_a_request_may_be_given_an_id(client: TestClient, given: str, kept: bool):
    told = client.get("/health", headers={"X-Request-Id": given}).headers["x-request-id"]
    assert (told == given) is kept


def test_ready_says_when_it_stops(client: TestClient):
    assert client.get("/ready").json()["ready"] is True
    client.service.stop()
    refused = client.get("/ready")
    problem_of(refused, 503)
    assert refused.headers["retry-after"]
    problem_of(client.get("/v1/stats"), 503)
    assert client.get("/health").status_code == 200


def test_requests_are_spans(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from goalmem.models import tracing

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "tracer_of_process", lambda: provider.get_tracer("test"))
    trace = "0af7651916cd43dd8448eb211c80319c"
    add(client, f"I live in {SECRET}.", {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}, session=SECRET)
    spans = {span.name: span for span in exporter.get_finished_spans()}
    request, inner = spans["goalmem.request"], spans["goalmem.add"]
    assert inner.parent.span_id == request.context.span_id
    assert f"{request.context.trace_id:032x}" == trace
    assert request.attributes["goalmem.route"] == "/v1/messages"
    assert SECRET not in "".join(span.to_json() for span in spans.values())


def test_the_document_describes_every_call(client: TestClient):
    document = client.get("/openapi.json").json()
    paths = {(method.upper(), path) for path, operations in document["paths"].items() for method in operations}
    assert ("POST", "/v1/ask") in paths
    assert len(paths) >= 26
    for operations in document["paths"].values():
        for operation in operations.values():
            assert operation["description"]
            assert operation["responses"]["422"]["content"].keys() == {"application/problem+json"}
    names = json.dumps(document)
    for reference in set(names.split('"#/components/schemas/')[1:]):
        assert reference.partition('"')[0] in document["components"]["schemas"]
    assert "examples" in names
