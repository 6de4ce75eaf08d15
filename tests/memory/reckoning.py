"""Conversations in which parts of a reckoning are told in turns apart, with questions and their right answers by construction.

Each question has a twin: the same conversation without the turn that tells one of its parts, where the answer is not known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

MONTHS = "January February March April May June July August September October November December".split()
EVENTS = "interview wedding exam funeral concert inspection surgery marathon".split()
THINGS = "bike helmet sofa lamp laptop camera fridge tent heater jacket".split()
PEOPLE = "Ines Oskar Petra Lukas Greta Bruno".split()
CITIES = "Bergen Ghent Porto Turin Malmo Graz".split()
FIRST, LAST = datetime(2024, 1, 8, 10), datetime(2024, 11, 20, 9)

TOLD_EVENT = ("The {e} was on {d}.", "I had the {e} on {d}.", "The {e} took place on {d}.")
HELD_EVENT = ("We had our {e} on {d}, by the way.", "So the {e} happened on {d}.", "On {d} we finally had the {e}.")
TOLD_COST = ("The {t} cost {n} euros.", "The {t} cost €{n}.")
HELD_COST = (
    "The new {t} cost {n} euros in the end.",
    "Guess what, the {t} cost me {n} euros.",
    "The {t} cost us {n} EUR, delivery included.",
)
TOLD_PAID = ("I paid {n} dollars for the {t}.", "I paid ${n} for the {t}.")
HELD_PAID = ("For the {t} I paid {n} dollars.", "I ended up paying {n} dollars for the {t}.")
TOLD_MOVED = ("I moved to {c} on {d}.",)
HELD_MOVED = ("On {d} I moved to {c}.", "We packed up and I moved to {c} on {d}.")
TOLD_BORN = ("{p} was born on {d}.",)
HELD_BORN = ("My friend {p} was born on {d}.", "{p} was born in Lyon on {d}.")
TOLD_RAN = ("{p} ran {n} km last week.", "{p} ran {n} kilometres.")
HELD_RAN = ("Yesterday {p} ran {n} km.", "{p} ran a good {n} kilometres.")
NOISE = (
    "If the {e} were in May, I would be happy.", "I nearly bought the {t} for 999 euros.", "Somebody asked me when the {e} was.",
    "The weather was awful today.", "I read a book about {c}.", "{p} wants to buy a {t} for 50 euros.", "The dog slept all day.",
)  # fmt: skip


@dataclass(frozen=True)
class Reckoned:
    """A conversation, a question about it, and its answer: all texts of which one must be the answer; none where a part is missing."""

    turns: tuple[tuple[datetime, str], ...]
    question: str
    right: tuple[str, ...]
    kind: str


def day_text(d: date) -> str:
    """`3 May 2024`."""
    return f"{d.day} {MONTHS[d.month - 1]} {d.year}"


def reckonings(seed: int, *, held_out: bool = False) -> Iterator[Reckoned]:
    """Questions without end, each followed by its twin."""
    draw = random.Random(seed)  # noqa: S311
    makers = (_between, _after, _ago, _age, _age_at, _dearer, _gap, _together, _paid, _ran, _turns, _cheaper)
    while True:
        for make in makers:
            parts, question, right = make(draw, held_out)
            noise = [
                n.format(e=draw.choice(EVENTS), t=draw.choice(THINGS), c=draw.choice(CITIES), p=draw.choice(PEOPLE))
                for n in draw.sample(NOISE, 3)
            ]
            kind = make.__name__.strip("_")
            yield Reckoned(_talk(draw, [*parts, *noise]), question, right, kind)
            gone = draw.choice(parts)
            yield Reckoned(_talk(draw, [p for p in (*parts, *noise) if p != gone]), question, (), kind)


def _talk(draw: random.Random, texts: Sequence[str]) -> tuple[tuple[datetime, str], ...]:
    texts = draw.sample(texts, len(texts))
    step = (LAST - FIRST) / (len(texts) + 1)
    return tuple((LAST - step * (len(texts) - i - 1) * 0.01, text) for i, text in enumerate(texts))


Made = tuple[list[str], str, tuple[str, ...]]


def _told(draw: random.Random, held_out: bool, told: Sequence[str], held: Sequence[str]) -> str:
    return draw.choice(held if held_out else told)


def _days(draw: random.Random) -> tuple[date, date]:
    a, b = sorted(draw.sample(range(300), 2))
    return date(2024, 1, 2) + timedelta(days=a), date(2024, 1, 2) + timedelta(days=b)


def _in_days(n: int) -> tuple[str, ...]:
    return (f"{n:,} day{'s' * (n != 1)}",)


def _between(draw: random.Random, held: bool) -> Made:
    (a, b), (x, y) = _days(draw), draw.sample(EVENTS, 2)
    parts = [_told(draw, held, TOLD_EVENT, HELD_EVENT).format(e=e, d=day_text(d)) for e, d in ((x, a), (y, b))]
    asked = draw.choice(
        ("How many days between the {x} and the {y}?", "How many days passed between the {x} and the {y}?")
    )
    if held:
        asked = draw.choice(
            ("How many days apart were the {x} and the {y}?", "How many days was it from the {x} to the {y}?")
        )
    return parts, asked.format(x=x, y=y), _in_days((b - a).days)


def _after(draw: random.Random, held: bool) -> Made:
    (a, b), x, c = _days(draw), draw.choice(EVENTS), draw.choice(CITIES)
    first = draw.random() < 0.5
    parts = [
        _told(draw, held, TOLD_EVENT, HELD_EVENT).format(e=x, d=day_text(a if first else b)),
        _told(draw, held, TOLD_MOVED, HELD_MOVED).format(c=c, d=day_text(b if first else a)),
    ]
    way = "after" if first else "before"
    return parts, f"How many days {way} the {x} did I move to {c}?", _in_days((b - a).days)


def _ago(draw: random.Random, held: bool) -> Made:
    (a, _), x = _days(draw), draw.choice(EVENTS)
    return (
        [_told(draw, held, TOLD_EVENT, HELD_EVENT).format(e=x, d=day_text(a))],
        f"How many days ago was the {x}?",
        _in_days((LAST.date() - a).days),
    )


def _age(draw: random.Random, held: bool) -> Made:
    born, p = date(1950, 1, 1) + timedelta(days=draw.randrange(20000)), draw.choice(PEOPLE)
    return (
        [_told(draw, held, TOLD_BORN, HELD_BORN).format(p=p, d=day_text(born))],
        f"How old is {p}?",
        (_years(born, LAST.date()),),
    )


def _turns(draw: random.Random, held: bool) -> Made:
    born, p, n = date(1950, 1, 1) + timedelta(days=draw.randrange(20000)), draw.choice(PEOPLE), draw.randrange(60, 99)
    if (born.month, born.day) == (2, 29):
        born += timedelta(days=1)
    asked = "On what date will {p} be {n}?" if held else "When does {p} turn {n}?"
    told = _told(draw, held, TOLD_BORN, HELD_BORN).format(p=p, d=day_text(born))
    return [told], asked.format(p=p, n=n), (day_text(born.replace(year=born.year + n)),)


def _age_at(draw: random.Random, held: bool) -> Made:
    born, p, (a, _), c = (
        date(1950, 1, 1) + timedelta(days=draw.randrange(20000)),
        draw.choice(PEOPLE),
        _days(draw),
        draw.choice(CITIES),
    )
    parts = [
        _told(draw, held, TOLD_BORN, HELD_BORN).format(p=p, d=day_text(born)),
        _told(draw, held, TOLD_MOVED, HELD_MOVED).format(c=c, d=day_text(a)),
    ]
    return parts, f"How old was {p} when I moved to {c}?", (_years(born, a),)


def _years(born: date, at: date) -> str:
    return str(at.year - born.year - ((at.month, at.day) < (born.month, born.day)))


def _costs(draw: random.Random, held: bool) -> tuple[list[str], list[str], list[int]]:
    things, amounts = draw.sample(THINGS, 2), sorted(draw.sample(range(20, 900), 2), reverse=True)
    told = [_told(draw, held, TOLD_COST, HELD_COST).format(t=t, n=n) for t, n in zip(things, amounts, strict=True)]
    return told, things, amounts


def _dearer(draw: random.Random, held: bool) -> Made:
    parts, (x, y), (a, b) = _costs(draw, held)
    asked = draw.choice(
        ("How much more did the {x} cost than the {y}?", "How much more expensive was the {x} than the {y}?")
    )
    if held:
        asked = "How much cheaper was the {y} than the {x}?"
    return parts, asked.format(x=x, y=y), (f"€{a - b}",)


def _cheaper(draw: random.Random, held: bool) -> Made:
    parts, (x, y), _ = _costs(draw, held)
    one, other = draw.sample((x, y), 2)
    if held:
        return parts, f"Which one cost more, the {one} or the {other}?", (x,)
    return parts, f"Which was cheaper, the {one} or the {other}?", (y,)


def _gap(draw: random.Random, held: bool) -> Made:
    parts, (x, y), (a, b) = _costs(draw, held)
    asked = (
        "What is the difference in price between the {x} and the {y}?"
        if held
        else "What is the price difference between the {y} and the {x}?"
    )
    return parts, asked.format(x=x, y=y), (f"€{a - b}",)


def _together(draw: random.Random, held: bool) -> Made:
    parts, (x, y), (a, b) = _costs(draw, held)
    asked = (
        "How much did the {x} and the {y} cost altogether?"
        if held
        else "How much did the {x} and the {y} cost together?"
    )
    return parts, asked.format(x=x, y=y), (f"€{a + b:,}",)


def _paid(draw: random.Random, held: bool) -> Made:
    (x, y), (a, b) = draw.sample(THINGS, 2), sorted(draw.sample(range(20, 900), 2), reverse=True)
    parts = [_told(draw, held, TOLD_PAID, HELD_PAID).format(t=t, n=n) for t, n in ((x, a), (y, b))]
    if draw.random() < 0.5:
        return parts, f"How much more did I pay for the {x} than for the {y}?", (f"${a - b}",)
    return parts, f"How much did I pay for the {x} and the {y} in total?", (f"${a + b:,}",)


def _ran(draw: random.Random, held: bool) -> Made:
    (x, y), (a, b) = draw.sample(PEOPLE, 2), sorted(draw.sample(range(3, 42), 2), reverse=True)
    parts = [_told(draw, held, TOLD_RAN, HELD_RAN).format(p=p, n=n) for p, n in ((x, a), (y, b))]
    if draw.random() < 0.5:
        return parts, f"How many more kilometres did {x} run than {y}?", (str(a - b), f"{a - b} km")
    return parts, f"How many kilometres did {x} and {y} run in total?", (str(a + b), f"{a + b} km")
