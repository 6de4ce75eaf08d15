"""Lines of a question's own document that a search brings and a reader takes for the answer, and that do not hold it."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from goalmem.language.terms import terms_of
from goalmem.models.minilm import MiniLM
from goalmem.models.protocol import SpanReader
from goalmem_lab.train.documents import Document

FOUND = 8
"""Lines of a document that are read for a question: those that share most with it."""
SMOOTHING = 10
"""Of reciprocal rank fusion (Cormack et al., 2009): the smaller, the more the first places count."""
BEST = 4
"""One of so many lines that the reader likes most is taken."""


class Tempting:
    """The lines that tempt, for every question of `documents`: those nearest to it by words and by vectors.

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
    """For each question the lines nearest to it that hold no answer."""
    shared, near = _by_words(document), _by_vectors(document)
    found = {}
    for number, question in enumerate(document.questions):
        answers = {document.lines[m.line].text[m.start : m.end].lower() for m in question.answers}
        marked = {m.line for m in question.answers}
        fused = [
            sum(1 / (SMOOTHING + order[place]) for order in (shared[number], near[number]))
            for place in range(len(document.lines))
        ]
        best = sorted(range(len(fused)), key=lambda place: (-fused[place], place))
        found[question.text] = [
            place
            for place in best
            if place not in marked and not any(answer in document.lines[place].text.lower() for answer in answers)
        ][:FOUND]
    return found


def _by_words(document: Document) -> list[dict[int, int]]:
    """For each question the place of each line by rarity of the words that they share, and by how short it is."""
    said = [frozenset(terms_of(line.text)) for line in document.lines]
    common = Counter(term for terms in said for term in terms)

    def worth(asked: set[str], terms: frozenset[str]) -> float:
        return sum(math.log(1 + len(said) / common[term]) for term in asked & terms) / math.sqrt(4 + len(terms))

    asked = [set(terms_of(question.text)) for question in document.questions]
    return [_order([worth(words, terms) for terms in said]) for words in asked]


def _by_vectors(document: Document) -> list[dict[int, int]]:
    """For each question the place of each line by cosine."""
    if not document.questions:
        return []
    embedder = MiniLM()
    lines = embedder.embed([line.text for line in document.lines])
    asked = embedder.embed_queries([question.text for question in document.questions])
    return [_order(row) for row in np.asarray(asked @ lines.T)]


def _order(worth: Sequence[float]) -> dict[int, int]:
    """The place of each line, from 0, by what it is worth."""
    best = sorted(range(len(worth)), key=lambda place: (-worth[place], place))
    return {line: place for place, line in enumerate(best)}


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
