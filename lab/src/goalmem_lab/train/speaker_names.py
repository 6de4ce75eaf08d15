"""Speakers under other names, so that a reader learns who said what and not whom a corpus is about."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from goalmem_lab.train.documents import Document

FIRST_NAMES = tuple(
    """
    Aaron Abigail Adam Adele Aisha Alan Alex Alice Alina Amir Amy Ana Andrea Andrew Angela Anika Anna Anthony Aria
    Arthur Beatrice Ben Bianca Boris Brandon Brenda Brian Bruno Camille Carla Carlos Carmen Cecilia Charlotte Chen
    Chris Clara Claire Colin Connor Dana Daniel Daria David Dean Deborah Denise Derek Diana Diego Dmitri Dora Dylan
    Edith Eduardo Elena Eli Elise Emma Eric Erika Esther Ethan Eva Fatima Felix Fiona Frank Gabriel Gary Gemma George
    Gina Grace Greta Hana Harold Harry Hassan Heather Helen Henry Hugo Ian Ines Ingrid Irene Isaac Isabel Ivan Jack
    Jacob Jana Jane Jason Jasmine Jeff Jenna Jin Joan Jonas Jordan Jorge Joseph Judy Julia Julian Karen Kate Keiko
    Keith Kevin Kim Kofi Lara Laura Layla Leah Leila Leo Liam Lily Linda Lina Louis Lucas Lucy Luis Luna Magnus
    Marco Margaret Maria Marina Mark Marta Martin Mary Mateo Matt Maya Megan Mei Michael Mila Miriam Mohammed Nadia
    Naomi Natalie Nathan Neil Nick Nina Noah Nora Oliver Olga Omar Oscar Otto Pablo Patricia Paul Pedro Peter Philip
    Priya Rafael Rania Raj Rebecca Richard Rita Robert Rosa Ruth Ryan Samir Samuel Sandra Sara Scott Sean Sergei
    Sofia Simon Stella Stefan Steve Susan Tamara Tara Teresa Theo Thomas Tim Tina Tom Uma Vera Victor Vincent Wanda
    Wei William Xavier Yara Yasmin Yuki Yusuf Zara Zoe
    """.split()
)
"""Given names from many places, for no conversation in particular."""


ROLES = frozenset({"user", "assistant"})
"""Speakers without a name: "I" in the question is one of them, so they keep what they are called."""


def first_name(speaker: str) -> str:
    """What a speaker is called: the first word of the name."""
    return speaker.split()[0] if speaker.split() else speaker


def invented_names(document: Document, random_: random.Random) -> dict[str, str]:
    """For each word of each speaker's name, the invented one that stands for it.

    A word that the document also writes in lower case ("Woman", "Guy") is no name and stays, as the roles of a chat do.
    """
    text = " ".join(line.text for line in document.lines)
    words = set(text.split())
    names: dict[str, str] = {}
    pool = random_.sample(FIRST_NAMES, min(len(FIRST_NAMES), 2 * len(document.speakers) + 4))
    for speaker in document.speakers:
        for word in speaker.replace(",", " ").split():
            if word in ROLES or not (word[0].isalpha() and len(word) > 1 and pool):
                continue
            if word.islower() or word.lower() not in words:
                names.setdefault(word, pool.pop())
    return names


def swapped(question: str, speakers: Sequence[str], others: Sequence[str], random_: random.Random) -> str | None:
    """The question about the wrong person: one of `speakers` named in it becomes one of `others`; None if none is named.

    Whom else the question names stays, or takes the place left.
    """
    words = question.split()
    named = [name for name in dict.fromkeys(map(first_name, speakers)) if name in words]
    free = [name for name in dict.fromkeys(map(first_name, others)) if name[:1].isalpha()]
    if not named:
        return None
    name = random_.choice(named)
    choices = [other for other in free if other != name]
    if not choices:
        return None
    other = random_.choice(choices)
    exchange: Mapping[str, str] = {name: other, other: name}
    return " ".join(exchange.get(word, word) for word in words)
