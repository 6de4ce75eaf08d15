"""Traces that a caller began (`traceparent`, W3C Trace Context) go on here, where OpenTelemetry is installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from goalmem.models.tracing import tracer_of_process

__all__ = ["continued"]


@contextmanager
def continued(headers: Mapping[str, str]) -> Iterator[None]:
    """Spans that are opened meanwhile belong to the caller's trace, where it sent one."""
    if "traceparent" not in headers or tracer_of_process() is None:
        yield
        return
    from opentelemetry import context
    from opentelemetry.propagate import extract

    token = context.attach(extract(dict(headers)))
    try:
        yield
    finally:
        context.detach(token)
