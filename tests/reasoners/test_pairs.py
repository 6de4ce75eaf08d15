"""Questions about two events: both become atoms with a time, and the pair is what is compared."""

import pytest

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
