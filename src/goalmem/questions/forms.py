"""The forms that questions come in, each taken apart into a statement with a gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goalmem.language.names import FAMILIAR
from goalmem.language.words.modifiers import FLOATING, RANKS_OF_EVENTS
from goalmem.questions.verbs import (
    be_text,
    belongs_to_verb,
    is_auxiliary,
    main_verb,
    order_word,
    stranded_after,
    verb_group,
)
from goalmem.questions.wh import Asked, WhPhrase

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Question", "leading_phrase", "read_wh", "read_whether"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question as a statement with a gap: subject, verb, rest, in statement order."""

    doc: Doc
    asked: Asked
    type: str
    """The answer's type as a noun phrase: `person`, `breed`, `car`."""
    subject: tuple[Token, ...]
    verb: str
    """The verb group as a statement has it: `bought` for `did … buy`."""
    rest: tuple[Token, ...]
    gap: str
    """Where the answer stands: `subject`, `object`, `owner`, or empty (a circumstance, or yes/no)."""
    stranded: Token | None = None
    """The preposition or verb that the answer follows, where that is not the main verb."""
    owned: tuple[Token, ...] = ()
    """For `whose N`: the N."""
    unit: str = ""
    order: str = ""
    """`earliest` or `latest` where the question asks for the first or last of several."""
    among: tuple[Token, ...] = ()
    """For `which of N`: the N."""
    tail: tuple[Token, ...] = ()
    """What belongs to the asked noun, behind the answer: `of birds`."""
    total: bool = False
    """True where the sum of several is asked for (`in total`)."""


def read_wh(doc: Doc, wh: WhPhrase, *, denied: bool = False) -> Question | None:
    """A question with a wh-phrase in front; `denied`: a negation was left out behind its auxiliary."""
    body = [t for t in doc[wh.end :] if not t.is_punct or t.text in "'-,&"]
    if not body:
        return None
    body = fronted_last(body)
    first = body[0]
    if not is_auxiliary(first):
        return asking_statement(doc, wh, body) or asking_for_subject(doc, wh, body)
    verb = main_verb(first, body)
    if verb is None:
        return asking_copula(doc, wh, body) if first.lemma_ in ("be", "'s") or first.pos_ in ("AUX", "VERB") else None
    between = [t for t in body[1:] if first.i < t.i < verb.i]
    subject = [t for t in between if not is_floating(t, verb) and not belongs_to_verb(t, verb)]
    if not subject:
        return asking_for_subject(doc, wh, body)
    group = verb_group(first, verb, negated=denied or any(t.dep_ == "neg" for t in between))
    rest = [t for t in body if t.i > verb.i or t.i < first.i]
    return with_gap(doc, wh, subject, group, verb, rest, order_word(body, verb))


def with_gap(
    doc: Doc,
    wh: WhPhrase,
    subject: Sequence[Token],
    group: str,
    verb: Token,
    rest: Sequence[Token],
    order: Token | None,
) -> Question:
    """The question about a statement with its own subject: where in it the answer stands."""
    rest = tuple(t for t in rest if t != order)
    circumstance = wh.asked not in (Asked.VALUE, Asked.COUNT, Asked.NUMBER) and not wh.whose
    gap = "" if circumstance and wh.preposition is None else "object"
    stranded = stranded_after(rest, verb) if wh.asked in (Asked.VALUE, Asked.COUNT, Asked.PLACE) else None
    if stranded is not None and wh.asked is Asked.PLACE and stranded.pos_ != "ADP":
        stranded = None
    if asks_when(wh) or (wh.asked is Asked.PLACE and stranded is None and wh.preposition is None):
        gap = ""
    elif wh.asked is Asked.PLACE:
        gap = "object"
    return Question(
        doc,
        wh.asked,
        wh.type,
        tuple(subject),
        group,
        rest,
        gap,
        stranded or (wh.preposition if gap else None),
        wh.whose,
        wh.unit,
        RANKS_OF_EVENTS[order.lower_] if order is not None else "",
        wh.among,
        wh.tail,
    )


def asks_when(wh: WhPhrase) -> bool:
    """True when times answer: `when`, `which year`, `how many times`."""
    return wh.asked is Asked.TIME or (wh.asked is Asked.COUNT and wh.type == "time")


def asking_statement(doc: Doc, wh: WhPhrase, body: Sequence[Token]) -> Question | None:
    """Read `(do you know) what Ann bought`: a wh-clause without inversion is already a statement with a gap."""
    if body[0].pos_ in ("VERB", "AUX", "ADV", "ADP", "PART", "PUNCT", "SCONJ", "CCONJ"):
        return None
    subject = leading_phrase(body)
    behind = [t for t in body if t.i > subject[-1].i]
    group = leading_verbs(behind)
    if not group:
        return None
    verb, rest = group[-1], [t for t in behind if t.i > group[-1].i]
    text = be_text(verb) if len(group) == 1 else " ".join(t.text for t in group)
    return with_gap(doc, wh, subject, text, verb, rest, order_word(body, verb))


def leading_verbs(tokens: Sequence[Token]) -> list[Token]:
    """The finite verb group that the tokens begin with, without floating adverbs; empty where there is none."""
    group: list[Token] = []
    for token in tokens:
        if token.lower_ in FLOATING:
            continue
        full = token.pos_ == "VERB" and not is_auxiliary(token)
        if not (full or is_auxiliary(token) or (group and token.dep_ == "neg")):
            break
        group.append(token)
        if full:
            break
    finite = group and group[0].tag_ in ("VBD", "VBZ", "VBP", "MD", "VBN")
    return group if finite else []


def is_floating(token: Token, verb: Token) -> bool:
    """True for an adverb between subject and verb; `last` in `the last train` belongs to its noun."""
    return token.lower_ in FLOATING and (token.i + 1 == verb.i or token.dep_ != "amod")


def fronted_last(body: list[Token]) -> list[Token]:
    """`(how long) after the move did Maya …`: what stands between the wh-phrase and the auxiliary goes to the end."""
    if body[0].lower_ not in ("after", "before", "since", "between", "until"):
        return body
    at = next((n for n, t in enumerate(body) if t.lemma_ == "do" or (t.pos_ == "AUX" and t.dep_ in ("aux", "ROOT"))), 0)
    return [*body[at:], *body[:at]]


def asking_for_subject(doc: Doc, wh: WhPhrase, body: Sequence[Token]) -> Question | None:
    """Read `Who adopted …`, `Which friend has been to …`: the answer is the subject."""
    at = next((n for n, t in enumerate(body) if t.pos_ in ("VERB", "AUX") and not is_auxiliary(t)), None)
    if at is None:
        at = next((n for n, t in enumerate(body) if is_auxiliary(t)), None)
    if at is None:
        return None
    group = " ".join(t.text for t in body[: at + 1] if t.lower_ not in FLOATING)
    order = order_word(body, body[at])
    return Question(
        doc,
        wh.asked,
        wh.type,
        (),
        group,
        tuple(t for t in body[at + 1 :] if t != order),
        "owner" if wh.whose else "subject",
        None,
        wh.whose,
        wh.unit,
        RANKS_OF_EVENTS[order.lower_] if order is not None else "",
        wh.among,
        wh.tail,
    )


def asking_copula(doc: Doc, wh: WhPhrase, body: Sequence[Token]) -> Question | None:
    """`What is Maya's job?`, `What breed is the dog that …?`: be between the answer and the subject."""
    be = body[0]
    after = [t for t in body[1:] if t.lower_ not in FLOATING or t.pos_ in ("ADJ", "NOUN")]
    if not after:
        return None
    subject = leading_phrase(after)
    if len(subject) > 1 and subject[-1].pos_ == "ADP" and subject[-1].dep_ != "prt":
        subject = subject[:-1]
    order = order_word(body, be)
    rest = tuple(t for t in after if t.i > subject[-1].i and t != order)
    circumstance = wh.asked not in (Asked.VALUE, Asked.COUNT, Asked.NUMBER) and wh.preposition is None
    stranded = stranded_after(rest, be)
    circumstance = circumstance and not (wh.asked is Asked.PLACE and stranded is not None)
    return Question(
        doc,
        wh.asked,
        wh.type,
        tuple(subject),
        be_text(be),
        rest,
        "" if circumstance else "object",
        stranded or (wh.preposition if wh.asked is not Asked.TIME else None),
        wh.whose,
        wh.unit,
        RANKS_OF_EVENTS[order.lower_] if order is not None else "",
    )


def read_whether(doc: Doc) -> Question | None:
    """A yes/no question: it starts with an auxiliary, or with `if` or `whether` (`do you know if …`)."""
    body = [t for t in doc if not t.is_punct or t.text in "'-,&"]
    first = body[0] if body else None
    if first is None or len(body) < 3:
        return None
    if first.lower_ in ("if", "whether"):
        return whether_statement(doc, body[1:])
    if not is_auxiliary(first):
        return None
    verb = main_verb(first, body)
    if verb is not None:
        between = [t for t in body[1:] if t.i < verb.i]
        subject = [t for t in between if not is_floating(t, verb) and not belongs_to_verb(t, verb)]
        negated = any(t.dep_ == "neg" for t in between)
        if subject:
            rest = tuple(t for t in body if t.i > verb.i)
            group = verb_group(first, verb, negated=negated)
            return Question(doc, Asked.WHETHER, "", tuple(subject), group, rest, "")
    after = [t for t in body[1:] if t.lower_ not in FLOATING]
    if not after:
        return None
    subject = without_predicate(leading_phrase(after))
    rest = tuple(t for t in after if t.i > subject[-1].i)
    return Question(doc, Asked.WHETHER, "", tuple(subject), be_text(first), rest, "") if rest else None


def whether_statement(doc: Doc, body: Sequence[Token]) -> Question | None:
    """`(do you know) if Ann sold the boat`."""
    subject = leading_phrase(body)
    behind = [t for t in body if t.i > subject[-1].i]
    group = leading_verbs(behind)
    if not group:
        return None
    rest = tuple(t for t in behind if t.i > group[-1].i)
    return Question(doc, Asked.WHETHER, "", tuple(subject), " ".join(t.text for t in group), rest, "")


def without_predicate(phrase: list[Token]) -> list[Token]:
    """A phrase without the name behind its noun: in `Is Ann's sister Ilse` parsers take the name for an apposition."""
    end = len(phrase)
    while end and phrase[end - 1].pos_ == "PROPN":
        end -= 1
    noun = phrase[end - 1] if end else None
    return phrase[:end] if noun is not None and noun.pos_ == "NOUN" else phrase


def leading_phrase(tokens: Sequence[Token]) -> list[Token]:
    """The noun phrase that the tokens begin with, with all that hangs on it."""
    first = tokens[0]
    head = first
    while head.head != head and head.head.i >= first.i and head.head.pos_ in ("NOUN", "PROPN", "PRON", "NUM"):
        head = head.head
    if head.pos_ not in ("NOUN", "PROPN", "PRON", "NUM", "DET"):
        return [first]
    if first.text in FAMILIAR and not (
        len(tokens) > 1 and (tokens[1].tag_ == "POS" or tokens[1].lower_ in ("and", "or"))
    ):
        return [first]
    inside = set(head.subtree)
    phrase: list[Token] = []
    for token in tokens:
        # An adjective behind the noun is what is said of it: `Is Ann allergic to …`.
        if token not in inside or (
            token.i > head.i and token.head == head and token.dep_ in ("amod", "acomp", "xcomp")
        ):
            break
        phrase.append(token)
    return phrase or [first]
