"""Networks of EVR on RuleTaker: what they decide, held to the theory or believed, and whether their proofs are proofs.

`accuracy` is of answers. Held to the theory, an answer whose proof the checker does not accept is withheld and counts as none; believed,
each counts as it is written. `proof_accuracy` is over questions that some proof decides: the share answered rightly with a proof that is one of all
that the exact solver finds, since the depth files give none (EVR, tables 4, 6 and 8).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from goalmem.errors import GoalmemError
from goalmem.rules.evr.checked import CheckedTheory
from goalmem.rules.evr.reasoner import Reasoner
from goalmem.rules.evr.unchecked import GoalFinding, Monologue
from goalmem.rules.terms import Literal, RuleReader
from goalmem.rules.theory import Theory
from goalmem_lab.evals.ruletaker import Decided, decided
from goalmem_lab.evals.ruletaker_data import TheoryText
from goalmem_lab.evals.ruletaker_proofs import Tree, tree_of

MOST_PROOFS = 500
"""Proofs of a statement that one is compared with."""


@dataclass(frozen=True)
class Networks:
    """Measures trained networks theory by theory."""

    reasoner: Reasoner
    believed: bool = False
    """Whether what they write counts without being held to the theory."""

    def measure(self, text: TheoryText, reader: RuleReader) -> tuple[list[Decided], int]:
        """What comes of each question of a theory, and the sentences that could not be read."""
        started = time.perf_counter()
        theory = Theory.read(text.text, reader=reader, partial=True)
        asked = [(question, reader.read_statement(question.text)) for question in text.questions]
        statements = [s for _, s in asked if s is not None and s.ground]
        neural = CheckedTheory.over(theory, self.reasoner, () if self.believed else statements)
        monologue = Monologue(theory, self.reasoner)
        names = _names(monologue)
        found = []
        for question, statement in asked:
            if statement is None or not statement.ground:
                found.append(Decided(question, None, 0.0))
                continue
            if self.believed:
                finding = monologue.judge(statement)
                trees = tree_found(finding, monologue)
                one = Decided(question, finding.holds, 0.0)
            else:
                one = decided(question, neural, reader, 0.0, None)
                derivation = neural.decide(statement).derivation
                trees = (tree_of(derivation, names),) if derivation is not None else ()
            found.append(replace(one, proved=_proved(theory, statement, trees, names, right=one.right)))
        each = (time.perf_counter() - started) / max(1, len(asked))
        return [replace(one, seconds=each) for one in found], len(theory.unread)


def tree_found(finding: GoalFinding, monologue: Monologue) -> tuple[Tree, ...]:
    """What networks used for a finding: each fact, and each rule over what met its conditions; denials that hold by failure are none."""
    below = tuple(tree for part in finding.parts for tree in tree_found(part, monologue))
    if finding.rule is not None:
        return ((f"rule {finding.rule}", tuple(sorted(below))),)
    return ((f"fact {finding.fact}", ()),) if finding.fact is not None else below


def _names(monologue: Monologue) -> Sequence[str]:
    """By clause: its sentence as it is numbered in the working memory."""
    sentences = monologue.sentences
    names = {c: f"fact {n}" for n, held in enumerate(sentences.facts, 1) for c in held}
    names |= {c: f"rule {n}" for n, held in enumerate(sentences.rules, 1) for c in held}
    return [names[clause] for clause in range(len(monologue.theory.clauses))]


def _proved(
    theory: Theory, statement: Literal, trees: tuple[Tree, ...], names: Sequence[str], *, right: bool
) -> bool | None:
    """Whether a right answer's proof is one of the statement or its opposite; None where none proves either, or both are proved."""
    try:
        verdict = theory.decide(statement)
    except GoalmemError:
        return None
    if verdict.derivation is None or verdict.derivation.kind == "failure" or verdict.conflict:
        return None
    held = statement if verdict.status == "proved" else statement.denied
    proofs = (proof for proof in theory.proofs(held, MOST_PROOFS) if proof.kind != "failure")
    return right and any((tree_of(proof, names),) == trees for proof in proofs)
