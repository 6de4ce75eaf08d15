"""The learned reader: reads natural rule English, where several facts share a sentence and rules are embedded in
stories.

Sentences that the grammar reads in plain words are left to it; the rest is classified by four small models over a parse
(docs/rules.md). The score of a clause is the probability of its least certain decision; a sentence without a known
property or a subject is unread.

The grammar reads any sentence of the right form literally: to it, `rough around the edges` is not a case of `rough`.
That is right for controlled English (`controlled`), and wrong for a text with many words for the same property.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from goalmem.language import lexicon
from goalmem.language.analyzer import Analyzer
from goalmem.logic.terms import Variable
from goalmem.rules.english import PERSON
from goalmem.rules.grammar.reader import GrammarReader
from goalmem.rules.grammar.text import TextSentence, sentences
from goalmem.rules.learned.features import LearnedWeights, bundled_weights, of_kind, of_polarity, of_property, of_role
from goalmem.rules.learned.scene import Candidate, Scene, SceneName, scenes
from goalmem.rules.terms import SLOT, Clause, Literal, Reading, RuleReader, Unread

WHO = Variable("x", PERSON)


class LearnedReader:
    """`RuleReader` over the bundled weights, or others. Deterministic; one instance serves any number of threads."""

    name = "learned"

    def __init__(
        self,
        exact: RuleReader | None = None,
        weights: LearnedWeights | Callable[[str], LearnedWeights] | None = None,
        analyzer: Analyzer | None = None,
    ) -> None:
        """`exact`: the grammar, unless another is given; `weights`: by default the bundled ones, or those for a sentence."""
        self._exact = exact or GrammarReader()
        self._weights = weights
        self._analyzer = analyzer or Analyzer()

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

    def _scenes(self, whole: list[TextSentence], exact: Reading) -> list[Scene]:
        known = self._choose(whole[0].text).known if whole else frozenset[str]()
        return scenes(whole, self._analyzer, known, frozenset(constants(exact.clauses)))

    def _read(
        self, scene: Scene, own: Sequence[Clause], again: Collection[str], last: tuple[str, ...]
    ) -> Sequence[Clause]:
        """The clauses of a sentence; `own` are the grammar's, `last` is the subject of the previous sentences."""
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

    def _choose(self, sentence: str) -> LearnedWeights:
        if self._weights is None:
            return bundled_weights()
        return self._weights if isinstance(self._weights, LearnedWeights) else self._weights(sentence)


def _clauses(scene: Scene, statement: SentenceStatement, subjects: Sequence[str]) -> Iterator[Clause]:
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
    """The subjects of facts."""
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
    """True if the grammar's clauses of a sentence hold all that the learned reader finds in it.

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
    """The statements in clauses."""
    return (literal for clause in clauses for literal in (clause.head, *clause.body))


def constants(clauses: Sequence[Clause]) -> Iterator[str]:
    """The subjects of facts, as names or `the cat`."""
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


# -- from the predictions for the parts of a sentence to its meaning as a whole --------------------------------------
# The parts are decided together where they depend on each other: a rule has at least one property that follows and one
# that is asked for, and a second that follows has to be likelier than not by a margin.

MARGIN = 1.0
"""Log-odds that a second head of a rule needs: nearly every rule that people write has one."""
APART = ("and", ",", "&", "or")


class UndecidedError(Exception):
    """The sentence could not be interpreted; the message completes "because …"."""


@dataclass(frozen=True, slots=True)
class Property:
    """A property that a sentence mentions."""

    word: str
    denied: bool = False


@dataclass(frozen=True, slots=True)
class SentenceStatement:
    """The content of one sentence: facts about `subjects`, or a rule (`heads` if `body`)."""

    subjects: tuple[str, ...] = ()
    """Empty for a rule, and for a sentence about the subject of an earlier one."""
    facts: tuple[Property, ...] = ()
    heads: tuple[Property, ...] = ()
    body: tuple[Property, ...] = ()
    score: float = 1.0
    """The probability of the least certain of the decisions."""

    @property
    def words(self) -> frozenset[str]:
        """Every property it mentions."""
        return frozenset(p.word for p in (*self.facts, *self.heads, *self.body))


def decide(scene: Scene, weights: LearnedWeights) -> SentenceStatement:
    """Interpret the sentence. Raises UndecidedError if it has no property, no subject or no condition."""
    odds = [weights.property.log_odds(of_property(scene, c)) for c in scene.candidates]
    mentions = [c for c, odd in zip(scene.candidates, odds, strict=True) if odd > 0]
    if not mentions:
        raise UndecidedError("no word in it is known to be a property of someone")
    denied = {c.word: weights.polarity.log_odds(of_polarity(scene, c)) for c in mentions}
    rule = weights.kind.log_odds(of_kind(scene))
    sure = [*odds, *denied.values(), rule]
    if not scene.names and not scene.follows:
        rule = math.inf
    elif len(denied) == 1:  # a rule has two
        rule = -math.inf
    if rule <= 0:
        sure += _choice(scene, [m for m in mentions if denied[m.word] <= 0])
        facts = tuple(Property(word, odd > 0) for word, odd in denied.items())
        return SentenceStatement(subjects(scene, mentions), facts, score=_score(sure))
    roles = _roles(scene, mentions, weights)
    if len(roles) == 1:
        raise UndecidedError(f"it has one property, {mentions[0].word!r}, and no condition for it")
    heads = _heads(roles)
    sure += _choice(scene, [m for m in mentions if m.word in heads and denied[m.word] <= 0])
    read = {word: Property(word, odd > 0) for word, odd in denied.items()}
    return SentenceStatement(
        heads=tuple(p for word, p in read.items() if word in heads),
        body=tuple(p for word, p in read.items() if word not in heads),
        score=_score([*sure, *roles.values()]),
    )


def subjects(scene: Scene, mentions: Sequence[Candidate]) -> tuple[str, ...]:
    """The subjects of the properties: the nearest names before the first property, including coordinated ones."""
    if len(scene.names) < 2:
        return tuple(n.text for n in scene.names)
    before = [n for n in scene.names if n.last < mentions[0].token.i] or [scene.names[0]]
    found: list[SceneName] = [before[-1]]
    for name in reversed(before[:-1]):
        between = scene.doc[name.last + 1 : found[0].first]
        if not all(t.lower_ in APART for t in between):
            break
        found.insert(0, name)
    return tuple(dict.fromkeys(n.text for n in found))


def _roles(scene: Scene, mentions: Sequence[Candidate], weights: LearnedWeights) -> dict[str, float]:
    """Log-odds of being the head for each property; of several mentions of one, the most certain counts."""
    found: dict[str, float] = {}
    for n, mention in enumerate(mentions):
        odd = weights.role.log_odds(of_role(scene, mentions, n))
        if abs(odd) >= abs(found.get(mention.word, 0.0)):
            found[mention.word] = odd
    return found


def _choice(scene: Scene, said: Sequence[Candidate]) -> list[float]:
    """Even odds where it is left open which of the properties holds: then each may as well not."""
    chosen = (one.word != other.word and _joined_by_or(scene, one, other) for one, other in pairwise(said))
    return [0.0] if any(chosen) else []


def _joined_by_or(scene: Scene, one: Candidate, other: Candidate) -> bool:
    return any(t.lower_ == "or" for t in scene.doc[one.token.i : other.token.i])


def _heads(roles: Mapping[str, float]) -> frozenset[str]:
    """The likeliest heads, one at least, with one property at least left as a condition."""
    ranked = sorted(roles, key=lambda word: -roles[word])
    more = [word for word in ranked[1:-1] if roles[word] > MARGIN]
    return frozenset([ranked[0], *more])


def _score(odds: Sequence[float]) -> float:
    return min(1 / (1 + math.exp(-min(abs(odd), 700.0))) for odd in odds)
