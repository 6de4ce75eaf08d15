"""Questions of many kinds with the memories that they are asked of: whatever is answered, its proof is to hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from goalmem import Memory
from goalmem.demo import remember
from goalmem.demo.show import read_questions
from goalmem.language import Analyzer
from goalmem.proof.check import Check
from goalmem.settings import Settings

ROOT = Path(__file__).parents[2]
LIVES, EVERYDAY = ROOT / "lab" / "lives", ROOT / "lab" / "everyday" / "dev"
PATIENT = Settings(ask_seconds=600)
"""On a busy machine, too, the search ends where it is through."""


class Asked(NamedTuple):
    """A question, and who asks; empty for the unnamed user."""

    question: str
    asker: str = ""


class Refused(NamedTuple):
    """An answer whose own proof does not verify."""

    question: str
    status: str
    failures: tuple[Check, ...]


RULES = (
    "Anne is young. Bob is big. If someone is young then they are nice. All big people are strong. "
    "If someone is not strong then they are weak. Dave likes Anne. If someone likes Anne then they are kind."
)
RULE_QUESTIONS = (
    "Is Anne nice?", "Is Anne weak?", "Is Bob weak?", "Who is nice?", "Who is not nice?", "Is Anne purple?", "Dave is kind.",
    "Where does Bob live?", "How many people are strong?", "Does Dave like Bob?", "What does Anne like?", "Is Zed kind?",
    "Why is Anne nice originally?",
)  # fmt: skip
VERBS = "bakes owns visits teaches paints repairs plays reads sells drinks knows likes hates wrote sang drove built broke found lost"
EDGES = [
    ("Ada", verb + place, f"Thing {number}")
    for number, (place, verb) in enumerate((p, v) for p in ("", "_at", "_with", "_for", "_near") for v in VERBS.split())
]
"""A node with a hundred relation types."""
GRAPH_QUESTIONS = (
    "What does Ada bake?", "Where does Ada live?", "Who is the mother of Ada?", "What does Ada own near Paris?",
    "Does Ada paint Thing 4?", "When was Ada born?", "How old is Ada?", "What did Bob do?", "Did Ada marry Bob?", "Who bakes Thing 0?",
    "Which thing does Ada hold?", "List all that Ada wrote in 1997",
)  # fmt: skip


@contextmanager
def ruled(analyzer: Analyzer) -> Iterator[Memory]:
    """A memory that holds rules alone."""
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        memory.add_rules(RULES)
        yield memory


@contextmanager
def linked(analyzer: Analyzer) -> Iterator[Memory]:
    """A memory that holds a graph alone."""
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        memory.import_graph(EDGES)
        yield memory


@contextmanager
def demonstrated(analyzer: Analyzer) -> Iterator[Memory]:
    """The demo's memory."""
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        remember(memory)
        yield memory


@contextmanager
def lived(analyzer: Analyzer, name: str) -> Iterator[Memory]:
    """A life of the laboratory, or an everyday conversation."""
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        for session in _life(name)["sessions"]:
            memory.add(session["messages"], session=session["session"], at=session["at"])
        yield memory


def demo_questions() -> list[Asked]:
    """The questions of the demo and of the README."""
    read = re.findall(r'ask\(?\s*"([^"]+\?)"', (ROOT / "README.md").read_text(encoding="utf-8"))
    return [Asked(q) for q in dict.fromkeys([*(q.question for q in read_questions()), *read])]


def life_questions(name: str) -> list[Asked]:
    """All questions that are asked of a life, those that nothing answers included."""
    asked = [Asked(q["question"], q.get("asker") or "") for q in _life(name).get("questions", [])]
    for folder in ("questions", "whether"):
        path = LIVES / folder / f"{name}.jsonl"
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines()) if path.exists() else ()
        asked += [Asked(row["question"], row["asker"] or "") for row in rows]
    return asked


def lives() -> list[str]:
    """The names of all everyday conversations, and of all lives."""
    return [path.stem for folder in (EVERYDAY, LIVES / "train") for path in sorted(folder.glob("*.json"))]


def refused(memory: Memory, questions: Sequence[Asked]) -> Iterator[tuple[str, Refused | None]]:
    """For each question the status of its answer, and why its proof does not verify right after; None where it does."""
    for question, asker in questions:
        answer = memory.ask(question, speaker=asker or None)
        checked = memory.verify(answer.proof.to_json())
        yield answer.status, None if checked.ok else Refused(question, answer.status, checked.failures)


def _life(name: str) -> Mapping[str, Any]:
    folder = EVERYDAY if (EVERYDAY / f"{name}.json").exists() else LIVES / "train"
    found: Mapping[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return found
