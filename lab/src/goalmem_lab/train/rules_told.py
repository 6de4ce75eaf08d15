"""Sentences about people and their properties, made from a seed, with what they say.

They are what the crowd's sentences have few of or none: rules that name what follows first, rules with two heads,
denials, and properties of every kind.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from goalmem_lab.train.chance import chance

PROPERTIES = """able active alert angry anxious awake bald bitter bold bossy brave bright broad broke busy calm careful careless
    charming cheerful chubby clean clever clumsy common confident cool crazy cruel curious cute dark dirty dizzy dull dumb
    eager elegant faithful famous fast fat fierce firm fit fresh friendly frail funny furry generous gentle gloomy golden
    graceful grateful greedy grumpy happy harsh healthy heavy helpful honest hot huge humble hungry idle jealous jolly
    joyful lazy lean light little lonely loud loyal lucky lush mad mean mellow merry messy mild modest nervous noisy odd
    old orange pale patient pink plain playful pleasant polite poor popular proud purple quick quiet rare reckless rich
    rude sad scared scary serious shaky sharp shiny short shy sick silent silly simple skinny sleepy slender slim slow
    sly small smart smooth soft sore sour spicy steady stern stiff strange strict strong stubborn sweet swift tall tame
    tan tense thick thin tidy timid tiny tired tough ugly warm wary weak wealthy weary weird wet white wicked wild wise
    witty worried yellow""".split()
PEOPLE = """Ada Ben Carla David Emma Frank Grace Henry Irene Jack Karen Louis Maria Nathan Olivia Peter Rachel Simon Tina
    Victor Walter""".split()

GROUPS = ("people", "folks", "persons", "individuals", "men", "kids", "children", "friends", "students", "neighbors")
ONES = (
    "a person",
    "someone",
    "anyone",
    "somebody",
    "a man or woman",
    "any person",
    "a fellow",
    "an individual",
    "anybody",
)
OFTEN = ("", "", "usually ", "always ", "often ", "generally ", "also ", "most certainly ", "probably ", "bound to be ")
MANY_ARE = ("are {o}{h}", "will {o}be {h}", "tend to be {h}", "are {o}known to be {h}", "have to be {h}", "can be called {h}",
    "turn out {h}", "are said to be {h}", "will end up {h}", "are {o}quite {h}", "must be {h}", "seem {h} too",
    "are {h} as well", "get {h} in the end", "are thought of as {h}", "come across as {h}", "are likely to be {h}",
    "are all {h} people", "have {h} eyes", "make for {h} company", "are on the {h} side", "will have {h} faces too", "are also {h} people", "possess a {h} quality", "act {h} towards others", "are sure to be {h} ones")  # fmt: skip
ONE_IS = ("is {o}{h}", "will {o}be {h}", "tends to be {h}", "is {o}known to be {h}", "has to be {h}", "can be called {h}",
    "turns out {h}", "is said to be {h}", "is going to be {h}", "is {o}quite {h}", "must be {h}", "seems {h} too",
    "is {h} as well", "gets {h} in the end", "is thought of as {h}", "comes across as {h}", "has a {h} look",
    "is likely to be {h}", "is a {h} one", "is on the {h} side", "will have a {h} body", "is also a {h} human being", "has {h} qualities", "can only be {h}", "wears {h} clothes", "feels {h} most of the time")  # fmt: skip
MANY_WHO = ("{people} who are {b}", "{people} that are {b}", "{list} {people}", "those who are {b}", "all {list} {people}",
    "most {list} {people}", "{first} {people} who are also {rest}", "{people} with a {list} nature", "{first} {people} feeling {rest}",
    "{first} {people} with {rest} hands", "some {first} {people} who wear {rest}", "{people} known to be {b}")  # fmt: skip
ONE_WHO = ("{one} who is {b}", "{one} that is {b}", "a {list} person", "any {list} fellow", "{one} who is both {first} and {rest}",
    "whoever is {b}", "a {first} person that is also {rest}", "every {list} human", "{one} with a {list} face",
    "{one} you can describe as {b}", "a person who's {b}", "{one} of {list} character", "a person of {list} shape", "{one} that has {list} qualities", "{one} with {first} cheeks and {rest} lips", "{one} whose skin is {b}",
    "a {first} child that feels {rest}")  # fmt: skip
FRONT = ("", "", "", "I know that ", "It is said that ", "You can be sure that ", "I have noticed that ", "It is clear that ",
    "Everybody knows that ", "As a rule, ", "Without exception, ", "You will find that ", "Just as you might expect, ",
    "A good friend told me that ", "In most other places ", "It should be obvious that ", "It is certain that ", "For the same reason ",
    "In the whole world, ", "Chances are good that ",
    "In this kind of town, ")  # fmt: skip
BACK = (" at the same time", " in every case", " for a good reason", " since last year", " for the past few weeks", " like other people", " of their own free will", ", as is usual",
    " in bad weather", " for the most part", ", which is only natural", " on the whole", " in recent times", ", to be sure",
    " and all of that kind")  # fmt: skip
WORDED = ("very {w}", "quite {w}", "a bit {w}", "rather {w}", "so {w}", "{w} in color", "{w} at heart", "{w} to others", "{w} natured",
    "{w} in appearance", "really {w}", "{w} around the ears", "{w} with joy", "somewhat {w}", "a little {w}")  # fmt: skip
BODY_FIRST = ("If someone is {b}, then they are {o}{h}", "If someone is {b} they are {o}{h}", "When people are {b}, they are {o}{h}",
    "If you are {b}, you will be {h} too", "When you meet somebody who is {b}, expect them to be {h}", "Being {b} makes a person {h}",
    "Once a person has become {b}, that person is {h}", "Whenever a man is {b} he is {o}{h}", "Take someone {b} and you get someone {h}",
    "Show me somebody {b} and I will show you somebody {h}", "Since they are {b}, such people are {h}",
    "To be {b} means to be {h}", "Anyone described as {b} can be described as {h}", "Suppose a person is {b}: that person is {h}",
    "A {list} nature makes people {h}", "Some {first} {people} are {rest} and that makes them {h}", "Some {people} are {b} which makes them {h}",
    "If somebody {first} is {rest}, that one is {h}", "When {first} {people} are {rest} they are {h}", "If {one} has {list} hair, they are {h}",
    "Do not ask {one} who is {b} because they are {h}", "If I met someone {first} with {rest} teeth I would call them {h}",
    "While {first} {people} are still {rest}, they will be {h}", "If {one} feels {first} and looks {rest}, they will become {h}",
    "When you see a {list} child, you know that child is {h}", "If you paint a man {b} he looks {h}", "Being {b} goes with being {h}", "When you make a statue {b}, he is {h}", "If a child is {b} he has {h} cheeks",
    "When a man or woman is {b}, that man or woman is {h} as well", "Maybe someone is {b} but wears {h} shoes",
    "Those {people} are {first} and {rest}, so they are {h} as well")  # fmt: skip
HEAD_FIRST = ("Someone is {o}{h} if they are {b}", "People are {o}{h} when they are {b}", "You will be {h} if you are {b}",
    "Expect anyone to be {h} who is {b}", "A person is {h} whenever that person is {b}", "Call someone {h} if they are {b}",
    "You can call anyone {h} who is {b}", "{H} is what you get when someone is {b}", "{H} is how I would describe anyone who is {b}",
    "They must be {h} because they are {b}, that is how people are", "People become {h} by being {b}",
    "I would say a person is {h} as long as they are {b}", "One is {h} provided one is {b}", "Nobody can help being {h} once they are {b}",
    "Count as {h} all {list} {people}", "You know someone is {h} when they are {b}", "People are {h}, given that they are {b}",
    "Somebody who is {b} and therefore {h} is nothing new", "Being {h} comes from being {b}", "{H} people are what {list} {people} are")  # fmt: skip
FACTS = ("{n} is {b}", "{n} is a {list} person", "{n} is {first}, but also {rest}", "If you meet {n}, you will see a {list} man",
    "Everyone says that {n} is {b}", "{n}, who is {first}, is {rest} too", "The {list} one over there is {n}", "{n} feels {first} because {n} is {rest}",
    "{n} has always been {b}", "I think {n} is quite {b}", "{list} {n} works here", "You will find {n} to be {b}",
    "{n} has a {list} face", "When {n} is {first}, {n} is {rest} as well", "{n} was {first} and became {rest}", "{n} has {first} hair and {rest} eyes",
    "{n}'s hands are {b}", "{n} gets {first} when people see his {rest} coat", "{n} is {first} which makes him {rest}",
    "{n}, the {list} one, is a real friend", "{n} wears {first} because he is {rest}", "Being {first} makes {n} {rest}", "We saw {n} all {b}",
    "{first} is one way to describe {n}, another is {rest}", "{n} looks {first} for such a {rest} man", "{n} has a {first} voice and a {rest} walk", "{n} is on the {first} side, but {rest}", "{n} is a {list} man",
    "{n} is a {first} guy with {rest} shoulders", "{n} is the {list} sort", "{n}, the {first} woman at the desk, is {rest}", "{n}, a {first} friend, seems {rest}", "We know {n} as a {first} man with a {rest} side", "For {n}, being {b} is easy")  # fmt: skip
FOLLOWING = ("He is {b} too", "He has a {list} smile", "She has {first} eyes and a {rest} coat", "She is also {b}", "His mood makes him {b}", "It made her {b}", "But he is {b} as well", "They say she is {b}",
    "When he is {first}, he is {rest}", "All this has left him {b}", "I hear he can be {b}", "Hard work has him {b}", "This makes her {b}",
    "The long days have made him {b}, though", "Her friends call her {b}", "His coat is {b}", "If she is {first} she is also {rest}",
    "He became {first} after he got {rest}", "Because she is {first} people think she is {rest}", "So many cold nights left him {b}")  # fmt: skip
DENIED_FACTS = ("{n} is not {x}, but {b}", "{n} is never {x} but always {b}", "{n} is {b} and not {x}", "{n} isn't {x} although {n} is {b}",
    "{n} is {b} without being {x}", "No one would call {n} {x}, but {n} is {b}", "Not only is {n} {first}, {n} is {rest} too",
    "{n} is not only {first} but {rest}", "{n} is not just {first}, also {rest}", "{n} is neither {x} nor {y}", "{n} is not {x} or {y}",
    "{n} is never {x} or feeling {y}", "{n} is not from here and is {b}", "{n} does not live here, is {first} and also {rest}",
    "{n} can not see well and looks {b}", "{n} is not {x} and is {b}", "No matter what, {n} is {b}", "There is no one as {b} as {n}")  # fmt: skip
DENIED_BODY = ("People who are {b} but not {x} are {h}", "If someone is {b} and not {x} then they are {h}", "Someone who is {b} without being {x} is {h}",
    "{list} people that are never {x} tend to be {h}", "Whoever isn't {x} and is {b} will be {h}", "Someone is {h} if they are {b} and not {x}",
    "A person that is not only {b} will be {h}", "If people are not {x} they are {h}", "If someone is not {x} and {b} they are {h}",
    "People who are {b} are {h}, no matter what", "{list} people who do not live here are {h}", "Don't worry, {list} people are {h}",
    "If someone is {b} I know they are not from here and {h}", "There is no doubt that {list} people are {h}")  # fmt: skip
DENIED_HEAD = ("People who are {b} are never {h}", "If someone is {b} then they are not {h}", "{list} people aren't {h}", "No one who is {b} is {h}",
    "Someone who is {b} will not be {h}", "{list} people can hardly be {h}")  # fmt: skip
SHARES = (
    ("body first", 7),
    ("head first", 5),
    ("fact", 3),
    ("following", 2),
    ("denied fact", 2),
    ("denied body", 1),
    ("denied head", 1),
)
TWO_HEADS = 0.08
"""Share of rules with two heads."""
SENTENCES = (2, 18)
"""In a text, from and to."""
LONG = 8
"""Sentences of a text in which a word that it has once is an aside."""
ASIDES = 0.04
"""Share of the sentences of a long text with one."""
POOL = (8, 16)
"""Properties that a text is about, from and to."""
DECORATED = 0.25
"""Share of sentences, and of words, with something around them that states no property."""
COMPOSED = 0.6
"""Share of the rules that begin with the condition which are put together from a subject and a predicate."""
LONGEST = 3
"""Properties in a condition."""
ABOUT_SOMEONE = ("fact", "following", "denied fact")


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence, and what it says."""

    text: str
    rule: bool
    follows: bool
    """It needs a sentence before that names someone."""
    body: tuple[str, ...]
    """The properties of a fact, too."""
    heads: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()


def tell(texts: int, seed: int) -> list[list[Told]]:
    """So many texts of a few sentences about the same few properties, the same for the same seed."""
    rng = chance(seed)
    kinds, shares = zip(*SHARES, strict=True)
    return [_text(rng.choices(kinds, shares, k=rng.randint(*SENTENCES)), rng) for _ in range(texts)]


def _text(kinds: list[str], rng: random.Random) -> list[Told]:
    size = rng.randint(*POOL)
    pool = rng.sample(PROPERTIES, size)
    pool += rng.choices(pool, k=size)  # some are spoken of more often
    asides = [w for w in PROPERTIES if w not in pool] if len(kinds) >= LONG else []
    return [_with_aside(_tell(kind, pool, rng), asides, rng) for kind in kinds]


def _with_aside(told: Told, asides: list[str], rng: random.Random) -> Told:
    """Now and then, a word more beside a property, which is none of those that the text is about."""
    if not asides or rng.random() > ASIDES:
        return told
    word, aside = rng.choice((*told.body, *told.heads)), rng.choice(asides)
    beside = rng.choice((f"{word} and {aside}", f"{aside} and {word}", f"{aside}, {word}", f"{word} but {aside}"))
    return replace(told, text=re.sub(rf"\b{word}\b", beside, told.text, count=1))


def _tell(kind: str, pool: list[str], rng: random.Random) -> Told:
    template = _template(kind, rng)
    rule = kind not in ABOUT_SOMEONE
    *heads, x, y = _distinct(pool, 4, rng)
    heads = heads if rng.random() < TWO_HEADS and kind in ("body first", "head first") else heads[:1]
    least = 2 if "{rest}" in template or not rule else 1
    body = [w for w in _distinct(pool, LONGEST + 4, rng) if w not in (*heads, x, y)][: rng.randint(least, LONGEST)]
    text = _filled(template, heads, body, (x, y), rng)
    words = _plain(text).split()
    used = tuple(w for w in (*body, x, y) if w in words)
    denied = tuple(w for w in (x, y) if w in words) + (tuple(heads) if kind == "denied head" else ())
    return Told(text, rule, kind == "following", used, tuple(heads) if rule else (), denied)


def _distinct(pool: list[str], count: int, rng: random.Random) -> list[str]:
    return list(dict.fromkeys(rng.sample(pool, len(pool))))[:count]


def _template(kind: str, rng: random.Random) -> str:
    if kind == "body first" and rng.random() < COMPOSED:
        who, what = rng.choice(((MANY_WHO, MANY_ARE), (ONE_WHO, ONE_IS)))
        return f"{rng.choice(FRONT)}{rng.choice(who)} {rng.choice(what)}{rng.choice(BACK) if rng.random() < DECORATED else ''}"
    pools = {
        "body first": BODY_FIRST,
        "head first": HEAD_FIRST,
        "fact": FACTS,
        "following": FOLLOWING,
        "denied fact": DENIED_FACTS,
        "denied body": DENIED_BODY,
        "denied head": DENIED_HEAD,
    }
    ending = rng.choice(BACK) if rng.random() < DECORATED else ""
    return rng.choice(pools[kind]) + ending


def _filled(template: str, heads: list[str], body: list[str], others: tuple[str, str], rng: random.Random) -> str:
    head = " and ".join(heads)
    filled = template.format(
        b=_listed(body, rng),
        h=head,
        H=head,
        o=rng.choice(OFTEN),
        n=rng.choice(PEOPLE),
        x=others[0],
        y=others[1],
        list=rng.choice((", ", ", ", " and ", " ")).join(body),
        first=body[0],
        rest=_listed(body[1:], rng),
        people=rng.choice(GROUPS),
        one=rng.choice(ONES),
    )
    return f"{filled[0].upper()}{filled[1:]}."


def _listed(plain_words: list[str], rng: random.Random) -> str:
    words = [rng.choice(WORDED).format(w=w) if rng.random() < DECORATED else w for w in plain_words]
    plain = " and ".join(words)
    return (
        rng.choice((plain, ", ".join(words[:-1]) + rng.choice((" and ", ", and ")) + words[-1])) if words[1:] else plain
    )


def _plain(text: str) -> str:
    return "".join(c.lower() if c.isalnum() else " " for c in text)
