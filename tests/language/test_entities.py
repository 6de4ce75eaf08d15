"""Who and what is meant: names, speakers, owners, pronouns, aliases."""

from collections.abc import Callable

import pytest

from goalmem.language import TurnContext
from goalmem.records import Extraction, Fact
from tests.language.finding import find, named, one

Tell = Callable[..., list[Fact]]
Talk = Callable[..., list[Extraction]]


@pytest.mark.parametrize(
    ("text", "alias", "name"),
    [
        ("My sister Ines lives in Porto.", "Maya's sister", "Ines"),
        ("My sister, Ines, lives in Porto.", "Maya's sister", "Ines"),
        ("Ines, my sister, lives in Porto.", "Maya's sister", "Ines"),
        ("Ines is my sister.", "Maya's sister", "Ines"),
        ("My dog's name is Biscuit.", "Maya's dog", "Biscuit"),
        ("We named our cat Oscar.", "Maya's cat", "Oscar"),
        ("Ottilie is my aunt.", "Maya's aunt", "Ottilie"),
        ("Roswitha's my accordion teacher now.", "Maya's accordion teacher", "Roswitha"),
        ("my dog rexo loves the park", "Maya's dog", "Rexo"),
    ],
)
def test_a_naming_gives_an_alias_and_an_identity(talk: Talk, text: str, alias: str, name: str) -> None:
    (read,) = talk(f"Maya: {text}")
    assert (alias, name) in read.aliases
    identity = one([f for f in read.facts if f.kind == "identity"], "be", subject=name)
    assert named(identity, "attribute") == alias


def test_what_is_named_is_of_its_kind(tell: Tell) -> None:
    facts = tell("I adopted a beagle named Biscuit.")
    assert one(facts, "adopt", subject="Maya", object="Biscuit").arg("object").type == "animal"  # type: ignore[union-attr]
    assert one([f for f in facts if f.kind == "identity"], "be", subject="Biscuit").arg("attribute").head == "beagle"  # type: ignore[union-attr]


def test_the_name_is_used_from_then_on(talk: Talk) -> None:
    reads = talk("Maya: My sister Ines moved to Porto.", "Tom: Nice!", "Maya: My sister loves it there.")
    assert reads[2].facts[-1].arg("subject").entity == "Ines"  # type: ignore[union-attr]


def test_a_known_alias_is_followed(tell: Tell) -> None:
    context = TurnContext(aliases={"maya's sister": "Ines"}, speakers=("Maya", "Tom"))
    assert one(tell("My sister got married.", context=context), "marry").arg("object").resolved == "alias"  # type: ignore[union-attr]


def test_a_pet_that_was_adopted_can_be_named_later(talk: Talk) -> None:
    reads = talk("Maya: We adopted a beagle!", "Tom: Aww!", "Maya: His name is Max.")
    assert ("Maya's beagle", "Max") in reads[2].aliases


def test_a_pronoun_renames_its_antecedent(talk: Talk) -> None:
    reads = talk("Maya: I got a new dog. My dog sleeps a lot.", "Maya: His name is Max.")
    assert ("Maya's dog", "Max") in reads[1].aliases


def test_my_sister_is_somebody_that_one_has(tell: Tell) -> None:
    fact = one([f for f in tell("My sister called.") if f.kind == "possession"], "have", subject="Maya")
    assert fact.arg("object").entity == "Maya's sister"  # type: ignore[union-attr]
    assert fact.statement == "Maya has a sister"


def test_you_is_the_other_speaker_of_two(talk: Talk) -> None:
    reads = talk("Maya: You bought a car.", "Tom: I sold it.")
    assert reads[0].facts[0].subject == "Tom"
    (alone,) = talk("Maya: You bought a car.", context=TurnContext(speakers=("Maya", "Tom", "Ana")))
    assert alone.facts[0].arg("subject").entity == ""  # type: ignore[union-attr]


def test_a_pronoun_is_resolved_where_only_one_can_be_meant(tell: Tell) -> None:
    assert one(tell("My sister moved to Rome. She loves it."), "love", subject="Maya's sister")
    assert one(tell("My mother met my father in Rome. He was a cook."), "be", subject="Maya's father")


def test_a_pronoun_that_could_mean_two_is_left_open(tell: Tell) -> None:
    fact = one(tell("Ana met Eva at school. She was late."), "be")
    assert fact.arg("subject").entity == ""  # type: ignore[union-attr]


def test_an_empty_it_stands_for_nothing(tell: Tell) -> None:
    facts = tell("My car broke down. It's important to stay calm.")
    assert one(facts, "be").arg("subject").entity == ""  # type: ignore[union-attr]


def test_the_dog_is_the_dog_spoken_of(tell: Tell) -> None:
    facts = tell("My dog Biscuit ate the cake. The dog was sick.")
    assert one([f for f in facts if f.kind == "clause"], "be").subject == "Biscuit"


def test_titles_are_works(tell: Tell) -> None:
    fact = one(tell('I read "Becoming Nicole" last week.'), "read")
    assert (fact.object, fact.arg("object").type) == ("Becoming Nicole", "work")  # type: ignore[union-attr]


def test_quoted_words_are_not_the_speakers(tell: Tell) -> None:
    fact = one(tell('Ana said "I sold my house".'), "sell")
    assert fact.arg("subject").entity == ""  # type: ignore[union-attr]


def test_a_name_with_an_apostrophe_is_one_name(tell: Tell) -> None:
    facts = tell("She works at St. Mary's Hospital.")
    assert not find([f for f in facts if f.kind == "possession"], "have")


def test_previous_and_current_are_told_apart(tell: Tell) -> None:
    facts = tell("My previous job was boring. My job is fun.")
    subjects = {f.subject for f in find(facts, "be")}
    assert subjects == {"Maya's previous job", "Maya's job"}


def test_entities_are_mentioned_and_linked(talk: Talk) -> None:
    (read,) = talk("Maya: My sister Ines moved to Porto.")
    assert {"Ines", "Porto"} <= {m.entity for m in read.mentions}
    assert ("Ines", "move to", "Porto") in {(e.subject, e.relation, e.object) for e in read.edges}


def test_a_first_name_stands_for_the_whole_name(talk: Talk) -> None:
    reads = talk("Maya: I met Anna Lindqvist.", "Tom: Oh, Anna plays chess.")
    assert reads[1].facts[0].subject == "Anna Lindqvist"


def test_he_is_not_whom_he_sits_on(tell: Tell) -> None:
    fact = one(tell("My dog Rex met my cat Tom-Tom. Rex sat on him."), "sit")
    assert fact.arg("on").entity != fact.subject  # type: ignore[union-attr]


def test_what_is_put_forward_is_what_it_is_about(tell: Tell) -> None:
    fact = one([f for f in tell("The lemon cake. It's my favourite cake!") if f.kind == "clause"], "be")
    assert (fact.subject, fact.object) == ("lemon cake", "Maya's favorite cake")


def test_a_time_alone_dates_the_sentence_before(tell: Tell) -> None:
    assert str(one(tell("I broke my wrist. Two weeks ago."), "break").when) == "the week of 3 July 2023"
