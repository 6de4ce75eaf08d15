import pytest

from goalmem.questions.perspective import in_first_person, name_asker


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Where do I keep my bike?", "Where do Ann keep Ann's bike?"),
        ("what did i say i'd bring", "what did Ann say Ann would bring"),
        ("Is the red one mine, or did Bo give it to me?", "Is the red one Ann's, or did Bo give it to Ann?"),
        ("I’m allergic to what", "Ann is allergic to what"),
        ("Where did we meet?", "Where did we meet?"),
        ("Which exit of the I-95 is it?", "Which exit of the I-95 is it?"),
        ("Is it i.e. or e.g.?", "Is it i.e. or e.g.?"),
    ],
)
def test_a_speaker_is_named_for_i(question, named):
    assert name_asker(question, "Ann") == named


@pytest.mark.parametrize("asker", ["", "user"])
def test_whoever_has_no_name_stays_i(asker):
    assert name_asker("Where do I keep my bike?", asker) == "Where do I keep my bike?"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("user purchased the dog bed for user's dog", "I purchased the dog bed for my dog"),
        ("user has been accepted", "I have been accepted"),
        ("user lives in Rome", "I live in Rome"),
        ("user passes user's exam", "I pass my exam"),
        ("user was ill", "I was ill"),
        ("Ann left after user bought a car", "Ann left after I bought a car"),
        ("Ann left before user", "Ann left before me"),
        ("user's team met user", "my team met me"),
    ],
)
def test_a_statement_about_the_asker_is_put_in_the_first_person(statement, said):
    assert in_first_person(statement) == said
