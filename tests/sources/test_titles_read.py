"""Words read out of a quoted title are told as the whole title."""

import pytest

from goalmem.sources.passages.answer_words import whole_name, whole_title

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


NAMED = "I saw a production of The Glass Menagerie with Ann Lee on Monday. Tom's sister Ida met Leo in Rome. The Hague is nice, I think."


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("Glass", "The Glass Menagerie"),
        ("The Glass", "The Glass Menagerie"),
        ("a production of The Glass", "a production of The Glass Menagerie"),
        ("Ann", "Ann Lee"),
        ("Lee", "Ann Lee"),
        ("Ida", "Ida"),
        ("Leo", "Leo"),
        ("sister Ida", "sister Ida"),
        ("Monday", "Monday"),
        ("nice", "nice"),
    ],
)
def test_a_part_of_a_name_is_told_as_the_name(read, told):
    start = NAMED.index(read)
    first, last = whole_name(NAMED, start, start + len(read))
    assert NAMED[first:last] == told
