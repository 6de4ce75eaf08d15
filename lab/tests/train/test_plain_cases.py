"""What a memory offers for plain cases, as claims to train a judge on."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalmem.errors import FormatError
from goalmem_lab.train.lives import Label
from goalmem_lab.train.plain_cases import TAUGHT, is_right, plain_claims, taught_cases

TOLD = {"said": ["My wife is allergic to cats."], "question": "What is my wife allergic to?", "answer": "cats"}
OF_ANOTHER = {**TOLD, "question": "What am I allergic to?", "answer": None}


def test_the_same_words_are_entailed_for_one_question_and_not_for_the_other() -> None:
    claims = plain_claims([TOLD, OF_ANOTHER])
    labels = {(c.statement.question, c.label) for c in claims if c.statement.answer == "cats"}
    assert labels == {(TOLD["question"], Label.ENTAILED), (OF_ANOTHER["question"], Label.UNSUPPORTED)}


def test_an_answer_that_is_not_offered_is_claimed_as_well() -> None:
    claims = plain_claims(
        [{"said": ["Everyone calls me Dizzy."], "question": "What's my nickname?", "answer": "Dizzy"}]
    )
    assert any(c.statement.answer == "Dizzy" and c.label is Label.ENTAILED for c in claims)
    assert all(is_right(c.statement.answer, "Dizzy") for c in claims if c.label is Label.ENTAILED)


def test_only_the_files_that_there_are_teach(tmp_path: Path) -> None:
    assert taught_cases(tmp_path) == []
    (tmp_path / f"{TAUGHT[0]}.jsonl").write_text(
        '{"said": ["a"], "question": "b?", "answer": null}\n', encoding="utf-8"
    )
    assert len(taught_cases(tmp_path)) == 1
    (tmp_path / f"{TAUGHT[1]}.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 1"):
        taught_cases(tmp_path)
