"""How tall, long, wide or heavy something is, and what it costs: asked and told with a noun, a verb or an adjective."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

MEASURES = [
    ("I'm 180 cm tall.", "How tall am I?", "180 cm"),
    ("I'm 180 cm tall.", "What's my height?", "180 cm"),
    ("My height is 180 cm.", "How tall am I?", "180 cm"),
    ("My sister is 165 cm tall.", "How tall is my sister?", "165 cm"),
    ("Tom is 180 cm tall and Ana is 170 cm tall.", "How tall is Ana?", "170 cm"),
    ("The table is 2 m long.", "How long is the table?", "2 m"),
    ("The table is 2 m long.", "What is the length of the table?", "2 m"),
    ("The film is 2 hours long.", "How long is the film?", "2 hours"),
    ("I weigh 80 kg.", "How much do I weigh?", "80 kg"),
    ("I weigh 80 kg.", "What is my weight?", "80 kg"),
    ("My weight is 80 kg.", "How much do I weigh?", "80 kg"),
    ("The suitcase weighs 21 kg.", "How heavy is the suitcase?", "21 kg"),
    ("The suitcase is 21 kg.", "How heavy is the suitcase?", "21 kg"),
    ("The lamp cost 40 euros.", "What was the price of the lamp?", "40 euros"),
    ("I paid 40 euros for the lamp.", "What was the lamp's price?", "40 euros"),
]
OTHERS = [
    ("My sister is 165 cm tall.", "How tall am I?"),
    ("The bridge is 94 m long.", "How high is the bridge?"),
    ("The bridge is 94 m long.", "How wide is the bridge?"),
    ("I'm very tall.", "How tall am I?"),
    ("I'm taller than 180 cm.", "How tall am I?"),
    ("I'm not 180 cm tall.", "How tall am I?"),
    ("I was 150 cm tall at 12.", "How tall am I?"),
    ("I used to weigh 80 kg.", "How much do I weigh?"),
    ("I want to weigh 70 kg.", "How much do I weigh?"),
    ("I'm 10 kg heavier than last year.", "How much do I weigh?"),
    ("I'm 20 kg overweight.", "How much do I weigh?"),
    ("My suitcase is over 20 kg.", "How heavy is my suitcase?"),
    ("Tom's tower is 180 cm tall.", "How tall is Tom?"),
    ("I lost 3 kg.", "How much do I weigh?"),
    ("The parcel was 3 kg over the limit.", "How heavy was the parcel?"),
    ("The meeting is two hours away.", "How long is the meeting?"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, MEASURES))
def test_a_measure_is_proved_however_it_is_told(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "question"), one_in(2, OTHERS))
def test_another_measure_proves_nothing(said: str, question: str) -> None:
    assert asked(said, question)[0] != "proved"
