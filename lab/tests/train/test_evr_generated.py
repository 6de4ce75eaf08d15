"""Theories that EVR is trained on, and the 12 patterns made of them."""

from itertools import islice

import pytest

from goalmem.rules import Theory
from goalmem.rules.evr.buffers import FACT_PATTERN, RULE_PATTERN, NetworkRole, Sentences, Variant, part_of
from goalmem.rules.terms import Literal
from goalmem_lab.train.chance import chance
from goalmem_lab.train.evr_examples import UNDECIDED, Source
from goalmem_lab.train.evr_patterns import patterns
from goalmem_lab.train.evr_theories import depth_of, every_statement, statements, theories

CATS = Theory.read(
    "The cat chases the rabbit. The cat is red. The cat sees the rabbit. The cat visits the mouse. The lion is green. "
    "The mouse sees the lion. If something is red and kind then it does not visit the cat. If something chases the cat then "
    "the cat sees the lion. If something sees the lion and it is not blue then it is kind. If something is big then it is kind."
)
KIND = Literal("_ is kind", ("the cat",))


def examples(statement, theory=CATS):
    return {e.pattern: e for e in patterns(theory, Sentences.of(theory, 5, 3), statement)}


def content(clause):
    numbers = {v: n for n, v in enumerate(clause.variables)}

    def plain(literal):
        terms = tuple(numbers[t] if t in numbers else t.casefold() for t in literal.terms)
        return literal.predicate, literal.negated, terms

    return plain(clause.head), frozenset(map(plain, clause.body))


def test_the_grammar_reads_each_generated_sentence_as_it_is_meant():
    for theory in islice(theories(3, 2), 25):
        read = Theory.read(" ".join(clause.text for clause in theory.clauses))
        assert {content(c) for c in read.clauses} == {content(c) for c in theory.clauses}


def test_the_same_seed_makes_the_same_theories():
    first, again, other = (list(islice(theories(seed, 1), 3)) for seed in (5, 5, 6))
    assert [t.clauses for t in first] == [t.clauses for t in again]
    assert [t.clauses for t in first] != [t.clauses for t in other]


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_nothing_takes_more_rules_than_were_asked_for(depth):
    for theory in islice(theories(1, depth), 5):
        assert depth_of(theory, depth)
        verdicts = [theory.decide(s) for s in every_statement(theory)]
        assert max((v.derivation.height for v in verdicts if v.derivation), default=0) <= depth


def test_statements_are_different_and_of_both_signs():
    chosen = statements(CATS, chance(1), 12)
    assert len({(s.predicate, s.terms) for s in chosen}) == len(chosen) == 12
    assert {s.negated for s in chosen} == {True, False}


def test_a_statement_is_judged_by_facts_or_rules_and_a_denial_by_facts_and_rules():
    assert examples(KIND)[1].target == "GENERATE_SUBGOALS"
    assert examples(KIND)[2].target == (
        'i want to judge whether the facts can prove "the cat is kind". OR '
        'i want to judge whether the rules can prove "the cat is kind".'
    )
    assert examples(KIND.denied)[2].target == (
        'i want to judge whether the facts do not contradict "the cat is not kind". AND '
        'i want to judge whether the rules do not contradict "the cat is not kind".'
    )


def test_a_goal_about_a_buffer_reads_it():
    found = examples(KIND)
    assert found[9].source == (
        "episodic buffer: there are 2 fact buffers and 2 rule buffers. "
        'episodic buffer: i want to judge whether rule buffer 2 can prove "the cat is kind".'
    )
    assert found[9].target == "GET(RULE_BUFFER_2) THEN RUN(EPISODIC_BUFFER, RULE_BUFFER_2)"


@pytest.mark.parametrize(
    ("statement", "target"),
    [
        (Literal("_ is red", ("the cat",)), "true, this is confirmed by fact 2."),
        (Literal("_ is red", ("the cat",), True), "false, this is contradicted by fact 2."),
        (Literal("_ is red", ("the lion",)), "false, CWA."),
        (Literal("_ is red", ("the lion",), True), "true, NAF."),
    ],
)
def test_facts_confirm_contradict_or_say_nothing(statement, target):
    found = [e for e in patterns(CATS, Sentences.of(CATS, 20, 10), statement) if e.pattern == FACT_PATTERN]
    assert [e.target for e in found] == [target]


def test_rules_say_what_they_need_about_what_is_asked():
    found = [e for e in patterns(CATS, Sentences.of(CATS, 20, 10), KIND) if e.pattern in (RULE_PATTERN, 12)]
    assert [e.target for e in found] == [
        "according to rule 3, i need to prove the cat sees the lion and the cat is not blue. OR "
        "according to rule 4, i need to prove the cat is big.",
        'i want to prove "the cat sees the lion". AND i want to prove "the cat is not blue".',
        'i want to prove "the cat is big".',
    ]


def test_what_a_rule_leaves_open_is_something():
    sees = Literal("_ sees _", ("the cat", "the lion"))
    found = [e.target for e in patterns(CATS, Sentences.of(CATS, 20, 10), sees) if e.pattern == RULE_PATTERN]
    assert found == ["according to rule 2, i need to prove something chases the cat."]


@pytest.mark.parametrize(("statement", "target"), [(KIND, "false"), (KIND.denied, "true")])
def test_a_rule_buffer_that_concludes_nothing_of_it_says_so(statement, target):
    theory = Theory.read("The cat is red. If something is red then it is big. If the dog is red then the dog is kind.")
    assert examples(statement, theory)[RULE_PATTERN].target == target


@pytest.mark.parametrize("part", list(NetworkRole))
def test_examples_are_of_the_patterns_of_their_network(part):
    variant = Variant.EVR2 if part is NetworkRole.ALL else Variant.EVR1
    made = Source(1, 5, 3).examples(part, 200, 1)
    assert len(made) == pytest.approx(200, abs=10)
    assert {part_of(variant, e.pattern) for e in made} == {part}
    assert made == Source(1, 5, 3).examples(part, 200, 1)


def test_half_the_examples_of_a_buffer_decide_something():
    made = Source(1, 5, 3).examples(NetworkRole.RULE, 100, 1)
    assert sum(e.target in UNDECIDED for e in made) == 50


def test_given_theories_are_learned_from_too():
    given = Theory.read("Zebedee is zonal. If someone is zonal then they are zany.")
    made = Source(1, 5, 3, (given,)).examples(NetworkRole.FACT, 200, 1)
    assert any("Zebedee" in e.source for e in made)
