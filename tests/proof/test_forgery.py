"""`verify` accepts every proof that was made honestly, and none that was forged, its digest made anew."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from goalmem import Memory
from goalmem.demo import remember
from goalmem.demo.show import read_questions
from goalmem.language import Analyzer
from goalmem.logic.terms import Alignment
from goalmem.proof.document import Node, Proof
from goalmem.proof.render import text
from tests.cases import one_in
from tests.proof.attempts import UNANSWERED, holds, inserted, mutated, says_the_same, told, verifying
from tests.proof.conversations import CONVERSATIONS
from tests.proof.forgeries import Forgery, forged_answer, forgeries, with_solutions
from tests.proof.mutants import PLAUSIBLE
from tests.proof.own_answers import PATIENT, RULE_QUESTIONS, ruled

EVERY = 90
"""Of the forgeries of a question's words one in so many is tried; of all others of a kind one in `share`."""
SHARE = pytest.mark.parametrize("share", [12, pytest.param(1, marks=pytest.mark.thorough)])
MUTANTS = pytest.mark.parametrize("mutants", [20, pytest.param(60, marks=pytest.mark.thorough)])
"""Of each conversation's proofs; more of them, and all forgeries: `python -m tests.proof mutants`, `… forgeries`."""


@pytest.fixture(scope="module", params=one_in(3, CONVERSATIONS))
def proofs(analyzer: Analyzer, request: pytest.FixtureRequest) -> Iterator[tuple[Memory, list[Proof]]]:
    conversation = CONVERSATIONS[request.param]
    with told(analyzer, conversation) as memory:
        yield memory, [memory.ask(question).proof for question in conversation.questions]


@pytest.fixture(scope="module", params=[6, pytest.param(1, marks=pytest.mark.thorough)])
def demo(analyzer: Analyzer, request: pytest.FixtureRequest) -> Iterator[tuple[Memory, list[Proof]]]:
    """The demo with the proofs of one in so many of its questions."""
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        remember(memory)
        yield memory, [memory.ask(question.question).proof for question in read_questions()[:: request.param]]


def tried(proofs: list[Proof], share: int = 1) -> Iterator[tuple[Proof, Forgery]]:
    known = [p for p in proofs if p.status != "unknown"]
    met = Counter[str]()
    for proof in proofs:
        if proof.status == "unknown":
            yield from ((proof, forgery) for forgery in forged_answer(proof))
            continue
        others = [known[(known.index(proof) + step) % len(known)] for step in (1, 2)]
        for forgery in forgeries(proof, others):
            kind, _, forged = forgery
            if forged != proof and not says_the_same(forgery, proof):
                if met[kind] % (EVERY if kind == "question" else share) == 0:
                    yield proof, forgery
                met[kind] += 1


def accepted(memory: Memory, proofs: list[Proof], share: int = 1) -> list[str]:
    return [
        f"{proof.question}: {kind}, {what}"
        for proof, (kind, what, forged) in tried(proofs, share)
        if holds(memory, forged)
    ]


def test_most_questions_are_answered(proofs):
    _, made = proofs
    assert sum(p.status != "unknown" for p in made) >= len(made) - 2
    assert {"list", "count", "whether"} <= {p.goal.aggregate.value for p in made}


def test_every_honest_proof_holds(proofs):
    memory, made = proofs
    assert [(p.question, failures) for p in made if (failures := memory.verify(p).failures)] == []
    assert [p.question for p in made if not memory.verify(p.to_json(indent=1)).ok] == []


@SHARE
def test_no_forgery_holds(proofs, share):
    assert accepted(*proofs, share) == []


@MUTANTS
def test_no_field_that_a_proof_does_not_have_can_be_added(proofs, mutants):
    memory, made = proofs
    unknown = [memory.ask(question).proof for question in UNANSWERED]
    assert verifying(memory, inserted([*made, *unknown], 2 * mutants)) == []


@MUTANTS
def test_no_field_can_be_added_to_what_rules_prove(analyzer, mutants):
    with ruled(analyzer) as memory:
        made = [memory.ask(question).proof for question in RULE_QUESTIONS]
        assert verifying(memory, inserted(made, 2 * mutants)) == []


def test_every_optional_field_of_a_proof_is_among_those_added():
    for part, values in PLAUSIBLE.values():
        fields = part.model_fields if issubclass(part, BaseModel) else {f.name: f for f in dataclasses.fields(part)}
        required = {name for name, f in fields.items() if is_required(f)}
        assert required | set(values) == set(fields), part


def is_required(field: FieldInfo | dataclasses.Field) -> bool:
    if isinstance(field, FieldInfo):
        return field.is_required()
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def test_words_that_are_nowhere_cannot_be_shown_as_a_reason(proofs):
    memory, made = proofs
    leaf = next(n for p in made for _, n in (p.root.walk() if p.root else ()) if n.kind == "fact")
    proof = next(p for p in made if p.root is not None and any(n == leaf for _, n in p.root.walk()))
    killed = Alignment("Petra killed Emil", "Petra killed Emil", "implied")

    def told(node: Node) -> Node:
        why = {"alignment": (*node.alignment, killed)} if node == leaf else {}
        return node.model_copy(update={**why, "children": tuple(map(told, node.children))})

    forged = proof.model_copy(update={"root": told(proof.root)}).digested()
    assert "Petra killed Emil" in text(forged)
    assert "explained" in {check.name for check in memory.verify(forged).failures}


def test_a_proof_is_about_an_earlier_day_only_if_something_was_said_since(proofs):
    memory, made = proofs
    proof = next(p for p in made if p.status != "unknown")
    (failure,) = memory.verify(proof.model_copy(update={"as_of": True}).digested()).failures
    assert failure.name == "as of"


def test_nothing_counts_twice_by_another_spelling_of_its_key(proofs):
    memory, made = proofs
    several = [p for p in made if p.root is not None and len(p.root.children) > 1]
    twice = [(p, what, forged) for p in several for kind, what, forged in forgeries(p) if kind == "doubled"]
    assert {p.goal.aggregate.value for p, _, _ in twice} >= {"list", "count"}
    assert [(p.question, what) for p, what, forged in twice if holds(memory, forged)] == []


def test_no_constant_of_rules_has_another_key_or_type(analyzer):
    with ruled(analyzer) as memory:
        proof = memory.ask("Who is nice?").proof
        renamed = [(what, forged) for kind, what, forged in forgeries(proof) if kind in ("doubled", "value")]
        assert any("mars" in what for what, _ in renamed)
        assert [what for what, forged in renamed if holds(memory, forged)] == []


@MUTANTS
def test_no_mutant_that_changes_a_claim_holds(proofs, mutants):
    memory, made = proofs
    unknown = [memory.ask(question).proof for question in UNANSWERED]
    assert verifying(memory, mutated([*made, *unknown], mutants)) == []


@MUTANTS
def test_no_forgery_or_mutant_of_what_rules_prove_holds(analyzer, mutants):
    with ruled(analyzer) as memory:
        made = [memory.ask(question).proof for question in RULE_QUESTIONS]
        assert any(kind == "rule" for _, (kind, _, _) in tried(made))
        assert accepted(memory, made) == []
        assert verifying(memory, mutated(made, mutants)) == []


@pytest.mark.parametrize("share", [24, pytest.param(8, marks=pytest.mark.thorough)])
def test_the_demos_proofs_hold_and_no_forgery_of_them_does(demo, share):
    memory, made = demo
    assert [p.question for p in made if not memory.verify(p).ok] == []
    assert accepted(memory, made, share) == []


@MUTANTS
def test_no_mutant_of_the_demos_proofs_holds(demo, mutants):
    memory, made = demo
    assert verifying(memory, mutated(made, mutants)) == []


def test_what_was_left_out_is_named(proofs):
    memory, made = proofs
    count = next(p for p in made if p.goal.aggregate.value == "count")
    left = count.root.children[0]
    forged = with_solutions(count, count.root.children[1:])
    (failure,) = memory.verify(forged).failures
    value = next(b.value.text for b in left.bindings if b.variable == count.goal.answer)
    assert failure.name == "complete"
    assert value in failure.detail


@pytest.mark.parametrize("name", one_in(3, CONVERSATIONS))
def test_an_old_proof_holds_until_what_it_rests_on_is_replaced_or_denied(name, analyzer):
    conversation = CONVERSATIONS[name]
    with told(analyzer, conversation) as memory:
        old = {question: memory.ask(question).proof for question in conversation.questions}
        for number, (speaker, text, _) in enumerate(conversation.later):
            said = [{"role": "user", "name": speaker, "content": text}]
            memory.add(said, session=f"later {number}", at=f"2026-01-0{number + 1}T10:00:00")
        taken_back = {q for _, _, questions in conversation.later for q in questions.split("|")}
        for question, proof in old.items():
            result = memory.verify(proof)
            assert result.ok == (question not in taken_back), (question, result.failures)
            assert result.superseded == (question in taken_back)
            if result.superseded:
                assert any("later it was said" in check.detail for check in result.failures)


def test_a_proof_of_the_old_format_is_checked_as_ever_and_says_so(proofs):
    memory, made = proofs
    told = [
        p
        for p in made
        if p.status != "likely" and not any(n.judgement for _, n in (p.root or Node(kind="aggregate")).walk())
    ]
    old = [p.model_copy(update={"version": 1, "digest": "", "asker": ""}) for p in told]
    assert [p.question for p in old if not memory.verify(p.to_json()).ok] == []
    note = next(c for c in memory.verify(old[0].to_json()).checks if c.name == "format")
    assert "format 1" in note.detail
    assert "digest" in note.detail
    count = next(p for p in old if p.goal.aggregate.value == "count")
    forged = with_solutions(count, count.root.children[1:]).model_copy(update={"digest": ""})
    assert not memory.verify(forged).ok


def test_a_proof_that_was_changed_without_a_new_digest_is_told_by_it(proofs):
    memory, made = proofs
    (failure,) = memory.verify(made[0].model_copy(update={"spent": {"steps": 1.5}})).failures
    assert failure.name == "digest"
