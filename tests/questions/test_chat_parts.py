"""The parts of the chat reasoner: replies read, goals and refinements checked, memory quoted, wordings held to the facts."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.questions.chatting import decomposed, reading

from goalmem.engine.budget import Budget
from goalmem.logic.syntax import format_atom, parse_atom
from goalmem.logic.terms import Aggregate, Relation
from goalmem.models.chat_prompts import PromptFact, instructions, lines, prompt, quoted
from goalmem.questions.chat import ChatReasoner
from goalmem.questions.chat_goals import goal_of, queries_of
from goalmem.questions.chat_refine import refinement_of
from goalmem.questions.chat_replies import (
    AnswerReply,
    DecomposeReply,
    FactsReply,
    RefineReply,
    RejectedError,
    UnifyReply,
    read_reply,
    schema_for,
    schema_of,
)
from goalmem.testing import ScriptedChat

AT = datetime(2024, 5, 8)
FORMS = [DecomposeReply, UnifyReply, RefineReply, AnswerReply, FactsReply]
BOUND = {"bindings": [{"subgoal": 1, "fact": 3, "says": "yes", "values": [{"variable": "x", "value": "tea"}]}]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(BOUND),
        f"```json\n{json.dumps(BOUND)}\n```",
        f"Sure! Here it is: {json.dumps(BOUND)} I hope that helps.",
        f"<think>{{so}} it is</think>{json.dumps(BOUND)}",
        json.dumps(BOUND)[:-2],
        json.dumps({"bindings": [{"subgoal": "1", "fact": "[3]", "says": "YES", "values": {"x": "tea"}}]}),
        json.dumps(BOUND["bindings"]),
    ],
)
def test_a_reply_is_read_whatever_stands_around_it(text: str) -> None:
    row = read_reply(UnifyReply, text).bindings[0]
    assert (row.subgoal, row.fact, row.says) == (1, 3, "yes")
    assert [(v.variable, v.value) for v in row.values] == [("x", "tea")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "text", ["", "   ", "I'm sorry, but I can't help with that.", "null", "7", '{"result": ["ok"]}', "[" * 500]
)
def test_what_is_no_reply_is_refused_with_the_reason(form: Any, text: str) -> None:
    with pytest.raises(RejectedError):
        read_reply(form, text)


@settings(max_examples=40)
@given(
    st.sampled_from(FORMS),
    st.text()
    | st.recursive(st.none() | st.text() | st.integers(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)).map(
        json.dumps
    ),
)
def test_no_text_whatever_breaks_the_reading_of_replies(form: Any, text: str) -> None:
    try:
        read_reply(form, text)
    except RejectedError as problem:
        assert str(problem)


@pytest.mark.parametrize("form", FORMS)
def test_schemas_are_as_strict_endpoints_want_them(form: Any) -> None:
    def check(schema: dict[str, Any]) -> None:
        assert "$ref" not in schema
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
            for inner in schema["properties"].values():
                check(inner)
        if "items" in schema:
            check(schema["items"])

    check(dict(schema_of(form)))


@pytest.mark.parametrize("task", ["decompose", "unify", "refine", "answer", "read"])
def test_every_prompt_fits_a_small_model_and_shows_replies_that_can_be_read(task: str) -> None:
    text = prompt(task)
    assert text in instructions(task)
    assert len(instructions(task)) < 3600
    form: Any = dict(zip(["decompose", "unify", "refine", "answer", "read"], FORMS, strict=True))[task]
    examples = [line for line in text.splitlines() if line.startswith("{")]
    assert examples
    assert [read_reply(form, e) for e in examples]


def test_the_schema_of_bindings_names_the_variables_at_hand() -> None:
    row = schema_for(["x", "t", "x"], deniable=False)["properties"]["bindings"]["items"]
    assert list(row["properties"]["values"]["properties"]) == ["x", "t"]
    assert "says" not in row["required"]
    assert "says" in schema_for([], deniable=True)["properties"]["bindings"]["items"]["required"]
    reply = {
        "bindings": [{"subgoal": 1, "fact": 2, "values": {"x": "tea", "t": ""}}],
        "conflicts": [],
        "unresolved": [],
    }
    assert read_reply(UnifyReply, json.dumps(reply)).bindings[0].says == "yes"


def test_what_to_search_by_is_kept_where_no_goal_holds() -> None:
    reply = {
        **decomposed(reading("Zoe drinks (x:drink)", answer="x")),
        "queries": ["I like tea.", " ", "I like tea.", 7],
    }
    found = ChatReasoner(ScriptedChat(lambda _: reply), Budget()).decompose("What does Ann drink?")
    assert found is not None
    assert found.goals == ()
    assert found.queries == ("I like tea.", "7")


@given(st.lists(st.text(max_size=400), max_size=9))
def test_guesses_are_few_short_and_say_something(written: list[str]) -> None:
    found = queries_of(written)
    assert len(found) <= 4
    assert all(any(c.isalnum() for c in q) and len(q) <= 300 for q in found)


def goal(*subgoals: str, question: str, **how: str) -> Any:
    return goal_of(
        read_reply(DecomposeReply, json.dumps(decomposed(reading(*subgoals, **how)))).alternatives[0], question
    )


def test_a_reading_becomes_a_goal() -> None:
    found = goal(
        "(y:person) is Ann's brother",
        "(y:man) drinks (x: drink )",
        answer="(x:drink)",
        question="What does Ann's brother drink?",
    )
    assert [format_atom(a) for a in found.atoms] == ["(y:person) is Ann's brother", "(y:person) drinks (x:drink)"]
    assert str(found.answer) == "(x:drink)"
    assert found.aggregate is Aggregate.ONE


def test_orders_durations_and_yes_or_no() -> None:
    order = goal(
        "Bo sold the boat on (t:date)",
        "Bo moved on (u:date)",
        kind="order",
        order="t before u",
        question="Did Bo sell the boat before he moved?",
    )
    assert (order.aggregate, order.constraints[0].op, order.answer) == (Aggregate.COMPARE, "before", None)
    since = goal("Bo moved on (t:time)", kind="duration", answer="t", question="How many days ago did Bo move?")
    assert (since.aggregate, since.unit) == (Aggregate.DURATION, "days")
    assert goal("Bo moved", question="Did Bo move?").aggregate is Aggregate.WHETHER


@pytest.mark.parametrize(
    ("subgoals", "answer", "question"),
    [
        (["Ann drinks (x:"], "x", "What does Ann drink?"),
        (["Ann drinks (x:drink) in (z:cafe)"], "y", "What does Ann drink?"),
        (["Cem drinks (x:drink)"], "x", "What does Ann drink?"),
        (["Ann and Zoe drink (x:drink)"], "x", "What does Ann drink?"),
        (["Ann drank (x:drink) in 1999"], "x", "What did Ann drink?"),
        (["she drinks (x:drink)"], "x", "What does Ann drink?"),
        (["not Ann drinks (x:drink)"], "x", "What does Ann drink?"),
        (["(x:drink)"], "x", "What does Ann drink?"),
        ([], "x", "What does Ann drink?"),
        (["Ann drinks (x:drink)"] + [f"Ann does (v{n}:thing)" for n in range(9)], "x", "What does Ann drink?"),
    ],
)
def test_a_reading_with_unknown_parts_or_lost_ones_is_refused(subgoals: list[str], answer: str, question: str) -> None:
    with pytest.raises(RejectedError):
        goal(*subgoals, answer=answer, question=question)


def refine(atom: str, *antecedents: str, rule: str = "", assume: bool = True, tried: tuple[str, ...] = ()) -> Any:
    reply = {
        "status": "refine",
        "antecedents": list(antecedents),
        "relation": "temporal",
        "queries": ["when"],
        "rule": rule,
    }
    return refinement_of(
        read_reply(RefineReply, json.dumps(reply)),
        parse_atom(atom),
        known=["What is served in the cafe that Alice visited last week?", atom],
        tried=[parse_atom(t) for t in tried],
        assume=assume,
        names=["x", "z", "w"],
    )


def test_a_refinement_keeps_variables_and_types() -> None:
    found = refine("(x:drink) is served in (z:cafe)", "Alice visited (z:place) last week")
    assert [format_atom(a) for a in found.antecedents] == ["Alice visited (z:cafe) last week"]
    assert (found.relation, found.queries) == (Relation.TEMPORAL, ("when",))


@pytest.mark.parametrize(
    ("antecedents", "tried"),
    [
        (["(x:drink) was served in the (z:cafe)"], ()),  # the subgoal in other words
        (["Alice visited (z:cafe)"], ("Alice visited (z:cafe)",)),  # tried before
        (["Bob visited (z:cafe)"], ()),  # nobody named Bob
        (["Alice went out"], ()),  # no variable of the subgoal
        (["Alice visited (w:cafe)"], ()),  # another one's variable
        ([], ()),
    ],
)
def test_a_refinement_that_gets_no_further_is_refused(antecedents: list[str], tried: tuple[str, ...]) -> None:
    with pytest.raises(RejectedError):
        refine("(x:drink) is served in (z:cafe)", *antecedents, tried=tried)


def test_a_rule_has_the_subgoal_as_an_instance() -> None:
    rule = "(p:person) avoids (a:food) if (p:person) is allergic to (a:food)"
    found = refine("Alice avoids (x:food)", rule=rule)
    assert [format_atom(a) for a in found.conditions] == ["Alice is allergic to (x:food)"]
    for other in (
        "(p:person) eats (a:food) if (p:person) likes (a:food)",
        "Alice avoids (x:food) if Bob says so",
        rule[:20],
    ):
        with pytest.raises(RejectedError):
            refine("Alice avoids (x:food)", rule=other)
    with pytest.raises(RejectedError):
        refine("Alice avoids (x:food)", rule=rule, assume=False)


@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60)), max_size=5))
def test_whatever_is_said_stays_on_its_line_and_in_its_quotes(said: list[tuple[str, str, str]]) -> None:
    shown = [PromptFact(n, AT, speaker, words, before) for n, (speaker, words, before) in enumerate(said, 1)]
    written = lines(shown).split("\n") if shown else []
    assert len(written) == len(said)
    for n, line in enumerate(written, 1):
        assert line.startswith(f"[{n}] ")
        assert ", 8 May 2024" in line
        assert re.fullmatch(r'\[\d+\] [^"\[\]<>`]*(\(after "[^"\[\]<>`]*"\))?: "[^"\[\]<>`]*"', line)


@given(st.text())
def test_quoting_is_done_once(text: str) -> None:
    assert quoted(quoted(text)) == quoted(text)


def test_a_reply_that_cannot_be_used_is_asked_for_again_once() -> None:
    good = decomposed(reading("Ann drinks (x:drink)", answer="x"))
    chat = ScriptedChat([decomposed(reading("Zoe drinks (x:drink)", answer="x")), good])
    reasoner = ChatReasoner(chat, Budget())
    found = reasoner.decompose("What does Ann drink?")
    assert found is not None
    assert "Zoe" in chat.requests[1].user
    chat = ScriptedChat(["no", "no", good])
    reasoner = ChatReasoner(chat, Budget())
    assert reasoner.decompose("What does Ann drink?") is None
    assert (len(chat.requests), reasoner.failed) == (2, 1)


def test_the_budget_is_asked_before_each_call_and_charged_what_it_took() -> None:
    good = decomposed(reading("Ann drinks (x:drink)", answer="x"))
    chat = ScriptedChat(lambda _: good)
    budget = Budget(model_calls=1)
    reasoner = ChatReasoner(chat, budget)
    assert reasoner.decompose("What does Ann drink?")
    assert reasoner.decompose("What does Ann drink?") is None
    assert len(chat.requests) == 1
    assert budget.spent.model_calls == 1
    assert 0 < budget.spent.tokens < 2000
    tight = ChatReasoner(ScriptedChat(lambda _: good), Budget(tokens=100))
    assert tight.decompose("What does Ann drink?") is None
    assert tight.gone
