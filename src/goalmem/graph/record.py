"""What checking a proof asks of a graph: its triples as they are now, and what its critic says of the walk."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import product
from typing import Protocol, runtime_checkable

import numpy as np

from goalmem.graph.critic import Critic, Query
from goalmem.graph.evidence_text import THING, Citations, Telling, TripleCitations, variable_of
from goalmem.graph.protocol import Graph, Hop, Nodes, Triple
from goalmem.graph.walk_judge import LexicalJudge, WalkJudge
from goalmem.graph.walk_reading import Links, Surroundings, judged_weights, query_of
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Atom, Binding, Evidence, Goal, Rule, Value, Variable
from goalmem.proof.check import Verification, verify
from goalmem.proof.document import Node, Proof
from goalmem.proof.node_check import Finding, ProofContext, SourceOracles, check_leaf, check_walk, is_walk, unknown_kind
from goalmem.proof.oracles import EvidenceTurn
from goalmem.questions.whole_question import walk_goal, walk_question

__all__ = [
    "LEXICAL",
    "GraphRecord",
    "OnRecord",
    "OnWalk",
    "Recorded",
    "asks_walk",
    "check_graph_proof",
    "judge_beside",
    "values_verified",
]

LEXICAL = LexicalJudge()
"""Judges walks where no other judge is named."""
OnRecord = Callable[[str, Goal, datetime], bool]
"""Whether a judge is on record with reading a goal's question, asked then, as the goal."""
OnWalk = Callable[[str, Atom, Mapping[str, Binding], Sequence[Evidence]], bool]
"""Whether a judge is on record with: these edges, one after the other, lead to what the ground atom says."""
Chain = tuple[tuple[str, ...], tuple[Hop, ...]]
"""A walk: identifiers of the nodes from the topic to the end, and the hops between them."""


@runtime_checkable
class Recorded(Protocol):
    """A critic with this method is a chat model's: it would not say the same again, so that its judgement is put on record."""

    def usage(self, query: Query) -> object:
        """What the calls for a question cost."""
        ...


def judge_beside(critic: Critic) -> WalkJudge | None:
    """Who judges the walks that a critic proposes: nobody where a chat model proposes, whose own judgement is on record."""
    return None if isinstance(critic, Recorded) else LEXICAL


@dataclass
class GraphRecord:
    """Evidence reader, entailment, type and reading oracle of one graph, for `logic.verify`. It searches nothing."""

    graph: Graph
    critic: Critic | None = None
    on_record: OnRecord | None = None
    """For critics whose judgement cannot be worked out anew, of walks that a proof has as its goal."""
    on_walk: OnWalk | None = None
    """The same of walks that are steps."""
    proof: Proof | None = None
    """What is checked, where its goal is a walk: it is scored as it goes through the nodes of its paths."""
    telling: Telling | None = None
    citations: Citations | None = None
    """What triples are cited by; themselves, where it is not given."""
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
    """What was worked out of walks, with all of `_beside`."""

    @property
    def told(self) -> Telling:
        """How the graph's relations are said."""
        self.telling = self.telling or Telling(self.graph)
        return self.telling

    @property
    def citing(self) -> Citations:
        """What triples are cited by."""
        self._cited = self._cited or self.citations or TripleCitations(self.told)
        return self._cited

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """What evidence of this id quotes, as it is now; None where it is gone."""
        return self.citing.content(turn_id)

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Whether the one triple cited says the atom, and each variable stands for the end of it that it stands at."""
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

    def weight(
        self, goal: Goal, atom: Atom, _bindings: Mapping[str, Binding], _evidence: Sequence[Evidence], /
    ) -> float | None:
        """What a step for an atom of a goal is worth, where this critic scores the walk; None where it cannot."""
        # A proof has one goal, and every step asks: it is compared by identity before it is worked out anew.
        if self._steps is None or self._steps[0] is not goal:
            weights = self._weights(goal) or ()
            self._steps = goal, dict(zip(map(canonical, goal.atoms), weights, strict=False))
        return self._steps[1].get(canonical(atom))

    def walked(self, goal: Goal, node: Node, beside: Sequence[Node]) -> tuple[bool, str, float | None]:
        """Whether the edges below a step are a walk that the question asks for: the judge accepts it, and the critic whose name
        stands there gives it this weight, or is on record with it.
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
        """Whether the goal is to find what its question leads to; that it asks for a walk as its goal is what a critic says."""
        return asks_walk(goal)

    def states(self, _rule: Rule, /) -> bool:
        """Never: a graph has no rules."""
        return False

    def proves(self, _atom: Atom, /) -> bool:
        """Always, or it may be: what a graph does not hold is not false."""
        return True

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """Whether the critic of this name, scoring the walk anew, does not prune it, or is on record with the reading."""
        if judge == self.judge:
            return self.reads(goal)
        return self._formed(goal) and self.on_record is not None and self.on_record(judge, goal, asked)

    def _formed(self, goal: Goal) -> bool:
        """Whether a walk may answer the question of a goal: what a chat model on record does not stand in for."""
        topics = (topic for topic, _ in self.told.walks(goal))
        queries = (query_of(self.graph, goal.question, topic, self.links) for topic in topics)
        return plain(goal) and any(query is not None and not self.walk_judge.misformed(query) for query in queries)

    @property
    def judge(self) -> str:
        """The critic that scores walks anew; empty where none does."""
        return "" if self.critic is None or isinstance(self.critic, Recorded) else self.critic.name

    def reads(self, goal: Goal) -> bool:
        """Whether the judge and the critic accept the walk that a goal is, for its question."""
        return plain(goal) and self._weights(goal) is not None

    def is_a(self, value: Value, type: str) -> bool:
        """Whether a value may be a node: a graph does not say of which kind its nodes are."""
        return type == THING and value == Value(value.text, value.key)

    def judged(
        self, _ground: Atom, _bindings: Mapping[str, Binding], _cited: Sequence[Evidence], _no: bool, judge: str, /
    ) -> tuple[bool, str]:
        """Never: what a triple says is there or not."""
        return False, f"no judgement of {judge} stands for a triple"

    def assumed(self, _rule: Rule, _judge: str, /) -> bool:
        """Never: a graph has no rules."""
        return False

    # -- the graph as it is now --------------------------------------------------------------------------------------

    def _asked_of(self, question: str, chain: Chain) -> bool:
        """Whether a question names where a walk begins, and has a form that a walk may answer."""
        query = query_of(self.graph, question, self._label(chain[0][0]), self.links)
        return query is not None and not self.walk_judge.misformed(query)

    def _weights_of(self, question: str, chain: Chain, beside: Sequence[Node]) -> tuple[float, ...] | None:
        """What the hops of a walk are worth, scored with the nodes that all walks along them pass."""
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
            around = Surroundings.of(self.graph, [np.array(sorted(column), dtype=np.int64) for column in columns])
            self._walked[key] = judged_weights(self.walk_judge, self.critic, query, chain[1], around)[1]
        return self._walked[key]

    def _chain(self, question: str, node: Node) -> Chain | None:
        """The walk that the edges below a step make, from what the question names to what the step binds; None where they
        make none.
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
                around = Surroundings.of(self.graph, columns) if columns else None
                if around is None:
                    return None
                return judged_weights(self.walk_judge, self.critic, query, hops, around)[1]
        return None

    def _columns(self, topic: str, hops: int) -> list[Nodes]:
        """The nodes that the paths of the proof pass at each place; nothing where one is not in the graph."""
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
    """Whether a goal is to find what its question leads to in a graph."""
    asked = walk_question(goal.atoms[0]) if len(goal.atoms) == 1 else None
    return asked is not None and canonical_goal(goal) == canonical_goal(walk_goal(goal.question, asked[1]))


def canonical_goal(goal: Goal) -> Goal:
    """The goal with its atoms in canonical form, as a proof document holds them."""
    return replace(goal, atoms=tuple(map(canonical, goal.atoms)))


def plain(goal: Goal) -> bool:
    """Whether a goal asks for what a walk leads to, and for nothing more."""
    return goal.aggregate in (Aggregate.LIST, Aggregate.ONE) and not goal.constraints and not goal.unit


def _bound(side: str | Variable, bindings: Mapping[str, Binding]) -> Binding | None:
    return bindings.get(side.name) if isinstance(side, Variable) else None


def check_graph_proof(
    proof: Proof, graph: Graph, critic: Critic | None = None, *, record: GraphRecord | None = None
) -> Verification:
    """Check a proof over a graph alone, without what made it. `record` may serve many proofs over one graph."""
    known = record or GraphRecord(graph, critic)
    held = replace(known, graph=graph, proof=proof, telling=known.told)
    return verify(proof, evidence=held, entails=held, isa=held, reader=held)


def values_verified(proof: Proof, verification: Verification) -> int:
    """How many of the values of a proof have a path that every check accepts; none where the goal or the root fails."""
    failed = [check.node for check in verification.failures]
    if any(not node.startswith("root.children[") for node in failed) or proof.root is None:
        return 0
    bad = {node.split(".")[1] for node in failed}
    return len(proof.root.children) - len(bad)
