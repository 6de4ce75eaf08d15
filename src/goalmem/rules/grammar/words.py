"""The words of a sentence: possible parts of speech, ends of nouns, and the main verb."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from goalmem.language.lexicon import is_known, tagged_uses
from goalmem.language.morphology import base_forms, is_adverb, is_past, is_plural, is_verb, singular
from goalmem.language.words.pronouns import THIRD_REFLEXIVES
from goalmem.rules import english
from goalmem.rules.grammar.text import UnreadableError

JOINTS = frozenset({"and", "or", "but", ",", "nor"})
STOPS = (
    JOINTS
    | english.AUXILIARIES
    | english.PREPOSITIONS
    | english.RELATIVES
    | english.SUBORDINATORS
    | english.DETERMINERS
    | english.GENERIC_PRONOUNS.keys()
    | english.UNIVERSAL_PRONOUNS.keys()
    | english.FREE_PRONOUNS.keys()
    | english.NONE_PRONOUNS.keys()
    | english.WHOEVER.keys()
    | english.PRONOUNS.keys()
    | THIRD_REFLEXIVES
    | english.HEDGES
    | english.FILLERS
    | english.FOCUS
    | {"not", "never", "to", "'s", "there", ":", "?", "."}
)
"""Words that are no part of a plain noun."""
IRREGULAR_PLURALS = frozenset(
    """cattle children criteria deer dice feet fish fungi geese lice men mice oxen people phenomena police sheep teeth
    women""".split()
)
"""With those that are like the singular."""
SINGULAR_GENERIC = frozenset({"person", "thing", "one", "individual"})
CLEARLY = 20
"""Factor by which a word must be likelier than any other to be the verb, by WordNet's counts, without other evidence.
Set by hand: `plants make` and `likes fish` are far above it, `dogs bark` is below it. A subject that is complete
without another word counts as much.
"""
SELDOM = 0.05
"""A word that is a verb less often than this, next to a noun, is not taken as a verb unless an object follows:
`times`, `cells`.
"""
ADVERBIAL = english.FILLERS | english.HEDGES | {"not", "never"}
"""Words that may precede a verb but never occur within a noun."""
BEHIND_NOUN = english.AUXILIARIES | {"'s"}
FUNCTION = STOPS - JOINTS
_AFTER_AUXILIARY = re.compile(r"\b(?:do|does|did|can|could|should|must|may|might|will|would|shall)(?: not)? ([a-z]+)\b")
_AFTER_BE = re.compile(r"\b(?:is|are)(?: not)? ([a-z-]+)\b")


@dataclass
class TextEvidence:
    """Evidence from the whole text about its words; computed on demand."""

    text: str = ""

    @cached_property
    def verbs(self) -> frozenset[str]:
        """Base forms that follow an auxiliary."""
        return frozenset(_AFTER_AUXILIARY.findall(self._low))

    @cached_property
    def adjectives(self) -> frozenset[str]:
        """Words that follow a form of be."""
        return frozenset(_AFTER_BE.findall(self._low)) - STOPS

    @cached_property
    def lower(self) -> frozenset[str]:
        """Words that are written in lower case somewhere."""
        return frozenset(re.findall(r"\b[a-z][\w-]*", self.text))

    @cached_property
    def _low(self) -> str:
        return self.text.lower().replace("cannot", "can not").replace("n't", " not")


class SentenceWords:
    """The words of a sentence, or of a part of it. Positions are indices of words."""

    def __init__(self, words: list[str], evidence: TextEvidence, *, opening: bool = True) -> None:
        """`opening`: the first word starts a sentence, so its capital letter is not significant."""
        self.text = words
        self.low = [w.lower() for w in words]
        self.size = len(words)
        self.evidence = evidence
        self.opening = opening
        self.inside = False
        """True within a relative clause that precedes the verb of the sentence."""
        self.outer: bool | None = None
        """Number of that verb, within such a clause."""

    def at(self, i: int) -> str:
        """The word at a position in lower case; empty behind the end."""
        return self.low[i] if i < self.size else ""

    def capital(self, i: int) -> bool:
        """True for a capital letter that does not come from beginning the sentence."""
        return i < self.size and self.text[i][0].isupper() and not (i == 0 and self.opening)

    def ended(self, i: int) -> bool:
        """True where a clause may end: the end, a joint, or the beginning of another clause."""
        return i >= self.size or self.low[i] in JOINTS or self.low[i] in english.SUBORDINATORS

    def starts_noun(self, i: int) -> bool:
        """True where a noun phrase certainly begins: a determiner, a pronoun or a name."""
        word = self.at(i)
        return bool(word) and (
            word in english.DETERMINERS
            or word in english.PRONOUNS
            or word in english.GENERIC_PRONOUNS
            or word in english.UNIVERSAL_PRONOUNS
            or word in english.FREE_PRONOUNS
            or word in english.NONE_PRONOUNS
            or word in english.WHOEVER
            or word in THIRD_REFLEXIVES
            or self.capital(i)
        )

    def continues(self, i: int) -> bool:
        """True if a verb phrase continues: with a preposition or the start of a noun phrase."""
        return self.at(i) in english.PREPOSITIONS or self.at(i) == "to" or self.starts_noun(i)

    def joint(self, i: int) -> tuple[str, int]:
        """The joint at `i`: `and`, `or`, `but`, or empty for a comma alone; and where it ends."""
        word, end = self.low[i], i + 1
        if word == "," and self.at(end) in JOINTS - {","}:
            word, end = self.low[end], end + 1
        while self.at(end) in ("also", "then") and word != ",":
            end += 1
        return ("" if word == "," else word), end

    def run_end(self, i: int) -> int:
        """Behind the plain words from `i` on; a name behind words in lower case is another phrase."""
        start = i
        while i < self.size and self.low[i] not in STOPS:
            if i > start and self.text[i][0].isupper() and self.text[i - 1][0].islower():
                break
            i += 1
            if self.low[i - 1] in english.GENERIC_NOUNS:  # people flushing red
                break
        return i

    def noun_end(self, i: int, subject: bool) -> int:
        """Behind the words of a noun that begins at `i`: all plain words, less the verb where one is to follow."""
        end = self.run_end(i)
        if not subject:
            end = next((k for k in range(i + 1, end) if self.low[k] == "like"), end)
            while end - i > 1 and (self.low[end - 1] in english.ADVERBS or is_adverb(self.low[end - 1])):
                end -= 1
            return end
        inner = self.at(end) == "that" and self.starts_noun(end + 1)  # thinks that Bob is kind
        if self.at(end) in BEHIND_NOUN or (self.at(end) in english.RELATIVES and not inner):
            return end
        if self.at(end) in ADVERBIAL or end - i <= 1:
            return end
        return self._verb_place(i, end)

    def may_be_adjective(self, word: str) -> bool:
        """True when the text uses a word as an adjective, or a dictionary has it as one."""
        return word in self.evidence.adjectives or is_known(word, "a")

    def looks_plural(self, word: str) -> bool:
        """True when a word has the form of a plural and may be a noun."""
        regular = word.endswith("s") and not word.endswith(("ss", "us", "is"))
        return (regular or word in IRREGULAR_PLURALS) and is_plural(word)

    def is_plural_at(self, k: int, verb: int) -> bool:
        """True if the word at `k`, before the verb at `verb`, is a plural. `Ines` is not, before `trusts` and `met`."""
        if not self.looks_plural(self.low[k]):
            return False
        name = self.text[k][0].isupper() and self.low[k] not in self.evidence.lower
        unknown = not any(is_known(w, "n") for w in (self.low[k], singular(self.low[k])))
        of_one = self.singular_follows(verb) or (verb < self.size and is_past(self.low[verb]))
        return not (name and unknown and of_one)

    def singular_follows(self, end: int) -> bool:
        """True when the verb at `end` is singular."""
        word = self.at(end)
        return word in ("is", "has", "does", "was", "'s") or (
            word not in english.AUXILIARIES and bool(base_forms(word))
        )

    def verb_form(self, k: int, plural: bool) -> bool:
        """True when the word at `k` has the form of a verb behind a subject of this number."""
        word = self.low[k]
        if word in english.ADVERBS or word in STOPS or self.capital(k):
            return False
        if is_past(word):
            return True
        if plural:
            certain = self.starts_noun(k + 1) or word in self.evidence.verbs
            return not base_forms(word) and (certain or is_verb(word))
        return bool(base_forms(word))

    def used_as_verb(self, k: int) -> bool:
        """True when the text has the word at `k` behind an auxiliary."""
        return any(base in self.evidence.verbs for base in (self.low[k], *base_forms(self.low[k])))

    def may_be_verb(self, k: int) -> bool:
        """True when the text uses the word at `k` as a verb, or a dictionary has it as one."""
        return self.used_as_verb(k) or any(is_verb(b) for b in (*base_forms(self.low[k]), self.low[k]))

    def _verb_place(self, i: int, end: int) -> int:
        """Position of the verb in the plain words from `i` to `end`; `end` if there is none. Raises UnreadableError."""
        places = [k for k in range(i + 1, end) if self.verb_form(k, self._plural_before(i, k))]
        if i and self.low[i - 1] == "all":
            places = [k for k in places if self._plural_before(i, k)]
        if self.at(end) == "of":  # the colour of the car
            return end
        adverbs = [k for k in places if self._adverbs_between(k + 1, end)] if self.starts_noun(end) else []
        for test in (
            self.used_as_verb,
            self.may_be_verb,
            lambda k: self._no_verb_beside(i, k, end),
            adverbs.__contains__,
        ):
            # Prefer words that the text uses as verbs elsewhere, then verbs of the dictionary, then the position before the object.
            if len(places) > 1:
                places = [k for k in places if test(k)] or places
            places = self._likeliest(i, places)
        if len(places) > 1:
            said = " or ".join(repr(self.text[k]) for k in places)
            raise UnreadableError(f"its verb may be {said}")
        if places and not self.is_verb_at(places[0], i):
            return end
        if not places:  # with an object behind it, the last word should be a verb: it is, in a wrong form
            return end - 1 if self.starts_noun(end) and not self.capital(end) else end
        place = places[0]
        while place - i > 1 and is_adverb(self.low[place - 1]):
            place -= 1
        return place

    def is_verb_at(self, k: int, start: int) -> bool:
        """True when the word at `k`, which has the form of a verb, is one, for a subject that begins at `start`."""
        if self.used_as_verb(k):
            return True
        if k > start and self.outer is None and self._lonely(k - 1):
            return False
        if not self.may_be_verb(k):
            return (is_past(self.low[k]) and self.starts_noun(k + 1)) or self._nonsense(k)
        return self.starts_noun(k + 1) or self._verb_odds(k) >= SELDOM

    def is_rather_verb(self, k: int) -> bool:
        """True for a word that is a verb rather than a noun, or has an object behind it."""
        return is_verb(self.low[k]) and (self._verb_odds(k) >= 1 or self.starts_noun(k + 1))

    def _lonely(self, k: int) -> bool:
        """True for an adjective that cannot be a noun."""
        word = self.low[k]
        return is_known(word, "a") and not is_known(word, "n") and word not in english.GENERIC_NOUNS

    def _likeliest(self, start: int, places: list[int]) -> list[int]:
        """The one position that is far likelier than all others to hold the verb; all of them if there is none."""
        if len(places) <= 1:
            return places
        odds = {k: self._verb_odds(k) * (CLEARLY if self._has_subject(start, k) else 1) for k in places}
        *_, second, best = sorted(places, key=odds.__getitem__)
        return [best] if odds[best] >= CLEARLY * odds[second] else places

    def _has_subject(self, start: int, k: int) -> bool:
        """True when the words before a singular verb are a whole subject: `the cat drinks`, `Maya loves`, not `gasoline engines`."""
        if not base_forms(self.low[k]):
            return False
        if start and self.low[start - 1] in english.DETERMINERS:
            return True
        name = self.text[start][0].isupper() and not any(tagged_uses(self.low[start], pos) for pos in "na")
        return name and k == start + 1

    def _verb_odds(self, k: int) -> float:
        word = self.low[k]
        bases = base_forms(word) or (word,)
        verb = max(tagged_uses(b, "v") for b in bases)
        noun = max(tagged_uses(n, "n") for n in (word, *bases))
        return (verb + 1) / (noun + 1)

    def _no_verb_beside(self, start: int, k: int, end: int) -> bool:
        """True when no other of the words can only be a verb, and the subject is no adjective alone."""
        others = [w for n, w in enumerate(self.low[start:end], start) if n != k]
        return not self._lonely(k - 1) and not any(
            is_known(w, "v") and not is_known(singular(w), "n") and not is_known(w, "a") for w in others
        )

    def _nonsense(self, k: int) -> bool:
        """True for a word that no dictionary has, in a clause of English words: it may be a verb all the same."""
        word = self.low[k]
        known = any(is_known(w, pos) for w in (word, *base_forms(word), singular(word)) for pos in "nva")
        return not known and any(w in FUNCTION for w in self.low)

    def _adverbs_between(self, start: int, end: int) -> bool:
        return all(w in english.ADVERBS or is_adverb(w) for w in self.low[start:end])

    def _plural_before(self, start: int, k: int) -> bool:
        if self.outer is not None:
            return self.outer
        determiner = self.low[start - 1] if start else ""
        if determiner in english.ARTICLES or determiner in ("every", "each"):
            return False
        several = english.GENERIC_NOUNS.keys() - SINGULAR_GENERIC
        return self.low[k - 1] in several or self.is_plural_at(k - 1, k)
