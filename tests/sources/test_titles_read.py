"""Words read out of a quoted title are told as the whole title."""

import pytest

from goalmem.sources.passages.answer_words import whole_title

SAID = 'I finished a novel, "The Nightingale" by Kristin Hannah. He said "I will go to Rome" and left. The 19" rack.'


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("Nightingale", "The Nightingale"),
        ('Nightingale"', "The Nightingale"),
        ('"The Nightingale"', "The Nightingale"),
        ('Nightingale" by Kristin Hannah', '"The Nightingale" by Kristin Hannah'),
        ('"The Nightingale" by Kristin Hannah', '"The Nightingale" by Kristin Hannah'),
        ("Kristin Hannah", "Kristin Hannah"),
        ("Rome", "Rome"),
        ("left", "left"),
        ("rack", "rack"),
    ],
)
def test_a_part_of_a_title_is_told_as_the_title(read, told):
    start = SAID.index(read)
    first, last = whole_title(SAID, start, start + len(read))
    assert SAID[first:last] == told
