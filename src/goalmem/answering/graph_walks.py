"""Asking a graph: from a question to a walk that answers it, with a proof that was checked; told hop by hop to who listens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from goalmem.answering.policy import TOO_WEAK, held_by
from goalmem.engine.events import Event, Listener, silent
from goalmem.graph.answering import Topic
from goalmem.graph.answers import GraphAnswers
from goalmem.graph.citing import TRIPLE
from goalmem.graph.proving import prove_answers
from goalmem.graph.record import Recorded, check_graph_proof
from goalmem.graph.tree import TreeNode
from goalmem.proof.calibration import calibrated, kind_of
from goalmem.proof.check import Verification
from goalmem.proof.document import Proof
from goalmem.sources.judgement_log import Judgements
from goalmem.sources.space_graphs import KeptGraph

if TYPE_CHECKING:
    from goalmem.answering.inquiry import Inquiry
    from goalmem.answering.pipeline import Asking

__all__ = ["GraphAsking"]

NAMED = 5
"""Entities of a hop that are named to who listens: those that a critic is shown, too."""


@dataclass(frozen=True)
class GraphAsking:
    """Answers questions over the graphs of one space: the imported one, and the one that its facts make."""

    asking: Asking
    space: str
    at: datetime
    listener: Listener = silent

    def imported(self, inquiry: Inquiry) -> Proof | None:
        """The proof of the walk over the imported graph that answers a question; None where there is none.

        Where something was said, only what a question names as the graph does counts as its topic, and one that names what
        memory knows and the graph does not is none for the graph.
        """
        kept, question = self.asking.graph(self.space), inquiry.question
        told = bool(self.asking.store.version(self.space)[1])
        said = (question[slice(*span)] for span in inquiry.memory.names.said_in(question)) if told else ()
        if kept is None or not all(len(kept.graph.named(name)) for name in said):
            return None
        proof = self._walk(kept, question, named=told)
        if proof is None or proof.status == "unknown":
            return proof
        proof = self.asking.signed(proof, inquiry.memory.asker)
        confidence, least = calibrated(proof.confidence, kind_of(proof)), self.asking.settings.answer_threshold
        if confidence < least:
            return proof.withheld(TOO_WEAK.format(confidence, least))
        checker = self.asking.checker(inquiry.memory, inquiry.background, inquiry.passages, proof)
        return proof if held_by(proof, checker).ok else proof.withheld()

    def own(self, question: str) -> Proof | None:
        """The proof of a walk over the edges that the space's own facts make; None where none answers surely enough."""
        if self.asking.graphs is None:
            return None
        proof = self._walk(self.asking.graphs.own(self.space), question, named=True)
        if proof is None or proof.status == "unknown" or proof.confidence < self.asking.settings.answer_threshold:
            return None
        return proof if self.asking.check(proof, space=self.space).ok else None

    def checked(self, proof: Proof) -> Verification | None:
        """A walk over the space's own edges, checked; None for any other proof."""
        if self.asking.graphs is None or proof.root is None or not proof.judge:
            return None
        steps = [step for solution in proof.root.children for step in solution.children]
        if not all(s.kind == "edge" for s in steps) or any(e.turn.startswith(TRIPLE) for e in proof.evidence()):
            return None
        own = self.asking.graphs.own(self.space)
        if own.critic.name != proof.judge:
            return None
        return check_graph_proof(proof, own.graph, record=own.record(proof, self.asking.on_record(self.space)))

    def _walk(self, kept: KeptGraph, question: str, *, named: bool) -> Proof | None:
        """The proof of what the best walk leads to; None where the question names nothing of the graph, or none answers.

        Its status is unknown where the critic does not stand by the walk. What a chat model judged is put on record.
        """
        topics = [Topic(link.node, link.span, link.score) for link in kept.topics(question, named=named)]
        found = kept.reasoner.ask(question, topics)
        if found is None or found.leaf is None:
            return None
        for event in events_of(kept, found):
            self.listener(event)
        record = kept.record()
        proof = prove_answers(
            kept.graph,
            found,
            kept.critic,
            space=self.space,
            at=self.at,
            telling=record.told,
            citations=record.citing,
            links=kept.linker.link,
        )
        if isinstance(kept.critic, Recorded):
            Judgements(self.asking.ledger, self.space).keep(proof)
        return proof


def events_of(kept: KeptGraph, found: GraphAnswers) -> Iterator[Event]:
    """The reasoning tree, parents before children, and then the walk that answers."""
    for node in found.tree.nodes[1:]:
        yield hop_event(kept, node)
    leaf = found.leaf
    if leaf is not None:
        labels = [answer.label for answer in found.answers]
        hops = [str(hop) for hop in leaf.walk.hops]
        topic = found.tree.query.topic
        data = {"topic": topic, "hops": hops, "answers": labels, "score": leaf.score, "node": leaf.id}
        yield Event("walk", f"{' → '.join([topic, *hops])}: {', '.join(labels[:NAMED])}", data)


def hop_event(kept: KeptGraph, node: TreeNode) -> Event:
    """One walk of the tree, by its last hop."""
    labels = kept.graph.labels(np.asarray(node.nodes[:NAMED]))
    data = {
        "node": node.id,
        "parent": node.parent,
        "hop": str(node.hop),
        "entities": labels,
        "count": len(node.nodes),
        "score": node.score,
        "fate": node.fate.value,
        "depth": len(node.walk.hops),
    }
    return Event("hop", f"{node.hop} → {', '.join(labels) or node.fate.value}", data)
