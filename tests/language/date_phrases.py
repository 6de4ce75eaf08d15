"""Sentences with a date, each with the day or days that it names by construction: day of saying x phrase x tense.

The right value is computed here with plain calendar arithmetic, without the grammar under test.
"""

from __future__ import annotations

import random
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
PAST = (
    "I saw the dentist {}.", "We met Rosa {}.", "The boiler broke {}.", "She quit her job {}.", "He was in Rome {}.", "They stayed with us {}.",
    "I put the car up for sale {}.", "Our landlord called me {}, finally.", "{} I finished the course.", "{} the parcel arrived.",
)  # fmt: skip
FUTURE = (
    "I'll see the dentist {}.", "We will meet Rosa {}.", "The lease will end {}.", "She is going to stay in Rome {}.", "I have to pay the rent {}.",
    "We're planning to leave {}.", "I'll be in Rome {}.", "{} I will finish the course.", "My exam will be {}.",
)  # fmt: skip


@dataclass(frozen=True)
class Said:
    """A sentence said on a day, and the first and the last day that it names; no days where it names none."""

    at: datetime
    text: str
    first: date | None
    last: date | None
    kind: str


def sentences(seed: int) -> Iterator[Said]:
    """Sentences without end, drawn from a seed."""
    draw = random.Random(seed)  # noqa: S311
    makers = (
        _weekday,
        _month,
        _day_month,
        _day_of_month,
        _range,
        _counted,
        _part,
        _recurring,
        _clock,
        _indefinite,
        _named,
        _business,
        _half,
    )
    while True:
        at = datetime(2016, 1, 1, 9, 30) + timedelta(days=draw.randrange(4000))
        past = draw.random() < 0.5
        frame = draw.choice(PAST if past else FUTURE)
        for make in makers:
            made = make(draw, at.date(), past)
            if made is None:
                continue
            phrase, first, last = made
            text = frame.format(phrase)
            yield Said(at, text[0].upper() + text[1:], first, last, make.__name__.strip("_"))


Made = tuple[str, date | None, date | None] | None


def _weekday(draw: random.Random, today: date, past: bool) -> Made:
    n = draw.randrange(7)
    back = today - timedelta(days=(today.weekday() - n - 1) % 7 + 1)
    ahead = today + timedelta(days=(n - today.weekday() - 1) % 7 + 1)
    following = today - timedelta(days=today.weekday()) + timedelta(days=7 + n)
    which = draw.choice(("on", "last" if past else "next", ""))
    day = back if past else following if which == "next" else ahead
    return (f"{which} {DAYS[n]}".strip(), day, day)


def _month(draw: random.Random, today: date, past: bool) -> Made:
    m = draw.randrange(1, 13)
    if m == today.month:
        return None
    year = today.year - (m > today.month) if past else today.year + (m < today.month)
    return f"in {MONTHS[m - 1]}", date(year, m, 1), date(year, m, monthrange(year, m)[1])


def _day_month(draw: random.Random, today: date, past: bool) -> Made:
    d = today + timedelta(days=draw.choice((-1, 1)) * draw.randrange(3, 170))
    there = _on_side(lambda y: date(y, d.month, d.day), today, past) if (d.month, d.day) != (2, 29) else None
    form = draw.choice(
        ("on {d} {m}", "on {d}{s} {m}", "on {m} {d}", "on {m} {d}{s}", "on the {d}{s} of {m}", "on {d} {low}")
    )
    phrase = form.format(d=d.day, m=MONTHS[d.month - 1], s=_suffix(d.day), low=MONTHS[d.month - 1].lower())
    return (phrase, there, there) if there else None


def _on_side(of: object, today: date, past: bool) -> date | None:
    days = [of(today.year + i) for i in (-1, 0, 1)]  # type: ignore[operator]
    side = [d for d in days if (d < today if past else d > today)]
    return (max(side) if past else min(side)) if side else None


def _suffix(d: int) -> str:
    return "th" if 10 < d < 14 else {1: "st", 2: "nd", 3: "rd"}.get(d % 10, "th")


def _day_of_month(draw: random.Random, today: date, past: bool) -> Made:
    d = draw.randrange(1, 29)
    if d == today.day:
        return None
    first = today.replace(day=1)
    here = first.replace(day=d)
    if past and here > today:
        here = (first - timedelta(days=1)).replace(day=d)
    if not past and here < today:
        here = (first + timedelta(days=32)).replace(day=d)
    return f"on the {d}{_suffix(d)}", here, here


def _range(draw: random.Random, today: date, past: bool) -> Made:
    start = today + timedelta(days=(-1 if past else 1) * draw.randrange(12, 120))
    length = draw.randrange(2, 9)
    end = start + timedelta(days=length)
    if end.month != start.month or (end >= today) == past:
        return None
    m = MONTHS[start.month - 1]
    form = draw.choice(
        (
            "from {a} to {b} {m}",
            "from the {a}{sa} to the {b}{sb} of {m}",
            "from {m} {a} to {b}",
            "between {a} and {b} {m}",
        )
    )
    return form.format(a=start.day, b=end.day, m=m, sa=_suffix(start.day), sb=_suffix(end.day)), start, end


def _counted(draw: random.Random, today: date, past: bool) -> Made:
    n, unit = draw.randrange(2, 7), draw.choice(("days", "weeks", "months"))
    word = draw.choice((str(n), "zero one two three four five six".split()[n]))
    if draw.random() < 0.25:
        n, word, unit = 1, "a", unit[:-1]
    if draw.random() < 0.2 and unit != "day":
        n, word, unit = 2, "a couple of", unit if unit.endswith("s") else f"{unit}s"
    sign = -1 if past else 1
    if unit.startswith("day"):
        first = last = today + timedelta(days=sign * n)
    elif unit.startswith("week"):
        there = today + timedelta(weeks=sign * n)
        first = there - timedelta(days=there.weekday())
        last = first + timedelta(days=6)
    else:
        months = today.year * 12 + today.month - 1 + sign * n
        first = date(months // 12, months % 12 + 1, 1)
        last = first.replace(day=monthrange(first.year, first.month)[1])
    return (f"{word} {unit} ago" if past else f"in {word} {unit}"), first, last


def _part(draw: random.Random, today: date, past: bool) -> Made:
    m = draw.randrange(1, 13)
    if m == today.month:
        return None
    year = today.year - (m > today.month) if past else today.year + (m < today.month)
    days = monthrange(year, m)[1]
    start, end = {"early": (0, 3), "mid-": (3, 7), "late": (7, 10)}[part := draw.choice(("early", "mid-", "late"))]
    phrase = f"in {part}{MONTHS[m - 1]}" if part.endswith("-") else f"in {part} {MONTHS[m - 1]}"
    return phrase, date(year, m, 1 + days * start // 10), date(year, m, days * end // 10)


def _recurring(draw: random.Random, today: date, past: bool) -> Made:
    a, b = draw.sample(DAYS, 2)
    form = draw.choice(("every {a}", "every other {a}", "on {a}s and {b}s", "every {a} and {b}", "on {a}s", "each {a}"))
    return form.format(a=a, b=b), None, None


def _clock(draw: random.Random, today: date, past: bool) -> Made:
    made = _weekday(draw, today, past)
    hour = draw.choice(("at 3 pm", "at noon", "at half past seven", "at 19:30"))
    return (f"{made[0]} {hour}", made[1], made[2]) if made else None


def _indefinite(draw: random.Random, today: date, past: bool) -> Made:
    year, m = today.year - draw.randrange(1, 9), draw.randrange(1, 13)
    if not past:
        return f"on a {draw.choice(DAYS)}", None, None
    phrase = f"on a {draw.choice(DAYS)} in {MONTHS[m - 1]} {year}"
    return phrase, date(year, m, 1), date(year, m, monthrange(year, m)[1])


def _named(draw: random.Random, today: date, past: bool) -> Made:
    phrase, n = draw.choice(
        (("yesterday", -1), ("the day before yesterday", -2))
        if past
        else (("tomorrow", 1), ("the day after tomorrow", 2))
    )
    if draw.random() < 0.3:
        phrase, n = ("this morning", 0) if past else ("tonight", 0)
    day = today + timedelta(days=n)
    return phrase, day, day


def _business(draw: random.Random, today: date, past: bool) -> Made:
    n, at, step = draw.randrange(2, 9), today, timedelta(days=-1 if past else 1)
    left = n
    while left:
        at += step
        left -= at.weekday() < 5
    unit = draw.choice(("business days", "working days"))
    return (f"{n} {unit} ago" if past else f"in {n} {unit}"), at, at


def _half(draw: random.Random, today: date, past: bool) -> Made:
    if not past:
        return None
    year = today.year - draw.randrange(1, 6)
    first = draw.random() < 0.5
    phrase = f"in the {'first' if first else 'second'} half of {year}"
    return (phrase, date(year, 1, 1), date(year, 6, 30)) if first else (phrase, date(year, 7, 1), date(year, 12, 31))
