"""Checks of proofs over a graph: its current triples, and the critic's scores of the walk."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import product
from typing import Protocol, runtime_checkable

import numpy as np

from goalmem.graph.critic import Critic, Query
from goalmem.graph.evidence_text import THING, Citations, RelationTexts, TripleCitations, variable_of
from goalmem.graph.protocol import Graph, Hop, Nodes, Triple
from goalmem.graph.walk_judge import WalkJudge
from goalmem.graph.walk_reading import Links, WalkContext, judged_weights, query_of
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Atom, Binding, Derivation, Evidence, Goal, Rule, Value, Variable
from goalmem.proof.check import Verification, verify
from goalmem.proof.document import Node, Proof
from goalmem.proof.node_check import Finding, ProofContext, SourceOracles, check_leaf, check_walk, is_walk, unknown_kind
from goalmem.proof.oracles import EvidenceTurn
from goalmem.questions.whole_question import walk_goal, walk_question

LEXICAL = WalkJudge()
"""Judges walks where no other judge is named."""
PROVED_OF = re.compile(r"\d+ of \d+ answers are proved")
"""The note of a walk some of whose ends are left out."""
OnRecord = Callable[[str, Goal, datetime], bool]
"""True if a recorded judgement reads a goal's question, asked then, as the goal."""
OnWalk = Callable[[str, Atom, Mapping[str, Binding], Sequence[Evidence]], bool]
"""True if a recorded judgement says that this sequence of edges leads to what the ground atom states."""
Chain = tuple[tuple[str, ...], tuple[Hop, ...]]
"""A walk: identifiers of the nodes from the topic to the end, and the hops between them."""


@runtime_checkable
class RecordedCritic(Protocol):
    """A critic with this method is a chat model's: it would not say the same again, so that its judgement is put on record."""

    def usage(self, query: Query) -> object:
        """Cost of the calls for a question."""


def judge_beside(critic: Critic) -> WalkJudge | None:
    """The judge of the walks that a critic proposes: None for a chat model, whose own judgement is recorded."""
    return None if isinstance(critic, RecordedCritic) else LEXICAL


@dataclass
class GraphRecord:
    """Evidence reader, entailment, type and reading oracle of one graph, for `logic.verify`. It searches nothing."""

    graph: Graph
    critic: Critic | None = None
    on_record: OnRecord | None = None
    """Recorded judgements, for critics that cannot be recomputed and for proofs whose goal is a walk."""
    on_walk: OnWalk | None = None
    """The same of walks that are steps."""
    proof: Proof | None = None
    """The checked proof, if its goal is a walk: the walk is scored over the nodes of its paths."""
    telling: RelationTexts | None = None
    citations: Citations | None = None
    """How triples are cited; by themselves if not given."""
    links: Links | None = None
    """Finds topics that the question does not spell as the graph does."""
    walk_judge: WalkJudge = LEXICAL
    """Says whether a question asks for a walk, whatever the critic thinks of it."""
    _asked: SourceOracles | None = field(default=None, init=False)
    _cited: Citations | None = field(default=None, init=False)
    _read: dict[Goal, tuple[float, ...] | None] = field(default_factory=dict, init=False)
    _steps: tuple[Goal, dict[Atom, float]] | None = field(default=None, init=False)
    _labels: dict[str, str] = field(default_factory=dict, init=False)
    _chains: dict[int, tuple[Node, Chain | None]] = field(default_factory=dict, init=False)
    _beside: Sequence[Node] | None = field(default=None, init=False)
    _walked: dict[tuple[object, ...], tuple[float, ...] | None] = field(default_factory=dict, init=False)
    """Cache of walks, keyed with all of `_beside`."""

    @property
    def told(self) -> RelationTexts:
        """Texts of the graph's relations."""
        self.telling = self.telling or RelationTexts(self.graph)
        return self.telling

    @property
    def citing(self) -> Citations:
        """How triples are cited."""
        self._cited = self._cited or self.citations or TripleCitations(self.told)
        return self._cited

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The current text of the evidence with this id; None if it no longer exists."""
        return self.citing.content(turn_id)

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """True if the one cited triple states the atom, and each variable is bound to the matching end of the triple."""
        triples = self.citing.stated(evidence[0]) if len(evidence) == 1 else ()
        if negated or not triples:
            return False, "a graph denies nothing" if negated else "no triple of the graph is cited"
        said = any(self._says(triple, atom, bindings) for triple in triples)
        return said, f"“{evidence[0].quote}” {'says it' if said else 'does not say this of these'}"

    def _says(self, triple: Triple, atom: Atom, bindings: Mapping[str, Binding]) -> bool:
        ends = [Value(self._label(name), name) for name in (triple.subject, triple.object)]
        choices: list[tuple[str | Variable, ...]] = [(end.text, *atom.variables) for end in ends]
        asked = canonical(atom)
        for sides in product(*choices):
            if self.told.statement(sides[0], triple.relation, sides[1]) == asked:
                held = [(b, end) for side, end in zip(sides, ends, strict=True) if (b := _bound(side, bindings))]
                if all(b.value == end for b, end in held):
                    return True
        return False

    def check(self, node: Node, about: ProofContext) -> Iterable[Finding]:
        """What is found of a walk, or of an edge of one."""
        if node.kind != "edge":
            return unknown_kind(node)
        asked = self._asked = self._asked or SourceOracles.of(self)
        return check_walk(asked, node, about) if is_walk(node) else check_leaf(asked, node, about)

    def explains(self, node: Node, _about: ProofContext, /) -> bool:
        """True if it says no more than, of a walk, how many of its ends are proved."""
        told = not node.note or (is_walk(node) and PROVED_OF.fullmatch(node.note) is not None)
        return told and not node.alignment

    def reads_value(self, node: Node, _about: ProofContext, held: Binding, /) -> bool:
        """True if the value is quoted from the last triple where that says its label."""
        label = self._label(held.value.key)
        cited = (node.children[-1] if node.children else node).evidence
        span = label if cited and label in cited[0].quote else ""
        return (held.span, held.derivation) == (span, Derivation.QUOTED if span else Derivation.RESOLVED)

    def weight(
        self, goal: Goal, atom: Atom, _bindings: Mapping[str, Binding], _evidence: Sequence[Evidence], /
    ) -> float | None:
        """The weight of a step for an atom of a goal, if this critic scores the walk; None if it cannot."""
        # A proof has one goal, and every step asks for it: comparing by identity avoids recomputation.
        if self._steps is None or self._steps[0] is not goal:
            weights = self._weights(goal) or ()
            self._steps = goal, dict(zip(map(canonical, goal.atoms), weights, strict=False))
        return self._steps[1].get(canonical(atom))

    def walked(self, goal: Goal, node: Node, beside: Sequence[Node]) -> tuple[bool, str, float | None]:
        """True if the edges below a step form a walk that the question asks for: the judge accepts it, and the named
        critic gives this weight or has a recorded judgement.
        """
        asked = walk_question(node.goal) if node.goal is not None else None
        chain = self._chain(goal.question, node)
        if asked is None or asked[0] != goal.question or chain is None:
            return False, "its edges are no walk from what the question names to this", None
        if node.judge and node.judge == self.judge:
            weights = self._weights_of(goal.question, chain, beside)
            if weights is None:
                return False, f"{node.judge} finds that the question does not ask for it", None
            return True, f"{node.judge} finds that the question asks for it", math.prod(weights)
        if self.on_walk is None or node.ground is None or not self._asked_of(goal.question, chain):
            return False, f"{node.judge or 'no critic'} cannot be asked whether the question asks for it", None
        bindings = {b.variable.name: b for b in node.bindings}
        known = self.on_walk(node.judge, node.ground, bindings, [e for edge in node.children for e in edge.evidence])
        return known, f"{node.judge} is {'' if known else 'not '}on record with it", None

    def asks(self, goal: Goal, _asked: datetime, /) -> bool:
        """True if the goal is to answer its question; whether it asks for a walk as its goal is decided by a critic."""
        return asks_walk(goal)

    def states(self, _rule: Rule, /) -> bool:
        """Never: a graph has no rules."""
        return False

    def proves(self, _atom: Atom, /) -> bool:
        """Always possible: what is not in a graph is not false."""
        return True

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """True if the critic of this name, scoring the walk again, does not prune it, or if a recorded judgement
        confirms the reading.
        """
        if judge == self.judge:
            return self.reads(goal)
        return self._formed(goal) and self.on_record is not None and self.on_record(judge, goal, asked)

    def _formed(self, goal: Goal) -> bool:
        """True if a walk may answer the question of a goal; a recorded judgement does not replace this check."""
        topics = (topic for topic, _ in self.told.walks(goal))
        queries = (query_of(self.graph, goal.question, topic, self.links) for topic in topics)
        return is_plain_walk_goal(goal) and any(
            query is not None and not self.walk_judge.misformed(query) for query in queries
        )

    @property
    def judge(self) -> str:
        """Name of the critic that scores walks again; empty if there is none."""
        return "" if self.critic is None or isinstance(self.critic, RecordedCritic) else self.critic.name

    def reads(self, goal: Goal) -> bool:
        """True if the judge and the critic accept the walk that a goal is, for its question."""
        return is_plain_walk_goal(goal) and self._weights(goal) is not None

    def is_a(self, value: Value, type: str) -> bool:
        """True if a value may be a node: a graph does not say of which kind its nodes are."""
        return type == THING and value == Value(value.text, value.key)

    def judged(
        self, _ground: Atom, _bindings: Mapping[str, Binding], _cited: Sequence[Evidence], _no: bool, judge: str, /
    ) -> tuple[bool, str]:
        """Always False: a triple is in the graph or not."""
        return False, f"no judgement of {judge} stands for a triple"

    def assumed(self, _rule: Rule, _judge: str, /) -> bool:
        """Never: a graph has no rules."""
        return False

    # -- the current graph -----------------------------------------------------------------------------------------------

    def _asked_of(self, question: str, chain: Chain) -> bool:
        """True if a question names where a walk begins, and has a form that a walk may answer."""
        query = query_of(self.graph, question, self._label(chain[0][0]), self.links)
        return query is not None and not self.walk_judge.misformed(query)

    def _weights_of(self, question: str, chain: Chain, beside: Sequence[Node]) -> tuple[float, ...] | None:
        """The weights of a walk's hops, scored with the nodes on all of its paths."""
        if self._beside is not beside:
            self._beside, self._walked = beside, {}
        key = question, chain[0][0], chain[1]
        if key not in self._walked:
            chains = [c for node in beside if (c := self._chain(question, node)) is not None]
            same = [nodes for nodes, hops in chains if hops == chain[1] and nodes[0] == chain[0][0]]
            columns = [
                {n for name in column if (n := self.graph.node(name)) is not None} for column in zip(*same, strict=True)
            ]
            query = query_of(self.graph, question, self._label(chain[0][0]), self.links)
            if query is None or self.critic is None or not columns or not all(columns):
                return None
            around = WalkContext.of(
                self.graph, [np.array(sorted(column), dtype=np.int64) for column in columns], chain[1]
            )
            self._walked[key] = judged_weights(self.walk_judge, self.critic, query, chain[1], around)[1]
        return self._walked[key]

    def _chain(self, question: str, node: Node) -> Chain | None:
        """The walk of the edges below a step, from the topic of the question to the step's binding; None if they are
        not a walk.
        """
        held = self._chains.get(id(node))
        if held is None:
            # The step is kept with its walk: an identity is only one as long as the thing is there.
            held = self._chains[id(node)] = (node, self._chain_of(question, node))
        return held[1]

    def _chain_of(self, question: str, node: Node) -> Chain | None:
        (bound,) = node.bindings if len(node.bindings) == 1 else (None,)
        if bound is None or bound.value != Value(self._label(bound.value.key), bound.value.key) or not node.children:
            return None
        walks: list[Chain] = [((bound.value.key,), ())]
        for edge in reversed(node.children):
            cited = self.citing.stated(edge.evidence[0]) if len(edge.evidence) == 1 and not edge.negated else ()
            said = [t for t in cited if self._statement(t) == edge.ground]
            walks = [onto for chain in walks for triple in said for onto in _before(chain, triple)]
        return next((w for w in walks if query_of(self.graph, question, self._label(w[0][0]), self.links)), None)

    def _statement(self, triple: Triple) -> Atom:
        return self.told.statement(self._label(triple.subject), triple.relation, self._label(triple.object))

    def _label(self, identifier: str) -> str:
        if identifier not in self._labels:
            node = self.graph.node(identifier)
            self._labels[identifier] = self.graph.labels(np.array([node]))[0] if node is not None else identifier
        return self._labels[identifier]

    def _weights(self, goal: Goal) -> tuple[float, ...] | None:
        key = replace(goal, aggregate=Aggregate.LIST, atoms=tuple(map(canonical, goal.atoms)))
        if key not in self._read:
            self._read[key] = self._worked_out(key)
        return self._read[key]

    def _worked_out(self, goal: Goal) -> tuple[float, ...] | None:
        if self.critic is None or not self.judge:
            return None
        for topic, hops in self.told.walks(goal):
            query = query_of(self.graph, goal.question, topic, self.links)
            if query is not None and len(self.graph.named(topic)):
                columns = self._columns(topic, len(hops))
                around = WalkContext.of(self.graph, columns, hops) if columns else None
                if around is None:
                    return None
                return judged_weights(self.walk_judge, self.critic, query, hops, around)[1]
        return None

    def _columns(self, topic: str, hops: int) -> list[Nodes]:
        """The nodes at each position of the proof's paths; empty if one is not in the graph."""
        names: list[set[str]] = [set() for _ in range(hops + 1)]
        for solution in self.proof.root.children if self.proof is not None and self.proof.root is not None else ():
            values = {b.variable.name: b.value.key for b in solution.bindings}
            for place in range(1, hops + 1):
                names[place].add(values.get(variable_of(place).name, ""))
            triples = (t for node in solution.children[:1] for e in node.evidence for t in self.citing.stated(e))
            names[0] |= {end for t in triples for end in (t.subject, t.object) if self._label(end) == topic}
        found = [[self.graph.node(name) for name in sorted(column)] for column in names]
        known = [np.array([n for n in column if n is not None], dtype=np.int64) for column in found]
        return known if all(map(len, known)) else []


def _before(chain: Chain, triple: Triple) -> Iterator[Chain]:
    """A walk with a triple before it that leads to where it begins."""
    nodes, hops = chain
    if triple.object == nodes[0]:
        yield (triple.subject, *nodes), (Hop(triple.relation), *hops)
    if triple.subject == nodes[0]:
        yield (triple.object, *nodes), (Hop(triple.relation, inverse=True), *hops)


def asks_walk(goal: Goal) -> bool:
    """True if a goal is to answer its question from a graph."""
    asked = walk_question(goal.atoms[0]) if len(goal.atoms) == 1 else None
    return asked is not None and canonical_goal(goal) == canonical_goal(walk_goal(goal.question, asked[1]))


def canonical_goal(goal: Goal) -> Goal:
    """The goal with its atoms in canonical form, as a proof document holds them."""
    return replace(goal, atoms=tuple(map(canonical, goal.atoms)))


def is_plain_walk_goal(goal: Goal) -> bool:
    """True if a goal asks for the end of a walk and nothing more."""
    return goal.aggregate in (Aggregate.LIST, Aggregate.ONE) and not goal.constraints and not goal.unit


def _bound(side: str | Variable, bindings: Mapping[str, Binding]) -> Binding | None:
    return bindings.get(side.name) if isinstance(side, Variable) else None


def check_graph_proof(
    proof: Proof, graph: Graph, critic: Critic | None = None, *, record: GraphRecord | None = None
) -> Verification:
    """Check a proof over a graph alone, independently of the search. `record` may serve many proofs over one graph."""
    known = record or GraphRecord(graph, critic)
    held = replace(known, graph=graph, proof=proof, telling=known.told)
    return verify(proof, evidence=held, entails=held, isa=held, reader=held)


def values_verified(proof: Proof, verification: Verification) -> int:
    """Number of values of a proof with a path that passes every check; 0 if the goal or the root fails."""
    failed = [check.node for check in verification.failures]
    if any(not node.startswith("root.children[") for node in failed) or proof.root is None:
        return 0
    bad = {node.split(".")[1] for node in failed}
    return len(proof.root.children) - len(bad)
