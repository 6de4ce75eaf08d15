"""What words mean in general."""

import pytest

from goalmem.language import lexicon


@pytest.mark.parametrize(
    ("noun", "kind"),
    [
        ("beagle", "dog"),
        ("beagle", "animal"),
        ("lisbon", "city"),
        ("france", "country"),
        ("coffee", "drink"),
        ("aunt", "person"),
    ],
)
def test_a_noun_is_of_its_kinds(noun: str, kind: str) -> None:
    assert lexicon.is_a(noun, kind)


@pytest.mark.parametrize(
    ("noun", "kind"), [("guitar", "violin"), ("dog", "beagle"), ("cat", "dog"), ("xyzzy", "animal")]
)
def test_a_related_noun_is_not(noun: str, kind: str) -> None:
    assert not lexicon.is_a(noun, kind)


@pytest.mark.parametrize(
    ("noun", "kind"),
    [
        ("sister", "person"),
        ("dog", "animal"),
        ("museum", "place"),
        ("song", "work"),
        ("pizza", "food"),
        ("weekend", "time"),
        ("xyzzy", ""),
    ],
)
def test_a_noun_has_a_coarse_type(noun: str, kind: str) -> None:
    assert lexicon.coarse_type(noun) == kind


def test_words_have_synonyms_and_relatives() -> None:
    assert "purchase" in lexicon.synonyms("buy")
    assert "relocation" in lexicon.related("relocate", "n")
    assert "buy" not in lexicon.synonyms("buy")


def test_case_does_not_matter() -> None:
    assert lexicon.is_a("Beagle", "dog") == lexicon.is_a("beagle", "Dog")


@pytest.mark.parametrize(
    ("noun", "gender"), [("sister", "female"), ("uncle", "male"), ("husband", "male"), ("doctor", "")]
)
def test_nouns_for_people_have_a_gender_where_they_say_it(noun: str, gender: str) -> None:
    assert lexicon.gender(noun) == gender


def test_irregular_verbs_have_a_base() -> None:
    assert lexicon.base_form("forgot") == "forget"
    assert lexicon.base_form("walk") == "walk"


def test_places_are_named_and_ordinary_words_are_not() -> None:
    assert lexicon.is_named("lisbon")
    assert not lexicon.is_named("turkey")
    assert not lexicon.is_named("city")
