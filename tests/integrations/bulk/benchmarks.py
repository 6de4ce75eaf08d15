"""Small benchmarks in the official layouts."""

from __future__ import annotations

import json
from pathlib import Path

PETS = ("beagle", "parrot", "tortoise")


def locomo_file(path: Path) -> Path:
    """Three conversations in LoCoMo's layout, with two questions each."""
    rows = [
        {
            "sample_id": f"conv-{number}",
            "conversation": {
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    {"speaker": "Maya", "dia_id": "D1:1", "text": f"I adopted a {pet} last week."},
                    {"speaker": "Leo", "dia_id": "D1:2", "text": "I bought a red bicycle."},
                    {"speaker": "Maya", "dia_id": "D1:3", "text": "My sister lives in Lisbon."},
                ],
            },
            "qa": [
                {"question": "What did Maya adopt?", "answer": pet, "category": 4, "evidence": ["D1:1"]},
                {"question": "What did Leo buy?", "answer": "a bicycle", "category": 1, "evidence": ["D1:2"]},
            ],
        }
        for number, pet in enumerate(PETS)
    ]
    path.write_text(json.dumps(rows))
    return path


def longmemeval_file(path: Path) -> Path:
    """Three questions in LongMemEval's layout, each with a haystack of two sessions."""
    rows = [
        {
            "question_id": f"q{number}",
            "question_type": "single-session-user",
            "question": f"When did I adopt a {pet}?",
            "answer": "last week",
            "question_date": "2023/05/30 (Tue) 04:18",
            "answer_session_ids": [f"s{number}"],
            "haystack_session_ids": [f"s{number}", "other"],
            "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 05:00"],
            "haystack_sessions": [
                [{"role": "user", "content": f"I adopted a {pet} last week."}],
                [{"role": "user", "content": "Which guitar chords shall I practice?"}],
            ],
        }
        for number, pet in enumerate(PETS)
    ]
    path.write_text(json.dumps(rows))
    return path


def timeless(figures: object) -> object:
    """Figures without those of time."""
    if not isinstance(figures, dict):
        return figures
    return {name: timeless(value) for name, value in figures.items() if not name.startswith("seconds")}
