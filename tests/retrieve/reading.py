"""Questions parsed and turns read for real; the language model is loaded once a worker."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import numpy as np
from spacy.tokens import Doc

from goalmem.language import Analyzer, Extractor, TurnContext
from goalmem.questions.anatomy import QuestionAnatomy, read_question
from goalmem.records import Extraction, Turn
from goalmem.retrieve.enrich import turn_features
from goalmem.retrieve.lexical import Postings

MAY = datetime(2024, 5, 1, tzinfo=UTC)


@cache
def analyzer() -> Analyzer:
    return Analyzer()


def parsed(text: str) -> Doc:
    return analyzer().docs([text])[0]


@cache
def read(text: str) -> QuestionAnatomy:
    return read_question(parsed(text))


def extracted(*lines: str) -> list[Extraction]:
    """What is read out of a conversation given as `who: text` lines; `user` and `assistant` are roles."""
    turns = []
    for place, line in enumerate(lines):
        who, text = line.split(": ", 1)
        role = who if who in ("user", "assistant") else "user"
        turns.append(Turn(f"t{place}", "s", "1", place, who, role, text, MAY))
    return Extractor(analyzer()).extract(turns, TurnContext())


def indexed(*lines: str) -> tuple[Postings, np.ndarray]:
    """Postings of the turns' features, and how many each turn has."""
    features = [np.frombuffer(turn_features(made), dtype="<u8") for made in extracted(*lines)]
    lengths = np.array([len(found) for found in features])
    rows = np.repeat(np.arange(len(features), dtype=np.int32), lengths)
    return Postings().with_rows(np.concatenate(features), rows), lengths.astype(np.float32)
