"""Lexical knowledge: kinds, synonyms and derivations, from WordNet 3.0 (data/WORDNET-LICENSE.txt) and a few newer words.

Pure functions over a file that ships with the package: it is kept as it is, and searched by bisection, so that the first use costs no
time. Words are lemmas, compared in lower case; several words are joined by a space. A word has several senses: only its *plausible* ones count,
those that carry a tenth of its tagged uses (SHARE), or the first ones when none is tagged.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from goalmem.language.lexnames import NounKind
from goalmem.language.words.newer import GATHERINGS, NEWER_NOUNS, SHORT

SHARE = 0.1
"""A sense with a smaller share of the word's tagged uses in WordNet's own counts is not plausible."""
OFTEN = 0.3
"""A sense with at least this share is often meant, though another may be the commonest. Chosen by reading pairs of everyday nouns."""
UNTAGGED = 2
"""Senses that count for a word which was never tagged; WordNet lists the commonest first."""
CACHED = 65536
WIDTH = 7
"""Digits of a place in the file (`scripts/lexicon.py`)."""
BROAD = 6
"""A noun with no more hypernyms, including itself, is too general (`entity`, `object`, `whole`)."""

# Kinds of nouns -> the coarse types of records.Argument. What is left out has no type.
COARSE: Mapping[int, str] = {
    NounKind.ACT: "event",
    NounKind.ANIMAL: "animal",
    NounKind.ARTIFACT: "thing",
    NounKind.EVENT: "event",
    NounKind.FOOD: "food",
    NounKind.LOCATION: "place",
    NounKind.OBJECT: "place",
    NounKind.PERSON: "person",
    NounKind.PLANT: "thing",
    NounKind.POSSESSION: "thing",
    NounKind.QUANTITY: "quantity",
    NounKind.SUBSTANCE: "thing",
    NounKind.TIME: "time",
}
# Hypernyms that say more than the lexicographer file does; the first that holds decides.
REFINED = (
    ("political unit", "place"),
    ("structure", "place"),
    ("facility", "place"),
    ("creation", "work"),
    ("publication", "work"),
    ("music", "work"),
    ("show", "work"),
    ("written material", "work"),
    ("social event", "event"),
    ("course", "event"),
    ("organization", "organization"),
    ("institution", "organization"),
)
# Among untagged senses WordNet's order means little; people, animals and acts are talked about more than plants.
UNTAGGED_FIRST = ("person", "animal", "event", "place", "work", "food")
FEMALE = frozenset(
    {"female person", "female", "woman", "female parent", "kinswoman", "female sibling", "female offspring"}
)
MALE = frozenset({"male person", "male", "man", "male parent", "kinsman", "male sibling", "male offspring"})
# Kinship and marriage terms are a closed class; those whose gender WordNet 3.0 keeps in the gloss alone.
KIN_GENDER = {
    **dict.fromkeys(
        "husband brother grandfather grandpa granddad grandson nephew groom stepfather stepson".split(), "male"
    ),
    **dict.fromkeys(
        "wife grandmother grandma granny nana granddaughter bride stepmother stepdaughter".split(), "female"
    ),
    **dict.fromkeys("boy boyfriend king actor waiter dude bloke fella".split(), "male"),
    **dict.fromkeys("girl girlfriend queen actress waitress gal".split(), "female"),
}


_NEWER = dict(enumerate(NEWER_NOUNS, -len(NEWER_NOUNS)))
"""A number below zero for each new word: its synset."""
_OF_NEWER = {noun: number for number, noun in _NEWER.items()}


@dataclass(frozen=True, slots=True)
class _Word:
    senses: dict[str, tuple[tuple[int, int], ...]]
    """Part of speech (`n`, `v`, `a`) -> (synset, tagged uses), commonest first."""
    related: tuple[tuple[str, str], ...]
    """Derivationally linked (part of speech, lemma)."""


@dataclass(frozen=True, slots=True)
class _Synset:
    supersense: int
    above: tuple[int, ...]
    """Its hypernyms."""
    named: bool
    """True if it is a named individual."""
    members: tuple[str, ...]
    """Its lemmas, in alphabetical order."""


class _File:
    """The file, as `scripts/lexicon.py` describes it."""

    def __init__(self) -> None:
        self._content = resources.files("goalmem.language").joinpath("data", "wordnet.txt").read_bytes()
        head = self._content.index(b"\n") + 1
        _, count, _, lemmas = self._content[:head].split()
        self._numbers, self._synsets = head, head + int(count) * (WIDTH + 1)
        self._lemmas = Lines(self._content, b"\t", self._synsets + int(lemmas))

    def synset(self, number: int) -> str:
        """The line of a synset."""
        at = self._numbers + number * (WIDTH + 1)
        return self._line(self._synsets + int(self._content[at : at + WIDTH]))

    def irregular(self) -> str:
        """The line of irregular verbs, which precedes the lemmas."""
        return self._line(self._content.rindex(b"\n", 0, self._lemmas.start - 1) + 1)

    def entry(self, lemma: str) -> str | None:
        """The content after a lemma in its line."""
        found = self._lemmas.of(lemma.encode(errors="replace"))
        return found[0].decode().split("\t", 1)[1] if found else None

    def _line(self, start: int) -> str:
        return self._content[start : self._content.index(b"\n", start)].decode()


_file = cache(_File)


@lru_cache(CACHED)
def _synset(number: int) -> _Synset:
    if number < 0:
        noun = _NEWER[number]
        kind = _plausible(NEWER_NOUNS[noun], "n")[0]
        return _Synset(_synset(kind).supersense, (kind,), False, (noun,))
    supersense, above, members = _file().synset(number).split("\t")
    hypernyms = tuple(map(int, above.split(","))) if above else ()
    return _Synset(int(supersense.lstrip("=")), hypernyms, supersense[0] == "=", tuple(members.split("|")))


@cache
def _irregular() -> dict[str, str]:
    """Irregular verb form -> base form."""
    words = _file().irregular().split()[1:]
    return dict(zip(words[::2], words[1::2], strict=True))


def base_form(verb: str) -> str:
    """The base of an irregular verb form (`forgot` -> forget); other words are returned unchanged."""
    return verb if is_known(verb, "v") else _irregular().get(verb, verb)


@lru_cache(CACHED)
def _word(lemma: str) -> _Word | None:
    if lemma in _OF_NEWER:
        return _Word({"n": ((_OF_NEWER[lemma], 1),)}, ())
    entry = _file().entry(lemma) or _file().entry(SHORT.get(lemma, ""))
    if entry is None:
        return None
    senses, links = entry.split("\t")
    by_pos: dict[str, tuple[tuple[int, int], ...]] = {}
    for part in senses.split(";"):
        pos, items = part.split(" ", 1)
        pairs = (item.split(" ") for item in items.split(","))
        by_pos[pos] = tuple((int(synset), int(count)) for synset, count in pairs)
    related = tuple((link[0], link[2:]) for link in links.split(",") if link)
    return _Word(by_pos, related)


def _plausible(lemma: str, pos: str) -> list[int]:
    """The synsets of a word's plausible senses, commonest first."""
    word = _word(lemma.lower())
    senses = word.senses.get(pos, ()) if word else ()
    total = sum(count for _, count in senses)
    if not total:
        return [synset for synset, _ in senses[:UNTAGGED]]
    return [s for i, (s, count) in enumerate(senses) if i == 0 or count >= SHARE * total]


def _ancestors(synset: int) -> Iterator[int]:
    """The synset itself and all above it."""
    open_, seen = [synset], {synset}
    while open_:
        here = open_.pop()
        yield here
        for above in _synset(here).above:
            if above not in seen:
                seen.add(above)
                open_.append(above)


def is_known(lemma: str, pos: str = "n") -> bool:
    """True when WordNet has the word as this part of speech (`n`, `v`, `a`)."""
    word = _word(lemma.lower())
    return word is not None and pos in word.senses


def tagged_uses(lemma: str, pos: str = "n") -> int:
    """How often WordNet's corpora tag the word as this part of speech (`n`, `v`, `a`)."""
    word = _word(lemma.lower())
    return sum(count for _, count in word.senses.get(pos, ())) if word else 0


def is_named(lemma: str) -> bool:
    """True for the name of an individual (`lisbon`) that is no ordinary word as well (`turkey`, `reading`)."""
    word = _word(lemma.lower())
    senses = _plausible(lemma, "n")
    return word is not None and set(word.senses) == {"n"} and bool(senses) and all(_synset(s).named for s in senses)


@cache
def _names(file: str) -> frozenset[str]:
    """The names of a file that `scripts/given_names.py` made."""
    return frozenset(resources.files("goalmem.language").joinpath("data", file).read_text(encoding="ascii").split())


@lru_cache(CACHED)
def is_given_name(word: str) -> bool:
    """True for a given name, in any case and with or without accents, that is no ordinary word as well."""
    return unaccented(word) in _names("given_names.txt")


@lru_cache(CACHED)
def may_be_given_name(word: str) -> bool:
    """True for a given name, in any case and with or without accents, also if it is another word as well: `Leo`, `Rose`."""
    return is_given_name(word) or unaccented(word) in _names("common_names.txt")


def unaccented(word: str) -> str:
    """The word in lower case without accents."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in letters if not unicodedata.combining(c))


NOT_QUITE = ("step", "great-", "god", "foster ", "ex-")
"""Prefixes of words for relatives that the plain word does not include: WordNet has stepbrother as a hyponym of
brother.
"""


def is_a(noun: str, kind: str) -> bool:
    """True if a plausible sense of `noun` is a kind (or an instance) of `kind`."""
    noun, kind = noun.lower(), kind.lower()
    if noun != kind and (noun.startswith(f"{kind}-in-law") or (noun.endswith(kind) and noun.startswith(NOT_QUITE))):
        return False
    return noun == kind or not _kinds(noun).isdisjoint(_senses(kind))


@lru_cache(CACHED)
def can_be(noun: str, kind: str) -> bool:
    """True if any sense of `noun`, however rare, is a kind of `kind`: Polish is a language."""
    word = _word(noun.lower())
    senses = word.senses.get("n", ()) if word else ()
    return any(not _senses(kind.lower()).isdisjoint(_ancestors(synset)) for synset, _ in senses)


@lru_cache(CACHED)
def is_mainly(noun: str, kind: str) -> bool:
    """True if the noun's commonest sense is a kind of `kind`: a teacher is a worker, while a man rarely is."""
    noun, kind = noun.lower(), kind.lower()
    commonest = _plausible(noun, "n")[:1]
    return noun == kind or any(not _senses(kind).isdisjoint(_ancestors(s)) for s in commonest)


@lru_cache(CACHED)
def is_chiefly(noun: str, kind: str) -> bool:
    """True if the noun's commonest sense is a kind of the other noun in a sense that it often has: jeans are clothes, but no dress."""
    often = {s for n, s in enumerate(_plausible(kind, "n")) if n == 0 or _share(kind, s, "n") >= OFTEN}
    return noun == kind or not often.isdisjoint(a for s in _plausible(noun, "n")[:1] for a in _ancestors(s))


@lru_cache(CACHED)
def _kinds(noun: str) -> frozenset[int]:
    """The synsets of the noun's plausible senses, and all above them."""
    return frozenset(above for synset in _plausible(noun, "n") for above in _ancestors(synset))


@lru_cache(CACHED)
def _senses(lemma: str) -> frozenset[int]:
    """The synsets of a word in any sense, as any part of speech."""
    word = _word(lemma)
    return frozenset(synset for senses in word.senses.values() for synset, _ in senses) if word else frozenset()


def kinds_above(noun: str, levels: int) -> tuple[str, ...]:
    """Hypernyms of the noun's commonest sense, nearest first, up to `levels` up: `kickboxing` -> martial art, sport.

    Each by its most used lemma; kinds that nearly everything is (`artifact`, `whole`) are left out.
    """
    below = _plausible(noun, "n")[:1]
    found: list[str] = []
    for _ in range(levels):
        below = [above for synset in below for above in _synset(synset).above]
        for synset in below:
            used = [(_uses(lemma, synset), lemma) for lemma in _synset(synset).members if len(lemma.split()) <= 2]
            uses, lemma = max(used, default=(0, ""), key=lambda u: (u[0], -len(u[1])))
            if uses and lemma != noun and len(list(_ancestors(synset))) > BROAD:
                found.append(lemma)
    return tuple(dict.fromkeys(found))


def _uses(lemma: str, synset: int) -> int:
    """How often a lemma is tagged with a synset."""
    word = _word(lemma)
    return next((n for s, n in word.senses.get("n", ()) if s == synset), 0) if word else 0


@lru_cache(CACHED)
def synonyms(lemma: str, pos: str = "v") -> frozenset[str]:
    """Lemmas that share a plausible sense with the word, without itself: `buy` -> purchase."""
    found = {m for synset in _plausible(lemma, pos) for m in _synset(synset).members}
    return frozenset(found - {lemma.lower()})


@lru_cache(CACHED)
def same_verb(a: str, b: str) -> bool:
    """True when some sense is plausible for both verbs: `buy` and `purchase`, not `teach` and `learn`."""
    return not set(_plausible(a, "v")).isdisjoint(_plausible(b, "v"))


@lru_cache(CACHED)
def share_commonest(a: str, b: str, pos: str) -> bool:
    """True if two words have the same commonest sense: `film` and `movie`."""
    return _plausible(a, pos)[:1] == _plausible(b, pos)[:1] != []


@lru_cache(CACHED)
def may_share(a: str, b: str, pos: str, least: float = 0.0) -> bool:
    """True if the commonest sense of one word is a plausible sense of the other: a paper may be a newspaper.

    `least`: the share of the other word's tagged uses that the sense has.
    """
    return any(
        sense in _plausible(other, pos) and _share(other, sense, pos) >= least
        for one, other in ((a, b), (b, a))
        for sense in _plausible(one, pos)[:1]
    )


def _share(lemma: str, synset: int, pos: str) -> float:
    """The share of a word's tagged uses that have a sense; 0 for a word without."""
    word = _word(lemma.lower())
    senses = word.senses.get(pos, ()) if word else ()
    total = sum(count for _, count in senses)
    return sum(count for sense, count in senses if sense == synset) / total if total else 0.0


def related(lemma: str, pos: str | None = None) -> frozenset[str]:
    """Derivationally linked lemmas, of one part of speech if given: `relocate` -> relocation."""
    word = _word(lemma.lower())
    return frozenset(link for p, link in word.related if pos in (None, p)) if word else frozenset()


@lru_cache(CACHED)
def supersenses(lemma: str, pos: str = "n") -> tuple[int, ...]:
    """Lexicographer file numbers (lexnames(5WN)) of the plausible senses, commonest first."""
    return tuple(dict.fromkeys(_synset(s).supersense for s in _plausible(lemma, pos)))


def verb_kinds(predicate: str) -> tuple[int, ...]:
    """Lexicographer file numbers of a verb with its particle, otherwise of the verb alone; empty for an unknown one."""
    return supersenses(predicate, "v") or supersenses(predicate.split()[0], "v")


@lru_cache(CACHED)
def _synsets(lemma: str) -> frozenset[int]:
    """The synsets of a noun in any sense."""
    word = _word(lemma)
    return frozenset(synset for synset, _ in word.senses.get("n", ())) if word else frozenset()


def _sense_type(synset: int) -> str:
    if _synset(synset).supersense == NounKind.BODY:
        return ""
    above = set(_ancestors(synset))
    refined = next((kind for hypernym, kind in REFINED if above & _synsets(hypernym)), "")
    return refined or COARSE.get(_synset(synset).supersense, "")


@lru_cache(CACHED)
def coarse_type(noun: str) -> str:
    """The coarse type (records.Argument.type) of the noun's commonest sense; empty if it has none."""
    if noun.lower() in GATHERINGS:
        return "event"
    word = _word(noun.lower())
    types = [_sense_type(s) for s in _plausible(noun, "n")]
    if word and not any(count for _, count in word.senses.get("n", ())):
        return next((t for t in UNTAGGED_FIRST if t in types), types[0] if types else "")
    return types[0] if types else ""


@lru_cache(CACHED)
def names_author(word: str) -> bool:
    """True if a capitalized word names an author, whose name may stand for the works: `Brahms`.

    The author stands for the work, as the maker for the product (Lakoff and Johnson 1980, chapter 8): a Ford is a car.
    """
    low = word.lower()
    return word[:1].isupper() and is_known(low) and any(is_a(low, kind) for kind in ("artist", "writer", "musician"))


def gender(noun: str) -> str:
    """`female` or `male` when the noun's commonest sense says so (`aunt`, `father`), else empty."""
    noun = noun.lower()
    if noun in KIN_GENDER:
        return KIN_GENDER[noun]
    plausible = _plausible(noun, "n")
    above = set(_ancestors(plausible[0])) if plausible else set()
    female = any(above & _synsets(lemma) for lemma in FEMALE)
    male = any(above & _synsets(lemma) for lemma in MALE)
    return "" if female == male else "female" if female else "male"


class Lines:
    """Lines `key<separator>rest`, sorted by the bytes of their keys; the text ends with a line end."""

    def __init__(self, content: bytes, separator: bytes, start: int = 0) -> None:
        self._content = content
        self._separator = separator
        self.start = start
        """Offset of the first line."""

    def of(self, key: bytes) -> list[bytes]:
        """The lines of a key, in order, whole."""
        low, high = self.start, len(self._content)
        while low < high:  # lines that start before `low` have smaller keys; the one at `high` does not
            begin = max(low, self._content.rfind(b"\n", self.start, (low + high) // 2) + 1)
            after = self._content.index(b"\n", begin) + 1
            if self._content[begin : after - 1].split(self._separator, 1)[0] < key:
                low = after
            else:
                high = begin
        found: list[bytes] = []
        while self._content.startswith(key + self._separator, low):
            after = self._content.index(b"\n", low) + 1
            found.append(self._content[low : after - 1])
            low = after
        return found
