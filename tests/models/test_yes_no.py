"""How sure a chat model is of a yes."""

from __future__ import annotations

import math

import pytest

from goalmem.models.chat import ChatModel, ChatReply, ChatRequest, chosen
from goalmem.models.openai_chat import OpenAIChat
from goalmem.testing import ScriptedChat

from .endpoint import answers, completion, rejects, says, serving

REQUEST = ChatRequest("judge", "Answer yes or no.", "Is Paris in France?")


def p_yes(model: ChatModel, request: ChatRequest) -> float | None:
    found = chosen(model, request, (("yes",), ("no",)))
    return None if found is None else found.shares[0]


def with_odds(odds: object) -> dict[str, object]:
    body = completion("Yes")
    body["choices"][0]["logprobs"] = odds
    return body


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ({"Yes": 0.6, " yes": 0.2, "No": 0.2}, 0.8),
        ({"Y": 0.3, "N": 0.3, "maybe": 0.4}, 0.5),
        ({"No": 0.99}, 0.0),
        ({"The": 0.9, "Yes": 0.1}, None),
        ({"": 0.9, " ": 0.05}, None),
    ],
)
def test_probabilities_of_the_first_token_decide(first: dict[str, float], expected: float | None):
    model = ScriptedChat([ChatReply("Yes", 1, 1, 0.0, "length", first=first)])
    assert p_yes(model, REQUEST) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(("text", "expected"), [("Yes.", 1.0), (" no", 0.0), ("Perhaps", None), ("", None)])
def test_without_probabilities_the_word_decides(text: str, expected: float | None):
    assert p_yes(ScriptedChat([text]), REQUEST) == expected


def test_an_endpoint_is_asked_for_probabilities_and_may_have_none():
    odds = {"content": [{"top_logprobs": [
        {"token": "Yes", "logprob": math.log(0.6)}, {"token": "No", "logprob": math.log(0.2)},
        {"token": "no", "logprob": "?"}, {"token": "No", "logprob": math.inf}, "odd",
    ]}]}  # fmt: skip
    odd = [None, [], {}, {"content": None}, {"content": [None]}, {"content": [{"top_logprobs": {}}]}]
    with serving(
        answers(200, with_odds(odds)), *(answers(200, with_odds(o)) for o in odd), rejects("no logprobs"), says("No")
    ) as endpoint:
        model = OpenAIChat(endpoint.url, "small")
        assert p_yes(model, REQUEST) == pytest.approx(0.75)
        assert [p_yes(model, REQUEST) for _ in odd] == [1.0] * len(odd)
        assert p_yes(model, REQUEST) == 0.0
        model.close()
    assert endpoint.asked[0].body["top_logprobs"] == 20
    assert endpoint.asked[-1].body.keys() & {"logprobs", "top_logprobs"} == set()
