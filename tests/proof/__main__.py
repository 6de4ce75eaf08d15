"""`python -m tests.proof own | mutants | insertions | forgeries`: own answers that do not verify, changed proofs that do."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from goalmem import Memory
from goalmem.language import Analyzer
from goalmem.proof.document import Proof
from tests.proof import own_answers as own
from tests.proof.attempts import Attempt, forged, inserted, mutated, subjects, verifying

MEMORIES = 5
"""That proofs are taken from."""


def main() -> None:
    """Prints what does not verify, then counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["own", "mutants", "insertions", "forgeries"])
    parser.add_argument("--lives", type=int, default=8, help="conversations and lives of the laboratory that are asked")
    parser.add_argument("--every", type=int, default=1, help="of a life's questions one in so many")
    parser.add_argument("--count", type=int, default=3_500, help="mutants or forgeries that are tried")
    chosen = parser.parse_args()
    if chosen.what == "own":
        asked_own(chosen.lives, chosen.every)
    else:
        attacked({"mutants": mutated, "insertions": inserted, "forgeries": forged}[chosen.what], chosen.count)


def attacked(changing: Callable[[Sequence[Proof], int], list[Attempt]], count: int) -> None:
    """Tries changed proofs of every memory, an equal number of each as far as there are so many."""
    tried, held = 0, 0
    for opened, questions in subjects(Analyzer()):
        with opened as memory:
            attempts = changing([memory.ask(q).proof for q in questions], count // MEMORIES)
            verified = verifying(memory, attempts)
        tried, held = tried + len(attempts), held + len(verified)
        for attempt in verified:
            sys.stdout.write(f"  {attempt.question} | {attempt.what}\n")
    sys.stdout.write(f"verify: {held} of {tried}\n")


def asked_own(lives: int, every: int) -> None:
    """Asks every question and verifies what was answered."""
    given, failed = Counter[str](), 0
    for opened, questions in _memories(Analyzer(), lives, every):
        with opened as memory:
            for status, why in own.refused(memory, questions):
                given[status] += 1
                failed += why is not None
                if why is not None:
                    sys.stdout.write(f"  {why}\n")
    told = ", ".join(f"{count} {status}" for status, count in sorted(given.items()))
    sys.stdout.write(f"refused: {failed} of {given.total()} ({told})\n")


def _memories(
    analyzer: Analyzer, lives: int, every: int
) -> Iterator[tuple[AbstractContextManager[Memory], Sequence[own.Asked]]]:
    """Each memory with its questions."""
    yield own.demonstrated(analyzer), own.demo_questions()
    yield own.ruled(analyzer), [own.Asked(q) for q in own.RULE_QUESTIONS]
    yield own.linked(analyzer), [own.Asked(q) for q in own.GRAPH_QUESTIONS]
    for name in own.lives()[:lives]:
        yield own.lived(analyzer, name), own.life_questions(name)[::every]


if __name__ == "__main__":
    main()
