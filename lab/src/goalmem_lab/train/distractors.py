"""Lines of a question's own document that a search brings and a reader takes for the answer, and that do not hold it."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence

from goalmem.language.terms import terms_of
from goalmem.models.protocol import SpanReader
from goalmem_lab.train.documents import Document

__all__ = ["Tempting"]

FOUND = 12
"""Lines of a document that are read for a question: those that share most with it."""
BEST = 5
"""One of so many lines that the reader likes most is taken."""


class Tempting:
    """The lines that tempt, for every question of `documents`: those that share most words with it.

    With a `reader`, which was not trained on these documents, those of them that it likes most.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        reader: SpanReader | None = None,
        report: Callable[[int, int], None] = lambda done, all_: None,
    ) -> None:
        self._lines: dict[tuple[str, str, str], list[int]] = {}
        for done, document in enumerate(documents, 1):
            found = _found(document)
            for question, lines in (found if reader is None else _liked(document, found, reader)).items():
                self._lines[document.corpus, document.group, question] = lines
            report(done, len(documents))

    def lines(self, document: Document, question: str) -> Sequence[int]:
        """The lines of the document that tempt most, first."""
        return self._lines.get((document.corpus, document.group, question), ())

    def find(self, document: Document, question: str, random_: random.Random) -> int | None:
        """A line of the document; None where it has none that tempts."""
        found = self.lines(document, question)[:BEST]
        return random_.choice(found) if found else None


def _found(document: Document) -> dict[str, list[int]]:
    """For each question the lines that share most with it and hold no answer: by rarity of the words, and how short they are."""
    said = [frozenset(terms_of(line.text)) for line in document.lines]
    common = Counter(term for terms in said for term in terms)
    found = {}
    for question in document.questions:
        asked = set(terms_of(question.text))
        answers = {document.lines[m.line].text[m.start : m.end].lower() for m in question.answers}
        marked = {m.line for m in question.answers}
        worth = [
            sum(math.log(1 + len(said) / common[term]) for term in asked & terms) / (4 + len(terms)) ** 0.5
            for terms in said
        ]
        best = sorted(range(len(said)), key=lambda place: (-worth[place], place))[:FOUND]
        found[question.text] = [
            place
            for place in best
            if place not in marked and not any(answer in document.lines[place].text.lower() for answer in answers)
        ]
    return found


def _liked(document: Document, found: dict[str, list[int]], reader: SpanReader) -> dict[str, list[int]]:
    """The same lines, those first that the reader likes most."""
    pairs, owners = [], []
    for question, lines in found.items():
        for place in lines:
            before = document.lines[place - 1].text + "\n" if place else ""
            pairs.append((question, before + document.lines[place].text))
            owners.append((question, place))
    liked: dict[str, list[tuple[float, int]]] = {}
    for (question, place), reading in zip(owners, reader.read(pairs, limit=1), strict=True):
        liked.setdefault(question, []).append((reading.present, place))
    return {question: [place for _, place in sorted(each, reverse=True)] for question, each in liked.items()}
