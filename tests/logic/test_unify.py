"""The conditions under which a fact says a subgoal, with a small lexicon (conditions 5 and 6 among several facts are
the engine's: tests/engine/test_search.py).
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.logic.terms import Binding, Derivation, Substitution, Value, Variable
from goalmem.logic.unify import Frame, FramePart, Mismatch, Unification, unify
from goalmem.sources.roles import role_fit

ALIASES = {"Maya's sister": "Ines", "Innie": "Ines"}
KINDS = {
    "Maya": "person",
    "Ines": "person",
    "Leo": "person",
    "Porto": "city",
    "Lisbon": "city",
    "beagle": "dog",
    "violin": "instrument",
    "guitar": "instrument",
    "friday": "time",
}
SAYS = {("buy", "purchase"): 0.9, ("visit", "tour"): 0.7, ("love", "hate"): 0.9, ("buy", "sell"): 0.3}
OPPOSITES = {("love", "hate")}
ALTERNATING = {"move"}


class Toy:
    """Aliases name the same; a noun is of its kind; verbs say what the table says."""

    def same(self, goal, fact):
        wanted, held = goal.entity or goal.head, fact.entity or fact.head
        if wanted == held:
            return 1.0, "same"
        if ALIASES.get(wanted, wanted) == ALIASES.get(held, held):
            return 1.0, "alias"
        return (0.95, "is-a") if KINDS.get(held) == wanted else (0.0, "")

    def predicate(self, goal, fact):
        if goal == fact:
            return 1.0, "same"
        how = "opposite" if (goal, fact) in OPPOSITES else "synonym"
        return SAYS.get((goal, fact), 0.0), how

    def alternates(self, predicate, done_to):
        return predicate in ALTERNATING

    def valued(self, attribute, part):
        return None

    def situates(self, predicate, place, part):
        return False

    def is_incomplete(self, adjective, beside):
        return adjective.head == "poor" and "at" in beside

    def narrows(self, goal, fact):
        return goal is None or "red" in {*fact.modifiers} - {*goal.modifiers}

    def adds_nothing(self, part):
        return part.text == "finally"

    def genuine(self, part, kind):
        return "fake" not in part.modifiers

    def instance(self, part, type):
        kind = KINDS.get(part.entity or part.head)
        return 1.0 if type in ("thing", kind) else 0.75 if kind is None else 0.0

    def role(self, goal, fact, predicate):
        return role_fit(goal, fact, predicate)

    def lasts(self, time):
        return time.startswith("since")

    def determined(self, part):
        return part.text.startswith(("a ", "the "))

    def describes(self, part):
        return part.text.startswith("a ")


LEXICON = Toy()
X, Y = Variable("x", "city"), Variable("y", "person")


def part(role, text, **more):
    """A part; a capital makes it an entity."""
    entity = text if text[:1].isupper() else ""
    return FramePart(role, text, 0, len(text), text.split()[-1], entity=entity, **more)


def open_(role, variable, **more):
    return FramePart(role, variable.type, -1, -1, variable.type, variable=variable, **more)


def frame(predicate, *parts, **more):
    return Frame(predicate, parts, **more)


def ways(goal, fact):
    found = unify(goal, fact, LEXICON)
    assert not isinstance(found, Mismatch), found
    return found


def refused(goal, fact):
    found = unify(goal, fact, LEXICON)
    assert isinstance(found, Mismatch), found
    assert found.reason
    assert 0 <= found.score < 1
    return found.reason


LIVES = frame("live", part("subject", "Ines"), part("in", "Porto"))


def test_a_variable_gets_what_stands_in_its_place():
    (way,) = ways(frame("live", part("subject", "Ines"), open_("in", X)), LIVES)
    assert [(v, p.text) for v, p in way.filled] == [(X, "Porto")]
    assert (way.score, way.opposed) == (1.0, False)
    assert {(a.goal, a.evidence, a.how) for a in way.alignment} == {("live", "live", "same"), ("Ines", "Ines", "same")}


# -- condition 1: constants are the same entity, and only variables are bound --------------------------------------------


@pytest.mark.parametrize("name", ["Ines", "Innie", "Maya's sister"])
def test_an_entity_is_the_same_by_any_of_its_names(name):
    (way,) = ways(frame("live", part("subject", name), open_("in", X)), LIVES)
    assert way.filled[0][1].text == "Porto"


@pytest.mark.parametrize(
    ("goal", "missing"),
    [
        (frame("live", part("subject", "Maya"), open_("in", X)), "Maya"),
        (frame("live", open_("subject", Y), part("in", "Lisbon")), "Lisbon"),
        (frame("live", part("subject", "Ines"), open_("in", X), part("with", "Leo")), "Leo"),
    ],
    ids=["subject", "circumstance", "companion"],
)
def test_a_named_entity_must_be_in_the_fact(goal, missing):
    assert missing in refused(goal, LIVES)


def test_a_related_thing_is_no_substitute():
    assert "guitar" in refused(
        frame("play", open_("subject", Y), part("object", "guitar")),
        frame("play", part("subject", "Leo"), part("object", "violin")),
    )


def test_a_participant_must_be_in_the_fact():
    goal = frame("buy", part("subject", "Maya"), part("object", "lamp"))
    assert "lamp" in refused(goal, frame("buy", part("subject", "Maya")))
    assert "lamp" in refused(goal, frame("buy", part("subject", "Maya"), part("object", "chair")))


def test_a_circumstance_must_be_said():
    goal = frame("buy", part("subject", "Maya"), part("object", "lamp"), part("in", "winter"))
    assert isinstance(unify(goal, frame("buy", part("subject", "Maya"), part("object", "lamp")), LEXICON), Mismatch)


def test_an_empty_adverb_need_not_be_said():
    goal = frame("buy", part("subject", "Maya"), part("object", "lamp"), part("manner", "finally"))
    (way,) = ways(goal, frame("buy", part("subject", "Maya"), part("object", "lamp")))
    assert way.score == 1.0


def test_who_did_it_and_to_whom_are_not_exchanged():
    goal = frame("call", part("subject", "Maya"), part("object", "Leo"))
    assert refused(goal, frame("call", part("subject", "Leo"), part("object", "Maya")))


def test_of_identity_the_sides_may_be_exchanged():
    goal = frame("be", part("subject", "Ines"), part("attribute", "Maya's sister"))
    assert ways(goal, frame("be", part("subject", "Maya's sister"), part("attribute", "Ines")))


# -- condition 2: types --------------------------------------------------------------------------------------------------


def test_what_is_known_to_be_of_another_kind_cannot_stand_for_a_variable():
    fact = frame("live", part("subject", "Ines"), part("in", "friday"))
    assert "(x:city)" in refused(frame("live", part("subject", "Ines"), open_("in", X)), fact)


def test_what_is_of_unknown_kind_counts_less():
    goal = frame("live", part("subject", "Ines"), open_("in", X))
    (unknown,) = ways(goal, frame("live", part("subject", "Ines"), part("in", "Zzyzx")))
    assert 0 < unknown.score < 1


def test_a_variable_may_need_a_second_kind():
    goal = frame("have", part("subject", "Maya"), open_("object", Variable("y", "thing"), kind="dog"))
    assert ways(goal, frame("have", part("subject", "Maya"), part("object", "beagle")))
    assert refused(goal, frame("have", part("subject", "Maya"), part("object", "violin")))


def test_each_part_that_suits_is_a_way_and_the_likelier_comes_first():
    goal = frame("go", part("subject", "Maya"), open_("to", X))
    fact = frame("go", part("subject", "Maya"), part("into", "Lisbon"), part("to", "Porto"))
    found = ways(goal, fact)
    assert [w.filled[0][1].text for w in found] == ["Porto", "Lisbon"]
    assert found[0].score > found[1].score


@pytest.mark.parametrize(("asked", "told"), [("to", "from"), ("object", "like"), ("object", "with")])
def test_what_stands_in_another_role_is_no_way(asked: str, told: str):
    goal = frame("eat", part("subject", "Maya"), open_(asked, X))
    assert refused(goal, frame("eat", part("subject", "Maya"), part(told, "horse")))


# -- condition 3: equality -----------------------------------------------------------------------------------------------


def test_two_variables_never_stand_for_the_same_words():
    goal = frame("meet", open_("subject", Y), open_("object", Variable("z", "person")))
    fact = frame("meet", part("subject", "Maya"), part("object", "Leo"))
    assert [[p.text for _, p in w.filled] for w in ways(goal, fact)] == [["Maya", "Leo"]]
    assert refused(goal, frame("meet", part("subject", "Maya")))


def test_a_constant_is_no_candidate_for_a_variable():
    goal = frame("meet", part("subject", "Maya"), open_("object", Y))
    assert refused(goal, frame("meet", part("subject", "Maya")))


def test_a_bound_variable_keeps_what_it_stands_for():
    def bound(text):
        return (Binding(Y, Value(text, text.casefold()), Derivation.QUOTED),)

    held = Substitution().bind(bound("Ines"))
    assert held.bind(bound("INES")) == held
    assert held.bind(bound("Leo")) is None
    assert held["y"].text == "Ines"


# -- condition 4: entailment ---------------------------------------------------------------------------------------------


def test_a_verb_that_says_the_same_will_do_and_counts_less():
    fact = frame("purchase", part("subject", "Maya"), part("object", "lamp"))
    (way,) = ways(frame("buy", part("subject", "Maya"), part("object", "lamp")), fact)
    assert way.score == pytest.approx(0.9)


@pytest.mark.parametrize("verb", ["sell", "paint"])
def test_another_verb_about_the_same_things_says_nothing(verb):
    fact = frame(verb, part("subject", "Maya"), part("object", "lamp"))
    assert verb in refused(frame("buy", part("subject", "Maya"), part("object", "lamp")), fact)


def test_several_small_doubts_together_are_too_many():
    goal = frame("visit", part("subject", "Maya"), open_("in", X), part("object", "museum"), part("on", "winter"))
    fact = frame("tour", part("subject", "Maya"), part("at", "Zzyzx"), part("object", "museum"))
    assert refused(goal, fact)


# -- polarity ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "said", "verb", "opposed"),
    [
        (True, True, "love", False),
        (True, False, "love", True),
        (False, True, "love", True),
        (False, False, "love", False),
        (True, True, "hate", True),
        (True, False, "hate", False),
    ],
)
def test_a_denial_and_an_opposite_verb_say_the_opposite_and_both_together_do_not(asked, said, verb, opposed):
    goal = frame("love", part("subject", "Maya"), part("object", "olives"), polarity=asked)
    fact = frame(verb, part("subject", "Maya"), part("object", "olives"), polarity=said)
    (way,) = ways(goal, fact)
    assert way.opposed is opposed


# -- owners --------------------------------------------------------------------------------------------------------------


OWNER = Variable("x", "person")


def test_an_owner_is_read_out_of_what_is_owned():
    goal = frame("be", open_("subject", OWNER, owned="birthday"), part("attribute", "friday"))
    (way,) = ways(goal, frame("be", part("subject", "Maya's birthday"), part("attribute", "friday")))
    assert [(v, p.entity) for v, p in way.filled] == [(OWNER, "Maya")]


@pytest.mark.parametrize("owned", ["Maya's boat", "birthday", "Maya"])
def test_the_owner_of_something_else_is_no_answer(owned):
    goal = frame("be", open_("subject", OWNER, owned="birthday"), part("attribute", "friday"))
    assert refused(goal, frame("be", part("subject", owned), part("attribute", "friday")))


# -- condition 5: no order decides ---------------------------------------------------------------------------------------


GOAL = frame(
    "give", open_("subject", Y), part("indirect", "Ines"), open_("object", Variable("z", "thing")), part("in", "Porto")
)
FACT = frame(
    "give",
    part("subject", "Leo"),
    part("indirect", "Maya's sister"),
    part("object", "violin"),
    part("in", "Porto"),
    part("on", "friday"),
)


def as_set(found: list[Unification]):
    return {
        (frozenset((v.name, p.text) for v, p in w.filled), frozenset(w.alignment), w.score, w.opposed) for w in found
    }


@given(st.permutations(GOAL.parts), st.permutations(FACT.parts))
def test_the_order_of_parts_does_not_matter(asked, said):
    found = ways(replace(GOAL, parts=tuple(asked)), replace(FACT, parts=tuple(said)))
    expected = ways(GOAL, FACT)
    assert as_set(found) == as_set(expected)
    best = dict(found[0].filled)
    assert {v.name: p.text for v, p in best.items()} == {"y": "Leo", "z": "violin"}


def test_what_is_done_to_an_object_is_not_told_of_who_does_it():
    asked = frame("move", part("subject", "Ines"), open_("to", X))
    assert "tent" in refused(asked, frame("move", part("subject", "Ines"), part("object", "tent"), part("to", "Porto")))
    (way,) = ways(asked, frame("move", part("subject", "Ines"), part("to", "Porto")))
    assert way.filled[0][1].text == "Porto"
