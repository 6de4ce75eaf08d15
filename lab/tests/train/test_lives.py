import json
from pathlib import Path

import pytest

from goalmem.errors import FormatError, NotFoundError
from goalmem_lab.train.lives import Label, claims_of, document_of, is_held_out, read_lives, read_notes

LAB = Path(__file__).parents[3] / "lab"
LIFE = {
    "id": "kite",
    "setting": "Ann and Bo",
    "sessions": [
        {
            "session": "s01",
            "at": "2025-03-04T09:00:00",
            "messages": [
                {"role": "user", "name": "Bo", "content": "what did you buy?"},
                {"role": "user", "name": "Ann", "content": "a red\nkite, at Lidl"},
            ],
        }
    ],
    "questions": [
        {
            "id": "q1",
            "question": "What did Ann buy?",
            "answers": ["a red kite"],
            "list": None,
            "evidence": [{"turn": "s01:1", "quote": "kite"}],
            "span": {"turn": "s01:1", "quote": "kite"},
        },
        {
            "id": "q2",
            "question": "did Ann buy it online",
            "answers": ["no"],
            "list": None,
            "evidence": [{"turn": "s01:1", "quote": "at Lidl"}],
            "span": None,
        },
        {
            "id": "q3",
            "question": "What did Bo buy?",
            "answers": [],
            "list": None,
            "evidence": [{"turn": "s01:1", "quote": "kite"}],
            "span": None,
        },
    ],
}
STATEMENTS = [
    {
        "statement": "Ann owns a kite.",
        "as_of": "2025-03-05T00:00:00",
        "label": "entailed",
        "evidence": [{"turn": "s01:1", "quote": "kite"}],
    }
]
NOTE = {
    "before": "Bo: what did you buy?",
    "speaker": "Ann",
    "date": "2025-03-04",
    "text": "a red kite, not the drum",
    "entailed": ["Ann owns a kite."],
    "contradicted": ["Ann bought a drum."],
    "not_said": ["The kite was cheap."],
    "qa": [["What did Ann buy?", "a red kite"], ["Did she buy the drum?", "no"]],
    "open": [["What does the drum cost?", "the drum"]],
}


@pytest.fixture
def lab(tmp_path):
    for folder, content in (("train", LIFE), ("statements", STATEMENTS)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "kite.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


def test_a_life_is_a_document_with_spans_in_its_printed_lines(lab):
    (life,) = read_lives(lab)
    document = document_of(life)
    asked = {q.text: q for q in document.questions}
    (mark,) = asked["What did Ann buy?"].answers
    assert document.lines[mark.line].text[mark.start : mark.end] == "kite"
    assert asked["What did Bo buy?"].answers == ()
    assert "did Ann buy it online" not in asked  # no words answer it


def test_a_life_claims_its_statements_and_both_answers_of_yes_or_no(lab):
    (life,) = read_lives(lab)
    claims = [(c.statement.question, c.statement.answer, c.label) for c in claims_of(life)]
    assert ("Ann owns a kite.", "", Label.ENTAILED) in claims
    assert ("did Ann buy it online", "no", Label.ENTAILED) in claims
    assert ("did Ann buy it online", "yes", Label.CONTRADICTED) in claims
    assert next(claims_of(life)).excerpt.before == "Bo: what did you buy?"


def test_a_note_is_read(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps(NOTE) + "\n", encoding="utf-8")
    (document,), claims = read_notes(tmp_path)
    assert [line.speaker for line in document.lines] == ["Bo", "Ann"]
    labels = {(c.statement.question, c.statement.answer): c.label for c in claims}
    assert labels["Ann bought a drum.", ""] is Label.CONTRADICTED
    assert labels["Did she buy the drum?", "no"] is Label.ENTAILED
    assert labels["What does the drum cost?", "the drum"] is Label.NOT_SAID


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"sessions": 3}', '{"sessions": [], "questions": [{}]}'])
def test_what_is_no_life_is_refused(lab, content):
    (lab / "train" / "kite.json").write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=r"kite\.json"):
        read_lives(lab)


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"speaker": "Ann", "text": 3}'])
def test_what_is_no_note_is_refused_with_its_line(tmp_path, line):
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(NOTE)}\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 2"):
        read_notes(tmp_path)


def test_a_folder_without_lives_is_named(tmp_path):
    with pytest.raises(NotFoundError, match="train"):
        read_lives(tmp_path)


def test_the_laboratory_can_be_read_and_a_part_of_it_is_held_out():
    lives = read_lives(LAB / "lives")
    documents, noted = read_notes(LAB / "notes")
    assert len(lives) > 100
    assert all(life.statements for life in lives)
    assert 0 < sum(map(is_held_out, lives)) < len(lives) / 3
    assert len(documents) > 3_000
    assert {claim.label for claim in noted} == set(Label)
