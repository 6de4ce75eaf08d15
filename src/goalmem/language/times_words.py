"""The words of `times_grammar`: numbers, months, days, units, and the patterns for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from goalmem.language.calendar import FEW, HOLIDAYS, SEASONS, SEVERAL
from goalmem.logic.quantity import MEASURES

Groups = Mapping[str, str | None]
"""The named groups of a match."""

MONTH_NAMES = "january february march april may june july august september october november december".split()
MONTHS = {name: i for i, name in enumerate(MONTH_NAMES, 1)} | {name[:3]: i for i, name in enumerate(MONTH_NAMES, 1)}
MONTHS["sept"] = 9
DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
WEEKDAYS = {name: i for i, name in enumerate(DAY_NAMES)} | {
    short: i
    for i, names in enumerate(("mon", "tue tues", "wed weds", "thu thurs thur", "fri", "sat", "sun"))
    for short in names.split()
}
SMALL_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
).split()
"""By their values."""
NUMBERS = {w: i for i, w in enumerate(SMALL_NUMBERS[:17])} | {
    "a": 1,
    "an": 1,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
}
VAGUE = {"few": FEW, "several": SEVERAL, "some": FEW, "many": SEVERAL}
PARTS = {
    **dict.fromkeys(("early", "beginning", "start", "first part"), "early"),
    **dict.fromkeys(("mid", "middle"), "mid"),
    **{name: name for name in ("first half", "second half")},
    **dict.fromkeys(("late", "end", "last part"), "late"),
}
ORDINALS = {
    **{
        w: i
        for i, words in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th"), 1)
        for w in words.split()
    },
    "last": -1,
}
_ORDINAL_ONES = "first second third fourth fifth sixth seventh eighth ninth".split()
_ORDINAL_TEENS = (
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
)
DATE_WORDS = {w: i for i, w in enumerate([*_ORDINAL_ONES, *_ORDINAL_TEENS, "twentieth"], 1)} | {
    **{f"twenty{dash}{w}": 20 + i for i, w in enumerate(_ORDINAL_ONES, 1) for dash in "- "},
    "thirtieth": 30,
    "thirty-first": 31,
    "thirty first": 31,
}
"""The days of a month in words: `the first of May`."""


def either(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted((re.escape(w) for w in words), key=lambda w: (-len(w), w)))


FULL_MONTH = either(MONTH_NAMES)
# "may", "march" and the three-letter forms are also other words: they count only where a date surrounds them.
SURE_MONTH = either([m for m in MONTH_NAMES if m not in ("may", "march")])
MONTH = either(MONTHS)
WEEKDAY = either(DAY_NAMES)
DAYS_OF_WEEK = frozenset(name + plural for name in DAY_NAMES for plural in ("", "s"))
"""`monday`, `mondays`."""
ANY_WEEKDAY = rf"(?:{either(WEEKDAYS)})\b\.?"
"""A weekday, full or abbreviated: only next to a number, since `sat` and `sun` are also other words."""
SURE_SHORT = "tues|tue|weds|thurs|thur|thu|fri"
UNSURE_SHORT = "mon|wed|sat|sun"
UNIT = "minute|hour|business day|working day|day|night|weekend|week|fortnight|month|year|decade|century"
UNITS = rf"(?P<unit>{UNIT})s?"
_NUMBER = rf"(?:(?:about|around|almost|nearly|over|like|roughly|exactly) )?(?P<n>\d{{1,4}}|{either(NUMBERS)}|couple|few|several|many|some)"
COUNT = rf"(?:a |the |these |some )?{_NUMBER}(?: of)?(?: more)?(?: short| long)?"
YEAR = rf"(?:1[6-9]|20|21)\d\d(?! ?(?:[€$£¥%]|(?:{either(MEASURES)})s?\b))"
SUFFIX = "(?:st|nd|rd|th)"
DAY_NUMBER = rf"(?P<d>[12]\d|3[01]|0?[1-9]){SUFFIX}?"
PART = rf"(?P<part>(?:the )?(?:very )?(?:{either(PARTS)})(?: of(?: the)?|(?<!start)(?<!beginning)(?<!end) in(?: the)?)?[ -])"
DAY_PARTS = "morning|afternoon|evening|night"
DAY_PART = rf"(?: (?:{DAY_PARTS}|noon|day))?"
HOURS = either(SMALL_NUMBERS[1:13])
CLOCK_TIME = (
    r"(?:(?P<h>1[0-2]|0?[1-9])(?:[:.](?P<min>[0-5]\d))? ?(?P<half>[ap])\.?m\.?"
    r"|(?P<h24>(?:[01]?\d|2[0-3])(?=:)|(?:[01]\d|2[0-3])(?=h)|0\d(?=[0-5]\d\b))[:h]?(?P<min24>[0-5]\d)"
    r"|(?P<noon>noon|midday|midnight)"
    rf"|(?:a )?(?P<off>half past|half|quarter past|quarter to|(?:five|ten|twenty) (?:past|to)) (?P<hour>1[0-2]|[1-9]|{HOURS})\b)"
)
"""`7pm`, `4.30 pm`, `19:00`, `14h30`, `0530`, `noon`, `half six`, `quarter to 8`."""
_FUNCTION_WORDS = """a an the this that these those my our your his her its their i you he she it we they me us him them
    and or but nor so yet if then than as because since while when where who which what how why though although unless
    about above across after against along among around at before behind below beside between beyond by down during for
    from in inside into near of off on onto out over past since through till to toward under until up upon via with within
    without is are was were be been being am do does did have has had can could will would shall should may might must not
    no all also again already always anyway away back both either else even ever here instead just least like maybe more
    most much never next last only other please prior same some soon still there today together tomorrow tonight too
    very well whether yesterday yet half quarter sharp morning afternoon evening night noon day one two three four five six seven eight nine
    ten several few many couple ago im ive ill id its thats lets dont didnt cant wont gonna"""
NOT_KIND = rf"(?!(?i:{either(set(_FUNCTION_WORDS.split()))})\b|[a-z]+ly\b)"
"""Lookahead: not one of the function words and adverbs (closed classes) that follow a day by itself."""
NO_NOUN = rf"(?! (?-i:{NOT_KIND}[A-Za-z]))"
"""Behind a number: no word follows that it counts or orders."""
NOT_REPEATED = r"(?<!every )(?<!every other )(?<!every single )(?<!each )(?<!most )"

_STEMS = (*(m[:3] for m in MONTH_NAMES), *WEEKDAYS, *SEASONS, *UNIT.split("|"), *HOLIDAYS)
TRIGGER = re.compile(
    rf"\d|\b(?:{either(_STEMS)}|yesterday|yday|today|ton|tomor|tmr|tmw|just now|quarter|morning|afternoon|evening|valentine)",
    re.IGNORECASE,
)
"""Cheap test: a text in which this is not found holds no time."""


def number(word: str) -> tuple[int, int]:
    """Least and greatest count that a number word may mean."""
    word = word.lower()
    if word in VAGUE:
        return VAGUE[word]
    n = 2 if word == "couple" else NUMBERS[word] if word in NUMBERS else int(word)
    return n, n


def text_of(groups: Groups, name: str) -> str:
    """A group in lower case; empty when it took no part."""
    return (groups.get(name) or "").lower()
