"""The internal monologue: a proof in sentences, one per step, like EVR's trace (EVR, figure 4).

It renders the proof and adds nothing: failed attempts are not included. Any proof can be rendered, including those over
remembered facts, which appear as facts of the working memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Atom
from goalmem.proof.document import Node, Proof, all_nodes
from goalmem.rules.english import denied
from goalmem.rules.evr.buffers import Operator, WorkingMemory, get_then_run


@dataclass(frozen=True, slots=True)
class Thought:
    """One sentence of the monologue."""

    text: str
    operator: str = ""
    """The operator of EVR that was applied, or that gives the reason."""
    depth: int = 0
    """Number of enclosing subgoals."""


def monologue(proof: Proof) -> str:
    """A proof as an internal monologue."""
    return monologue_text(thoughts(proof))


def monologue_text(told: Iterable[Thought]) -> str:
    """Thoughts as text: a line for each, indented by its depth, its operator behind it."""
    lines = []
    for thought in told:
        operator = f"  [{thought.operator}]" if thought.operator else ""
        lines.append(f"{'  ' * thought.depth}{thought.text}{operator}")
    return "\n".join(lines)


def thoughts(proof: Proof) -> Iterator[Thought]:
    """The steps of a proof in the order in which they are thought."""
    telling = ProofMonologue(proof)
    yield Thought(f"I have {telling.memory.episodic[0].removeprefix('there are ')}")
    for number, lemma in enumerate(proof.lemmas):
        yield Thought(f"I first prove lemma {number + 1}.", Operator.GENERATE_SUBGOALS)
        yield from telling.proving(lemma, 1)
    solutions = proof.root.children if proof.root is not None else ()
    for solution in solutions:
        for step in solution.children:
            yield from telling.proving(step, 0)
    yield Thought(_end(proof))


class ProofMonologue:
    """Tells the nodes of one proof."""

    def __init__(self, proof: Proof) -> None:
        tops = [n for n in (proof.root, *proof.lemmas) if n is not None]
        nodes = [n for top in tops for n in all_nodes(top, ())]
        facts = dict.fromkeys(
            _said(n) for n in nodes if n.kind in ("fact", "edge") or (n.kind == "rule" and not _ruled(n))
        )
        rules = dict.fromkeys(_said(n) for n in nodes if n.kind == "rule" and _ruled(n))
        self.facts = {text: n for n, text in enumerate(facts, 1)}
        self.rules = {text: n for n, text in enumerate(rules, 1)}
        self.memory = WorkingMemory(tuple(self.facts), tuple(self.rules))

    def proving(self, node: Node, depth: int) -> Iterator[Thought]:
        """The proof of a statement or of its opposite."""
        statement = f"“{in_words(node.ground or node.goal)}”"
        yield Thought(f"I want to prove {statement}.", Operator.GENERATE_SUBGOALS, depth)
        denied = node.ground is not None and node.ground.negated
        can = f"{'do not contradict' if denied else 'can prove'} {statement}"
        both = f"the facts {can} {Operator.AND if denied else Operator.OR} whether the rules {can}"
        match node.kind:
            case "closed-world" if node.negated:
                yield Thought(f"I judge whether {both}: false, CWA.", Operator.CWA, depth)
            case "closed-world":
                yield Thought(f"I judge whether {both}: true, NAF.", Operator.NAF, depth)
            case "rule" if _ruled(node):
                yield from self._by_rule(node, statement, depth)
            case "rule" | "fact" | "edge":
                yield from self._by_fact(node, statement, depth)
            case "lemma":
                found = "false, this is contradicted" if node.negated else "true, this is confirmed"
                yield Thought(f"{found.capitalize()} by lemma {(node.lemma or 0) + 1}.", "", depth)
            case "refinement":
                yield Thought(f"I need to know more to prove {statement}.", Operator.GENERATE_SUBGOALS, depth)
                for child in node.children:
                    yield from self.proving(child, depth + 1)
            case _:
                yield Thought(f"I cannot prove {statement}: nothing says it.", "", depth)

    def _by_rule(self, node: Node, statement: str, depth: int) -> Iterator[Thought]:
        number = self.rules[_said(node)]
        operator = get_then_run(self.memory.rule_buffer_of(number))
        needed = f" {Operator.AND} ".join(f"“{in_words(c.ground or c.goal)}”" for c in node.children)
        yield Thought(f"According to rule {number} ({_said(node)}), I need to prove {needed}.", operator, depth)
        for child in node.children:
            yield from self.proving(child, depth + 1)
        found = "false, this is contradicted" if node.negated else "true, this is confirmed"
        yield Thought(f"{statement} is {found} by rule {number}.", "", depth)

    def _by_fact(self, node: Node, statement: str, depth: int) -> Iterator[Thought]:
        number = self.facts[_said(node)]
        buffer = self.memory.fact_buffer_of(number)
        yield Thought(f"I judge whether fact buffer {buffer.rpartition('_')[2]} can prove {statement}.",
                      get_then_run(buffer), depth)  # fmt: skip
        found = "False, this is contradicted" if node.negated else "True, this is confirmed"
        yield Thought(f"{found} by fact {number} ({_said(node)}).", "", depth)


def in_words(atom: Atom | None) -> str:
    """A statement in English; a negated one has `not` after its auxiliary, if there is one."""
    if atom is None:
        return "it"
    positive = format_atom(Atom(atom.parts))
    if not atom.negated:
        return positive
    return denied(positive) or f"it is not so that {positive}"


def _ruled(node: Node) -> bool:
    return node.rule is not None and bool(node.rule.body)


def _said(node: Node) -> str:
    """The first sentence that a step cites, or else the statement that it proves."""
    quote = " ".join(node.evidence[0].quote.split()) if node.evidence else ""
    if not quote and node.rule is not None and node.rule.body:
        return f"{in_words(node.rule.head)} if {' and '.join(map(in_words, node.rule.body))}"
    return (quote or in_words(node.ground)).rstrip(".")


def _end(proof: Proof) -> str:
    if proof.status == "unknown":
        return "So I do not know."
    verdict = {"Yes": "true", "No": "false"}.get(proof.answer)
    likely = "likely " if proof.status == "likely" else ""
    return f"So it is {likely}{verdict}." if verdict else f"So the answer is {likely}{proof.answer}."
