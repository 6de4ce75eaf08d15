"""Only what is asserted proves anything: everything else keeps how it was meant."""

from collections.abc import Callable

import pytest

from goalmem.records import Fact, Modality
from tests.language.finding import find, one

Tell = Callable[..., list[Fact]]


@pytest.mark.parametrize(
    ("text", "verb", "modality"),
    [
        ("I bought a car.", "buy", "asserted"),
        ("I'm going to buy a car.", "buy", "planned"),
        ("I'll buy a car.", "buy", "planned"),
        ("I'm planning to buy a car.", "buy", "planned"),
        ("We're moving to Rome next month.", "move", "planned"),
        ("Gonna buy a car!", "buy", "planned"),
        ("Did you buy a car?", "buy", "question"),
        ("You bought a car?", "buy", "question"),
        ("I might buy a car.", "buy", "hypothetical"),
        ("Maybe I bought it.", "buy", "hypothetical"),
        ("If I buy a car, I'm broke.", "buy", "hypothetical"),
        ("I'm thinking of buying a car.", "buy", "hypothetical"),
        ("I think Heidi lives in Bern.", "live", "hypothetical"),
        ("I want to buy a car.", "buy", "wish"),
        ("I'd love to visit Japan.", "visit", "wish"),
        ("I wish I had a dog.", "have", "wish"),
        ("I hope she moves to Rome.", "move", "wish"),
        ("Buy a car!", "buy", "command"),
        ('He said "I will never leave Porto".', "leave", "quoted"),
        ("> I sold my house", "sell", "quoted"),
        ("I moved to Mars. Just kidding!", "move", "joke"),
        ("I moved to Mars, jk", "move", "joke"),
        ("I moved to Mars. No joke, I'm not kidding!", "move", "asserted"),
        ("I managed to fix the bike.", "fix", "asserted"),
        ("I'm glad that Ana moved to Rome.", "move", "asserted"),
        ("Ana told me that she moved to Rome.", "move", "asserted"),
        ("It was great to meet Ana.", "meet", "asserted"),
        ("I moved to Rome, remember?", "move", "asserted"),
        ("If I had the money, I'd come along.", "have", "hypothetical"),
        ("We fly on 3 August.", "fly", "planned"),
        ("I'm not even joking, I moved to Rome.", "move", "asserted"),
        ("Ana told me that Leo moved to Rome.", "move", "reported"),
        ("They say that Leo moved to Rome.", "move", "reported"),
        ("I heard that Leo moved to Rome.", "move", "reported"),
        ("Apparently Leo moved to Rome.", "move", "reported"),
        ("According to Ana, Leo moved to Rome.", "move", "reported"),
        ("Rumour has it that Leo moved to Rome.", "move", "reported"),
        ("Ana said: 'I never moved to Rome'", "move", "quoted"),
        ("In my novel Leo moved to Rome.", "move", "hypothetical"),
        ("In the book I'm writing, a woman called Ines moved to Rome.", "move", "hypothetical"),
        ("In the show Leo moved to Rome.", "move", "hypothetical"),
        ("In the show room Leo painted a wall.", "paint", "asserted"),
        ("In the dream Leo moved to Rome.", "move", "hypothetical"),
        ("Had I moved to Rome, all would be well.", "move", "hypothetical"),
        ("Imagine that I moved to Rome.", "move", "hypothetical"),
        ("I considered moving to Rome.", "move", "hypothetical"),
        ("I denied having moved to Rome.", "move", "hypothetical"),
        ("Leo acted as if he had moved to Rome.", "move", "hypothetical"),
        ("I used to live in Rome.", "live", "former"),
        ("I ended up moving to Rome.", "move", "asserted"),
        ("I love living in Rome.", "live", "asserted"),
    ],
)
def test_a_clause_keeps_how_it_is_meant(tell: Tell, text: str, verb: str, modality: str) -> None:
    assert one(tell(text), verb).modality == modality


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("I didn't buy a car.", "buy"),
        ("I never eat meat.", "eat"),
        ("I no longer work at Google.", "work"),
        ("I stopped eating meat.", "eat"),
        ("I quit smoking cigars.", "smoke"),
        ("I failed to finish the race.", "finish"),
        ("I hardly know him.", "know"),
        ("I have no siblings.", "have"),
        ("Nobody came to the party.", "come"),
        ("I left without saying goodbye.", "say"),
        ("I can't eat gluten.", "eat"),
        ("I haven't seen it or met Ana.", "meet"),
        ("Instead of going to Iceland I got a dog.", "go"),
        ("I almost bought a yacht.", "buy"),
        ("I all but bought a yacht.", "buy"),
        ("I am hardly allergic to nuts.", "be"),
        ("I went to bed rather than bake a cake.", "bake"),
        ("Ana kept me from buying a yacht.", "buy"),
        ("I put off buying a yacht.", "buy"),
        ("I missed out on buying a yacht.", "buy"),
        ("Not once did I eat meat.", "eat"),
    ],
)
def test_what_is_denied_is_denied(tell: Tell, text: str, verb: str) -> None:
    fact = one(tell(text), verb)
    assert not fact.polarity
    assert fact.modality is Modality.ASSERTED


@pytest.mark.parametrize(
    "text", ["I'm allergic to nuts, so no cake for me.", "I'm happy here, but no pets are allowed."]
)
def test_a_no_in_what_is_added_denies_nothing_before_it(tell: Tell, text: str) -> None:
    assert one(tell(text), "be").polarity


def test_neither_denies_both(tell: Tell) -> None:
    assert [f.polarity for f in find(tell("I bought neither a yacht nor a car."), "buy")] == [False, False]


@pytest.mark.parametrize(
    ("text", "verb", "role", "excluded"),
    [
        ("Everybody except me climbed it.", "climb", "subject", "Maya"),
        ("I bought everything except a yacht.", "buy", "object", "a yacht"),
        ("Leo baked a cake instead of Ana.", "bake", "subject", "Ana"),
        ("I baked a pie, but not a cake.", "bake", "object", "not a cake"),
    ],
)
def test_who_is_excluded_did_not_take_part(tell: Tell, text: str, verb: str, role: str, excluded: str) -> None:
    denied = [f for f in tell(text) if f.predicate == verb and not f.polarity]
    assert [(a.entity or a.text) for f in denied for a in f.args if a.role == role] == [excluded]


def test_somebody_else_of_the_name_is_somebody_else(tell: Tell) -> None:
    assert find(tell("Another woman called Ines moved to Rome."), "move", subject="another Ines")


def test_not_only_denies_nothing(tell: Tell) -> None:
    assert one(tell("She not only sings well."), "sing").polarity


def test_a_wish_is_itself_asserted(tell: Tell) -> None:
    assert one(tell("I want to buy a house."), "want", subject="Maya").modality is Modality.ASSERTED


def test_a_question_about_somebody_is_no_memory_of_them(tell: Tell) -> None:
    facts = tell("Do you know the Heidi who lives in Bern? Does Heidi have a brother? Is Heidi's dog old?")
    assert facts
    assert not [f for f in facts if f.modality is Modality.ASSERTED]


def test_a_question_presupposes_what_the_asker_has(tell: Tell) -> None:
    facts = tell("Have you met my sister?")
    assert one(facts, "have", subject="Maya", object="Maya's sister").modality is Modality.ASSERTED


def test_what_used_to_be_has_no_slot(tell: Tell) -> None:
    fact = one(tell("I used to live in Porto."), "live", subject="Maya", in_="Porto")
    assert fact.modality is Modality.FORMER
    assert fact.slot == ""
    assert not find(tell("I used to live in Porto."), "use")


@pytest.mark.parametrize(
    ("texts", "slot"),
    [
        (("I live in Porto.", "I moved to Rome."), "residence"),
        (("I work at Google.", "I started a new job at Apple.", "I'm a nurse."), "employment"),
        (("I love coffee.", "I hate coffee.", "I don't like coffee anymore."), "like coffee"),
        (("I drink coffee.", "I don't drink coffee anymore.", "I stopped drinking coffee."), "drink coffee"),
        (("My favorite color is blue.", "Green is my favorite color."), "favorite color"),
        (("I'm single.", "I'm engaged."), "relationship"),
        (("I turned 30.", "I am 31 years old."), "age"),
        (("I have three dogs.",), "count dog"),
    ],
)
def test_what_can_be_one_thing_at_a_time_has_a_slot(tell: Tell, texts: tuple[str, ...], slot: str) -> None:
    for text in texts:
        assert slot in {f.slot for f in tell(text)}, text


def test_a_plan_has_no_slot(tell: Tell) -> None:
    assert {f.slot for f in tell("I'm going to move to Rome.")} == {""}


@pytest.mark.parametrize(
    ("text", "predicate", "liked", "polarity"),
    [
        ("I love jazz.", "love", "jazz", True),
        ("I can't stand mushrooms.", "hate", "mushrooms", True),
        ("I'm into jazz.", "like", "jazz", True),
        ("I'm a big fan of jazz.", "like", "jazz", True),
        ("I'm not a fan of jazz.", "like", "jazz", False),
        ("I prefer tea to coffee.", "prefer", "tea", True),
        ("My favorite drink is tea.", "like", "tea", True),
        ("Do you like jazz?", "like", "jazz", True),
    ],
)
def test_a_preference_is_one_however_it_is_said(
    tell: Tell, text: str, predicate: str, liked: str, polarity: bool
) -> None:
    fact = one([f for f in tell(text) if f.kind == "preference"], predicate)
    assert (fact.object, fact.polarity) == (liked, polarity)
