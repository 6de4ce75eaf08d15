"""The checker reads the evidence anew: it accepts what a leaf says and refuses whatever was altered in it."""

from dataclasses import replace

import pytest
from tests.cases import one_in
from tests.sources.conftest import ASKED, SPACE, request

from goalmem.logic.syntax import parse_atom
from goalmem.logic.terms import Aggregate, Goal, Value
from goalmem.proof.document import Node, Proof

LEAVES = [
    "Joris bought (x:thing)",
    "(x:person) bought a canoe",
    "Joris bought a canoe on (t:time)",
    "Petra moved to (x:place)",
    "Selin visited (x:place)",
    "(x:brother) is Petra's brother",
    "Emre's favorite color is (x:color)",
]


def leaf(source, atom):
    """An atom, its bindings and its evidence, as a step gives them."""
    parsed = parse_atom(atom)
    step = source.steps(request(parsed))[0]
    return parsed, {b.variable.name: b for b in step.bindings}, step.evidence


@pytest.mark.parametrize("atom", LEAVES)
def test_what_a_step_says_is_read_again(source, facts, atom):
    parsed, bindings, evidence = leaf(source, atom)
    ok, why = facts.entails(parsed, bindings, evidence, negated=False)
    assert ok, why


@pytest.mark.parametrize("atom", LEAVES)
def test_another_value_is_refused(source, facts, atom):
    parsed, bindings, evidence = leaf(source, atom)
    for name, binding in bindings.items():
        for value in (Value("Wenceslas", "wenceslas"), replace(binding.value, key="other")):
            altered = {**bindings, name: replace(binding, value=value)}
            assert not facts.entails(parsed, altered, evidence, negated=False)[0]


@pytest.mark.parametrize("atom", LEAVES)
def test_a_value_that_is_left_out_is_refused(source, facts, atom):
    parsed, _, evidence = leaf(source, atom)
    assert not facts.entails(parsed, {}, evidence, negated=False)[0]


@pytest.mark.parametrize("atom", LEAVES)
def test_the_opposite_is_refused(source, facts, atom):
    parsed, bindings, evidence = leaf(source, atom)
    assert not facts.entails(parsed, bindings, evidence, negated=True)[0]


@pytest.mark.parametrize("atom", LEAVES)
def test_other_words_are_no_evidence(source, facts, atom):
    parsed, bindings, (own,) = leaf(source, atom)
    _, _, (other,) = leaf(source, next(a for a in LEAVES if leaf(source, a)[2] != (own,)))
    shorter = replace(own, end=own.end - 1, quote=own.quote[:-1])
    elsewhere = replace(own, turn="t0")
    for altered in (other, shorter, elsewhere):
        assert not facts.entails(parsed, bindings, (altered,), negated=False)[0]


@pytest.mark.parametrize(
    "atom", ["Petra bought (x:thing)", "Joris painted (x:thing)", "Joris bought (x:thing) in Malta"]
)
def test_another_statement_is_refused(source, facts, atom):
    _, bindings, evidence = leaf(source, "Joris bought (x:thing)")
    assert not facts.entails(parse_atom(atom), bindings, evidence, negated=False)[0]


def test_what_is_only_supposed_is_no_evidence(source, facts):
    fact = next(f for f in source.store.facts(SPACE) if "might buy a motorbike" in f.text)
    evidence = (source.facts.evidence(fact),)
    assert not facts.entails(parse_atom("Emre bought a motorbike"), {}, evidence, negated=False)[0]


def test_turns_are_read_as_they_are_now(source, checker):
    _, _, (evidence,) = leaf(source, "Joris bought (x:thing)")
    turn = checker.content(evidence.turn)
    assert (turn.speaker, turn.session, turn.said) == (evidence.speaker, evidence.session, evidence.said)
    assert checker.content("t0") is None


@pytest.mark.parametrize(
    ("question", "atom", "asks"),
    [
        ("What did Joris buy?", "Joris bought (x:thing)", True),
        ("What did Joris buy?", "Emre bought (x:thing)", False),
        ("What did Joris buy?", "Joris sold (x:thing)", False),
        ("What did Petra buy?", "Joris bought (x:thing)", False),
    ],
)
def test_only_a_goal_that_the_question_asks_is_accepted(checker, question, atom, asks):
    parsed = parse_atom(atom)
    goal = Goal(question, (parsed,), parsed.variables[0])
    assert checker.asks(goal, ASKED) is asks
    assert not checker.asks(replace(goal, aggregate=Aggregate.LIST), ASKED)
    assert not checker.asks(replace(goal, aggregate=Aggregate.COUNT), ASKED)


def rebuilt(node: Node, path: tuple[int, ...], change) -> Node:
    if not path:
        return change(node)
    children = list(node.children)
    children[path[0]] = rebuilt(children[path[0]], path[1:], change)
    return node.model_copy(update={"children": tuple(children)})


def fact_paths(node: Node, path: tuple[int, ...] = ()):
    if node.kind == "fact":
        yield path
    for n, child in enumerate(node.children):
        yield from fact_paths(child, (*path, n))


@pytest.mark.parametrize(
    "question", ["What did Petra's brother buy?", "When did Joris buy a canoe?", "Where does Petra live?"]
)
def test_a_proof_with_an_altered_leaf_does_not_verify(remembered, question):
    memory, _ = remembered
    proof: Proof = memory.ask(question, space=SPACE).proof
    assert memory.verify(proof).ok
    other = memory.ask("Who visited Malta?", space=SPACE).proof.evidence()[0]
    paths = list(fact_paths(proof.root))
    assert paths
    changes = [
        lambda n: n.model_copy(update={"evidence": (other,)}),
        lambda n: n.model_copy(update={"negated": True}),
        lambda n: n.model_copy(update={"evidence": ()}),
        lambda n: n.model_copy(update={"score": n.score / 2}),
    ]
    for path in paths:
        for change in changes:
            altered = proof.model_copy(update={"root": rebuilt(proof.root, path, change)})
            assert not memory.verify(altered).ok


def test_one_thing_is_no_list_of_what_was_asked_for(remembered):
    memory, _ = remembered
    proof: Proof = memory.ask("What did Petra's brother buy?", space=SPACE).proof
    listed = proof.model_copy(update={"goal": proof.goal.model_copy(update={"aggregate": Aggregate.LIST})})
    assert memory.verify(proof).ok
    assert not memory.verify(listed).ok


def test_a_time_is_read_from_the_words_that_say_it(remembered):
    memory, _ = remembered
    proof: Proof = memory.ask("When did Joris buy a canoe?", space=SPACE).proof
    document = proof.model_dump_json()
    spans = {b.span for _, n in proof.root.walk() for b in n.bindings if b.variable.type == "time"}
    assert len(spans) == 1
    (span,) = spans
    word = proof.evidence()[0].quote.split()[0]
    assert memory.verify(document).ok
    assert not memory.verify(document.replace(f'"span":"{span}"', f'"span":"{word}"')).ok


@pytest.mark.parametrize(
    "name", one_in(2, ["passages", "background", "rules", "graph", "walks", "own walks", "assumed", "nobody", ""])
)
def test_to_name_another_source_gains_nothing(remembered, name):
    memory, _ = remembered
    proof: Proof = memory.ask("What did Petra's brother buy?", space=SPACE).proof
    assert memory.verify(proof).ok
    for path in fact_paths(proof.root):
        renamed = rebuilt(proof.root, path, lambda n: n.model_copy(update={"source": name}))
        assert not memory.verify(proof.model_copy(update={"root": renamed}).digested()).ok


def test_who_checks_a_step_can_neither_search_nor_read(checker):
    offers = {"steps", "refine", "near_misses"}
    for source in ("memory", "background", "passages", "rules", "graph", "walks"):
        assert offers.isdisjoint(dir(checker.of(Node(kind="fact", source=source))))
