"""Make `src/goalmem/language/data/given_names.txt`: the given names of Faker's locales that are no ordinary English words.

    pip install faker && python scripts/given_names.py

Names are kept in lower case and without accents, one a line. What is also an ordinary word (`Will`, `Rose`), a place (`America`), or how people
write another word in chats (`theres`) is left out; so is what only the largest list has, of whoever was born in the United States, in which
surnames and towns stand as well (`Ashby`).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import faker.providers.person  # type: ignore[import-not-found]

from goalmem.language import lexicon
from goalmem.language.inflection import getAllLemmas
from goalmem.language.lexicon import unaccented
from goalmem.language.terms import STOP_WORDS
from goalmem.language.words.function_words import ORDINARY
from goalmem.language.words.pronouns import NO_NAMES

SHORTEST = 3
NO_NAME = frozenset(
    "til theres uni del hai shea leva kya petras pero kora kar hurley zander uno thi mal juli che asi buena hasta tri harambee".split()
)
"""Seen in lower case, as other words, in conversations."""
BRANDS = frozenset("pandora lexus zara alexa siri mercedes".split())
LARGEST = "en"
"""The locale whose names count only if another has them, too."""
OUT = Path(__file__).parent.parent / "src/goalmem/language/data/given_names.txt"


def given_names() -> Iterator[str]:
    """Yield the given names of all locales."""
    people = faker.providers.person
    for module in pkgutil.iter_modules(people.__path__):
        provider = importlib.import_module(f"{people.__name__}.{module.name}").Provider
        for attribute in dir(provider) if module.name != LARGEST else ():
            names = getattr(provider, attribute)
            if attribute.startswith("first_names") and not isinstance(names, property):
                yield from (name for name in names if isinstance(name, str))


def is_only_name(word: str) -> bool:
    """True if no dictionary has the word as anything else."""
    if (
        len(word) < SHORTEST
        or not (word.isascii() and word.isalpha())
        or word in NO_NAME | BRANDS | STOP_WORDS | ORDINARY | NO_NAMES
    ):
        return False
    known = any(lexicon.is_known(word, part) for part in "nva")
    if (known and not lexicon.is_named(word)) or getAllLemmas(word):
        return False
    return lexicon.coarse_type(word) != "place"


if __name__ == "__main__":
    found = {unaccented(name) for name in given_names()}
    OUT.write_text("".join(f"{name}\n" for name in sorted(filter(is_only_name, found))), encoding="ascii")
