"""Reference: the variables, constants and antecedents of pronouns in a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from goalmem.language.lexicon import coarse_type
from goalmem.language.morphology import with_article
from goalmem.logic.terms import Variable
from goalmem.rules import english
from goalmem.rules.grammar.text import UnreadableError
from goalmem.rules.grammar.tree import Any as AnyOf
from goalmem.rules.grammar.tree import Formula, Noun, PhraseGroup, ReferenceKind, StatementTree, filled
from goalmem.rules.terms import SLOT, Literal

NAMES = "xyzuvwrst"
LETTER = re.compile(r"[U-Z]\d?")
"""Single letters as variables of a conditional sentence: `If X is a parent of Y then …`."""
Term: TypeAlias = str | Variable
ANIMATE = ("animal", "organization", "")
"""Kinds that may be `it` as well as `they`."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A predicate that holds of something unnamed (`_ owns a dog`), and how it follows from those that name it."""

    predicate: str
    open: str
    """The predicate with a slot for the unnamed argument: `_ owns _`."""
    place: int
    """Index of that slot."""
    noun: str
    """`dog`; empty for `someone` and `something`."""
    of: bool = False
    """True if the noun is relational: `_ eats an ingredient of _`."""


@dataclass(slots=True)
class _Referent:
    """A thing that the sentence speaks of."""

    term: Term | None
    """None if it cannot be referred to again: an existential in a negation or conclusion."""
    noun: str
    kind: str = ""
    """`person` or `thing` where its word says so."""
    bound: bool = False
    """True if it occurs only as the second argument of a relation (the ingredient of a dish)."""

    @property
    def type(self) -> str:
        """`person`, `thing`, or empty where either may be."""
        return self.kind or _animacy(self.noun)

    @property
    def shown(self) -> str:
        """For messages."""
        return repr(self.term) if isinstance(self.term, str) else repr(self.noun or self.kind)


@dataclass
class Referents:
    """The terms of one sentence, and the conditions that its nouns put on them."""

    conditional: bool = False
    """True if the sentence has a condition: then X, Y and Z are variables."""
    folds: list[Fold] = field(default_factory=list)
    _conditions: list[Literal] = field(default_factory=list)
    _known: list[_Referent] = field(default_factory=list)
    _subject: Term | None = None
    _introduced: dict[int, Variable] = field(default_factory=dict)
    """By identity of the phrase: a subject with several predicates is one referent."""

    def literal(self, state: StatementTree, *, head: bool = False) -> Literal:
        """The statement with its terms; conditions that come with its nouns are added. Raises UnreadableError."""
        words, terms = list(state.words), list[Term]()
        negated, place, open_ = state.negated, -1, False
        self._subject = None
        for noun in state.terms:
            assert isinstance(noun, Noun)
            place = words.index(SLOT, place + 1)
            if noun.kind is ReferenceKind.NONE:
                if negated:
                    raise UnreadableError("it denies twice")
                negated, noun = True, replace(noun, kind=ReferenceKind.A if noun.text else ReferenceKind.SOMEONE)
                fresh = True
            else:
                fresh = self._stays_open(noun, first=not terms and not open_, inside=negated or head, head=head)
            if not fresh:
                terms.append(self.term(noun))
                self._subject = terms[0]
                continue
            if open_:
                raise UnreadableError("it speaks of more than one unnamed thing where that cannot be held")
            open_ = True
            words, place = self._opened(words, place, noun, terms)
            if not negated:
                self._known.append(_Referent(None, noun.text, noun.type))
        return Literal(" ".join(words), tuple(terms), negated)

    def taken(self) -> list[Literal]:
        """The conditions since the last call."""
        taken, self._conditions = self._conditions, []
        return taken

    # Predicates of an unnamed referent.

    def _stays_open(self, noun: Noun, *, first: bool, inside: bool, head: bool) -> bool:
        """True for an existential in a negation or conclusion: it has no name and cannot be referred to again."""
        if not inside or noun.kind not in (ReferenceKind.A, ReferenceKind.SOMEONE) or id(noun) in self._introduced:
            return False
        if first and head:
            raise UnreadableError("it says that there is someone or something, but not which")
        return not first

    def _opened(self, words: list[str], place: int, noun: Noun, terms: list[Term]) -> tuple[list[str], int]:
        """The words with the unnamed argument included (`_ owns a dog`), and its end."""
        if noun.where is not None or noun.adjectives:
            raise UnreadableError("it says of some unnamed thing more than can be held: name it")
        said = [with_article(noun.text) if noun.text else _some(noun)]
        number = words[:place].count(SLOT)
        if noun.of is not None:
            terms.append(self.term(noun.of))
            said += ["of", SLOT]
        after = [*words[:place], *said, *words[place + 1 :]]
        self.folds.append(Fold(" ".join(after), " ".join(words), number, noun.text, noun.of is not None))
        return after, place + len(said) - 1

    # The referent of a noun phrase.

    def term(self, noun: Noun) -> Term:
        """The referent of a noun phrase. Raises UnreadableError."""
        if noun.kind is ReferenceKind.CONSTANT:
            return self._constant(noun)
        if noun.kind is ReferenceKind.PRONOUN:
            return self._pronoun(noun.text)
        if noun.kind is ReferenceKind.REFLEXIVE:
            if self._subject is None:
                raise UnreadableError(f"it does not say whom {noun.text!r} means")
            return self._subject
        if noun.kind is ReferenceKind.OWNED:
            return self._owned(noun)
        if noun.kind is ReferenceKind.GAP:
            raise UnreadableError("it leaves open what it speaks of")
        if id(noun) not in self._introduced:
            self._introduced[id(noun)] = self._introduce(noun)
        return self._introduced[id(noun)]

    def _introduce(self, noun: Noun) -> Variable:
        """A new variable for `someone`, `a bird`, `every red thing`, with its conditions."""
        variable = Variable(self._fresh(), noun.text or noun.type or english.THING)
        self._introduced[id(noun)] = variable
        self._known.append(_Referent(variable, noun.text, noun.type, bound=noun.of is not None))
        if noun.of is not None:
            owner = self.term(noun.of)
            self._conditions.append(Literal(_relation(noun.text), (variable, owner)))
        elif noun.text:
            self._conditions.append(Literal(f"{SLOT} is {with_article(noun.text)}", (variable,)))
        if noun.how == "or" and len(noun.adjectives) > 1:
            raise UnreadableError("it holds an 'or' that cannot be read here: write two sentences")
        self._conditions += [Literal(f"{SLOT} is {a}", (variable,)) for a in noun.adjectives]
        if noun.where is not None:
            for state in states(filled(noun.where, noun)):
                literal = self.literal(state)
                self._conditions.append(literal)
        return variable

    def _fresh(self) -> str:
        used = sum(isinstance(r.term, Variable) for r in self._known)
        return NAMES[used] if used < len(NAMES) else f"x{used}"

    def _constant(self, noun: Noun) -> Term:
        if noun.text == english.NOTHING_BUT_IT:
            return noun.text
        if noun.text.startswith(("the ", "that ")):
            bare = noun.text.split(" ", 1)[1]
            found = [r for r in self._known if _same_noun(r, bare)]
            if len(found) > 1:
                raise UnreadableError(f"'the {bare}' may be one of several: name it")
            if found and found[0].term is None:
                raise UnreadableError(f"it does not say which {bare} 'the {bare}' means")
            if found and found[0].term is not None:
                return found[0].term
            if noun.text.startswith("that "):
                raise UnreadableError(f"it does not say which {bare} it means")
        for referent in self._known:
            if referent.noun == noun.text and referent.term is not None:
                return referent.term
        term: Term = noun.text
        if self.conditional and LETTER.fullmatch(noun.text):
            term = Variable(self._fresh(), english.THING)
            self._known.append(_Referent(term, noun.text))
        elif not any(r.term == term for r in self._known):
            self._known.append(
                _Referent(term, "", _animacy(noun.text.removeprefix("the ")) if " " in noun.text else "")
            )
        return term

    def _pronoun(self, word: str, *, owner: bool = False) -> Term:
        if word in ("i", "me", "we", "us", "you"):
            raise UnreadableError(f"it does not say who {word!r} is")
        wanted = english.PRONOUNS.get(word, "")
        fits = [r for r in self._known if not wanted or r.type in ("", wanted)] if len(self._known) > 1 else self._known
        if wanted and len(self._known) == 1 and self._known[0].kind not in ("", wanted):
            fits = [r for r in self._known if isinstance(r.term, Variable)]
        if self._subject is not None and not owner:  # an object identical to its own subject is said with `itself`
            fits = [r for r in fits if r.term != self._subject]
        # A referent introduced by a condition is preferred over a named one.
        fits = [r for r in fits if not isinstance(r.term, str)] or list(fits)
        if len(fits) > 1 and not wanted:  # `they` is rather someone than a thing
            fits = [r for r in fits if r.type == english.PERSON] or fits
        if len(fits) > 1:
            fits = [r for r in fits if not r.bound] or fits
        if len(fits) > 1:
            raise UnreadableError(f"{word!r} may stand for {' or '.join(r.shown for r in fits)}: name it")
        if not fits or fits[0].term is None:
            raise UnreadableError(f"it does not say what {word!r} stands for")
        if not fits[0].kind and wanted:
            fits[0].kind = wanted
        return fits[0].term

    def _owned(self, noun: Noun) -> Term:
        """`its mayor`, `the mayor of Lisbon`: the referent that has the relation to the owner."""
        assert noun.of is not None
        owner = self._pronoun(noun.of.text, owner=True) if noun.of.kind is ReferenceKind.PRONOUN else self.term(noun.of)
        if not isinstance(owner, Variable):
            named = owner[0].isupper() and not owner.endswith("s")
            return f"{owner}'s {noun.text}" if named else f"the {noun.text} of {owner}"
        found = next((r for r in self._known if r.noun == f"{noun.text} of {owner}"), None)
        if found is not None and found.term is not None:
            return found.term
        variable = Variable(self._fresh(), noun.text)
        kind = _animacy(noun.text)
        self._known.append(_Referent(variable, f"{noun.text} of {owner}", kind, bound=True))
        self._conditions.append(Literal(_relation(noun.text), (variable, owner)))
        return variable


def states(formula: Formula) -> list[StatementTree]:
    """The statements of a formula that holds no `or`. Raises UnreadableError."""
    if isinstance(formula, AnyOf):
        raise UnreadableError("it holds an 'or' that cannot be read here: write two sentences")
    if isinstance(formula, StatementTree):
        if any(isinstance(t, PhraseGroup) for t in formula.terms):
            raise UnreadableError("it joins nouns at a place where that cannot be read: write two sentences")
        return [formula]
    return [state for item in formula.items for state in states(item)]


def _relation(noun: str) -> str:
    return f"{SLOT} is {with_article(noun)} of {SLOT}"


def _some(noun: Noun) -> str:
    return "someone" if noun.type == english.PERSON else "something"


def _same_noun(referent: _Referent, noun: str) -> bool:
    """True when `the bird` may go back to the referent: to a bird, or `the person` to someone."""
    if isinstance(referent.term, str):
        return False
    if referent.noun:
        return referent.noun == noun
    return noun in english.GENERIC_NOUNS and english.GENERIC_NOUNS[noun] == referent.kind


def _animacy(noun: str) -> str:
    """`person` or `thing`; empty if it may be either or is not in the dictionary."""
    kind = coarse_type(noun.rpartition(" ")[2]) if noun else ""
    return english.PERSON if kind == "person" else "" if kind in ANIMATE else english.THING
