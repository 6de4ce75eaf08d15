from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import LogicSyntaxError
from goalmem.logic.syntax import canonical, format_atom, format_rule, parse_atom, parse_rule
from goalmem.logic.terms import Atom, Rule, Variable

# Words that mean something to the syntax, among any text at all.
MARKED = st.sampled_from(
    ["(", ")", "[", "]", "\\", ":", " if ", " and ", "not ", "if", "and", "not", "(x:", "x:y)", "~1", " ", "\n", "."]
)
TEXT = st.lists(st.one_of(MARKED, st.text(max_size=6)), max_size=6).map("".join)
NAMES = st.from_regex(r"[^\W\d]\w{0,5}(~[0-9]{1,2})?", fullmatch=True)
TYPES = TEXT.map(str.strip).filter(bool)


@st.composite
def atoms(draw, types=None):
    types = {} if types is None else types
    parts = []
    for _ in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            parts.append(draw(TEXT))
        else:
            name = draw(NAMES)
            parts.append(Variable(name, types.setdefault(name, draw(TYPES))))
    return Atom(tuple(parts), draw(st.booleans()))


@st.composite
def rules(draw):
    types: dict[str, str] = {}
    head = draw(atoms(types))
    return Rule(head, tuple(draw(atoms(types)) for _ in range(draw(st.integers(0, 3)))))


@given(atoms())
def test_parsing_undoes_printing(atom):
    assert parse_atom(format_atom(atom)) == canonical(atom)


@given(TEXT)
def test_printing_what_was_parsed_changes_nothing_more(text):
    try:
        atom = parse_atom(text)
    except LogicSyntaxError:
        return
    assert canonical(atom) == atom
    assert parse_atom(format_atom(atom)) == atom


@given(rules())
def test_parsing_undoes_printing_of_rules(rule):
    read = parse_rule(format_rule(rule))
    assert read == Rule(canonical(rule.head), tuple(map(canonical, rule.body)))


@given(TEXT)
def test_any_text_is_read_as_a_rule_or_refused_with_a_reason(text):
    refusal = None
    try:
        rule = parse_rule(text)
    except LogicSyntaxError as error:
        refusal = error
    if refusal is None:
        assert parse_rule(format_rule(rule)) == rule
    else:
        assert refusal.problem
        assert refusal.remedy
        assert 0 <= refusal.position <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "Maya adopted Biscuit.",
        "She said (quietly) that it's fine: really.",
        r"The file is in C:\photos\2023 [old].",
        "If it rains, Maya and Ines stay in and not out (at 5:30).",
        "emoji 🐶 – naïve “quotes” (: smiley",
    ],
)
def test_ordinary_sentences_are_left_as_they_are(text):
    assert parse_atom(text) == Atom((text,))
    assert format_atom(Atom((text,))) == text


def test_variables_and_negation():
    atom = parse_atom("not (x:drink) is served in ( z : cafe visited last week )")
    assert atom.negated
    assert atom.variables == (Variable("x", "drink"), Variable("z", "cafe visited last week"))
    assert format_atom(atom) == "not (x:drink) is served in (z:cafe visited last week)"


def test_what_would_be_misread_is_bracketed_or_escaped():
    assert format_atom(Atom(("not a soul came",))) == "[not a soul came]"
    assert format_atom(Atom(("(note: this) is text",))) == r"\(note: this) is text"
    assert format_atom(Atom((" spaced ",))) == "[ spaced ]"


def test_rules_keep_joining_words_inside_brackets_and_types():
    rule = parse_rule(
        "(x:person) is busy if [(x:person) cooks and cleans] and not (x:person) rests in (y:bed and breakfast)"
    )
    assert [a.negated for a in rule.body] == [False, True]
    assert rule.body[0].parts[-1] == " cooks and cleans"
    assert "(y:bed and breakfast)" in format_rule(rule)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("Maya has (x:dog", 9),
        ("Maya has (x: )", 9),
        ("   ", 3),
        ("(x:dog) met (x:cat)", 0),
    ],
)
def test_atoms_that_cannot_be_read_say_where(text, position):
    with pytest.raises(LogicSyntaxError) as caught:
        parse_atom(text)
    assert caught.value.position == position
    assert str(position) in str(caught.value)


@pytest.mark.parametrize("text", ["a if ", "a and b", "a if b if c", "a if b and ", "(x:dog) barks if (x:cat) runs"])
def test_rules_that_cannot_be_read(text):
    with pytest.raises(LogicSyntaxError):
        parse_rule(text)


def test_variables_that_cannot_be_written():
    for bad in (Variable("two words", "dog"), Variable("x", " "), Variable("", "dog"), Variable("1", "dog")):
        with pytest.raises(LogicSyntaxError):
            format_atom(Atom((bad,)))
