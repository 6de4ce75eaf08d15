"""Excluded participants: `everybody except me climbed it`, `I bought everything but a car`, `Ivo drove instead of
Ann`.

Each yields a further clause of opposite polarity with the excluded participant in the same role (Quirk et al. 1985,
sections 9.58, "exception", and 9.49, "substitution").
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.clauses import is_asked
from goalmem.language.phrases import part
from goalmem.language.words.modifiers import ADDITIVE, OTHER
from goalmem.language.words.pronouns import NO_ONE, UNIVERSAL
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


EXCEPTIONS = (("except", "for"), ("except",), ("excluding",))
BESIDES = (("apart", "from"), ("aside", "from"), ("other", "than"))
"""An exception to all or to none; beside anything else, something more or something less (Quirk et al. 1985, section 9.58)."""
REPLACING = (("instead", "of"), ("rather", "than"), ("in", "place", "of"), ("in", "lieu", "of"))
APART = "another "
"""Prefix of the entity of a namesake."""
SAME_NAME = re.compile(r"\b(?:the )?same (?:first |last )?name as$|\bnamesake of$", re.IGNORECASE)


def exclusions(reading: TurnReading) -> None:
    """Adds a clause for everyone and everything that is excluded from one, and denies what is said of whom it was not."""
    for cleft in reading.clauses:
        if cleft.link == "relcl" and _was_not(cleft):
            cleft.polarity = not cleft.polarity
    for before, excluded in _excluded(reading.doc):
        clause = _clause_around(reading, excluded)
        if clause is None:
            continue
        own = [c for c in reading.clauses_in(excluded.sent) if c.link == "relcl" and c.verb.head.i == excluded.i]
        if before.lower_ == "not" and own:
            own[0].polarity = not own[0].polarity  # "it was Ivo, not me, who drove"
            continue
        if before.lower_ in (first for first, _ in BESIDES) and clause.polarity and not _is_of_all(clause, excluded):
            clause.parts = [p for p in clause.parts if not before.idx <= p.start <= excluded.idx]
            continue
        found = part(reading, excluded, "object")
        apart = before.lower_ == "not" and excluded.dep_ == "pobj" and before.i < excluded.head.i
        role = excluded.head.lower_ if apart else _role(clause, found)
        modality, meant = clause.modality, clause.meant
        clause.parts = [_without(p, before, excluded) for p in clause.parts if not _is(p, excluded)]
        kept = [p for p in clause.parts if p.role != role]
        if not clause.polarity and before.lower_ not in ("not", *(first for first, *_ in REPLACING)):
            _limit(clause, role, excluded)
        parts = [found.as_(role), *kept] if role == "subject" else [*kept, found.as_(role)]
        spans = [p for p in parts if p.start >= 0]
        reading.clauses.append(
            Clause(
                None,
                clause.predicate,
                parts=parts,
                tense=clause.tense,
                polarity=not clause.polarity,
                modality=modality,
                meant=meant,
                start=min(p.start for p in spans),
                end=max(p.end for p in spans),
            )
        )


def _was_not(clause: Clause) -> bool:
    """True for the clause of `It wasn't Kim who called`."""
    one = clause.verb.head
    be = one.head
    it = any(t.lower_ == "it" and t.dep_ in ("nsubj", "expl") for t in be.lefts)
    denied = any(t.dep_ == "neg" and t.i < one.i for t in be.children)  # not "it was Kim who called, not me"
    if be.lemma_ != "be" or not denied:
        return False
    left_out = one.dep_ in ("nsubj", "attr") and not any(t.dep_ in ("nsubj", "expl") for t in be.lefts)
    return (it and one.dep_ in ("attr", "acomp")) or (left_out and not is_asked(be))  # "wasn't Kim who called"


def _excluded(doc: Doc) -> list[tuple[Token, Token]]:
    """The first words of exclusions, each with the head of the noun phrase behind it."""
    words = [t.lower_ for t in doc]
    found: list[tuple[Token, Token]] = []
    for i, word in enumerate(words):
        if word == "not" and i + 1 < len(words) and words[i + 1] in ADDITIVE:
            continue
        if word == "not" and (doc[i].is_sent_start or words[i - 1] in (",", "and", "but")):
            phrases = (t for t in doc[i].sent if t.left_edge.i in (i, i + 1) and t.i > i)
            nouns = [
                inner
                for t in phrases
                for inner in (t, *(p for p in t.children if t.pos_ == "ADP" and p.dep_ == "pobj"))
                if inner.pos_ in ("PROPN", "PRON", "NOUN") and inner.dep_ not in ("poss", "compound")
            ]
            found += [(doc[i], t) for t in nouns if not _is_predicate(t, doc[i])][:1]
            continue
        if word == "not" and i and doc[i - 1].pos_ in ("NOUN", "PROPN", "PRON") and i + 1 < len(doc):
            # "I have a cat not a dog"
            phrases = (t for t in doc[i].sent if t.left_edge.i in (i, i + 1) and t.i > i)
            found += [
                (doc[i], t)
                for t in phrases
                if t.pos_ in ("PROPN", "NOUN")
                and t.dep_ in ("conj", "appos", "dobj", "attr", "pobj", "nsubj", "npadvmod", "dep")
            ][:1]
            continue
        if (
            word in ("place", "stead", "behalf")
            and i > 1
            and words[i - 2] in ("in", "on")
            and doc[i - 1].dep_ == "poss"
        ):
            found.append((doc[i - 2], doc[i - 1]))
            continue
        lengths = [len(p) for p in (*EXCEPTIONS, *BESIDES, *REPLACING) if tuple(words[i : i + len(p)]) == p]
        if word == "but" and not UNIVERSAL.isdisjoint(_two_before(doc, i)):
            lengths.append(1)
        if word == "save" and i and words[i - 1] == ",":
            lengths.append(1)
        after = i + max(lengths, default=0)
        if lengths and after < len(doc):
            heads = [t for t in doc[after].sent if t.left_edge.i == after and t.pos_ in ("NOUN", "PROPN", "PRON")]
            found += [(doc[i], head) for head in sorted(heads, key=lambda t: t.i - t.right_edge.i)[:1]]
    return found


def _is_predicate(noun: Token, before: Token) -> bool:
    """True for the doctor of `he is, however, not a doctor`, which nothing before `not` is contrasted with."""
    alone = not any(t.dep_ in ("attr", "acomp", "dobj") and t.i < before.i for t in noun.head.children)
    return (
        noun.dep_ == "attr"
        and before.dep_ == "neg"
        and before.head.i == noun.head.i
        and alone
        and before.i > noun.head.i
    )


def _is_of_all(clause: Clause, excluded: Token) -> bool:
    """True if something is said of all of a kind: `everybody came apart from Tom`, `I like all fruit apart from bananas`."""
    words = (
        t for p in clause.parts if p.token is not None and p.token.i != excluded.i for t in (p.token, *p.token.lefts)
    )
    return any(t.lower_ in UNIVERSAL for t in words)


def _limit(clause: Clause, role: str, excluded: Token) -> None:
    """Leave a denial open for the kind: who has `no pets other than a fish` has a pet, and who has none but Tom has somebody; `no sisters but a
    brother` are no sisters.
    """
    denied = clause.part(role)
    if denied is not None and excluded.pos_ == "NOUN" and lexicon.is_known(denied.head):
        kin = lexicon.is_a(denied.head, "relative")
        if kin and not lexicon.is_a(excluded.lemma_.lower(), denied.head):
            return
    if denied is not None and denied.head not in NO_ONE and clause.modality is Modality.ASSERTED:
        clause.modality = clause.meant = Modality.HYPOTHETICAL


def _two_before(doc: Doc, i: int) -> list[str]:
    """The two words before one, as far as no mark sets them apart: not the `no` of `No, but I saw Mia`."""
    words = doc[max(0, i - 2) : i]
    return [t.lower_ for t in words if not any(u.is_punct for u in words if u.i >= t.i)]


def _clause_around(reading: TurnReading, token: Token) -> Clause | None:
    above = {t.i for t in token.ancestors}
    same = reading.clauses_in(token.sent)
    around = [c for c in same if c.verb.i in above]
    return max(around, key=lambda c: c.verb.i) if around else next(iter(same), None)


def _is(found: Part, excluded: Token) -> bool:
    """True if a participant is exactly the excluded one."""
    return found.token is not None and found.token.i == excluded.i and len(found.conjuncts) < 2


def _without(found: Part, before: Token, excluded: Token) -> Part:
    """The participant without the words of exclusion and what the parser took for a coordination."""
    kept = tuple(c for c in found.conjuncts if c.token is None or c.token.i != excluded.i)
    if len(kept) == 1 and len(found.conjuncts) > 1:
        found = replace(kept[0], role=found.role, conjuncts=())
    elif len(kept) < len(found.conjuncts):
        found = replace(found, conjuncts=kept)
    if found.start < before.idx < found.end:
        text = found.text[: before.idx - found.start].rstrip(" ,")
        found = replace(found, text=text, end=found.start + len(text))
    return found


def _role(clause: Clause, excluded: Part) -> str:
    subject, obj = clause.part("subject"), clause.part("object")
    if subject is not None and subject.start <= excluded.start and excluded.end <= subject.end:
        return "subject"
    if obj is not None and obj.start <= excluded.start and excluded.end <= obj.end:
        return "object"
    being = bool(excluded.entity) and excluded.type in ("", "person")
    return "subject" if being and (obj is None or not obj.entity) else "object"


def separate_namesakes(reading: TurnReading) -> None:
    """`another Mara`, `a different woman called Mara`: not the person known by the plain name."""
    pairs = [(i, i) for i, r in reading.referents.items() if reading.doc[i].pos_ == "PROPN" and r.entity]
    for described, name in (*pairs, *reading.named):
        nouns = {described, name}
        namesake = any(SAME_NAME.search(reading.doc[reading.doc[i].sent.start : i].text) for i in nouns)
        if namesake or any(
            t.lower_ in OTHER for i in nouns for t in (*reading.doc[i].lefts, reading.doc[max(0, i - 1)])
        ):
            for i in nouns & reading.referents.keys():
                entity = reading.referents[i].entity.removeprefix(APART)
                reading.referents[i] = replace(reading.referents[i], entity=f"{APART}{entity}")
