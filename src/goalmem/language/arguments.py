"""The arguments of a clause with their spans, and the subject that a clause without one has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, Part, TurnReading, depth
from goalmem.language.clauses import dependents, gets_married, is_asked, subject_of
from goalmem.language.entities import is_unknown_actor, noun_type
from goalmem.language.phrases import continues, implied_part, part
from goalmem.language.words.changes import GIVING
from goalmem.language.words.function_words import ABSENCE, COMPOUND_PREPOSITIONS
from goalmem.language.words.modifiers import (
    BECAUSE,
    DISCOURSE,
    DOUBTFUL,
    FREQUENT,
    INTENSIFIERS,
    PLACES_NEAR,
    SHORTENED,
)
from goalmem.language.words.verbs import JUDGING, OFFERED, STATIVE, SUBJECT_CONTROL

if TYPE_CHECKING:
    from spacy.tokens import Token


ROLES = {"dobj": "object", "attr": "attribute", "acomp": "attribute", "oprd": "attribute"}
CARRIERS = frozenset({"acomp", "dobj", "attr", "oprd", "pobj", "npadvmod", "advmod", "xcomp", "prt"})
"""Dependents whose own prepositional phrases are offered to the clause too; attachment is where parsers err most, and
"I bought a dress at the mall" and "good at chess" say something of the clause."""
MEASURE_WORDS = 6


def fill_arguments(reading: TurnReading) -> None:
    """Gives every clause its arguments, matrix clauses first, so that shared ones are there to inherit."""
    for clause in sorted(reading.clauses, key=depth):
        own = (p for p in _own(reading, clause) if p.role != "attribute" or not gets_married(clause.verb))
        clause.parts = [*own, *_prepositions(reading, clause)]
        clause.parts += [
            part(reading, t, "manner")
            for p in clause.parts
            if p.token is not None
            for t in _rate(p.token)
            if p.role != "attribute"
        ]
        subjects = [p for p in clause.parts if p.role == "subject"]
        clause.parts = [p for p in clause.parts if p.role != "subject" or p is subjects[-1]]
        _antecedent(reading, clause)
        if not clause.part("subject"):
            share_subject(reading, clause)
    for clause in reading.clauses:
        _complement(reading, clause)


def _own(reading: TurnReading, clause: Clause) -> Iterator[Part]:
    head = clause.verb
    receiver, beside = _double_object(head)
    existential = any(t.dep_ == "expl" and t.lower_ == "there" for t in head.children)
    for token in dependents(head):
        match token.dep_:
            case _ if receiver is not None and token.i == receiver.i:
                yield part(reading, receiver, "indirect")
                yield from (part(reading, t, "object") for t in beside)
            case "xcomp" | "ccomp" | "oprd" if reading.in_title(token) and not reading.in_title(head):
                yield part(reading, token, "object")
            case "nsubj" | "nsubjpass":
                yield from _surface_subject(reading, clause, token)
            case "dobj" | "attr" if token.i + 1 < len(token.doc) and continues(token, token.nbor()):
                continue
            case "dobj" | "attr" | "acomp" | "oprd":
                role = "subject" if existential and token.dep_ == "attr" else ROLES[token.dep_]
                yield part(reading, token, role)
            case "csubj" if not clause.passive:
                yield part(reading, token, "subject", whole=True)
            case "dative":
                yield part(reading, next((t for t in token.children if t.dep_ == "pobj"), token), "indirect")
            case "agent":
                yield from (part(reading, t, "subject") for t in token.children if t.dep_ == "pobj")
            case "npadvmod" if token.pos_ != "PROPN" and token.lemma_ != "thank" and _is_short(token):
                yield part(reading, token, "frequency" if _is_repeated(token) else "manner")
            case "advmod":
                yield from _adverb(reading, token)


def _double_object(head: Token) -> tuple[Token | None, list[Token]]:
    """The receiver of `passed Ann the key`, where the parser takes both for objects, or the key for an apposition: then it, too."""
    objects = [t for t in head.children if t.dep_ in ("dobj", "dative", "npadvmod") and t.i > head.i]
    if head.lemma_ not in GIVING or not objects or objects[0].pos_ not in ("PROPN", "PRON"):
        return None, []
    beside = [t for t in objects[0].children if t.dep_ == "appos"]
    for given in (*objects[1:], *beside):
        if given.left_edge.i == objects[0].i + 1 and given.left_edge.dep_ in ("det", "poss"):
            return objects[0], [given] if given in beside else []
    return None, []


def _surface_subject(reading: TurnReading, clause: Clause, token: Token) -> Iterator[Part]:
    """The subject, or the patient of a passive; an interjection or a bare adjective is no subject."""
    if not is_unknown_actor(token) and (token.pos_ in ("INTJ", "ADV") or (token.pos_ == "ADJ" and token.n_lefts == 0)):
        return
    if not clause.passive or (token.dep_ == "nsubj" and token.tag_ in ("WDT", "WP")):
        yield part(reading, token, "subject")
    else:
        given = any(t.dep_ == "dobj" for t in clause.verb.children)
        yield part(reading, token, "indirect" if given else "object")


def _rate(counted: Token) -> Iterator[Token]:
    """The `day` of `two coffees a day`, which the parser attaches to the noun."""
    for token in counted.children:
        if token.dep_ == "npadvmod" and token.i > counted.i and any(t.lower_ in ("a", "an") for t in token.lefts):
            yield token


def _is_short(token: Token) -> bool:
    """A measure or a manner is a few words; more are a clause that the parser did not see."""
    return token.right_edge.i - token.left_edge.i < MEASURE_WORDS


def _is_repeated(token: Token) -> bool:
    return token.lower_ in FREQUENT or any(t.lower_ in ("every", "each") for t in token.lefts)


def _adverb(reading: TurnReading, token: Token) -> Iterator[Part]:
    if token.tag_ == "WRB" or token.lower_ in INTENSIFIERS or token.lower_ == "course":
        return
    role = "frequency" if token.lower_ in FREQUENT else "place" if token.lower_ in PLACES_NEAR else "manner"
    yield part(reading, token, role)


def _prepositions(reading: TurnReading, clause: Clause) -> Iterator[Part]:
    """The clause's prepositional phrases, then those inside its arguments."""
    head = clause.verb
    direct = [t for t in head.children if t.dep_ in ("prep", "dative", "agent")]
    for prep in direct:
        if prep.dep_ == "prep":
            yield from (_agent(clause, prep, p) for p in _phrase(reading, prep))
    inner = [t for t in head.children if t.dep_ in CARRIERS]
    inner += [t for prep in direct for t in prep.children if t.dep_ == "pobj"]
    inner += [t for thing in inner if thing.dep_ == "dobj" for t in thing.conjuncts if t.i > thing.i]
    for carrier in inner:
        if carrier.pos_ not in ("VERB", "AUX"):
            for prep in carrier.children:
                if prep.dep_ == "prep" and (prep.lower_ != "of" or carrier.dep_ == "acomp"):  # `afraid of heights`
                    yield from (_agent(clause, prep, p) for p in _phrase(reading, prep))
                elif prep.dep_ == "dative":  # `gave Ida a lamp and Max a clock`
                    yield part(reading, next((t for t in prep.children if t.dep_ == "pobj"), prep), "indirect")


def prepositional(reading: TurnReading, clause: Clause, prep: Token) -> Iterator[Part]:
    """The parts of a clause that a preposition introduces."""
    yield from (_agent(clause, prep, p) for p in _phrase(reading, prep))


def _agent(clause: Clause, prep: Token, found: Part) -> Part:
    """`by Anna` of a passive is its subject; the `like` that is a verb has an object (clauses.hidden_like)."""
    if clause.passive and prep.lower_ == "by" and (found.type not in ("time", "") or found.entity):
        return found.as_("subject")
    return found.as_("object") if clause.predicate == "like" and prep.lower_ == "like" else found


def _phrase(reading: TurnReading, prep: Token) -> Iterator[Part]:
    role = SHORTENED.get(prep.lower_, prep.lower_)
    if prep.head.lower_ in COMPOUND_PREPOSITIONS and prep.head.i + 1 == prep.i:
        role = f"{prep.head.lower_} {role}"
    denied = any(t.dep_ == "neg" for t in prep.children)  # `on Mondays, never on Fridays`
    if denied or prep.doc[prep.left_edge.i : prep.right_edge.i + 1].text.lower() in DISCOURSE:
        return
    inner = next((t for t in prep.children if t.dep_ in ("prep", "pcomp") and t.pos_ == "ADP"), None)
    target = next((t for t in prep.children if t.dep_ == "pobj"), None)
    if target is None and inner is not None:
        role, target = f"{role} {inner.lower_}", next((t for t in inner.children if t.dep_ == "pobj"), None)
    if target is not None:
        if role in ("between", "among"):  # `between` needs two things; a single one is something else
            yield replace(part(reading, target, role, whole=True), conjuncts=())
            return
        found = part(reading, target, role)
        # `either in the office or the hall`: the parser coordinates the noun with the preposition.
        others = [t for t in prep.children if t.dep_ == "conj" and t.pos_ in ("NOUN", "PROPN") and t.i > target.i]
        again = [
            t
            for t in (*prep.conjuncts, *prep.head.children)
            if t.dep_ == "conj" and t.pos_ == "ADP" and t.i > prep.i and t.lower_ == prep.lower_
        ]
        others += [t for twin in again for t in twin.children if t.dep_ == "pobj"]  # `to Oslo and to Bergen`
        more = tuple(part(reading, t, role) for t in others)
        yield (
            replace(found, conjuncts=(*(found.conjuncts or (replace(found, conjuncts=()),)), *more)) if more else found
        )
    else:
        yield from (part(reading, t, role) for t in prep.children if t.dep_ == "pcomp" and t.pos_ in ("VERB", "AUX"))


def _antecedent(reading: TurnReading, clause: Clause) -> None:
    """The noun that a relative clause describes replaces its pronoun or gap."""
    head = clause.verb
    noun = head.head
    if clause.link not in ("relcl", "acl") or noun.pos_ not in ("NOUN", "PROPN", "PRON", "NUM"):
        return
    if clause.link == "acl":
        role = {"VBG": "subject", "VBN": "object"}.get(head.tag_, "")
        if role and not clause.part(role):
            clause.parts.append(part(reading, noun, role))
        return
    if any(t.tag_ == "WP$" for t in head.doc[head.left_edge.i : head.i]):
        return  # "Ana, whose husband is a cook": no gap
    for i, p in enumerate(clause.parts):
        if p.token is not None and _is_relative(p.token):
            clause.parts[i] = part(reading, _described_by(noun, p.token), p.role)
            return
    role = _gap(clause)
    if role:
        clause.parts.append(part(reading, noun, role))


def _is_relative(token: Token) -> bool:
    return token.tag_ in ("WDT", "WP") or (token.lower_ == "that" and token.pos_ == "PRON")


def _gap(clause: Clause) -> str:
    """The role that a relative clause without a pronoun leaves open: "the book I read", "the town I grew up in"."""
    head = clause.verb
    adverb = next((t.lower_ for t in head.children if t.tag_ == "WRB"), "")
    if adverb:
        return "in" if adverb == "where" else ""
    near = [head, *(c for c in head.children if c.dep_ in ("acomp", "dobj", "advmod", "attr"))]
    stranded = next((t.lower_ for c in near for t in c.children if t.dep_ == "prep" and not list(t.children)), "")
    return stranded or ("object" if not clause.part("object") and not clause.passive else "")


def _described_by(noun: Token, pronoun: Token) -> Token:
    """`who` is about a person: in "a gift for my neighbor who helped" the neighbor, whatever the parser attached."""
    if pronoun.lower_ not in ("who", "whom") or noun.pos_ in ("PRON", "PROPN") or noun_type(noun) == "person":
        return noun
    inside = [t for t in noun.subtree if t.i < pronoun.i and t.dep_ == "pobj" and noun_type(t) == "person"]
    above = noun
    while above.dep_ in ("pobj", "prep") and above.head.i != above.i and noun_type(above) != "person":
        above = above.head
    return inside[-1] if inside else above if noun_type(above) == "person" else noun


def _complement(reading: TurnReading, clause: Clause) -> None:
    """A clause that completes or explains another is also its argument: `started [taking pottery]`, `because …`."""
    head, above = clause.verb, clause.matrix
    if above is None:
        return
    if clause.link in ("xcomp", "ccomp"):
        role = "so" if _is_result(above, head) else "complement"
        above.parts.append(part(reading, head, role, whole=True))
    elif clause.link == "advcl":
        mark = next((t for t in head.children if t.dep_ == "mark" or (t.dep_ == "advmod" and t.tag_ == "WRB")), None)
        if mark is not None:
            role = BECAUSE.get(mark.lower_, mark.lower_)
            above.parts.append(_after(reading, part(reading, head, role, whole=True), mark))
        elif any(t.tag_ == "TO" for t in head.lefts):
            above.parts.append(part(reading, head, "to", whole=True))


def _is_result(above: Clause, verb: Token) -> bool:
    """True for what follows from a degree: `so tired that I fell asleep`, `such a cold day that we stayed in`, `too tired to cook`."""
    finite = any(t.dep_ == "mark" and t.lower_ == "that" for t in verb.children)
    degrees = ("so", "such") if finite else ("too", "enough")
    return any(t.lower_ in degrees for t in verb.doc[above.verb.left_edge.i : verb.left_edge.i])


def _after(reading: TurnReading, found: Part, mark: Token) -> Part:
    """Without the conjunction that the clause starts with."""
    start = mark.idx + len(mark)
    if found.start > mark.idx or start >= found.end:
        return found
    text = reading.turn.content[start : found.end]
    start += len(text) - len(text.lstrip())
    return replace(found, start=start, text=text.lstrip())


SOME = frozenset("few several many most both all some others".split())
"""Quantifiers that can be a subject without their noun."""
COMPLEMENT = ("xcomp", "ccomp")


def share_subject(reading: TurnReading, clause: Clause) -> None:
    """Give a clause without a subject that of its matrix clause, or the one that chat omits."""
    found = _shared(reading, clause)
    if found is None:
        return
    role = "object" if clause.passive and not clause.part("object") else "subject"
    if clause.link != "conj" or not (clause.passive and clause.part("object")):
        clause.parts.insert(0, found.as_(role))


def _shared(reading: TurnReading, clause: Clause) -> Part | None:
    head, above = clause.verb, clause.matrix
    if clause.passive and (subject_of(head) is not None or (clause.link == "acl" and clause.part("object"))):
        return None
    if clause.link in ("csubj", "csubjpass", "nsubj"):
        return _speaker(reading, head) if above is not None and _lived(head, above) else None
    run_on = _is_run_on(head, clause.link, above)
    if above is None or run_on or (clause.link in ("parataxis", "dep") and not _sequel(head, above)):
        return _dropped(reading, clause)
    if any(t.dep_ == "expl" for t in head.children):
        return None
    source = above.part("subject")
    if source is not None and source.token is not None and source.token.i == head.head.i and clause.link == "acl":
        return None
    if source is not None and source.head == "it" and not source.entity and clause.link in (*COMPLEMENT, "advcl"):
        return _speaker(reading, head) if is_speaker_experience(above) or _diary(head) else None
    return _controller(clause, above)


def _is_run_on(head: Token, link: str, above: Clause | None) -> bool:
    """`Gave up coffee two weeks ago, the headaches were awful`: a clause in the past before another one, joined by a comma alone."""
    if link != "advcl" or above is None or above.head is None or head.i > above.verb.i or head.tag_ != "VBD":
        return False
    subject = subject_of(above.verb)
    opens = all(t.dep_ in ("advmod", "neg") or t.is_punct for t in head.doc[head.sent.start : head.i])
    marked = any(t.dep_ == "mark" or t.tag_ == "WRB" for t in head.children)
    return opens and not marked and subject is not None and subject.i > head.right_edge.i


def _sequel(head: Token, above: Clause) -> bool:
    """`He went out, then dropped it`: a verb of the same tense, which `then` joins to the one before."""
    joined = head.i > 0 and head.nbor(-1).lower_ in ("then", "afterwards", "later")
    return joined and above.head is not None and head.tag_ == above.verb.tag_ == "VBD" and above.verb.i < head.i


def _controller(clause: Clause, above: Clause) -> Part | None:
    """The matrix clause's object for "asked me to go", else its subject; the patient when it is passive."""
    source = above.part("subject")
    given, affected = above.part("indirect"), above.part("object")
    if affected is not None and affected.type in ("time", "quantity"):
        affected = None  # "spent three weeks painting"
    if (
        clause.link == "pcomp"
        and clause.verb.head.lower_ in ABSENCE
        and affected is not None
        and affected.type == "person"
    ):
        return affected  # "kept me from moving"
    judged = clause.link == "pcomp" and clause.verb.head.lower_ in ("for", "of") and above.verb.lemma_ in JUDGING
    if judged and affected is not None and not above.passive:
        return affected  # "thanked Tom for fixing it"
    if clause.link in COMPLEMENT and above.verb.lemma_ not in SUBJECT_CONTROL:
        return (affected or given or source) if above.passive else (given or affected or source)
    if above.passive and not clause.passive and clause.link == "conj":
        return affected or source
    return source


def _speaker(reading: TurnReading, head: Token) -> Part | None:
    said = reading.turn.author and not reading.is_quoted(head)
    return implied_part(reading.turn.author, "subject", "speaker") if said else None


def _lived(head: Token, above: Clause) -> bool:
    """`Organizing the camp was fun`: about a past activity of the speaker."""
    return head.tag_ == "VBG" and above.verb.tag_ == "VBD"


def is_speaker_experience(above: Clause) -> bool:
    """`it was great [to meet Anna]`: an evaluation whose infinitive is about the speaker."""
    subject, attribute = above.part("subject"), above.part("attribute")
    extraposed = above.predicate == "be" and subject is not None and subject.head == "it" and not subject.entity
    excessive = attribute is not None and re.match(r"(?:far |much )?too\b", attribute.text, re.IGNORECASE)
    return extraposed and attribute is not None and attribute.head not in DOUBTFUL and not excessive


def _diary(head: Token) -> bool:
    """`Researching agencies – it's been a dream`: a participle that starts the sentence."""
    return head.tag_ == "VBG" and head.left_edge.i == head.sent.start


def _dropped(reading: TurnReading, clause: Clause) -> Part | None:
    """Chat leaves out its I ("Went hiking", "Gonna sell it", "Love it!") and, in questions and orders, its you."""
    head = clause.verb
    if clause.link not in ("", "parataxis", "ccomp", "dep", "advcl") or reading.is_quoted(head):
        return None
    named = _named_before(head)
    if named is not None:
        return part(reading, named, "subject")
    if any(t.lower_ in SOME for t in head.doc[head.sent.start : head.i]):
        return None  # "a few more joined"
    first = next((t for t in (*head.lefts, head) if t.dep_ in ("aux", "auxpass", "ROOT") or t.i == head.i), head)
    if is_asked(head):
        yours = head.lower_ in OFFERED and first.tag_ in ("VBD", "VBN", "VBP", "VB")
    elif _of_speaker(clause, first):
        return _speaker(reading, head)
    else:
        yours = first.tag_ in ("VB", "VBP") and head.dep_ == "ROOT"
    you = reading.addressee(head)
    return implied_part(you, "subject", "addressee") if yours and you else None


def _named_before(head: Token) -> Token | None:
    """A name at the start of the sentence that is not part of its predicate: `Dave from next door fixed it`."""
    first = head.doc[head.sent.start]
    apart = any(t.is_punct for t in head.doc[head.sent.start : head.i])
    is_name = first.pos_ == "PROPN" and first.dep_ == "npadvmod" and first.ent_type_ not in ("DATE", "TIME")
    return first if is_name and not apart and first.head.i == head.i and head.tag_ in ("VBD", "VBZ") else None


def _of_speaker(clause: Clause, first: Token) -> bool:
    head = clause.verb
    alone = first.i == head.i
    if head.lemma_ in STATIVE and first.tag_ in ("VB", "VBP", "NN", "NNP"):
        return True
    if first.lower_ in ("ca", "could") and head.lemma_ != "be" and any(t.dep_ == "neg" for t in head.lefts):
        return True  # "can't stand wasps"
    if first.tag_ == "VBD" or (first.tag_ == "VBN" and alone and not clause.passive):
        return True
    if (first.tag_ == "VBP" and not alone and first.lower_ not in ("do", "let")) or first.lower_ == "been":
        return True
    return head.lower_ in ("gon", "wan", "got") or (head.tag_ == "VBG" and alone and head.n_rights > 0)
