"""What was tried against proofs and verified all the same, over the conversations, the rules and the demo."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import NamedTuple

from goalmem import Memory
from goalmem.errors import GoalmemError
from goalmem.language import Analyzer
from goalmem.proof.document import Proof
from tests.proof import own_answers as own
from tests.proof.conversations import CONVERSATIONS, Conversation
from tests.proof.forgeries import Forgery, forged_answer, forgeries
from tests.proof.mutants import insertions, is_harmless, mutants

UNANSWERED = ("Who was Emil's dentist?", "Where did the plumber go?", "Is Petra's canoe green?")


class Attempt(NamedTuple):
    """A proof as it was changed, and what was done to it."""

    question: str
    what: str
    changed: Proof | str


def subjects(analyzer: Analyzer) -> Iterator[tuple[AbstractContextManager[Memory], Sequence[str]]]:
    """Memories, each with the questions whose proofs are attacked."""
    for conversation in CONVERSATIONS.values():
        yield told(analyzer, conversation), (*conversation.questions, *UNANSWERED)
    yield own.ruled(analyzer), own.RULE_QUESTIONS
    yield own.demonstrated(analyzer), [q.question for q in own.demo_questions()]


@contextmanager
def told(analyzer: Analyzer, conversation: Conversation) -> Iterator[Memory]:
    """A memory of a conversation."""
    with Memory(analyzer=analyzer, settings=own.PATIENT) as memory:
        for number, (day, messages) in enumerate(conversation.sessions):
            said = [{"role": "user", "name": speaker, "content": text} for speaker, text in messages]
            memory.add(said, session=f"s{number}", at=day)
        yield memory


def mutated(proofs: Sequence[Proof], count: int) -> list[Attempt]:
    """Some single-field mutants that change a claim, the same each time."""
    every = [(p, m) for i, p in enumerate(proofs) for m in mutants(p, [proofs[(i + 1) % len(proofs)]])]
    mixed = random.Random(1).sample(every, len(every))  # noqa: S311
    changing = (Attempt(p.question, str(m), m.document) for p, m in mixed if not is_harmless(m))
    return list(islice(changing, count))


def forged(proofs: Sequence[Proof], count: int) -> list[Attempt]:
    """Some coherent forgeries that change a claim, the same each time."""
    known = [p for p in proofs if p.status != "unknown"]
    made: list[Attempt] = []
    for proof in proofs:
        if proof.status == "unknown":
            tried = list(forged_answer(proof))
        else:
            others = [known[(known.index(proof) + step) % len(known)] for step in (1, 2)]
            tried = [f for f in forgeries(proof, others) if not says_the_same(f, proof)]
        made += [
            Attempt(proof.question, f"{kind}: {what}", changed) for kind, what, changed in tried if changed != proof
        ]
    return random.Random(1).sample(made, min(count, len(made)))  # noqa: S311


def says_the_same(forgery: Forgery, proof: Proof) -> bool:
    """Forgeries that say nothing else, or that asking the forged question would say, too.

    Readers of passages and critics of graphs read many questions alike: what they make of another question is as they
    see it. What a graph or a rule holds has no date.
    """
    kind, what, _ = forgery
    sources = {n.source for s in (proof.root.children if proof.root else ()) for _, n in s.walk() if n.source}
    read = kind == "question" and bool(
        {"graph", "walks"} & sources or ("passages" in sources and "in the goal too" in what)
    )
    return read or (kind == "date" and sources <= {"graph", "walks", "rules"} and what.startswith("-10"))


def inserted(proofs: Sequence[Proof], count: int) -> list[Attempt]:
    """Some proofs with a field that they did not have, the same each time."""
    every = [(p, m) for p in proofs for m in insertions(p)]
    mixed = random.Random(1).sample(every, len(every))  # noqa: S311
    changing = (Attempt(p.question, str(m), m.document) for p, m in mixed if not is_harmless(m))
    return list(islice(changing, count))


def verifying(memory: Memory, attempts: Sequence[Attempt]) -> list[Attempt]:
    """Those that verify, though the memory itself would not answer so."""
    return [a for a in attempts if holds(memory, a.changed) and not is_answered_so(memory, a.changed)]


def is_answered_so(memory: Memory, changed: Proof | str) -> bool:
    """Whether the memory, asked by the proof's asker under its conditions, gives this proof."""
    proof = changed if isinstance(changed, Proof) else Proof.from_json(changed)
    if not proof.asker and not proof.where:
        return False
    own = memory.ask(proof.question, at=proof.asked_at, speaker=proof.asker or None, where=proof.where or None).proof
    same = [p.model_copy(update={"spent": {}, "missing": ()}).fingerprint() for p in (proof, own)]
    return same[0] == same[1]


def holds(memory: Memory, changed: Proof | str) -> bool:
    """Whether a proof verifies; one that cannot be read does not."""
    try:
        return memory.verify(changed, space="default").ok
    except GoalmemError:
        return False
