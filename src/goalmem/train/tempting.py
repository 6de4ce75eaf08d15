"""Lines of a question's own document that a search brings and a reader takes for the answer, and that do not hold it."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence

from goalmem.models.protocol import SpanReader
from goalmem.retrieve.words import terms_of
from goalmem.train.documents import Document

__all__ = ["Tempting"]

FOUND = 12
"""Lines of a document that are read for a question: those that share most with it."""
BEST = 5
"""One of so many lines that the reader likes most is taken."""


class Tempting:
    """The lines that tempt a reader, for every question of `documents`; `reader` was not trained on these."""

    def __init__(
        self,
        documents: Sequence[Document],
        reader: SpanReader,
        report: Callable[[int, int], None] = lambda done, all_: None,
    ) -> None:
        self._lines: dict[tuple[str, str, str], list[int]] = {}
        for done, document in enumerate(documents, 1):
            self._read(document, reader)
            report(done, len(documents))

    def find(self, document: Document, question: str, random_: random.Random) -> int | None:
        """A line of the document; None where it has none that tempts."""
        found = self._lines.get((document.corpus, document.group, question))
        return random_.choice(found) if found else None

    def _read(self, document: Document, reader: SpanReader) -> None:
        said = [frozenset(terms_of(line.text)) for line in document.lines]
        common = Counter(term for terms in said for term in terms)
        pairs, owners = [], []
        for question in document.questions:
            asked = set(terms_of(question.text))
            answers = {document.lines[m.line].text[m.start : m.end].lower() for m in question.answers}
            marked = {m.line for m in question.answers}
            worth = [
                sum(math.log(1 + len(said) / common[term]) for term in asked & terms) / (4 + len(terms)) ** 0.5
                for terms in said
            ]
            for place in sorted(range(len(said)), key=lambda place: (-worth[place], place))[:FOUND]:
                text = document.lines[place].text
                if place in marked or any(answer in text.lower() for answer in answers):
                    continue
                before = document.lines[place - 1].text + "\n" if place else ""
                pairs.append((question.text, before + text))
                owners.append((question.text, place))
        liked: dict[str, list[tuple[float, int]]] = {}
        for (asked_, place), reading in zip(owners, reader.read(pairs, limit=1), strict=True):
            liked.setdefault(asked_, []).append((reading.present, place))
        for asked_, each in liked.items():
            best = sorted(each, reverse=True)[:BEST]
            self._lines[document.corpus, document.group, asked_] = [place for _, place in best]
