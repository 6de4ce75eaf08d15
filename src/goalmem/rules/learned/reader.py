"""The learned reader: rule English as people write it, where several facts share a sentence and rules are told as stories.

What the grammar reads in plain words it reads; the rest goes to four small models over a parse (docs/rules.md). Every clause
has a score, the probability of the least certain decision in it; a sentence without a known property, or about nobody,
is unread.

The grammar reads any sentence of the right build, and takes every phrase at its word: `rough around the edges` is no case of
`rough` to it. That is right for controlled English (`controlled`), and wrong for a text that calls the same property by many names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence

from goalmem.language import lexicon
from goalmem.language.analyzer import Analyzer
from goalmem.logic.terms import Variable
from goalmem.rules.english import PERSON
from goalmem.rules.grammar.reader import GrammarReader
from goalmem.rules.grammar.text import Sentence, sentences
from goalmem.rules.learned.decide import Property, Statement, UndecidedError, decide
from goalmem.rules.learned.scene import Scene, scenes
from goalmem.rules.learned.weights import Weights, bundled_weights
from goalmem.rules.terms import SLOT, Clause, Literal, Reading, RuleReader, Unread

__all__ = ["IS", "LearnedReader", "constants", "controlled", "literals", "plain_word", "recurring", "stands"]

WHO = Variable("x", PERSON)


class LearnedReader:
    """`RuleReader` over the bundled weights, or others. Deterministic; one instance serves any number of threads."""

    def __init__(
        self,
        exact: RuleReader | None = None,
        weights: Weights | Callable[[str], Weights] | None = None,
        analyzer: Analyzer | None = None,
    ) -> None:
        """`exact`: the grammar, unless another is given; `weights`: by default the bundled ones, or those for a sentence."""
        self._exact = exact or GrammarReader()
        self._weights = weights
        self._analyzer = analyzer or Analyzer()

    @property
    def name(self) -> str:
        """`learned`."""
        return "learned"

    def read(self, text: str) -> Reading:
        """The clauses of a text. Raises ModelError when the weights or the language model are missing."""
        exact = self._exact.read(text)
        if controlled(exact):
            return exact
        whole = list(sentences(text))
        own: dict[int, list[Clause]] = defaultdict(list)
        for clause in exact.clauses:
            own[clause.start].append(clause)
        again = recurring(exact.clauses)
        reasons = {u.start: u.reason for u in exact.unread}
        clauses: list[Clause] = []
        unread: list[Unread] = []
        last: tuple[str, ...] = ()
        for scene in self._scenes(whole, exact):
            try:
                read = self._read(scene, own[scene.sentence.start], again, last)
            except UndecidedError as reason:
                found = scene.sentence
                why = "; ".join(filter(None, (reasons.get(found.start), str(reason))))
                unread.append(Unread(found.text, found.start, found.end, why))
                continue
            clauses += read
            last = tuple(dict.fromkeys(_subjects(read))) or last
        return Reading(tuple(clauses), tuple(unread))

    def _scenes(self, whole: list[Sentence], exact: Reading) -> list[Scene]:
        known = self._choose(whole[0].text).known if whole else frozenset[str]()
        return scenes(whole, self._analyzer, known, frozenset(constants(exact.clauses)))

    def _read(
        self, scene: Scene, own: Sequence[Clause], again: Collection[str], last: tuple[str, ...]
    ) -> Sequence[Clause]:
        """The clauses of a sentence; `own` are the grammar's, `last` is whom the sentences before are about."""
        try:
            statement = decide(scene, self._choose(scene.sentence.text))
            if own and stands(own, statement.words, again):
                return own
            return list(_clauses(scene, statement, statement.subjects or last))
        except UndecidedError:
            if own:
                return own
            raise

    def read_statement(self, text: str) -> Literal | None:
        """As the exact reader has it; else the one property that the text says of the one it names."""
        literal = self._exact.read_statement(text)
        if literal is not None:
            return literal
        found = self.read(text).clauses
        return found[0].head if len(found) == 1 and not found[0].body and found[0].head.ground else None

    def _choose(self, sentence: str) -> Weights:
        if self._weights is None:
            return bundled_weights()
        return self._weights if isinstance(self._weights, Weights) else self._weights(sentence)


def _clauses(scene: Scene, statement: Statement, subjects: Sequence[str]) -> Iterator[Clause]:
    place = (scene.sentence.text, scene.sentence.start, scene.sentence.end, statement.score)
    if statement.facts:
        if not subjects:
            raise UndecidedError("it does not say whom it is about")
        for subject in subjects:
            for fact in statement.facts:
                yield Clause(Literal(IS + fact.word, (subject,), fact.denied), (), *place)
        return
    body = tuple(_of_anyone(p) for p in statement.body)
    for head in statement.heads:
        yield Clause(_of_anyone(head), body, *place)


def _of_anyone(read: Property) -> Literal:
    return Literal(IS + read.word, (WHO,), read.denied)


def _subjects(clauses: Sequence[Clause]) -> Iterator[str]:
    """Whom facts are about."""
    for clause in clauses:
        if not clause.body and clause.head.ground and isinstance(clause.head.terms[0], str):
            yield clause.head.terms[0]


IS = f"{SLOT} is "
ENOUGH = 0.95
"""Share of its statements that are of a few words, or are made by several sentences, from which on a text is controlled
English."""
_FEW_WORDS = re.compile(rf"{SLOT} is (?:an? )?\w+|{SLOT} \w+ {SLOT}")
"""`_ is kind`, `_ is a cat`, `_ chases _`."""


def controlled(reading: Reading) -> bool:
    """True for a text that the grammar reads whole and whose sentences speak of the same things in the same words."""
    if reading.unread:
        return False
    again = recurring(reading.clauses)
    every = [literal for clause in reading.clauses for literal in literals((clause,))]
    simple = (bool(_FEW_WORDS.fullmatch(n.predicate)) or n.predicate in again for n in every)
    return sum(simple) >= ENOUGH * len(every)


def stands(clauses: Sequence[Clause], found: Collection[str], again: Collection[str]) -> bool:
    """Whether the grammar's clauses of a sentence hold all that the learned reader finds in it.

    `found`: the properties that it finds; `again`: predicates that other sentences have too.
    """
    plain = {plain_word(n) for n in literals(clauses)}
    return {*found} <= plain and all(plain_word(n) or n.predicate in again for n in literals(clauses))


def recurring(clauses: Sequence[Clause]) -> frozenset[str]:
    """Predicates that differently worded sentences share."""
    texts: dict[str, set[str]] = defaultdict(set)
    for clause in clauses:
        for literal in literals((clause,)):
            texts[literal.predicate].add(_unnamed(clause))
    return frozenset(predicate for predicate, worded in texts.items() if len(worded) > 1)


def plain_word(literal: Literal) -> str:
    """The adjective of `_ is w`; empty where the statement is another."""
    word = literal.predicate.removeprefix(IS)
    return word if len(word) < len(literal.predicate) and word.isalpha() and lexicon.is_known(word, "a") else ""


def literals(clauses: Sequence[Clause]) -> Iterator[Literal]:
    """The statements that clauses are made of."""
    return (literal for clause in clauses for literal in (clause.head, *clause.body))


def constants(clauses: Sequence[Clause]) -> Iterator[str]:
    """Whom facts are about, by name or as `the cat`."""
    for clause in clauses:
        term = clause.head.terms[0]
        named = isinstance(term, str) and (term.startswith("the ") or all(w[0].isupper() for w in term.split()))
        if named and not clause.body:
            yield str(term)


def _unnamed(clause: Clause) -> str:
    text = clause.text
    for name in constants((clause,)):
        text = text.replace(name, SLOT)
    return text
