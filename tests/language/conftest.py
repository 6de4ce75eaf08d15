"""One analyzer for all tests of a worker: loading the language model takes longer than the tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from goalmem.language import Analyzer, Extractor, TurnContext
from goalmem.records import Extraction, Fact, Turn

MONDAY = datetime(2023, 7, 17, 14, 31, tzinfo=UTC)

Talk = Callable[..., list[Extraction]]


@pytest.fixture(scope="session")
def extractor() -> Extractor:
    return Extractor(Analyzer())


def turns_of(lines: tuple[str, ...], at: datetime = MONDAY) -> list[Turn]:
    """Turns from `Name: text` lines; `Name: text | caption` shares a picture."""
    turns = []
    for i, line in enumerate(lines):
        speaker, text = line.split(": ", 1)
        text, _, caption = text.partition(" | ")
        turns.append(Turn(f"t{i}", "space", "session", i, speaker, "user", text, at, caption))
    return turns


@pytest.fixture(scope="session")
def talk(extractor: Extractor) -> Talk:
    """What is read out of a conversation given as `Name: text` lines."""

    def extract(*lines: str, context: TurnContext | None = None, at: datetime = MONDAY) -> list[Extraction]:
        return extractor.extract(turns_of(lines, at), context or TurnContext())

    return extract


@pytest.fixture(scope="session")
def tell(talk: Talk) -> Callable[..., list[Fact]]:
    """The facts of the last turn of a conversation between Maya and Tom; a single line is said by Maya."""

    def facts(*lines: str, context: TurnContext | None = None) -> list[Fact]:
        named = [line if ": " in line else f"Maya: {line}" for line in lines]
        speakers = TurnContext(speakers=("Maya", "Tom")) if context is None else context
        return list(talk(*named, context=speakers)[-1].facts)

    return facts
