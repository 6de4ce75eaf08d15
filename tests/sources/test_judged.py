"""What a chat model proposes, looked for and held against the turns: retrieval, values, objections, records."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.conftest import ASKED, SPACE, request

from goalmem.engine.budget import Budget
from goalmem.logic.syntax import parse_atom
from goalmem.logic.terms import Binding, Relation, Variable
from goalmem.questions.chat import ChatReasoner
from goalmem.records import Turn
from goalmem.sources.chat.candidates import LONGEST, CandidateQuery, CandidateRetriever, TurnCandidate, stretch
from goalmem.sources.chat.grounding import ReplyGrounding, find, folded
from goalmem.sources.chat.judgement_log import ReplyRecords
from goalmem.sources.chat.unifier import Unifier, shuffled
from goalmem.sources.similarity import Similarity
from goalmem.testing import ScriptedChat

GROUNDING = ReplyGrounding(Similarity({}, lambda a, b: 0.0))


def candidate(text: str, speaker: str = "Petra", *, dated: bool = True) -> TurnCandidate:
    at = datetime(2024, 5, 8, 18, tzinfo=UTC)
    return TurnCandidate(Turn("t1", SPACE, "one", 0, speaker, "user", text, at, dated=dated), 0, len(text))


@pytest.mark.parametrize(
    ("kind", "said", "text", "value", "derivation"),
    [
        ("drink", "Oat milk", "He only drinks oat  milk.", "oat  milk", "quoted"),
        ("thing", "a canoe", "I sold the canoe!", "canoe", "quoted"),
        ("person", "Petra", "I sold it myself.", "Petra", "resolved"),
        (
            "field",
            "counseling and psychology",
            "I study counseling or psychology now.",
            "counseling or psychology",
            "quoted",
        ),
        ("title", "“Dune”", 'I read "Dune" twice.', "Dune", "quoted"),
        ("time", "yesterday", "I swam yesterday.", "7 May 2024", "time"),
        ("time", "7 May 2024", "I swam yesterday.", "7 May 2024", "time"),
        ("time", "8 May 2024", "I swam yesterday.", "7 May 2024", "time"),
        ("time", "8 May 2024", "I swam.", "8 May 2024", "said"),
        ("number of cats", "3", "We have three cats.", "3", "number"),
        ("price", "40 euros", "It cost 40 euros.", "40 euros", "number"),
    ],
)
def test_a_value_is_read_from_the_turn(kind: str, said: str, text: str, value: str, derivation: str) -> None:
    found = GROUNDING.binding(Variable("x", kind), said, candidate(text))
    assert isinstance(found, Binding), found
    assert (found.value.text, found.derivation) == (value, derivation)
    assert found.span in text


@pytest.mark.parametrize(
    ("kind", "said", "text"),
    [
        ("drink", "tea", "He only drinks oat milk."),
        ("thing", "art", "We had a party."),
        ("thing", "it", "I sold it."),
        ("person", "canoe", "I sold the canoe."),
        ("instrument", "instrument", "I play an instrument."),
        ("time", "1 January 2020", "I swam yesterday."),
        ("time", "soon", "I swam."),
        ("number of cats", "4", "We have three cats."),
        ("thing", "", "Anything."),
    ],
)
def test_a_value_that_the_turn_does_not_give_is_none(kind: str, said: str, text: str) -> None:
    assert isinstance(GROUNDING.binding(Variable("x", kind), said, candidate(text)), str)


def test_what_nobody_dated_has_no_date_of_its_own() -> None:
    when = Variable("t", "time")
    assert isinstance(GROUNDING.binding(when, "8 May 2024", candidate("I swam.", dated=False)), str)
    assert isinstance(GROUNDING.binding(when, "yesterday", candidate("I swam yesterday.", dated=False)), str)
    told = GROUNDING.binding(when, "2019", candidate("I swam there in 2019.", dated=False))
    assert isinstance(told, Binding)
    assert told.value.text == "2019"


@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_what_is_found_stands_there(said: str, before: str, after: str) -> None:
    text = f"{before} {said} {after}"
    place = find(said, text)
    if place is not None:
        assert folded(text[place[0] : place[1]])[0] in folded(said)[0]


@given(
    st.lists(st.sampled_from(["Tea is hot. ", "We sail! ", "Why? ", "word " * 30, "\n", "ünï. "]), max_size=40),
    st.sets(st.sampled_from(["tea", "sail", "word"])),
)
def test_a_stretch_lies_in_its_turn(parts: list[str], words: set[str]) -> None:
    content = "".join(parts) or "x"
    start, end = stretch(content, words)
    assert 0 <= start < end <= len(content)
    assert end - start <= LONGEST


def test_the_relation_type_steers_where_is_looked(source: Any) -> None:
    def found(text: str, relation: Relation, names: tuple[str, ...] = ()) -> list[Turn]:
        retriever = CandidateRetriever(source.store, source.searcher, SPACE, ASKED)
        turns = retriever.ranked(CandidateQuery(text, relation, names))
        return [retriever.turns([t])[t] for t in turns]

    event = found("Emre will never visit Malta", Relation.SEMANTIC)[0]
    around = found("Emre will never visit Malta", Relation.CAUSAL)
    beside = {(t.session, t.position) for t in around[:4]} & {(event.session, event.position + d) for d in (-1, 1)}
    assert beside
    about = found("bought something", Relation.ENTITY, ("selin",))
    assert "Selin" in about[0].text
    assert {t.id for t in about} >= {t.id for t in found("bought something", Relation.SEMANTIC)}
    timed = found("bought something", Relation.TEMPORAL)
    assert any(word in timed[0].text for word in ("last", "next", "April"))


def test_no_order_of_the_facts_is_the_one_that_decides() -> None:
    candidates = [candidate(f"Word {n}.") for n in range(3)]
    many = [
        TurnCandidate(Turn(f"t{n}", SPACE, "one", n, "Petra", "user", c.text, c.turn.at), 0, len(c.text))
        for n, c in enumerate(candidates * 4)
    ]
    assert shuffled(many, 0) == many
    assert shuffled(many, 1) == shuffled(list(reversed(many)), 1) != many
    assert shuffled(many, 2) != shuffled(many, 1)


@pytest.mark.parametrize(
    ("atom", "words", "values", "why"),
    [
        ("Petra lives in (x:place)", "I moved to Leiden", {"x": "Leiden"}, ""),
        ("Emre lives in (x:place)", "I moved to Leiden", {"x": "Leiden"}, "Emre"),
        ("Petra bought (x:thing)", "I plan to buy a kayak", {"x": "kayak"}, "not stated as so"),
        ("Petra plans to buy (x:thing)", "I plan to buy a kayak", {"x": "kayak"}, ""),
        ("Selin visited (x:place)", "My cousin Selin", {"x": "Malta"}, ""),
        ("Emre's favorite color is (x:color)", "My favorite color is green", {"x": "green"}, "later"),
        ("Emre's favorite color is (x:color)", "My favorite color is blue", {"x": "blue"}, ""),
        ("Emre loves (x:food)", "I can't stand olives", {"x": "olives"}, "denies"),
    ],
)
def test_what_can_be_told_without_a_model_is_held_against_it(
    source: Any, atom: str, words: str, values: dict[str, str], why: str
) -> None:
    def unify(chat_request: Any) -> dict[str, Any]:
        line = next(
            n for n, row in enumerate(chat_request.user.partition("Facts:\n")[2].splitlines(), 1) if words in row
        )
        rows = [{"variable": k, "value": v} for k, v in values.items()]
        return {
            "bindings": [{"subgoal": 1, "fact": line, "says": "yes", "values": rows}],
            "conflicts": [],
            "unresolved": [],
        }

    unifier = Unifier(ChatReasoner(ScriptedChat({"unify": unify}), Budget()), source, "What?")
    candidates = CandidateRetriever(source.store, source.searcher, SPACE, ASKED).find([CandidateQuery(words)])
    found = unifier.judge([parse_atom(atom)], candidates, request(atom))
    objections = [m.reason for misses in unifier.objections.values() for m in misses]
    if why:
        assert not found
        assert any(why in o for o in objections), objections
    else:
        assert found, objections
        assert {n: v.text for n, v in found[0].values.items()} == values


def test_records_are_kept_where_no_store_takes_them() -> None:
    class ReadOnly:
        def cached_reply(self, space: str, key: str) -> None:
            return None

        def keep_reply(self, space: str, key: str, text: str, turns: Any, *, most: int | None = None) -> bool:
            return False

    for records in (ReplyRecords(), ReplyRecords(ReadOnly())):
        assert records.cached_reply("a", "k") is None
        assert records.keep_reply("a", "k", "1", ["t"])
        assert records.cached_reply("a", "k") == "1"
        assert records.cached_reply("b", "k") is None
