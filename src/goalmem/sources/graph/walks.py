"""Walks over a graph as steps: where a whole question leads, found by ArG's search (`graph.search`).

The search runs inside the source and uses the engine's budget. Each answer is one step with its walk, one edge per hop. The weight of the
step is the critic's score of the walk, which verification computes again; edges have no weight. The imported graph of a space and the graph
of its own facts are two such sources.

`RecallSource` is off by default. It cites nothing, because nothing stored says the answer: its step is a rule without conditions that the
critic's model assumed. The step names the model, is recorded, and makes an answer `likely` at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from goalmem.engine.budget import Budget
from goalmem.engine.events import Event, Listener, silent
from goalmem.engine.step import NearMiss, ProvedAtom, Request, Step
from goalmem.graph.critic import Query
from goalmem.graph.evidence_text import Citations, RelationTexts, TripleCitations
from goalmem.graph.protocol import Graph, Hop, Nodes
from goalmem.graph.reasoner import GraphAnswers, GraphReasoner, Topic
from goalmem.graph.record import LEXICAL, RecordedCritic
from goalmem.graph.tree import TreeNode
from goalmem.graph.walk_judge import WalkJudge
from goalmem.graph.walk_reading import Links, WalkContext, judged_weights, paths_of, query_of, worth
from goalmem.logic.syntax import format_rule, parse_rule
from goalmem.logic.terms import Binding, Derivation, Rule, Value, Variable
from goalmem.proof.document import MAX_NODES
from goalmem.questions.whole_question import RECALLED, walk_question

IMPORTED, OWN = "walks", "own walks"
"""Names of the sources: over the imported graph, and over the space's own edges."""
NAMED = 5
"""Entities of a hop that are named in an event, as many as a critic is shown."""
UNNAMED = "the question does not name {topic!r}"
UNTOUCHED = "the question names nothing of the graph that leads on"
PRUNED = "the critic finds that the question does not ask for this walk"
NOWHERE = "no path of these relations leads to an answer"


@dataclass
class WalkSource:
    """One graph, for one question."""

    reasoner: GraphReasoner
    topics: Callable[[str], Sequence[Topic]]
    """The topics of a question."""
    citations: Citations | None = None
    """The citations of triples, if they do not cite themselves."""
    links: Links | None = None
    """Finds topics that the question spells differently from the graph."""
    judge: WalkJudge = LEXICAL
    listener: Listener = silent
    """Receives an event for each hop, and for the walk that answers."""
    name: str = IMPORTED
    closed: bool = False
    exhaustive: bool = True
    cost: int = 0
    searched: dict[str, GraphAnswers | None] = field(default_factory=dict)
    """Results of searches, by question."""
    _refused: dict[str, str] = field(default_factory=dict)

    @property
    def graph(self) -> Graph:
        """The graph that is walked over."""
        return self.reasoner.graph

    def steps(self, request: Request) -> Sequence[Step]:
        """A step for each answer of the question's best walk; none if the judge or the critic rejects it."""
        asked = walk_question(request.atom)
        if asked is None or asked[1] != self.name:
            return ()
        found = self.answers(asked[0], request.budget)
        return self.walked(asked[0], found, request.atom.variables[0]) if found is not None else ()

    def near_misses(self, request: Request, /) -> Sequence[NearMiss]:
        """Why no walk answers."""
        asked = walk_question(request.atom)
        if asked is None or asked[1] != self.name:
            return ()
        refused = self._refused.get(asked[0])
        stage = "never-said" if refused is None else "not-unified"
        return (NearMiss(stage, refused or UNTOUCHED, None, 0.0),)

    def answers(self, question: str, budget: Budget) -> GraphAnswers | None:
        """Search for the answers to a question, and report events; None if no walk answers, or if the budget ended the search."""
        if question not in self.searched:
            found = self.reasoner.ask(question, self.topics(question), budget)
            answered = found if found is not None and found.leaf is not None else None
            for event in events_of(self.graph, answered) if answered is not None else ():
                self.listener(event)
            self.searched[question] = answered
        return self.searched[question]

    def walked(self, question: str, found: GraphAnswers, variable: Variable) -> list[Step]:
        """The best walk of a search, as steps."""
        leaf, critic, given = found.leaf, self.reasoner.critic, None
        if leaf is None:
            return []
        if isinstance(critic, RecordedCritic):
            given = worth([h.relation for h in leaf.hopped], [h.rationality for h in leaf.hopped], leaf.utility)
        ends = np.array([answer.node for answer in found.answers], dtype=np.int64)
        return self.along(question, found.tree.topic, leaf.walk.hops, ends, variable, given)

    def along(
        self,
        question: str,
        topic: int | None,
        hops: Sequence[Hop],
        ends: Nodes,
        variable: Variable,
        given: Sequence[float] | None = None,
    ) -> list[Step]:
        """A step for each of `ends` to which a path leads from `topic` along `hops`.

        None if the question does not name the topic, if the judge rejects the walk, or if the critic would prune it. At most as many as a
        proof holds. `given`: the scores of the hops, if the critic is not to be asked again; its judgement then replaces the judge's.
        """
        walked = WalkPaths.of(self, topic, hops, ends[: (MAX_NODES - 1) // (len(hops) + 2)])
        label = walked.named[topic][1] if topic is not None else ""
        query = query_of(self.graph, question, label, self.links)
        weights, refusal = None, ""
        if query is not None and walked.paths:
            if given:
                refusal = self.judge.misformed(query)
                weights = None if refusal else tuple(given)
            else:
                around = WalkContext.of(self.graph, walked.columns, hops)
                refusal, weights = judged_weights(self.judge, self.reasoner.critic, query, hops, around)
        if weights is None:
            unnamed = UNNAMED.format(topic=label)
            self._refused[question] = unnamed if query is None else refusal or (PRUNED if walked.paths else NOWHERE)
            return []
        note = f"{len(walked.paths)} of {len(ends)} answers are proved" if len(walked.paths) < len(ends) else ""
        return [self._step(walked, path, variable, math.prod(weights), note) for path in walked.paths]

    def _step(self, walked: WalkPaths, path: Sequence[int], variable: Variable, score: float, note: str) -> Step:
        edges = tuple(walked.edge(place, *path[place : place + 2]) for place in range(len(path) - 1))
        identifier, label = walked.named[path[-1]]
        cited = edges[-1].step.evidence[0]
        span = label if label in cited.quote else ""
        how = Derivation.QUOTED if span else Derivation.RESOLVED
        binding = Binding(variable, Value(label, identifier), how, span=span, turn=cited.turn)
        return Step(self.name, "edge", score, (binding,), note=note, judge=self.reasoner.critic.name, proved=edges)


@dataclass
class WalkPaths:
    """The paths of one walk, and their edges, each created once."""

    source: WalkSource
    hops: Sequence[Hop]
    paths: Sequence[Sequence[int]]
    """Nodes, one more than hops."""
    named: Mapping[int, tuple[str, str]]
    """Identifier and label of each node."""
    telling: RelationTexts
    citing: Citations
    _made: dict[tuple[int, int, int], ProvedAtom] = field(default_factory=dict)

    @classmethod
    def of(cls, source: WalkSource, topic: int | None, hops: Sequence[Hop], ends: Nodes) -> WalkPaths:
        """A path to each of `ends` that can be reached."""
        graph = source.graph
        start = np.array([topic] if topic is not None else [], dtype=np.int64)
        paths = paths_of(graph, topic, hops, ends) if topic is not None and hops else np.empty((0, 1), dtype=np.int64)
        nodes = np.union1d(paths, start)
        names = zip(graph.identifiers(nodes), graph.labels(nodes), strict=True)
        telling = RelationTexts(graph)
        citing = source.citations or TripleCitations(telling)
        return cls(source, hops, paths.tolist(), dict(zip(nodes.tolist(), names, strict=True)), telling, citing)

    @property
    def columns(self) -> list[Nodes]:
        """The nodes of the paths at each place."""
        return [np.array(column, dtype=np.int64) for column in zip(*self.paths, strict=True)]

    def edge(self, place: int, head: int, tail: int) -> ProvedAtom:
        """The triple under the hop at a place of the walk, with its citation."""
        made = self._made.get((place, head, tail))
        if made is None:
            hop, (first, start), (last, end) = self.hops[place], self.named[head], self.named[tail]
            evidence = self.citing.cite(hop.triple(first, last))
            made = ProvedAtom(
                self.telling.atom(hop, start, end), Step(self.source.name, "edge", 1.0, evidence=(evidence,))
            )
            self._made[place, head, tail] = made
        return made


def events_of(graph: Graph, found: GraphAnswers) -> Iterator[Event]:
    """The reasoning tree, parents before children, then the walk that answers."""
    for node in found.tree.nodes[1:]:
        yield hop_event(graph, node)
    leaf = found.leaf
    if leaf is not None:
        labels = [answer.label for answer in found.answers]
        hops = [str(hop) for hop in leaf.walk.hops]
        topic = found.tree.query.topic
        data = {"topic": topic, "hops": hops, "answers": labels, "score": leaf.score, "node": leaf.id}
        yield Event("walk", f"{' → '.join([topic, *hops])}: {', '.join(labels[:NAMED])}", data)


def hop_event(graph: Graph, node: TreeNode) -> Event:
    """One walk of the tree, by its last hop."""
    labels = graph.labels(np.asarray(node.nodes[:NAMED]))
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


WORTH = 0.5
"""Score of an answer that only a model knows: above the threshold of answers, and below well-judged readings."""


@runtime_checkable
class RecallCritic(Protocol):
    """A critic that can answer by itself."""

    @property
    def name(self) -> str:
        """The name of this critic, including its weights."""
        ...

    def recalled(self, query: Query) -> str:
        """The answer in a few words; empty if the model knows none."""
        ...


@dataclass(frozen=True)
class RecallSource:
    """Asks the critic of one graph what it knows."""

    critic: RecallCritic
    topics: Callable[[str], Sequence[Topic]]
    """The topics of a question in the graph; nothing is recalled about anything else."""
    labels: Callable[[Topic], str]
    name: str = RECALLED
    closed: bool = False
    exhaustive: bool = True
    cost: int = 2

    def steps(self, request: Request) -> Sequence[Step]:
        """The critic's own answer as a step."""
        asked = walk_question(request.atom)
        if asked is None or asked[1] != self.name or not (topics := self.topics(asked[0])):
            return ()
        text = self.critic.recalled(Query(asked[0], self.labels(topics[0]), topics[0].span))
        (variable,) = request.atom.variables
        rule = Rule(request.atom.substitute({variable.name: Value(text, text.casefold())}), ())
        if not text or not _legible(rule):
            return ()
        binding = Binding(variable, Value(text, text.casefold()), Derivation.RESOLVED, text, "")
        return [Step(self.name, "rule", WORTH, (binding,), rule=rule, judge=self.critic.name)]

    def near_misses(self, _request: Request, /) -> Sequence[NearMiss]:
        """Return none: a model's ignorance has no near misses."""
        return ()


def _legible(rule: Rule) -> bool:
    """True if a model's words can be used in a proof, because none of them is read as syntax."""
    try:
        return parse_rule(format_rule(rule)) == rule
    except ValueError:
        return False
