"""Records of what a chat model judged, so that a proof that rests on it can be checked again, and no other proof passes.

A record is the digest of everything that was judged (the judge, the statement with its values, the cited words and their turn at that
time), stored in the space beside its turns. If a value, quote, rule or goal of a proof is changed, there is no record for it. Records are
forgotten with their turns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from goalmem.errors import GoalmemError
from goalmem.graph.evidence_text import TRIPLE
from goalmem.logic.syntax import canonical, format_atom, format_rule
from goalmem.logic.terms import Atom, Binding, Evidence, Goal, Rule
from goalmem.proof.document import Proof

ON_RECORD = "1"


class ReplyStore(Protocol):
    """Stores short texts by key in a space, each linked to some turns: a part of a store."""

    def cached_reply(self, space: str, key: str) -> str | None:
        """The text kept under a key, or None."""
        ...

    def keep_reply(self, space: str, key: str, text: str, turns: Iterable[str], *, most: int | None = None) -> bool:
        """Store a text until one of its turns is forgotten. Returns False if it cannot be stored.

        With `most`, the oldest texts stored with a limit are removed, so that at most this many remain.
        """
        ...


@dataclass
class ReplyRecords:
    """A reply store that falls back to process memory for what the underlying store does not accept.

    This is needed for another system's turns, and for a read-only store.
    """

    store: ReplyStore | None = None
    _held: dict[tuple[str, str], str] = field(default_factory=dict)

    def cached_reply(self, space: str, key: str) -> str | None:
        """The text kept under a key, or None."""
        try:
            kept = self.store.cached_reply(space, key) if self.store is not None else None
        except GoalmemError:
            kept = None
        return kept if kept is not None else self._held.get((space, key))

    def keep_reply(self, space: str, key: str, text: str, turns: Iterable[str], *, most: int | None = None) -> bool:
        """Store a text, in the underlying store if it accepts it."""
        try:
            if self.store is not None and self.store.keep_reply(space, key, text, turns, most=most):
                return True
        except GoalmemError:
            pass  # for example, read-only or busy
        self._held[space, key] = text
        return True


@dataclass(frozen=True)
class Judgements:
    """The recorded judgements of one space."""

    reply_store: ReplyStore
    space: str
    asker: str = ""
    """The asker of the question whose reading is recorded; empty for the unnamed user."""

    def keep(self, proof: Proof) -> None:
        """Record everything that a chat model judged in a new proof."""
        # Triples are no turns: a reading that rests only on them is stored as long as the space.
        turns = tuple(dict.fromkeys(e.turn for e in proof.evidence() if not e.turn.startswith(TRIPLE)))
        if proof.judge:
            goal = proof.goal.goal(proof.question)
            self._keep(_goal_key(proof.judge, goal, datetime.fromisoformat(proof.asked_at), self.asker), turns)
        nodes = [n for top in (proof.root, *proof.alternatives) if top is not None for _, n in top.walk()]
        if proof.status != "unknown" and (judge := proof.judge or next((n.judge for n in nodes if n.judge), "")):
            self._keep(_key("proof", judge, proof.fingerprint()), turns)
        for top in filter(None, (proof.root, *proof.alternatives)):
            for _, node in top.walk():
                if node.judge and node.rule is not None:
                    self._keep(_key("rule", node.judge, format_rule(node.rule)), turns)
                elif node.judge and node.ground is not None:
                    bindings = {b.variable.name: b for b in node.bindings}
                    # A walk cites nothing itself; its edges do.
                    cited = node.evidence or tuple(e for edge in node.children for e in edge.evidence)
                    key = _fact_key(node.judge, node.ground, bindings, cited, node.negated)
                    self._keep(key, tuple(dict.fromkeys(e.turn for e in cited if not e.turn.startswith(TRIPLE))))

    def fact(
        self, judge: str, ground: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> bool:
        """True if the record shows that `judge` accepted: the evidence says the ground atom (or its opposite) with these values."""
        return self._holds(_fact_key(judge, ground, bindings, evidence, negated))

    def rule(self, judge: str, rule: Rule) -> bool:
        """True if the record shows that `judge` offered a background rule."""
        return self._holds(_key("rule", judge, format_rule(rule)))

    def goal(self, judge: str, goal: Goal, asked: datetime) -> bool:
        """True if the record shows that `judge` read the goal's question, asked at `asked`, as the goal."""
        return self._holds(_goal_key(judge, goal, asked, self.asker))

    def proof(self, digest: str, judge: str) -> bool:
        """True if a proof with this fingerprint, which rests on `judge`, was made."""
        return self._holds(_key("proof", judge, digest))

    def _keep(self, key: str, turns: Sequence[str]) -> None:
        if not self._holds(key):
            self.reply_store.keep_reply(self.space, key, ON_RECORD, turns)

    def _holds(self, key: str) -> bool:
        return self.reply_store.cached_reply(self.space, key) == ON_RECORD


def _fact_key(
    judge: str, ground: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
) -> str:
    values = [
        [
            name,
            b.variable.type,
            b.value.text,
            b.value.key,
            str(b.value.interval),
            b.value.number,
            b.derivation,
            b.span,
            b.turn,
        ]
        for name, b in sorted(bindings.items())
    ]
    cited = [[e.turn, e.sha256, e.start, e.end] for e in evidence]
    return _key("fact", judge, format_atom(canonical(ground)), values, cited, negated)


def _goal_key(judge: str, goal: Goal, asked: datetime, asker: str) -> str:
    atoms = [format_atom(canonical(a)) for a in goal.atoms]
    constraints = [[c.left, c.op, str(c.right)] for c in goal.constraints]
    answer = str(goal.answer) if goal.answer is not None else ""
    read = (judge, goal.question, atoms, answer, goal.aggregate, constraints, goal.unit, asked.isoformat())
    return _key("goal", *read, *([asker] if asker else []))


def _key(*parts: object) -> str:
    written = json.dumps(["judgement", 1, *parts], ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()
