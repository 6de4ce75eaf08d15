"""What checks the log's answers: the events are read anew, from the words cited alone and from all that is remembered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goalmem.logic.terms import Evidence
from goalmem.proof.document import Node
from goalmem.proof.node_check import WEIGHT_TOLERANCE, About, Finding, foreign
from goalmem.records import Fact
from goalmem.sources.fact_check import EVER
from goalmem.sources.frames import bound_atom
from goalmem.sources.state import StateSource, bindings_of, holdings, log_question, told_last
from goalmem.sources.state_answers import Holding

__all__ = ["StateChecker"]


@dataclass(frozen=True)
class StateChecker:
    """Checks what rests on the log of events of one space."""

    source: StateSource
    since: bool = False
    """Whether what was said since the question was asked counts, too."""

    def check(self, node: Node, about: About) -> Iterable[Finding]:
        """What is found of a step: its words tell of it, and nothing remembered ended it."""
        asked = log_question(node.goal) if node.goal is not None else None
        if node.kind != "fact" or node.judge or node.judgement is not None or asked is None or node.goal is None:
            yield from foreign(node)
            return
        at = self.source.memory.at
        told = holdings(asked, self.source.loader(at), at)
        same = [h for h in told if self.agrees(node, h)]
        yield "entailed", bool(same), "the events that are cited come to this"
        weights = [h.weight for h in same]
        yield "weight", any(math.isclose(node.weight, w, abs_tol=WEIGHT_TOLERANCE) for w in weights), f"worth {weights}"
        yield "alignment", not node.alignment, "events are aligned with nothing"
        if about.answered and self.since:
            loader = self.source.loader(EVER)
            holds = any(self.says(node, h) for h in holdings(asked, loader, at))
            ended = "" if holds else f"later it was said: “{told_last(asked, loader, at)}”"
            yield "superseded", holds, ended or "no event told later ends it"

    def agrees(self, node: Node, holding: Holding) -> bool:
        """Whether a step says what the log says, and cites the events that it rests on, no others."""
        turns = {e.turn for e in node.evidence}
        read = all(b.turn in turns for b in node.bindings)
        return self.says(node, holding) and read and places(node.evidence) == places_of(holding.because)

    def says(self, node: Node, holding: Holding) -> bool:
        """Whether a step says what the log says."""
        assert node.goal is not None
        bound = bindings_of(bound_atom(node.goal, {}), holding)
        values = [(b.variable, b.value, b.derivation) for b in node.bindings]
        return node.negated == holding.opposed and values == [(b.variable, b.value, b.derivation) for b in bound]


def places(evidence: Sequence[Evidence]) -> list[tuple[str, int, int]]:
    """Where words stand."""
    return sorted((e.turn, e.start, e.end) for e in evidence)


def places_of(because: Sequence[Fact]) -> list[tuple[str, int, int]]:
    """Where the words of facts stand, each once."""
    return sorted({(f.turn, f.start, f.end) for f in because})
