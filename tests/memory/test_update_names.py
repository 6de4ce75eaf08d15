"""A turn that says how somebody is called is changed: whoever was meant by the name is called otherwise from then on, everywhere."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.language import Analyzer
from tests.cases import one_in

BETWEEN = [f"I cleaned window number {n}." for n in range(8)]
"""More turns than those that are read again for standing near."""


NAMED = [
    ("My sister's name is Ann.", "My sister's name is Eve.", "My sister lives in Rome.", "Where does {} live?"),
    ("My son is called Otto.", "My son is called Emil.", "My son works at Nordlys.", "Where does {} work?"),
    ("My aunt's name is Greta.", "My aunt's name is Hanna.", "My aunt moved to Porto.", "Where does {} live?"),
]


@pytest.mark.parametrize(
    ("named", "renamed", "told", "asked", "session"),
    one_in(3, [(*named, session) for named in NAMED for session in ("one", "another")]),
)
def test_a_name_that_is_taken_back_is_nobodys_however_far_behind(
    named: str, renamed: str, told: str, asked: str, session: str, analyzer: Analyzer
) -> None:
    old, new = (text.rstrip(".").split()[-1] for text in (named, renamed))

    def messages(*texts: str) -> list[dict[str, str]]:
        return [{"role": "user", "name": "Maya", "content": text} for text in texts]

    with Memory(analyzer=analyzer) as memory:
        first, *_ = memory.add(messages(named, *BETWEEN), session="one").turns
        memory.add(messages(told), session=session)
        known = memory.ask(asked.format(old))
        assert known.known
        memory.update(first, text=renamed)
        assert memory.ask(asked.format(old)).status != "proved"
        assert not memory.verify(known).ok
        answer = memory.ask(asked.format(new))
        assert answer.text == known.text
        assert memory.verify(answer).ok
        memory.update(first, text="The weather was fine.")
        assert memory.ask(asked.format(new)).status != "proved"
        assert not memory.verify(answer).ok
        assert memory.check() == []


def test_of_two_names_the_one_said_last_holds_when_the_other_is_changed(analyzer: Analyzer) -> None:
    texts = ["My sister's name is Ann.", *BETWEEN, "My sister's name is Eve.", *BETWEEN, "My sister lives in Rome."]
    with Memory(analyzer=analyzer) as memory:
        turns = memory.add([{"role": "user", "name": "Maya", "content": text} for text in texts]).turns
        memory.update(turns[0], text="My sister's name is Zoe.")
        assert memory.ask("Where does Eve live?").text == "Rome"
        assert memory.ask("Where does Zoe live?").status != "proved"


def test_what_is_noted_changes_in_kind_too(analyzer: Analyzer) -> None:
    with Memory(analyzer=analyzer) as memory:
        (turn,) = memory.add({"role": "user", "content": "Hello.", "metadata": {"done": 1}}).turns
        assert memory.update(turn, metadata={"done": True}).metadata["done"] is True
        assert memory.turn(turn).metadata["done"] is True
        assert len(memory.versions(turn)) == 2
