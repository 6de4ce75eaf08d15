"""What one has of a kind is told apart by the words before it: of my blue bag nothing is proved of my red one."""

import pytest
from tests.cases import one_in

from goalmem import Memory

APART = [
    ("My blue bag is in the attic.", "Where is my red bag?"),
    ("My work phone number is 123456.", "What is my home phone number?"),
    ("My mum's maiden name is Trevanion.", "What is my mum's middle name?"),
    ("My mum's maiden name is Trevanion.", "What is my mum's name?"),
    ("My older brother lives in Hull.", "Where does my younger brother live?"),
    ("Is Gareth the manager now, or is it still somebody else?", "Is Gareth the manager?"),
    ("Ann's mum is lovely.", "What does Ann's mum do?"),
    ("Leonie's first husband was called Gus.", "Who is Leonie's husband?"),
    ("Anouk's husband-to-be is Marius.", "Who is Anouk's husband?"),
]
SAME = [
    ("My blue bag is in the attic.", "Where is my blue bag?", "attic"),
    ("My little sister lives in Hull.", "Where does my sister live?", "Hull"),
    ("My mum's maiden name is Trevanion.", "What is my mum's maiden name?", "Trevanion"),
    ("My cat's name is Rex.", "What is my cat called?", "Rex"),
    ("My shop is called Button & Thread.", "What is the name of my shop?", "Button & Thread"),
    ("Nkechi is a midwife, so no wonder.", "What does Nkechi do?", "midwife"),
    ("Bernadette looks after my dad on Tuesdays.", "Who looks after my dad on Tuesdays?", "Bernadette"),
]


@pytest.mark.parametrize(("turn", "question"), one_in(2, APART))
def test_nothing_is_proved_of_another(turn: str, question: str) -> None:
    with Memory() as memory:
        memory.add(turn, at="2025-03-04")
        assert memory.ask(question).status not in ("proved", "disproved")


@pytest.mark.parametrize(("turn", "question", "answer"), one_in(2, SAME))
def test_what_is_said_of_it_is_proved(turn: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add(turn, at="2025-03-04")
        found = memory.ask(question)
        assert (found.status, found.text) == ("proved", answer)
