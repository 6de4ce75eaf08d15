"""The grammar of `times`: one row a construction."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from goalmem.language import lexicon
from goalmem.language import times_offset as counted
from goalmem.language import times_resolution as place
from goalmem.language.calendar import HOLIDAYS, SEASONS
from goalmem.language.times_resolution import ResolutionContext
from goalmem.language.times_words import (
    ANY_WEEKDAY,
    CLOCK_TIME,
    COUNT,
    DATE_WORDS,
    DAY_NAMES,
    DAY_NUMBER,
    DAY_PART,
    DAY_PARTS,
    FULL_MONTH,
    MONTH,
    MONTH_NAMES,
    MONTHS,
    NO_NOUN,
    NOT_KIND,
    NOT_REPEATED,
    ORDINALS,
    PART,
    SUFFIX,
    SURE_MONTH,
    SURE_SHORT,
    UNIT,
    UNITS,
    UNSURE_SHORT,
    WEEKDAY,
    YEAR,
    Groups,
    either,
)
from goalmem.logic.interval import Interval


@dataclass(frozen=True)
class TimeRule:
    """One construction: its pattern and its resolution; `place` may raise ValueError or OverflowError."""

    name: str
    expression: str
    place: Callable[[Groups, ResolutionContext], Interval | None]
    exact: Callable[[Groups, ResolutionContext], datetime | None] | None = None
    """The moment that is counted to, where `place` gives the whole unit around it."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled for the first text that may name a time: all of them take as long as a dozen searches."""
        return re.compile(self.expression, re.IGNORECASE)

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """The matches of the construction in a text; a word in the group `kind` must not be a name."""
        return (
            m
            for m in self.pattern.finditer(text)
            if "kind" not in self.pattern.groupindex or _is_ordinary(m["kind"].lower())
        )


def _rule(
    name: str,
    pattern: str,
    place: Callable[[Groups, ResolutionContext], Interval | None],
    exact: Callable[[Groups, ResolutionContext], datetime | None] | None = None,
    end: str = r"(?![\w-]|/\d)",
) -> TimeRule:
    return TimeRule(name, rf"\b(?:{pattern}){end}", place, exact)


def _is_ordinary(word: str) -> bool:
    """`Taco` of `Taco Tuesday`; not `Rome` of `we were in Rome Tuesday`."""
    place = lexicon.coarse_type(word) == "place" and lexicon.tagged_uses(word) > 0
    return any(lexicon.is_known(word, kind) for kind in "na") and not place


def _no_time(g: Groups, f: ResolutionContext) -> None:
    return None


_WHICH = r"(?P<which>this past|this coming|last|past|previous|this|next|coming) "
_OPT_WHICH = rf"(?:(?:the )?{_WHICH})?"
_OWN_YEAR = rf"(?!(?:20[6-9]|21\d)\d (?!(?:to|till?|until|through|and|or)\b)\w){YEAR}"
"""The year of a date. One as late as 2060 ends the phrase; in `oct 4 2100 all in` the number is another figure."""
_YEAR_WORD = rf"(?P<y>{_OWN_YEAR}|(?:last|this|next) year)"
_OF_YEAR = rf"(?:,? (?:of |in )?{_YEAR_WORD})?"
_NAMED_DAY = rf"(?:(?P<wd>{ANY_WEEKDAY}),? (?:the )?)?"
_AFTER = "".join(
    rf"(?<=\b{word} )|"
    for word in "in since until till by during around of before after from to between and early late for".split()
)
_HOLIDAY = either(
    {name.replace("st ", dot) for h in HOLIDAYS for name in (h, h.replace("'", "")) for dot in ("st ", "st. ")}
)
_SHORT_MONTH = either(set(MONTHS) - set(MONTH_NAMES))
_A, _B = r"(?P<a>0?[1-9]|1[0-2])", r"(?P<b>[12]\d|3[01]|0?[1-9])"
_FIRST = r"(?P<a>[12]\d|3[01]|0?[1-9])"
_NUMBER = r"(?P<d>[12]\d|3[01]|[1-9])"
_NO_CLOCK = r"(?![:.,h]\d| ?(?:[ap]\.?m\b|o'clock\b|%))"
"""Behind the number of a day: it is no hour."""
_NO_VERB = (
    r"(?:(?<!may)|(?! (?:be|have|not|need|want|well|also|still|come|go|get|seem|take|make|look|sound|help|even)\b))"
)
"""Behind a month: it is not the verb `may`."""
_NO_MEASURE = r"(?! (?:miles?|km|kilomet(?:er|re)s?|steps|hours?|minutes?|times)\b)"
_AT_DAY = "(?:" + "|".join(rf"(?<=\b{w} )" for w in "on by till until from since".split()) + ")"
_STARTS = r"(?:(?<![^\n])|(?<=[.!?] )|(?<=[.!?\n]))"
"""Start of a sentence."""
_STREET = r" (?:(?-i:[A-Z])|street\b|st\b|avenue\b|ave\b|floor\b)"
_BEFORE_DASH = r"(?!\w|-(?!\d)|/\d)"
"""Behind a date: the other end of a range may follow."""
_REPEATED = r"(?:every|each)(?: (?:other|single|first|last|second|third|fourth|\d(?:nd|rd|th)))?"
_DETERMINED = r"(?:(?<=\bin )|(?<=\bin the )|(?<=\bover the )|(?<=\bduring the )|(?<=\bsince the )|(?<=\bfor the ))"

_AGO = r"(?P<way>ago|back|before now|from now)"
_LONG_UNIT = r"(?P<unit>week|fortnight|month|year)s?"
_HALVED = r"(?P<unit>week|month|year)s?"
_NTH = rf"(?:the )?(?P<nth>{either(ORDINALS)}) (?P<what>{WEEKDAY}|weekend|week|day)"
_PLACED = "".join(rf"(?<!\b{w} )" for w in "on last past this next coming previous by until till since".split())
"""Words before a weekday that make it a time, whatever follows."""
_NO_HOLIDAY = "".join(
    rf"(?<!\b{name.rpartition(' ')[0]} )" for name in HOLIDAYS if name.rpartition(" ")[2] in DAY_NAMES
)
_TITLE_WEEKDAY = either(name.title() for name in DAY_NAMES)
_TITLE_DATE = rf"(?:{_TITLE_WEEKDAY}|{either(name.title() for name in MONTHS)})"
_OWNED = "|".join(rf"(?<=\b{w} )" for w in "the a our my your his her their".split())

CLOCK = re.compile(
    rf"\b(?:(?:at|around|about|by) )*(?:{CLOCK_TIME}|(?:(?<=at )|(?=\d+\.\d\d in the ))(?P<bare>1[0-2]|[1-9])(?:\.(?P<dotted>[0-5]\d))?(?![\d:.]\d| ?%){NO_NOUN})(?: sharp| o'clock)?(?: in the (?P<in>morning|afternoon|evening))?(?!\w)",
    re.IGNORECASE,
)
"""A time of day; a time only in combination with a day."""

DAYS = (
    _rule("named day", rf"(?P<day>{either(place.NAMED_DAYS)}){DAY_PART}", place.named_day),
    _rule("weekday", rf"{NOT_REPEATED}{_OPT_WHICH}(?P<wd>{WEEKDAY}){DAY_PART}(?P<of>)", place.weekday),
    _rule("weekday of", rf"(?P<wd>{WEEKDAY}),? (?:of |in )?(?P<of>last|this|next) week", place.weekday),
    _rule("week, weekday", rf"(?P<of>last|this|next) week,? (?:on )?(?P<wd>{WEEKDAY}){DAY_PART}", place.weekday),
    _rule("short weekday", rf"{NOT_REPEATED}{_OPT_WHICH}(?P<wd>{SURE_SHORT})\b\.?{DAY_PART}(?P<of>)", place.weekday),
    _rule("which short weekday", rf"{_WHICH}(?P<wd>{UNSURE_SHORT}){DAY_PART}(?P<of>)", place.weekday),
    _rule("on short weekday", rf"{_AT_DAY}(?P<wd>{UNSURE_SHORT}){DAY_PART}(?P<of>){NO_NOUN}", place.weekday),
    _rule(
        "short weekday with hour",
        rf"{NOT_REPEATED}(?P<wd>{UNSURE_SHORT})(?: (?:{DAY_PARTS})|(?=,? (?:at )?{CLOCK_TIME}))(?P<of>)",
        place.weekday,
    ),
    _rule(
        "short weekday in capitals",
        rf"{NOT_REPEATED}(?<!\bthe )(?<=[a-z,;:] )(?P<wd>(?-i:Mon|Wed|Sat|Sun)){DAY_PART}(?P<of>){NO_NOUN}",
        place.weekday,
    ),
    _rule(
        "weekday number",
        rf"(?P<wd>{ANY_WEEKDAY}),? (?P<the>the )?{_NUMBER}(?P<suffix>{SUFFIX})?{_NO_CLOCK}{NO_NOUN}(?P<of>)",
        place.day_of_month,
    ),
    _rule("weekday slashed", rf"(?P<wd>{ANY_WEEKDAY}),? (?:the )?{_FIRST}(?P<dot>/){_B}{_NO_CLOCK}", place.numeric),
    _rule(
        "weekday dotted",
        rf"(?P<wd>{ANY_WEEKDAY}),? (?:the )?{_FIRST}(?P<dot>\.){_B}{_NO_CLOCK}(?:\.|{NO_NOUN})",
        place.numeric,
    ),
    _rule(
        "slashed",
        rf"(?:(?<=\bon )|(?<=\btill )|(?<=\buntil )|(?<=\bsince ))(?:the )?{_FIRST}/{_B}{_NO_CLOCK}(?! of\b){NO_NOUN}",
        place.numeric,
    ),
    _rule("weekday before last", rf"(?:the )?(?P<wd>{WEEKDAY}) before last(?! [a-z])", place.before_last),
    _rule(
        "weekday, weeks ago",
        rf"(?:(?:the|a|that) )?(?P<wd>{WEEKDAY}){DAY_PART},? {COUNT} {_LONG_UNIT} {_AGO}",
        counted.weekday_near,
    ),
    _rule(
        "weeks ago on weekday",
        rf"{COUNT} {_LONG_UNIT} {_AGO},? (?:on )?(?:a |the |that )?(?P<wd>{WEEKDAY}){DAY_PART}",
        counted.weekday_near,
    ),
    _rule(
        "to the day",
        rf"{COUNT} {_LONG_UNIT} (?:(?:(?P<back>ago)|from(?= today))?,? )?(?P<day>to the day|today|yesterday|tomorrow)",
        counted.to_the_day,
    ),
    _rule(
        "week on weekday",
        rf"{COUNT} (?P<unit>week|fortnight)s? (?:on |from |(?P<which>last) )(?P<wd>{WEEKDAY})(?P<of>)",
        counted.to_the_day,
    ),
    _rule(
        "weekday in weeks",
        rf"(?P<wd>{WEEKDAY}){DAY_PART},? in {COUNT} (?P<unit>week|fortnight)s?(?:'s? time)?(?P<of>)",
        counted.weekday_ahead,
    ),
    _rule(
        "in weeks on weekday",
        rf"in {COUNT} (?P<unit>week|fortnight)s?(?:'s? time)?,? on (?:the |a )?(?P<wd>{WEEKDAY}){DAY_PART}(?P<of>)",
        counted.weekday_ahead,
    ),
    _rule("weekday week", rf"(?:on )?(?P<wd>{WEEKDAY}) (?P<unit>week|fortnight)(?P<of>)", counted.to_the_day),
    _rule("nth of month", rf"{_NTH} (?:of|in) (?P<m>{MONTH})\b{_OF_YEAR}", counted.nth_of_month),
    _rule("nth of this month", rf"{_NTH} (?:of|in) (?P<month>last|this|next) month", counted.nth_of_month),
    _rule("weekdays ago", rf"{COUNT} (?P<wd>{WEEKDAY})s ago", place.weekdays_ago),
    _rule(
        "day month",
        rf"{_NAMED_DAY}(?:the )?{DAY_NUMBER}\.?(?: of)? (?:{_WHICH})?(?P<m>{MONTH})\b{_NO_VERB}(?:\.(?= ?\d))?(?:,? {_YEAR_WORD})?",
        place.date,
        end=_BEFORE_DASH,
    ),
    _rule(
        "month day",
        rf"{_NAMED_DAY}(?P<m>{MONTH})\.? (?:the )?{DAY_NUMBER}{_NO_CLOCK}{_NO_MEASURE}(?:,? {_YEAR_WORD})?",
        place.date,
        end=_BEFORE_DASH,
    ),
    _rule(
        "date in words",
        rf"{_NAMED_DAY}(?:the )?(?P<word>{either(DATE_WORDS)}) of (?P<m>{MONTH})\b(?:,? {_YEAR_WORD})?",
        place.date,
    ),
    _rule("iso date", rf"(?P<y>\d{{4}})[-/.]{_A}[-/.]{_B}(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?", place.numeric),
    _rule(
        "numeric date",
        rf"{_NAMED_DAY}{_FIRST}(?P<dot>[/.]){_B}(?P=dot)(?P<y>\d{{4}}|(?<=/)\d\d)",
        place.numeric,
    ),
    _rule(
        "dotted date",
        rf"(?:(?P<wd>{ANY_WEEKDAY}),? (?:the )?|(?<=\bon )){_FIRST}(?P<dot>\.){_B}\.(?P<y>\d\d)",
        place.numeric,
    ),
    _rule(
        "day of month",
        rf"{_NAMED_DAY}the {_NUMBER}(?P<suffix>{SUFFIX})(?: of (?P<of>last|this|next|the) month)?",
        place.day_of_month,
    ),
    _rule("on day", rf"(?<=\bon ){_NUMBER}(?P<suffix>{SUFFIX})(?P<of>)(?! of\b|{_STREET})", place.day_of_month),
    _rule("at day", rf"{_AT_DAY}{_NUMBER}(?P<suffix>{SUFFIX})(?P<of>){NO_NOUN}(?! of\b)", place.day_of_month),
    _rule(
        "day with hour",
        rf"{_NUMBER}(?P<suffix>{SUFFIX})(?P<of>)(?=,? (?:at )?{CLOCK_TIME})",
        place.day_of_month,
    ),
    _rule(
        "day alone", rf"{_STARTS}{_NUMBER}(?P<suffix>{SUFFIX})(?P<of>)(?=[.,;!?]|$| (?:not|at)\b)", place.day_of_month
    ),
    _rule("holiday", rf"{NOT_REPEATED}{_OPT_WHICH}(?P<name>{_HOLIDAY})(?: day)?{_OF_YEAR}", place.holiday_placed),
)
"""Words that name a day."""

NO_TIMES = (
    _rule(
        "asked for",
        rf"how (?:many|few|much|long)(?: more)?(?: (?:{UNIT}|{WEEKDAY})s?)?(?: {_AGO})?",
        _no_time,
    ),
    _rule(
        "named weekday",
        rf"(?<=[a-z,;:] )(?-i:(?!{_TITLE_DATE}\b){NOT_KIND}(?P<kind>[A-Z][a-z][\w'-]*)) (?-i:{_TITLE_WEEKDAY})(?! (?:{DAY_PARTS}))",
        _no_time,
    ),
    _rule(
        "kind with weekday",
        rf"{_PLACED}{_NO_HOLIDAY}(?:{WEEKDAY})(?: (?:{DAY_PARTS}))? (?-i:{NOT_KIND}[a-z][a-z-]+)(?!')",
        _no_time,
    ),
    _rule(
        "repeated",
        rf"{_REPEATED}(?: (?:week|month|year),?)?(?: on)? {ANY_WEEKDAY}(?:(?:,| and| or| &|, and)(?: on)? {ANY_WEEKDAY})*{DAY_PART}",
        _no_time,
    ),
    _rule(
        "days of the week",
        rf"{ANY_WEEKDAY}(?:(?:(?: ?[+/&] ?| ){ANY_WEEKDAY})+|(?:,? {ANY_WEEKDAY}){{2,}})(?! ?\d| the \d)",
        _no_time,
    ),
    _rule("days and their part", rf"{ANY_WEEKDAY}(?:,? (?:and|or|&) {ANY_WEEKDAY})* (?:{DAY_PARTS})s", _no_time),
    _rule("repeated day", rf"(?:every|each) month on (?:the )?\d+{SUFFIX}", _no_time),
    _rule(
        "repeated in months",
        rf"(?:the )?(?:(?:{either(ORDINALS)}|\d+{SUFFIX})(?: (?:and|or) (?:the )?)?)+(?: {ANY_WEEKDAY})? (?:of|in) (?:each|every|any|a) month",
        _no_time,
    ),
    _rule(
        "weekday of the month",
        rf"(?:the )?(?:(?:{either(ORDINALS)})(?: (?:and|or) (?:the )?)?)+ {ANY_WEEKDAY} (?:of|in) the month",
        _no_time,
    ),
    _rule(
        "some weekday",
        rf"(?:an?|one|another|any|some) (?:(?:random|typical|normal|regular|rainy|sunny|busy|quiet|lazy|cold|hot) )?(?:{WEEKDAY}){DAY_PART}",
        _no_time,
    ),
    _rule("nth thing", rf"the \d+(?:st|nd|rd|th) (?-i:(?!(?i:{MONTH})\b){NOT_KIND}[a-z][a-z-]+)", _no_time),
    _rule("own weekday", rf"(?:{_OWNED})(?:{WEEKDAY}) (?-i:[A-Z][a-z]+)", _no_time),
)
"""Phrases with words of time that are not times: questions, names, kinds made with a weekday, lists of places."""

RULES = (
    *DAYS,
    *NO_TIMES,
    _rule("weekdays", rf"(?<!from )(?P<wd>{ANY_WEEKDAY}) ?[-–] ?(?P<last>{ANY_WEEKDAY})", place.weekdays),
    _rule("short weekdays", rf"(?<!from )(?P<wd>{UNSURE_SHORT}) to (?P<last>{ANY_WEEKDAY})", place.weekdays),
    _rule("month", rf"{NOT_REPEATED}{_OPT_WHICH}(?P<m>{SURE_MONTH}){_OF_YEAR}", place.month_placed),
    _rule("part of month", rf"{PART}{_OPT_WHICH}(?P<m>{FULL_MONTH}|{_SHORT_MONTH}){_OF_YEAR}", place.month_placed),
    _rule(
        "which month",
        rf"(?:the )?{_WHICH}(?P<m>may|march|{_SHORT_MONTH})\b(?:\.(?= ?\d))?{_OF_YEAR}",
        place.month_placed,
    ),
    _rule(
        "in month",
        rf"(?:{_AFTER}^(?!(?:may|march|jan|mar|dec)\b)|^(?=\w+\.?(?:\W*$|[,:;]|\s[-–]|\s?\d| (?:of )?(?:last|this|next) year)))(?P<m>may|march|{_SHORT_MONTH})\b(?:\.(?= ?\d))?{_OF_YEAR}",
        place.month_placed,
    ),
    _rule("month year", rf"(?P<m>{MONTH})\.?,? (?:of )?(?P<y>{_OWN_YEAR})", place.month_placed),
    _rule("which season", rf"(?:the )?{_WHICH}(?P<s>{either(SEASONS)}){_OF_YEAR}", place.season_placed),
    _rule("part of season", rf"{PART}{_OPT_WHICH}(?P<s>{either(SEASONS)}){_OF_YEAR}", place.season_placed),
    _rule("in season", rf"{_DETERMINED}(?P<s>{either(SEASONS)}){_OF_YEAR}", place.season_placed),
    _rule("season year", rf"(?P<s>{either(SEASONS)}) (?:of |in )?{_YEAR_WORD}", place.season_placed),
    _rule("ago", rf"{COUNT} {UNITS} (?:ago|back|before now)", place.ago, counted.ago_point),
    _rule("in", rf"in {COUNT} {UNITS}(?:'s? time)?", place.ahead, counted.ahead_point),
    _rule("from now", rf"{COUNT} {UNITS} from now", place.ahead, counted.ahead_point),
    _rule(
        "and a half",
        rf"{COUNT} {_HALVED} and a half {_AGO}",
        counted.half_more,
        counted.half_more_point,
    ),
    _rule("count and a half", rf"{COUNT} and a half {_HALVED} {_AGO}", counted.half_more, counted.half_more_point),
    _rule("half", rf"half an? {_HALVED} {_AGO}", counted.half_more, counted.half_more_point),
    _rule(
        "which unit",
        rf"{NOT_REPEATED}(?:the )?{_WHICH}(?P<unit>weekend|week|month|quarter|year|night|decade|century){DAY_PART}",
        place.relative,
    ),
    _rule(
        "the weekend",
        r"(?:(?<=\bover )|(?<=\bon )|(?<=\bat )|(?<=\bduring ))(?P<which>the) (?P<unit>weekend)",
        place.relative,
    ),
    _rule(
        "same day",
        r"(?P<same>this time|around this time|(?:the|this) same (?:day|time)|this day) (?P<which>last|next) (?P<unit>week|month|year)",
        counted.same_day,
    ),
    _rule(
        "quarter",
        rf"(?:the )?(?:Q(?P<q>[1-4])|(?P<nth>{either(ORDINALS)}) quarter),?(?: of| in)? {_YEAR_WORD}",
        place.quarter_of,
    ),
    _rule(
        "in quarter",
        r"(?:(?<=\bin )|(?<=\bby )|(?<=\bduring )|(?<=\bfor )|(?<=\bof ))(?-i:Q)(?P<q>[1-4])",
        place.quarter_of,
    ),
    _rule("before last", rf"(?:the )?(?P<unit>{UNIT}) before last(?P<wd>)(?! [a-z])", place.before_last),
    _rule("after next", rf"(?:the )?(?P<unit>{UNIT}) after next", place.after_next),
    _rule(
        "part of unit",
        rf"{PART}(?:(?P<which>last|this past|this|next) )?(?P<unit>week|month|year|decade)",
        place.part_of_unit,
    ),
    _rule(
        "earlier",
        r"(?P<part>earlier|later) (?:in )?(?P<which>this|last|next) (?P<unit>week|month|year)",
        place.part_of_unit,
    ),
    _rule("year", rf"(?:{_AFTER}(?<=\byear )|^)(?P<part>)(?P<y>{YEAR})(?! ?(?:%|\w+s\b))", place.just_year),
    _rule("part of year", rf"{PART}(?P<y>{YEAR})", place.just_year),
    _rule("decade", rf"(?:{PART})?(?:the )?(?P<y>(?:1[6-9]|20)\d0|[1-9]0)'?s", place.decade),
    _rule("the other day", r"the other (?:day|night|week|morning|evening)", place.other_day),
    _rule("past", rf"(?:for |over |in |during |within )?(?:the |these )(?:past|last) {COUNT} {UNITS}", place.past),
    _rule("past one", rf"(?:over|in|during|within|for) the (?:past|last) {UNITS}(?P<n>)", place.past),
    _rule("coming", rf"(?:for |over |in |during |within )?the (?:next|coming) {COUNT} {UNITS}", place.coming),
)
"""Every construction. Of overlapping matches the longest wins, whatever the order here."""
