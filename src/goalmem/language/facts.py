"""The outcome of a reading: facts, mentions and edges."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.clauses import dependents
from goalmem.language.modality import has_no
from goalmem.language.phrases import part
from goalmem.language.statement_text import statement
from goalmem.language.words.attributes import PER, SCALING, TAKING_IN
from goalmem.language.words.function_words import LOCATIVE
from goalmem.language.words.nouns import OCCUPATIONS, PARTNERED
from goalmem.language.words.verbs import ATTITUDES, HABITS, HOMES, RESIDING
from goalmem.records import Argument, Edge, Fact, Mention, Modality

if TYPE_CHECKING:
    from spacy.tokens import Token

COMBINATIONS = 8
"""A coordination gives one fact a combination of its members, up to this many; beyond, one fact for the whole."""
MEASURES = frozenset({"time", "quantity"})
ADDITIVE = ("too", "also")
"""Adverbs that add a clause to the one before; without them its words say less."""
RESPECTIVELY = "respectively"
RESPECTIVE = 2
"""Lists that `respectively` pairs (Quirk et al. 1985, section 13.62)."""


def facts(reading: TurnReading) -> list[Fact]:
    """The turn's facts in text order."""
    found = [f for clause in reading.clauses if not clause.light for f in _clause_facts(reading, clause)]
    return sorted(_unique(found), key=lambda f: (f.start, f.end, f.id))


def _unique(found: list[Fact]) -> Iterator[Fact]:
    seen = set()
    for fact in found:
        if fact.id not in seen:
            seen.add(fact.id)
            yield fact


def _clause_facts(reading: TurnReading, clause: Clause) -> Iterator[Fact]:
    told = any(p.role == "subject" or (clause.passive and p.role in ("object", "indirect")) for p in clause.parts)
    unstated = clause.head is not None and (clause.modality is not Modality.ASSERTED or not clause.polarity)
    if not told and not (unstated and clause.parts):  # orders and plans are kept, with their modality
        return
    paired = [p for p in clause.parts if p.role == "manner" and p.head == RESPECTIVELY]
    parts = [p for p in clause.parts if p not in paired]
    for combined in _pairs(parts) if paired else _combinations(_together(reading, parts)):
        yield _fact(reading, clause, combined)


def _pairs(parts: list[Part]) -> Iterator[tuple[Part, ...]]:
    """`Tom and Ana went to Rome and Paris respectively`: the first to the first, the second to the second.

    None where they cannot be told, as of times, of which a clause has one.
    """
    counts = {len(p.conjuncts) for p in parts if len(p.conjuncts) > 1}
    several = [p for p in parts if len(p.conjuncts) > 1]
    if len(counts) != 1 or len(several) != RESPECTIVE or any(p.type == "time" for p in parts):
        return
    for place in range(min(counts)):
        yield tuple(p.conjuncts[place] if p.conjuncts else p for p in parts)


def _together(reading: TurnReading, parts: list[Part]) -> list[Part]:
    """`Ann and Tom are brother and sister`: both of both, not each of each."""
    joined = {p.role for p in parts if len(p.conjuncts) > 1}
    if not {"subject", "attribute"} <= joined:
        return parts
    return [
        replace(part(reading, p.token, p.role, whole=True), conjuncts=())
        if p.role == "attribute" and p.token is not None
        else p
        for p in parts
    ]


def _combinations(parts: list[Part]) -> Iterator[tuple[Part, ...]]:
    choices = [p.conjuncts or (p,) for p in parts]
    count = 1
    for c in choices:
        count *= len(c)
    if count > COMBINATIONS:
        yield tuple(parts)
        return
    joined = {c.token.i for p in parts for c in p.conjuncts if c.token is not None}
    for chosen in itertools.product(*choices):
        left_out = joined - {p.token.i for p in chosen if p.token is not None}
        yield tuple(p for p in chosen if not _describes(p, left_out))


def _describes(part: Part, nouns: Set[int]) -> bool:
    """True for a phrase that belongs to one of the nouns: the `Ida` of `a lamp from Ida and a clock from Max`."""
    if part.token is None or part.token.dep_ not in ("pobj", "dative"):
        return False
    carrier = part.token.head if part.token.dep_ == "dative" else part.token.head.head
    return carrier.i in nouns and carrier.pos_ in ("NOUN", "PROPN")


def _fact(reading: TurnReading, clause: Clause, parts: tuple[Part, ...]) -> Fact:
    start, end = _extent(clause, parts)
    args = tuple(_argument(p) for p in parts)
    turn = reading.turn
    place = repr(
        (turn.id, start, end, clause.kind, clause.predicate, [(a.role, a.start, a.end, a.entity) for a in args])
    )
    return Fact(
        id=hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:24],
        space=turn.space,
        turn=turn.id,
        text=turn.content[start:end],
        start=start,
        end=end,
        statement=clause.statement or statement(reading, clause, parts),
        kind=clause.kind,
        predicate=clause.predicate,
        args=args,
        polarity=_polarity(clause, parts),
        modality=clause.modality,
        speaker=turn.speaker,
        said=turn.at,
        when=clause.when if reading.dated else None,
        when_text=clause.when_text,
        slot=slot(clause, parts),
    )


def _polarity(clause: Clause, parts: tuple[Part, ...]) -> bool:
    """The polarity of a clause with one of several that it names: who has `a brother but no sisters` has no sister, and a brother."""
    for word in (p.token for p in parts if p.token is not None and p.token.dep_ == "conj"):
        if clause.polarity and has_no(word):
            return False
        own = any(t.dep_ in ("det", "poss", "nummod") for t in word.lefts) and not has_no(word)
        nor = any(t.lower_ in ("neither", "nor") for t in (*_first(word).lefts, *word.head.children))
        if not clause.polarity and own and has_no(_first(word)) and not nor:
            return True
    return clause.polarity


def _first(conjunct: Token) -> Token:
    """The first of the words that are coordinated with one."""
    while conjunct.dep_ == "conj":
        conjunct = conjunct.head
    return conjunct


def _extent(clause: Clause, parts: tuple[Part, ...]) -> tuple[int, int]:
    """From the first word of the verb and its arguments to the last."""
    if clause.end > clause.start:
        return clause.start, clause.end
    spans = [(p.start, p.end) for p in parts if p.start >= 0]
    if clause.head is not None:
        group = [
            t for t in dependents(clause.head) if t.dep_ in ("aux", "auxpass", "neg", "prt") or t.lower_ in ADDITIVE
        ]
        spans += [(t.idx, t.idx + len(t)) for t in (*group, clause.head)]
    return min(s for s, _ in spans), max(e for _, e in spans)


def _argument(part: Part) -> Argument:
    return Argument(
        part.role, part.text, part.start, part.end, part.head, part.entity, part.type, part.resolved, part.modifiers
    )


def mentions(reading: TurnReading) -> list[Mention]:
    """Spans that name or describe entities, except I and you."""
    found = []
    for i, r in sorted(reading.referents.items()):
        if not r.entity or r.resolved in ("speaker", "addressee"):
            continue
        first, last = reading.names.get(i, (i, i))
        start, end = reading.doc[first].idx, reading.doc[last].idx + len(reading.doc[last])
        text = reading.turn.content[start:end]
        found.append(Mention(reading.turn.space, reading.turn.id, start, end, text, r.entity, r.type))
    return found


def edges(found: list[Fact]) -> list[Edge]:
    """Subject, relation, object for every asserted, undenied fact between two things that have a name or a noun."""
    made: dict[tuple[str, str, str], Edge] = {}
    for fact in found:
        subject = fact.arg("subject")
        if fact.modality is not Modality.ASSERTED or not fact.polarity or subject is None or not subject.entity:
            continue
        for a in fact.args:
            target = node_name(a)
            if a.role in ("subject", "complement", "manner", "frequency") or a.type in MEASURES or not target:
                continue
            relation = fact.predicate if a.role in ("object", "attribute", "indirect") else f"{fact.predicate} {a.role}"
            key = (subject.entity, relation, target)
            made.setdefault(key, Edge(fact.space, *key, fact.id, fact.turn))
    return list(made.values())


def node_name(argument: Argument) -> str:
    """What an argument is called in the graph: its entity, or its common noun with modifiers: `pottery class`."""
    if argument.entity:
        return argument.entity
    return " ".join([*argument.modifiers, argument.head]) if lexicon.is_known(argument.head) else ""


def slot(clause: Clause, parts: Sequence[Part]) -> str:
    """The slot of the clause with these participants; none for former and planned states."""
    if clause.modality is not Modality.ASSERTED or clause.past_habit:
        return ""
    clause = replace(clause, parts=list(parts))
    return (
        _residence(clause)
        or _work(clause)
        or _favorite(clause)
        or _attribute(clause)
        or _attitude(clause)
        or _count(clause)
        or _team(clause)
        or _rate(clause)
        or _habit(clause)
    )


def _residence(clause: Clause) -> str:
    where = [part for r in LOCATIVE if (part := clause.part(r)) is not None and part.type not in MEASURES]
    moved = clause.part("object")
    if clause.predicate not in RESIDING or not where or (moved is not None and moved.head not in HOMES):
        return ""
    lives = clause.predicate in ("live", "reside")
    return "residence" if (clause.tense != "past" or not lives) else ""


def _work(clause: Clause) -> str:
    attribute, obj = clause.part("attribute"), clause.part("object")
    if clause.predicate == "work" and clause.tense != "past" and any(clause.part(r) for r in ("at", "as", "for")):
        return "employment"
    if (
        clause.predicate in ("start", "begin", "get", "take", "land", "accept")
        and obj
        and obj.head in ("job", "position")
    ):
        return "employment" if clause.polarity else ""
    if clause.predicate in ("be", "become") and attribute and attribute.token is not None and clause.kind == "clause":
        person = clause.tense != "past" or clause.predicate == "become"
        articles = [t.lower_ for t in attribute.token.lefts if t.dep_ in ("det", "poss")]
        placed = any(clause.part(r) for r in ("at", "for"))
        if (
            person
            and attribute.type == "person"
            and (placed or articles in (["a"], ["an"], []))
            and any(lexicon.is_a(attribute.head, o) for o in OCCUPATIONS)
        ):
            return "employment"
    return ""


def _favorite(clause: Clause) -> str:
    subject = clause.part("subject")
    for p in (subject, clause.part("attribute")):
        at = p.entity.find("favorite ") if p is not None else -1
        if clause.predicate == "be" and p is not None and at >= 0:
            return p.entity[at:]
    return ""


def _attribute(clause: Clause) -> str:
    subject, attribute = clause.part("subject"), clause.part("attribute")
    if clause.predicate == "turn" and any(p.type == "quantity" and p.head.isalnum() for p in clause.parts):
        return "age"
    if clause.predicate not in ("be", "get", "become") or subject is None or attribute is None:
        return ""
    if subject.head == "name":
        return "name"
    if subject.head == "age" or ("old" in (attribute.head, *attribute.modifiers) and "year" in attribute.modifiers):
        return "age"
    if attribute.head in PARTNERED and clause.tense != "past":
        return "relationship"
    return ""


def _attitude(clause: Clause) -> str:
    obj = clause.part("object")
    named = obj is not None and (obj.entity or obj.token is None or obj.token.pos_ != "PRON")
    if clause.predicate in ATTITUDES and named and clause.tense != "past":
        return f"like {_what(clause)}"
    return ""


def _what(clause: Clause) -> str:
    obj = clause.part("object") or clause.part("attribute")
    return (obj.entity or " ".join([*obj.modifiers, obj.head])).lower() if obj else ""


def _count(clause: Clause) -> str:
    obj = clause.part("object")
    if clause.predicate not in ("have", "own") or obj is None or obj.token is None or clause.tense != "present":
        return ""
    return f"count {obj.head}" if any(t.dep_ == "nummod" for t in obj.token.children) else ""


def _team(clause: Clause) -> str:
    """`plays for Ashby`, `has signed for Corby`: nobody plays for two clubs."""
    club = clause.part("for")
    played = clause.predicate == "play" and clause.tense != "past"
    if club is None or not club.entity or club.type in ("time", "person") or not (played or clause.predicate == "sign"):
        return ""
    return "team"


def _rate(clause: Clause) -> str:
    """`drinks two coffees a day`, `is down to one coffee a day`: how many in a time."""
    amount = clause.part("object") or clause.part("to") or clause.part("attribute")
    scaled = clause.predicate.split()[0] in SCALING | {"be", "get"} and clause.part("object") is None
    habit = clause.predicate in TAKING_IN and clause.tense == "present"
    if amount is None or amount.token is None or not (scaled or habit):
        return ""
    counted = any(t.dep_ == "nummod" for t in amount.token.children)
    return f"rate {amount.head}" if counted and PER.search(amount.text) else ""


def _habit(clause: Clause) -> str:
    """A state or habit, keyed by its topic, so that its denial replaces it."""
    head, obj = clause.head, clause.part("object")
    if (
        head is None
        or obj is None
        or obj.conjuncts
        or (obj.token is not None and obj.token.pos_ == "PRON")
        or clause.kind != "clause"
        or clause.predicate not in HABITS
    ):
        return ""
    simple = head.tag_ in ("VBP", "VBZ", "VB") and clause.tense == "present"
    ended = not clause.polarity and head.tag_ == "VBG"
    return f"{clause.predicate} {_what(clause)}" if simple or ended else ""
