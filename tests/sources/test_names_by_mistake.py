"""A common word that was once taken for a name hides nobody: `SMART goals`, and `the smart thermostat`."""

import pytest

from goalmem.records import ASKER
from goalmem.sources.passages.participants import Participants

PEOPLE = frozenset({"smart", "router configuration", "mum", "tom", "rose", "user"})


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("When did I set up the smart thermostat?", {"smart", ASKER}),
        ("When did I set up the router?", {"router", "router configuration", ASKER}),
        ("When did I meet Tom?", {"tom"}),
        ("When did I meet Rose?", {"rose"}),
        ("When did I meet rose?", {"rose", ASKER}),
        ("What did I give mum?", {"mum"}),
        ("Where do I live?", {ASKER}),
        ("Where is the smart thermostat?", {"smart"}),
    ],
)
def test_whoever_says_i_is_meant_beside_a_word_that_may_be_no_name(question, named):
    assert Participants(PEOPLE, str.casefold).named(question) == named
