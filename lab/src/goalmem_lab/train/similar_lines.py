"""Lines of other documents that share rare words with a question: passages that retrieval would bring."""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from goalmem_lab.train.documents import Document

COMMONNESS = 0.02
"""Words in a larger share of the lines say nothing about what a line is about."""
BEST = 8
"""One of so many best lines is taken."""


class Lookalikes:
    """An index of the lines of `documents` by their words, weighted by rarity (inverse document frequency)."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._lines = [
            (number, line) for number, document in enumerate(documents) for line in range(len(document.lines))
        ]
        self._posted: dict[str, list[int]] = defaultdict(list)
        for place, (number, line) in enumerate(self._lines):
            for word in sorted(set(_words(documents[number].lines[line].text))):
                self._posted[word].append(place)
        self._found: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def find(self, document: int, question: int, random_: random.Random) -> tuple[int, int] | None:
        """(document, line) of the same corpus, outside the question's own group, that shares words with it."""
        key = (document, question)
        if key not in self._found:
            self._found[key] = list(self._best(document, self._documents[document].questions[question].text))
        found = self._found[key]
        return random_.choice(found) if found else None

    def _best(self, document: int, question: str) -> Iterator[tuple[int, int]]:
        own = self._documents[document]
        answers = {
            own.lines[mark.line].text[mark.start : mark.end].lower()
            for asked in own.questions
            if asked.text == question
            for mark in asked.answers
        }
        scores: dict[int, float] = defaultdict(float)
        for word in sorted(set(_words(question))):
            posted = self._posted.get(word, ())
            if len(posted) <= COMMONNESS * len(self._lines):
                for place in posted:
                    scores[place] += math.log(len(self._lines) / len(posted))
        taken = 0
        for place in sorted(scores, key=lambda place: (-scores[place], place)):
            number, line = self._lines[place]
            other = self._documents[number]
            if other.corpus != own.corpus or other.group == own.group:
                continue
            if any(answer in other.lines[line].text.lower() for answer in answers):
                continue
            yield number, line
            taken += 1
            if taken == BEST:
                return


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
