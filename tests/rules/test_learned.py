"""The learned reader reads what people write, says how sure it is, and leaves controlled English to the grammar."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.errors import ModelError
from goalmem.logic.syntax import format_rule
from goalmem.rules.grammar.reader import GrammarReader
from goalmem.rules.learned.features import FILE, WEIGHTS_SHA256, bundled_weights, read_weights
from goalmem.rules.learned.reader import LearnedReader
from goalmem.rules.theory import Theory

READER = LearnedReader()


def read(text):
    return {format_rule(c.rule) for c in READER.read(text).clauses}


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Jonas has always been rather shy, though he looks quite big.", {"Jonas is shy", "Jonas is big"}),
        ("If you meet Nora, you will see that she is kind and green.", {"Nora is kind", "Nora is green"}),
        (
            "Someone who is clever and stubborn tends to end up successful.",
            {"(x:person) is successful if (x:person) is clever and (x:person) is stubborn"},
        ),
        (
            "Expect anyone to be lonely if they are shy and not funny.",
            {"(x:person) is lonely if (x:person) is shy and not (x:person) is funny"},
        ),
        (
            "You can call anybody lucky who is rich and calm.",
            {"(x:person) is lucky if (x:person) is rich and (x:person) is calm"},
        ),
        ("Being cold makes a person blue.", {"(x:person) is blue if (x:person) is cold"}),
    ],
)
def test_facts_and_rules_are_found_in_sentences_as_people_write_them(text, clauses):
    assert read(text) == clauses


def test_a_pronoun_is_whoever_was_named_last():
    said = read("Ida feels rather cold because of her big heart. These days she is also quite rough around the edges.")
    assert {"Ida is cold", "Ida is big", "Ida is rough"} <= said


def test_what_is_denied_is_read_as_denied():
    assert "not Nora is rude" in read("Nora has never once been rude, and people find her polite.")
    assert "Nora is green" in read("Nora is not only big but green as well, as people say.")


def test_a_theory_over_told_rules_answers_with_a_proof_that_holds():
    text = (
        "Ida, the big fellow over there, is an odd mix of rough and cold. "
        "You can call anybody blue who is both cold and rough around the edges. Blue people tend to end up quite kind."
    )
    theory = Theory.read(text, reader=READER)
    answer = theory.ask("Ida is kind.")
    assert answer.text == "Yes"
    assert theory.check(answer.proof).ok


def test_a_sentence_without_a_property_or_a_person_is_unread_with_the_reason():
    reading = READER.read("It rained all day in the big valley below. Ach so! Ida is kind of a nice person.")
    assert {u.text for u in reading.unread} >= {"Ach so!"}
    assert all(u.reason for u in reading.unread)


def test_every_sentence_is_read_or_unread_where_it_stands():
    text = "Ida is, as I heard, quite big.  Blue cats!\nPeople who look big tend to be nice, or so.\n\nHm."
    reading = READER.read(text)
    for part in (*reading.clauses, *reading.unread):
        assert text[part.start : part.end] == part.text
    found = {p.start for p in (*reading.clauses, *reading.unread)}
    assert {text.index(s) for s in ("Ida", "Blue", "People", "Hm")} == found


def test_scores_say_how_sure_the_reader_is():
    exact = READER.read("Bob is big. Big people are rough.")
    assert {c.score for c in exact.clauses} == {1.0}
    told = READER.read("Ida, the big fellow over there, is an odd mix of green and blue.")
    assert all(0.5 <= c.score < 1 for c in told.clauses)
    choice = READER.read("If you meet Ida, you will see that she is big or blue, as people say.")
    assert {c.score for c in choice.clauses} == {0.5}


WORDS = st.sampled_from(["big", "kind", "red", "sad", "tall"])
NOT = st.sampled_from(["", "not "])
CONTROLLED = st.one_of(
    st.builds("{} is {}{}.".format, st.sampled_from(["Anne", "Bob", "The cat"]), NOT, WORDS),
    st.builds("If someone is {}{} and they are {}{} then they are {}{}.".format, NOT, WORDS, NOT, WORDS, NOT, WORDS),
    st.builds("{}, {} people are {}.".format, WORDS.map(str.capitalize), WORDS, WORDS),
    st.builds("The {} chases the {}.".format, st.sampled_from(["cat", "dog"]), st.sampled_from(["mouse", "bear"])),
)


@settings(max_examples=20, deadline=None)
@given(st.lists(CONTROLLED, min_size=1, max_size=8).map(" ".join))
def test_controlled_english_is_read_as_the_grammar_reads_it(text):
    assert READER.read(text) == GrammarReader().read(text)


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=80))
def test_no_text_breaks_it(text):
    reading = READER.read(text)
    assert all(text[u.start : u.end] == u.text for u in reading.unread)


def test_the_same_text_gives_the_same_reading():
    text = "Ida, the big fellow over there, is an odd mix of green and blue. Someone blue is undoubtedly someone young."
    assert READER.read(text) == LearnedReader().read(text)


def test_statements_are_read_too():
    literal = READER.read_statement("Ida, I think, is really quite green.")
    assert literal is not None
    assert (literal.predicate, literal.terms, literal.negated) == ("_ is green", ("Ida",), False)
    assert READER.read_statement("Is Bob kind?") == GrammarReader().read_statement("Is Bob kind?")
    assert READER.read_statement("It rained.") is None or READER.read_statement("It rained.").ground


def test_the_bundled_weights_are_the_ones_that_the_card_describes():
    from importlib import resources

    card = (resources.files("goalmem.rules") / "data" / "LEARNED.md").read_text(encoding="utf-8")
    assert WEIGHTS_SHA256 in card


def test_weights_survive_writing_and_reading(tmp_path):
    (tmp_path / FILE).write_text(bundled_weights().to_json(), encoding="utf-8")
    assert read_weights(tmp_path) == bundled_weights()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"format": 99}', "\x00", json.dumps({"format": 1, "made": {}})])
def test_a_file_that_holds_no_weights_is_refused(tmp_path, content):
    (tmp_path / FILE).write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match="holds no weights"):
        read_weights(tmp_path)


def test_a_folder_without_weights_is_refused(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        read_weights(tmp_path)
