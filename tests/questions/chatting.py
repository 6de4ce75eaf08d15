"""Scripted models that read their prompts as a real one does, and a memory for them to read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from goalmem.errors import ChatUnavailableError
from goalmem.models.chat import ChatModel, ChatReply, ChatRequest

TOLD = [
    {"role": "user", "name": "Nadia", "content": "I live in Ghent. I adopted a beagle last Friday."},
    {"role": "user", "name": "Ruben", "content": "Lovely! My sister Ilse has a beagle, too."},
    {"role": "user", "name": "Nadia", "content": "Does Ilse still live in Antwerp?"},
    {"role": "user", "name": "Ruben", "content": "No, Ilse moved to Bruges in March. She works at a library."},
    {"role": "user", "name": "Nadia", "content": "I am allergic to nuts. I might buy a sailing boat next year."},
    {"role": "user", "name": "Ruben", "content": "I sold my car on Monday, and I play the cello and the flute."},
]
AT = "2024-05-08T18:00:00"
FACT = re.compile(r'^\[(\d+)\] (.*?): "([^"]*)"$', re.MULTILINE)
SUBGOAL = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)

Says = Callable[[str, str, str], Sequence[Mapping[str, str]]]
"""(subgoal, who said it, words) -> the bindings that the words give the subgoal, one mapping for each."""


class RelayChat:
    """A chat model that asks another, which may be exchanged: a memory is opened once, and reasons with many."""

    def __init__(self, model: ChatModel | None = None) -> None:
        self.model = model

    @property
    def name(self) -> str:
        return self.model.name if self.model is not None else "nobody"

    def reply(self, request: ChatRequest) -> ChatReply:
        if self.model is None:
            raise ChatUnavailableError("There is no model behind it.", "Set one.")
        return self.model.reply(request)


def facts_in(request: ChatRequest) -> list[tuple[int, str, str]]:
    """Number, head (day and speaker) and words of every fact of a prompt."""
    return [(int(n), head, words) for n, head, words in FACT.findall(request.user)]


def subgoals_in(request: ChatRequest) -> list[tuple[int, str]]:
    """Number and text of every subgoal of a prompt."""
    part = request.user.partition("Subgoals:\n")[2].partition("\nFacts:")[0]
    return [(int(n), text) for n, text in SUBGOAL.findall(part)]


def unifier(says: Says) -> Callable[[ChatRequest], dict[str, Any]]:
    """Answers `unify` by asking `says` of every subgoal and fact."""

    def reply(request: ChatRequest) -> dict[str, Any]:
        rows = [
            {
                "subgoal": n,
                "fact": fact,
                "says": values.get("", "yes"),
                "values": [{"variable": k, "value": v} for k, v in values.items() if k],
            }
            for n, text in subgoals_in(request)
            for fact, head, words in facts_in(request)
            for values in says(text, head, words)
        ]
        proved = {row["subgoal"] for row in rows}
        open_ = [n for n, _ in subgoals_in(request) if n not in proved]
        return {"bindings": rows, "conflicts": [], "unresolved": open_}

    return reply


def reading(*subgoals: str, answer: str = "", kind: str = "one", order: str = "") -> dict[str, Any]:
    """One way to take a question apart."""
    return {"subgoals": list(subgoals), "answer": answer, "kind": kind, "order": order}


def decomposed(*readings: Mapping[str, Any]) -> dict[str, Any]:
    """A reply to `decompose`."""
    return {"alternatives": list(readings)}


def refined(
    *antecedents: str, relation: str = "semantic", queries: Sequence[str] = (), rule: str = ""
) -> dict[str, Any]:
    """A reply to `refine`."""
    return {
        "status": "refine",
        "reason": "",
        "antecedents": list(antecedents),
        "relation": relation,
        "queries": list(queries),
        "rule": rule,
    }


UNREAD: dict[str, Any] = {"facts": [], "values": []}
"""A reply to `read` that finds nothing."""
STOP = {
    "status": "stop",
    "reason": "nothing else",
    "antecedents": [],
    "relation": "semantic",
    "queries": [],
    "rule": "",
}


def worded_as(request: ChatRequest) -> dict[str, str]:
    """A reply to `answer` in the words of the values."""
    values = next(line for line in request.user.splitlines() if line.startswith("Values: "))
    return {"short": values.removeprefix("Values: ").replace("; ", ", "), "full": ""}


def everyone(told: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """All words of a conversation."""
    yield from (m["content"] for m in told)
