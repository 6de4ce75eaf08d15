"""What counts as the same, as an instance and as saying the same. Likeness is nil here unless a test gives some."""

import pytest

from goalmem.logic.unify import FramePart
from goalmem.sources.similarity import Similarity

ALIASES = {"maya's sister": "Ines", "innie": "Ines", "maya": "Maya"}


def similarity(cosine=0.0):
    return Similarity(ALIASES, lambda a, b: cosine)


def thing(text, *, role="object", **more):
    words = text.casefold().split()
    return FramePart(role, text, 0, len(text), words[-1], modifiers=tuple(words[:-1]), **more)


def someone(name, *, role="subject", kind="person", resolved="name", text=None):
    text = name if text is None else text
    return FramePart(role, text, 0, len(text), name.casefold().split()[-1], name, kind, resolved)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("Innie", "ines"),
        ("INNIE", "ines"),
        ("Maya's sister", "ines"),
        ("Innie's dog", "ines's dog"),
        ("Maya's sister's dog", "ines's dog"),
        ("Leo", "leo"),
    ],
)
def test_a_name_has_one_canonical_form(name, canonical):
    assert similarity().canonical(name) == canonical
    assert similarity().canonical(canonical) == canonical


def test_aliases_that_go_in_circles_end():
    assert Similarity({"a": "B", "b": "A"}, lambda a, b: 0.0).canonical("a")


@pytest.mark.parametrize(
    ("goal", "fact", "same"),
    [
        (someone("Ines"), someone("Ines"), True),
        (someone("Ines"), someone("Innie"), True),
        (someone("Maya's sister"), someone("Ines"), True),
        (someone("Ines"), someone("Ines", text="She", resolved="pronoun"), True),
        (someone("Ines"), someone("Leo"), False),
        (someone("Maya's sister"), someone("Maya"), False),
        (someone("Leo's sister"), someone("Ines"), False),
        (thing("guitar"), thing("guitar"), True),
        (thing("dog"), thing("beagle"), True),
        (thing("beagle"), thing("dog"), False),
        (thing("guitar"), thing("violin"), False),
        (thing("bicycle"), someone("Leo", resolved="speaker"), False),
    ],
    ids=lambda v: v.text or v.entity if isinstance(v, FramePart) else "",
)
def test_a_constant_is_the_same_entity_and_never_a_related_one(goal, fact, same):
    assert bool(similarity().same(goal, fact)[0]) is same


def test_how_two_parts_are_the_same_is_said():
    assert similarity().same(someone("Ines"), someone("Ines", text="She", resolved="pronoun"))[1] == "pronoun"
    assert similarity().same(someone("Maya's sister"), someone("Ines"))[1] == "alias"
    assert similarity().same(thing("dog"), thing("beagle"))[1] == "is-a"


def test_what_lacks_an_adjective_is_another_thing():
    assert similarity().same(thing("red bicycle"), thing("red bicycle"))[0] == 1
    assert similarity().same(thing("red bicycle"), thing("bicycle"))[0] == 0
    assert similarity().same(thing("bicycle"), thing("red bicycle"))[0] == 1


@pytest.mark.parametrize(
    ("goal", "fact", "how"),
    [
        ("adopt", "adopt", "same"),
        ("buy", "purchase", "synonym"),
        ("like", "love", "synonym"),
        ("like", "hate", "opposite"),
        ("dislike", "love", "opposite"),
        ("dislike", "hate", "synonym"),
    ],
)
def test_verbs_that_say_the_same_or_the_opposite(goal, fact, how):
    sure, found = similarity().predicate(goal, fact)
    assert sure > 0.5
    assert found == how


@pytest.mark.parametrize(("goal", "fact"), [("be", "have"), ("live", "be"), ("buy", "sing"), ("adopt", "eat")])
def test_other_verbs_do_not(goal, fact):
    assert similarity().predicate(goal, fact)[0] == 0


def test_likeness_makes_no_two_words_the_same():
    assert similarity(1.0).same(thing("guitar"), thing("violin"))[0] == 0
    assert similarity(1.0).predicate("frobnicate", "grobble")[0] == 0


def test_likeness_never_makes_one_named_entity_another():
    assert similarity(1.0).same(someone("Ines"), someone("Leo"))[0] == 0
    assert similarity(1.0).same(someone("Ines"), thing("woman"))[0] == 0


@pytest.mark.parametrize(
    ("part", "type", "suits"),
    [
        (thing("beagle"), "dog", True),
        (thing("beagle"), "animal", True),
        (thing("violin"), "dog", False),
        (someone("Leo"), "person", True),
        (someone("Porto", role="in", kind="place"), "place", True),
        (someone("Porto", role="in", kind="place"), "person", False),
        (someone("Leo"), "place", False),
        (someone("Leo"), "name", True),
        (someone("Maya's sister"), "name", False),
        (thing("three cats"), "number of cat", True),
        (thing("many cats"), "number of cat", False),
        (thing("three dogs"), "number of violin", False),
        (thing("two weeks"), "duration", True),
        (thing("a while"), "duration", False),
        (thing("nurse"), "occupation", True),
        (thing("it"), "thing", False),
        (thing("instrument"), "instrument", False),
        (thing("lamp"), "thing", True),
    ],
    ids=lambda v: v.text if isinstance(v, FramePart) else str(v),
)
def test_what_is_an_instance_of_what(part, type, suits):
    head = part.head.removesuffix("s") if type.startswith("number of") else part.head
    worded = FramePart(part.role, part.text, 0, 1, head, part.entity, part.type, part.resolved, part.modifiers)
    assert (similarity().instance(worded, type) > 0.5) is suits
