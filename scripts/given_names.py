"""Make the lists of given names in `src/goalmem/language/data`, from Faker's locales: `given_names.txt` of those that are no ordinary English
words, `common_names.txt` of those that are words as well, and that two languages have.

    pip install faker && python scripts/given_names.py

Names are kept in lower case and without accents, one a line. What is also an ordinary word (`Will`, `Rose`), a place (`America`), or how people
write another word in chats (`theres`) is left out; so is what only the largest list has, of whoever was born in the United States, in which
surnames and towns stand as well (`Ashby`).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
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
RARELY_NAMES = frozenset(
    "anas ane ani april august baba brit comfort conn constant cornel corona edit else german imam job june junior line lore manus mar mare marine"
    " martial mason mate mats maxim maxima may mile nada nadir pal pol prima ramadan rune rut saga said sol sonata tea tilde trine urban van".split()
)
"""Names of two languages that are other words in English wherever they have a capital."""
ENGLISH = frozenset(
    "al art ben bea dale dick drew earl gene grant holly ike joe john kit lance lea matt miles mo nell nick pam pat pearl penny pip poppy rob rod"
    " ross rusty sue ted terry wade will wren".split()
)
"""English names that are words as well, and that no other language has."""
DATA = Path(__file__).parent.parent / "src/goalmem/language/data"


def given_names() -> Iterator[tuple[str, str]]:
    """Yield the given names of all locales, each with its language."""
    people = faker.providers.person
    for module in pkgutil.iter_modules(people.__path__):
        provider = importlib.import_module(f"{people.__name__}.{module.name}").Provider
        for attribute in dir(provider) if module.name != LARGEST else ():
            names = getattr(provider, attribute)
            if attribute.startswith("first_names") and not isinstance(names, property):
                yield from ((name, module.name.split("_")[0]) for name in names if isinstance(name, str))


def may_be_name(word: str) -> bool:
    """True unless the word is hardly ever a name."""
    return word.isascii() and word.isalpha() and word not in NO_NAME | BRANDS | STOP_WORDS | ORDINARY | NO_NAMES


def is_only_name(word: str) -> bool:
    """True if no dictionary has the word as anything else."""
    if len(word) < SHORTEST or not may_be_name(word):
        return False
    known = any(lexicon.is_known(word, part) for part in "nva")
    if (known and not lexicon.is_named(word)) or getAllLemmas(word):
        return False
    return lexicon.coarse_type(word) != "place"


if __name__ == "__main__":
    languages = Counter(name for name, _ in {(unaccented(name), language) for name, language in given_names()})
    only = set(filter(is_only_name, languages))
    common = {
        name
        for name, several in languages.items()
        if several > 1 and len(name) > 1 and may_be_name(name) and name not in only | RARELY_NAMES
    }
    common = {name for name in common if lexicon.coarse_type(name) != "place"} | (ENGLISH - only)
    for file, names in (("given_names.txt", only), ("common_names.txt", common)):
        (DATA / file).write_text("".join(f"{name}\n" for name in sorted(names)), encoding="ascii")
