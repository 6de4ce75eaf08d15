"""Proofs that rest on a chat model's judgements: every one verifies, and none with anything in it altered."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import examples
from tests.questions.chatting import AT, TOLD, RelayChat, decomposed, reading, refined, unifier, worded_as

from goalmem import Answer, Memory, Settings
from goalmem.language import Analyzer
from goalmem.testing import ScriptedChat

RULE = "(p:person) avoids (a:thing) if (p:person) is allergic to (a:thing)"
STRIDE = 7919
"""A prime, so that the mutants lie all over a document."""


def says(subgoal: str, head: str, words: str) -> list[dict[str, str]]:
    del head
    if "sister" in subgoal:
        return [{"y": "Ilse"}] if "sister Ilse" in words else []
    if "lives in" in subgoal:
        return [{"y": "Ilse", "x": "Bruges"}] if "Bruges" in words else []
    if "plays" in subgoal:
        return [{"x": "cello"}, {"x": "flute"}] if "cello" in words else []
    if "allergic" in subgoal:
        return [{"x": "nuts"}] if "allergic" in words else []
    return [{"t": "Monday"}] if "sold" in subgoal and "sold" in words else []


SCRIPTS: dict[str, dict[str, Any]] = {
    "Where does Ruben's sister live?": decomposed(
        reading("(y:person) is Ruben's sister", "(y:person) lives in (x:place)", answer="x")
    ),
    "Which instruments does Ruben make music with?": decomposed(
        reading("Ruben plays (x:instrument)", answer="x", kind="list")
    ),
    "How many instruments does Ruben make music with?": decomposed(
        reading("Ruben plays (x:instrument)", answer="x", kind="count")
    ),
    "What does Nadia avoid?": decomposed(reading("Nadia avoids (x:thing)", answer="x")),
    "When did Ruben part with his car?": decomposed(reading("Ruben sold his car on (t:time)", answer="t")),
}


@pytest.fixture(scope="module")
def chat() -> RelayChat:
    """The model that the memory reasons with."""
    return RelayChat()


@pytest.fixture(scope="module")
def proved(analyzer: Analyzer, chat: RelayChat) -> Iterator[tuple[Memory, list[Answer]]]:
    """A memory, and answers from it that rest on judgements."""
    with Memory(analyzer=analyzer, settings=Settings(chat_cache=False), chat=chat) as memory:
        memory.add(TOLD, session="one", at=AT)
        answers = []
        for question, goal in SCRIPTS.items():
            script = {"decompose": goal, "unify": unifier(says), "refine": refined(rule=RULE), "answer": worded_as}
            chat.model = ScriptedChat(script)
            answers.append(memory.ask(question))
        yield memory, answers


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every string and number of a document, with where it stands."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for key, inner in enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path, value


def altered(document: dict[str, Any], path: tuple[Any, ...], value: Any) -> str:
    changed = copy.deepcopy(document)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(changed)


UNPROVED = {"spent", "note", "space", "source"}
"""Parts that nothing rests on: what the search cost, labels and notes for people. The space is who is asked."""


def test_all_are_answered_and_verify(proved: tuple[Memory, list[Answer]]) -> None:
    memory, answers = proved
    assert [a.text for a in answers] == ["Bruges", "cello, flute", "2", "nuts", "6 May 2024"]
    for answer in answers:
        assert memory.verify(answer).ok
        assert any(n.judge for _, n in answer.proof.root.walk())  # type: ignore[union-attr]


@pytest.mark.parametrize("mutants", [15, pytest.param(40, marks=pytest.mark.thorough)])
def test_no_mutant_verifies(proved: tuple[Memory, list[Answer]], mutants: int) -> None:
    """So many of each proof."""
    memory, answers = proved
    survivors = []
    for answer in answers:
        document = json.loads(answer.proof.to_json())
        places = [(p, v) for p, v in leaves(document) if not set(p) & UNPROVED and p != ("judge",)]
        for k in range(mutants):
            path, value = places[k * STRIDE % len(places)]
            if isinstance(value, bool):
                other: Any = not value
            elif isinstance(value, int | float):
                other = value + (-1) ** k if path[-1] not in ("score", "weight", "confidence") else value * 0.5
            elif isinstance(value, str):
                other = (f"{value}x", value[1:], "Mordor", value[::-1])[k % 4]
            else:
                continue
            if other == value:
                continue
            try:
                if memory.verify(altered(document, path, other), space="default").ok:
                    survivors.append((path, value, other))
            except ValueError:
                continue
            except Exception as error:
                if type(error).__name__ != "ProofError":
                    raise
    assert survivors == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Bruges", "Ghent"),
        ("Ilse", "Nadia"),
        ("is Ruben's sister", "is Ruben's cousin"),
        ('"judge":"scripted"', '"judge":"another"'),
        ("lives in", "works in"),
    ],
)
def test_no_proof_says_what_was_not_judged(proved: tuple[Memory, list[Answer]], old: str, new: str) -> None:
    memory, answers = proved
    document = answers[0].proof.to_json()
    assert old in document
    assert not memory.verify(document.replace(old, new)).ok


REPLIES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from(["x", "y", "yes", "no", "Ilse", "Bruges", "Mordor", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["bindings", "subgoal", "fact", "says", "values", "variable", "value", "status", "short", "full"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@examples(5, 15)
@given(st.lists(REPLIES.map(json.dumps) | st.text(max_size=40), min_size=1, max_size=8))
def test_no_reply_whatever_raises_or_proves_what_is_not_so(
    proved: tuple[Memory, list[Answer]], chat: RelayChat, replies: list[str]
) -> None:
    memory, _ = proved
    rest = iter(replies * 4)
    question = "Where does Ruben's sister live?"
    chat.model = ScriptedChat(lambda request: SCRIPTS[question] if request.task == "decompose" else next(rest, "{}"))
    answer = memory.ask(question)
    assert memory.verify(answer).ok
    assert answer.text in ("Bruges", "I don't know")
