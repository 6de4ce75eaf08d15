"""Rules kept in a space, and what they prove there by themselves and together with what conversations said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.engine.events import Event
from goalmem.errors import (
    FormatError,
    InputError,
    NotFoundError,
    ProofError,
    RuleError,
    UnreadableRulesError,
    UnstratifiedError,
)
from goalmem.io.portable import portions
from goalmem.proof.document import Proof
from goalmem.rules import Theory
from goalmem.testing import ScriptedChat
from tests.cases import one_in

RULES = (
    "Big people are rough. If someone is rough and not blue then they are green. "
    "Bob is big. Eve is big. Eve is blue. Tom is not sad."
)
TALK = [
    {"role": "user", "name": "Maya", "content": "Just so you know, I'm allergic to peanuts."},
    {"role": "assistant", "name": "Leo", "content": "Thanks for telling me! The pad thai has peanuts in it."},
    {"role": "user", "name": "Maya", "content": "My brother Sam called. He lives in Porto."},
    {"role": "user", "name": "Maya", "content": "Ines works for the airline. I am big."},
]


def test_rules_alone_decide_as_the_theory_does(memory: Memory) -> None:
    report = memory.add_rules(RULES)
    assert (report.new, len(report.ids), report.unread, report.contradictions) == (6, 6, (), ())
    theory = Theory.read(RULES)
    for question in (
        "Bob is green: true or false?",
        "Is Eve green?",
        "Eve is not green.",
        "Who is rough?",
        "Zed is green.",
    ):
        answer, by_itself = memory.ask(question), theory.ask(question)
        assert (answer.text, answer.status) == (by_itself.text, by_itself.status)
        assert memory.verify(Proof.from_json(answer.proof.to_json())).ok
    assert set(memory.ask("Is Bob green?").citations) <= {r.id for r in memory.rules()}


def test_rules_alone_go_the_way_of_every_question(memory: Memory) -> None:
    memory.add_rules(RULES)
    told: list[Event] = []
    answer = memory.ask("Who is rough?", on_event=told.append)
    assert [e.kind for e in told] == ["question", "goal", "subgoals", "binding", "binding", "proof"]
    assert answer.proof.spent["steps"] >= 1
    assert memory.ask("Where is Bob?").missing[0].stage == "never-said"


def test_all_of_whom_rules_alone_deny_something_are_listed_and_found_again(memory: Memory) -> None:
    memory.add_rules(RULES)
    answer = memory.ask("Who is not rough?")
    assert answer.values == ("Tom",)
    assert memory.verify(answer).failures == ()


def test_a_list_that_rules_prove_may_be_as_long_as_it_is(memory: Memory) -> None:
    names = [f"Bo{n}" for n in range(300)]
    memory.add_rules(" ".join(f"{name} is big." for name in names) + " Big people are rough.")
    answer = memory.ask("Who is rough?")
    assert sorted(answer.values) == sorted(names)
    assert memory.verify(answer).ok


def test_adding_again_adds_nothing_and_what_is_removed_proves_nothing(memory: Memory) -> None:
    first = memory.add_rules(RULES)
    assert memory.add_rules(RULES).new == 0
    assert [r.text for r in memory.rules()] == RULES.replace(". ", ".|").split("|")
    proof = memory.ask("Is Bob green?").proof
    gone = next(r.id for r in memory.rules() if r.text == "Bob is big.")
    assert memory.remove_rules(gone) == [gone]
    assert memory.remove_rules([gone]) == []
    assert not memory.verify(proof).ok
    assert memory.ask("Is Bob green?").text == "No"
    memory.remove_rules(first.ids)
    assert memory.rules() == []
    assert memory.spaces() == []
    assert not memory.ask("Is Bob green?").known


def test_rules_and_their_proofs_stay_in_their_space(memory: Memory) -> None:
    memory.add_rules(RULES, space="a")
    proof = memory.ask("Is Bob green?", space="a").proof
    assert not memory.ask("Is Bob green?", space="b").known
    assert not memory.verify(proof, space="b").ok


def test_what_cannot_be_read_is_refused_whole_or_listed(memory: Memory) -> None:
    text = "Bob is big. Blorp the zizzle because! Eve is big."
    with pytest.raises(UnreadableRulesError, match="zizzle"):
        memory.add_rules(text)
    assert memory.rules() == []
    report = memory.add_rules(text, partial=True)
    assert (report.new, [u.text for u in report.unread]) == (2, ["Blorp the zizzle because!"])
    assert all(u.reason for u in report.unread)
    with pytest.raises(UnreadableRulesError):
        memory.add_rules("Blorp the zizzle because!", partial=True)


def test_what_cannot_be_used_is_refused_with_a_reason(memory: Memory) -> None:
    for wrong in ({"world": "flat"}, {"reader": "tarot"}):
        with pytest.raises(InputError):
            memory.add_rules("Bob is big.", **wrong)  # type: ignore[arg-type]
    for nothing in ("", "   "):
        with pytest.raises(InputError):
            memory.add_rules(nothing)
    with pytest.raises(InputError, match="characters"):
        memory.add_rules("Bob is big. " * 400_000)
    memory.add_rules("Bob is big.", world="open")
    with pytest.raises(RuleError, match="open world"):
        memory.add_rules("Eve is big.")


def test_an_open_world_knows_only_what_follows(memory: Memory) -> None:
    memory.add_rules("Big people are rough. Bob is big. Eve is not big.", world="open")
    answers = {q: memory.ask(q).status for q in ("Is Bob rough?", "Is Eve big?", "Is Eve rough?")}
    assert answers == {"Is Bob rough?": "proved", "Is Eve big?": "disproved", "Is Eve rough?": "unknown"}


def test_contradictions_are_reported_and_leave_the_answer_open(memory: Memory) -> None:
    report = memory.add_rules("Bob is big. Bob is not big.")
    assert report.contradictions == ("Bob is big",)
    answer = memory.ask("Is Bob big?")
    assert (answer.status, [m.stage for m in answer.missing]) == ("unknown", ["conflict"])


def test_a_circle_through_a_negation_is_named(memory: Memory) -> None:
    memory.add_rules("If someone is not sad then they are kind. If someone is not kind then they are sad. Bob is big.")
    with pytest.raises(UnstratifiedError, match="Bob is kind"):
        memory.ask("Is Bob kind?")
    assert memory.ask("Is Bob big?").text == "Yes"


def test_rules_are_kept_in_the_file_exported_imported_and_forgotten(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    copy = tmp_path / "export.jsonl"
    with Memory(tmp_path / "a.goalmem") as memory:
        memory.add_rules(RULES, space="a")
        memory.add(TALK, space="b", at="2024-05-01")
    with Memory(tmp_path / "a.goalmem") as memory:
        assert memory.ask("Is Bob green?", space="a").text == "Yes"
        assert memory.export(copy) == len(TALK)
        kept = memory.rules(space="a")
        with pytest.raises(NotFoundError):
            memory.forget(turn="t1", space="a")
        assert memory.forget(space="a", everything=True).rules == 6
        assert memory.spaces() == ["b"]
    other = open_memory()
    for _ in range(2):
        other.import_(copy)
        assert other.rules(space="a") == kept
    assert other.ask("Is Bob green?", space="a").text == "Yes"
    other.import_(copy, space="c")
    assert other.rules(space="c") == kept


def test_an_export_without_rules_is_read_by_every_goalmem_and_altered_rules_are_refused(tmp_path: Path) -> None:
    copy = tmp_path / "export.jsonl"
    with Memory() as memory:
        memory.add(TALK[:1], at="2024-05-01")
        memory.export(copy)
        assert json.loads(copy.read_text().splitlines()[0]) == {"goalmem": 1}
        memory.add_rules("Bob is big.")
        memory.export(copy)
    lines = copy.read_text().splitlines()
    assert json.loads(lines[0]) == {"goalmem": 2}
    for change in ({"text": "Bob is small."}, {"clauses": [["x"]]}, {"world": "flat"}, {"reader": 7}):
        copy.write_text("\n".join([lines[0], json.dumps(json.loads(lines[1]) | change)]))
        with pytest.raises(FormatError, match="line 2"):
            list(portions(copy))


@pytest.mark.parametrize(
    ("rule", "question", "answer"),
    one_in(
        2,
        [
            (
                "Whoever is allergic to an ingredient of a dish should not eat it.",
                "Should Maya eat the pad thai?",
                "No",
            ),
            ("Whoever works for the airline flies free.", "Does Ines fly free?", "Yes"),
            ("People who live in Porto are happy.", "Who is happy?", "Sam"),
            ("Big people are rough.", "Is Maya rough?", "Yes"),
        ],
    ),
)
def test_a_rule_fires_on_what_was_said(memory: Memory, rule: str, question: str, answer: str) -> None:
    turns = memory.add(TALK, at="2024-05-01").turns
    (stated,) = memory.add_rules(rule).ids
    asked = memory.ask(question)
    assert asked.text == answer
    assert stated in asked.citations
    assert set(asked.citations) & set(turns)
    assert memory.verify(Proof.from_json(asked.proof.to_json())).ok
    memory.remove_rules(stated)
    assert not memory.verify(asked.proof).ok
    assert not memory.ask(question).known


ALTERED = [
    ("rule", lambda rule: rule.replace("should", "may")),
    ("rule", lambda rule: rule.split(" and ")[0]),
    ("rule", lambda rule: rule.replace("not ", "", 1)),
    ("instance", lambda words: {n: "Sam" if w == "Maya" else w for n, w in words.items()}),
    ("instance", lambda words: dict(list(words.items())[1:])),
    ("evidence", lambda _: []),
    ("evidence", lambda cited: [e | {"quote": e["quote"] + "!"} for e in cited]),
    ("evidence", lambda cited: [e | {"turn": "rule-0000"} for e in cited]),
    ("children", lambda below: below[:1]),
    ("children", lambda below: below[::-1]),
    ("ground", lambda _: "Sam should eat the pad thai"),
    ("negated", lambda _: False),
    ("kind", lambda _: "closed-world"),
    ("kind", lambda _: "fact"),
]


def test_a_proof_over_rules_and_memory_with_anything_altered_is_rejected(memory: Memory) -> None:
    memory.add(TALK, at="2024-05-01")
    memory.add_rules("Whoever is allergic to an ingredient of a dish should not eat it. Sam is tall.")
    document = json.loads(memory.ask("Should Maya eat the pad thai?").proof.to_json())
    assert memory.verify(json.dumps(document)).ok
    for field, change in ALTERED:
        altered = json.loads(json.dumps(document))
        step = altered["root"]["children"][0]["children"][0]
        step[field] = change(step[field])
        try:
            assert not memory.verify(json.dumps(altered)).ok, field
        except ProofError:
            continue
    # The evidence of one fact cited for another.
    altered = json.loads(json.dumps(document))
    below = altered["root"]["children"][0]["children"][0]["children"]
    below[1]["evidence"] = altered["root"]["children"][0]["children"][0]["evidence"]
    assert not memory.verify(json.dumps(altered)).ok


def test_the_world_is_closed_over_what_the_rules_name_and_never_over_memory(memory: Memory) -> None:
    memory.add(TALK, at="2024-05-01")
    memory.add_rules(RULES)
    # Eve is named by the rules and blue; that Maya is not blue nobody said, and no rule covers her.
    assert memory.ask("Is Eve green?").text == "No"
    assert memory.ask("Is Bob green?").text == "Yes"
    assert not memory.ask("Is Maya green?").known
    assert not memory.ask("Is Ines rough?").known
    for question in ("Is Eve green?", "Is Bob green?", "Is Bob not green?", "Who is rough?"):
        assert memory.verify(memory.ask(question).proof).ok
    assert memory.ask("Who is rough?").text == "Bob, Eve and Maya"


def test_what_a_stated_rule_still_needs_is_said(memory: Memory) -> None:
    memory.add(TALK, at="2024-05-01")
    memory.add_rules(RULES)
    (missing,) = memory.ask("Is Maya green?").missing
    assert (missing.atom.read_as()[0], missing.atom.negated) == ("Maya is blue", True)


def test_a_chat_model_is_not_asked_what_rules_decide() -> None:
    chat = ScriptedChat({})
    with Memory(chat=chat) as memory:
        memory.add_rules(RULES)
        assert [memory.ask(q).text for q in ("Is Bob green?", "Is Eve green?")] == ["Yes", "No"]
        memory.add(TALK, at="2024-05-01")
        assert [memory.ask(q).text for q in ("Is Bob green?", "Is Eve green?", "Is Maya rough?")] == [
            "Yes",
            "No",
            "Yes",
        ]
    assert chat.requests == []


def test_what_was_said_keeps_the_world_from_closing(memory: Memory) -> None:
    memory.add_rules("If someone is not tired then they are fresh. Bob is tall.")
    assert memory.ask("Is Bob fresh?").text == "Yes"
    proof = memory.ask("Is Bob fresh?").proof
    memory.add({"role": "user", "name": "Maya", "content": "Bob is tired."}, at="2024-05-01")
    assert memory.ask("Is Bob fresh?").text == "No"
    assert not memory.verify(proof).ok


def test_a_space_without_rules_is_asked_as_ever(memory: Memory) -> None:
    memory.add(TALK, at="2024-05-01")
    memory.add_rules(RULES, space="elsewhere")
    answer = memory.ask("Where does Sam live?")
    assert answer.text == "Porto"
    assert memory.verify(answer.proof).ok
