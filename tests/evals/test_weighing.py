"""Fitting what answers read out of passages are worth."""

from __future__ import annotations

import numpy as np

from goalmem.evals.weighing import about_another, golds_of, logistic
from goalmem.train.chance import chance
from goalmem.train.documents import Document, Line, Mark, Question


def dialogue() -> Document:
    lines = ("Ann Lee: I bought a red kite.", "Bo Day: Lovely!", "Cy Fox: I saw it.")
    return Document(
        corpus="made",
        group="1",
        lines=tuple(Line(text, text.partition(":")[0]) for text in lines),
        questions=(Question("What did Ann buy?", (Mark(0, 20, 28), Mark(0, 20, 28))),),
    )


def test_a_regression_finds_the_weights_that_made_the_data():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4000, 2))
    right = rng.random(4000) < 1 / (1 + np.exp(-(2 * values[:, 0] - values[:, 1] + 0.5)))
    weights, bias = logistic(values, right)
    assert np.allclose([*weights, bias], [2, -1, 0.5], atol=0.2)


def test_golds_are_the_words_that_are_marked_each_once():
    made = dialogue()
    assert golds_of(made, made.questions[0]) == ["red kite"]


def test_a_question_about_one_speaker_is_asked_about_another():
    made = dialogue()
    asked = {about_another("What did Ann buy?", made, chance(seed)) for seed in range(30)}
    assert asked == {None, "What did Bo buy?", "What did Cy buy?"}
    assert about_another("What did Ann and Bo buy?", made, chance(0)) is None
    assert about_another("What was bought?", made, chance(0)) is None
