"""Build the proof document from the outcome of a search."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from goalmem.engine.outcome import ClosedAtom, MissingAtom, SearchOutcome, Solution
from goalmem.engine.step import ProvedAtom
from goalmem.logic.aggregate import AggregateResult
from goalmem.logic.evaluate import evaluate, needs_all
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Atom, Binding, Evidence, Goal, Substitution, Value
from goalmem.logic.unify import instance_of
from goalmem.proof.document import (
    MAX_NODES,
    VERSION,
    Claim,
    Judgement,
    MissingGoal,
    Node,
    NodeKind,
    Proof,
    Stage,
    all_nodes,
)
from goalmem.proof.status import grade

__all__ = ["build_proof"]

STAGES: dict[str, Stage] = {
    "never-said": "never-said",
    "not-asserted": "not-asserted",
    "superseded": "superseded",
    "judged-not-said": "judged-not-said",
    "not-unified": "not-unified",
    "over-budget": "over-budget",
}
MAX_SHOWN = 8
"""Solutions shown under `alternatives` if none of them is the answer."""


def build_proof(
    outcome: SearchOutcome,
    goal: Goal,
    *,
    question: str,
    space: str,
    asked_at: datetime,
    abstain_reason: str | None = None,
    judge: str = "",
    as_of: bool = False,
) -> Proof:
    """Build the proof of `outcome`. With `abstain_reason`, the answer is withheld and the reason given instead.

    `judge` names the chat model that read the question as `goal`, if one did. `as_of`: see `Proof.as_of`.

    If the solutions do not decide the answer (they conflict, or their times overlap), the status is unknown and both sides are listed under
    `alternatives`.
    """
    lemmas = LemmaTable()
    nodes = [_conjunction(s, goal, lemmas) for s in outcome.solutions]
    counted = _counted(goal, nodes, outcome.joint)
    result = evaluate(goal, [n.values() for n in counted], asked_at)
    reason = abstain_reason or _undecided(outcome, result)
    size = sum(_size(n) for n in (*nodes, *lemmas.table))
    proved = outcome.status != "unknown" and not reason and size < MAX_NODES
    root = _aggregate(counted) if proved else _partial(outcome, goal, lemmas)
    said = {_worded(n) for n in counted}
    others = [n for n in nodes if _worded(n) not in said]
    alternatives = tuple(others if proved else nodes[:MAX_SHOWN])
    root, alternatives, table = lemmas.kept(root, alternatives)
    spent = outcome.spent
    costs = {
        "model_calls": spent.model_calls,
        "tokens": spent.tokens,
        "steps": spent.steps,
        "passages": spent.passages,
        "judgements": spent.judgements,
        "inferences": spent.inferences,
        "relations": spent.relations,
        "depth": outcome.levels,
        "breadth": outcome.angles,
        "cut_short": outcome.cut_short,
    }
    answer, values = ("No", (Value("No", "no"),)) if outcome.status == "disproved" else (result.text, result.values)
    proof = Proof(
        version=VERSION,
        question=question,
        space=space,
        asked_at=asked_at.isoformat(),
        as_of=as_of,
        goal=Claim.of(goal),
        judge=judge,
        status=outcome.status if proved else "unknown",
        answer=answer if proved else "",
        values=values if proved else (),
        confidence=root.score if proved and root is not None else 0.0,
        root=root,
        lemmas=table,
        alternatives=alternatives,
        missing=() if proved else _missing(outcome, goal, reason),
        spent={name: float(n) for name, n in costs.items() if n},
    )
    weak = proof.status != "unknown" and grade(proof) == "likely"
    return (proof.model_copy(update={"status": "likely"}) if weak else proof).digested()


def _counted(goal: Goal, solutions: Sequence[Node], joint: int) -> tuple[Node, ...]:
    """The solutions that make the answer: all, or the first, with those that hold together with it."""
    return tuple(solutions if needs_all(goal) else solutions[:joint])


def _worded(solution: Node) -> tuple[bool, frozenset[tuple[str, str]]]:
    """The answer as it is shown: sources may give one value different keys."""
    against = any(n.negated for _, n in solution.walk())
    return against, frozenset((b.variable.name, b.value.text.casefold()) for b in solution.bindings)


def _undecided(outcome: SearchOutcome, result: AggregateResult) -> str:
    if outcome.status != "unknown":
        return result.undecided if outcome.status == "proved" else ""
    if outcome.conflict:
        return "What was said both supports and denies it, and nothing settles which holds."
    if not (outcome.exhausted and outcome.solutions):
        return ""
    ended = "cut short: the time limit was met" if outcome.cut_short else "The budget ended"
    return f"{ended} before all solutions were found."


def _aggregate(children: Sequence[Node]) -> Node:
    return Node(kind="aggregate", score=min(c.score for c in children), children=tuple(children))


def _partial(outcome: SearchOutcome, goal: Goal, lemmas: LemmaTable) -> Node | None:
    """The furthest state of the search; None if nothing was closed."""
    solution = outcome.partial
    if outcome.solutions or solution is None or all(c.step is None for c in solution.nodes):
        return None
    return _aggregate([_conjunction(solution, goal, lemmas)])


def _conjunction(solution: Solution, goal: Goal, lemmas: LemmaTable) -> Node:
    children = tuple(_node(c, solution.substitution, lemmas) for c in solution.nodes)
    bindings = tuple(b for b in solution.substitution.bindings if b.variable.name in goal.names)
    score = math.prod(c.score for c in children)
    return Node(kind="conjunction", score=score, bindings=_sorted(bindings), children=children)


def _node(closed: ClosedAtom, substitution: Substitution, lemmas: LemmaTable) -> Node:
    atom, step = canonical(closed.atom), closed.step
    names = {v.name for v in atom.variables} | {b.variable.name for b in (step.bindings if step else ())}
    bindings = _sorted(b for b in substitution.bindings if b.variable.name in names)
    ground = canonical(atom.substitute(substitution))
    if step is None:
        return Node(kind="assumed", goal=atom, ground=ground, score=0.0, bindings=bindings)
    children = tuple(_node(c, substitution, lemmas) for c in closed.children) or lemmas.nodes(step.proved)
    return Node(
        kind=KINDS.get(step.kind, "fact"),
        goal=atom,
        ground=ground,
        score=step.score * math.prod(c.score for c in children),
        weight=step.score,
        source=step.source,
        bindings=bindings,
        evidence=step.evidence,
        alignment=step.alignment,
        negated=step.negated,
        relation=step.relation,
        rule=step.rule,
        instance=_instance(closed, ground, children),
        note=step.note,
        judge=step.judge,
        judgement=Judgement.of(step.judge_record) if step.judge_record is not None else None,
        children=children,
    )


def _instance(closed: ClosedAtom, ground: Atom, children: Sequence[Node]) -> dict[str, str]:
    if closed.step is None or closed.step.rule is None:
        return {}
    if closed.step.instance is not None:
        return dict(closed.step.instance)
    body = [c.ground for c in children if c.ground is not None]
    return instance_of(closed.step.rule, ground, body) or {}


def _missing(outcome: SearchOutcome, goal: Goal, reason: str) -> tuple[MissingGoal, ...]:
    if reason or not outcome.missing:
        evidence = tuple(dict.fromkeys(e for s in outcome.solutions for n in s.nodes for e in _evidence(n)))
        stage: Stage = "over-budget" if outcome.exhausted and not outcome.conflict else "conflict"
        if outcome.solutions and not outcome.conflict and outcome.solutions[0].doubted_step is not None:
            stage = "judged-not-said"
        if not outcome.solutions:
            stage = "over-budget" if outcome.exhausted else "never-said"
        why = reason or "The search ended without a proof."
        atom = goal.atoms[0] if goal.atoms else Atom((goal.question,))
        return (MissingGoal(atom=canonical(atom), stage=stage, reason=why, nearest=evidence[:MAX_SHOWN]),)
    return tuple(map(_missing_goal, outcome.missing))


def _missing_goal(missing: MissingAtom) -> MissingGoal:
    first = missing.misses[0]
    nearest = tuple(dict.fromkeys(m.evidence for m in missing.misses if m.evidence is not None))
    stage = STAGES.get(first.stage, "not-unified")
    return MissingGoal(atom=canonical(missing.atom), stage=stage, reason=first.reason, nearest=nearest)


def _evidence(closed: ClosedAtom) -> list[Evidence]:
    own = list(closed.step.evidence) if closed.step is not None else []
    return own + [e for c in closed.children for e in _evidence(c)]


def _size(node: Node) -> int:
    return sum(1 for _ in node.walk())


def _sorted(bindings: Iterable[Binding]) -> tuple[Binding, ...]:
    return tuple(sorted(bindings, key=lambda b: b.variable.name))


# -- from derivations, however deep and shared, to nodes of a proof document -----------------------------------------

KINDS: dict[str, NodeKind] = {
    "fact": "fact",
    "edge": "edge",
    "rule": "rule",
    "refinement": "refinement",
    "closed-world": "closed-world",
}
TREE_DEPTH = 12
"""Levels up to which a derivation is written as a tree. Together with the engine's 40 rules it stays within a document's 60."""
TREE_SIZE = 200
"""Nodes up to which a derivation is written as a tree that repeats shared parts: people read trees."""
LEMMA_DEPTH = 8
"""Levels of a lemma's own tree."""


@dataclass(slots=True)
class LemmaTable:
    """The lemmas of one proof."""

    table: list[Node] = field(default_factory=list)
    _made: dict[int, tuple[ProvedAtom, Node]] = field(default_factory=dict)
    """By identity: the node of a derivation, or a reference if it became a lemma."""
    _levels: dict[int, int] = field(default_factory=dict)
    _stated: dict[object, int] = field(default_factory=dict)

    def nodes(self, proved: Sequence[ProvedAtom]) -> tuple[Node, ...]:
        """Nodes for derivations, in order. Parts that make them too deep or too large go into the table."""
        if not proved:
            return ()
        order = list(_each_once(proved))
        uses = Counter(id(c) for p in order for c in p.step.proved) + Counter(map(id, proved))
        small = _small(proved, order)
        for part in order:
            if id(part) not in self._made:
                self._make(part, lemma=not small and self._cut(part, uses[id(part)]))
        return tuple(self._made[id(p)][1] for p in proved)

    def kept(
        self, root: Node | None, alternatives: tuple[Node, ...]
    ) -> tuple[Node | None, tuple[Node, ...], tuple[Node, ...]]:
        """Root, alternatives and table, without unused lemmas."""
        tops = [n for n in (root, *alternatives) if n is not None]
        used = sorted({n.lemma for top in tops for n in all_nodes(top, self.table) if n.lemma is not None})
        if len(used) == len(self.table):
            return root, alternatives, tuple(self.table)
        number = {old: new for new, old in enumerate(used)}

        def renumbered(node: Node) -> Node:
            lemma = number[node.lemma] if node.lemma is not None else None
            return node.model_copy(update={"lemma": lemma, "children": tuple(map(renumbered, node.children))})

        table = tuple(renumbered(self.table[old]) for old in used)
        return renumbered(root) if root is not None else None, tuple(map(renumbered, alternatives)), table

    def _cut(self, part: ProvedAtom, uses: int) -> bool:
        """True if a derivation becomes a lemma."""
        below = part.step.proved
        level = 1 + max((self._levels[id(c)] for c in below), default=0)
        return bool(below) and (uses > 1 or level >= LEMMA_DEPTH)

    def _make(self, part: ProvedAtom, *, lemma: bool) -> None:
        step, atom = part.step, canonical(part.atom)
        children = tuple([self._made[id(c)][1] for c in step.proved])
        node = Node(
            kind=KINDS.get(step.kind, "rule"),
            goal=atom,
            ground=atom,
            score=step.score * math.prod([c.score for c in children]),
            weight=step.score,
            source=step.source,
            evidence=step.evidence,
            rule=step.rule,
            instance=dict(step.instance or {}),
            note=step.note,
            children=children,
        )
        self._levels[id(part)] = 1 if lemma else 1 + max((self._levels[id(c)] for c in step.proved), default=0)
        if lemma:
            number = self._stated.setdefault(atom, len(self.table))
            if number == len(self.table):
                self.table.append(node)
            score = self.table[number].score
            node = Node(
                kind="lemma", goal=atom, ground=atom, score=score, weight=score, source=step.source, lemma=number
            )
        # Keep the derivation with its node: an id is unique only while the object exists.
        self._made[id(part)] = (part, node)


def _each_once(proved: Sequence[ProvedAtom]) -> Iterator[ProvedAtom]:
    """Yield every derivation after those that it rests on."""
    done: set[int] = set()
    for root in proved:
        work = [(root, iter(root.step.proved))]
        while work:
            part, below = work[-1]
            following = next((c for c in below if id(c) not in done), None)
            if following is not None:
                work.append((following, iter(following.step.proved)))
                continue
            work.pop()
            if id(part) not in done:
                done.add(id(part))
                yield part


def _small(proved: Sequence[ProvedAtom], order: Sequence[ProvedAtom]) -> bool:
    """True if derivations make a small tree."""

    def over(all_of: Callable[[Iterator[int]], int]) -> dict[int, int]:
        found: dict[int, int] = {}
        for part in order:
            found[id(part)] = 1 + all_of(found[id(c)] for c in part.step.proved)
        return found

    depth = over(lambda found: max(found, default=0))
    if max(depth[id(p)] for p in proved) > TREE_DEPTH:
        return False
    # Up to this depth the size of a tree is a small number; deeper, it may have as many digits as the tree has levels.
    size = over(sum)
    return sum(size[id(p)] for p in proved) <= TREE_SIZE
