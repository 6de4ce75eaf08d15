"""The bundled reader and judge by the names that the settings know them by."""

from __future__ import annotations

from goalmem.models.protocol import Judge, SpanReader

__all__ = ["judge_named", "span_reader_named"]

NONE = "none"


def span_reader_named(choice: str) -> SpanReader | None:
    """The span reader of that name; None for `none`. Nothing is loaded yet."""
    from goalmem.models.span_reader import MiniLMReader

    return None if choice == NONE else MiniLMReader()


def judge_named(choice: str) -> Judge | None:
    """The judge of that name; None for `none`. Nothing is loaded yet."""
    from goalmem.models.minilm_judge import MiniLMJudge

    return None if choice == NONE else MiniLMJudge()
