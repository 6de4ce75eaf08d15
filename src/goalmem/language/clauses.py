"""The clauses of a document, their hierarchy, and their verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Clause, TurnReading
from goalmem.language.verb_forms import contracted
from goalmem.language.words.empty_phrases import REQUEST_TO_REMEMBER
from goalmem.language.words.verbs import INTRANSITIVE, REPORTING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


CLAUSAL = frozenset(
    "ROOT ccomp xcomp advcl relcl acl pcomp csubj csubjpass conj parataxis dep appos intj nsubj dobj attr pobj".split()
)
SUBJECT_DEPS = ("nsubj", "nsubjpass", "csubj", "expl")
DASHES = frozenset("- – — -- ; :".split())
CONTRACTED = {
    "gon": "go",
    "wan": "want",
    "wanna": "want",
    "gonna": "go",
    "got": "get",
    "'s": "be",
    "'m": "be",
    "'re": "be",
    "'ve": "have",
    "ai": "be",
}


def find_clauses(reading: TurnReading) -> None:
    """Adds the document's clauses, in the order of their verbs, each with its matrix clause."""
    heads: dict[int, Clause] = {}
    for token in reading.doc:
        if (_is_head(token) or misread_like(token)) and not reading.in_title(token) and not _connects(token):
            heads[token.i] = Clause(token, predicate(token))
    for token_i, clause in heads.items():
        token = reading.doc[token_i]
        if token.dep_ != "ROOT":
            clause.link = token.dep_
            clause.matrix = _above(token, heads)
        if _connects(token.head):
            clause.link = ""
        if (clause.link == "ccomp" and _put_first(token)) or _after_dash(token):
            clause.link = "parataxis"
        if clause.link == "relcl" and any(t.tag_ == "TO" for t in token.lefts):
            clause.link = "acl"
        clause.light = token.dep_ == "acl" and token.lemma_ in ("name", "call", "nickname")
        marked = not is_perfect(token) and any(t.dep_ in ("auxpass", "nsubjpass", "agent") for t in token.children)
        clause.passive = token.lemma_ != "be" and token.tag_ in ("VBN", "VBD") and (marked or _bare_passive(token))
        if gets_married(token):
            clause.predicate, clause.passive = "marry", True
        reading.clauses.append(clause)


def _connects(token: Token) -> bool:
    """The `following` of "Following that she left", which says when, like `after that` (Quirk et al. 1985, section 9.8)."""
    first = token.lower_ == "following" and token.i == token.sent.start and token.i + 1 < token.sent.end
    return first and token.nbor().lower_ in ("that", "this") and any(t.dep_ == "ccomp" for t in token.children)


def _is_head(token: Token) -> bool:
    if token.pos_ not in ("VERB", "AUX") or token.dep_ not in CLAUSAL:
        return False
    if token.dep_ in ("nsubj", "dobj", "attr", "pobj", "intj", "appos"):
        return token.tag_ == "VBG" and any(t.dep_ == "dobj" for t in token.children)
    if token.dep_ in ("conj", "dep"):
        return token.head.pos_ in ("VERB", "AUX") or any(t.dep_ in SUBJECT_DEPS for t in token.children)
    return True


def has_got(token: Token) -> bool:
    """`I've got a dog`: one has it."""
    have = any((t.lemma_ == "have" and t.tag_ in ("VBP", "VBZ")) or contracted(t) == "'s" for t in token.children)
    return token.lower_ == "got" and have and any(t.dep_ == "dobj" for t in token.children)


def is_perfect(token: Token) -> bool:
    """The 's of "it's done wonders", "she's lived here for years" is has: a passive has no object and no duration."""
    if token.tag_ != "VBN" or not any(contracted(t) == "'s" for t in token.children):
        return False
    lasting = any(t.lower_ in ("for", "since") and t.dep_ in ("prep", "mark") for t in token.children)
    return lasting or token.lemma_ in INTRANSITIVE or any(t.dep_ == "dobj" for t in token.children)


def gets_married(token: Token) -> bool:
    """The `getting` of `We are getting married`, whose participle the parser takes for an adjective (Quirk et al. 1985, section 3.66)."""
    return token.lemma_ == "get" and any(t.dep_ == "acomp" and t.lower_ == "married" for t in token.children)


def _put_first(token: Token) -> bool:
    """A full clause before the one it is parsed under, as in "Tea is hot; I like it", unless that reports it."""
    if token.head.lemma_ in REPORTING or token.head.i < token.i:
        return False
    subject = any(t.dep_ in SUBJECT_DEPS for t in token.children)
    above = subject_of(token.head)
    diary = token.tag_ in ("VBD", "VBG", "VBN") and above is not None and above.lower_ in ("it", "that", "this")
    return (subject or diary) and not any(t.dep_ == "mark" for t in token.children)


def _after_dash(token: Token) -> bool:
    """`I made a big decision - left my job`: a clause of its own, its subject left out."""
    if (
        token.tag_ != "VBD"
        or token.dep_ not in ("relcl", "acl", "advcl", "ccomp", "dep")
        or subject_of(token) is not None
    ):
        return False
    first = token.left_edge
    before = token.doc[first.i - 1] if first.i > token.sent.start else first
    return first.text in DASHES or before.text in DASHES


def _bare_passive(token: Token) -> bool:
    """`a book written by Anna`."""
    return token.dep_ == "acl" and token.tag_ == "VBN"


def _above(token: Token, heads: dict[int, Clause]) -> Clause | None:
    while token.head.i != token.i:
        token = token.head
        if token.i in heads:
            return heads[token.i]
    return None


LETTING = frozenset({"rent", "let", "lease", "hire", "lend"})
"""Verbs that with `out` say the converse: who rents a flat out is no tenant of it."""


def predicate(token: Token) -> str:
    """The verb's lemma with its particle: `pick up`."""
    if hidden_like(token) is not None:
        return "like"
    if has_got(token):
        return "have"
    lemma = CONTRACTED.get(contracted(token)) or lexicon.base_form(token.lemma_.lower())
    particle = next(
        (t.lower_ for t in token.children if t.dep_ == "prt" or (t.lower_ == "out" and lemma in LETTING)), ""
    )
    return f"{lemma} {particle}".strip()


def is_question(sent: Span) -> bool:
    """True if the sentence ends in a question mark, possibly followed by other marks, and asks more than to remember something."""
    marked = any("?" in t.text for t in sent[-4:] if not t.is_alpha)
    return marked and REQUEST_TO_REMEMBER.match(sent.text) is None


def is_asked(token: Token) -> bool:
    """True when the word's sentence is a question."""
    return is_question(token.sent)


def misread_like(token: Token) -> bool:
    """The `like` of "Do you like jazz?", which the tagger takes for a preposition."""
    return token.lower_ == "like" and token.dep_ == "ROOT" and any(t.dep_ == "nsubj" for t in token.children)


def hidden_like(token: Token) -> Token | None:
    """The same, where the parser makes a preposition of it."""
    if token.lemma_ != "do" or not any(t.dep_ == "nsubj" for t in token.children) or not is_asked(token):
        return None
    return next((t for t in token.children if t.dep_ == "prep" and t.lower_ == "like"), None)


def dependents(token: Token) -> list[Token]:
    """A verb's dependents, including those that the parser attaches to its auxiliary: "when did you get married"."""
    found = list(token.children)
    return found + [t for a in found if a.dep_ in ("aux", "auxpass") for t in a.children]


def subject_of(token: Token) -> Token | None:
    """The verb's own subject."""
    found = [t for t in dependents(token) if t.dep_ in ("nsubj", "nsubjpass")]
    return found[0] if found else None


def finite_form(token: Token) -> Token | None:
    """The word that carries the tense: the first auxiliary, or the verb itself when it is finite."""
    auxiliaries = [t for t in dependents(token) if t.dep_ in ("aux", "auxpass") and t.tag_ != "TO"]
    first = min(auxiliaries, key=lambda t: t.i) if auxiliaries else token
    return first if first.tag_ in ("VBD", "VBZ", "VBP", "MD") else None
