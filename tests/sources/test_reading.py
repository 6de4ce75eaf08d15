"""Atoms as frames: predicate, participants and variables, each where it belongs."""

import pytest

from goalmem.logic.syntax import parse_atom

ATOMS = [
    ("Nadia adopted (x:thing)", "adopt", {"subject": "Nadia", "object": "x"}),
    ("(x:person) adopted a beagle", "adopt", {"subject": "x", "object": "a beagle"}),
    ("Nadia moved to (x:place)", "move", {"subject": "Nadia", "to": "x"}),
    ("Nadia met (x:person) in Ghent", "meet", {"subject": "Nadia", "object": "x", "in": "Ghent"}),
    ("(x:person) gave Nadia (y:lamp)", "give", {"subject": "x", "indirect": "Nadia", "object": "y"}),
    ("Nadia has (x:number of pet)", "have", {"subject": "Nadia", "object": "x"}),
    ("Nadia left Ghent because of (x:reason)", "leave", {"subject": "Nadia", "object": "Ghent", "because": "x"}),
    ("Nadia has lived in Ghent for (x:duration)", "live", {"subject": "Nadia", "in": "Ghent", "for": "x"}),
]


def parts(frame):
    return {p.role: p.variable.name if p.variable else p.entity or p.text for p in frame.parts}


@pytest.mark.parametrize(("atom", "predicate", "expected"), ATOMS, ids=lambda v: v if isinstance(v, str) else "")
def test_an_atom_is_read_as_predicate_and_participants(reader, atom, predicate, expected):
    frame = reader.read(parse_atom(atom)).frames[0]
    assert (frame.predicate, frame.polarity, parts(frame)) == (predicate, True, expected)


@pytest.mark.parametrize("atom", [a for a, _, _ in ATOMS])
def test_every_variable_of_an_atom_is_in_its_frame(reader, atom):
    parsed = parse_atom(atom)
    for frame in reader.read(parsed).frames:
        found = {p.variable for p in frame.unknowns} | ({frame.time} if frame.time else set())
        assert found == set(parsed.variables)


def test_a_time_at_the_end_is_when_it_happens_and_no_participant(reader):
    frame = reader.read(parse_atom("Nadia moved to Ghent on (t:time)")).frames[0]
    assert frame.time is not None
    assert frame.time.name == "t"
    assert parts(frame) == {"subject": "Nadia", "to": "Ghent"}


@pytest.mark.parametrize(
    ("atom", "polarity"),
    [("Nadia bought the boat", True), ("Nadia did not buy the boat", False), ("not Nadia bought the boat", False)],
)
def test_a_denial_is_read_however_it_is_written(reader, atom, polarity):
    assert reader.read(parse_atom(atom)).frames[0].polarity is polarity


@pytest.mark.parametrize(
    ("atom", "planned"),
    [("Nadia will buy (x:thing)", True), ("Nadia plans to buy (x:thing)", True), ("Nadia bought (x:thing)", False)],
)
def test_only_an_atom_about_a_plan_is_read_as_one(reader, atom, planned):
    assert reader.read(parse_atom(atom)).planned is planned


def test_whose_it_is_stands_for_the_owner(reader):
    (part,) = reader.read(parse_atom("Ruben borrowed (x:person)'s bicycle")).frames[0].unknowns
    assert (part.owned, part.variable.name) == ("bicycle", "x")


def test_to_be_someones_relative_is_also_to_be_had_by_them(reader):
    frames = reader.read(parse_atom("(y:sister) is Ruben's sister")).frames
    assert [f.predicate for f in frames] == ["be", "have"]
    assert parts(frames[1]) == {"subject": "Ruben", "object": "y"}
    assert next(p for p in frames[1].parts if p.role == "object").kind == "sister"


def test_an_event_that_happens_may_also_be_set_or_moved(reader):
    frames = reader.read(parse_atom("the wedding happened on (t:time)")).frames
    assert {"happen", "be", "move", "schedule"} <= {f.predicate for f in frames}
    assert all(f.time is not None and len(f.parts) == 1 for f in frames)


def test_what_cannot_be_taken_apart_is_one_constant(reader):
    frame = reader.read(parse_atom("Blorp the fnord")).frames[0]
    assert (frame.predicate, [p.text for p in frame.parts]) == ("", ["Blorp the fnord"])


@pytest.mark.parametrize("text", ["", "?", "🐶", "a" * 3_000, "'s", "not "])
def test_any_atom_can_be_read(reader, text):
    from goalmem.logic.terms import Atom

    assert reader.read(Atom((text,))).frames


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do I live?", "Oslo"),
        ("Do I live in Oslo?", "Yes"),
        ("What have I adopted?", "beagle"),
        ("Do I have a sister?", "Yes"),
        ("What is my sister's name?", "Ines"),
    ],
)
def test_who_gives_no_name_is_asked_about_as_i(memory, question, answer):
    told = "I live in Oslo. I adopted a beagle last week. My sister is called Ines."
    memory.add([{"role": "user", "content": told}], at="2024-05-01")
    found = memory.ask(question)
    assert found.text == answer
    assert memory.verify(found).ok
