"""Fitting what an answer is worth: what is right, and weights that tell it."""

from __future__ import annotations

from datetime import datetime

import pytest

from goalmem.errors import InputError
from goalmem.logic.terms import Derivation, Value
from goalmem.sources.certainty.answer_ranking import OfferFeatures, QuestionFeatures
from goalmem.sources.passages.span_values import Proposal
from goalmem_lab.evals.lives import Candidate, Trial, fitted
from goalmem_lab.train.chance import chance


def proposal(text: str) -> Proposal:
    return Proposal("t1", Value(text, text.casefold()), Derivation.QUOTED, text, 0, len(text), 1.0)


def trial(number: int, *, answerable: bool) -> Trial:
    """A question whose right answer the reader, the search and the judge all like best."""
    draw = chance(number)

    def candidate(text: str, right: bool) -> Candidate:
        sure = 0.8 if right else 0.3
        shares = [min(0.99, max(0.01, draw.gauss(sure, 0.1))) for _ in range(6)]
        return Candidate(
            proposal(text),
            OfferFeatures(*shares[:3], 1 if right else 9, 2, *shares[3:5]),
            shares[5],
            right,
            datetime(2025, 3, 4),
        )

    own = (candidate(f"answer {number}", answerable), *(candidate(f"other {n}", False) for n in range(4)))
    return Trial(f"life {number % 6}", QuestionFeatures.of("Where did Ann go?"), answerable, own, ())


def test_weights_tell_right_from_wrong_in_conversations_that_they_were_not_fitted_to():
    found = fitted([trial(n, answerable=n % 4 > 0) for n in range(60)])
    assert found["auroc"] > 0.95
    assert found["questions"], found["right"] == (60, 45)
    (half,) = [t for t in found["thresholds"] if t["least"] == 0.5]
    assert half["right"] > 0.9
    assert half["open"] > 0.8
    assert found["certainty"][0] > 0


def test_too_few_readings_are_refused():
    with pytest.raises(InputError, match="too few"):
        fitted([trial(1, answerable=True)])
