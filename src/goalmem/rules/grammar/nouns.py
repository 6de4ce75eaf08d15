"""Noun phrases: their reference and their own predicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from goalmem.language.lexicon import base_form, is_known
from goalmem.language.morphology import is_adverb, is_past, is_plural, is_verb, singular
from goalmem.language.words.modifiers import PRIVATIVE_OF_RULES
from goalmem.language.words.pronouns import THIRD_REFLEXIVES
from goalmem.rules import english
from goalmem.rules.grammar.text import UnreadableError
from goalmem.rules.grammar.tree import Formula, Noun, PhraseGroup, ReferenceKind, Term
from goalmem.rules.grammar.words import JOINTS, SINGULAR_GENERIC, STOPS, SentenceWords

_KINDS = {
    **dict.fromkeys(english.ARTICLES, ReferenceKind.A),
    **dict.fromkeys(english.EVERY, ReferenceKind.EVERY),
    "any": ReferenceKind.ANY,
    "no": ReferenceKind.NONE,
}
"""The kind of reference of a noun by determiner."""
GENERAL = frozenset(
    {ReferenceKind.SOMEONE, ReferenceKind.A, ReferenceKind.EVERY, ReferenceKind.ANY, ReferenceKind.NONE}
)


class NounParser:
    """Parses noun phrases from the words of a sentence. Positions are indices of words."""

    relative: Callable[[int, bool, bool], tuple[Formula, int]]
    """Reads a relative clause, behind which a verb follows or not, about one or several; set by the parser of clauses."""
    reduced: Callable[[int, bool], tuple[Formula, int]]
    """Reads a relative clause without its `who is`: `people in Paris`, `anyone allergic to nuts`."""

    def __init__(self, words: SentenceWords) -> None:
        self.words = words
        self.low = words.low
        self.size = words.size
        self._read: dict[tuple[int, bool, bool, bool | None], tuple[Noun, int] | str] = {}

    def phrase(self, i: int, *, subject: bool) -> tuple[Noun, int]:
        """The noun phrase at `i` and where it ends; behind a `subject` a verb is to follow. Raises UnreadableError."""
        key = (i, subject, self.words.inside, self.words.outer)
        if key not in self._read:  # phrases within phrases are looked at from several sides
            try:
                self._read[key] = self._phrase(i, subject)
            except UnreadableError as error:
                self._read[key] = str(error)
        found = self._read[key]
        if isinstance(found, str):
            raise UnreadableError(found)
        return found

    def _phrase(self, i: int, subject: bool) -> tuple[Noun, int]:
        noun, end = self._head(i, subject)
        if (
            self.words.at(end) == "of"
            and noun.kind in (ReferenceKind.A, ReferenceKind.CONSTANT, ReferenceKind.EVERY, ReferenceKind.ANY)
            and not self._is_name(noun)
        ):
            noun, end = self._relational(noun, end, subject)
        elif subject and noun.kind is ReferenceKind.CONSTANT and self.words.at(end) == "between":
            raise UnreadableError("it is unclear what its 'between' belongs to")
        elif subject and self.words.at(end) in english.PREPOSITIONS and noun.kind is ReferenceKind.CONSTANT:
            noun, end = self._placed(noun, end)
        if self.words.at(end) == "'s":
            owned_end = self.words.noun_end(end + 1, subject)
            name = " ".join(self.low[end + 1 : owned_end])
            noun, end = Noun(ReferenceKind.OWNED, name, of=noun), owned_end
        last = self.low[end - 1]
        if (
            end - i > 1
            and self.words.at(end) in (*english.PREPOSITIONS, "to")
            and (is_past(last) or base_form(last) != last)
        ):
            raise UnreadableError(f"what follows {last!r} describes something that it should name")
        if noun.kind in GENERAL and noun.where is None:
            if self.words.at(end) in english.RELATIVES:
                where, end = self.relative(end, subject, noun.plural)
                return replace(noun, where=where), end
            if subject and self._is_reduced(end, noun):
                where, end = self.reduced(end, noun.plural)
                return replace(noun, where=where), end
        elif subject and noun.kind is ReferenceKind.CONSTANT and self.words.at(end) in ("who", "which", "that"):
            raise UnreadableError(f"it describes {noun.text!r} where it should name it")
        return noun, end

    def _is_reduced(self, i: int, noun: Noun) -> bool:
        """True for `people in Paris`, `anyone allergic to nuts`, where the words behind the noun are no verb."""
        if i >= self.size or self.low[i] in JOINTS:
            return False
        if self.low[i] in english.PREPOSITIONS:
            return True
        return self.low[i] not in STOPS and not self.words.verb_form(i, noun.plural) and is_known(self.low[i], "a")

    def phrases(self, i: int, *, subject: bool) -> tuple[Term, int]:
        """One noun phrase, or several coordinated ones, if a verb follows."""
        first, end = self.phrase(i + (self.words.at(i) == "both"), subject=subject)
        items, how = [first], ""
        while self.words.at(end) in JOINTS:
            joint, after = self.words.joint(end)
            if joint == "but" or (how and joint and joint != how):
                raise UnreadableError("it mixes 'and' with 'or'")
            how = joint or how
            if items[-1].where is not None:
                raise UnreadableError("it is unclear what its parts are joined to: write two sentences")
            item, end = self.phrase(after, subject=subject)
            self.check_shared(first, item)
            items.append(item)
        if len(items) == 1:
            return first, end
        merged = self._merged(items, how)
        if not merged and not how:
            raise UnreadableError("its parts are joined by commas alone: write 'and' or 'or'")
        return (merged, end) if merged else (PhraseGroup(tuple(items), how), end)

    def check_shared(self, first: Term, item: Noun) -> None:
        """Raises UnreadableError for `the cat and dog`."""
        bare = item.kind is ReferenceKind.CONSTANT and item.text.islower() and not item.text.startswith("the ")
        if not isinstance(first, Noun) or not bare:
            return
        if first.kind in (ReferenceKind.A, ReferenceKind.EVERY, ReferenceKind.NONE):
            raise UnreadableError(f"it is unclear what stands before {item.text!r}: repeat 'a' or 'all'")
        if first.kind is ReferenceKind.CONSTANT and first.text.startswith("the ") and not item.plural:
            raise UnreadableError(f"it is open whether {item.text!r} is 'the {item.text}': repeat 'the'")

    # The beginning of a phrase determines its kind of reference.

    def _head(self, i: int, subject: bool) -> tuple[Noun, int]:
        word = self.words.at(i)
        if not word:
            raise UnreadableError("a noun is missing at its end")
        for table, kind in (
            (english.GENERIC_PRONOUNS, ReferenceKind.SOMEONE),
            (english.UNIVERSAL_PRONOUNS, ReferenceKind.EVERY),
            (english.FREE_PRONOUNS, ReferenceKind.ANY),
            (english.NONE_PRONOUNS, ReferenceKind.NONE),
        ):
            if word in table:
                return self._generic(i, kind, table[word], subject)
        if word == "no" and self.words.at(i + 1) == "one":
            return Noun(ReferenceKind.NONE, type=english.PERSON), i + 2
        if word in english.WHOEVER:
            # The clause behind it is a relative one, without a relative pronoun.
            where, end = self.relative(i, True, False)
            return Noun(ReferenceKind.EVERY, type=english.WHOEVER[word], where=where), end
        if word in THIRD_REFLEXIVES:
            return Noun(ReferenceKind.REFLEXIVE, word), i + 1
        if word in english.POSSESSIVES and not (word == "her" and self.words.ended(i + 1)):
            end = self.words.noun_end(i + 1, subject)
            owner = Noun(ReferenceKind.PRONOUN, english.POSSESSIVES[word])
            return Noun(ReferenceKind.OWNED, self._lower(i + 1, end), of=owner), end
        if word in english.PRONOUNS:
            return Noun(ReferenceKind.PRONOUN, word, plural=word in ("they", "we", "you", "i")), i + 1
        if word in english.DETERMINERS or (word == "one" and self.words.at(i + 1) == "of"):
            return self._determined(i, subject)
        return self._bare(i, subject)

    def _generic(self, i: int, kind: ReferenceKind, type_: str, subject: bool) -> tuple[Noun, int]:
        """`someone`, perhaps with an adjective behind it: `something red`."""
        end = i + 1
        if self.words.at(end) == "else":
            raise UnreadableError(f"'{self.low[i]} else' needs two to differ, which is not read yet")
        adjectives: tuple[str, ...] = ()
        if (
            not subject and end < self.size and self.low[end] not in STOPS and self.low[end] not in english.ADVERBS
        ) or (
            subject and end < self.size and self.low[end] not in STOPS and self.words.at(end + 1) in english.AUXILIARIES
        ):
            adjectives, end = (self.low[end],), end + 1
        return Noun(kind, type=type_, adjectives=adjectives), end

    def _determined(self, i: int, subject: bool) -> tuple[Noun, int]:
        word, start = self.low[i], i + 1
        if word in ("all", "any", "each") and self.words.at(start) == "of":
            start += 1
        if word in ("all", "each") and self.words.at(start) == "the":
            start += 1
        if word in english.COUNTED or word == "one":
            raise UnreadableError(f"{word!r} speaks of some of several, which no rule here can hold")
        if word in ("those", "all", "any") and self.words.at(start) in english.RELATIVES:
            return Noun(
                ReferenceKind.EVERY, type=english.PERSON if self.words.at(start) == "who" else english.THING
            ), start
        if word in ("no", "any") and i and (not subject or self.words.outer is not None):
            raise UnreadableError(f"it is unclear what its {word!r} denies: write 'not' and 'a'")
        end = self._adjective_list_end(start, subject)
        kind = _KINDS.get(word)
        if word == "all" and not self._is_several(self.low[end - 1]):
            raise UnreadableError("no plural follows its 'all'")
        if kind is not None:
            return described(self.words, start, end, kind, plural=word == "all"), end
        return self._definite(i, end), end

    def _is_several(self, noun: str) -> bool:
        return noun in english.GENERIC_NOUNS or self.words.looks_plural(noun) or is_plural(noun)

    def _definite(self, i: int, end: int) -> Noun:
        """`the bald eagle`, `that bird`."""
        word, text = self.low[i], " ".join(self.words.text[i + 1 : end])
        if not text:
            raise UnreadableError(f"no noun follows {word!r}")
        if word in ("this", "that"):  # one that was named before
            return Noun(ReferenceKind.CONSTANT, f"that {text}")
        if (" " in text and self.low[end - 1] in english.GENERIC_NOUNS) or "," in self.low[i:end]:
            raise UnreadableError(f"it does not say which {text} it means")
        if word != "the":
            raise UnreadableError(f"it does not say which {text} {word!r} means")
        return Noun(ReferenceKind.CONSTANT, f"the {text}", plural=self.words.looks_plural(self.low[end - 1]))

    def _adjective_list_end(self, start: int, subject: bool) -> int:
        """End of the adjectives in `red, big and kind people`: single adjectives are coordinated, and the noun
        follows the last.
        """
        end = self.words.noun_end(start, subject)
        while self._is_one_word(start, end) and self.words.at(end) in (",", "and", "or"):
            joint, after = self.words.joint(end)
            last = end
            while self.words.at(last) in JOINTS and self.words.run_end(self.words.joint(last)[1]) > last + 1:
                last = self.words.run_end(self.words.joint(last)[1])
            of_people = self.low[last - 1] in english.GENERIC_NOUNS
            word = self.low[end - 1]
            adjective = not word.endswith("s") if of_people else self.words.may_be_adjective(word)
            if joint == "but" or last == end or not adjective or self.words.capital(after):
                return end
            start, end = after, self.words.noun_end(after, subject)
        return end

    def _is_one_word(self, start: int, end: int) -> bool:
        """True for one word, with or without a degree adverb."""
        return end > start and all(w in english.DEGREES or is_adverb(w) for w in self.low[start : end - 1])

    def _bare(self, i: int, subject: bool) -> tuple[Noun, int]:
        """A phrase without a determiner: a name, `big people`, `birds`, `pizza`."""
        if self.low[i] in STOPS or self.low[i] in english.ADVERBS:
            raise UnreadableError(f"no noun stands where {self.words.text[i]!r} does")
        if self.words.text[i][0].isupper():
            end = i + 1
            while end < self.size and self.words.text[end][0].isupper() and self.low[end] not in STOPS:
                end += 1
            while self.words.at(end) == "of" and end + 1 < self.size and self.words.text[end + 1][0].isupper():
                end += 2
            name = self.words.capital(i) or end - i > 1
            alone = end == self.words.run_end(i) or not subject
            if name or (alone and self.words.singular_follows(end)):
                return Noun(ReferenceKind.CONSTANT, self._name(i, end)), end
        end = self.words.noun_end(i, subject)
        if end - i > 1 and self.low[i].endswith("ing") and is_verb(self.low[i].removesuffix("ing")):
            raise UnreadableError(f"{self.words.text[i]!r} is an action, not a thing")
        last = self.low[end - 1]
        if last in english.GENERIC_NOUNS and last not in SINGULAR_GENERIC:
            return described(self.words, i, end, ReferenceKind.ANY, plural=True), end
        general = subject and self.words.outer is None  # not within a relative clause: peanuts in `allergic to peanuts`
        if general and not self.words.singular_follows(end) and self.words.is_plural_at(end - 1, end):
            return described(self.words, i, end, ReferenceKind.ANY, plural=True), end
        return Noun(ReferenceKind.CONSTANT, self._name(i, end), plural=self.words.is_plural_at(end - 1, end)), end

    def _name(self, i: int, end: int) -> str:
        """A constant as printed: a word that begins the sentence is no name where the text has it in lower case."""
        first = self.words.text[i]
        if (
            i == 0
            and self.words.opening
            and first[0].isupper()
            and first[1:].islower()
            and first.lower() in self.words.evidence.lower
        ):
            first = first.lower()
        return " ".join([first, *self.words.text[i + 1 : end]])

    def _is_name(self, noun: Noun) -> bool:
        return noun.kind is ReferenceKind.CONSTANT and not noun.text.startswith("the ")

    def _relational(self, noun: Noun, end: int, subject: bool) -> tuple[Noun, int]:
        """`an ingredient of a dish`, `the mayor of Paris`: a noun in a relation to another."""
        other, after = self.phrase(end + 1, subject=subject)
        if noun.kind is not ReferenceKind.CONSTANT:
            return replace(noun, of=other), after
        if noun.text.startswith("the ") and noun.text.islower():
            return replace(noun, kind=ReferenceKind.OWNED, text=noun.text.removeprefix("the "), of=other), after
        if other.kind is ReferenceKind.CONSTANT:  # the University of Oslo, pictures of Bob
            return replace(noun, text=f"{noun.text} of {other.text}"), after
        raise UnreadableError(f"it does not say which {noun.text} it means")

    def _placed(self, noun: Noun, end: int) -> tuple[Noun, int]:
        """`the book on the table is red`: words behind a noun that belong to its name."""
        try:
            other, after = self.phrase(end + 1, subject=True)
        except UnreadableError:
            return noun, end
        verb = self.words.at(after) in english.AUXILIARIES or (
            after < self.size and self.words.verb_form(after, noun.plural) and self.words.may_be_verb(after)
        )
        if other.kind is ReferenceKind.CONSTANT and verb:
            return replace(noun, text=f"{noun.text} {self.low[end]} {other.text}"), after
        return noun, end

    def _lower(self, start: int, end: int) -> str:
        if start >= end:
            raise UnreadableError(f"no noun follows {self.low[start - 1]!r}")
        return " ".join(self.low[start:end])

    def _merged(self, items: list[Noun], how: str) -> Noun | None:
        """`Red, big people` looks like two phrases but is one, which begins with adjectives."""
        *first, last = items
        if (
            last.kind not in (ReferenceKind.EVERY, ReferenceKind.ANY)
            or last.of
            or any(
                n.kind is not ReferenceKind.CONSTANT or " " in n.text or n.plural or self._surely_name(n, k)
                for k, n in enumerate(first)
            )
        ):
            return None
        return replace(last, adjectives=(*(n.text.lower() for n in first), *last.adjectives), how=how or "and")

    def _surely_name(self, noun: Noun, place: int) -> bool:
        """A capital letter inside of the sentence, or at its beginning where no text calls anything so."""
        return noun.text[0].isupper() and place > 0


def described(sentence: SentenceWords, start: int, end: int, kind: ReferenceKind, *, plural: bool = False) -> Noun:
    """The noun and its adjectives: `big red birds` is whatever is big, red and a bird."""
    words = _with_degrees([w for w in sentence.low[start:end] if w not in (",", "and", "or")])
    if not words:
        raise UnreadableError(f"no noun follows {sentence.low[start - 1]!r}" if start else "it has no noun")
    how = "or" if "or" in sentence.low[start:end] else "and"
    if how == "or" and "and" in sentence.low[start:end]:
        raise UnreadableError("it mixes 'and' with 'or'")
    last = words[-1]
    if last in english.GENERIC_NOUNS:
        return Noun(kind, type=english.GENERIC_NOUNS[last], plural=plural, adjectives=tuple(words[:-1]), how=how)
    noun = 1
    while noun < len(words) and not _is_adjective(sentence, words, len(words) - noun - 1, noun):
        noun += 1
    text = " ".join(words[len(words) - noun :])
    if plural or sentence.looks_plural(last):
        text = singular(text)
    return Noun(kind, text, plural=plural, adjectives=tuple(words[: len(words) - noun]), how=how)


def _is_adjective(sentence: SentenceWords, words: list[str], at: int, noun: int) -> bool:
    """True when the word is an adjective of the `noun` words behind it and no part of a compound (`light bulb`)."""
    word = words[at].rpartition(" ")[2]
    if word in PRIVATIVE_OF_RULES:
        return False
    if is_known(" ".join(words[at : at + 1 + noun]), "n"):
        return False
    return word in sentence.evidence.adjectives or is_known(word, "a")


def _with_degrees(words: list[str]) -> list[str]:
    """`very nice` is one adjective."""
    found: list[str] = []
    for word in words:
        degree = found and (found[-1] in english.DEGREES or is_adverb(found[-1].rpartition(" ")[2]))
        if degree:
            found[-1] = f"{found[-1]} {word}"
        else:
            found.append(word)
    return found
