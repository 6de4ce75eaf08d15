"""What a type asks for beyond its noun: `vintage` of `vintage car` (condition 2 of unification).

A red car may be a vintage car, so nothing proves that it is one; a science museum is no art museum, and a grey parrot no green one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from goalmem.language.lexicon import can_be, is_a, is_known, related, synonyms, tagged_uses
from goalmem.language.terms import WORD_PART, terms_of
from goalmem.language.verb_forms import inflected
from goalmem.language.words.degrees import ANTONYMS, ANTONYMS_OF_BEINGS, SIDES
from goalmem.language.words.modifiers import NOT_RESTRICTING
from goalmem.logic.unify import FramePart
from goalmem.sources.numbers import NUMBER_WORDS


def qualifiers(type_: str) -> tuple[str, ...]:
    """The words of a type that restrict its noun, in lower case; none for a choice (`tea or coffee`)."""
    if " or " in type_:
        return ()
    return restricting(WORD_PART.findall(type_.casefold().split(" of ")[0])[:-1])


def restricting(words: Iterable[str]) -> tuple[str, ...]:
    """Those of the words before a noun that restrict it: no number, no `new`."""
    return tuple(w for w in words if w not in NOT_RESTRICTING and w not in NUMBER_WORDS and not w.isdigit())


def are_told(part: FramePart, type_: str) -> bool:
    """True if the words of a part, or a dictionary, say all that a type asks for beyond its noun."""
    asked = qualifiers(type_)
    if not asked:
        return True
    kind = " ".join((*asked, WORD_PART.findall(type_.casefold())[-1]))
    if any(is_a(word, kind) for word in (part.head, part.entity.casefold())):
        return True
    named = WORD_PART.findall(f"{part.text} {part.entity}".casefold())
    return all(_is_said(word, named) or any(is_a(w, word) for w in part.words) for word in asked)


def are_denied(part: FramePart, type_: str) -> bool:
    """True if a word before the noun of a part excludes what a type asks for: another colour, nation or sort."""
    asked = qualifiers(type_)
    if not asked or are_told(part, type_):
        return False
    told = [word for word in qualifiers(" ".join(_before_head(part))) if terms_of(word)]
    open_ = [word for word in asked if not _is_said(word, told)]
    if any(exclude(one, other) for one in open_ for other in told):
        return True
    return (
        len(told) == 1 and any(_names_sort(one) for one in open_) and _names_sort(told[0])
    )  # Several words may be a name.


def _before_head(part: FramePart) -> Sequence[str]:
    """The words of a part up to its noun."""
    words = WORD_PART.findall(part.text.casefold())
    place = next(
        (n for n, word in enumerate(words) if word == part.head or set(terms_of(word)) & {*terms_of(part.head)}), -1
    )
    return words[: place + 1]


def _is_said(word: str, words: Iterable[str]) -> bool:
    alike = {word, *terms_of(word), *synonyms(word, "a"), *synonyms(word, "n"), *related(word)}
    return any(w in alike or alike.intersection(terms_of(w)) for w in words)


def exclude(one: str, other: str) -> bool:
    """True for two colours, two nations, two materials or two opposites: `older` and `younger`, `top` and `bottom`."""
    if _is_said(one, [other]):
        return False
    return are_opposite(one, other) or any(sort(one) and sort(other) for sort in (_is_colour, is_nation, _is_material))


@lru_cache(1024)
def are_opposite(one: str, other: str) -> bool:
    """True for antonyms, both in the same degree."""
    return any(
        other in inflected(antonym, tag)
        for table in (ANTONYMS_OF_BEINGS, ANTONYMS, SIDES)
        for tag in ("JJ", "JJR", "JJS")
        for word, antonyms in table.items()
        if one in inflected(word, tag)
        for antonym in antonyms
    ) or other in SIDES.get(one, ())


def _is_colour(word: str) -> bool:
    return is_known(word, "a") and can_be(word, "color")


def is_nation(word: str) -> bool:
    """True for an adjective that says where somebody or something is from, or what they belong to: `German`, `Cuban`, `Christian`."""
    belonging = word.endswith(("an", "ish", "ese")) and can_be(word, "person")
    return is_known(word, "a") and (belonging or can_be(word, "language") or can_be(word, "inhabitant"))


def _is_material(word: str) -> bool:
    noun = word if is_known(word) else word.removesuffix("en")  # wooden
    return not _is_colour(word) and any(can_be(noun, kind) for kind in ("fabric", "material", "metal"))


def _names_sort(word: str) -> bool:
    return is_known(word) and not _is_colour(word) and tagged_uses(word) >= tagged_uses(word, "a")
