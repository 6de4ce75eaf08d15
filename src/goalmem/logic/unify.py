"""Unification: make a subgoal and a fact agree under a substitution (design.md, NL-Logic; Goal-Mem, unification prompt).

The six conditions, and where each is enforced:

1. only explicit variables are bound, and constants match as the same entity: `match_constants`
2. a binding is an instance of its variable's type: `fill`; if that is only possible, the step says so (`KIND_OPEN`)
3. a bound variable keeps its entity: `Substitution.bind`
4. the fact entails the grounded subgoal: everything in the subgoal is found in the fact (`Unification.score`)
5. simultaneity and 6. conflict: the engine, which sees all open goals and all solutions

Pure: a `Lexicon` knows what words mean.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from goalmem.logic.interval import Interval
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Alignment, Atom, Rule, Value, Variable


@dataclass(frozen=True, slots=True)
class FramePart:
    """One participant of a frame: a constant, or a variable to bind."""

    role: str
    text: str
    start: int
    end: int
    head: str
    entity: str = ""
    type: str = ""
    resolved: str = ""
    modifiers: tuple[str, ...] = ()
    variable: Variable | None = None
    kind: str = ""
    """For a variable: a second type that its value must have."""
    owned: str = ""
    """For a variable: it stands for the owner of this noun (`(x:person)'s birthday`)."""
    named: str = ""
    """The words of a clause with the people in it by name; empty for any other part."""

    @property
    def words(self) -> frozenset[str]:
        """Lemmas of the part's content words."""
        return frozenset((self.head, *self.modifiers))


@dataclass(frozen=True, slots=True)
class Frame:
    """The predicate and the parts of one statement."""

    predicate: str
    parts: tuple[FramePart, ...]
    polarity: bool = True
    when: Interval | None = None
    when_text: str = ""
    time: Variable | None = None
    """Variable for the time of the event, if the goal has one."""

    @property
    def constants(self) -> tuple[FramePart, ...]:
        """Parts that are no variables."""
        return tuple(p for p in self.parts if p.variable is None)

    @property
    def unknowns(self) -> tuple[FramePart, ...]:
        """Parts that are variables."""
        return tuple(p for p in self.parts if p.variable is not None)


ENTAILED = 0.6
"""Least score of a unification: a fact below it has the same topic but does not say the goal (condition 4)."""
COVERED = 0.7
"""Least weighted mean of how surely the goal's constants are found in the fact."""
WEAKEST_PREDICATE = 0.5
"""Verbs with a lower similarity have different meanings."""
OPPOSITE, COMPLEMENT = "opposite", "complement"
"""How predicates exclude each other: in general (like, hate), or of one event, of which one always holds (pass, fail)."""
IN_ROLE, SWAPPED, NEAR_ROLE, OTHER_ROLE = 1.0, 0.99, 0.9, 0.75
"""Scores of a constant found in the same role, on the other side of `be`, in a role that often replaces it, or elsewhere."""
WEIGHT = {"subject": 2.0, "object": 2.0, "attribute": 2.0, "indirect": 1.5, "complement": 1.5, "owner": 1.5}
"""Weight of a missing part; circumstances weigh 1."""
SENSE_OPEN = "sense not known"
"""How words are the same that have another sense, too, and more often: what was said may mean what is asked."""
OPEN_SENSE = 0.62
"""Highest score of such a unification: less than a proof requires (`proof.status.PROVED_FIT`)."""
PARTICIPANTS = frozenset({"subject", "object", "attribute", "indirect", "complement"})
"""Roles whose constants a fact must mention."""


class Lexicon(Protocol):
    """The meaning of words."""

    def same(self, goal: FramePart, fact: FramePart) -> tuple[float, str]:
        """Return how surely the fact's part names the same as the goal's part, in [0, 1], and how (see `Alignment.how`); `opposite` if the one
        excludes the other, and one of the two always holds.
        """

    def predicate(self, goal: str, fact: str) -> tuple[float, str]:
        """Return how surely the fact's predicate entails the goal's (or, if how is `opposite` or `complement`, its
        negation), and how.
        """

    def role(self, goal: FramePart, fact: FramePart, predicate: str) -> float:
        """Score of the fact's part in its role for the goal's part in its role: one of `IN_ROLE` to `OTHER_ROLE`, 0 if it cannot match."""

    def instance(self, part: FramePart, type: str) -> float:
        """Score in [0, 1] of the part as an instance of the type: 1 an instance, 0 known to be something else."""

    def alternates(self, predicate: str, done_to: FramePart) -> bool:
        """True if the verb with this object says what becomes of the object, and without one what becomes of the subject."""

    def valued(self, attribute: FramePart, part: FramePart) -> bool | None:
        """True if a part tells the value of an attribute by an adjective or a sign (`O negative` of a blood type), False if it cannot be
        its value (`rare`), None for any other attribute.
        """

    def situates(self, predicate: str, place: FramePart, part: FramePart) -> bool:
        """True if a part names the thing that what the verb is about is in or near, as the open `place` asks: it is put under the mat."""

    def adds_nothing(self, part: FramePart) -> bool:
        """True if a circumstance need not be said: `finally`, `ever`."""

    def is_incomplete(self, adjective: FramePart, beside: Collection[str]) -> bool:
        """True if an adjective of a fact means something else without a part in one of these roles: `poor at spelling`."""

    def narrows(self, goal: FramePart | None, fact: FramePart) -> bool:
        """True if a part of a denial denies less than the goal's part: `a red car` less than `a car`; None for one the goal does not have."""

    def lasts(self, time: str) -> bool:
        """True if what is denied at a time has been so until now: `since May`, `any more`."""

    def determined(self, part: FramePart) -> bool:
        """True if a part is a noun phrase with a determiner: `the nurse`."""

    def describes(self, part: FramePart) -> bool:
        """True if a part says only of what sort something is, not which: `a nurse`."""

    def genuine(self, part: FramePart, kind: str) -> bool:
        """True if the part's words say that it is of the kind, and do not exclude it: a step brother is no brother."""


@dataclass(frozen=True, slots=True)
class Unification:
    """Values for a subgoal's variables with which a fact entails it."""

    filled: tuple[tuple[Variable, FramePart], ...]
    alignment: tuple[Alignment, ...]
    score: float
    opposed: bool
    """True if the fact contradicts the goal: it disproves it."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first condition that failed, and how near the fact came."""

    reason: str
    score: float


def unify(goal: Frame, fact: Frame, lexicon: Lexicon) -> list[Unification] | Mismatch:
    """All ways in which `fact` grounds `goal`, best first; or why there is none.

    Bound variables must already be replaced in `goal` by their values. Times are not compared here: the engine checks them on the bound
    intervals.
    """
    sure, how = lexicon.predicate(goal.predicate, fact.predicate)
    if sure < WEAKEST_PREDICATE:
        return Mismatch(f"“{fact.predicate}” is not “{goal.predicate}”", sure * 0.5)
    if (done_to := _done_to(goal, fact, lexicon)) is not None:
        return Mismatch(f"it is told of “{done_to.text}”", sure * 0.5)
    alignment = [Alignment(goal.predicate, fact.predicate, how, round(sure, 3))]
    matched = match_constants(goal, fact, lexicon)
    if isinstance(matched, Mismatch):
        return matched
    used, found, coverage = matched
    alignment += found
    score = sure * coverage
    if any(entry.how == SENSE_OPEN for entry in alignment):
        score = min(score, OPEN_SENSE)
    if score < ENTAILED:
        return Mismatch("too little of the goal is said", score)
    contrary = (how in (OPPOSITE, COMPLEMENT)) != any(a.how == OPPOSITE for a in found)
    opposed = (goal.polarity != fact.polarity) != contrary
    once = how == COMPLEMENT and fact.polarity
    results = [
        Unification(tuple(filled), tuple(alignment), round(score * fit, 4), opposed)
        for filled, fit in assignments(goal, goal.unknowns, fact, set(used.values()), lexicon)
        if score * fit >= ENTAILED
        and not ((contrary or not fact.polarity) and _denies_less(goal, fact, used, filled, lexicon, once=once))
        and not _is_of_more(goal, fact, _beside(fact, used, filled), lexicon)
    ]
    if not results:
        wanted = ", ".join(str(p.variable) for p in goal.unknowns)
        return Mismatch(f"nothing in the fact can stand for {wanted}", score * 0.9)
    return sorted(results, key=lambda u: (-u.score, [p.start for _, p in u.filled]))


def _done_to(goal: Frame, fact: Frame, lexicon: Lexicon) -> FramePart | None:
    """The object of the fact's verb, if the goal asks the verb of its subject: who moved a tent need not have moved."""
    acts = any(p.role == "subject" for p in fact.parts) and not any(p.role == "object" for p in goal.parts)
    objects = (p for p in fact.parts if p.role == "object") if acts else ()
    return next((p for p in objects if lexicon.alternates(fact.predicate, p)), None)


def _denies_less(
    goal: Frame,
    fact: Frame,
    used: Mapping[int, int],
    filled: Sequence[tuple[Variable, FramePart]],
    lexicon: Lexicon,
    *,
    once: bool = False,
) -> bool:
    """True if a denial, or what excludes the goal, is narrower: who does not eat meat on Fridays may eat meat, and who hates cold coffee may
    like coffee. `once`: it is an event, whose circumstances do not make it less; who failed a test on Friday did not pass it.
    """
    if any(lexicon.narrows(goal.parts[n], fact.parts[m]) for n, m in used.items()):
        return True
    if once:
        return False
    timed = bool(fact.when_text) and goal.time is None and goal.when is None and not lexicon.lasts(fact.when_text)
    return timed or any(lexicon.narrows(None, p) for p in _beside(fact, used, filled))


def _beside(
    fact: Frame, used: Mapping[int, int], filled: Sequence[tuple[Variable, FramePart]]
) -> tuple[FramePart, ...]:
    """The parts of the fact that nothing in the goal is found in; an owner is found in what it owns."""
    places = [(part.start, part.end) for _, part in filled]
    rest = (p for n, p in enumerate(fact.parts) if n not in used.values())
    return tuple(p for p in rest if not any(p.start <= start and end <= p.end for start, end in places))


def _is_of_more(goal: Frame, fact: Frame, beside: Sequence[FramePart], lexicon: Lexicon) -> bool:
    """True if what the goal says of the subject is said of the noun that it is, or only with what the goal does not say: who is a nurse in a
    prison is not in prison, and who is poor at spelling is not poor.
    """
    attributes = [p for p in fact.parts if p.role == "attribute"] if goal.predicate == "be" else []
    if len(goal.parts) == 1:
        return goal.time is None and bool(attributes)  # Of milk that is gone there is none.
    roles = {p.role for p in beside}
    return any(lexicon.determined(p) if p in beside else lexicon.is_incomplete(p, roles) for p in attributes)


def match_constants(
    goal: Frame, fact: Frame, lexicon: Lexicon
) -> tuple[dict[int, int], list[Alignment], float] | Mismatch:
    """Find every constant of the goal in the fact.

    Returns the fact's part for each of the goal's, by index, the alignment, and the weighted mean of their scores in [0, 1]. What the fact does not mention is
    a mismatch, circumstances, too: who saw Tom need not have seen him in the park (conditions 1 and 4).
    """
    used: dict[int, int] = {}
    alignment: list[Alignment] = []
    total = found = 0.0
    for part, index, score, how in _places(goal, fact, lexicon):
        weight = WEIGHT.get(part.role, 1.0)
        if index < 0:
            return Mismatch(f"“{part.text}” is not in it", found / (total + weight) * 0.5)
        total += weight
        found += weight * score
        used[goal.parts.index(part)] = index
        other = fact.parts[index]
        alignment.append(Alignment(part.text, other.text, how if other.start >= 0 else "implied", round(score, 3)))
    coverage = found / total if total else 1.0
    return (used, alignment, coverage) if coverage >= COVERED else Mismatch("too little of the goal is said", coverage)


def missing(goal: Frame, fact: Frame, lexicon: Lexicon) -> list[FramePart]:
    """The constants of the goal that the fact does not mention."""
    return [part for part, index, *_ in _places(goal, fact, lexicon) if index < 0]


def _places(goal: Frame, fact: Frame, lexicon: Lexicon) -> Iterator[tuple[FramePart, int, float, str]]:
    """Yield every constant of the goal that must be said, the weightiest first, with the index of the fact's part for it (-1 for none), the
    score and how they are the same.
    """
    used = set[int]()
    taken = PARTICIPANTS & {part.role for part in fact.parts}
    for part in sorted(goal.constants, key=lambda p: -WEIGHT.get(p.role, 1.0)):
        best, best_index, best_how = 0.0, -1, ""
        for index, other in enumerate(fact.parts):
            fit = lexicon.role(part, other, goal.predicate) if index not in used else 0.0
            if fit in (NEAR_ROLE, OTHER_ROLE) and part.role in taken:
                fit = 0.0  # Who lost the key to the shed lost no shed, and who has a son with asthma no asthma.
            sure, how = lexicon.same(part, other) if fit else (0.0, "")
            if sure * fit > best:
                best, best_index, best_how = sure * fit, index, how
        used.add(best_index)
        if best_index >= 0 or not lexicon.adds_nothing(part):
            yield part, best_index, best, best_how


def assignments(
    goal: Frame, unknowns: tuple[FramePart, ...], fact: Frame, used: set[int], lexicon: Lexicon
) -> Iterator[tuple[list[tuple[Variable, FramePart]], float]]:
    """Yield every assignment of unused parts of the fact to the open parts, with the product of the scores."""
    if not unknowns:
        yield [], 1.0
        return
    first, rest = unknowns[0], unknowns[1:]
    if first.variable is None:
        return
    # `The code is easy to remember` has an attribute, which `to remember` is not.
    of_copula = goal.predicate == "be" and first.role == "attribute" and any(p.role == "attribute" for p in fact.parts)
    for index, part in enumerate(fact.parts):
        if index in used or (of_copula and part.role not in ("attribute", "subject")):
            continue
        candidate = owner_in(first, part) if first.owned else part
        fit = _fit(goal, first, candidate, fact.predicate, lexicon) if candidate is not None else 0.0
        if candidate is not None and fit:
            for filled, others in assignments(goal, rest, fact, used | {index}, lexicon):
                yield [(first.variable, candidate), *filled], fit * others


def _fit(goal: Frame, open_part: FramePart, part: FramePart, predicate: str, lexicon: Lexicon) -> float:
    """Score of `part` as the value of the variable in this goal, which may itself say what kind of value it is."""
    valued = is_value(goal, open_part, part, lexicon)
    if valued is False or only_describes(goal, open_part, part, lexicon):
        return 0.0
    fit = fill(open_part, part, predicate, lexicon)
    told = valued or (fit < 1 and says_kind(goal, open_part, part))
    return lexicon.role(open_part, part, predicate) if told else fit


def fill(open_part: FramePart, part: FramePart, predicate: str, lexicon: Lexicon) -> float:
    """Score of `part` as the value of the variable: its type must allow it (condition 2), and its role must match."""
    if open_part.variable is None:
        return 0.0
    fit = lexicon.role(open_part, part, predicate)
    suits = lexicon.instance(part, open_part.variable.type) if fit else 0.0
    if open_part.variable.type == "place" and lexicon.situates(predicate, open_part, part):
        fit = suits = 1.0
    if open_part.kind and not is_of(part, open_part.kind, lexicon):
        suits = 0.0
    accompanies = {open_part.role, part.role} == {"object", "with"}
    return 0.0 if fit == OTHER_ROLE or accompanies else fit * suits


def says_kind(goal: Frame, open_part: FramePart, part: FramePart) -> bool:
    """True if the goal itself gives the kind of a name: that Ann's school is Elmhurst makes Elmhurst a school, and her landlord a person, or
    an organisation that is asked for with *who*.
    """
    type_ = open_part.variable.type.casefold() if open_part.variable is not None else ""
    named = part.entity[:1].isupper() and "'s " not in part.entity and part.role in ("subject", "attribute")
    kinds = {c.head for c in goal.constants}
    if not part.type:
        kinds |= {c.type for c in goal.constants if "'s " in c.entity}
    return goal.predicate == "be" and named and any(t.split()[-1] in kinds for t in type_.split(" or ") if t)


def only_describes(goal: Frame, open_part: FramePart, part: FramePart, lexicon: Lexicon) -> bool:
    """True if somebody's boss or sister is asked for, and told what sort of person she is: `a woman` is not who she is."""
    asked = open_part.variable is not None and open_part.variable.type == "person" and not open_part.kind
    role = goal.predicate == "be" and any(c.type == "person" and "'s " in c.entity for c in goal.constants)
    return asked and role and not part.entity and lexicon.describes(part)


def is_value(goal: Frame, open_part: FramePart, part: FramePart, lexicon: Lexicon) -> bool | None:
    """True if a part tells the value of the goal's attribute, False if it cannot; None if the goal asks for no such value."""
    if goal.predicate != "be" or open_part.variable is None or open_part.variable.type != "thing" or open_part.kind:
        return None
    return next((v for c in goal.constants if (v := lexicon.valued(c, part)) is not None), None)


def owner_in(open_part: FramePart, part: FramePart) -> FramePart | None:
    """The owner of what `part` names (`Maya's sister` in `Maya's sister's birthday`), if that is the noun asked for."""
    owner, mark, noun = part.entity.rpartition("'s ")
    if not mark or noun.split()[-1].casefold() != open_part.owned:
        return None
    return FramePart(part.role, owner, -1, -1, owner.split()[-1].casefold(), owner, "", "owner")


def is_of(part: FramePart, kind: str, lexicon: Lexicon) -> bool:
    """True if a part is known to be of a kind, including all modifiers of the kind (`favorite cake`)."""
    said = {*part.words, *part.text.casefold().split()}
    return lexicon.instance(part, kind) == 1 and {*kind.split()[:-1]} <= said and lexicon.genuine(part, kind)


MAX_TRIES = 10_000
"""Limit on the ways tried to read a statement as an instance of a rule, so that repetitive text takes no longer."""
_BETWEEN = "\x00"
"""Ends every statement. Does not occur in the texts of a memory."""


def apply_rule(rule: Rule, instance: Mapping[str, str]) -> tuple[Atom, tuple[Atom, ...]]:
    """Head and body with every variable in `instance` replaced by its words."""
    values = {name: Value(words, words) for name, words in instance.items()}
    return canonical(rule.head.substitute(values)), tuple(canonical(a.substitute(values)) for a in rule.body)


def same_statement(a: Atom, b: Atom) -> bool:
    """True if two atoms have the same text, except for case, spacing and a final full stop."""
    return a.negated == b.negated and _reading(a) == _reading(b)


def instance_of(rule: Rule, head: Atom, body: Sequence[Atom]) -> dict[str, str] | None:
    """The words that the rule's variables stand for if it reads as the ground `head` if `body`; None if it does not, or if that takes more
    than `MAX_TRIES`.
    """
    if len(body) != len(rule.body) or any(a.negated != b.negated for a, b in zip(body, rule.body, strict=True)):
        return None
    parts: list[str | Variable] = []
    for atom in (rule.head, *rule.body):
        parts += [*_words(atom), _BETWEEN]
    text = "".join(_text(a) + _BETWEEN for a in (head, *body))
    return next(_readings(parts, text, {}, [MAX_TRIES]), None)


def _readings(
    parts: Sequence[str | Variable], text: str, words: dict[str, str], tries: list[int]
) -> Iterator[dict[str, str]]:
    """Yield every choice of words for the variables with which `parts` reads as `text`, the shortest words first."""
    tries[0] -= 1
    if tries[0] < 0:
        return
    if not parts:
        if not text:
            yield words
        return
    first, rest = parts[0], parts[1:]
    known = first if isinstance(first, str) else words.get(first.name)
    if known is not None:
        if text[: len(known)].casefold() == known.casefold():
            yield from _readings(rest, text[len(known) :], words, tries)
    elif isinstance(first, Variable):
        for end in range(1, text.index(_BETWEEN) + 1):
            if not isinstance(rest[0], str) or text[end : end + len(rest[0])].casefold() == rest[0].casefold():
                yield from _readings(rest, text[end:], words | {first.name: text[:end]}, tries)


def _words(atom: Atom) -> list[str | Variable]:
    """The parts with single spaces, trimmed, and without a final full stop."""
    parts = [re.sub(r"\s+", " ", p) if isinstance(p, str) else p for p in canonical(atom).parts]
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip().removesuffix(".")
    return parts


def _text(atom: Atom) -> str:
    return "".join(p if isinstance(p, str) else str(p) for p in _words(atom))


def _reading(atom: Atom) -> str:
    return _text(atom).casefold()
