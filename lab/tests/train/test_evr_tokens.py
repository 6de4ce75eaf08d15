"""Placeholders for words: what a network reads, and back."""

from itertools import islice

from goalmem.rules import Theory
from goalmem.rules.compiled import ground
from goalmem.rules.evr.buffers import Sentences
from goalmem.rules.evr.tokens import VOCABULARY, PlaceholderNames, spelled, tokens
from goalmem.rules.evr.wording import StatementReader, worded
from goalmem.rules.terms import Literal
from goalmem_lab.train.evr_patterns import patterns
from goalmem_lab.train.evr_theories import every_statement, theories


def read(text):
    names = PlaceholderNames()
    return tokens(text, names), names


def test_every_example_is_spelled_as_it_was():
    for theory in islice(theories(2, 1), 4):
        sentences = Sentences.of(theory, 5, 3)
        for statement in islice(every_statement(theory), 10):
            for example in patterns(theory, sentences, statement):
                names = PlaceholderNames()
                source, target = tokens(example.source, names), tokens(example.target, names, new=False)
                assert set(source + target) <= set(VOCABULARY)
                assert spelled(target, names).casefold() == example.target.casefold()


def test_names_make_no_difference():
    one, _ = read('i want to prove "Bob likes the cat". fact 1: Bob is big.')
    other, _ = read('i want to prove "Xerxes admires the okapi". fact 7: Xerxes is purple.')
    assert one == other


def test_a_verb_is_one_word_with_and_without_its_ending():
    found, _ = read("the cat chases the mouse and does not chase the dog")
    assert found[1:4] == ["g0", "g1", "-s"]
    assert found[-3] == "g1"


def test_words_that_were_not_read_cannot_be_written():
    names = PlaceholderNames()
    tokens("Bob is big", names)
    assert tokens("Ann is big", names, new=False) == ["<unk>", "is", "g1"]


def test_more_words_than_placeholders_are_unknown():
    found, _ = read(" ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(100)))
    assert found[-1] == "<unk>"
    assert len(set(found)) == 65


def test_every_statement_about_a_theory_is_worded_so_that_it_is_read_back():
    for theory in islice(theories(4, 1), 6):
        statements = StatementReader(theory.index)
        for statement in every_statement(theory):
            for each in (statement, statement.denied):
                back = statements.read(worded(each))
                assert back is not None
                assert ground(back) == ground(each)


def test_what_speaks_of_nobody_that_is_named_is_no_statement():
    statements = StatementReader(Theory.read("Bob is big.").index)
    assert statements.read("Ann is big") is None
    assert statements.read("Bob is odd") is None
    assert statements.read("someone is not big") is not None


def test_denials_are_worded_with_the_verbs_auxiliary():
    assert worded(Literal("_ carries _", ("Bob", "the box"), True)) == "Bob does not carry the box"
    assert worded(Literal("_ can see _", ("Bob", "the box"), True)) == "Bob can not see the box"
