"""Small benchmarks in the official layouts, written for these tests."""

import json
from pathlib import Path

import pytest
from tests.retrieve.telling import WordEmbedder

FILLER = (
    "tennis racket strings",
    "sourdough starter flour",
    "guitar chords practice",
    "train timetable delays",
    "tax forms",
    "moth traps",
)


def session(topic):
    return [
        {"role": "user", "content": f"Let us talk about {topic}."},
        {"role": "assistant", "content": f"Gladly: there is much to say about {topic}."},
    ]


HAYSTACK = {
    "dog": [
        {"role": "user", "content": "I adopted a beagle called Biscuit.", "has_answer": True},
        {"role": "assistant", "content": "Congratulations!"},
    ],
    "bike": [
        {"role": "user", "content": "I bought a racing bicycle for 300 dollars.", "has_answer": True},
        {"role": "assistant", "content": ""},
    ],
    "lamp": [{"role": "user", "content": "I bought a lamp for 20 dollars.", "has_answer": True}],
    **{f"filler{n}": session(topic) for n, topic in enumerate(FILLER)},
}
DATES = {name: f"2023/05/{10 + n} (Wed) 04:18" for n, name in enumerate(HAYSTACK)}
QUESTIONS = (
    ("q1", "single-session-user", "Which beagle did I adopt?", ["dog"]),
    (
        "q2",
        "multi-session",
        "How many dollars did I spend on the racing bicycle and the lamp I bought?",
        ["bike", "lamp"],
    ),
    ("q3_abs", "single-session-user", "What tax forms did I file?", ["filler4"]),
    ("q4", "multi-session", "What about nothing?", []),
)


@pytest.fixture(autouse=True)
def _encoded_once(_own_surroundings, analyzer, tmp_path_factory, monkeypatch) -> None:
    """One parser and one cache for all tests of a process."""
    monkeypatch.setenv("GOALMEM_CACHE", str(tmp_path_factory.getbasetemp() / "encodings"))
    monkeypatch.setattr("goalmem_lab.evals.corpus.Analyzer", lambda: analyzer)


@pytest.fixture
def embedder():
    return WordEmbedder()


@pytest.fixture
def official(tmp_path: Path) -> Path:
    path = tmp_path / "longmemeval_s.json"
    path.write_text(json.dumps([_official(*question) for question in QUESTIONS]), encoding="utf-8")
    return path


def _official(name, kind, text, evidence):
    return {
        **_question(name, kind, text, evidence),
        "haystack_session_ids": list(HAYSTACK),
        "haystack_dates": list(DATES.values()),
        "haystack_sessions": list(HAYSTACK.values()),
    }


def _question(name, kind, text, evidence):
    return {
        "question_id": name,
        "question_type": kind,
        "question": text,
        "answer": 2,
        "question_date": "2023/05/30 (Tue) 04:18",
        "answer_session_ids": evidence,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "longmemeval"
    path.mkdir()
    sessions = [{"session_id": name, "date": DATES[name], "turns": turns} for name, turns in HAYSTACK.items()]
    questions = [{**_question(*q), "haystack": [[name, DATES[name]] for name in HAYSTACK]} for q in QUESTIONS]
    for name, rows in (("sessions", sessions), ("questions", questions)):
        (path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Maya",
        "speaker_b": "Leo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Maya", "dia_id": "D1:1", "text": "I adopted a beagle."},
            {"speaker": "Leo", "dia_id": "D1:2", "text": "What is it called?"},
            {"speaker": "Maya", "dia_id": "D1:3", "text": "Biscuit!", "blip_caption": "a photo of a beagle"},
        ],
        "session_10_date_time": "9:02 am on 3 July, 2023",
        "session_10": [
            {"speaker": "Leo", "dia_id": "D10:1", "text": "I sold my motorbike."},
            {"speaker": "Maya", "dia_id": "D10:2", "text": "I painted the kitchen yellow."},
        ],
        "session_11_date_time": "9:02 am on 4 July, 2023",
        "session_11": [],
    },
    "qa": [
        {"question": "What did Maya adopt?", "answer": "a beagle", "evidence": ["D1:1; D1:3"], "category": 1},
        {"question": "When did Leo sell his motorbike?", "answer": 2023, "evidence": ["D:10:1"], "category": 2},
        {"question": "What did Maya paint?", "answer": "the kitchen", "evidence": [], "category": 4},
        {"question": "What did Leo adopt?", "adversarial_answer": "a beagle", "evidence": ["D1:1"], "category": 5},
        {"question": "Which room?", "answer": "the kitchen", "evidence": ["D99:1", "D10:2 D10:2"], "category": 4},
    ],
}


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([LOCOMO]), encoding="utf-8")
    return path
