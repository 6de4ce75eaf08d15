"""Common knowledge: every rule can be read, and is applied where its head is what is asked."""

from collections import Counter
from dataclasses import replace

import pytest
from tests.cases import one_in
from tests.sources.conftest import request

from goalmem.language import Analyzer, Extractor
from goalmem.logic.syntax import format_atom, format_rule, parse_atom, parse_rule
from goalmem.logic.terms import Aggregate, Atom, Goal, Rule
from goalmem.proof.document import Node
from goalmem.proof.node_check import ProofContext
from goalmem.sources.background import RULE_SCORE, BackgroundSource, RuleBook, background_book, background_rules

RULES = background_rules()


@pytest.fixture(scope="module")
def background(reader, book):
    return BackgroundSource(reader, book)


def subgoals(background, atom: str | Atom) -> list[tuple[str, ...]]:
    return [tuple(map(format_atom, step.subgoals)) for step in background.steps(request(atom))]


@pytest.mark.parametrize("rule", RULES, ids=format_rule)
def test_a_rule_reads_as_it_is_written(rule):
    assert parse_rule(format_rule(rule)) == rule
    assert rule.body
    assert {v.name for v in rule.head.variables} <= {v.name for a in rule.body for v in a.variables}


def test_no_rule_is_given_twice():
    assert max(Counter(map(format_rule, RULES)).values()) == 1


@pytest.mark.parametrize("rule", one_in(2, RULES), ids=format_rule)
def test_a_rule_answers_its_own_head(background, rule):
    assert tuple(map(format_atom, rule.body)) in subgoals(background, rule.head)


@pytest.mark.parametrize(
    ("goal", "antecedent"),
    [
        ("Nadia lives in Ghent", "Nadia moved to Ghent"),
        ("Nadia lives in (x:place)", "Nadia moved to (x:place)"),
        ("Nadia works as (x:occupation)", "Nadia is (x:occupation)"),
        ("(x:person) is married to Ruben", "(x:person) married Ruben"),
        ("Nadia lives in (x:place) on (t:time)", "Nadia moved to (x:place) on (t:time)"),
        ("Nadia has (y:animal)", "Nadia adopted (y:animal)"),
    ],
)
def test_what_the_goal_names_takes_the_place_of_the_variables(background, goal, antecedent):
    assert (antecedent,) in subgoals(background, goal)


@pytest.mark.parametrize(
    "goal",
    [
        "Nadia does not live in Ghent",
        "Nadia lives with Ruben",
        "Nadia painted (x:thing)",
        "Nadia lives",
        "Blorp the fnord",
        "“Salt is an ingredient of what?” is answered by (x:thing)",
    ],
)
def test_what_no_rule_concludes_gets_no_antecedents(background, goal):
    assert subgoals(background, goal) == []


def test_a_variable_of_a_rule_stands_for_nothing_of_another_kind(reader, extractor):
    rule = parse_rule("(p:person) has (a:animal) if (p:person) adopted (a:animal)")
    source = BackgroundSource(reader, RuleBook(extractor, [rule]))
    assert subgoals(source, "Nadia has a beagle") == [("Nadia adopted a beagle",)]
    assert subgoals(source, "Nadia has a lamp") == []


def test_the_rules_are_read_once_by_each_parser(extractor):
    class Other(Analyzer):
        """Parses by ways of its own."""

    first, second = Analyzer(), Analyzer()
    book = background_book(Extractor(first), first.parser)
    assert background_book(Extractor(second), second.parser) is book
    assert background_book(extractor, Other().parser) is not book
    assert list(book) == list(RuleBook(extractor))


def test_a_step_names_the_rule_and_proves_nothing_by_itself(background):
    for step in background.steps(request("Nadia lives in Ghent")):
        assert step.kind == "rule"
        assert step.rule is not None
        assert not step.bindings
        assert not step.evidence
        assert 0 < step.score < 1
    assert background.near_misses(request("Nadia lives in Ghent")) == ()
    assert not background.closed


def holds(checker, node: Node) -> bool:
    goal = Goal((parse_atom("Petra lives in Ghent"),), None, Aggregate.WHETHER)
    return all(ok for _, ok, _ in checker.of(node).check(node, ProofContext(goal)))


def test_only_stated_rules_are_accepted_by_the_checker(checker):
    def accepted(rule: Rule) -> bool:
        return holds(checker, Node(kind="rule", rule=rule, weight=RULE_SCORE, source="background"))

    stated = next(r for r in RULES if format_rule(r).startswith("(p:person) lives in (c:place) if (p:person) moved"))
    assert accepted(stated)
    assert not accepted(Rule(stated.head, (parse_atom("(p:person) dreamt of (c:place)"),)))
    assert not accepted(Rule(stated.body[0], (stated.head,)))
    assert not accepted(Rule(stated.head, ()))
    assert not accepted(replace(stated, body=(*stated.body, parse_atom("(p:person) is rich"))))


@pytest.mark.parametrize("name", ["memory", "background", "passages", "rules"])
def test_memory_is_never_taken_for_closed(checker, name):
    atom = parse_atom("Petra lives on the moon")
    assert not holds(checker, Node(kind="closed-world", goal=atom, source=name, negated=True))
