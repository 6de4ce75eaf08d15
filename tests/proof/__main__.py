"""`python -m tests.proof own [--lives 8] [--every 1]`: how many of the system's own answers do not verify right after they were given."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from goalmem import Memory
from goalmem.language import Analyzer
from tests.proof import own_answers as own


def main() -> None:
    """Prints what does not verify, then counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["own"])
    parser.add_argument("--lives", type=int, default=8, help="lives of the laboratory that are asked")
    parser.add_argument("--every", type=int, default=1, help="of a life's questions one in so many")
    chosen = parser.parse_args()
    asked_own(chosen.lives, chosen.every)


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
