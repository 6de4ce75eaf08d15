"""A clause that is written out in any of the forms that the grammar reads is read back as the same clause."""

from hypothesis import given
from hypothesis import strategies as st

from goalmem.language.morphology import base_forms, third_person
from goalmem.logic.terms import Variable
from goalmem.rules.terms import Clause, Literal
from tests.rules.printed import READER, line

NAMES = ["Anne", "Bob", "Zoë", "New York", "the bald eagle", "the cow", "the light bulb", "the wumpus"]
ADJECTIVES = [
    "green",
    "kind",
    "rough",
    "wounded",
    "abnormal",
    "young",
    "flurgish",
    "half-full",
    "round",
    "blue",
    "open",
    "dry",
]
VERBS = ["chase", "visit", "carry", "pass", "fix", "need", "like", "glorp", "go to", "look at"]
NOUNS = ["bird", "ostrich", "mouse", "engine", "student"]
X = {"someone": Variable("x", "person"), "something": Variable("x", "thing")}
PRONOUN = {"someone": "they", "something": "it"}

named = st.sampled_from(NAMES)
wording = st.sampled_from(sorted(X))


@st.composite
def statements(draw, terms):
    kind = draw(st.sampled_from(["is", "is a", "verb", "can"]))
    term, negated = draw(terms), draw(st.booleans())
    if kind == "is":
        return Literal(f"_ is {draw(st.sampled_from(ADJECTIVES))}", (term,), negated)
    if kind == "is a":
        noun = draw(st.sampled_from(NOUNS))
        return Literal(f"_ is {'an' if noun[0] in 'aeiou' else 'a'} {noun}", (term,), negated)
    if kind == "can":
        return Literal("_ can fly", (term,), negated)
    verb, _, rest = draw(st.sampled_from(VERBS)).partition(" ")
    return Literal(" ".join(["_", third_person(verb), *rest.split(), "_"]), (term, draw(named)), negated)


def worded(literal, subject):
    """The statement about a subject as it is printed; they and we have plural verbs."""
    _, verb, *rest = literal.predicate.split(" ", 2)
    rest = rest[0].replace("_", str(literal.terms[-1])) if rest else ""
    plural = subject == "they"
    if verb == "is":
        verb = ("are" if plural else "is") + " not" * literal.negated
    elif verb == "can":
        verb = "cannot" if literal.negated else "can"
    elif literal.negated:
        verb = f"{'do' if plural else 'does'} not {base_forms(verb)[0]}"
    elif plural:
        verb = base_forms(verb)[0]
    return " ".join(f"{subject} {verb} {rest}".split())


def begun(text):
    return text[0].upper() + text[1:]


@given(statements(named))
def test_facts(literal):
    said = f"{begun(worded(literal, literal.terms[0]))}."
    assert READER.read(said).clauses == (Clause(literal, (), said, 0, len(said)),)
    assert READER.read_statement(said) == literal
    assert READER.read_statement(f"{said[:-1]}: true or false?") == literal


@st.composite
def rules(draw):
    subject = draw(wording)
    terms = st.one_of(st.just(X[subject]), named)
    body = (draw(statements(st.just(X[subject]))), *draw(st.lists(statements(terms), max_size=3)))
    return subject, Clause(draw(statements(terms)), tuple(dict.fromkeys(body)))


def conditions(subject, clause):
    first, *others = clause.body
    said = [worded(first, subject)]
    said += [worded(b, PRONOUN[subject] if isinstance(b.terms[0], Variable) else b.terms[0]) for b in others]
    head = clause.head
    return " and ".join(said), worded(head, PRONOUN[subject] if isinstance(head.terms[0], Variable) else head.terms[0])


@given(rules(), st.sampled_from(["If {0} then {1}.", "If {0}, then {1}.", "If {0}, {1}."]))
def test_conditions(given_, form):
    subject, clause = given_
    said = form.format(*conditions(subject, clause))
    reading = READER.read(said)
    assert not reading.unread, (said, reading.unread)
    assert line(reading.clauses[0]) == line(clause), said
    assert reading.clauses[0].head == clause.head


@given(
    st.lists(st.sampled_from(ADJECTIVES), min_size=1, max_size=4, unique=True),
    st.sampled_from(ADJECTIVES),
    st.booleans(),
    st.sampled_from(["{} things are {}.", "All {} things are {}."]),
)
def test_rules_about_things(conditions_, conclusion, negated, form):
    said = begun(form.format(", ".join(conditions_), ("not " if negated else "") + conclusion))
    [clause] = READER.read(said).clauses
    assert clause.head == Literal(f"_ is {conclusion}", (X["something"],), negated)
    assert clause.body == tuple(Literal(f"_ is {c}", (X["something"],)) for c in conditions_)


@given(
    st.lists(st.sampled_from(ADJECTIVES), min_size=1, max_size=3, unique=True),
    st.sampled_from(ADJECTIVES),
    st.sampled_from(
        ["Everyone who is {} is {}.", "People who are {} are {}.", "Whoever is {} is {}.", "A person who is {} is {}."]
    ),
)
def test_rules_about_whoever(conditions_, conclusion, form):
    said = form.format(" and ".join(conditions_), conclusion)
    [clause] = READER.read(said).clauses
    assert clause.head == Literal(f"_ is {conclusion}", (X["someone"],))
    assert clause.body == tuple(Literal(f"_ is {c}", (X["someone"],)) for c in conditions_)


@given(st.lists(st.one_of(statements(named)), min_size=1, max_size=6), st.sampled_from([" ", "\n", "  \n", "\n- "]))
def test_sentences_stay_apart(literals, between):
    text = between.join(f"{begun(worded(x, x.terms[0]))}." for x in literals)
    reading = READER.read(text)
    assert [c.head for c in reading.clauses] == literals
    assert all(text[c.start : c.end] == c.text for c in reading.clauses)


@given(st.text(max_size=200))
def test_any_text_is_read_whole_and_ends(text):
    reading = READER.read(text)
    for each in (*reading.clauses, *reading.unread):
        assert text[each.start : each.end] == each.text
    assert READER.read(text) == reading
    READER.read_statement(text)


@given(
    st.lists(
        st.sampled_from("if then and or not is are a the , Bob who chases birds they it of no all".split()), max_size=20
    )
)
def test_any_heap_of_words_is_read_or_said_to_be_unread(words):
    text = " ".join(words)
    reading = READER.read(text)
    assert bool(reading.clauses or reading.unread) == bool(text.strip())
    for clause in reading.clauses:
        assert all(clause.head.predicate.count("_") == len(clause.head.terms) for clause in reading.clauses)


IRREGULAR = ("doe", "goe", "ha")
"""No verbs: what their third person would be is that of do, go and have."""


@given(st.from_regex(r"[a-z]{2,12}", fullmatch=True).filter(lambda base: base not in IRREGULAR))
def test_the_third_person_is_undone(base):
    assert base in base_forms(third_person(base))
