"""What a question takes for granted, where somebody said that it is not so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.logic.syntax import canonical, format_atom
from goalmem.logic.terms import Aggregate, Atom, Evidence, Goal
from goalmem.proof.document import Proof
from goalmem.questions.asked import quotes_question

if TYPE_CHECKING:
    from goalmem.answering.inquiry import Inquiry

__all__ = ["with_denied_premise"]

PREMISES = 3
"""Parts of a question that are looked into."""
DENIED = "what was said denies “{}”"
PREPOSITIONS = frozenset("in at on for to from by with of about into during since until as".split())
"""What goes before an answer, and is left out with it."""


def with_denied_premise(proof: Proof, inquiry: Inquiry) -> Proof:
    """The proof that nothing is known, with the premise that is denied named as what is missing, and the turn that denies it.

    A premise is a part of a goal without its answer. A fact denies it that disproves it; where none does, the proof is unchanged.
    """
    for atom in _premises(inquiry) if proof.missing else ():
        premise = premise_of(atom)
        denies = _disproved(inquiry, premise)
        if denies is None:
            continue
        named = next((m for m in proof.missing if m.atom == canonical(atom)), proof.missing[0])
        denied = named.model_copy(
            update={"stage": "denied", "reason": DENIED.format(premise), "nearest": (denies, *named.nearest)}
        )
        others = tuple(m for m in proof.missing if m is not named)
        return proof.model_copy(update={"missing": (denied, *others)}).digested()
    return proof


def premise_of(atom: Atom) -> str:
    """An atom as a statement without its answer: `Bo bought a boat in (x:place)` as `Bo bought a boat`."""
    parts = list(atom.parts)
    if len(parts) > 1 and not isinstance(parts[-1], str) and isinstance(parts[-2], str):
        said = parts[-2].split()
        if said and said[-1].lower() in PREPOSITIONS and len(said) > 1:
            parts[-2:] = [" ".join(said[:-1])]
    text = " ".join(p if isinstance(p, str) else f"some {p.type}" for p in parts)
    return " ".join(text.split())


def _disproved(inquiry: Inquiry, premise: str) -> Evidence | None:
    """The words of a fact that says the opposite."""
    goal = Goal(premise, (Atom((premise,)),), None, Aggregate.WHETHER)
    facts = [s for s in inquiry.sources if not s.cost]
    outcome = prove(goal, facts, Budget(depth=1, breadth=1))
    if not outcome.solutions or not outcome.solutions[0].against or outcome.conflict:
        return None
    steps = [n.step for n in outcome.solutions[0].nodes if n.step is not None]
    return next((e for step in steps for e in step.evidence), None)


def _premises(inquiry: Inquiry) -> list[Atom]:
    """The parts of the question that state something, each once."""
    atoms = [a for g in inquiry.ranking.goals for a in g.atoms if not a.negated and not quotes_question(a)]
    return list({format_atom(a): a for a in atoms}.values())[:PREMISES]
