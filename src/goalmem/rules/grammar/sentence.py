"""Sentences: facts, general rules and conditionals, as clauses without their offsets in the text.

A sentence with a condition gives its conclusions, for every way in which the condition may hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from goalmem.language.lexicon import base_form
from goalmem.language.morphology import is_past, third_person
from goalmem.rules.english import FOCUS, HEDGES, JOINING, MODALS
from goalmem.rules.grammar.clauses import ClauseParser
from goalmem.rules.grammar.reference import Fold, Referents, states
from goalmem.rules.grammar.text import UnreadableError
from goalmem.rules.grammar.tree import All, Any, Formula, Noun, PhraseGroup, ReferenceKind, StatementTree, Term
from goalmem.rules.grammar.words import JOINTS, TextEvidence
from goalmem.rules.terms import SLOT, Literal

IF = frozenset({"if", "when", "whenever"})
OPENING = (("it", "is", "true", "that"), ("it", "is", "the", "case", "that"), ("it", "is", "known", "that"))


def read_sentence(words: list[str], evidence: TextEvidence) -> list[StatedClause]:
    """The clauses that a sentence states. Raises UnreadableError."""
    low = [w.lower() for w in words]
    denied = False
    for opening in OPENING if low[0] == OPENING[0][0] else ():
        if tuple(w for w in low[: len(opening) + 1] if w != "not")[: len(opening)] == opening:
            denied = low[2] == "not"
            words = words[len(opening) + denied :]
            low = low[len(opening) + denied :]
    if not words:
        raise UnreadableError("it has no verb")
    _check_words(low)
    parts = _taken_apart(words, low, evidence)
    if denied:
        if not isinstance(parts.head, StatementTree) or parts.body is not None:
            raise UnreadableError("it is open how far its 'not' reaches: write it inside")
        parts = replace(parts, head=replace(parts.head, negated=not parts.head.negated))
    if parts.body is None:
        return list(_plain(_resumed(parts.head)))
    try:
        return list(conditional(parts, parts.body))
    except UnreadableError:
        if not parts.head_first:
            raise
        # The condition may refer back to what the conclusion introduces.
        return list(conditional(parts, parts.body, open_head=True))


def _check_words(low: list[str]) -> None:
    """Raises UnreadableError for a word that no fact or rule has."""
    if low[-1] == "?":
        raise UnreadableError("it is a question")
    if low[0] in HEDGES:
        raise UnreadableError(f"it says {low[0]!r}: no rule without exceptions can hold it")
    for word in low:
        if word in JOINING:
            raise UnreadableError(f"it joins its clauses with {word!r}: write two sentences")
        if word in FOCUS - {"only"}:
            raise UnreadableError(f"its {word!r} says something of what it does not name")


def _taken_apart(words: list[str], low: list[str], evidence: TextEvidence) -> Parts:
    marks = [k for k, w in enumerate(low) if w in IF or w == "unless"]
    for k, word in enumerate(low):
        if (word == "only" and low[k + 1 : k + 2] == ["if"]) or word == "iff":
            raise UnreadableError("'only if' tells what follows where nothing is said: write a rule with 'if … not'")
    if "only" in low:
        raise UnreadableError("its 'only' says something of what it does not name")
    if len(marks) > 1 and marks[1:] == [marks[-1]] and low[marks[1]] == "unless":
        return _taken_apart_but(words, low, evidence, marks[1])
    if len(marks) > 1:
        raise UnreadableError("it holds a condition inside of another: write two sentences")
    if not marks:
        return Parts(_whole(words, evidence))
    mark = marks[0]
    unless = low[mark] == "unless"
    if mark:
        end = mark - 1 if low[mark - 1] == "," else mark
        return Parts(_whole(words[:end], evidence), _whole(words[mark + 1 :], evidence, inside=True), unless, True)
    if "then" in low:
        then = low.index("then")
        if "then" in low[then + 1 :]:
            raise UnreadableError("it holds 'then' twice: write two sentences")
        body = words[1 : then - 1 if low[then - 1] == "," else then]
        return Parts(_whole(words[then + 1 :], evidence, inside=True), _whole(body, evidence, inside=True), unless)
    return _split_at_comma(words, low, evidence, unless)


def _taken_apart_but(words: list[str], low: list[str], evidence: TextEvidence, mark: int) -> Parts:
    """`If A then B unless C`: B where A holds and C does not."""
    end = mark - 1 if low[mark - 1] == "," else mark
    parts = _taken_apart(words[:end], low[:end], evidence)
    exception = negation(_whole(words[mark + 1 :], evidence, inside=True))
    if parts.body is None or parts.unless:
        raise UnreadableError("it holds a condition inside of another: write two sentences")
    return replace(parts, body=All((parts.body, exception)))


def _split_at_comma(words: list[str], low: list[str], evidence: TextEvidence, unless: bool) -> Parts:
    found: list[Parts] = []
    reason = "it has no 'then'"
    for k, word in enumerate(low):
        if word == "," and low[k + 1] not in JOINTS:
            try:
                body = _whole(words[1:k], evidence, inside=True)
                found.append(Parts(_whole(words[k + 1 :], evidence, inside=True), body, unless))
            except UnreadableError as error:
                reason = str(error)
    if len(found) > 1:
        raise UnreadableError("it is open where its condition ends: write 'then'")
    if not found:
        raise UnreadableError(reason)
    return found[0]


def _whole(words: list[str], evidence: TextEvidence, *, inside: bool = False) -> Formula:
    """All of `words` as clauses; `inside`: the first of them does not begin the sentence."""
    if not words:
        raise UnreadableError("a part of it is empty")
    parser = ClauseParser(words, evidence, opening=not inside)
    formula, end = parser.clauses(0)
    if end < len(words):
        raise UnreadableError(f"{words[end]!r} cannot be read where it is")
    return formula


MAX_WAYS = 64
"""Ways in which conditions joined by `or` may hold, of one sentence; each makes a clause."""
UNCHOSEN = "it says that one of several things holds, but not which"


@dataclass(frozen=True, slots=True)
class Parts:
    """A sentence taken apart."""

    head: Formula
    body: Formula | None = None
    unless: bool = False
    head_first: bool = False


def conditional(parts: Parts, body: Formula, *, open_head: bool = False) -> Iterator[StatedClause]:
    """The clauses of a conditional sentence. With `open_head`, the condition may refer to what a preceding conclusion
    introduces. Raises UnreadableError.
    """
    if isinstance(parts.head, Any):
        raise UnreadableError(UNCHOSEN)
    heads = states(parts.head)
    for way in _ways(negation(body) if parts.unless else body):
        referents = Referents(conditional=True)
        there: dict[int, Noun] = {}
        first: list[Literal] = []
        if parts.head_first:
            heads = [_condition(state, there) for state in heads]
            for state in (
                heads
            ):  # In `Someone is kind if they are nice`, the conclusion introduces the referent of the condition
                for term in state.terms if open_head else state.terms[:1]:
                    if isinstance(term, Noun) and term.kind is not ReferenceKind.PRONOUN:
                        referents.term(term)
            first = [referents.literal(state, head=True) for state in heads]
        literals: list[Literal] = referents.taken()
        for state in way:
            literal = referents.literal(_condition(state, there))
            literals += [*referents.taken(), literal]
        for state in () if first else heads:
            head = referents.literal(state, head=True)
            yield stated_clause(head, [*literals, *referents.taken()], referents)
        for head in first:
            yield stated_clause(head, literals, referents)


def negation(body: Formula) -> Formula:
    """The denial of a formula."""
    if isinstance(body, StatementTree):
        return replace(body, negated=not body.negated)
    parts = tuple(negation(item) for item in body.items)
    return All(parts) if isinstance(body, Any) else Any(parts)


def _ways(body: Formula) -> list[list[StatementTree]]:
    """The ways in which a condition may hold: statements that hold together."""
    if isinstance(body, StatementTree):
        return [[body]]
    parts = [_ways(item) for item in body.items]
    if isinstance(body, Any):
        found = [way for part in parts for way in part]
    else:
        found = [[s for part in parts_ for s in part] for parts_ in islice(product(*parts), MAX_WAYS + 1)]
    if len(found) > MAX_WAYS:
        raise UnreadableError(f"its 'or's make more than {MAX_WAYS} rules: write several sentences")
    return found


def _condition(state: StatementTree, there: dict[int, Noun]) -> StatementTree:
    """A statement of a condition, where `anyone` is someone `there`."""
    if any(isinstance(t, Noun) and t.kind is ReferenceKind.EVERY for t in state.terms):
        raise UnreadableError("it asks whether something holds of everything, which cannot be decided")
    return replace(state, terms=tuple(_some(t, there) for t in state.terms))


def _some(term: Term, there: dict[int, Noun]) -> Term:
    if not isinstance(term, Noun) or term.kind is not ReferenceKind.ANY:
        return term
    if id(term) not in there:
        there[id(term)] = replace(term, kind=ReferenceKind.A if term.text else ReferenceKind.SOMEONE)
    return there[id(term)]


# -- sentences without a condition -----------------------------------------------------------------------------------


def _plain(formula: Formula) -> Iterator[StatedClause]:
    """The clauses that a sentence without a condition states. Raises UnreadableError."""
    if isinstance(formula, Any):
        yield from _any_subject(formula)
        return
    if isinstance(formula, StatementTree):
        yield from _stated(formula)
        return
    for item in formula.items:
        yield from _plain(item)


def _any_subject(formula: Any) -> Iterator[StatedClause]:
    """`Cats or dogs are animals` speaks of both; any other `or` leaves open which holds."""
    subjects = [s.terms[0] for s in formula.items if isinstance(s, StatementTree)]
    general = (ReferenceKind.EVERY, ReferenceKind.ANY)
    if (
        len(subjects) < len(formula.items)
        or len({id(s) for s in subjects}) < len(subjects)
        or any(not isinstance(s, Noun) or s.kind not in general for s in subjects)
    ):
        raise UnreadableError(UNCHOSEN)
    for item in formula.items:
        yield from _plain(item)


def _stated(state: StatementTree) -> Iterator[StatedClause]:
    subject = state.terms[0]
    if isinstance(subject, PhraseGroup):
        raise UnreadableError("it joins nouns at a place where that cannot be read: write two sentences")
    if subject.kind is ReferenceKind.SOMEONE and subject.where is None:
        raise UnreadableError("it says that there is someone or something, but not which")
    if (
        subject.kind in (ReferenceKind.A, ReferenceKind.ANY, ReferenceKind.SOMEONE)
        and len(state.words) > 1
        and _is_told(state.words[1])
    ):
        raise UnreadableError("it tells what happened to some, not what holds of all")
    state = _denying(state)
    if subject.kind in (ReferenceKind.A, ReferenceKind.SOMEONE):
        state = replace(state, terms=(replace(subject, kind=ReferenceKind.EVERY), *state.terms[1:]))
    for way in _adjective_ways(state):
        referents = Referents()
        head = referents.literal(way, head=True)
        yield stated_clause(head, referents.taken(), referents)


def _is_told(verb: str) -> bool:
    """True for a verb in the past tense."""
    base = base_form(verb)
    present = verb in MODALS or base == verb or third_person(base) == verb
    return verb == "was" or is_past(verb) or not present


def _denying(state: StatementTree) -> StatementTree:
    """`Nobody likes Bob` and `Bob likes nobody` negate the statement for everyone."""
    none = [t for t in state.terms if isinstance(t, Noun) and t.kind is ReferenceKind.NONE]
    if not none:
        return state
    if len(none) > 1 or state.negated:
        raise UnreadableError("it denies twice")
    every = replace(none[0], kind=ReferenceKind.EVERY)
    return replace(state, negated=True, terms=tuple(every if t is none[0] else t for t in state.terms))


def _adjective_ways(state: StatementTree) -> Iterator[StatementTree]:
    """`Red or big people are kind` is a rule for the red ones and one for the big ones."""
    subject = state.terms[0]
    if isinstance(subject, Noun) and subject.how == "or":
        for adjective in subject.adjectives:
            yield replace(state, terms=(replace(subject, adjectives=(adjective,), how="and"), *state.terms[1:]))
    elif isinstance(subject, Noun) and subject.where is not None and isinstance(subject.where, Any):
        for item in subject.where.items:
            yield replace(state, terms=(replace(subject, where=item), *state.terms[1:]))
    else:
        yield state


def _resumed(formula: Formula) -> Formula:
    """`Penguins are birds but they cannot fly`: a pronoun behind one subject alone is that subject."""
    if not isinstance(formula, All):
        return formula
    subject: Term | None = None
    items: list[Formula] = []
    for item in (part for each in formula.items for part in (each.items if isinstance(each, All) else (each,))):
        state = item
        if (
            isinstance(state, StatementTree)
            and isinstance(state.terms[0], Noun)
            and state.terms[0].kind is ReferenceKind.PRONOUN
        ):
            if not isinstance(subject, Noun) or subject.plural != (state.terms[0].text == "they"):
                return formula
            state = replace(state, terms=(subject, *state.terms[1:]))
        elif not isinstance(state, StatementTree) or len(state.terms) > 1 or subject not in (None, state.terms[0]):
            return formula
        else:
            subject = state.terms[0]
        items.append(state)
    return All(tuple(items))


IS_A = re.compile(rf"{SLOT} is (an? [^{SLOT}]+?)( of {SLOT})?")


@dataclass(frozen=True, slots=True)
class StatedClause:
    """A clause as a sentence states it."""

    head: Literal
    body: tuple[Literal, ...] = ()
    folds: tuple[Fold, ...] = ()


def stated_clause(head: Literal, body: Sequence[Literal], referents: Referents) -> StatedClause:
    """The clause; existentials of its condition (`owns a dog`) become part of the predicate."""
    folds = list(referents.folds)
    literals = list(dict.fromkeys(body))
    for kind in [b for b in literals if IS_A.fullmatch(b.predicate) and not b.negated]:
        variable, *owner = kind.terms
        uses = [b for b in literals if variable in b.terms and b is not kind]
        if isinstance(variable, str) or any(not isinstance(o, str) for o in owner):
            continue
        if len(uses) != 1 or uses[0].negated or variable in head.terms or uses[0].terms.count(variable) > 1:
            continue
        place = uses[0].terms.index(variable)
        if not place:
            continue
        fold = _folded(uses[0].predicate, place, kind.predicate)
        terms = (*uses[0].terms[:place], *owner, *uses[0].terms[place + 1 :])
        literals[literals.index(uses[0])] = Literal(fold.predicate, terms)
        literals.remove(kind)
        folds.append(fold)
    return StatedClause(head, tuple(literals), tuple(folds))


def _folded(predicate: str, place: int, kind: str) -> Fold:
    found = IS_A.fullmatch(kind)
    assert found is not None
    pieces = predicate.split(SLOT)
    words = SLOT.join(pieces[: place + 1]) + found[1] + (found[2] or "") + SLOT.join(pieces[place + 1 :])
    return Fold(words, predicate, place, found[1].split(" ", 1)[1], bool(found[2]))
