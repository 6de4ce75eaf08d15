"""Common knowledge as rules in NL-Logic: how a goal follows from antecedents that memory may contain.

This is refinement without a model (Goal-Mem, refinement): a subgoal that no fact says is turned into one that a fact may say. Every use is
a rule step of the proof, with the rule's words.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources

from goalmem.engine.step import NearMiss, Request, Step
from goalmem.language import Extractor
from goalmem.language.lexicon import coarse_type, is_a
from goalmem.language.names import Names
from goalmem.language.verb_forms import is_past
from goalmem.language.words.function_words import CIRCUMSTANTIAL, POSITIONS
from goalmem.language.words.nouns import ANYBODY, ANYTHING, EXCLUSIVE, OCCUPATION_OR_ROLE
from goalmem.logic.syntax import canonical, parse_rule
from goalmem.logic.terms import Atom, Evidence, Rule, Variable
from goalmem.logic.unify import Frame, FramePart, same_statement
from goalmem.proof.document import Node
from goalmem.proof.node_check import Finding, ProofContext, check_rule, unknown_kind
from goalmem.questions.whole_question import quotes_question
from goalmem.rules.terms import SLOT, Vocabulary
from goalmem.sources.frame_reader import FrameReader, bound_atom, without_tail
from goalmem.sources.kinds import may_be

BROAD = EXCLUSIVE | ANYTHING | ANYBODY
"""General variable types: the question may mean a more specific one."""
RULE_SCORE = 0.85
"""Score of a step by common knowledge that words entail."""
USUAL_SCORE = 0.65
"""Score of a step by what is usually so, which proves nothing (`proof.status.PROVED_FIT`)."""
USUALLY = "usually: "
"""What a line begins with that is usually so."""
PARSERS = 8
"""Parsers whose readings of the rules are cached; a process usually has one."""


@cache
def background_rules() -> Mapping[Rule, float]:
    """The rules that ship with the package, each with the score of a step by it."""
    text = resources.files("goalmem.sources").joinpath("background.txt").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return {
        parse_rule(line.removeprefix(USUALLY)): USUAL_SCORE if line.startswith(USUALLY) else RULE_SCORE
        for line in lines
        if line and not line.startswith("#")
    }


class RuleBook:
    """Rules with parsed heads."""

    def __init__(self, extractor: Extractor, rules: Sequence[Rule] | None = None) -> None:
        # Heads contain only variables, so their parse does not depend on names or dates.
        reader = FrameReader(extractor, datetime(2000, 1, 1), Names({}), searches=False)
        self.worth = background_rules() if rules is None else dict.fromkeys(rules, RULE_SCORE)
        """The score of a step by each rule."""
        self.rules = tuple(self.worth)
        reader.parse_ahead(rule.head for rule in self.rules)
        self.heads = tuple(reader.read(rule.head).frames[0] for rule in self.rules)
        self.worded: dict[str, list[Rule]] = {}
        """Rules whose heads cannot be parsed, by their words."""
        for rule, head in zip(self.rules, self.heads, strict=True):
            # The parser takes a noun with its complement (`an ingredient of something`) for one part, and then again for an object.
            attribute = any(p.variable is None and p.role == "attribute" for p in head.parts)
            passive = len(head.parts) == 1 and head.parts[0].role == "object"  # `is married`, of a name an adjective
            if passive or (attribute and any(p.variable is not None and p.role == "object" for p in head.parts)):
                self.worded.setdefault(template(rule.head), []).append(rule)
        self.vocabulary = Vocabulary(tuple(self.worded))
        self.parsed = tuple((r, h) for r, h in self if template(r.head) not in self.worded)
        """The other rules, with the frames of their heads."""
        self.of_events = frozenset(r for r in self.rules if all(is_past(a.read_as()[0]) for a in (r.head, *r.body)))
        """Rules by which one event is told as another: its circumstances are the same."""

    def __iter__(self) -> Iterator[tuple[Rule, Frame]]:
        return iter(zip(self.rules, self.heads, strict=True))


_books: dict[Hashable, RuleBook] = {}


def background_book(extractor: Extractor, parser: Hashable) -> RuleBook:
    """The rules of the package, parsed once in a process for each `parser` (`Analyzer.parser`)."""
    book = _books.get(parser)
    if book is None:
        # No lock, because a fork could inherit it locked; at worst two threads parse the same rules.
        book = RuleBook(extractor)
        if len(_books) >= PARSERS:
            _books.clear()
        book = _books.setdefault(parser, book)
    return book


@dataclass
class BackgroundSource:
    """For an atom, offers the bodies of the rules whose heads match it."""

    reader: FrameReader
    book: RuleBook
    name: str = "background"
    closed: bool = False
    cost: int = 0
    exhaustive: bool = True
    """None of its rules may be cut off: looking up what they ask for is cheap."""

    def steps(self, request: Request) -> Sequence[Step]:
        """One step for each rule whose head matches the atom; none for a whole question."""
        if quotes_question(request.atom):
            return []
        atom = bound_atom(request.atom, request.substitution)
        body, _ = without_tail(atom)
        reading = self.reader.read(body)
        if reading.former or reading.ahead or reading.planned or reading.modal:
            return []  # Moving to a place implies living there now, not before, and nothing of what will or should be.
        whole, core = (body, reading.frames[0]), self.without_circumstances(body)
        steps = []
        for rule, head in self.book.parsed:
            said = (whole, core) if rule in self.book.of_events else (whole,)
            applied = (self.applied(rule, head, frame, part, atom) for part, frame in said)
            steps += [step for step in applied if step is not None][:1]
        return [*steps, *self.by_words(atom)]

    def applied(self, rule: Rule, head: Frame, frame: Frame, body: Atom, atom: Atom) -> Step | None:
        """The step of a rule for an atom that begins with `body`, whose frame is given; None if its head does not match."""
        terms = self.fit(head, frame)
        if terms is None:
            return None
        tail = atom_tail(atom, body)
        applied = Rule(applied_head(body, rule, terms, tail), with_tail_on_last(rule.body, tail))
        if self.stated(applied) is None:
            return None
        subgoals = with_tail_on_last(tuple(fill_rule_atom(a, terms) for a in rule.body), tail)
        return Step(self.name, "rule", self.book.worth[rule], subgoals=subgoals, rule=applied)

    def by_words(self, atom: Atom) -> list[Step]:
        """Steps of rules whose heads cannot be parsed: they must match the atom word for word."""
        steps = []
        for literal in self.book.vocabulary.readings(atom):
            for rule in self.book.worded[literal.predicate]:
                named = zip((p for p in rule.head.parts if isinstance(p, Variable)), literal.terms, strict=True)
                terms = {own.name: term for own, term in named}
                subgoals = tuple(put(a, terms) for a in rule.body)
                steps.append(Step(self.name, "rule", self.book.worth[rule], subgoals=subgoals, rule=rule))
        return steps

    def stated(self, rule: Rule) -> Rule | None:
        """The rule of the book that this one, read again, is with this tense."""
        if rule in self.book.worth:
            return rule
        head_said = without_tail(rule.head)[0]
        body_said = tuple(without_tail(a)[0] for a in rule.body)
        core, core_frame = self.without_circumstances(head_said)
        whole = ((), self.reader.read(head_said).frames[0])
        for known, head in self.book:
            for tail, frame in (whole, (atom_tail(head_said, core), core_frame))[: 1 + (known in self.book.of_events)]:
                terms = self.fit(head, frame)
                if terms is None or any(p.variable is None or p.variable.name != n for n, p in terms.items()):
                    continue
                told = with_tail_on_last(known.body, tail)
                if len(told) == len(body_said) and all(map(same_statement, told, body_said)):
                    return known
        return None

    def without_circumstances(self, atom: Atom) -> tuple[Atom, Frame]:
        """An atom without the circumstances at its end, and the frame of the rest: `Ann bought a bed` of `Ann bought a bed for Max`."""
        frame = self.reader.read(atom).frames[0]
        parts = list(atom.parts)
        while (kept := without_last(parts, frame)) is not None:
            parts = kept
        core = Atom(tuple(parts), atom.negated)
        return core, self.reader.read(core).frames[0]

    def near_misses(self, _request: Request, /) -> Sequence[NearMiss]:
        """Return nothing: a rule has no near misses, only its antecedents do."""
        return ()

    def fit(self, head: Frame, frame: Frame) -> dict[str, FramePart] | None:
        """The values of the head's variables if the head matches `frame`; None if it does not."""
        if head.predicate != frame.predicate or head.polarity != frame.polarity or len(head.parts) != len(frame.parts):
            return None
        terms: dict[str, FramePart] = {}
        for wanted in head.parts:
            part = next((p for p in frame.parts if same_role(p.role, wanted.role) and p not in terms.values()), None)
            if part is None:
                return None
            if wanted.variable is None:
                if part.variable is not None or part.head != wanted.head:
                    return None
                continue
            term = owner_of(part, wanted.owned) if wanted.owned else part
            if term is None or term.owned != wanted.owned or not self.suits(term, wanted.variable):
                return None
            terms[wanted.variable.name] = term
        return terms

    def suits(self, part: FramePart, variable: Variable) -> bool:
        """True if a part can be the value of a rule's variable, by type."""
        if part.variable is not None:
            # What somebody is need not be an occupation: for the type `thing`, rules about occupations do not apply.
            if variable.type in OCCUPATION_OR_ROLE:
                return part.variable.type in OCCUPATION_OR_ROLE
            if variable.type == "amount":
                return part.variable.type == "amount"  # What something is need not be a price.
            if variable.type == "event":  # Who was at a bank attended nothing.
                return coarse_type(part.variable.type) == "event"
            return variable.type in BROAD or is_a(part.variable.type, variable.type)
        return may_be(part, variable.type)


@dataclass(frozen=True)
class BackgroundChecker:
    """Checks steps by common knowledge: the rules are in the book, and no turn is cited."""

    source: BackgroundSource

    def check(self, node: Node, _about: ProofContext, /) -> Iterable[Finding]:
        """Yield the findings on a rule."""
        if node.kind != "rule":
            return unknown_kind(node)
        known = self.source.stated(node.rule) if node.rule is not None else None
        worth = RULE_SCORE if known is None else self.source.book.worth[known]
        return check_rule(node, known is not None, self, worth=worth)

    def stated_in(self, _rule: Rule, evidence: Sequence[Evidence], /) -> bool:
        """True if nothing is cited: no turn states common knowledge."""
        return not evidence


def owner_of(part: FramePart, noun: str) -> FramePart | None:
    """Whose `noun` a part is, as a part of its own: `Ann` of `Ann's employer`; None if it is no such thing."""
    if part.variable is not None:
        return part
    owner, _, owned = part.text.rpartition("'s ")
    if not owner or owned.casefold() != noun:
        return None
    return FramePart(
        part.role, owner, part.start, part.start + len(owner), owner.split()[-1].casefold(), owner, owned=noun
    )


def same_role(a: str, b: str) -> bool:
    """True if two roles correspond in a rule's head."""
    return a == b or {a, b} <= POSITIONS or {a, b} <= {"object", "attribute"}


def without_last(parts: Sequence[str | Variable], frame: Frame) -> list[str | Variable] | None:
    """The parts of an atom without the circumstance at its end; None if none stands there."""
    *before, last = parts
    for part in frame.parts:
        mark = f" {part.role} "
        if part.role not in CIRCUMSTANTIAL:
            continue
        if isinstance(last, Variable):
            *front, told = before or [last]
            if part.variable == last and isinstance(told, str) and (rest := told.removesuffix(mark)) not in ("", told):
                return [*front, rest]
        elif part.variable is None and part.text and last.casefold().endswith(f"{mark}{part.text}".casefold()):
            rest = last[: -len(mark) - len(part.text)]
            return [*before, *([rest] if rest else [])] or None
    return None


def atom_tail(atom: Atom, body: Atom) -> tuple[str | Variable, ...]:
    """What follows `body` in `atom`: circumstance variables with their prepositions, and circumstances."""
    at = len(body.parts)
    if atom.parts[:at] == body.parts:
        return atom.parts[at:]
    last, rest = body.parts[-1], atom.parts[at - 1]
    assert isinstance(last, str)
    assert isinstance(rest, str)
    return (rest[len(last) :], *atom.parts[at:])


def applied_head(body: Atom, rule: Rule, terms: Mapping[str, FramePart], tail: tuple[str | Variable, ...]) -> Atom:
    """The atom with the values of a rule's variables replaced by the variables: the head as applied."""
    parts: list[str | Variable] = list(body.parts)
    own = {v.name: v for v in rule.head.variables}
    for name, part in terms.items():
        new = own[name]
        if part.variable is not None:
            parts = [new if p == part.variable else p for p in parts]
            continue
        for n, piece in enumerate(parts):
            at = piece.casefold().find(part.text.casefold()) if isinstance(piece, str) and part.text else -1
            if isinstance(piece, str) and at >= 0:
                before, after = piece[:at], piece[at + len(part.text) :]
                parts[n : n + 1] = [p for p in (before, new, after) if p != ""]
                break
    return Atom((*parts, *tail), body.negated)


def template(head: Atom) -> str:
    """A head with its variables as slots."""
    return "".join(p if isinstance(p, str) else SLOT for p in head.parts)


def put(atom: Atom, terms: Mapping[str, str | Variable]) -> Atom:
    """An atom with terms for its variables and adjacent texts joined."""
    parts = (terms.get(p.name, p) if isinstance(p, Variable) else p for p in atom.parts)
    return canonical(Atom(tuple(parts), atom.negated))


def fill_rule_atom(atom: Atom, terms: Mapping[str, FramePart]) -> Atom:
    """A rule's atom with its variables replaced by their values in the goal."""
    parts: list[str | Variable] = []
    for piece in atom.parts:
        part = terms.get(piece.name) if isinstance(piece, Variable) else None
        parts.append(piece if part is None else part.variable or part.text)
    return canonical(Atom(tuple(parts), atom.negated))


def with_tail_on_last(atoms: tuple[Atom, ...], tail: tuple[str | Variable, ...]) -> tuple[Atom, ...]:
    """The time of the goal is the time of its last antecedent."""
    if not tail:
        return atoms
    last = atoms[-1]
    return (*atoms[:-1], canonical(Atom((*last.parts, *tail), last.negated)))
