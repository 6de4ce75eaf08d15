"""RuleTaker: are statements about theories in plain language decided rightly, and proved as the data proves them?

`accuracy`: share of questions answered as labelled. A sentence that cannot be read is left out of its theory and counted in
`unreadable`; the theory's questions count all the same, and one that is not answered counts as wrong. `proof_accuracy`: share
of the questions with given proofs whose answer is right and whose proof is one of those given (`ruletaker_proofs`).
`proofs_verified`: share of the decided questions whose proof, written out, the independent checker accepts; where it does not, the answer is
withheld and counts as none. `seconds_per_question`: reading the theory and the question, and deciding it with its shortest derivation; writing the
proof out and checking it comes on top.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from goalmem.errors import GoalmemError
from goalmem.rules.terms import RuleReader
from goalmem.rules.theory import Theory
from goalmem_lab.evals.progress import Tick, ignore, shown
from goalmem_lab.evals.ruletaker_data import Question, TheoryText, read_ruletaker
from goalmem_lab.evals.ruletaker_proofs import Names, matches
from goalmem_lab.evals.runs import write_run

ASKED = datetime(2000, 1, 1, tzinfo=UTC)
"""What proofs are dated with: these questions have no date."""
ReaderOf: TypeAlias = Callable[[TheoryText], RuleReader]
"""Which reader reads a theory: always the same, or the one that was trained without it."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What came of a question."""

    question: Question
    answer: bool | None
    seconds: float
    verified: bool | None = None
    """Whether the checker accepts its proof; None where there is none."""
    proved: bool | None = None
    """Whether its proof is one of those given; None where none is."""

    @property
    def right(self) -> bool:
        """Whether it was answered as labelled."""
        return self.answer is self.question.label


Measuring: TypeAlias = Callable[[TheoryText, RuleReader], tuple[list[Decided], int]]
"""What comes of each question of a theory, and the sentences that could not be read."""


def evaluate(
    paths: Sequence[Path],
    reader: RuleReader | ReaderOf,
    *,
    controlled: bool = True,
    limit: int | None = None,
    progress: Tick | None = None,
    save: Path | None = None,
    measuring: Measuring | None = None,
) -> dict[str, Any]:
    """Measure a reader, and the rules behind it, on the official files.

    `controlled`: of a `meta-*` file its facts and rules are read in controlled English, not as they were paraphrased. `limit`:
    only so many questions, each file's first. `save`: where each question is written with its answer, as JSONL. `measuring`: what
    measures a theory instead of `measure`.

    Raises FormatError for bad data, InputError when a file cannot be written.
    """
    reader_of = reader if callable(reader) else _always(reader)
    measured = measuring or partial(measure, controlled=controlled)
    found: list[Decided] = []
    unreadable = 0
    for path in paths:
        theories = _first(read_ruletaker(path), limit)
        for number, theory in enumerate(theories, 1):
            answers, unread = measured(theory, reader_of(theory))
            found += answers
            unreadable += unread
            (progress or ignore)(shown(path), number, len(theories))
    if save is not None:
        write_run([_row(d) for d in found], save)
    return figures_of(found, unreadable)


def measure(theory: TheoryText, reader: RuleReader, *, controlled: bool = True) -> tuple[list[Decided], int]:
    """What comes of each question of a theory, and the sentences that could not be read."""
    started = time.perf_counter()
    text = theory.controlled if controlled else theory.text
    rules = Theory.read(text, reader=reader, partial=True)
    reading = (time.perf_counter() - started) / max(1, len(theory.questions))
    names = Names.of(theory, rules) if theory.stated else None
    return [decided(q, rules, reader, reading, names) for q in theory.questions], len(rules.unread)


def decided(question: Question, rules: Theory, reader: RuleReader, reading: float, names: Names | None) -> Decided:
    """What comes of a question. `reading`: seconds that reading its theory took for each question."""
    started = time.perf_counter()
    statement = reader.read_statement(question.text)
    try:
        verdict = rules.decide(statement) if statement is not None and statement.ground else None
    except GoalmemError:
        verdict = None
    seconds = reading + time.perf_counter() - started
    if statement is None or verdict is None:
        return Decided(question, None, seconds, proved=_none_of(question))
    proof = rules.prove(statement, question.text, ASKED)
    answer = {"proved": True, "disproved": False}.get(proof.status)
    proved = _none_of(question)
    if question.proofs is not None and names is not None and answer is question.label:
        proved = matches(question.proofs, rules, statement, names)
    verified = answer is not None and rules.check(proof).ok if verdict.status != "unknown" else None
    return Decided(question, answer, seconds, verified, proved)


def _none_of(question: Question) -> bool | None:
    return None if question.proofs is None else False


def figures_of(found: Sequence[Decided], unreadable: int) -> dict[str, Any]:
    """The figures of all questions, by depth and by strategy."""
    verified = [d.verified for d in found if d.verified is not None]
    return {
        **_figures(found),
        "by_depth": _by(found, lambda d: d.question.depth),
        "by_strategy": _by(found, lambda d: d.question.strategy),
        "proofs_verified": fmean(verified) if verified else None,
        "unreadable": unreadable,
        "seconds_per_question": fmean(d.seconds for d in found) if found else None,
    }


def _figures(found: Sequence[Decided]) -> dict[str, Any]:
    proved = [d.proved for d in found if d.proved is not None]
    return {
        "questions": len(found),
        "accuracy": fmean(d.right for d in found) if found else None,
        "proof_accuracy": fmean(proved) if proved else None,
    }


def _by(found: Iterable[Decided], key: Callable[[Decided], str]) -> dict[str, Mapping[str, Any]]:
    parts: dict[str, list[Decided]] = defaultdict(list)
    for each in found:
        if key(each):
            parts[key(each)].append(each)
    return {name: _figures(parts[name]) for name in sorted(parts)}


def _first(theories: Iterable[TheoryText], limit: int | None) -> list[TheoryText]:
    """Whole theories up to `limit` questions; the last one may be cut short."""
    if limit is None:
        return list(theories)
    found: list[TheoryText] = []
    for theory in theories:
        questions = theory.questions[:limit]
        found.append(TheoryText(theory.id, theory.text, questions, theory.stated))
        limit -= len(questions)
        if limit <= 0:
            break
    return found


def _always(reader: RuleReader) -> ReaderOf:
    return lambda theory: reader


def _row(decided: Decided) -> dict[str, Any]:
    question = decided.question
    return {
        "id": question.id,
        "question": question.text,
        "label": question.label,
        "answer": decided.answer,
        "depth": question.depth,
        "strategy": question.strategy,
        "verified": decided.verified,
        "proved": decided.proved,
        "seconds": round(decided.seconds, 6),
    }
