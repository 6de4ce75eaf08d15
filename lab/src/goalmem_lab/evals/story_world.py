"""Generated stories of people who move, take, hand over and drop things, with questions and what they come to.

The kinds are those of the bAbI tasks that are about state (Weston et al. 2015, tasks 1-3, 5-14), written anew, and of people who
tell of themselves over several sessions. The world that decides the answers is kept here, apart from what is measured.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from goalmem_lab.evals.attribute_world import ATTRIBUTE_KINDS, attribute_story
from goalmem_lab.evals.story_parts import Asked, Story

NOTHING_KNOWN = ""
"""The gold of what the story leaves open."""
START = datetime(2025, 3, 4, 18, 30, tzinfo=UTC)
PEOPLE = (
    "Daniel Sandra Fred Julie Bill Jeff Nadia Tomasz Ines Bao Priya Oskar Leila Mateo Yuki Hugo Greta Pavel Amina Ronan"
    " Carla Dmitri Esther Kofi Lucia Marek Noor Silvia"
).split()
MEN = frozenset("Daniel Fred Bill Jeff Tomasz Bao Oskar Mateo Hugo Pavel Ronan Dmitri Kofi Marek".split())
PLACES = (
    "kitchen hallway bathroom bedroom garden office park cinema school attic library cellar garage balcony workshop museum"
).split()
THINGS = "football apple milk lamp book key rope basket ring map knife flute umbrella notebook hammer blanket".split()
TOWNS = "Bergen Ghent Porto Turin Lyon Krakow Graz Oslo Malaga Leeds".split()


@dataclass(frozen=True, slots=True)
class Words:
    """The verbs that a story is told with; `{p}` is a place, `{t}` a thing, `{r}` who receives it."""

    move: tuple[str, ...]
    take: tuple[str, ...]
    drop: tuple[str, ...]
    give: tuple[str, ...]


PLAIN = Words(
    ("went to the {p}", "moved to the {p}", "travelled to the {p}", "journeyed to the {p}", "went back to the {p}"),
    ("picked up the {t}", "took the {t}", "grabbed the {t}", "got the {t}"),
    ("dropped the {t}", "put down the {t}", "left the {t}", "discarded the {t}"),
    ("gave the {t} to {r}", "handed the {t} to {r}", "passed the {t} to {r}", "gave {r} the {t}"),
)
HELD_OUT = Words(
    (
        *("walked to the {p}", "hurried to the {p}", "strolled into the {p}", "ran to the {p}", "returned to the {p}"),
        *("sauntered to the {p}", "entered the {p}", "marched into the {p}", "cycled to the {p}", "crept into the {p}"),
        *("dashed to the {p}", "headed to the {p}", "came to the {p}", "wandered into the {p}", "rushed to the {p}"),
    ),
    (
        *("snatched the {t}", "seized the {t}", "collected the {t}", "fetched the {t}", "picked the {t} up"),
        *("lifted the {t}", "retrieved the {t}", "obtained the {t}", "gathered up the {t}", "pocketed the {t}"),
    ),
    (
        *("set down the {t}", "laid down the {t}", "put the {t} down", "abandoned the {t}", "released the {t}"),
        *("left the {t} there", "deposited the {t} there", "ditched the {t}", "let go of the {t}"),
    ),
    (
        *("handed {r} the {t}", "passed {r} the {t}", "tossed the {t} to {r}", "handed over the {t} to {r}"),
        *("slipped {r} the {t}", "lent {r} the {t}", "threw the {t} to {r}", "returned the {t} to {r}"),
    ),
)


@dataclass
class _World:
    """Who and what is where, as it is told."""

    rng: random.Random
    words: Words
    story: Story
    at: dict[str, list[str]] = field(default_factory=dict)
    holder: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.people = self.rng.sample(PEOPLE, 5)
        self.places = self.rng.sample(PLACES, 6)
        self.things = self.rng.sample(THINGS, 4)

    def tell(self, text: str, speaker: str = "Narrator", when: datetime = START, session: str = "story") -> None:
        self.story.turns.append((speaker, text, when, session))

    def ask(self, question: str, gold: str) -> None:
        self.story.asked.append(Asked(question, gold))

    def here(self, key: str) -> str:
        return self.at[key][-1] if self.at.get(key) else ""

    def put(self, key: str, place: str) -> None:
        if place and self.here(key) != place:
            self.at.setdefault(key, []).append(place)

    def other(self, pool: list[str], *taken: str) -> str:
        return self.rng.choice([p for p in pool if p not in taken])

    def went(self, who: str, place: str) -> None:
        self.put(who, place)
        for thing, holders in self.holder.items():
            if holders[-1] == who:
                self.put(thing, place)

    def move(self, who: str, place: str = "", subject: str = "", opening: str = "") -> str:
        place = place or self.other(self.places, self.here(who))
        said = self.rng.choice(self.words.move).format(p=place)
        self.tell(f"{opening}{subject or who} {said}.")
        self.went(who, place)
        return place

    def take(self, who: str, thing: str) -> None:
        self.tell(f"{who} {self.rng.choice(self.words.take).format(t=thing)}.")
        self.holder.setdefault(thing, []).append(who)
        self.put(thing, self.here(who))

    def drop(self, who: str, thing: str) -> None:
        self.tell(f"{who} {self.rng.choice(self.words.drop).format(t=thing)}.")
        self.holder[thing].append("")
        self.put(thing, self.here(who))

    def give(self, who: str, thing: str, to: str) -> None:
        self.tell(f"{who} {self.rng.choice(self.words.give).format(t=thing, r=to)}.")
        self.holder[thing].append(to)

    def held(self, who: str) -> list[str]:
        return [t for t, holders in self.holder.items() if holders[-1] == who]

    def distract(self, *apart: str) -> None:
        """Something that changes nothing of what is asked: others move, or what is only meant, wished or said."""
        who = self.other(self.people, *apart)
        place, thing = self.rng.choice(self.places), self.rng.choice(self.things)
        somebody = self.rng.choice(self.people)
        told = self.rng.choice((0, 0, 1, 2, 3, 4, 5))
        if told == 0:
            self.move(who)
        else:
            self.tell(
                (
                    f"{somebody} wanted to go to the {place}.",
                    f"{somebody} might take the {thing} later.",
                    f"If {somebody} finds the {thing}, {who} will be glad.",
                    f"{somebody} planned to drop the {thing} in the {place}.",
                    f"{who} liked the {place}.",
                )[told - 1]
            )


def _person(w: _World) -> None:
    """One supporting fact."""
    a, b = w.people[:2]
    for who in (a, b, a):
        w.move(who)
        w.distract(a)
    w.ask(f"Where is {a}?", w.here(a))
    w.ask(f"Is {a} in the {w.here(a)}?", "Yes")
    if len(w.at[a]) > 1:
        w.ask(f"Is {a} in the {w.at[a][-2]}?", "No")
        w.ask(f"Where was {a} before the {w.here(a)}?", w.at[a][-2])


def _carried(w: _World) -> None:
    """Two supporting facts: who has it, and where they went."""
    a, t = w.people[0], w.things[0]
    w.take(a, t)
    w.distract(a)
    w.move(a)
    w.distract(a)
    w.ask(f"Where is the {t}?", w.here(t))
    w.ask(f"Who has the {t}?", a)
    w.ask(f"What is {a} carrying?", t)


def _dropped(w: _World) -> None:
    """Two or three supporting facts: where somebody was who dropped it."""
    a, t = w.people[0], w.things[0]
    w.take(a, t)
    w.move(a)
    w.distract(a)
    w.drop(a, t)
    w.move(a)
    w.ask(f"Where is the {t}?", w.here(t))
    w.ask(f"Is the {t} in the {w.here(t)}?", "Yes")
    w.ask(f"Is {a} carrying the {t}?", "No")
    w.ask(f"What is {a} carrying?", "nothing")


def _before(w: _World) -> None:
    """Three supporting facts: where a thing was before a place."""
    a, t = w.people[0], w.things[0]
    w.move(a)
    w.take(a, t)
    w.distract(a)
    w.move(a)
    w.distract(a)
    w.move(a)
    w.drop(a, t)
    w.move(a)
    trail = w.at[t]
    w.ask(f"Where is the {t}?", trail[-1])
    if trail.count(trail[-1]) == 1:
        w.ask(f"Where was the {t} before the {trail[-1]}?", trail[-2])
    if len(trail) > 2 and trail.count(trail[-2]) == 1:
        w.ask(f"Where was the {t} before the {trail[-2]}?", trail[-3])


def _handed(w: _World) -> None:
    """Three supporting facts: taken, handed over, carried on."""
    a, b, c = w.people[:3]
    t = w.things[0]
    w.take(a, t)
    w.distract(a, b, c)
    w.give(a, t, b)
    w.move(b)
    w.distract(a, b, c)
    w.ask(f"Who has the {t}?", b)
    w.ask(f"Where is the {t}?", w.here(b))
    w.ask(f"Who gave the {t} to {b}?", a)
    w.ask(f"What did {a} give to {b}?", t)
    w.ask(f"Who did {a} give the {t} to?", b)
    w.ask(f"Who received the {t}?", b)
    w.ask(f"Does {b} have the {t}?", "Yes")
    w.ask(f"Is {a} carrying the {t}?", "No")
    w.give(b, t, c)
    w.move(c)
    w.story.asked = [q for q in w.story.asked if q.question.startswith(("Who gave", "What did", "Who did"))]
    w.ask(f"Who has the {t}?", c)
    w.ask(f"Where is the {t}?", w.here(c))
    w.ask(f"Who had the {t} before {c}?", b)


def _counted(w: _World) -> None:
    """Counting and lists."""
    a, b = w.people[:2]
    for thing in w.things[: w.rng.randint(1, 3)]:
        w.take(a, thing)
        w.distract(a, b)
    if w.rng.random() < 0.6:
        thing = w.rng.choice(w.held(a))
        w.drop(a, thing) if w.rng.random() < 0.5 else w.give(a, thing, b)
    held = w.held(a)
    w.ask(f"How many objects is {a} carrying?", str(len(held) or "none"))
    w.ask(
        f"What is {a} carrying?",
        " and ".join(held) or "nothing" if len(held) < 3 else f"{held[0]}, {held[1]} and {held[2]}",
    )


def _denied(w: _World) -> None:
    """Simple negation and indefinite knowledge."""
    a, b, c = w.people[:3]
    p, q, r = w.places[:3]
    w.move(a, p)
    w.tell(f"{a} is no longer in the {p}.")
    w.tell(f"{b} is either in the {p} or the {q}.")
    w.tell(f"{c} is not in the {r}.")
    w.ask(f"Is {a} in the {p}?", "No")
    w.ask(f"Where is {a}?", NOTHING_KNOWN)
    w.ask(f"Is {b} in the {q}?", NOTHING_KNOWN)
    w.ask(f"Where is {b}?", NOTHING_KNOWN)
    w.ask(f"Is {c} in the {r}?", "No")


def _pronouns(w: _World) -> None:
    """Coreference and conjunction."""
    a, b, c = w.people[:3]
    he = "he" if a in MEN else "she"
    t = w.things[0]
    w.move(a)
    w.move(a, subject=he, opening=w.rng.choice(("Then ", "After that ", "Afterwards ", "Following that ")))
    w.move(b, subject=f"{b} and {c}")
    w.went(c, w.here(b))
    place = w.move(b, subject="they", opening=w.rng.choice(("Then ", "After that ", "Afterwards ")))
    w.went(c, place)
    w.take(a, t)
    w.tell(f"{he.capitalize()} gave it to {c}.")
    w.ask(f"Where is {a}?", w.here(a))
    w.ask(f"Where is {b}?", place)
    w.ask(f"Where is {c}?", place)
    w.ask(f"Who has the {t}?", c)
    w.ask(f"Where was {a} before the {w.here(a)}?", w.at[a][-2])


def _times(w: _World) -> None:
    """Time reasoning: told out of order."""
    a = w.people[0]
    when = ["Yesterday", "This morning", "This afternoon", "This evening"]
    trail = w.rng.sample(w.places, 4)
    told = list(zip(when, trail, strict=True))
    w.rng.shuffle(told)
    for time, place in told:
        w.tell(f"{time} {a} {w.rng.choice(w.words.move).format(p=place)}.")
        w.distract(a)
    n = w.rng.randint(1, 3)
    w.ask(f"Where was {a} before the {trail[n]}?", trail[n - 1])
    w.ask(f"Where is {a}?", trail[-1])


def _lives(w: _World) -> None:
    """What people tell of themselves, session by session: where they live, and what they lend."""
    a, b = w.people[:2]
    first, second, third = w.rng.sample(TOWNS, 3)
    t = w.rng.choice(("bike", "tent", "guitar", "drill", "camera"))
    days = [START + timedelta(days=n * 40) for n in range(4)]
    w.tell(f"I live in {first}.", a, days[0], "one")
    w.tell(w.rng.choice(("Nice!", "I have never been there.")), b, days[0], "one")
    w.tell(w.rng.choice((f"I moved to {second} last week.", f"I have moved to {second}.")), a, days[1], "two")
    w.tell(f"I gave my {t} to {b}.", a, days[1] + timedelta(minutes=5), "two")
    w.tell(
        w.rng.choice((f"I took it to {third}.", f"I brought it to {third}.")), b, days[1] + timedelta(minutes=9), "two"
    )
    w.tell(f"I was thinking of moving to {third}, but no.", a, days[2], "three")
    w.ask(f"Where does {a} live?", second)
    w.ask(f"Where did {a} live before {second}?", first)
    w.ask(f"Where is {a}'s {t}?", third)
    w.ask(f"Who has {a}'s {t}?", b)


KINDS: dict[str, Callable[[_World], None]] = {
    "one fact": _person,
    "carried": _carried,
    "dropped": _dropped,
    "before": _before,
    "handed over": _handed,
    "counted": _counted,
    "denied": _denied,
    "pronouns": _pronouns,
    "times": _times,
    "lives": _lives,
}


def stories(count: int, seed: int = 0, *, held_out: bool = True) -> Iterator[Story]:
    """So many stories, each kind in turn. `held_out`: told with verbs that nothing was developed with."""
    names = [*KINDS, *ATTRIBUTE_KINDS]
    for n in range(count):
        kind = names[n % len(names)]
        rng = random.Random(f"{seed} {n}")  # noqa: S311
        if kind in ATTRIBUTE_KINDS:
            yield attribute_story(kind, rng, held_out=held_out)
            continue
        world = _World(rng, HELD_OUT if held_out else PLAIN, Story(kind))
        KINDS[kind](world)
        yield world.story
