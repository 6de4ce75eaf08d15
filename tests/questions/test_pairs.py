"""Questions about two events: both become atoms with a time, and the pair is what is compared."""

import pytest
from tests.questions.conftest import ASKED, KNOWN

from goalmem.logic.evaluate import conditions, pair_of
from goalmem.logic.syntax import format_atom

WEDDING, MOVE = "the wedding happened on ({}:time)", "the move happened on ({}:time)"
ADOPTED, MOVED = "Nadia adopted Comet on ({}:time)", "Ruben moved to Oslo on ({}:time)"


@pytest.mark.parametrize(
    ("question", "aggregate", "unit", "first", "second"),
    [
        ("How many weeks passed between the wedding and the move?", "duration", "weeks", WEDDING, MOVE),
        ("How long was it between the wedding and the move?", "duration", "", WEDDING, MOVE),
        (
            "How many days passed between Nadia adopting Comet and Ruben moving to Oslo?",
            *("duration", "days", ADOPTED, MOVED),
        ),
        (
            "How many days were there between the day Nadia adopted Comet and the day that Ruben moved to Oslo?",
            *("duration", "days", ADOPTED, MOVED),
        ),
        ("Which came first, the wedding or the move?", "first-of", "", WEDDING, MOVE),
        ("Did the wedding or the move happen first?", "first-of", "", WEDDING, MOVE),
        ("Did the wedding or the move happen last?", "last-of", "", WEDDING, MOVE),
        ("Did Nadia adopt Comet or Ruben move to Oslo first?", "first-of", "", ADOPTED, MOVED),
        ("Which event happened first, Nadia adopting Comet or Ruben moving to Oslo?", "first-of", "", ADOPTED, MOVED),
        (
            "Which did Nadia do first, adopt Comet or move to Ghent?",
            *("first-of", "", ADOPTED, "Nadia moved to Ghent on ({}:time)"),
        ),
        (
            "Which city did Nadia visit first, Ghent or Oslo?",
            *("first-of", "", "Nadia visited Ghent on ({}:time)", "Nadia visited Oslo on ({}:time)"),
        ),
        (
            "Which train did Ruben take most recently, the express or the tram?",
            *("last-of", "", "Ruben took the express on ({}:time)", "Ruben took the tram on ({}:time)"),
        ),
        (
            "Who moved to Oslo first, Ruben or Nadia?",
            *("first-of", "", MOVED, "Nadia moved to Oslo on ({}:time)"),
        ),
        (
            "How many days had passed since Nadia adopted Comet when Ruben moved to Oslo?",
            *("duration", "days", ADOPTED, MOVED),
        ),
        (
            "How many days passed between the mass at St. Anne's Church and the move?",
            *("duration", "days", "the mass at St. Anne's Church happened on ({}:time)", MOVE),
        ),
        (
            "How many days passed between the day Nadia adopted Comet and the day she moved to Ghent?",
            *("duration", "days", ADOPTED, "Nadia moved to Ghent on ({}:time)"),
        ),
    ],
)
def test_two_events_are_compared_by_their_times(goals, question, aggregate, unit, first, second):
    goal = goals(question)[0]
    assert (goal.aggregate, goal.unit, goal.answer) == (aggregate, unit, None)
    assert [format_atom(a) for a in goal.atoms] == [first.format("t"), second.format("u")]
    assert pair_of(goal) == ("t", "u")
    assert conditions(goal) == ()


def test_owners_in_an_event_are_split_off(goals):
    goal = goals("Which came first, Nadia's sister's wedding or the concert?")[0]
    assert [format_atom(a) for a in goal.atoms][-1] == "(x:sister) is Nadia's sister"


def test_two_names_are_no_events(goals):
    assert all(goal.aggregate == "whether" for goal in goals("Did Nadia visit Oslo or Ghent first?"))


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("How long has it been since Ruben moved to Oslo?", ""),
        ("How many months have passed since Ruben last moved to Oslo?", "months"),
    ],
)
def test_the_time_since_one_event_is_measured_to_the_moment_of_asking(goals, question, unit):
    goal = goals(question)[0]
    assert [format_atom(a) for a in goal.atoms] == [MOVED.format("t")]
    assert (goal.aggregate, goal.unit, pair_of(goal)) == ("duration", unit, ("t", ""))


@pytest.mark.parametrize(
    ("question", "unit", "first", "second"),
    [
        (
            "How many days did it take Ruben to move to Oslo after Nadia adopted Comet?",
            *("days", ADOPTED, MOVED),
        ),
        (
            "How long did it take Ruben to find a flat after moving to Oslo?",
            *("", MOVED, "Ruben found a flat on ({}:time)"),
        ),
        (
            "How many weeks did it take for the parcel to arrive after Ruben ordered it?",
            *("weeks", "Ruben ordered the parcel on ({}:time)", "the parcel arrived on ({}:time)"),
        ),
        (
            "How long did it take Nadia to finish Dune?",
            *("", "Nadia started Dune on ({}:time)", "Nadia finished Dune on ({}:time)"),
        ),
        (
            "How long did it take Nadia to read Dune?",
            *("", "Nadia started reading Dune on ({}:time)", "Nadia finished reading Dune on ({}:time)"),
        ),
    ],
)
def test_how_long_something_took_is_said_or_lies_between_its_beginning_and_its_end(
    goals, question, unit, first, second
):
    said, between = (g for g in goals(question) if len(g.atoms) < 3)
    assert said.answer is not None
    assert said.answer.type == "duration"
    assert [format_atom(a) for a in between.atoms] == [first.format("t"), second.format("u")]
    assert (between.aggregate, between.unit) == ("duration", unit)
    assert len(conditions(between)) == 1


def test_one_of_two_times_may_be_read_where_facts_prove_the_other(reasoner):
    read = reasoner.read_goals("How many days passed between the wedding and the move?", ASKED, KNOWN)
    wedding, move = WEDDING.format("t"), MOVE.format("u")
    quoted = (
        "“When did the wedding happen?” is answered by (t:time)",
        "“When did the move happen?” is answered by (u:time)",
    )
    assert [[format_atom(a) for a in goal.atoms] for goal in read] == [
        [quoted[0], move],
        [wedding, quoted[1]],
        list(quoted),
    ]
