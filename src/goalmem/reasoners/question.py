"""A question taken apart by its own syntax: what is asked for, and the statement it asks about."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from goalmem.extract.names import FAMILIAR
from goalmem.reasoners.verbs import be_text, belongs_to_verb, is_auxiliary, main_verb, stranded_after, verb_group
from goalmem.reasoners.wh import WH, Asked, WhPhrase, inside_relative, wh_phrase

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Asked", "Question", "normalise", "plain", "read_question"]

PREAMBLE = re.compile(
    r"^\s*(?:(?:so|and|but|ok(?:ay)?|well|hey|hi|um+|please|also|then)\b[\s,]*|"
    r"(?:(?:can|could|would|will) you (?:please )?)?(?:tell|remind) me\b[\s,:]*|"
    r"(?:do|did) (?:you|we) (?:know|remember|recall)\b[\s,:]*|"
    r"i (?:wonder|forget|forgot|want to know|would like to know)\b[\s,:]*|"
    r"(?:do you have )?any idea\b[\s,:]*)+",
    re.IGNORECASE,
)
"""Words that introduce a question and ask nothing."""
FLOATING = frozenset(
    [
        "still",
        "currently",
        "now",
        "ever",
        "already",
        "usually",
        "typically",
        "often",
        "recently",
        "finally",
        "originally",
        "initially",
        "first",
        "last",
        "actually",
        "also",
        "always",
        "generally",
        "normally",
        "exactly",
        "just",
    ]
)
"""Adverbs that say nothing of who did what; some of them ask for an order (`ORDER`)."""
ORDER = {"first": "earliest", "originally": "earliest", "initially": "earliest", "last": "latest"}


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


def read_question(text: str, analyze: Callable[[str], Doc]) -> Question | None:
    """Take a question apart; None when its form is none of those known here."""
    doc = analyze(normalise(text))
    if not len(doc):
        return None
    wh = next((t for t in doc if t.lower_ in WH and not inside_relative(t, doc)), None)
    question = read_whether(doc) if wh is None else read_wh(doc, wh_phrase(doc, wh))
    if question is None:
        return None
    question = restated(question, analyze)
    orders = [ORDER[t.lower_] for t in doc if t.lower_ in ORDER and t.pos_ == "ADV" and t.head.pos_ in ("VERB", "AUX")]
    return replace(question, order=orders[0]) if orders else question


def restated(question: Question, analyze: Callable[[str], Doc]) -> Question:
    """The same with its words taken from a parse of the statement, which parsers read better than questions."""
    lead = (
        "Someone"
        if question.gap == "subject"
        else f"Someone's {plain(question.owned)}"
        if question.gap == "owner"
        else ""
    )
    subject = plain(question.subject) or lead
    middle = f" {question.verb} "
    first, at_end = split_at(question.rest, question.stranded)
    gap = (
        ""
        if question.gap != "object" or (question.stranded is not None and question.stranded not in question.rest)
        else "something"
    )
    if gap and question.stranded is None:
        text = f"{subject}{middle}{gap} {plain(question.rest)}"
        gap_at = len(subject) + len(middle)
    else:
        text = f"{subject}{middle}{plain(first)}"
        gap_at = len(text) + 1
        text = f"{text} {gap} {plain(at_end)}" if gap else f"{text} {plain(at_end)}"
    doc = analyze(f"{text.rstrip()}.")
    verb_from, verb_to = len(subject), len(subject) + len(middle)
    outside = [t for t in doc if not (t.is_punct and t.i == len(doc) - 1)]
    if gap:
        outside = [t for t in outside if not gap_at <= t.idx < gap_at + len(gap)]
    own_subject = () if lead and subject == lead else tuple(t for t in outside if t.idx < verb_from)
    rest = tuple(t for t in outside if t.idx >= verb_to and not floats(t))
    stranded = question.stranded
    if stranded is not None and stranded in question.rest:
        word = stranded.text
        stranded = next((t for t in reversed(rest) if t.text == word and t.idx < gap_at), None)
    return replace(question, subject=own_subject, rest=rest, stranded=stranded)


def plain(tokens: Sequence[Token]) -> str:
    """Tokens as text."""
    gaps = (
        t.whitespace_ or ("" if n + 1 < len(tokens) and tokens[n + 1].i == t.i + 1 else " ")
        for n, t in enumerate(tokens)
    )
    return "".join(t.text + gap for t, gap in zip(tokens, gaps, strict=True)).strip()


def split_at(tokens: Sequence[Token], last: Token | None) -> tuple[list[Token], list[Token]]:
    """Tokens up to and with `last`, and those behind it."""
    if last is None or last not in tokens:
        return list(tokens), []
    at = list(tokens).index(last) + 1
    return list(tokens[:at]), list(tokens[at:])


def floats(token: Token) -> bool:
    """True for an adverb that says nothing of who did what."""
    return token.lower_ in FLOATING and token.pos_ == "ADV" and token.dep_ in ("advmod", "npadvmod")


def normalise(text: str) -> str:
    """The last question of the text, without what merely introduces it, with an upper-case start and a mark."""
    sentences = [s for s in re.split(r"(?<=[.!?])\s+", text.strip()) if s.strip()]
    asking = [s for s in sentences if s.rstrip().endswith("?")] or sentences[-1:]
    if not asking:
        return "?"
    core = PREAMBLE.sub("", asking[-1]).strip() or asking[-1].strip()
    core = re.sub(r"[?!.\s]+$", "", core)
    return f"{core[:1].upper()}{core[1:]}?"


def read_wh(doc: Doc, wh: WhPhrase) -> Question | None:
    """A question with a wh-phrase in front."""
    body = [t for t in doc[wh.end :] if not t.is_punct or t.text in "'-,&"]
    if not body:
        return None
    body = fronted_last(body)
    first = body[0]
    if not is_auxiliary(first):
        return asking_for_subject(doc, wh, body)
    verb = main_verb(first, body)
    if verb is None:
        return asking_copula(doc, wh, body) if first.lemma_ in ("be", "'s") or first.pos_ in ("AUX", "VERB") else None
    between = [t for t in body[1:] if first.i < t.i < verb.i]
    subject = [t for t in between if t.lower_ not in FLOATING and not belongs_to_verb(t, verb)]
    negated = any(t.dep_ == "neg" for t in between)
    if not subject:
        return asking_for_subject(doc, wh, body)
    rest = tuple(t for t in body if t.i > verb.i or t.i < first.i)
    circumstance = wh.asked not in (Asked.VALUE, Asked.COUNT, Asked.NUMBER) and not wh.whose
    gap = "" if circumstance and wh.preposition is None else "object"
    stranded = stranded_after(rest, verb) if wh.asked in (Asked.VALUE, Asked.COUNT, Asked.PLACE) else None
    if stranded is not None and wh.asked is Asked.PLACE and stranded.pos_ != "ADP":
        stranded = None
    if wh.asked is Asked.TIME or (wh.asked is Asked.PLACE and stranded is None and wh.preposition is None):
        gap = ""
    elif wh.asked is Asked.PLACE:
        gap = "object"
    return Question(
        doc,
        wh.asked,
        wh.type,
        tuple(subject),
        verb_group(first, verb, negated=negated),
        rest,
        gap,
        stranded or (wh.preposition if gap else None),
        wh.whose,
        wh.unit,
    )


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
    return Question(
        doc,
        wh.asked,
        wh.type,
        (),
        group,
        tuple(body[at + 1 :]),
        "owner" if wh.whose else "subject",
        None,
        wh.whose,
        wh.unit,
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
    rest = tuple(t for t in after if t.i > subject[-1].i)
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
    )


def read_whether(doc: Doc) -> Question | None:
    """A yes/no question: it starts with an auxiliary."""
    body = [t for t in doc if not t.is_punct or t.text in "'-,&"]
    first = body[0] if body else None
    if first is None or len(body) < 3 or not is_auxiliary(first):
        return None
    verb = main_verb(first, body)
    if verb is not None:
        between = [t for t in body[1:] if t.i < verb.i]
        subject = [t for t in between if t.lower_ not in FLOATING and not belongs_to_verb(t, verb)]
        negated = any(t.dep_ == "neg" for t in between)
        if subject:
            rest = tuple(t for t in body if t.i > verb.i)
            group = verb_group(first, verb, negated=negated)
            return Question(doc, Asked.WHETHER, "", tuple(subject), group, rest, "")
    after = [t for t in body[1:] if t.lower_ not in FLOATING]
    if not after:
        return None
    subject = leading_phrase(after)
    rest = tuple(t for t in after if t.i > subject[-1].i)
    return Question(doc, Asked.WHETHER, "", tuple(subject), be_text(first), rest, "") if rest else None


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
        if token not in inside or (token.i > head.i and token.dep_ in ("amod", "acomp", "xcomp")):
            break
        phrase.append(token)
    return phrase or [first]
