"""Clauses: a subject with its predicates."""

from __future__ import annotations

from dataclasses import replace

from goalmem.language.lexicon import base_form
from goalmem.language.morphology import base_forms, inflect, is_adverb, is_past, third_person, with_article
from goalmem.language.words.verbs import WEATHER
from goalmem.rules import english
from goalmem.rules.grammar.nouns import NounParser, described
from goalmem.rules.grammar.text import UnreadableError
from goalmem.rules.grammar.tree import (
    GAP,
    Formula,
    Noun,
    PhraseGroup,
    ReferenceKind,
    StatementTree,
    Term,
    filled,
    joined,
)
from goalmem.rules.grammar.words import JOINTS, STOPS, SentenceWords, TextEvidence
from goalmem.rules.terms import SLOT

PAST = "did"


class ClauseParser:
    """Parses clauses from the words of a sentence."""

    def __init__(self, words: list[str], evidence: TextEvidence, *, opening: bool = True) -> None:
        """`opening`: the first word starts a sentence, so its capital letter is not significant."""
        self.words = SentenceWords(words, evidence, opening=opening)
        self.nouns = NounParser(self.words)
        self.nouns.relative = self._relative
        self.nouns.reduced = self._reduced
        self.predicates = PredicateParser(self.words, self.nouns)
        self.low = self.words.low
        self.size = len(words)

    def clause(self, i: int) -> tuple[Formula, int]:
        """The clause at `i` and where it ends. Raises UnreadableError."""
        if self.words.at(i) == "there":
            raise UnreadableError("it says that there is something, but not what it is called")
        subject: Term
        if self._is_weather(i):
            subject, verb = Noun(ReferenceKind.CONSTANT, english.NOTHING_BUT_IT), i + 1
        else:
            subject, verb = self.nouns.phrases(i, subject=True)
        formula, end = self.said(verb, subject)
        return filled(formula, subject), end

    def clauses(self, i: int) -> tuple[Formula, int]:
        """Clauses that are joined, up to a word that begins another part of the sentence."""
        first, end = self.clause(i)
        items, how = [first], ""
        while end < self.size and self.low[end] in JOINTS:
            joint, after = self.words.joint(end)
            if not joint and not self.starts_clause(after):
                break
            joint = joint if joint != "but" else "and"
            if how and joint and joint != how:
                raise UnreadableError("it mixes 'and' with 'or': write two sentences")
            how = joint or how
            item, end = self.clause(after)
            items.append(item)
        return joined(items, how), end

    def _is_weather(self, i: int) -> bool:
        """True for `it rains` and `it is not raining`."""
        if self.words.at(i) != "it":
            return False
        verb = i + 1
        while self.words.at(verb) in english.AUXILIARIES | {"not"}:
            verb += 1
        word = self.words.at(verb)
        bases = {word, word.removesuffix("s"), word.removesuffix("ing"), word.removesuffix("ed"), f"{word[:-3]}e"}
        return bool(bases & WEATHER)

    def starts_clause(self, i: int) -> bool:
        """True when a subject and a verb begin at `i`."""
        try:
            _, verb = self.nouns.phrase(i, subject=True)
        except UnreadableError:
            return False
        return verb > i and self._starts_verb(verb, None)

    # Predicates of a subject.

    def said(self, i: int, subject: Term) -> tuple[Formula, int]:
        """The verb phrases at `i`, about `GAP`."""
        first, end, last = self._one(i, subject)
        items, how = [first], ""
        while end < self.size and self.low[end] in JOINTS:
            joint, after = self.words.joint(end)
            found = self._further(after, subject, last) if joint or not how else None
            if found is None:
                break
            if joint == "nor" and not last.negated:
                raise UnreadableError("its 'nor' follows nothing that is denied")
            joint = "and" if joint in ("but", "nor") else joint
            if how and joint and joint != how:
                raise UnreadableError("it mixes 'and' with 'or': write two sentences")
            how = joint or how
            spread = self.low[after - 1] != "nor" and not self._starts_verb(after, subject)
            if (last.negated and spread and not found[2].negated) or (last.negated and joint == "or"):
                raise UnreadableError("it is open how far its 'not' reaches: repeat 'is not', or write two sentences")
            item, end, last = found
            items.append(item)
        if len(items) > 1 and not how:
            raise UnreadableError("its parts are joined by commas alone: write 'and' or 'or'")
        return joined(items, how), end

    def _further(self, i: int, subject: Term, last: StatementTree) -> tuple[Formula, int, StatementTree] | None:
        """A further coordinated predicate of the same subject; None if a new clause begins or nothing follows."""
        if i >= self.size:
            return None
        to_be = _to_be(last)
        verb = self._starts_verb(i, subject) and not (to_be and self._is_adjective(i))
        if not verb and not self.words.inside and self.starts_clause(i):
            return None
        one_more = not to_be and len(last.terms) > 1 and last.words[-1] == SLOT
        if verb and one_more and self._may_be_object(i):
            raise UnreadableError(f"{self.words.text[i]!r} may be a verb or not: write two sentences")
        if verb:
            return self._one(i, subject)
        if to_be and last.words[-1] == SLOT and not self._is_adjective(i) and self._is_noun(i):
            return self._one_more(i, last)
        if to_be == [SLOT, "was"] and is_past(self.low[i]):
            raise UnreadableError(f"{self.words.text[i]!r} may go with 'was' or not: repeat 'was'")
        if to_be:
            return self.predicates.complement(i, to_be, last.negated and self.words.at(i - 1) == "nor")
        if one_more and (self.words.starts_noun(i) or self.words.ended(self.words.noun_end(i, False))):
            return self._one_more(i, last)
        return None

    def _one_more(self, i: int, last: StatementTree) -> tuple[Formula, int, StatementTree] | None:
        """The last statement with another object: `chases the cat and the dog`."""
        if len(last.words) > 1 and last.words[1] in english.BE.values() and self.low[i] in english.ARTICLES:
            raise UnreadableError(f"it is unclear what {self.words.at(i + 1)!r} is joined to: write two sentences")
        term, end = self.nouns.phrase(i, subject=False)
        self.nouns.check_shared(last.terms[-1], term)
        if not self.words.ended(end):
            return None
        state = replace(last, terms=(*last.terms[:-1], term))
        return state, end, state

    def _is_noun(self, i: int) -> bool:
        """True where an object may begin."""
        return self.words.starts_noun(i) or (
            self.low[i] not in STOPS and self.words.ended(self.words.noun_end(i, self.words.inside))
        )

    def _may_be_object(self, i: int) -> bool:
        """True for a word alone that is a plural noun as well as a verb: `likes cats and dogs`."""
        return (
            self.low[i] not in english.AUXILIARIES
            and self.words.ended(i + 1)
            and not self.words.used_as_verb(i)
            and self.words.looks_plural(self.low[i])
        )

    def _is_adjective(self, i: int) -> bool:
        """True if `is` may continue: in `big and round` and `big and slightly blue`, although to round and to blue
        are verbs.
        """
        while self._is_adverbial(i) or self.words.at(i) in english.DEGREES:
            i += 1
        word = self.words.at(i)
        if not word or word in english.AUXILIARIES or base_forms(word):
            return False
        return not self.words.starts_noun(i + 1) and self.words.may_be_adjective(word)

    def _starts_verb(self, i: int, subject: Term | None) -> bool:
        """True where a verb phrase begins."""
        while self._is_adverbial(i):
            i += 1
        word = self.words.at(i)
        if word in english.AUXILIARIES:
            return True
        if not word or not any(self.words.verb_form(i, plural) for plural in _numbers(subject)):
            return False
        return subject is None or self.words.starts_noun(i + 1) or self.words.may_be_verb(i)

    def _one(self, i: int, subject: Term) -> tuple[Formula, int, StatementTree]:
        """One verb phrase, its end, and its last statement, to which others may be coordinated."""
        words = [SLOT]
        while self._is_adverbial(i):
            word = self.low[i]
            if word == "never":
                return self._never(i, subject)
            if word not in english.FILLERS:
                words.append(self.predicates.unhedged(i))
            i += 1
        word = self.words.at(i)
        if not word:
            raise UnreadableError("it has no verb that is known")
        if word in english.AUXILIARIES:
            return self._auxiliary(i, words)
        numbers = [n for n in _numbers(subject) if self.words.verb_form(i, n)]
        if not numbers or not self.words.is_verb_at(i, i):
            raise UnreadableError(f"{self.words.text[i]!r} is not a verb form that fits its subject")
        verb = third_person(word) if numbers[0] and not is_past(word) else word
        return self.predicates.rest(i + 1, [*words, verb], False)

    def _auxiliary(self, i: int, words: list[str]) -> tuple[Formula, int, StatementTree]:
        word = self.low[i]
        if word in english.BE:
            return self.predicates.complement(i + 1, [*words, english.BE[word]], False)
        negated, after = self.predicates.negation(i + 1)
        while self.predicates.is_adverb(after) and word in english.MODALS | english.DO.keys():
            words, after = [*words, self.low[after]], after + 1
        following = self.words.at(after)
        if word in english.DO:
            base = self._verb_at(after)
            verb = inflect(base, "VBD", f"{base}ed") if word == PAST else third_person(base)
            return self.predicates.rest(after + 1, [*words, verb], negated)
        if word in english.MODALS:
            if following == "be":
                return self.predicates.complement(after + 1, [*words, word, "be"], negated)
            return self.predicates.rest(after + 1, [*words, word, self._verb_at(after)], negated)
        perfect = following and (is_past(following) or base_form(following) != following)
        if perfect and not self.words.capital(after):
            raise UnreadableError("it is told in the perfect tense: write 'is' or 'was'")
        return self.predicates.rest(after, [*words, "had" if word == "had" else "has"], negated)

    def _is_adverbial(self, i: int) -> bool:
        word = self.words.at(i)
        if not word or self.words.capital(i):
            return False
        return word in english.FILLERS | english.HEDGES or word == "never" or is_adverb(word)

    def _never(self, i: int, subject: Term) -> tuple[Formula, int, StatementTree]:
        formula, end, last = self._one(i + 1, subject)
        if not isinstance(formula, StatementTree):
            raise UnreadableError("it is open how far its 'never' reaches: write two sentences")
        denied = replace(formula, negated=not formula.negated)
        return denied, end, replace(last, negated=not last.negated)

    def _verb_at(self, i: int) -> str:
        word = self.words.at(i)
        if not word or self.words.ended(i) or self.words.starts_noun(i):
            raise UnreadableError("a verb is missing")
        return word

    def _relative(self, i: int, subject: bool, plural: bool) -> tuple[Formula, int]:
        """A relative clause: `who is big`, `that the cat chases`; `whoever` replaces a missing pronoun."""
        if self.low[i] in ("whom", "whose"):
            raise UnreadableError(f"its {self.low[i]!r} is not read yet")
        if not self._starts_verb(i + 1, None):
            raise UnreadableError(f"what follows its {self.low[i]!r} is not read yet")
        outer = self.words.inside, self.words.outer
        self.words.inside, self.words.outer = subject, plural if subject else None
        try:
            return self.said(i + 1, GAP)
        finally:
            self.words.inside, self.words.outer = outer

    def _reduced(self, i: int, plural: bool) -> tuple[Formula, int]:
        outer = self.words.inside, self.words.outer
        self.words.inside, self.words.outer = True, plural
        try:
            formula, end, _ = self.predicates.complement(i, [SLOT, "is"], False)
        finally:
            self.words.inside, self.words.outer = outer
        return formula, end


def _to_be(state: StatementTree) -> list[str]:
    """The words of a statement up to its form of be, as in `_ will be`; empty for other verbs."""
    for k, word in enumerate(state.words[1:], 1):
        if word in ("is", "was", "be"):
            return list(state.words[: k + 1])
        if word not in english.MODALS and not is_adverb(word):
            break
    return []


def _numbers(subject: Term | None) -> tuple[bool, ...]:
    """The possible numbers of a verb's subject: plural, singular, or both if ambiguous."""
    if subject is None or subject == GAP:
        return False, True
    if isinstance(subject, PhraseGroup):
        return (subject.how == "and" or subject.items[-1].plural,)
    return (subject.plural,)


class PredicateParser:
    """Parses the complements of a verb. Every method returns the statements, the end, and the last statement."""

    def __init__(self, words: SentenceWords, nouns: NounParser) -> None:
        self.words = words
        self.nouns = nouns
        self.low = words.low

    def complement(self, i: int, words: list[str], negated: bool) -> tuple[Formula, int, StatementTree]:
        """The complement of a form of be that ends `words`."""
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
            return self._class(described(self.words, i + 1, end, ReferenceKind.A), words, not negated, end)
        if word in ("the", *english.POSSESSIVES) or self.words.capital(i):
            return self._relation(i, words, negated)
        if word in english.PREPOSITIONS or word == "like":
            return self.rest(i, words, negated)
        end = self.words.noun_end(i, False)
        if self.words.at(end) == "of" and end > i and self.words.looks_plural(self.low[end - 1]):
            noun = described(self.words, i, end, ReferenceKind.A, plural=True)
            owner, end = self.nouns.phrase(end + 1, subject=self.words.inside)
            return self._of(replace(noun, of=owner), words, negated, end)
        if (self.words.ended(end) or self.low[end] in english.RELATIVES) and self.words.looks_plural(self.low[end - 1]):
            noun = described(self.words, i, end, ReferenceKind.A, plural=True)
            if self.words.at(end) in english.RELATIVES:
                where, end = self.nouns.relative(end, self.words.inside, True)
                noun = replace(noun, where=where)
            return self._class(noun, words, negated, end)
        return self.rest(i, words, negated, adjective=True)

    def _instance(self, i: int, words: list[str], negated: bool) -> tuple[Formula, int, StatementTree]:
        """`is a bird`, `is an ingredient of the soup`, `is a kind person`."""
        noun, end = self.nouns.phrase(i, subject=self.words.inside)
        if noun.of is not None:
            return self._of(noun, words, negated, end)
        formula, end, last = self._class(noun, words, negated, end)
        if not self.words.ended(end) and self.words.continues(end):  # `is a student at the school`
            if not isinstance(formula, StatementTree):
                raise UnreadableError("it says too much at once: write two sentences")
            return self.rest(end, list(formula.words), negated)
        return formula, end, last

    def _class(self, noun: Noun, words: list[str], negated: bool, end: int) -> tuple[Formula, int, StatementTree]:
        states: list[Formula] = [StatementTree((*words, a), (GAP,), negated) for a in noun.adjectives]
        if noun.text or not states:
            states.append(StatementTree((*words, *with_article(noun.text or noun.type).split()), (GAP,), negated))
        if noun.where is not None:
            states.append(noun.where)
        last = StatementTree(tuple(words), (GAP,), negated)
        if negated and len(states) > 1:
            raise UnreadableError("it is unclear what its 'not' denies: write two sentences")
        return joined(states, noun.how), end, last

    def _of(self, noun: Noun, words: list[str], negated: bool, end: int) -> tuple[Formula, int, StatementTree]:
        assert noun.of is not None
        if noun.adjectives:
            raise UnreadableError("it says too much at once: write two sentences")
        state = StatementTree((*words, *with_article(noun.text).split(), "of", SLOT), (GAP, noun.of), negated)
        return state, end, state

    def _relation(self, i: int, words: list[str], negated: bool) -> tuple[Formula, int, StatementTree]:
        """`is the mayor of Paris`, `is Bob's mother`."""
        noun, end = self.nouns.phrase(i, subject=self.words.inside)
        if noun.kind is ReferenceKind.OWNED:
            return self._of(noun, words, negated, end)
        raise UnreadableError("it says that two names mean one thing, which no rule here can hold")

    def rest(
        self, i: int, words: list[str], negated: bool, *, adjective: bool = False
    ) -> tuple[Formula, int, StatementTree]:
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
                    raise UnreadableError(f"{self.words.text[start]!r} cannot be read where it is")
                words.append(SLOT)
                terms.append(noun)
                if words[-2] == "between":
                    i = self._between(i, words, terms)
            if i == start or (self.words.inside and not self.words.ended(i) and not self.words.continues(i)):
                break
        state = StatementTree(tuple(words), tuple(terms), negated)
        return state, i, state

    def _is_second(self, words: list[str], terms: list[Term], start: int) -> bool:
        """True for the second object of a verb: `gives Alice the book`."""
        direct = words.count(SLOT) == 2 and words[-2] not in (*english.PREPOSITIONS, "to")
        first = terms[-1]
        whole = isinstance(first, Noun) and (
            first.kind is not ReferenceKind.CONSTANT or not first.text.islower() or " " in first.text
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
        """End of the words after `i` that are part of the predicate: prepositions, adverbs, `to eat`, `as tall as`."""
        word = self.unhedged(i)
        if word in ("not", "never"):
            raise UnreadableError(f"{word!r} cannot be read where it is")
        if word in english.RELATIVES and not self.words.starts_noun(i):
            raise UnreadableError(f"it is unclear what its {word!r} means")
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
        """True for an adverb that may occur in a predicate."""
        word = self.words.at(i)
        return bool(word) and not self.words.capital(i) and (word in english.ADVERBS or is_adverb(word))

    def negation(self, i: int) -> tuple[bool, int]:
        """True if `not` is at `i`, and the start of the negated part."""
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
