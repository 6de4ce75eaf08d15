"""Whatever an endpoint sends is a reply or a typed error, and what a request asks for is put in words that it takes."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import ChatReplyError
from goalmem.models.chat import ChatRequest
from goalmem.models.chat_wire import ChatRequestForm, Rejection, body_of, read_reply, rejection_of, weaker

REQUEST = ChatRequest("answer", "Be brief.", "Capital of France?", alternatives=3)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def objects(**members: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Objects with some of these members, or something else."""
    return st.fixed_dictionaries({}, optional={**members}) | values


candidates = objects(token=values, logprob=values | st.integers(-(10**400), 10**400))
completions = objects(
    choices=st.lists(
        objects(
            message=objects(content=values | st.just("Paris"), refusal=values),
            finish_reason=values,
            logprobs=objects(content=st.lists(objects(top_logprobs=st.lists(candidates)))),
        ),
        max_size=2,
    ),
    usage=objects(prompt_tokens=values | st.just(10**400), completion_tokens=values),
    model=values,
    error=values,
)


@given(completions)
def test_any_json_is_a_reply_or_an_error(body: object):
    try:
        reply = read_reply(json.dumps(body), REQUEST, "small", 0.1)
    except ChatReplyError:
        return
    assert reply.text.strip() or reply.finish == "refusal"
    assert 0 <= reply.prompt_tokens <= 10**9
    assert 0 <= reply.completion_tokens <= 10**9
    assert all(probability >= 0 for probability in reply.first.values())
    f"{reply.text}{reply.model}".encode()


@given(st.text(max_size=60))
def test_any_text_is_a_reply_or_an_error(content: str):
    with suppress(ChatReplyError):
        read_reply(content, REQUEST, "small", 0.1)


@given(completions.map(json.dumps) | st.text(max_size=60))
def test_any_rejection_can_be_read(content: str):
    rejection = rejection_of(content)
    assert "\n" not in rejection.message
    f"{rejection.message}{rejection.parameter}{rejection.code}".encode()


@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(["", "max_completion_tokens", "seed temperature"]))
def test_weaker_forms_come_to_an_end(message: str, parameter: str, named: str):
    form: ChatRequestForm | None = ChatRequestForm()
    steps = 0
    while form is not None:
        form = weaker(form, Rejection(message + named, parameter), schema=True)
        steps += 1
    assert steps <= 8


@pytest.mark.parametrize("reply", ["json_schema", "json_object", "text"])
def test_a_schema_always_reaches_the_model(reply: str):
    request = ChatRequest("answer", "Be brief.", "Capital?", schema={"properties": {"größe": {}}}, schema_name="size")
    body = body_of(request, "small", ChatRequestForm(reply=reply))
    assert "größe" in json.dumps(body, ensure_ascii=False)
    assert body["messages"][0]["content"].startswith("Be brief.")
