"""Ask questions of the demo in an order of its own; print each with its answer and its proof, byte for byte.

python -m tests.hostile.child_answers STORE SEED EVERY, where one in EVERY is asked.
"""

from __future__ import annotations

import json
import random
import sys

from goalmem import Memory
from goalmem.demo.show import read_questions


def main(store: str, seed: str, every: str) -> None:
    """Print a line of JSON for each question."""
    asked = [question.question for question in read_questions()][:: int(every)]
    random.Random(int(seed)).shuffle(asked)  # noqa: S311 - the same each time
    with Memory(store) as memory:
        for question in asked:
            answer = memory.ask(question)
            told = (answer.text, answer.status, answer.confidence, answer.proof.to_json())
            sys.stdout.write(json.dumps([question, told]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
