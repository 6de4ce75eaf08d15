"""Real conversations, when they are there: nothing fails, and every span is where it says."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from goalmem.language import Extractor, TurnContext
from goalmem.records import Modality, Turn

DATA = Path(__file__).parents[3] / "shared" / "data" / "locomo" / "locomo_dev.json"
SESSIONS = 4


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the development data are not there")
def test_real_turns_give_facts_with_sound_spans(extractor: Extractor) -> None:
    conversation = json.loads(DATA.read_text())[0]["conversation"]
    sessions = [value for value in conversation.values() if isinstance(value, list)][:SESSIONS]
    at = datetime(2023, 5, 8, tzinfo=UTC)
    asserted = 0
    for n, session in enumerate(sessions):
        turns = [
            Turn(f"{n}:{i}", "s", str(n), i, t["speaker"], "user", t["text"], at, t.get("blip_caption", ""))
            for i, t in enumerate(session)
        ]
        for turn, read in zip(turns, extractor.extract(turns, TurnContext()), strict=True):
            for fact in read.facts:
                asserted += fact.modality is Modality.ASSERTED
                assert turn.content[fact.start : fact.end] == fact.text
                for a in fact.args:
                    assert a.start < 0 or turn.content[a.start : a.end] == a.text
    assert asserted > sum(map(len, sessions))
