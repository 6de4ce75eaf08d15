"""Parse a question into what it asks for and the statement that it asks about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from goalmem.language.lexicon import coarse_type
from goalmem.language.names import FAMILIAR
from goalmem.language.words.function_words import SITUATING
from goalmem.language.words.modifiers import FLOATING, RANKS_OF_EVENTS
from goalmem.language.words.pronouns import INTERROGATIVES
from goalmem.questions.verbs import (
    be_text,
    belongs_to_verb,
    is_auxiliary,
    main_verb,
    order_word,
    stranded_after,
    verb_group,
)
from goalmem.questions.wh import AnswerKind, WhPhrase, inside_relative, wh_phrase
from goalmem.questions.wording import FULL, normalise

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


__all__ = [
    "AnswerKind",
    "ParsedQuestion",
    "leading_phrase",
    "plain",
    "read_question",
    "read_wh",
    "read_whether",
    "sides",
]

MOST_SIDES = 4
"""Places at which a question's two things may be separated: each is parsed."""
IN_TOTAL = re.compile(
    r",?\s+(?:in total|altogether|all together|in all|combined)(?=\s*[?,]|\s+(?:from|on|for|through)\b)", re.IGNORECASE
)
"""Words that ask for a sum."""

OF_ANY = re.compile(r"^(?P<aux>[a-z]+ )any of (?=(?:the|my|our|your|his|her|their|these|those) )", re.IGNORECASE)
"""`Do any of my friends smoke?`: what all do, one does, and what none does, none of them does."""
DENIED = re.compile(
    r"^(?P<before>(?:[a-z]+ )?(?:what|which|who|whom|whose|where|when|why|how)\b"
    r"(?:(?!\b(?:if|when|while|because|since|until|unless|although|after|before)\b)[^?,])*? )"
    r"(?P<aux>wo|ca|sha|do|does|did|has|have|had|would|could|should|must|might)n['’]?t\b",
    re.IGNORECASE,
)
"""A question up to its negated auxiliary."""
FINITE_TAGS = frozenset({"VBD", "VBP", "VBZ", "MD"})
"""Penn tags of verbs with a subject of their own."""
LONGEST_FRAGMENT = 8
"""Words of a question without a clause."""
DEGREES = frozenset({"more", "less", "as", "so", "too"})
"""Adverbs before an adjective."""


def read_question(text: str, analyze: Callable[[str], Doc]) -> ParsedQuestion | None:
    """Parse a question; None if its form is unknown."""
    asked = normalise(text)
    plain_ = OF_ANY.sub(r"\g<aux>", IN_TOTAL.sub("", asked))
    doc = analyze(plain_)
    if not len(doc):
        return None
    wh = main_question_word(doc)
    if wh is None and (named := owned_noun(doc)) is not None:
        asks = {"person": "Who is", "animal": "What is the name of"}.get(coarse_type(named.lemma_), "What is")
        doc = analyze(f"{asks} {without_case(doc)}")
        wh = main_question_word(doc)
    question = read_whether(doc) if wh is None else read_denied(plain_, analyze) or read_wh(doc, wh_phrase(doc, wh))
    return (
        replace(reparse_as_statement(question, analyze), total=IN_TOTAL.search(asked) is not None)
        if question is not None
        else None
    )


def main_question_word(doc: Doc) -> Token | None:
    """The first question word that introduces no clause."""
    return next((t for t in doc if t.lower_ in INTERROGATIVES and not inside_relative(t, doc)), None)


def owned_noun(doc: Doc) -> Token | None:
    """The noun of a question that is a noun phrase with an owner: `Leo's teacher?`; None for any other question."""
    said = [t for t in doc if not t.is_punct or t.text in "'’-"]
    if (
        not said
        or len(said) > LONGEST_FRAGMENT
        or any(t.pos_ in ("VERB", "AUX", "ADP", "CCONJ", "SCONJ", "ADV") for t in said)
    ):
        return None
    owned = said[0].tag_ == "PRP$" or any(t.tag_ == "POS" for t in said[:-1])
    return said[-1] if owned and said[-1].pos_ == "NOUN" else None


def without_case(doc: Doc) -> str:
    """A fragment with the case of the middle of a sentence."""
    return f"{doc.text[:1].lower()}{doc.text[1:]}" if doc[0].pos_ != "PROPN" else doc.text


def read_denied(text: str, analyze: Callable[[str], Doc]) -> ParsedQuestion | None:
    """`What won't Leo eat?` by the parse of `What will Leo eat?`, which is more reliable; None for any other question."""
    found = DENIED.match(text)
    if found is None:
        return None
    helper = FULL.get(found["aux"].casefold(), found["aux"])
    doc = analyze(f"{found['before']}{helper}{text[found.end() :]}")
    wh = main_question_word(doc)
    question = read_wh(doc, wh_phrase(doc, wh), denied=True) if wh is not None else None
    return question if question is not None and question.subject else None


def reparse_as_statement(question: ParsedQuestion, analyze: Callable[[str], Doc]) -> ParsedQuestion:
    """The same question, with its words taken from the parse of the statement, which is more reliable than that of the question."""
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
    # "Was it the first time" differs from "was it": keep the word there.
    kept = RANKS_OF_EVENTS if question.asked is AnswerKind.WHETHER else {}
    rest = tuple(t for t in outside if t.idx >= verb_to and (t.lower_ in kept or not floats(t)))
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
    """Tokens up to `last` (included), and the rest."""
    if last is None or last not in tokens:
        return list(tokens), []
    at = list(tokens).index(last) + 1
    return list(tokens[:at]), list(tokens[at:])


def floats(token: Token) -> bool:
    """True for an adverb that does not change who did what."""
    return token.lower_ in FLOATING and token.pos_ == "ADV" and token.dep_ in ("advmod", "npadvmod")


def sides(text: str, word: str) -> Iterator[tuple[str, str]]:
    """The text before and after each of the first `MOST_SIDES` places at which a joining word may separate two things."""
    for at in islice(re.finditer(rf",? {word} ", text), MOST_SIDES):
        yield text[: at.start()], text[at.end() :]


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as a statement with a gap: subject, verb, rest, in statement order."""

    doc: Doc
    asked: AnswerKind
    type: str
    """The answer's type as a noun phrase: `person`, `breed`, `car`."""
    subject: tuple[Token, ...]
    verb: str
    """The verb group of the statement: `bought` for `did … buy`."""
    rest: tuple[Token, ...]
    gap: str
    """Position of the answer: `subject`, `object`, `owner`, or empty (a circumstance, or yes/no)."""
    stranded: Token | None = None
    """The preposition or verb before the answer, if it is not the main verb."""
    owned: tuple[Token, ...] = ()
    """For `whose N`: the N."""
    unit: str = ""
    order: str = ""
    """`earliest` or `latest` if the question asks for the first or last of several."""
    among: tuple[Token, ...] = ()
    """For `which of N`: the N."""
    tail: tuple[Token, ...] = ()
    """Words after the answer that belong to the asked noun: `of birds`."""
    total: bool = False
    """True if a sum is asked for (`in total`)."""


def read_wh(doc: Doc, wh: WhPhrase, *, denied: bool = False) -> ParsedQuestion | None:
    """Parse a question that begins with a question phrase; `denied`: a negation was removed after its auxiliary."""
    body = [t for t in doc[wh.end :] if not t.is_punct or t.text in "'-,&"]
    if not body:
        return None
    body = move_fronted_last(body)
    first = body[0]
    if not is_auxiliary(first):
        return read_wh_statement(doc, wh, body) or read_subject_question(doc, wh, body)
    verb = main_verb(first, body)
    if verb is None:
        return (
            read_copula_question(doc, wh, body)
            if first.lemma_ in ("be", "'s") or first.pos_ in ("AUX", "VERB")
            else None
        )
    subject, group = inverted(first, verb, body, denied=denied)
    if not subject:
        return read_subject_question(doc, wh, body)
    rest = [t for t in body if t.i > verb.i or t.i < first.i]
    return with_gap(doc, wh, subject, group, verb, rest, order_word(body, verb))


def inverted(first: Token, verb: Token, body: Sequence[Token], *, denied: bool = False) -> tuple[list[Token], str]:
    """The subject between an auxiliary and its verb, and the two as they stand in a statement."""
    between = [t for t in body if first.i < t.i < verb.i]
    subject = [t for t in between if not is_floating(t, verb) and not belongs_to_verb(t, verb)]
    return subject, verb_group(first, verb, negated=denied or any(t.dep_ == "neg" for t in between))


def with_gap(
    doc: Doc,
    wh: WhPhrase,
    subject: Sequence[Token],
    group: str,
    verb: Token,
    rest: Sequence[Token],
    order: Token | None,
) -> ParsedQuestion:
    """The question about a statement with its own subject: find the position of the answer."""
    rest = tuple(t for t in rest if t != order)
    circumstance = wh.asked not in (AnswerKind.VALUE, AnswerKind.COUNT, AnswerKind.NUMBER) and not wh.whose
    gap = "" if circumstance and wh.preposition is None else "object"
    stranded = (
        stranded_after(rest, verb) if wh.asked in (AnswerKind.VALUE, AnswerKind.COUNT, AnswerKind.PLACE) else None
    )
    if stranded is not None and wh.asked is AnswerKind.PLACE and stranded.pos_ != "ADP":
        stranded = None
    if asks_when(wh) or (wh.asked is AnswerKind.PLACE and stranded is None and wh.preposition is None):
        gap = ""
    elif wh.asked is AnswerKind.PLACE:
        gap = "object"
    return asked_by(doc, wh, subject, group, rest, gap, stranded or (wh.preposition if gap else None), order)


def asked_by(
    doc: Doc,
    wh: WhPhrase,
    subject: Sequence[Token],
    verb: str,
    rest: Sequence[Token],
    gap: str,
    stranded: Token | None = None,
    order: Token | None = None,
) -> ParsedQuestion:
    """The question that a question phrase asks about a statement; `order`: its word for the first or last of several."""
    rank = RANKS_OF_EVENTS[order.lower_] if order is not None else ""
    return ParsedQuestion(
        doc,
        wh.asked,
        wh.type,
        tuple(subject),
        verb,
        tuple(rest),
        gap,
        stranded,
        wh.whose,
        wh.unit,
        rank,
        wh.among,
        wh.tail,
    )


def asks_when(wh: WhPhrase) -> bool:
    """True if the answer is a time: `when`, `which year`, `how many times`."""
    return wh.asked is AnswerKind.TIME or (wh.asked is AnswerKind.COUNT and wh.type == "time")


def read_wh_statement(doc: Doc, wh: WhPhrase, body: Sequence[Token]) -> ParsedQuestion | None:
    """Parse `(do you know) what Ann bought`: a wh-clause without inversion is already a statement with a gap."""
    if body[0].pos_ in ("VERB", "AUX", "ADV", "ADP", "PART", "PUNCT", "SCONJ", "CCONJ"):
        return None
    if (parts := statement_parts(body)) is None:
        return None
    subject, group, rest = parts
    verb = group[-1]
    text = be_text(verb) if len(group) == 1 else " ".join(t.text for t in group)
    return with_gap(doc, wh, subject, text, verb, rest, order_word(body, verb))


def statement_parts(body: Sequence[Token]) -> tuple[list[Token], list[Token], list[Token]] | None:
    """Subject, finite verb group and the rest of a clause without inversion; None if it has no such verb."""
    subject = leading_phrase(body)
    behind = [t for t in body if t.i > subject[-1].i]
    group = leading_verbs(behind)
    return (subject, group, [t for t in behind if t.i > group[-1].i]) if group else None


def leading_verbs(tokens: Sequence[Token]) -> list[Token]:
    """The finite verb group at the start, without floating adverbs; empty if there is none."""
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


def move_fronted_last(body: list[Token]) -> list[Token]:
    """`(how long) after the move did Maya …`: move the words between question phrase and auxiliary to the end."""
    if body[0].lower_ not in ("after", "before", "since", "between", "until"):
        return body
    at = next((n for n, t in enumerate(body) if t.lemma_ == "do" or (t.pos_ == "AUX" and t.dep_ in ("aux", "ROOT"))), 0)
    return [*body[at:], *body[:at]]


def read_subject_question(doc: Doc, wh: WhPhrase, body: Sequence[Token]) -> ParsedQuestion | None:
    """Parse `Who adopted …`, `Which friend has been to …`: the answer is the subject."""
    at = next((n for n, t in enumerate(body) if t.pos_ in ("VERB", "AUX") and not is_auxiliary(t)), None)
    if at is None:
        at = next((n for n, t in enumerate(body) if is_auxiliary(t)), None)
    if at is None:
        return None
    group = " ".join(t.text for t in body[: at + 1] if t.lower_ not in FLOATING)
    order = order_word(body, body[at])
    rest = [t for t in body[at + 1 :] if t != order]
    return asked_by(doc, wh, (), group, rest, "owner" if wh.whose else "subject", order=order)


def read_copula_question(doc: Doc, wh: WhPhrase, body: Sequence[Token]) -> ParsedQuestion | None:
    """`What is Maya's job?`, `What breed is the dog that …?`: a form of `be` between the answer and the subject."""
    be = body[0]
    after = [t for t in body[1:] if t.lower_ not in FLOATING or t.pos_ in ("ADJ", "NOUN")]
    if not after:
        return None
    subject = leading_phrase(after)
    if (
        wh.asked in (AnswerKind.VALUE, AnswerKind.COUNT)
        and wh.preposition is None
        and describes_answer(wh, after, subject)
    ):
        return read_subject_question(doc, wh, body)
    if len(subject) > 1 and subject[-1].pos_ == "ADP" and subject[-1].dep_ != "prt":
        subject = subject[:-1]
    order = order_word(body, be)
    rest = tuple(t for t in after if t.i > subject[-1].i and t != order)
    circumstance = wh.asked not in (AnswerKind.VALUE, AnswerKind.COUNT, AnswerKind.NUMBER) and wh.preposition is None
    stranded = stranded_after(rest, be)
    circumstance = circumstance and not (wh.asked is AnswerKind.PLACE and stranded is not None)
    stranded = stranded or (wh.preposition if wh.asked is not AnswerKind.TIME else None)
    found = asked_by(doc, wh, subject, be_text(be), rest, "" if circumstance else "object", stranded, order)
    return replace(found, among=(), tail=())


def describes_answer(wh: WhPhrase, after: Sequence[Token], phrase: Sequence[Token]) -> bool:
    """True if what stands behind `be` says how, where or what the answer is: `What is in the box?`, `Who is ill?`, `Who is a nurse?`."""
    first, last = after[0], phrase[-1]
    if first.pos_ == "ADP":
        return len(after) > 1
    if first.lower_ in ("a", "an"):
        return wh.type == "person"
    return last.pos_ == "ADJ" and not any(t.pos_ in ("DET", "PRON", "NOUN", "PROPN") for t in phrase)


def read_whether(doc: Doc) -> ParsedQuestion | None:
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
        subject, group = inverted(first, verb, body)
        if subject:
            rest = tuple(t for t in body if t.i > verb.i)
            return ParsedQuestion(doc, AnswerKind.WHETHER, "", tuple(subject), group, rest, "")
    after = [t for t in body[1:] if t.lower_ not in FLOATING]
    if not after:
        return None
    subject = without_predicate(leading_phrase(after))
    if subject[-1] == after[-1]:
        subject = without_place(without_second(subject))
    rest = tuple(t for t in after if t.i > subject[-1].i)
    return ParsedQuestion(doc, AnswerKind.WHETHER, "", tuple(subject), be_text(first), rest, "") if rest else None


def whether_statement(doc: Doc, body: Sequence[Token]) -> ParsedQuestion | None:
    """`(do you know) if Ann sold the boat`."""
    if (parts := statement_parts(body)) is None:
        return None
    subject, group, rest = parts
    verbs = " ".join(t.text for t in group)
    return ParsedQuestion(doc, AnswerKind.WHETHER, "", tuple(subject), verbs, tuple(rest), "")


def without_predicate(phrase: list[Token]) -> list[Token]:
    """A phrase without the name after its noun: in `Is Ann's sister Ilse` parsers take the name for an apposition."""
    end = len(phrase)
    while end and phrase[end - 1].pos_ == "PROPN":
        end -= 1
    noun = phrase[end - 1] if end else None
    return phrase[:end] if noun is not None and noun.pos_ == "NOUN" else phrase


def without_second(phrase: list[Token]) -> list[Token]:
    """A phrase without a second noun phrase behind its noun: of `Is my sister a nurse` parsers make an apposition, and no statement is left."""
    second = next((t for t in phrase if t.dep_ == "appos" and t.head in phrase and t.head.i < t.left_edge.i), None)
    opens = second is not None and second.left_edge.pos_ == "DET" and second.left_edge.nbor(-1) in phrase
    return [t for t in phrase if second is None or t.i < second.left_edge.i] if opens else phrase


def without_place(phrase: list[Token]) -> list[Token]:
    """A phrase without the place behind its noun: of `Is the cat behind the sofa` parsers make one phrase, and no statement is left."""
    marks = (t for t in phrase[1:] if t.dep_ == "prep" and t.head in phrase and t.lower_ in SITUATING)
    place = next(marks, None)
    return phrase if place is None else [t for t in phrase if t.i < place.i]


def is_predicate(token: Token, noun: Token) -> bool:
    """True for what stands behind a noun and says something of it: an adjective, with the `more` before it."""
    adjective = token.head if token.dep_ == "advmod" and token.lower_ in DEGREES else token
    return adjective.head == noun and adjective.dep_ in ("amod", "acomp", "xcomp")


def leading_phrase(tokens: Sequence[Token]) -> list[Token]:
    """The noun phrase at the start, with everything that depends on it."""
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
        # An adjective after the noun is the predicate: `Is Ann allergic to …`.
        if token not in inside or (token.i > head.i and is_predicate(token, head)):
            break
        phrase.append(token)
    return phrase or [first]
