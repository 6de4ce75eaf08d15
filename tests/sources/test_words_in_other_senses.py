"""Words count as the same only in the sense that each of them mostly has; a modifier, a particle, or another owner is another thing."""

from __future__ import annotations

import pytest
from tests.asking import asked
from tests.cases import one_in

from goalmem.sources.kinds import same_noun
from goalmem.sources.phrase_cosine import no_cosine
from goalmem.sources.similarity import Similarity

SAME = (("film", "movie"), ("kid", "child"), ("sofa", "couch"))
OTHERS = (
    *(("music", "musician"), ("farm", "farmer"), ("train", "training"), ("office", "official")),
    *(("neighborhood", "neighbor"), ("study", "student")),
)
PERHAPS = (("newspaper", "paper"), ("family", "house"), ("dress", "clothes"))
NOT_TOLD = (
    ("The staging server runs Debian 12.", "Does the production server run Debian 12?"),
    ("I walk the neighbour's dog on weekends.", "Do I walk my dog on weekends?"),
    ("I fed Ana's cat.", "Did I feed my cat?"),
    ("I cut the hedge this morning.", "Did I cut down the hedge this morning?"),
    ("Our neighbours moved away in May.", "Did our neighbours move in in May?"),
    ("I sit between Uma and Viktor.", "Do I sit between Uma and Wanda?"),
    ("I left my umbrella at the cinema three years ago.", "Is my umbrella at the cinema?"),
    ("Klaus stopped to smoke.", "Did Klaus stop smoking?"),
    ("I started writing a cookbook in 2021.", "Did I write a cookbook in 2021?"),
    # nearly none, and all but one
    ("I hardly ever eat meat.", "Do I never eat meat?"),
    ("I hardly ever eat meat.", "Do I eat meat?"),
    ("I almost never eat meat.", "Do I eat meat?"),
    ("I've seen every episode except the last one.", "Have I seen every episode?"),
    ("I've seen every episode except the last one.", "Have I seen the last episode?"),
    ("Everyone came except Tom.", "Did everyone come?"),
    ("Nobody but Inga knew the code.", "Did nobody know the code?"),
    # degrees
    ("The new office is less noisy than the old one.", "Is the new office noisier than the old one?"),
    ("Ida is taller than Jan.", "Is Ida the tallest?"),
    ("This recipe is the least complicated.", "Is this recipe complicated?"),
    ("Noah is old enough to vote.", "Is Noah old?"),
)
TOLD = (
    ("I fed the neighbour's cat.", "Did I feed the neighbour's cat?"),
    ("I cut down the hedge.", "Did I cut down the hedge?"),
    ("I sit between Uma and Viktor.", "Do I sit between Viktor and Uma?"),
    ("Everyone came except Tom.", "Did everyone except Tom come?"),
    ("Noah is old enough to vote.", "Is Noah old enough to vote?"),
    ("The new office is less noisy than the old one.", "Is the new office less noisy than the old one?"),
    ("Klaus stopped smoking.", "Did Klaus stop smoking?"),
    ("I bought a car.", "Did I purchase a car?"),
)
LEXICON = Similarity({}, no_cosine)


@pytest.mark.parametrize(("asked_for", "said"), SAME)
def test_synonyms_in_their_commonest_senses_are_the_same(asked_for: str, said: str) -> None:
    assert same_noun(asked_for, said)[1] in ("synonym", "is-a")


@pytest.mark.parametrize(("asked_for", "said"), [*OTHERS, *((b, a) for a, b in OTHERS)])
def test_what_is_formed_from_a_noun_names_something_else(asked_for: str, said: str) -> None:
    assert same_noun(asked_for, said) == (0.0, "")


@pytest.mark.parametrize(("asked_for", "said"), PERHAPS)
def test_a_rarer_sense_is_only_possible(asked_for: str, said: str) -> None:
    assert same_noun(asked_for, said)[1] in ("", "sense not known")


@pytest.mark.parametrize(("goal", "fact"), [("cut down", "cut"), ("give up", "give"), ("put off", "put on")])
def test_a_particle_makes_another_verb(goal: str, fact: str) -> None:
    assert LEXICON.predicate(goal, fact)[0] == 0


def test_what_a_word_may_mean_is_likely_at_most() -> None:
    assert asked("I read the paper.", "Did I read the newspaper?")[0] != "proved"


@pytest.mark.parametrize(("said", "question"), one_in(2, NOT_TOLD))
def test_what_is_another_thing_or_another_degree_is_not_proved(said: str, question: str) -> None:
    assert asked(said, question)[0] not in ("proved", "disproved")


@pytest.mark.parametrize(("said", "question"), one_in(2, TOLD))
def test_what_was_told_of_the_same_is_known(said: str, question: str) -> None:
    assert asked(said, question) == ("proved", "Yes")
