"""What is said behind a verb: objects, prepositions, adverbs, and what follows a form of be."""

from __future__ import annotations

from dataclasses import replace

from goalmem.rules import english
from goalmem.rules.grammar.adjectives import described
from goalmem.rules.grammar.nouns import NounParser
from goalmem.rules.grammar.text import UnreadableError
from goalmem.rules.grammar.tree import GAP, Formula, Kind, Noun, State, Term, joined
from goalmem.rules.grammar.words import Words
from goalmem.rules.morphology import base_forms, is_adverb, with_article
from goalmem.rules.terms import SLOT

__all__ = ["PredicateParser"]


class PredicateParser:
    """Reads what stands behind a verb. Every method gives what is said, where it ends, and its last statement."""

    def __init__(self, words: Words, nouns: NounParser) -> None:
        self.words = words
        self.nouns = nouns
        self.low = words.low

    def complement(self, i: int, words: list[str], negated: bool) -> tuple[Formula, int, State]:
        """What follows a form of be, with which `words` end."""
        further, i = self.negation(i)
        negated = negated != further
        word = self.words.at(i)
        if word == "neither":
            negated, i, word = True, i + 1, self.words.at(i + 1)
        if not word or self.words.ended(i):
            raise UnreadableError(f"nothing follows {self.low[i - 1]!r}")
        self.unhedged(i)
        if word in english.ARTICLES and self.words.at(i + 1) in english.LITTLE and not self.words.ended(i + 2):
            return self.rest(i + 2, [*words, word, self.low[i + 1]], negated, adjective=True)
        if word in english.ARTICLES:
            return self._instance(i, words, negated)
        if word == "no":  # is no bird
            end = self.words.noun_end(i + 1, self.words.inside)
            return self._class(described(self.words, i + 1, end, Kind.A), words, not negated, end)
        if word in ("the", *english.POSSESSIVES) or self.words.capital(i):
            return self._relation(i, words, negated)
        if word in english.PREPOSITIONS or word == "like":
            return self.rest(i, words, negated)
        end = self.words.noun_end(i, False)
        if self.words.at(end) == "of" and end > i and self.words.looks_plural(self.low[end - 1]):
            noun = described(self.words, i, end, Kind.A, plural=True)
            owner, end = self.nouns.phrase(end + 1, subject=self.words.inside)
            return self._of(replace(noun, of=owner), words, negated, end)
        if (self.words.ended(end) or self.low[end] in english.RELATIVES) and self.words.looks_plural(self.low[end - 1]):
            noun = described(self.words, i, end, Kind.A, plural=True)
            if self.words.at(end) in english.RELATIVES:
                where, end = self.nouns.relative(end, self.words.inside, True)
                noun = replace(noun, where=where)
            return self._class(noun, words, negated, end)
        return self.rest(i, words, negated, adjective=True)

    def _instance(self, i: int, words: list[str], negated: bool) -> tuple[Formula, int, State]:
        """`is a bird`, `is an ingredient of the soup`, `is a kind person`."""
        noun, end = self.nouns.phrase(i, subject=self.words.inside)
        if noun.of is not None:
            return self._of(noun, words, negated, end)
        formula, end, last = self._class(noun, words, negated, end)
        if not self.words.ended(end) and self.words.continues(end):  # `is a student at the school`
            if not isinstance(formula, State):
                raise UnreadableError("it says too much at once: write two sentences")
            return self.rest(end, list(formula.words), negated)
        return formula, end, last

    def _class(self, noun: Noun, words: list[str], negated: bool, end: int) -> tuple[Formula, int, State]:
        states: list[Formula] = [State((*words, a), (GAP,), negated) for a in noun.adjectives]
        if noun.text or not states:
            states.append(State((*words, *with_article(noun.text or noun.type).split()), (GAP,), negated))
        if noun.where is not None:
            states.append(noun.where)
        last = State(tuple(words), (GAP,), negated)
        if negated and len(states) > 1:
            raise UnreadableError("it is open what its 'not' denies: write two sentences")
        return joined(states, noun.how), end, last

    def _of(self, noun: Noun, words: list[str], negated: bool, end: int) -> tuple[Formula, int, State]:
        assert noun.of is not None
        if noun.adjectives:
            raise UnreadableError("it says too much at once: write two sentences")
        state = State((*words, *with_article(noun.text).split(), "of", SLOT), (GAP, noun.of), negated)
        return state, end, state

    def _relation(self, i: int, words: list[str], negated: bool) -> tuple[Formula, int, State]:
        """`is the mayor of Paris`, `is Bob's mother`."""
        noun, end = self.nouns.phrase(i, subject=self.words.inside)
        if noun.kind is Kind.OWNED:
            return self._of(noun, words, negated, end)
        raise UnreadableError("it says that two names mean one thing, which no rule here can hold")

    def rest(self, i: int, words: list[str], negated: bool, *, adjective: bool = False) -> tuple[Formula, int, State]:
        """Objects, prepositions and adverbs up to the end of the clause; `adjective`: plain words are no objects."""
        terms: list[Term] = [GAP]
        words = list(words)
        while not self.words.ended(i):
            plain = self._plain_end(i)
            if plain > i:
                words += [w for w in self.low[i:plain] if w not in english.FILLERS]
                of_adjective = self.low[i] in english.FILLERS or self.is_adverb(i)
                adjective = self.low[i : i + 2] == ["to", "be"] or (adjective and of_adjective)
                i = plain
                continue
            if self.low[i] in english.AUXILIARIES:
                if self.words.inside:
                    break
                raise UnreadableError(f"a second verb, {self.words.text[i]!r}, follows its verb")
            start = i
            if adjective and not self.words.starts_noun(i):
                i = self.words.noun_end(i, self.words.inside)
                words += self.low[start:i]
            else:
                noun, i = self.nouns.phrase(i, subject=self.words.inside)
                if words[-1] == SLOT and not self._is_second(words, terms, start):
                    raise UnreadableError(f"{self.words.text[start]!r} stands where it cannot be read")
                words.append(SLOT)
                terms.append(noun)
                if words[-2] == "between":
                    i = self._between(i, words, terms)
            if i == start or (self.words.inside and not self.words.ended(i) and not self.words.continues(i)):
                break
        state = State(tuple(words), tuple(terms), negated)
        return state, i, state

    def _is_second(self, words: list[str], terms: list[Term], start: int) -> bool:
        """True for the second object of a verb: `gives Alice the book`."""
        direct = words.count(SLOT) == 2 and words[-2] not in (*english.PREPOSITIONS, "to")
        first = terms[-1]
        whole = isinstance(first, Noun) and (
            first.kind is not Kind.CONSTANT or not first.text.islower() or " " in first.text
        )
        return direct and whole and not self.words.capital(start)

    def _between(self, i: int, words: list[str], terms: list[Term]) -> int:
        """`between Paris and Rome` is one place; gives its end."""
        if self.words.at(i) != "and":
            raise UnreadableError("two things do not follow its 'between'")
        noun, end = self.nouns.phrase(i + 1, subject=self.words.inside)
        words += ["and", SLOT]
        terms.append(noun)
        return end

    def _plain_end(self, i: int) -> int:
        """Behind the words at `i` that belong to the predicate as they are: prepositions, adverbs, `to eat`, `as tall as`."""
        word = self.unhedged(i)
        if word in ("not", "never"):
            raise UnreadableError(f"{word!r} stands where it cannot be read")
        if word in english.RELATIVES and not self.words.starts_noun(i):
            raise UnreadableError(f"it is open what its {word!r} means")
        if word == "that" and self.words.starts_noun(i + 1):
            raise UnreadableError("it holds a statement inside of a statement")
        if word == "as" and self.words.at(i + 2) == "as":
            return i + 3
        if word == "to" and self._infinitive(i):
            return i + 2
        one = word in english.FILLERS or word in english.PREPOSITIONS or word in ("to", "like") or self.is_adverb(i)
        return i + 1 if one else i

    def _infinitive(self, i: int) -> bool:
        """True for `to eat`, not for `to milk` in `allergic to milk`."""
        after = self.words.at(i + 1)
        if self.words.ended(i + 1) or self.words.starts_noun(i + 1) or base_forms(after):
            return False
        return after in self.words.evidence.verbs or after == "be" or self.words.is_rather_verb(i + 1)

    def is_adverb(self, i: int) -> bool:
        """True for an adverb that may stand in a predicate."""
        word = self.words.at(i)
        return bool(word) and not self.words.capital(i) and (word in english.ADVERBS or is_adverb(word))

    def negation(self, i: int) -> tuple[bool, int]:
        """Whether `not` stands at `i`, and where what is denied begins."""
        negated = False
        while self.words.at(i) in english.FILLERS | {"not", "never"}:
            if self.low[i] in ("not", "never"):
                if negated:
                    raise UnreadableError("it denies twice")
                negated = True
            i += 1
        return negated, i

    def unhedged(self, i: int) -> str:
        """The word at `i`. Raises UnreadableError for one under which a sentence no longer holds of all."""
        if self.low[i] in english.HEDGES:
            raise UnreadableError(f"it says {self.low[i]!r}: no rule without exceptions can hold it")
        return self.low[i]
