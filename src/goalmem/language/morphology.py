"""Forms of English verbs and nouns: regular ones by rule, irregular ones from lemminflect's dictionary.

The dictionary is loaded on first need (about a second); the forms that controlled English is made of need none of it.
"""

from __future__ import annotations

from functools import lru_cache

from goalmem.language.lexicon import is_known

CACHED = 65536
IRREGULAR_THIRD = {"have": "has", "be": "is", "do": "does", "go": "goes", "quiz": "quizzes", "gas": "gasses"}
IRREGULAR_BASE = {form: base for base, form in IRREGULAR_THIRD.items()}
HISSING = ("s", "x", "z", "ch", "sh")
"""Endings that take -es (Quirk et al., A Comprehensive Grammar of the English Language, 3.5 and 5.80)."""
VOWELS = "aeiou"
SHORTEST_PAST = 4
PAST_EE = frozenset("agreed decreed disagreed freed guaranteed refereed peed teed".split())
"""Past tenses of verbs in -ee; all else in -eed is a base form (`need`, `feed`)."""
SILENT_H = ("hour", "honest", "honour", "honor", "heir")
SOUNDED_U = ("uni", "use", "usu", "euro", "one", "once", "ewe", "uk", "utensil", "utopia")


def third_person(base: str) -> str:
    """The third person singular of a verb's base form: `chase` -> chases, `carry` -> carries, `have` -> has."""
    if base in IRREGULAR_THIRD:
        return IRREGULAR_THIRD[base]
    if base.endswith(HISSING):
        return base + "es"
    if base[-1:] in "yo" and base[-2:-1] not in VOWELS:
        return base[:-1] + "ies" if base[-1] == "y" else base + "es"
    return base + "s"


@lru_cache(CACHED)
def base_forms(form: str) -> tuple[str, ...]:
    """The base forms whose third person singular is `form`, likeliest first; empty if there are none."""
    if form in IRREGULAR_BASE:
        return (IRREGULAR_BASE[form],)
    tried = [form[:-1], form[:-2], form[:-3] + "y"] if form.endswith("s") and len(form) > 2 else []
    return tuple(base for base in tried if base and third_person(base) == form)


@lru_cache(CACHED)
def is_verb(base: str) -> bool:
    """True when WordNet has the word as a verb."""
    return is_known(base, "v")


@lru_cache(CACHED)
def is_adverb(word: str) -> bool:
    """True for an adverb in -ly (`loudly`), not for `family`, `friendly` or `fly`."""
    return word.endswith("ly") and not any(is_known(word, pos) for pos in "nva")


@lru_cache(CACHED)
def is_past(form: str) -> bool:
    """True for a regular past tense: `chased`, `carried`, not `need`, `shed` or `red`."""
    if not form.endswith("ed") or len(form) < SHORTEST_PAST:
        return False
    return form in PAST_EE if form.endswith("eed") else not is_verb(form)


@lru_cache(CACHED)
def singular(noun: str) -> str:
    """The singular of a noun, or the noun itself where it is one: `birds` -> bird, `mice` -> mouse, `news` -> news.

    Of several words the last one changes; case is kept.
    """
    first, _, last = noun.rpartition(" ")
    from goalmem.language.inflection import getAllLemmas, getLemma

    known = getAllLemmas(last.lower(), "NOUN") or {"NOUN": getLemma(last.lower(), "NOUN")}
    lemmas = known.get("NOUN") or (last.lower(),)
    # A form that is also a singular noun (glasses: glass, glasses) is taken as a plural.
    lemma = next((each for each in lemmas if each != last.lower()), last.lower())
    if last[:1].isupper():
        lemma = lemma[:1].upper() + lemma[1:]
    return f"{first} {lemma}".strip() if first else lemma


def is_plural(noun: str) -> bool:
    """True when a noun may be a plural."""
    return singular(noun).lower() != noun.lower()


def with_article(noun: str) -> str:
    """`bird` -> a bird, `ostrich` -> an ostrich, `hour` -> an hour, `unicorn` -> a unicorn."""
    low = noun.lower()
    an = (low[:1] in VOWELS and not low.startswith(SOUNDED_U)) or low.startswith(SILENT_H)
    return f"{'an' if an else 'a'} {noun}"


@lru_cache(CACHED)
def inflect(base: str, tag: str, otherwise: str) -> str:
    """The form of a verb with a tag of the Penn Treebank: went of `go`, VBD; `otherwise` if the verb is unknown."""
    from goalmem.language.inflection import getInflection

    forms = getInflection(base, tag)
    return str(forms[0]) if forms else otherwise
