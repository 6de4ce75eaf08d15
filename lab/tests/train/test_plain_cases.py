"""What a memory offers for plain cases, as claims to train a judge on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goalmem.errors import FormatError
from goalmem_lab.train.literal_claims import literal_claims
from goalmem_lab.train.lives import Label
from goalmem_lab.train.plain_cases import (
    TAUGHT,
    is_right,
    plain_claims,
    read_cases,
    stated_in_chats,
    taught_cases,
    told,
)

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


CHAT: dict[str, Any] = {
    "said": [
        {"by": "Mira", "text": "Which colour did they take for the hall?"},
        {"by": "Tom", "text": "The blue one."},
        {"by": "Assistant", "text": "Noted."},
    ],
    "questions": [
        {"question": "What colour is the hall?", "answer": "blue"},
        {"question": "What colour is the kitchen?", "answer": None},
    ],
    "statements": [
        {"text": "They took blue for the hall.", "label": "entailed", "turns": [1]},
        {"text": "The hall is red.", "label": "contradicted", "turns": [0, 1]},
        {"text": "The kitchen is blue.", "label": "unsupported", "turns": []},
    ],
}


def test_a_chat_is_remembered_with_its_writers_and_each_of_its_questions_is_a_case(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_text(json.dumps(CHAT) + "\n", encoding="utf-8")
    cases = read_cases(file)
    assert [case["question"] for case in cases] == [each["question"] for each in CHAT["questions"]]
    with told(cases[0]) as (memory, _):
        assert [turn.speaker for turn in memory.get_all().items] == ["Mira", "Tom", "assistant"]
    labels = {c.statement.question: c.label for c in plain_claims(cases) if c.statement.answer.endswith("blue")}
    assert labels[CHAT["questions"][0]["question"]] is Label.ENTAILED


def test_a_statement_about_a_chat_stands_over_the_message_that_decides_it(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_text(json.dumps(CHAT) + "\n", encoding="utf-8")
    entailed, contradicted = stated_in_chats(file)
    assert (entailed.label, contradicted.label) == (Label.ENTAILED, Label.CONTRADICTED)
    assert (entailed.excerpt.text, entailed.excerpt.speaker) == ("The blue one.", "Tom")
    assert entailed.excerpt.before == "Mira: Which colour did they take for the hall?"


def test_what_is_read_out_of_a_chat_is_claimed_with_its_denial_and_of_somebody_else(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    said = [
        {"by": "Mira", "text": "Ines bought 4 kayaks in Porto."},
        {"by": "Tom", "text": "Kofi sold 7 tents in Leeds. My neighbour Kofi lives in Ghent."},
    ]
    file.write_text(json.dumps({**CHAT, "said": said, "statements": []}) + "\n", encoding="utf-8")
    claims = {(c.statement.question, c.label) for c in literal_claims(file, 1)}
    assert ("Ines bought 4 kayaks in Porto.", Label.ENTAILED) in claims
    assert ("Ines did not buy 4 kayaks in Porto.", Label.CONTRADICTED) in claims
    assert all(c.statement.question.endswith(".") for c in literal_claims(file, 1))
    assert literal_claims(file, 1) == literal_claims(file, 1)
    assert literal_claims(tmp_path / "none.jsonl", 1) == []


def test_only_the_files_that_there_are_teach(tmp_path: Path) -> None:
    assert taught_cases(tmp_path) == []
    (tmp_path / f"{TAUGHT[0]}.jsonl").write_text(
        '{"said": ["a"], "question": "b?", "answer": null}\n', encoding="utf-8"
    )
    assert len(taught_cases(tmp_path)) == 1
    (tmp_path / f"{TAUGHT[1]}.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 1"):
        taught_cases(tmp_path)
