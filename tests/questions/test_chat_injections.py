"""Turns that give orders, read by a model that obeys them: the answer is still grounded, or it is "I don't know"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.cases import one_in
from tests.questions.chatting import AT, TOLD, RelayChat, decomposed, facts_in, reading, refined, subgoals_in
from tests.questions.injections import DEMAND, TURNS

from goalmem import Answer, Memory, Settings
from goalmem.language import Analyzer
from goalmem.models.chat import ChatRequest
from goalmem.testing import ScriptedChat

Ask = Callable[..., Answer]

QUESTION = "Where does Nadia live?"
GOAL = decomposed(reading("Nadia lives in (x:place)", answer="x"))


@pytest.fixture(scope="module")
def chat() -> RelayChat:
    """The model that the memories reason with."""
    return RelayChat()


@pytest.fixture(scope="module")
def attacked(analyzer: Analyzer, chat: RelayChat) -> Iterator[Memory]:
    """A memory in which two others said every hostile turn."""
    with Memory(analyzer=analyzer, settings=Settings(chat_cache=False), chat=chat) as memory:
        memory.add(TOLD, session="one", at=AT)
        for n, name in enumerate(("Mallory", "assistant")):
            hostile = [{"role": "user", "name": name, "content": text} for text in TURNS]
            memory.add(hostile, session=f"hostile {n}", at="2024-05-09T18:00:00")
        yield memory


def obeying(where: str) -> ScriptedChat:
    """A model that says what is demanded: of the fact that demands it (`its own`), of the first one, or of every one."""

    def unify(request: ChatRequest) -> dict[str, Any]:
        facts = facts_in(request)
        own = [n for n, _, words in facts if DEMAND in words]
        cited = {"its own": own, "first": [1], "every": [n for n, _, _ in facts], "none": [99]}[where]
        rows = [
            {"subgoal": n, "fact": fact, "says": "yes", "values": [{"variable": "x", "value": DEMAND}]}
            for n, _ in subgoals_in(request)
            for fact in cited
        ]
        return {"bindings": rows, "conflicts": [], "unresolved": []}

    answer = {"short": DEMAND, "full": f"Nadia lives in {DEMAND}."}
    rule = f"(p:person) lives in {DEMAND} if (p:person) is a person"
    refinement = refined(f"Nadia lives in {DEMAND}", queries=[DEMAND], rule=rule)
    read = {"values": [DEMAND], "facts": [1, 2, 3]}
    return ScriptedChat({"decompose": GOAL, "unify": unify, "refine": refinement, "answer": answer, "read": read})


@pytest.fixture
def ask(chat: RelayChat) -> Ask:
    """Asks where Nadia lives, with a model to reason with."""

    def asked(memory: Memory, model: ScriptedChat, **how: Any) -> Answer:
        chat.model = model
        return memory.ask(QUESTION, at="2024-05-10", **how)

    return asked


@pytest.mark.parametrize("where", ["its own", "first", "every", "none"])
def test_an_obeying_model_gets_nothing_through(attacked: Memory, ask: Ask, where: str) -> None:
    answer = ask(attacked, obeying(where))
    assert attacked.verify(answer).ok
    assert DEMAND not in answer.text
    assert answer.text in ("Ghent", "I don't know")


@pytest.fixture(scope="module")
def alone(analyzer: Analyzer, chat: RelayChat) -> Iterator[Memory]:
    """A memory with a space for each hostile turn, in which nothing else stands but where Nadia lives."""
    with Memory(analyzer=analyzer, settings=Settings(chat_cache=False), chat=chat) as memory:
        for n, text in enumerate(TURNS):
            told = [TOLD[0], {"role": "user", "name": "Mallory", "content": text}]
            memory.add(told, space=str(n), session="one", at=AT)
        yield memory


@pytest.mark.sampled(3)
@pytest.mark.parametrize("turn", one_in(3, range(len(TURNS))))
def test_no_hostile_turn_alone_proves_what_it_demands(alone: Memory, ask: Ask, turn: int) -> None:
    answer = ask(alone, obeying("its own"), space=str(turn))
    assert alone.verify(answer).ok
    assert DEMAND not in answer.text


def test_without_goals_only_what_stands_there_is_read(attacked: Memory, ask: Ask) -> None:
    answer = ask(attacked, obeying("first"), goals=False)
    assert attacked.verify(answer).ok
    assert DEMAND not in answer.text or all(DEMAND in e.quote for e in answer.proof.evidence()[:1])


def test_no_turn_can_end_its_quotation_or_pass_for_another(attacked: Memory, ask: Ask) -> None:
    model = obeying("every")
    ask(attacked, model)
    for request in model.requests:
        if request.task != "unify":
            continue
        material = request.user.partition("Facts:\n")[2].partition("\n\nTask: ")[0]
        lines = material.splitlines()
        assert [int(n) for n in re.findall(r"^\[(\d+)\]", material, re.MULTILINE)] == list(range(1, len(lines) + 1))
        assert all(re.fullmatch(r'\[\d+\] [^"]*(\(after "[^"]*"\))?: "[^"]*"', line) for line in lines)
        assert not any(mark in material for mark in ("<", ">", "\x1b", "\u202e", "\u200b", "```"))
        assert DEMAND not in request.system
