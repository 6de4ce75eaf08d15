"""What a memory finds for the questions of a life, as examples to train a reader on."""

from __future__ import annotations

from goalmem_lab.train.found_turns import WITHOUT, found_examples
from goalmem_lab.train.lives import Life

SAID = [
    ("Ann", "I bought a red bicycle in Ghent yesterday."),
    ("Leo", "Nice! I sold my old boat to a baker in Bruges."),
    ("Ann", "What did you get for the boat?"),
    ("Leo", "900 euros."),
    ("Ann", "My brother Tom rows in Bruges on Sundays."),
]


def life(question: dict[str, object]) -> Life:
    messages = [{"role": "user", "name": name, "content": content} for name, content in SAID]
    asked = {"asked_at": "2025-04-01T10:00:00", "asker": None, **question}
    sessions = [{"session": "s01", "at": "2025-03-04T10:00:00", "messages": messages}]
    return Life("l", {"sessions": sessions, "questions": [asked]}, ())


def test_the_marked_turn_is_read_behind_the_one_before_it_and_others_hold_nothing():
    cited = {"turn": "s01:3", "quote": "900 euros"}
    sold = {"question": "What did Leo get for the boat?", "type": "ellipsis", "answers": ["900 euros"]}
    made = found_examples([life({**sold, "evidence": [cited], "span": cited})], seed=1)
    (marked,) = [one for one in made if one.spans]
    ((start, end),) = marked.spans
    assert marked.passage[start:end] == "900 euros"
    assert marked.passage.startswith("Ann: What did you get")
    without = [one for one in made if not one.spans]
    assert 0 < len(without) <= WITHOUT
    assert not any("900" in one.passage for one in without)
    assert found_examples([life({**sold, "evidence": [cited], "span": cited})], seed=1) == made


def test_no_turn_answers_a_question_that_has_no_answer():
    never = {"question": "What did Ann pay for the bicycle?", "type": "unanswerable", "answers": [], "evidence": []}
    made = found_examples([life({**never, "span": None})], seed=1)
    assert made
    assert not any(one.spans for one in made)
