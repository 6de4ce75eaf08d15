"""The working memory of EVR, and proofs told as its internal monologue."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.rules import Strategy, Theory
from goalmem.rules.evr.buffers import Operator, WorkingMemory, get_then_run
from goalmem.rules.monologue import thoughts

TEXT = (
    "Big people are rough. If someone is rough and not blue then they are green. Bob is big. Eve is big. Eve is blue."
)


def test_buffers_hold_numbered_sentences_and_the_second_episodic_one_changes() -> None:
    memory = WorkingMemory(tuple(f"fact {n}." for n in range(1, 8)), ("rule a.", "rule b."))
    assert memory.wanting("i want to prove x.").buffer("EPISODIC_BUFFER") == (
        "there are 2 fact buffers and 1 rule buffer.",
        "i want to prove x.",
    )
    assert memory.buffer("FACT_BUFFER_2") == ("fact 6: fact 6.", "fact 7: fact 7.")
    assert memory.buffer(memory.rule_buffer_of(2)) == ("rule 1: rule a.", "rule 2: rule b.")
    assert memory.fact_buffer_of(6) == "FACT_BUFFER_2"
    for wrong in ("FACT_BUFFER_3", "FACT_BUFFER_0", "RULE_BUFFER_x", "LAP_BUFFER_1"):
        with pytest.raises(KeyError):
            memory.buffer(wrong)


def test_the_operator_names_the_buffer_that_it_reads() -> None:
    assert get_then_run("FACT_BUFFER_1") == "GET(FACT_BUFFER_1) THEN RUN(EPISODIC_BUFFER, FACT_BUFFER_1)"


@pytest.mark.parametrize(
    ("question", "strategy", "operators", "end"),
    [
        ("Bob is green.", Strategy.PROOF, {Operator.GENERATE_SUBGOALS, Operator.NAF}, "So it is true."),
        ("Bob is not green.", Strategy.INVERSE_PROOF, {Operator.GENERATE_SUBGOALS, Operator.NAF}, "So it is false."),
        ("Eve is green.", Strategy.FAIL_TO_PROVE, {Operator.CWA}, "So it is false."),
        ("Eve is not green.", Strategy.FAIL_TO_PROVE, {Operator.NAF}, "So it is true."),
        ("Who is rough?", Strategy.PROOF, {Operator.GENERATE_SUBGOALS}, "So the answer is Bob and Eve."),
    ],
)
def test_every_strategy_is_told_with_its_operators(
    question: str, strategy: Strategy, operators: set[Operator], end: str
) -> None:
    answer = Theory.read(TEXT).ask(question)
    assert answer.strategy == strategy
    told = list(thoughts(answer.proof))
    assert operators <= {t.operator for t in told}
    assert told[-1].text == end


def test_the_monologue_is_the_proof_a_sentence_a_step() -> None:
    told = Theory.read(TEXT).ask("Bob is green.").monologue().splitlines()
    assert told[1:4] == [
        "I want to prove “Bob is green”.  [GENERATE_SUBGOALS]",
        "According to rule 1 (If someone is rough and not blue then they are green), I need to prove “Bob is rough” AND "
        "“Bob is not blue”.  [GET(RULE_BUFFER_1) THEN RUN(EPISODIC_BUFFER, RULE_BUFFER_1)]",
        "  I want to prove “Bob is rough”.  [GENERATE_SUBGOALS]",
    ]
    assert "    True, this is confirmed by fact 1 (Bob is big)." in told


def test_a_deep_proof_is_told_lemma_by_lemma() -> None:
    chain = " ".join(f"If someone is p{n} then they are p{n + 1}." for n in range(300))
    told = Theory.read(f"Bob is p0. {chain}").ask("Bob is p300.").monologue()
    assert told.count("I want to prove “Bob is p150”.") == 1
    assert "confirmed by lemma 1." in told


def test_a_proof_over_memory_is_told_as_well() -> None:
    with Memory() as memory:
        memory.add({"role": "user", "name": "Maya", "content": "Ines lives in Porto."}, at="2024-05-01")
        plain = memory.ask("Where does Ines live?").monologue()
        memory.add_rules("People who live in Porto are happy.")
        mixed = memory.ask("Is Ines happy?").monologue()
        unknown = memory.ask("Is Tom happy?").monologue()
    assert "confirmed by fact 1 (Ines lives in Porto)." in plain
    assert "According to rule 1 (People who live in Porto are happy)" in mixed
    assert "confirmed by fact 1 (Ines lives in Porto)." in mixed
    assert unknown.endswith("So I do not know.")
