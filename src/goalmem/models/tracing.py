"""OpenTelemetry spans, if the package `opentelemetry-api` is installed; no-ops otherwise.

A span carries counts, durations and statuses. What is remembered, asked or answered, names of spaces, sessions and
speakers, and the texts of errors stay out of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from goalmem.models.chat import ChatModel, ChatReply, ChatRequest


Figure = bool | int | float | str


class OpenSpan(Protocol):
    """A span that is open."""

    def set_attribute(self, key: str, value: Figure) -> None:
        """Note a count, a duration or a status."""


class NullSpan:
    """A span that records nothing."""

    def set_attribute(self, key: str, value: Figure) -> None:
        """Do nothing."""


UNTRACED = NullSpan()


@contextmanager
def span(name: str, **figures: Figure) -> Iterator[OpenSpan]:
    """A span `goalmem.<name>` with these figures; an error that ends it is named by its type alone."""
    tracer = tracer_of_process()
    if tracer is None:
        yield UNTRACED
        return
    from opentelemetry.trace import Status, StatusCode

    # The SDK would record the error's text, which may quote messages.
    quiet = tracer.start_as_current_span(f"goalmem.{name}", record_exception=False, set_status_on_exception=False)
    with quiet as opened:
        measured = PrefixedSpan(opened)
        for key, value in figures.items():
            measured.set_attribute(key, value)
        try:
            yield measured
        except BaseException as error:
            opened.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


class PrefixedSpan:
    """A span whose attributes are named `goalmem.<key>`."""

    def __init__(self, opened: OpenSpan) -> None:
        self._opened = opened

    def set_attribute(self, key: str, value: Figure) -> None:
        """Note a figure."""
        self._opened.set_attribute(f"goalmem.{key}", value)


@cache
def tracer_of_process() -> Tracer | None:
    """The tracer of this library; None where OpenTelemetry is not installed."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    from importlib.metadata import version

    return trace.get_tracer("goalmem", version("goalmem"))


class TracedChat:
    """A chat model whose calls are spans."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model.name

    def reply(self, request: ChatRequest) -> ChatReply:
        """The model's reply; its span has the task, the tokens and why it stopped."""
        with span("model", task=request.task) as opened:
            reply = self._model.reply(request)
            opened.set_attribute("prompt_tokens", reply.prompt_tokens)
            opened.set_attribute("completion_tokens", reply.completion_tokens)
            opened.set_attribute("finish", reply.finish)
            opened.set_attribute("cached", reply.cached)
            return reply
