"""Facts with their frames, those that match an atom with what they bind, and the order of the steps from them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from goalmem.engine.step import Step
from goalmem.language.verb_forms import forms_of
from goalmem.logic.terms import Alignment, Binding, Derivation
from goalmem.logic.unify import Frame
from goalmem.records import Fact
from goalmem.sources.certainty.doubts import DOUBTFUL
from goalmem.sources.certainty.renewals import Renewal
from goalmem.sources.numbers import number_in


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A fact with its frame."""

    fact: Fact
    frame: Frame


@dataclass(frozen=True, slots=True)
class Match:
    """A fact that matches an atom, with its bindings."""

    fact: Fact
    bindings: tuple[Binding, ...]
    alignment: tuple[Alignment, ...]
    score: float
    opposed: bool
    since: Fact | None = None
    """The later fact that gives an amount of it anew."""


def is_terse(fact: Fact) -> bool:
    """True if a fact takes its verb and a participant from the question it answers: `Both.`, `The BFG.`."""
    borrowed = any(a.start < 0 for a in fact.args)
    return fact.kind in ("clause", "preference") and borrowed and not says(fact.text, fact.predicate)


def says(text: str, predicate: str) -> bool:
    """True if the text contains a form of the predicate's verb."""
    return not forms_of(predicate.split(" ")[0]).isdisjoint(re.findall(r"\w+", text.casefold()))


def said(step: Step) -> tuple[str, str, int]:
    """When the evidence of a step was said (`Evidence.order`)."""
    return step.evidence[0].order if step.evidence else ("", "", 0)


def best_first(steps: Iterable[Step]) -> list[Step]:
    """Better steps first; among equals, those of later turns; in one turn, those that stand first."""
    in_turn = sorted(steps, key=lambda step: step.evidence[0].start)
    return sorted(in_turn, key=lambda step: (step.score, said(step)), reverse=True)


def renewed(match: Match, renewal: Renewal, fact: Fact) -> Match:
    """A match of a fact with a new amount, as one of the fact and of the statement that gives the amount."""
    new, words = number_in(renewal.amount.text), renewal.words
    bindings = tuple(
        replace(
            b,
            span=words,
            turn=renewal.told.turn,
            derivation=b.derivation if b.value.text == words else Derivation.RESOLVED,
        )
        if number_in(b.value.text) == new
        else b
        for b in match.bindings
    )
    return replace(match, fact=fact, bindings=bindings, score=min(match.score, DOUBTFUL), since=renewal.told)
