"""An answer that was found in a graph becomes a proof: a goal whose atoms are the hops, and a path for each value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

import numpy as np

from goalmem.engine.budget import Spent
from goalmem.engine.outcome import Closed, Missing, Outcome, Solution
from goalmem.engine.step import NearMiss, Step
from goalmem.graph.answers import GraphAnswers
from goalmem.graph.citations import Citations, TripleCitations
from goalmem.graph.citing import Telling, goal_of, variable_of
from goalmem.graph.critic import Critic
from goalmem.graph.paths import paths_of
from goalmem.graph.protocol import Graph, Hop, Nodes
from goalmem.graph.reading import Links, Surroundings, judged_weights, query_of, worth
from goalmem.graph.record import LEXICAL, Recorded
from goalmem.graph.walk_judge import WalkJudge
from goalmem.logic.terms import Binding, Derivation, Evidence, Goal, Substitution, Value
from goalmem.proof.build import build_proof
from goalmem.proof.document import MAX_NODES, Proof

__all__ = ["SOURCE", "prove_answers", "prove_walk"]

SOURCE = "graph"
"""The name of the source in steps and proofs."""
UNNAMED = "the question does not name {topic!r}"
PRUNED = "the critic finds that the question does not ask for this walk"
NOWHERE = "no path of these relations leads to an answer"


def prove_walk(
    graph: Graph,
    question: str,
    topic: str,
    hops: Sequence[Hop],
    ends: Nodes,
    critic: Critic,
    *,
    space: str = "",
    at: datetime | None = None,
    telling: Telling | None = None,
    citations: Citations | None = None,
    links: Links | None = None,
    given: Sequence[float] | None = None,
    judge: WalkJudge = LEXICAL,
) -> Proof:
    """The proof that a walk from `topic` (an identifier) along `hops` leads to these nodes, which answer the question.

    One path stands for each of `ends`; what no path leads to is left out, and so is what would be more than a proof
    holds (`logic.proof.MAX_NODES` steps): `spent` then says how many `answers` there were and how many are `proved`. The
    status is unknown where nothing is proved, the question does not name the topic, the judge refuses the walk, or the critic would prune it.
    `citations`: what triples are cited by, if not themselves. `links`: finds topics that the question does not spell as
    the graph does. `given`: what the hops are worth, where the critic is not
    to be asked again: its judgement then stands in for the judge's on the relations.
    """
    start = graph.node(topic)
    told = telling or Telling(graph)
    most = (MAX_NODES - 1) // (len(hops) + 1)
    walked = Walked.of(graph, start, hops, ends[:most], told, citations or TripleCitations(told))
    label = walked.label(start) if start is not None else topic
    goal = goal_of(question, label, hops, walked.telling)
    query = query_of(graph, question, label, links)
    weights, refusal = None, ""
    if query is not None and walked.paths:
        around = Surroundings.of(graph, walked.columns)
        if given:
            refusal = judge.misformed(query)
            weights = None if refusal else tuple(given)
        else:
            refusal, weights = judged_weights(judge, critic, query, hops, around)
    solutions = walked.solutions(goal, weights) if weights is not None else ()
    miss = UNNAMED.format(topic=label) if query is None else refusal or (PRUNED if len(walked.paths) else NOWHERE)
    missing = () if solutions else (Missing(goal.atoms[0], (NearMiss("not-unified", miss, None, 0.0),)),)
    outcome = Outcome("proved" if solutions else "unknown", solutions, missing, Spent(), exhausted=False)
    proof = build_proof(
        outcome, goal, question=question, space=space, asked_at=at or datetime.now(UTC), judge=critic.name
    )
    counts = {"answers": float(len(ends)), "proved": float(len(solutions))}
    return proof.model_copy(update={"spent": counts}).sealed() if 0 < len(solutions) < len(ends) else proof


def prove_answers(
    graph: Graph,
    found: GraphAnswers,
    critic: Critic,
    *,
    space: str = "",
    at: datetime | None = None,
    telling: Telling | None = None,
    citations: Citations | None = None,
    links: Links | None = None,
    judge: WalkJudge = LEXICAL,
) -> Proof:
    """The proof of what a question's best walk answers (`prove_walk`). Raises ValueError where no walk answers."""
    leaf, tree, given = found.leaf, found.tree, None
    if leaf is None:
        raise ValueError("no walk answers")
    (topic,) = graph.identifiers(np.array([tree.topic], dtype=np.int64))
    if isinstance(critic, Recorded):
        given = worth([h.relation for h in leaf.hopped], [h.rationality for h in leaf.hopped], leaf.utility)
    ends = np.array([answer.node for answer in found.answers], dtype=np.int64)
    proof = partial(prove_walk, graph, tree.query.question, topic, leaf.walk.hops, ends, critic)
    return proof(space=space, at=at, telling=telling, citations=citations, links=links, given=given, judge=judge)


@dataclass
class Walked:
    """The paths of one walk, as links that evidence stands for. Each link is made once."""

    telling: Telling
    hops: Sequence[Hop]
    paths: Sequence[Sequence[int]]
    """Nodes, one more than hops."""
    named: Mapping[int, tuple[str, str]]
    """Identifier and label of each node."""
    citing: Citations
    _made: dict[tuple[int, int, int], tuple[Evidence, Binding]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, graph: Graph, topic: int | None, hops: Sequence[Hop], ends: Nodes, telling: Telling, citing: Citations
    ) -> Walked:
        """A path to each of `ends` that there is one to."""
        start = np.array([topic] if topic is not None else [], dtype=np.int64)
        paths = paths_of(graph, topic, hops, ends) if topic is not None and hops else np.empty((0, 1), dtype=np.int64)
        nodes = np.union1d(paths, start)
        names = zip(graph.identifiers(nodes), graph.labels(nodes), strict=True)
        return cls(telling, hops, paths.tolist(), dict(zip(nodes.tolist(), names, strict=True)), citing)

    @property
    def columns(self) -> list[Nodes]:
        """The nodes that the paths pass at each place."""
        return [np.array(column, dtype=np.int64) for column in zip(*self.paths, strict=True)]

    def label(self, node: int) -> str:
        """What a node is called."""
        return self.named[node][1]

    def solutions(self, goal: Goal, weights: Sequence[float]) -> tuple[Solution, ...]:
        """Each path as a solution of the walk's goal."""
        return tuple(self._solution(goal, path, weights) for path in self.paths)

    def _solution(self, goal: Goal, path: Sequence[int], weights: Sequence[float]) -> Solution:
        bindings: list[Binding] = []
        closed: list[Closed] = []
        for place, (atom, weight) in enumerate(zip(goal.atoms, weights, strict=True)):
            evidence, binding = self._link(place, path[place], path[place + 1])
            bindings.append(binding)
            closed.append(Closed(atom, Step(SOURCE, "edge", weight, (binding,), (), (evidence,))))
        return Solution(Substitution(tuple(bindings)), tuple(closed), math.prod(weights))

    def _link(self, place: int, head: int, tail: int) -> tuple[Evidence, Binding]:
        """The triple under the hop at a place of the walk, and what the hop's variable stands for."""
        made = self._made.get((place, head, tail))
        if made is None:
            hop = self.hops[place]
            (first, _), (last, end) = self.named[head], self.named[tail]
            evidence = self.citing.cite(hop.triple(first, last))
            variable, span = variable_of(place + 1), end if end in evidence.quote else ""
            how = Derivation.QUOTED if span else Derivation.RESOLVED
            binding = Binding(variable, Value(end, last), how, span=span, turn=evidence.turn)
            made = self._made[place, head, tail] = (evidence, binding)
        return made
