"""Spans say how long and how many, and nothing of what is remembered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from goalmem import InputError, Memory
from goalmem.models import tracing
from goalmem.models.chat import ChatReply, ChatRequest
from goalmem.models.tracing import TracedChat, span
from tests.memory.conftest import remember

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """The spans that were ended."""
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "tracer_of_process", lambda: provider.get_tracer("test"))
    yield exporter
    provider.shutdown()


def test_adding_searching_and_asking_are_spans(memory: Memory, spans: InMemorySpanExporter):
    remember(memory)
    memory.search("beagle", k=2)
    memory.ask("What did Nadia adopt?")
    ended = spans.get_finished_spans()
    by_name = {s.name: s for s in ended}
    assert by_name["goalmem.add"].attributes == {"goalmem.messages": 2, "goalmem.new": 2}
    assert by_name["goalmem.search"].attributes == {"goalmem.k": 2, "goalmem.turns": 2}
    asked = by_name["goalmem.ask"]
    assert asked.attributes is not None
    assert asked.attributes["goalmem.status"] == "proved"
    assert asked.context is not None
    inner = [s for s in ended if s.name == "goalmem.retrieval"]
    assert inner
    assert all(s.parent is not None and s.parent.span_id == asked.context.span_id for s in inner)


def test_no_words_of_the_memory_are_in_a_span(memory: Memory, spans: InMemorySpanExporter):
    remember(memory, space="nadias-own")
    memory.ask("What did Nadia adopt?", space="nadias-own")
    memory.context("Book a table with Ilse", space="nadias-own")
    with pytest.raises(InputError):
        memory.search("beagle", without=["no-such-signal"], space="nadias-own")
    written = " ".join(s.to_json() for s in spans.get_finished_spans()).casefold()
    assert "error" in written
    for word in ("nadia", "beagle", "ilse", "table", "adopt"):
        assert word not in written


def test_calls_of_a_model_are_spans(spans: InMemorySpanExporter):
    class Model:
        name = "echo"

        def reply(self, request: ChatRequest) -> ChatReply:
            return ChatReply(request.user, 3, 4, 0.1, "stop")

    model = TracedChat(Model())
    assert model.name == "echo"
    assert model.reply(ChatRequest("decompose", "", "secret")).text == "secret"
    (ended,) = spans.get_finished_spans()
    assert ended.name == "goalmem.model"
    assert ended.attributes is not None
    assert ended.attributes["goalmem.task"] == "decompose"
    assert ended.attributes["goalmem.completion_tokens"] == 4
    assert "secret" not in ended.to_json()


def test_without_the_package_nothing_is_traced(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.setattr(tracing, "tracer_of_process", tracing.tracer_of_process.__wrapped__)
    assert tracing.tracer_of_process() is None
    with span("ask", k=3) as opened:
        opened.set_attribute("status", "proved")
