"""A question taken apart by its own syntax: what is asked for, and the statement it asks about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from goalmem.extract.lexicon import is_known
from goalmem.extract.names import FAMILIAR

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Asked", "Question", "read_question"]

PREAMBLE = re.compile(
    r"^\s*(?:(?:so|and|but|ok(?:ay)?|well|hey|hi|um+|please|also|then)\b[\s,]*|"
    r"(?:(?:can|could|would|will) you (?:please )?)?(?:tell|remind) me\b[\s,:]*|"
    r"(?:do|did) (?:you|we) (?:know|remember|recall)\b[\s,:]*|"
    r"i (?:wonder|forget|forgot|want to know|would like to know)\b[\s,:]*|"
    r"(?:do you have )?any idea\b[\s,:]*)+",
    re.IGNORECASE,
)
"""Words that introduce a question and ask nothing."""
WH = frozenset({"who", "whom", "whose", "what", "which", "where", "when", "why", "how"})
AUXILIARIES = frozenset(
    {"do", "have", "be", "will", "would", "can", "could", "shall", "should", "may", "might", "must"}
)
KINDS = frozenset({"kind", "type", "sort", "style", "genre", "form", "name"})
"""Nouns that ask for a kind or a name of what follows their `of`."""
TIME_NOUNS = frozenset({"year", "month", "day", "date", "week", "season", "time", "weekday"})
UNITS = {"day": "days", "week": "weeks", "month": "months", "year": "years", "hour": "hours", "minute": "minutes"}
EXPECTED = {"do": ("VB", "VBP"), "have": ("VBN", "VBD"), "be": ("VBG", "VBN")}
"""Tags of the verb that an auxiliary goes with; a modal goes with VB."""
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


class Asked(StrEnum):
    """What kind of answer a question wants."""

    VALUE = "value"
    TIME = "time"
    PLACE = "place"
    REASON = "reason"
    MANNER = "manner"
    NUMBER = "number"
    COUNT = "count"
    DURATION = "duration"
    AGO = "ago"
    WHETHER = "whether"


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


@dataclass(frozen=True, slots=True)
class WhPhrase:
    """The asking phrase: tokens `start` to `end` (exclusive), what it asks, and a preposition before it."""

    start: int
    end: int
    asked: Asked
    type: str
    preposition: Token | None = None
    whose: tuple[Token, ...] = ()
    unit: str = ""


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


def inside_relative(wh: Token, doc: Doc) -> bool:
    """True when a wh-word introduces a relative or adverbial clause instead of asking."""
    if wh.i == 0 or (wh.i == 1 and doc[0].pos_ == "ADP"):
        return False
    clause = next((a for a in (wh, *wh.ancestors) if a.dep_ in ("relcl", "advcl", "ccomp", "acl", "pcomp")), None)
    return clause is not None or wh.i > 2


def wh_phrase(doc: Doc, wh: Token) -> WhPhrase:
    """What the wh-word asks, with the noun or adverb that belongs to it."""
    before = doc[wh.i - 1] if wh.i else None
    preposition = before if before is not None and before.pos_ in ("ADP", "SCONJ") else None
    start, word = (wh.i - 1 if preposition is not None else wh.i), wh.lower_
    nxt = doc[wh.i + 1] if wh.i + 1 < len(doc) else None
    if (
        word == "how"
        and nxt is not None
        and nxt.lower_ in ("many", "much", "long", "old", "often", "far", "tall", "big")
    ):
        return how_phrase(doc, nxt, start, preposition)
    simple = {
        "when": (Asked.TIME, "time"),
        "where": (Asked.PLACE, "place"),
        "why": (Asked.REASON, "reason"),
        "how": (Asked.MANNER, "manner"),
        "who": (Asked.VALUE, "person"),
        "whom": (Asked.VALUE, "person"),
    }
    if word in simple:
        return WhPhrase(start, wh.i + 1, *simple[word], preposition)
    noun = asked_noun(doc, wh)
    if noun is None:
        return WhPhrase(start, wh.i + 1, Asked.VALUE, "thing", preposition)
    end = noun.i + 1
    if word == "whose":
        return WhPhrase(start, end, Asked.VALUE, "person", preposition, whose=tuple(doc[wh.i + 1 : end]))
    if noun.lemma_.lower() in TIME_NOUNS and nxt is not None and nxt == noun:
        return WhPhrase(start, end, Asked.TIME, "time", preposition, unit=noun.lemma_.lower())
    of = next((c for c in noun.children if c.lower_ == "of" and c.i == end), None)
    if noun.lemma_.lower() in KINDS and of is not None:
        inner = next((c for c in of.children if c.dep_ == "pobj"), None)
        if inner is not None:
            return WhPhrase(
                start, inner.i + 1, Asked.VALUE, words(doc[of.i + 1 : inner.i + 1], singular=True), preposition
            )
    return WhPhrase(start, end, Asked.VALUE, words(doc[wh.i + 1 : end], singular=True), preposition)


def how_phrase(doc: Doc, word: Token, start: int, preposition: Token | None) -> WhPhrase:
    """`how many N`, `how much`, `how long (ago)`, `how old` …."""
    follows = doc[word.i + 1] if word.i + 1 < len(doc) else None
    if word.lower_ in ("many", "much"):
        noun = asked_noun(doc, word)
        if noun is None:
            return WhPhrase(start, word.i + 1, Asked.NUMBER, "amount", preposition)
        lemma = noun.lemma_.lower()
        if lemma in UNITS or lemma == "time":
            kind = Asked.DURATION if lemma in UNITS else Asked.COUNT
            ago = noun.i + 1 < len(doc) and doc[noun.i + 1].lower_ == "ago"
            return WhPhrase(
                start, noun.i + 1 + ago, Asked.AGO if ago else kind, "duration", preposition, unit=UNITS.get(lemma, "")
            )
        return WhPhrase(start, noun.i + 1, Asked.COUNT, words(doc[word.i + 1 : noun.i + 1], singular=True), preposition)
    if word.lower_ == "long":
        ago = follows is not None and follows.lower_ == "ago"
        return WhPhrase(start, word.i + 1 + ago, Asked.AGO if ago else Asked.DURATION, "duration", preposition)
    names = {"old": "age", "often": "frequency", "far": "distance", "tall": "height", "big": "size"}
    return WhPhrase(start, word.i + 1, Asked.NUMBER, names[word.lower_], preposition)


def asked_noun(doc: Doc, word: Token) -> Token | None:
    """The noun that a determiner-like wh-word belongs to: the last of the nouns that follow it without a break."""
    noun = None
    for token in doc[word.i + 1 :]:
        if token.pos_ in ("NOUN", "PROPN") or (token.pos_ == "ADJ" and noun is None and token.lemma_ != "much"):
            noun = token if token.pos_ != "ADJ" else noun
        elif (
            token.pos_ in ("ADJ", "ADV", "PUNCT", "PART")
            and noun is None
            and token.dep_ in ("amod", "compound", "advmod")
        ):
            continue
        else:
            break
        if token.head != word and token.dep_ in ("nsubj", "nsubjpass") and token.head.i < token.i:
            break
    return noun


def words(tokens: Iterable[Token], *, singular: bool = False) -> str:
    """The tokens' text in lower case, without determiners; with a singular last word if wanted."""
    kept = [t for t in tokens if t.pos_ != "DET" and t.dep_ != "case"]
    texts = [t.text if t.pos_ == "PROPN" else t.lower_ for t in kept]
    if singular and kept:
        texts[-1] = kept[-1].lemma_.lower()
    return " ".join(texts) or "thing"


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


def is_auxiliary(token: Token) -> bool:
    """True for do, have, be and the modals, contracted ones too."""
    return token.tag_ == "MD" or (token.lemma_ in AUXILIARIES and token.pos_ in ("AUX", "VERB")) or token.text == "'s"


def main_verb(auxiliary: Token, body: Sequence[Token]) -> Token | None:
    """The verb that the auxiliary belongs to; None where the auxiliary is itself the verb."""
    expected = EXPECTED.get(auxiliary.lemma_, ("VB",))
    nested = ("relcl", "acl", "advcl", "pcomp", "csubj")
    after = [t for t in body if t.i > auxiliary.i]
    if auxiliary.head != auxiliary and auxiliary.dep_ in ("aux", "auxpass") and auxiliary.head.i > auxiliary.i:
        return auxiliary.head
    if auxiliary.lemma_ == "be" and auxiliary.dep_ == "ROOT":
        return None
    if (
        auxiliary.lemma_ == "do"
        and after
        and could_be_base(after[-1])
        and not any(t.tag_ == "VB" and t.dep_ not in nested for t in after)
    ):
        return after[-1]
    for token in after:
        if token.tag_ in expected and token.dep_ not in nested:
            return token
    if auxiliary.lemma_ == "do":
        return next((t for t in reversed(after) if could_be_base(t)), None)
    return next((t for t in after if t.pos_ == "VERB" and t.dep_ not in nested), None)


def belongs_to_verb(token: Token, verb: Token) -> bool:
    """True for a negation or a further auxiliary between subject and verb."""
    passive = token.lemma_ == "get" and token.i == verb.i - 1
    return token.dep_ == "neg" or passive or (token.head == verb and token.dep_ in ("aux", "auxpass"))


def could_be_base(token: Token) -> bool:
    """True when the word could be a verb in its base form, whatever the tagger took it for."""
    before = token.nbor(-1) if token.i else None
    in_phrase = before is not None and (before.pos_ in ("DET", "ADJ", "PART") or before.tag_ in ("PRP$", "POS", "IN"))
    return token.lower_ == token.text and is_known(token.text, "v") and not in_phrase


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


def stranded_after(rest: Sequence[Token], verb: Token) -> Token | None:
    """A preposition without object, or a verb whose object is asked for: `go … with`, `decide to buy`."""
    for token in reversed(rest):
        if (
            token.pos_ == "ADP"
            and token.dep_ == "prep"
            and not any(c.dep_ in ("pobj", "pcomp") for c in token.children)
        ):
            return token
    if rest and rest[-1].pos_ == "ADP" and rest[-1].dep_ != "prt":
        return rest[-1]
    inner = [t for t in rest if t.pos_ == "VERB" and t.dep_ in ("xcomp", "ccomp") and t.i > verb.i]
    for token in inner:
        if not any(c.dep_ in ("dobj", "attr") and c.i > token.i for c in token.children):
            return token
    return None


def verb_group(auxiliary: Token, verb: Token, *, negated: bool) -> str:
    """The verb as a statement has it: do-support undone, other auxiliaries kept."""
    others = [t for t in verb.doc[auxiliary.i + 1 : verb.i] if belongs_to_verb(t, verb) and t.dep_ != "neg"]
    if negated:
        return " ".join([auxiliary.text.lower(), "not", *(t.text for t in others), verb.text])
    if auxiliary.lemma_ == "do":
        tag = {"VBD": "VBD", "VBZ": "VBZ"}.get(auxiliary.tag_, "VBD" if auxiliary.lower_ == "did" else "VB")
        first = others[0] if others else verb
        finite = inflect(first.text, first.lemma_, tag)
        return " ".join([finite, *(t.text for t in others[1:]), *([verb.text] if others else [])])
    text = {"'s": "is", "'re": "are"}.get(auxiliary.lower_, auxiliary.lower_)
    return " ".join([text, *(t.text for t in others), verb.text])


def inflect(text: str, lemma: str, tag: str) -> str:
    """The verb in the form that the Penn tag names."""
    from lemminflect import getInflection

    forms = getInflection(lemma.lower(), tag=tag)
    return str(forms[0]) if forms else text


def be_text(be: Token) -> str:
    """`is` for a contracted 's, else the verb in lower case."""
    return {"'s": "is", "’s": "is", "'re": "are"}.get(be.lower_, be.lower_)
