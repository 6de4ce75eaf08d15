import json
from pathlib import Path

import pytest

FRIENDS = {
    "data": [
        {
            "title": "s01_e01_c01",
            "paragraphs": [
                {
                    "utterances:": [
                        {"uid": 0, "speakers": ["Ada Byron"], "utterance": "I do n't like the rain ."},
                        {"uid": 1, "speakers": ["Max Weber"], "utterance": "I bought a red kite , Ada ."},
                        {"uid": 2, "speakers": ["Ada Byron"], "utterance": "Where will you fly it ?"},
                        {"uid": 3, "speakers": ["Max Weber"], "utterance": "At the beach ."},
                    ],
                    "qas": [
                        {
                            "id": "1",
                            "question": "What did Max buy ?",
                            "answers": [
                                {"utterance_id": 1, "inner_start": 2, "inner_end": 4, "is_speaker": False},
                            ],
                        },
                        {
                            "id": "2",
                            "question": "Who dislikes rain ?",
                            "answers": [{"utterance_id": 0, "inner_start": -1, "inner_end": -1, "is_speaker": True}],
                        },
                    ],
                }
            ],
        }
    ]
}
CONTEXT = "ann: mount it with fstab bob: thanks , that works"
MOLWENI = {
    "data": {
        "dialogues": [
            {
                "edus": [
                    {"speaker": "Ann", "text": "mount it with fstab"},
                    {"speaker": "bob", "text": "thanks , that works"},
                ],
                "context": CONTEXT,
                "qas": [
                    {
                        "question": "How to mount ?",
                        "answers": [{"text": "with fstab", "answer_start": CONTEXT.index("with")}],
                        "is_impossible": False,
                    },
                    {
                        "question": "Who broke it ?",
                        "answers": [],
                        "plausible_answers": [{"text": "thanks", "answer_start": CONTEXT.index("thanks")}],
                        "is_impossible": True,
                    },
                ],
            }
        ]
    }
}
PARAGRAPH = "Rollo led the Norse. He swore fealty to Charles the Simple. The land became Normandy."
SQUAD = {
    "data": [
        {
            "title": "Normans",
            "paragraphs": [
                {
                    "context": PARAGRAPH,
                    "qas": [
                        {
                            "question": "Who led the Norse?",
                            "answers": [{"text": "Rollo", "answer_start": 0}],
                            "is_impossible": False,
                        },
                        {
                            "question": "To whom did he swear?",
                            "answers": [{"text": "Charles the Simple", "answer_start": PARAGRAPH.index("Charles")}],
                        },
                    ],
                }
            ],
        }
    ]
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with small files in the layouts of the corpora."""
    named = {
        "friendsqa_dev.json": FRIENDS,
        "friendsqa_test.json": FRIENDS,
        "molweni_test.json": MOLWENI,
        "squad2_half_dev.json": SQUAD,
        "xquad_en.json": SQUAD,
    }
    for name, content in named.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    return tmp_path
