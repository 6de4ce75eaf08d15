"""The working cycles of the neural EVR: with networks that know all, that lie, and that know nothing."""

from itertools import islice

import pytest
from lab.tests.train.evr_oracle import Oracle

from goalmem.errors import InputError
from goalmem.logic.terms import Variable
from goalmem.rules import Theory
from goalmem.rules.evr.buffers import Sentences, Variant
from goalmem.rules.evr.checked import CheckedTheory
from goalmem.rules.evr.language import joined_findings, rule_by_rule, running
from goalmem.rules.evr.reasoner import Reasoner
from goalmem.rules.evr.unchecked import Monologue
from goalmem.rules.terms import Literal
from goalmem_lab.train.evr_theories import every_statement, theories

BOB = Theory.read(
    "Bob is big. Ann is round. Big people are rough. If someone is rough and not blue then they are green. "
    "If someone is round then they are blue."
)


def thinking(theory, oracle):
    return CheckedTheory.over(theory, oracle.reasoner())


def test_with_perfect_networks_it_decides_as_the_solver_does():
    for theory in islice(theories(5, 6), 15):
        neural = thinking(theory, Oracle.of(theory))
        for statement in every_statement(theory):
            verdict = theory.decide(statement)
            if not verdict.conflict:
                assert neural.decide(statement).status == verdict.status
                assert neural.decide(statement.denied).status == theory.decide(statement.denied).status


@pytest.mark.parametrize("variant", list(Variant))
def test_all_variants_prove_with_proofs_that_the_checker_accepts(variant):
    neural = CheckedTheory.over(BOB, Oracle.of(BOB, *variant.buffers).reasoner(variant))
    answer = neural.ask("Bob is green.")
    assert (answer.text, answer.strategy) == ("Yes", "proof")
    assert BOB.check(answer.proof).ok
    assert neural.ask("Ann is not blue.").text == "No"
    assert neural.ask("Ann is green.").strategy == "fail to prove"


def test_a_chain_of_any_length_is_followed():
    links = " ".join(f"If someone is p{n} then they are p{n + 1}." for n in range(60))
    theory = Theory.read(f"Bob is p0. {links}")
    verdict = thinking(theory, Oracle.of(theory)).decide(Literal("_ is p60", ("Bob",)))
    assert verdict.status == "proved"
    assert verdict.derivation.height == 60


def test_rules_that_go_in_a_circle_end():
    theory = Theory.read("If someone is big then they are kind. If someone is kind then they are big. Bob is red.")
    assert thinking(theory, Oracle.of(theory)).decide(Literal("_ is kind", ("Bob",))).status == "disproved"


def test_what_rests_on_its_own_denial_is_unknown():
    theory = Theory.read("If someone is not kind then they are big. If someone is big then they are kind. Bob is red.")
    assert thinking(theory, Oracle.of(theory)).decide(Literal("_ is kind", ("Bob",))).status == "unknown"


def test_things_that_a_rule_leaves_open_are_one_thing():
    theory = Theory.read(
        "The dog chases the cat. The owl is blue. If something chases the cat and it is blue then the cat is sad."
    )
    assert thinking(theory, Oracle.of(theory)).decide(Literal("_ is sad", ("the cat",))).status == "disproved"


def test_a_fact_that_says_nothing_of_it_is_rejected():
    oracle = Oracle.of(BOB)
    oracle.lies["false, CWA."] = "true, this is confirmed by fact 1."
    neural = thinking(BOB, oracle)
    assert neural.decide(Literal("_ is blue", ("Bob",))).status == "disproved"
    assert neural.thinking.rejected > 0


@pytest.mark.parametrize(
    "lie",
    [
        "according to rule 1, i need to prove Bob is round.",
        "according to rule 9, i need to prove Bob is big.",
        "according to rule 1, i need to prove Zoe is big.",
        "according to rule 1, i need to prove nothing.",
        "according to according to",
    ],
)
def test_a_rule_that_does_not_read_so_is_rejected(lie):
    oracle = Oracle.of(BOB)
    oracle.lies["according to rule 1, i need to prove Bob is big."] = lie
    neural = thinking(BOB, oracle)
    assert neural.decide(Literal("_ is rough", ("Bob",))).status == "disproved"


def test_what_is_overlooked_is_not_made_good_and_its_proof_is_withheld():
    oracle = Oracle.of(BOB)
    oracle.lies["true, this is confirmed by fact 1."] = "false, CWA."
    neural = thinking(BOB, oracle)
    assert neural.decide(Literal("_ is big", ("Bob",))).status == "disproved"
    assert neural.ask("Bob is big.").status == "unknown"


def test_the_transcript_tells_what_led_nowhere_and_what_was_rejected():
    oracle = Oracle.of(BOB)
    oracle.lies["according to rule 3, i need to prove Bob is round."] = (
        "according to rule 3, i need to prove Bob is big."
    )
    neural = thinking(BOB, oracle)
    green = Literal("_ is green", ("Bob",))
    assert neural.decide(green).status == "proved"
    lines = [thought.text for thought in neural.thinking.transcript()]
    assert lines[0] == "I have 1 fact buffer and 1 rule buffer."
    assert lines[1] == 'i want to prove "Bob is green".'
    assert "true, this is confirmed by fact 1. (fact 1: Bob is big.)" in lines
    assert "false, CWA." in lines
    assert any(line == "This does not fit, and is rejected: " for line in lines)


def believing(theory, oracle):
    return Monologue(theory, oracle.reasoner())


def test_believed_networks_that_know_all_decide_as_the_solver_does_but_for_something():
    """Two conditions on `something` are two goals (EVR, table 10), so that theories with such rules are left out."""
    count = 0
    for theory in islice(theories(5, 6), 15):
        if any(c.body and c.head.ground and set(c.variables) for c in theory.clauses):
            continue
        believed = believing(theory, Oracle.of(theory))
        for statement in (s for each in every_statement(theory) for s in (each, each.denied)):
            verdict = theory.decide(statement)
            denied = any(c.head.negated for c in theory.clauses)
            if not verdict.conflict and not denied:
                assert believed.judge(statement).holds is (verdict.status == "proved")
                count += 1
    assert count > 100


def test_something_is_a_goal_like_another():
    theory = Theory.read("The dog chases the cat. If something chases the cat then the cat is sad. The owl is blue.")
    believed = believing(theory, Oracle.of(theory))
    sad = Literal("_ is sad", ("the cat",))
    assert believed.judge(sad).holds
    assert 'i want to prove "something chases the cat".' in [thought.text for thought in believed.transcript(sad)]
    assert believed.judge(Literal("_ is blue", (Variable("x", "thing"),))).holds
    assert not believed.judge(Literal("_ is sad", ("the owl",))).holds


def test_two_conditions_on_something_may_be_met_by_two_things_where_nothing_is_checked():
    theory = Theory.read(
        "The dog chases the cat. The owl is blue. If something chases the cat and it is blue then the cat is sad."
    )
    assert believing(theory, Oracle.of(theory)).judge(Literal("_ is sad", ("the cat",))).holds


def test_what_is_no_operator_or_finding_leaves_a_question_open():
    assert believing(BOB, Oracle()).judge(Literal("_ is big", ("Bob",))).holds is None
    oracle = Oracle.of(BOB)
    oracle.lies["true, this is confirmed by fact 1."] = "perhaps"
    assert believing(BOB, oracle).judge(Literal("_ is big", ("Bob",))).holds is None
    circle = Theory.read("If someone is big then they are kind. If someone is kind then they are big. Bob is red.")
    assert believing(circle, Oracle.of(circle)).judge(Literal("_ is kind", ("Bob",))).holds is False


def test_networks_that_write_nothing_prove_nothing():
    assert thinking(BOB, Oracle()).decide(Literal("_ is big", ("Bob",))).status == "disproved"


def test_names_that_only_the_question_has_are_read():
    assert thinking(BOB, Oracle()).decide(Literal("_ is big", ("Zoe",), True)).status == "proved"


def test_a_folder_without_networks_is_named(tmp_path):
    with pytest.raises(InputError, match="holds no trained EVR"):
        Reasoner.load(tmp_path)
    (tmp_path / "evr.json").write_text('{"format": "else"}')
    with pytest.raises(InputError, match="holds no trained EVR"):
        Reasoner.load(tmp_path)


def test_rules_that_are_read_one_by_one_say_what_their_buffer_says():
    memory = Sentences.of(BOB, 5, 3).memory.wanting('i want to judge whether rule buffer 1 can prove "Bob is green".')
    single = rule_by_rule(running(memory, "RULE_BUFFER_1"))
    assert len(single) == 3
    assert [text.count(" rule ") for text in single] == [single[0].count(" rule ")] * 3
    both = ["according to rule 1, i need to prove Bob is big.", "according to rule 3, i need to prove Bob is round."]
    assert joined_findings(["false", *both]) == " OR ".join(both)
    assert joined_findings(["false", "false"]) == "false"


@pytest.mark.parametrize(
    "target",
    [
        'i want to judge whether rule buffer 1 can prove "Bob is rough".',
        "according to rule 1, i need to prove Bob is big.",
    ],
)
def test_the_transcript_of_believed_networks_shows_outputs_that_say_nothing(target):
    oracle = Oracle.of(BOB)
    oracle.lies[target] = "rough rough buffer"
    believed = believing(BOB, oracle)
    rough = Literal("_ is rough", ("Bob",))
    assert believed.judge(rough).holds is None
    lines = [thought.text for thought in believed.transcript(rough)]
    assert "This does not fit, and is rejected: rough rough buffer" in lines
