"""Marking is fair: an accepted answer is right, anything beside it is not."""

from types import SimpleNamespace

import pytest

from goalmem.demo import DemoQuestion, is_right


def answer(text: str, *values: str) -> SimpleNamespace:
    return SimpleNamespace(text=text, values=values, known=text != "I don't know")


WHERE = DemoQuestion("Where does Odalys live?", "update", ("Vessby",))
WHETHER = DemoQuestion("Does she drink coffee?", "yes or no", ("no",))
NOBODY = DemoQuestion("Who?", "unanswerable", ())


@pytest.mark.parametrize(
    ("question", "said", "right"),
    [
        (WHERE, answer("Vessby", "Vessby"), True),
        (WHERE, answer("in Vessby.", "Vessby"), True),
        (WHERE, answer("vessby"), True),
        (WHERE, answer("Brackenford and Vessby", "Brackenford", "Vessby"), False),
        (WHERE, answer("Vessbyton", "Vessbyton"), False),
        (WHERE, answer("I don't know"), False),
        (WHETHER, answer("No"), True),
        (WHETHER, answer("No, mint tea."), True),
        (WHETHER, answer("Yes, no doubt."), False),
        (WHETHER, answer("I don't know"), False),
        (NOBODY, answer("I don't know"), True),
        (NOBODY, answer("Bram", "Bram"), False),
    ],
)
def test_marking(question: DemoQuestion, said: SimpleNamespace, right: bool):
    assert is_right(question, said) is right
