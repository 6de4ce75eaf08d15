"""Clauses whose verb is that of the clause before: `Tom teaches maths and Ana physics`: Ana teaches physics.

`gapping` has marked their phrases in the tree; each takes the role that its parallel has in the clause before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.arguments import ROLES, prepositional
from goalmem.language.clauses import is_question
from goalmem.language.entities import noun_type
from goalmem.language.gapping import GAP
from goalmem.language.phrases import part
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token

ALIKE = frozenset({"so", "too"})
DENYING = frozenset({"neither", "nor", "either"})
FARTHEST = 40
"""Words between `one` and its noun."""
SHARED = frozenset({"manner", "frequency", "place"})
"""Roles of what stands before the verb and goes with both clauses."""


def verbless_clauses(reading: TurnReading) -> None:
    """Add the clauses without a verb of their own."""
    above = {c.head.i: c for c in reading.clauses if c.head is not None}
    for token in reading.doc:
        if token.dep_.startswith(GAP) and (clause := above.get(token.head.i)) is not None:
            found = _clause(reading, token, clause)
            if found is not None:
                reading.clauses.append(found)


def proforms(reading: TurnReading) -> None:
    """Give `so does Ana`, `Ana does too` and `neither does Ana` the verb and the phrases of the clause before (Quirk et al. 1985, section 12.22).

    `But Ana doesn't` says the opposite.
    """
    above = {c.head.i: c for c in reading.clauses if c.head is not None and c.kind == "clause"}
    for clause in reading.clauses:
        before = _clause_before(clause, above)
        subject = _told(clause)
        if clause.head is None or before is None or subject is None:
            continue
        if _stands_for(clause, before, subject):
            denied = not DENYING.isdisjoint(_marks(clause.head))
            if denied == before.polarity:
                continue
            polarity = before.polarity
        elif _contrasts(clause, before):
            polarity = not before.polarity
        else:
            continue
        _repeat(clause, before, subject, polarity=polarity)
    reading.clauses += _either(reading, above)


def _either(reading: TurnReading, above: Mapping[int, Clause]) -> Iterator[Clause]:
    """Yield the clause of `my wife doesn't either`, whose `either` the parser takes for its verb."""
    for token in reading.doc:
        before = above.get(token.head.i) if token.lower_ == "either" and token.dep_ == "conj" else None
        helper = next((t for t in token.children if t.dep_ == "aux"), None)
        subject = next((t for t in token.children if t.dep_ == "nsubj"), None)
        if before is None or helper is None or subject is None or before.polarity or not _fits(helper, before):
            continue
        clause = Clause(token, before.predicate, "conj", before, kind=before.kind, tense=before.tense)
        _repeat(clause, before, part(reading, subject, "subject"), polarity=False)
        yield replace(clause, head=None)


def _clause_before(clause: Clause, above: Mapping[int, Clause]) -> Clause | None:
    """The clause that a form of do or be may stand for: the one that it is joined to, or that of the sentence before."""
    head = clause.head
    if head is None:
        return None
    if head.dep_ == "conj":
        return above.get(head.head.i)
    if head.dep_ != "ROOT" or head.sent.start == 0:
        return None
    return above.get(head.doc[head.sent.start - 1].sent.root.i)


def _told(clause: Clause) -> Part | None:
    """The subject; of `Neither does Tom` it is parsed as an object."""
    subject, obj = clause.part("subject"), clause.part("object")
    if subject is not None and subject.head in ("neither", "nor", "so") and obj is not None:
        return obj.as_("subject")
    return subject


def _repeat(clause: Clause, before: Clause, subject: Part, *, polarity: bool) -> None:
    clause.predicate, clause.polarity, clause.passive = before.predicate, polarity, before.passive
    clause.parts = [subject, *(_anew(p) for p in before.parts if p.role != "subject" and p.type != "time")]
    spans = [(p.start, p.end) for p in clause.parts if p.start >= 0]
    spans += [
        (t.idx, t.idx + len(t)) for t in (clause.verb, *clause.verb.children) if not t.is_punct and t.dep_ != "cc"
    ]
    clause.start, clause.end = min(s for s, _ in spans), max(e for _, e in spans)


def _stands_for(clause: Clause, before: Clause, subject: Part) -> bool:
    """True for a form of do or be with nothing but its subject and `so`, `too`, `neither`, `nor` or `either`."""
    verb = clause.verb
    marked = not (ALIKE | DENYING).isdisjoint(_marks(verb))
    others = [p for p in clause.parts if p.start != subject.start and p.head not in ("neither", "nor", "so")]
    return marked and all(p.role in ("manner", "degree") for p in others) and _fits(verb, before)


def _marks(verb: Token) -> set[str]:
    """The words of a form of do, be or a modal verb, with the one before it: `so can Leo`, `nor does Leo`."""
    return {t.lower_ for t in verb.children} | {t.lower_ for t in verb.doc[max(0, verb.i - 1) : verb.i]}


def _contrasts(clause: Clause, before: Clause) -> bool:
    """True for a form of do or be with nothing but its subject, which is denied where the clause before is not, or the other way round."""
    verb = clause.verb
    alone = all(t.dep_ in ("nsubj", "neg", "punct", "cc") for t in verb.children)
    denied = any(t.dep_ == "neg" for t in verb.children)
    joined = verb.dep_ == "conj" and any(t.lower_ == "but" for t in verb.head.children if t.dep_ == "cc")
    return alone and joined and denied == before.polarity and _fits(verb, before)


def _fits(verb: Token, before: Clause) -> bool:
    like = verb.lemma_ == "be" if before.predicate == "be" else verb.lemma_ == "do"
    if verb.tag_ == "MD":
        like = before.head is not None and any(
            t.dep_ == "aux" and t.lemma_ == verb.lemma_ for t in before.head.children
        )
    return like and before.modality is Modality.ASSERTED


def _anew(part_: Part) -> Part:
    """A phrase of the clause before, said of somebody else: another cat than the first one's."""
    another = part_.resolved == "owner" and part_.text.casefold().startswith(("a ", "an "))
    return replace(part_, entity="", resolved="") if another else part_


def counted_alike(reading: TurnReading) -> None:
    """Say what is counted by a number alone: `I had three beers, Tom had two`."""
    for before, clause in pairwise(c for c in reading.clauses if c.head is not None):
        counted, number = before.part("object"), clause.part("object")
        if counted is None or number is None or before.predicate != clause.predicate:
            continue
        if _is_alone(number.token) and _is_counted(counted.token) and before.verb.sent == clause.verb.sent:
            said = replace(number, head=counted.head, type=counted.type, modifiers=(number.head,))
            clause.parts = [said if p is number else p for p in clause.parts]


def named_by_one(reading: TurnReading) -> None:
    """Say what `the downstairs one` is: a toilet, if toilets were spoken of just before (Huddleston and Pullum 2002, chapter 17, section 6.1)."""
    for clause in reading.clauses:
        clause.parts = [_as_noun(p) for p in clause.parts]


def _as_noun(one: Part) -> Part:
    token = one.token
    if token is None or token.lower_ not in ("one", "ones") or one.conjuncts:
        return one
    if not any(t.dep_ in ("amod", "compound") for t in token.lefts):
        return one
    before = token.doc[max(token.sent.start - 1, 0)].sent.start
    nouns = (t for t in reversed(token.doc[max(before, token.i - FARTHEST) : token.i]) if t.tag_ == "NNS")
    noun = next((t for t in nouns if noun_type(t) != "time"), None)
    return replace(one, head=noun.lemma_.lower(), type=noun_type(noun)) if noun is not None else one


def _is_alone(number: Token | None) -> bool:
    return number is not None and number.pos_ == "NUM" and not any(True for _ in number.children)


def _is_counted(noun: Token | None) -> bool:
    return noun is not None and noun.pos_ == "NOUN" and any(t.dep_ == "nummod" for t in noun.lefts)


def further_amounts(reading: TurnReading) -> None:
    """Add `another 12 on parking` as a clause with the verb of the one before, which had an amount, too: `spent 30 on petrol`."""
    told: Clause | None = None
    for sentence in reading.doc.sents:
        top = sentence.root
        if not is_question(sentence) and top.i not in reading.names and _is_further_amount(top):
            before = told or _last_amount(reading)
            if before is not None:
                own = [part(reading, top, "object")]
                own += [p for t in top.children if t.dep_ == "prep" for p in prepositional(reading, before, t)]
                whose = [p.implied() for p in before.parts if p.role == "subject"]
                start, end = min(p.start for p in own), max(p.end for p in own)
                plain = Clause(None, before.predicate, parts=[*whose, *own], tense=before.tense, start=start, end=end)
                reading.clauses.append(plain)
            continue
        told = next((c for c in reversed(reading.clauses_in(sentence)) if _has_amount(c)), None)


def _is_further_amount(top: Token) -> bool:
    """True for `another 12 on parking`, `plus 5 for the bus`: an amount alone, which is said to be one more."""
    more = any(t.lower_ in ("another", "plus") for t in (top.left_edge, *top.lefts))
    amount = top.pos_ == "NUM" or any(t.dep_ == "nummod" for t in top.lefts)
    return more and amount and not any(t.pos_ in ("VERB", "AUX") for t in top.subtree)


def _has_amount(clause: Clause) -> bool:
    """True for an event of the past with a number as its object."""
    told = (
        clause.head is not None and clause.modality is Modality.ASSERTED and clause.polarity and clause.tense == "past"
    )
    amount = clause.part("object")
    return (
        told
        and amount is not None
        and amount.token is not None
        and (amount.token.pos_ == "NUM" or any(t.dep_ == "nummod" for t in amount.token.lefts))
    )


def _last_amount(reading: TurnReading) -> Clause | None:
    """The last clause of the message before, if the same person wrote it and its amount is the last thing that it says."""
    before = reading.previous[-1] if reading.previous else None
    if before is None or before.turn.speaker != reading.turn.speaker or not len(before.doc):
        return None
    *_, last = before.doc.sents
    return next((c for c in reversed(before.clauses_in(last)) if _has_amount(c)), None)


def _clause(reading: TurnReading, top: Token, clause: Clause) -> Clause | None:
    """The clause of the phrases; none of a denial, which may be of both or of the first."""
    subject = next((p for p in clause.parts if p.token is not None and p.token.dep_ in ("nsubj", "nsubjpass")), None)
    subject = subject or next((p for p in clause.parts if p.role == "subject" and p.resolved == "speaker"), None)
    if not clause.polarity or clause.light or subject is None or clause.modality is Modality.QUOTED:
        return None
    own = [p for t in (top, *top.children) if t.dep_.startswith(GAP) for p in _parts(reading, t, clause, subject.role)]
    if not own:
        return None
    if clause.predicate == "be" and top.dep_ != f"{GAP}nsubj":
        subject = _told_apart(clause, subject, own)
    before = clause.verb.idx
    shared = [p for p in clause.parts if p.role in SHARED and p.type != "time" and 0 <= p.start < before]
    whose = [] if top.dep_ == f"{GAP}nsubj" else [subject]
    parts = [*whose, *own, *shared]
    return Clause(
        None,
        clause.predicate,
        parts=parts,
        remnant=top,
        tense=clause.tense,
        passive=clause.passive,
        participle=clause.verb.lower_ if clause.passive else "",
        past_habit=clause.past_habit,
        modality=clause.modality,
        meant=clause.meant,
        start=min([clause.verb.idx, *(p.start for p in parts if p.start >= 0)]),
        end=max(p.end for p in own),
    )


def _told_apart(clause: Clause, subject: Part, own: list[Part]) -> Part:
    """The subject of `My PIN is 1234 for the bank and 5678 for the phone`: `my PIN for the phone`, and before it the one for the bank."""
    apart = {p.role for p in own if p.role != "attribute" and p.type != "time"}
    if not any(p.role == "attribute" for p in own) or not apart:
        return subject
    clause.parts = [_limited(p, clause.parts, apart) if p is subject else p for p in clause.parts]
    return _limited(subject, own, apart)


def _limited(subject: Part, parts: list[Part], roles: Set[str]) -> Part:
    words = [w for p in parts if p.role in roles for w in (p.head, *p.modifiers)]
    return replace(subject, modifiers=(*subject.modifiers, *(w for w in words if w not in subject.modifiers)))


def _parts(reading: TurnReading, token: Token, clause: Clause, subject: str) -> Iterator[Part]:
    relation = token.dep_.removeprefix(GAP)
    if relation == "prep":
        yield from prepositional(reading, clause, token)
        return
    role = subject if relation == "nsubj" else "manner" if relation == "advmod" else ROLES.get(relation, relation)
    found = part(reading, token, role)
    like = clause.part(role)
    counted = token.pos_ == "NUM" and like is not None and like.token is not None and like.token.pos_ == "NOUN"
    if counted and like is not None:  # `three kids with Ana and one with Eve`
        found = replace(found, head=like.head, type=like.type, modifiers=(token.lemma_.lower(),))
    yield found
