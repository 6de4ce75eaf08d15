"""Questions of a few words, as people type them, are read in full."""

import pytest

from goalmem.questions.clipped import in_full


@pytest.mark.parametrize(
    ("typed", "full"),
    [
        ("whats my dogs name", "what's my dog's name"),
        ("my sons teacher", "my son's teacher"),
        ("what is my sons teacher called", "what is my son's teacher called"),
        ("whats my sisters boyfriend called", "what's my sister's boyfriend called"),
        ("how old is my sisters baby", "how old is my sister's baby"),
        ("what does my mums neighbour do", "what does my mum's neighbour do"),
        ("fav biscuit", "favourite biscuit"),
        ("rent how much", "how much is rent"),
        ("what time training", "what time is training"),
        ("what time lunch on Friday", "what time is lunch on Friday"),
        ("where the keys", "where are the keys"),
        ("name of my driving instructor", "what is the name of my driving instructor"),
        ("cost of the tent", "what is the cost of the tent"),
    ],
)
def test_the_verb_and_the_apostrophe_that_are_left_out_are_put_in(typed, full):
    assert in_full(typed) == full


@pytest.mark.parametrize(
    "whole",
    [
        "where do my dogs sleep",
        "do my sons play football",
        "do my friends need help",
        "which of my friends plays tennis",
        "what time do we meet",
        "where Ruben lives",
        "when does it open",
        "how many eggs I need",
        "because of who",
        "where to eat",
        "who came when",
        "how often",
    ],
)
def test_what_leaves_out_nothing_stays_as_it_is(whole):
    assert in_full(whole) == whole
