"""Generated conversations about what holds one value at a time, with questions and what they come to.

Prices, days, owners, names, versions, states and colours are told and changed; beside them stand twins that change nothing: plans,
suppositions, refusals, questions, and the same attribute of something else. The world decides the answers, apart from what is measured.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from goalmem_lab.evals.story_parts import Asked, Story

START = datetime(2025, 3, 4, 18, 30, tzinfo=UTC)
PEOPLE = "Priya Oskar Leila Mateo Greta Pavel Amina Ronan Carla Dmitri Esther Kofi Lucia Marek Silvia".split()


@dataclass(frozen=True, slots=True)
class AttributeWords:
    """How changes are told: `{s}` is what has the attribute, `{o}` its old value, `{v}` its new one, `{p}` somebody."""

    amounts: tuple[str, ...]
    priced: tuple[str, ...]
    measured: tuple[str, ...]
    """What has an amount of its own."""
    raised: tuple[str, ...]
    lowered: tuple[str, ...]
    planned: tuple[str, ...]
    """What has a day."""
    moved: tuple[str, ...]
    tasks: tuple[str, ...]
    assigned: tuple[str, ...]
    taken: tuple[str, ...]
    named: tuple[str, ...]
    """What has a name."""
    names: tuple[str, ...]
    renamed: tuple[str, ...]
    programs: tuple[str, ...]
    upgraded: tuple[str, ...]
    ended: tuple[tuple[str, str], ...]
    reopened: tuple[str, ...]
    things: tuple[str, ...]
    colours: tuple[str, ...]
    coloured: tuple[str, ...]


PLAIN = AttributeWords(
    amounts=("euros",),
    priced=("ticket", "sandwich", "room"),
    measured=("budget", "limit", "rent"),
    raised=("The {s} was raised from {o} to {v}.", "We raised the {s} to {v}.", "The {s} went up to {v}.", "The {s} is {v} now."),
    lowered=("The {s} was lowered to {v}.", "We cut the {s} from {o} to {v}.", "The {s} went down to {v}."),
    planned=("meeting", "release", "interview"),
    moved=("We moved the {s} to {v}.", "The {s} was postponed to {v}.", "The {s} is now on {v}."),
    tasks=("login ticket", "billing task", "parser bug"),
    assigned=("The {s} was assigned to {p}.", "{p} was assigned the {s}."),
    taken=("{p} took over the {s}.", "The {s} was reassigned to {p}.", "{p} is now responsible for the {s}."),
    named=("project", "boat", "cafe"),
    names=("Falcon", "Luna", "Comet", "Marlin", "Aurora"),
    renamed=("We renamed the {s} to {v}.", "The {s} was renamed {v}.", "The {s} is now called {v}."),
    programs=("parser", "database", "client"),
    upgraded=("We bumped the {s} to {v}.", "We upgraded the {s} to {v}.", "The {s} was updated to {v}."),
    ended=(("The {s} was closed.", "closed"), ("The {s} is done.", "done"), ("{p} closed the {s}.", "closed")),
    reopened=("{p} reopened the {s}.", "The {s} was reopened."),
    things=("fence", "door", "shed"),
    colours=("green", "blue", "red", "white"),
    coloured=("We painted the {s} {v}.", "The {s} is {v} now.", "The {s} was painted {v}."),
)  # fmt: skip
HELD_OUT = AttributeWords(
    amounts=("dollars", "pounds", "crowns"),
    priced=("lamp shade", "seedling tray", "violin lesson", "parking permit", "museum pass", "ferry crossing", "haircut", "oil filter"),
    measured=("deposit", "membership fee", "daily quota", "speed limit", "toll", "attendance cap", "headcount", "grant", "timeout", "ceiling"),
    raised=(
        *("The {s} jumped from {o} to {v}.", "They increased the {s} to {v}.", "The {s} has been increased to {v}.", "The {s} climbed to {v}."),
        *("The {s} has risen to {v}.", "They hiked the {s} from {o} to {v}.", "The {s} grew from {o} to {v}.", "The {s} was adjusted to {v}."),
        *("The {s} was changed to {v}.", "The {s} is now {v}.", "The committee set the {s} to {v}."),
    ),
    lowered=(
        *("The {s} dropped to {v}.", "They reduced the {s} to {v}.", "The {s} fell from {o} to {v}.", "The {s} has been reduced from {o} to {v}."),
        *("They slashed the {s} to {v}.", "The {s} sank to {v}.", "The {s} has come down to {v}.", "The {s} is {v} these days."),
    ),
    planned=("inspection", "rehearsal", "dentist appointment", "workshop", "board meeting", "exam", "photo shoot", "auction", "bake sale"),
    moved=(
        *("They rescheduled the {s} to {v}.", "The {s} was shifted to {v}.", "The {s} has been pushed back to {v}.", "They delayed the {s} until {v}."),
        *("The {s} was brought forward to {v}.", "The {s} has been moved to {v}.", "They switched the {s} to {v}.", "The {s} will not wait: it was moved to {v}."),
    ),
    tasks=("heating project", "newsletter", "garden plan", "payroll migration", "visa paperwork", "choir website", "stock audit"),
    assigned=("The {s} was given to {p}.", "They assigned the {s} to {p}.", "{p} is in charge of the {s}.", "{p} is responsible for the {s}."),
    taken=("{p} has taken over the {s}.", "The {s} was handed over to {p}.", "They reassigned the {s} to {p}.", "{p} is now in charge of the {s}.", "{p} took on the {s}.", "They transferred the {s} to {p}."),
    named=("horse", "choir", "magazine", "rowing club", "kitten", "bakery", "board game"),
    names=("Juniper", "Saffron", "Orion", "Pebble", "Willow", "Cobalt", "Nimbus"),
    renamed=("They renamed the {s} {v}.", "The {s} has been renamed to {v}.", "They rebranded the {s} as {v}.", "The {s} goes by {v} now.", "The {s} was rechristened {v}.", "They now call the {s} {v}."),
    programs=("compiler", "firmware", "web server", "scheduler", "kernel", "payment library"),
    upgraded=("They upgraded the {s} to {v}.", "The {s} has been upgraded to version {v}.", "They moved the {s} to {v}.", "They updated the {s} from {o} to {v}.", "The {s} is now at version {v}.", "They rolled the {s} back to {v}."),
    ended=(("{p} finished the {s}.", "done"), ("The {s} has been completed.", "done"), ("The {s} was cancelled.", "cancelled"), ("The {s} is closed.", "closed"), ("The {s} got approved.", "approved"), ("{p} resolved the {s}.", "resolved")),
    reopened=("The {s} has been reopened.", "They reopened the {s}.", "The {s} is open again."),
    things=("gate", "kitchen wall", "bicycle", "mailbox", "garage door", "wardrobe"),
    colours=("orange", "purple", "grey", "yellow", "turquoise", "black", "pink", "brown"),
    coloured=("They painted the {s} {v}.", "The {s} has been repainted {v}.", "The {s} turned {v}.", "{p} dyed the {s} {v}.", "They sprayed the {s} {v}.", "The {s} is {v} now."),
)  # fmt: skip
TWINS = (
    "We might change it next month.",
    "{p} wanted to change the {s} to {v}.",
    "If {p} agrees, the {s} will be changed to {v}.",
    "{p} refused to change the {s} to {v}.",
    "Should we change the {s} to {v}?",
    "{p} suggested changing the {s} to {v}.",
    "We plan to change the {s} to {v} one day.",
    "{p} nearly changed the {s} to {v}.",
    "They did not change the {s} to {v}.",
)
"""What changes nothing."""
DAYS = ("12 May", "19 May", "2 June", "16 June", "7 July", "21 July", "4 August")


@dataclass
class _World:
    rng: random.Random
    words: AttributeWords
    story: Story
    now: datetime = field(default=START)
    session: int = 0

    def tell(self, text: str, **parts: str) -> None:
        """One turn; sometimes some days later in a new session."""
        if self.rng.random() < 0.3:
            self.session += 1
            self.now += timedelta(days=self.rng.randint(2, 9))
        self.now += timedelta(minutes=1)
        self.story.turns.append(("Teller", text.format(**parts), self.now, f"s{self.session}"))

    def one(self, pool: tuple[str, ...], *apart: str) -> str:
        return self.rng.choice([p for p in pool if p not in apart])

    def person(self, *apart: str) -> str:
        return self.rng.choice([p for p in PEOPLE if p not in apart])

    def twin(self, topic: str, value: str) -> None:
        """Something that changes nothing."""
        self.tell(self.rng.choice(TWINS[1:]), s=topic, v=value, p=self.person())

    def ask(self, question: str, gold: str) -> None:
        self.story.asked.append(Asked(question, gold))


def _amounts(w: _World) -> None:
    priced = w.rng.random() < 0.5
    noun = w.one(w.words.priced if priced else w.words.measured)
    other = w.one(w.words.priced if priced else w.words.measured, noun)
    topic, beside = (f"{noun} price", f"{other} price") if priced else (noun, other)
    unit = w.one(w.words.amounts)
    trail = [f"{n} {unit}" for n in w.rng.sample(range(20, 90), 5)]
    w.tell("The {s} is {v}.", s=topic, v=trail[0])
    w.tell("The {s} is {v}.", s=beside, v=trail[4])
    held = [trail[0]]
    for value in trail[1 : w.rng.randint(2, 4)]:
        more = int(value.split()[0]) > int(held[-1].split()[0])
        w.tell(w.one(w.words.raised if more else w.words.lowered), s=topic, o=held[-1].split()[0], v=value)
        held.append(value)
        if w.rng.random() < 0.5:
            w.twin(topic, trail[3])
    w.ask(w.one((f"What is the {topic}?", f"What is the {topic} now?")), held[-1])
    if priced:
        w.ask(w.one((f"How much is the {noun} now?", f"How much does the {noun} cost?")), held[-1])
    w.ask(f"What was the {topic} before?", held[-2])
    w.ask(w.one((f"What was the {topic} originally?", f"What was the {topic} at first?")), held[0])
    w.ask(f"How many times has the {topic} changed?", str(len(held) - 1))
    w.ask(f"What was the {beside} before?", "")


def _days(w: _World) -> None:
    noun = w.one(w.words.planned)
    other = w.one(w.words.planned, noun)
    trail = w.rng.sample(DAYS, 4)
    w.tell(w.one(("The {s} is on {v}.", "The {s} is scheduled for {v}.")), s=noun, v=trail[0])
    w.tell("The {s} is on {v}.", s=other, v=trail[3])
    held = [trail[0]]
    for value in trail[1 : w.rng.randint(2, 3)]:
        w.tell(w.one(w.words.moved), s=noun, v=value)
        held.append(value)
        if w.rng.random() < 0.5:
            w.twin(noun, trail[3])
    w.ask(w.one((f"When is the {noun}?", f"When is the {noun} now?", f"What day is the {noun}?")), f"{held[-1]} 2025")
    w.ask(w.one((f"When was the {noun} originally planned?", f"When was the {noun} at first?")), f"{held[0]} 2025")
    w.ask(f"When was the {noun} before it was moved?", f"{held[-2]} 2025")
    w.ask(f"When was the {other} before it was moved?", "")


def _owners(w: _World) -> None:
    task, other = w.rng.sample(w.words.tasks, 2)
    a, b, c = w.rng.sample(PEOPLE, 3)
    w.tell(w.one(w.words.assigned), s=task, p=a)
    w.tell(w.one(w.words.assigned), s=other, p=c)
    w.tell(w.rng.choice(("{p} offered to take over the {s}.", "{p} might take over the {s}.", "{p} would like to take over the {s}.", "{p} refused to take over the {s}.")), s=task, p=c)  # fmt: skip
    w.tell(w.one(w.words.taken), s=task, p=b)
    w.ask(w.one((f"Who is responsible for the {task}?", f"Who is in charge of the {task}?", f"Who is the {task} assigned to?")), b)  # fmt: skip
    w.ask(f"Who was responsible for the {task} before {b}?", a)
    w.ask(f"Who was responsible for the {other} before {c}?", "")


def _names(w: _World) -> None:
    noun, other = w.rng.sample(w.words.named, 2)
    a, b, c = w.rng.sample(w.words.names, 3)
    w.tell("The {s} is called {v}.", s=noun, v=a)
    w.twin(noun, c)
    w.tell(w.one(w.words.renamed), s=noun, v=b)
    w.ask(w.one((f"What is the {noun} called?", f"What is the name of the {noun}?", f"What is the {noun} called now?")), b)  # fmt: skip
    w.ask(f"What was the {noun} called before?", a)
    w.ask(f"What was the {other} called before?", "")


def _versions(w: _World) -> None:
    noun, other = w.rng.sample(w.words.programs, 2)
    trail = [f"{w.rng.randint(1, 9)}.{n}" for n in w.rng.sample(range(1, 20), 3)]
    w.tell("The {s} is at version {v}.", s=noun, v=trail[0])
    w.tell("The {s} is at version {v}.", s=other, v=trail[2])
    w.tell(w.one(w.words.upgraded), s=noun, o=trail[0], v=trail[1])
    w.twin(noun, trail[2])
    w.ask(w.one((f"What version is the {noun}?", f"Which version of the {noun} do we have?", f"What is the version of the {noun}?")), trail[1])  # fmt: skip
    w.ask(f"What version was the {noun} before?", trail[0])
    w.ask(f"What version was the {other} before?", "")


def _states(w: _World) -> None:
    task, other = w.rng.sample(w.words.tasks, 2)
    told, state = w.rng.choice(w.words.ended)
    w.tell("The {s} is open.", s=task)
    w.tell("{p} wanted to close the {s}.", s=other, p=w.person())
    w.tell(told, s=task, p=w.person())
    w.ask(f"What is the status of the {task}?", state)
    w.ask(f"Is the {task} {state}?", "Yes")
    w.ask(f"What is the status of the {other}?", "")
    if w.rng.random() < 0.5:
        w.tell(w.one(w.words.reopened), s=task, p=w.person())
        w.story.asked = []
        w.ask(f"What is the status of the {task}?", "open")
        w.ask(f"Is the {task} {state}?", "No")


def _colours(w: _World) -> None:
    thing, other = w.rng.sample(w.words.things, 2)
    a, b, c = w.rng.sample(w.words.colours, 3)
    w.tell("The {s} is {v}.", s=thing, v=a)
    w.tell("{p} wanted to paint the {s} {v}.", s=thing, v=c, p=w.person())
    w.tell(w.one(w.words.coloured), s=thing, v=b, p=w.person())
    w.ask(w.one((f"What colour is the {thing}?", f"What color is the {thing} now?")), b)
    w.ask(f"What colour was the {thing} before?", a)
    w.ask(f"What colour was the {other} before?", "")


def _pronouns(w: _World) -> None:
    """`It`, just behind what it means."""
    noun = w.one(w.words.measured)
    trail = [str(n) for n in w.rng.sample(range(20, 90), 3)]
    w.story.turns.append(("Teller", f"The {noun} is {trail[0]}.", w.now, "s0"))
    told = w.rng.choice(("It was raised to {v}.", "It is now {v}.", "They changed it to {v}."))
    w.story.turns.append(("Teller", told.format(v=trail[1]), w.now + timedelta(minutes=1), "s0"))
    w.ask(f"What is the {noun}?", trail[1])
    w.ask(f"What was the {noun} before?", trail[0])


def _left_open(w: _World) -> None:
    """A change that does not say to what: what was before holds no longer."""
    noun = w.one(w.words.measured)
    w.tell("The {s} is {v}.", s=noun, v="40")
    w.tell(w.rng.choice(("The {s} was raised again.", "They lowered the {s}.", "The {s} has been changed.", "The {s} is no longer 40.")), s=noun)  # fmt: skip
    w.ask(f"What is the {noun} now?", "")


def _times(w: _World) -> None:
    """As of a day, and when it changed."""
    noun = w.one(w.words.measured)
    trail = [str(n) for n in w.rng.sample(range(20, 90), 2)]
    later = START + timedelta(days=40)
    w.story.turns.append(("Teller", f"The {noun} is {trail[0]}.", START, "s0"))
    w.story.turns.append(("Teller", f"The {noun} was changed to {trail[1]} yesterday.", later, "s1"))
    w.ask(f"What was the {noun} on 20 March 2025?", trail[0])
    w.ask(f"What is the {noun}?", trail[1])
    w.ask(f"When did the {noun} change?", f"{later - timedelta(days=1):%-d %B %Y}")


ATTRIBUTE_KINDS: dict[str, Callable[[_World], None]] = {
    "amounts": _amounts,
    "days": _days,
    "owners": _owners,
    "names": _names,
    "versions": _versions,
    "states": _states,
    "colours": _colours,
    "it": _pronouns,
    "left open": _left_open,
    "as of": _times,
}


def attribute_story(kind: str, rng: random.Random, *, held_out: bool) -> Story:
    """A conversation of one kind. `held_out`: with nouns and verbs that nothing was developed with."""
    world = _World(rng, HELD_OUT if held_out else PLAIN, Story(kind))
    ATTRIBUTE_KINDS[kind](world)
    return world.story
