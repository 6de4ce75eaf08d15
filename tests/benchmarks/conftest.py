"""Two tiny benchmarks and an embedder that needs no model."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray


class WordsAsVectors:
    """A text's vector counts its words, so texts that share words are near."""

    name = "words"
    dimension = 64

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += texts
        vectors = np.full((len(texts), self.dimension), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().replace(".", " ").replace("?", " ").replace(":", " ").split():
                vectors[row, hashlib.blake2b(word.encode()).digest()[0] % self.dimension] += 1
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


@pytest.fixture
def embedder() -> WordsAsVectors:
    return WordsAsVectors()


SAID = {
    "s1": "I adopted a beagle called Toby.",
    "s2": "We baked sourdough bread in Porto.",
    "s3": "The violin needs new strings.",
}


@pytest.fixture
def longmemeval(tmp_path: Path) -> Path:
    folder = tmp_path / "longmemeval"
    folder.mkdir()
    turns = {
        name: [{"role": "user", "content": text}, {"role": "assistant", "content": "Lovely!"}]
        for name, text in SAID.items()
    }
    sessions = [
        {"session_id": name, "date": f"2023/05/0{day} (Mon) 10:00", "turns": turns[name]}
        for day, name in enumerate(SAID, 1)
    ]
    questions = [
        {
            "question_id": f"q{number}",
            "question_type": "single",
            "question": text,
            "answer": "?",
            "question_date": "2023/06/01 (Thu) 10:00",
            "answer_session_ids": evidence,
            "haystack": [[name, f"2023/05/0{day} (Mon) 10:00"] for day, name in enumerate(SAID, 1)],
        }
        for number, (text, evidence) in enumerate(
            [("Which beagle was adopted?", ["s1"]), ("violin strings", ["s3", "s1"])]
        )
    ]
    for name, rows in (("sessions", sessions), ("questions", questions)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    said = [{"speaker": "Maya", "dia_id": f"D1:{number}", "text": text} for number, text in enumerate(SAID.values(), 1)]
    sample = {
        "sample_id": "c1",
        "conversation": {"session_1": said, "session_1_date_time": "1:56 pm on 8 May, 2023"},
        "qa": [
            {"question": "What bread was baked?", "answer": "sourdough", "category": 4, "evidence": ["D1:2"]},
            {"question": "beagle and violin", "answer": "both", "category": 1, "evidence": ["D1:1", "D1:3"]},
            {"question": "Who flew?", "category": 5, "adversarial_answer": "nobody", "evidence": ["D1:1"]},
        ],
    }
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample]), encoding="utf-8")
    return path
