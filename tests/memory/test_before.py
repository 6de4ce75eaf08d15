"""Asked what was so before, a memory does not tell what is so now."""

import pytest

from tests.cases import one_in

TOLD = {
    "moved": "I moved from Oslo to Bergen in 2022.",
    "former": "I work at the bakery. I used to work at the harbour office.",
}


@pytest.mark.parametrize(
    ("told", "question", "wrong"),
    one_in(
        2,
        [
            ("moved", "Where did Ida live before?", "Bergen"),
            ("moved", "Where did Ida live previously?", "Bergen"),
            ("former", "Where did Ida work before?", "bakery"),
            ("former", "Where did Ida work previously?", "bakery"),
        ],
    ),
)
def test_what_holds_now_is_not_what_was_before(memory, told, question, wrong):
    memory.add({"role": "user", "name": "Ida", "content": TOLD[told]}, at="2024-05-01T10:00:00")
    answer = memory.ask(question, at="2024-06-01T00:00:00")
    assert wrong not in answer.text
    assert answer.proof is not None
    assert memory.verify(answer.proof).ok


def test_what_was_replaced_is_what_was_before(memory):
    memory.add({"role": "user", "name": "Ida", "content": "I work at the harbour office."}, at="2024-02-01T10:00:00")
    memory.add({"role": "user", "name": "Ida", "content": "I work at the bakery now."}, at="2024-05-01T10:00:00")
    now, before = (
        memory.ask(question, at="2024-06-01T00:00:00")
        for question in ("Where does Ida work?", "Where did Ida work before?")
    )
    assert "bakery" in now.text
    assert "harbour office" in before.text
    assert memory.verify(before.proof).ok
