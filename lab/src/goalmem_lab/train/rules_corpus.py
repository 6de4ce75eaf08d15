"""Theories in the crowd's words beside what they state formally: RuleTaker's layout (Clark et al. 2020), `NatLang`.

A file has a theory a line: `context` as it was written, `questions` with labels; its `meta` file has the same theories
by id with `triples` and `rules`. Which sentence states which of them is found by aligning the two in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError, InputError
from goalmem.rules.grammar.text import TextSentence, sentences
from goalmem_lab.train.datasets import Record, read_jsonl

LONGEST = 4
"""Sentences that state one rule, or all that is said of one person, at most."""
NO_NAME = 1.5
"""What it costs to align a person's facts with sentences that do not name them; a property more or less costs 1."""
_LITERAL = re.compile(r'\("([^"]*)" "([^"]*)" "([^"]*)" "([^"]*)"\)')
_TRIPLE = re.compile(r'"([^"]*)"')
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Stated:
    """All facts about one person, or one rule: `name` is empty for a rule."""

    name: str
    body: tuple[str, ...]
    heads: tuple[str, ...] = ()
    denied: frozenset[str] = frozenset()

    @property
    def words(self) -> frozenset[str]:
        """Its properties."""
        return frozenset((*self.body, *self.heads))


@dataclass(frozen=True, slots=True)
class Theory:
    """A text, what it states, and questions with their answers."""

    id: str
    text: str
    stated: tuple[Stated, ...]
    questions: tuple[tuple[str, bool], ...]


def read_theories(file: Path, meta: Path) -> list[Theory]:
    """The theories of a file that are in its meta file too, with properties alone. Raises InputError and FormatError."""
    formal: dict[str, tuple[Stated, ...]] = {}
    for record in read_jsonl(meta):
        with _of_layout(record):
            formal[str(record.value["id"])] = tuple(_stated(record.value))
    found = []
    for record in read_jsonl(file):
        with _of_layout(record):
            name, questions = str(record.value["id"]), record.value["questions"]
            asked = tuple((str(q["text"]), bool(q["label"])) for q in questions)
            found.append(Theory(name, str(record.value["context"]), formal.get(name, ()), asked))
    theories = [theory for theory in found if theory.stated]
    if not theories:
        raise InputError(f"{file} and {meta} have no theory in common.", "Give the files of one folder and one half.")
    return theories


@contextmanager
def _of_layout(record: Record) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(
            f"{record.place} is no theory of RuleTaker's layout: {error!r}.",
            "Give dev.jsonl and, with --meta, meta-dev.jsonl of the same folder.",
        ) from error


def aligned(theory: Theory) -> list[tuple[TextSentence, Stated]]:
    """Each sentence with what it states a part of, in order; empty when the text cannot be all that is stated, in order."""
    read = list(sentences(theory.text))
    stated = theory.stated
    best: dict[tuple[int, int], tuple[float, int]] = {(0, 0): (0.0, 0)}
    for j, each in enumerate(stated):
        for i in range(len(read)):
            if (i, j) not in best:
                continue
            for n in range(1, min(LONGEST, len(read) - i) + 1):
                cost = best[i, j][0] + _cost(each, read[i : i + n], stated)
                if cost < best.get((i + n, j + 1), (float("inf"), 0))[0]:
                    best[i + n, j + 1] = (cost, n)
    at, pairs = (len(read), len(stated)), []
    if at not in best:
        return []
    while at[1]:
        n = best[at][1]
        pairs += [(s, stated[at[1] - 1]) for s in reversed(read[at[0] - n : at[0]])]
        at = (at[0] - n, at[1] - 1)
    return pairs[::-1]


def _cost(stated: Stated, read: Sequence[TextSentence], all_stated: Sequence[Stated]) -> float:
    text = " ".join(s.text for s in read)
    words = {*_WORD.findall(text.lower())}
    every = frozenset[str]().union(*(s.words for s in all_stated))
    cost = float(len((words & every) ^ stated.words))
    if stated.name:
        return cost + (0 if stated.name in text else NO_NAME)
    return cost + (NO_NAME if any(s.name and s.name in text for s in all_stated) else 0)


def _stated(document: Mapping[str, Any]) -> Iterator[Stated]:
    """Facts by person in the order of first mention, then rules; theories with relations give none."""
    facts: dict[str, list[tuple[str, bool]]] = {}
    for triple in document["triples"].values():
        subject, verb, word, sign = _TRIPLE.findall(triple["representation"])
        if verb != "is":
            return
        facts.setdefault(subject, []).append((word, sign != "+"))
    rules = [_LITERAL.findall(rule["representation"]) for rule in document["rules"].values()]
    if any(verb != "is" for rule in rules for _, verb, _, _ in rule):
        return
    for name, said in facts.items():
        yield Stated(name, tuple(w for w, _ in said), denied=frozenset(w for w, no in said if no))
    for *body, head in rules:
        denied = frozenset(word for _, _, word, sign in (*body, head) if sign != "+")
        yield Stated("", tuple(word for _, _, word, _ in body), (head[2],), denied)
