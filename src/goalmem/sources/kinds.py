"""Which parts are instances of a type, by their form, by their clause and by a dictionary (condition 2 of unification)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from goalmem.language.lexicon import (
    base_form,
    can_be,
    coarse_type,
    is_a,
    is_chiefly,
    is_known,
    is_mainly,
    may_share,
    names_author,
    related,
    share_commonest,
    supersenses,
    tagged_uses,
)
from goalmem.language.terms import WORD_PART
from goalmem.language.words.function_words import LOCATIVE_ROLES
from goalmem.language.words.nouns import (
    ANYBODY,
    ANYTHING,
    EXCLUSIVE,
    NO_OCCUPATION,
    NO_THINGS,
    OCCUPATION_OR_ROLE,
    OCCUPATIONS,
    OVERLAPPING,
    PROPER_KINDS,
)
from goalmem.language.words.pronouns import UNNAMED
from goalmem.logic.terms import KIND_OPEN, Alignment, Atom, Binding, Value
from goalmem.logic.unify import SENSE_OPEN, FramePart
from goalmem.questions.wh import CLOCK_TIME, EITHER
from goalmem.records import Fact
from goalmem.sources.numbers import MEASURING, OF_NUMBER, OFTEN, clock_fit, counts, is_measured
from goalmem.sources.phrase_cosine import no_cosine
from goalmem.sources.qualifiers import are_denied, are_told, is_nation

SYNONYM, KIND, DERIVED = 0.9, 0.95, 0.8
"""Scores of matches by synonym, by kind (the fact is more specific than the goal) and by derivation."""
UNKNOWN_KIND = 0.65
"""Score of a part for a type if neither is known; the cosine adds up to 0.15."""
UNPROVED = 0.74
"""Highest score of such a part: less than a proof requires (`proof.status.PROVED_FIT`)."""
MEASURED_TIME = re.compile(
    r"^\W*(?:(?:about|almost|over|nearly|a|an|the|last|past|few|\d[\d.,]*)\s+)*(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
"""A duration: with `for`, no reason."""
LIKELY = 0.95
ALTERNATIVES = " or "
"""Separates alternatives in a type."""
BY_FORM = frozenset(
    "name duration number age amount distance height size reason manner activity frequency time".split()
)
"""Types whose instances are recognised by their form."""
TOLD_BY_FORM = ANYTHING | BY_FORM | {*OCCUPATION_OR_ROLE, *EXCLUSIVE, *ANYBODY}
"""Types whose instances are recognised by their form or clause, or that include everything."""
FIRMS = frozenset({"company", "firm", "business", "employer"})
"""Nouns for any organisation that somebody works for or buys from."""
ALIKE = {"town": ("city",), "city": ("town",)}
"""Kinds that people do not tell apart."""
ROLES = {"pet": "animal"}
"""Nouns for what something is to its owner, and what it is in itself."""
RARELY = 10
"""A noun that is this many times more often an adjective is rarely meant as a noun."""
QUALIFIED = re.compile(r"\w (?:by|that|who|whom|whose|which|where|when|from|with|in|at|near) \w")
"""A type with a description beyond its noun."""


def instance(part: FramePart, type: str, cosine: Callable[[str, str], float]) -> float:
    """Score of the part as an instance of the type, in [0, 1]; 0 if it is known to be something else. `cosine` ranks what may be one."""
    kind = type.casefold().strip()
    if QUALIFIED.search(kind):
        return 0.0  # No dictionary knows if it is the `cafe visited by Ann`.
    head = _head_of(kind)
    if kind.startswith(EITHER) and not says_nothing(part):
        words = {part.head, part.entity.casefold(), part.text.casefold()}
        return 1.0 if words & {*kind.removeprefix(EITHER).split(ALTERNATIVES)} else 0.0
    if says_nothing(part) or are_denied(part, kind):
        return 0.0
    if kind.startswith(OF_NUMBER):
        return _counted(part, kind.removeprefix(OF_NUMBER))
    if part.head == head and not part.modifiers and not part.entity:
        return 0.0  # `instruments` does not answer which instruments.
    if head in ANYTHING:
        named = part.entity or part.head in ANYTHING or part.type == "quantity" or is_thing(part.head)
        return 1.0 if named and part.type != "time" and part.role not in ("time", "manner") else 0.0
    if head in ANYBODY:
        return _person(part)
    if head == "name":
        named = part.entity[:1].isupper() or part.resolved == "name"
        owned = "'s " in part.entity or part.entity.endswith("'s")
        return 1.0 if part.entity and named and not owned else 0.0
    if head in MEASURING:
        return float(is_measured(head, part.text))
    if head in ("reason", "manner", "activity", "frequency"):
        lasting = head == "reason" and (part.type == "time" or MEASURED_TIME.search(part.text) is not None)
        once = head == "frequency" and OFTEN.search(part.text) is None
        return 1.0 if part.role != "subject" and not lasting and not once else 0.0
    if head in OCCUPATION_OR_ROLE:
        return _occupation(part)
    return _of_kind(_measured(part), head, kind, cosine)


def _measured(part: FramePart) -> FramePart:
    """What there is an amount of: Polish, of `a bit of Polish`."""
    measure, _, what = part.text.rpartition(" of ")
    if not measure or part.entity or not is_a(part.head, "indefinite quantity"):
        return part
    entity = what if what[:1].isupper() else ""
    return replace(part, text=what, head=base_form(what.casefold()), entity=entity, modifiers=())


def known_instance(part: FramePart, type: str) -> bool:
    """True if its words or a dictionary make the part an instance; for a broad type the clause decides (`instance`)."""
    kind = type.casefold().strip().removeprefix(EITHER)
    if part.text.casefold() in kind.split(ALTERNATIVES):
        return True
    if ALTERNATIVES in kind:
        return any(known_instance(part, each) for each in kind.split(ALTERNATIVES))
    if not is_of_form(kind) and not are_told(part, kind):
        return False
    head = ROLES.get(_head_of(kind), _head_of(kind))
    if head in FIRMS and part.type == "organization":
        return True
    if is_of_form(kind) or head in TOLD_BY_FORM:
        return True
    name = part.entity.casefold()
    words = (*part.words, *WORD_PART.findall(name))
    if head in PROPER_KINDS and any(can_be(word, head) for word in (part.head, name)):
        return True
    kinds = (head, *ALIKE.get(head, ()))
    return head in words or any(is_known(w) and is_a(w, k) for w in (part.head, name) for k in kinds)


def is_of_form(kind: str) -> bool:
    """True for a type whose instances are recognised by their form, whatever words are before its noun."""
    return kind == CLOCK_TIME or kind.startswith(OF_NUMBER) or _head_of(kind) in BY_FORM


def kinds_open(bindings: Iterable[Binding], facts: Sequence[Fact], atoms: Iterable[Atom]) -> tuple[Alignment, ...]:
    """An alignment for each value from the turns of these facts that is not known to be of its variable's type.

    An atom of the goal with the type among its words asserts it: `(y:sister) is Ann's sister`.
    """
    said = {(v, word) for atom in atoms for v in atom.variables for word in _words_of(atom)}
    turns = {fact.turn for fact in facts}
    read = (b for b in bindings if b.turn in turns and b.value.number is None and b.value.interval is None)
    return tuple(
        Alignment(b.variable.type, b.value.text, KIND_OPEN, UNKNOWN_KIND)
        for b in read
        if (b.variable, _head_of(b.variable.type)) not in said
        and not known_instance(_part_of(b.value, facts), b.variable.type)
    )


def qualified(bindings: Iterable[Binding], facts: Sequence[Fact]) -> bool:
    """True if the facts say of each value all that its type asks for beyond its noun: of a red car not that it is a vintage one."""
    values = (
        b for b in bindings if b.value.number is None and b.value.interval is None and not is_of_form(b.variable.type)
    )
    return all(are_told(_part_of(b.value, facts), b.variable.type.casefold()) for b in values)


def may_be(part: FramePart, type: str) -> bool:
    """True if the part can match the type; needs no embedding, because cosines only affect the score."""
    return instance(part, type, no_cosine) > 0


def _occupation(part: FramePart) -> float:
    """Score of a part as an occupation: what somebody is hired as counts, even if the noun is no person."""
    if part.entity or part.head in NO_OCCUPATION:
        return 0.0
    if part.text.casefold() == part.head and tagged_uses(part.head, "a") > tagged_uses(part.head):
        return 0.0  # `is lovely`
    hired = part.role == "as" and (is_a(part.head, "person") or not is_known(part.head))
    return 1.0 if hired or any(is_mainly(part.head, kind) for kind in OCCUPATIONS if kind != "student") else 0.0


def _of_kind(part: FramePart, head: str, kind: str, cosine: Callable[[str, str], float]) -> float:
    if kind == CLOCK_TIME:
        return clock_fit(part.text)
    if ALTERNATIVES in kind:
        return max(instance(part, each, cosine) for each in kind.split(ALTERNATIVES))
    head = ROLES.get(head, head)
    if head in EXCLUSIVE and is_known(part.head) and (not part.entity or "'s " in part.entity):
        # For a broad kind only a word's most common sense counts: a kid is no goat in a question about pets.
        return 1.0 if coarse_type(part.head) == head and (head != "animal" or is_mainly(part.head, head)) else 0.0
    if part.head == head or _qualifies(head, part) or (is_known(part.head) and is_a(part.head, head)):
        return 1.0
    if head in PROPER_KINDS and can_be(part.entity or part.head, head):
        return 1.0
    wanted = head if head in EXCLUSIVE else coarse_type(head)
    if wanted == "place" and head not in EXCLUSIVE and coarse_type(part.entity.casefold()) == "place":
        # Of places that dictionaries know: Spain is no city.
        return float(any(is_a(part.entity, each) for each in (head, *ALIKE.get(head, ()))))
    if wanted == "place" and part.role in LOCATIVE_ROLES and part.entity and part.resolved == "name":
        # The preposition shows that it is a place; taggers guess the type of an unknown name.
        return 1.0 if part.type in ("place", "organization") else LIKELY
    common = is_known(part.head) and part.head not in (*UNNAMED, part.entity.casefold())
    if common and is_known(head) and head not in EXCLUSIVE:
        # Two common nouns, neither a kind of the other: a brother is no teacher. The breed of a beagle is open.
        same = part.type == wanted or coarse_type(part.head) == wanted
        being = wanted == "thing" and coarse_type(part.head) in NO_THINGS
        return 0.0 if same or being or wanted in EXCLUSIVE else _by_cosine(part, kind, cosine)
    if wanted == "thing" and part.entity and names_author(part.entity) and not is_work(head):
        return 0.0  # Brahms is no instrument.
    held = part.type or (coarse_type(part.head) if is_known(part.head) else "")
    if held == wanted and wanted in EXCLUSIVE:
        return 1.0 if part.entity or head in EXCLUSIVE else 0.9
    if wanted in EXCLUSIVE and held and frozenset({held, wanted}) not in OVERLAPPING:
        return 0.0
    return _by_cosine(part, kind, cosine)


def _by_cosine(part: FramePart, kind: str, cosine: Callable[[str, str], float]) -> float:
    """Score of a part that may be of a kind."""
    return min(UNPROVED, UNKNOWN_KIND + 0.15 * max(0.0, cosine(kind, part.text.casefold())))


def _person(part: FramePart) -> float:
    if part.role == "attribute" and is_nation(part.text.casefold()):
        return 0.0  # A boss who is German is not called so.
    if part.type == "person":
        return 1.0
    if part.type in EXCLUSIVE and part.type not in ("organization", "animal"):
        return 0.0
    if is_known(part.head) and not part.entity:
        return 1.0 if is_a(part.head, "person") else 0.0
    if part.role == "indirect" and part.entity and not part.type:
        return 1.0  # A receiver is a being or an organisation (VerbNet, give-13.1).
    return UNKNOWN_KIND if part.entity and part.type != "animal" else 0.0


def _counted(part: FramePart, noun: str) -> float:
    if not counts(part.text, part.head):
        return 0.0
    if ALTERNATIVES in noun:
        return max(_counted(part, each) for each in noun.split(ALTERNATIVES))
    if not are_told(part, noun):
        return 0.0
    sure, how = same_noun(noun.split()[-1], part.head)
    return sure if how not in ("is-a", SENSE_OPEN) else 0.0  # Two cats need not be all animals.


def same_noun(goal: str, fact: str) -> tuple[float, str]:
    """Return how surely one noun (or adjective) says what another does, and how."""
    if goal == fact:
        return 1.0, "same"
    if any(share_commonest(goal, fact, pos) for pos in "na"):
        return SYNONYM, "synonym"
    if any(may_share(goal, fact, pos) for pos in "na"):
        return SYNONYM, SENSE_OPEN
    if is_known(fact) and is_a(fact, goal):
        return KIND, "is-a" if is_chiefly(fact, goal) else SENSE_OPEN
    if (fact in related(goal) or goal in related(fact)) and not _are_other_things(goal, fact):
        return DERIVED, "derived"
    return 0.0, ""


def _are_other_things(one: str, other: str) -> bool:
    """True for two nouns of which one is formed from the other and names something else: a musician is not music, nor training a train."""
    nouns = all(is_known(w) and tagged_uses(w) >= tagged_uses(w, "a") for w in (one, other))
    return nouns and supersenses(one)[:1] != supersenses(other)[:1]


def is_thing(head: str) -> bool:
    """True if a word is used as a noun rather than an adjective: `glad` is a flower, but rarely meant as one."""
    if not is_known(head, "a"):
        return True
    return is_known(head, "n") and tagged_uses(head, "n") * RARELY >= tagged_uses(head, "a")


def is_work(noun: str) -> bool:
    """True if a noun may name a work, for which its author can stand."""
    return is_a(noun, "creation") or is_a(noun, "music")


def says_nothing(part: FramePart) -> bool:
    """True if a part answers nothing until it is resolved: `it`, `whose car`."""
    unnamed = {part.text.casefold(), part.head} & UNNAMED and not (part.entity and part.resolved)
    return bool(unnamed) or (not part.entity and part.text.casefold().startswith("whose "))


def _head_of(type: str) -> str:
    """The noun of a type: `bread` for `kind of bread`."""
    return (type.casefold().split(" of ")[0].split() or ["thing"])[-1]


def _words_of(atom: Atom) -> list[str]:
    return [
        base_form(word) for part in atom.parts if isinstance(part, str) for word in WORD_PART.findall(part.casefold())
    ]


def _part_of(value: Value, facts: Sequence[Fact]) -> FramePart:
    """A value as a part of one of the facts that name it, if there is one, with the noun that says what it is: `the movie "Up"`."""
    arguments = [a for f in facts for a in f.args if a.entity and a.entity.casefold() == value.key]
    words = value.text.casefold().split()
    described = (a for a in arguments if a.resolved == "alias" and is_known(a.head) and a.head not in words)
    noun = next(described, None)
    argument = noun or next(iter(arguments), None)
    head = noun.head if noun is not None else base_form(words[-1]) if words else ""
    named = argument is not None or value.text[:1].isupper()
    held = argument.type if argument is not None else value.type
    modifiers = tuple(word for a in arguments for word in a.modifiers)
    return FramePart("object", value.text, 0, len(value.text), head, value.text if named else "", held, "", modifiers)


def _qualifies(noun: str, part: FramePart) -> bool:
    """True if a noun modifies a following one: a cello lesson is a cello's, but `ruff for line length` is no length."""
    words = WORD_PART.findall(part.text.casefold())
    if noun not in part.modifiers:
        return False
    return noun not in words or part.head not in words or words.index(noun) < words.index(part.head)
