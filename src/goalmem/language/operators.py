"""Operators that keep a clause from being asserted: `almost`, `hardly`, `apparently`, `formerly`, `in my dream`.

Approximative and negative adverbs: Sevi 1998, "A Semantics for Almost and Barely"; Quirk et al. 1985, sections 8.111 to 8.122
(approximators, minimizers) and 10.59 (words negative in meaning). Evidential and epistemic adverbs: Quirk et al. 1985, section
8.127; Chafe 1986, "Evidentiality in English". Fiction and dreams as what they are parts of: Lewis 1978, "Truth in Fiction".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause
from goalmem.language.clauses import dependents, finite_form, subject_of
from goalmem.language.lexicon import is_a
from goalmem.language.verb_forms import contracted
from goalmem.language.words.function_words import ALMOST, NEGATIVE_ADVERBS
from goalmem.language.words.modifiers import FORMER_ADVERBS, HEARSAY, HOPED, POSSIBLE
from goalmem.language.words.nouns import FICTION, RUMOURS, WORKS
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token


NEGATIVE_PHRASES = re.compile(
    r"\b(?:in no way|by no means|on no account|far from|anything but|not at all|not in the least|just about|nowhere near|not even close to)$",
    re.IGNORECASE,
)
"""Words before a denied phrase; `just about` before a verb is `almost`."""
DENIED_AFTER = re.compile(
    r"(?:in no way|by no means|far from|anything but|not at all|not in the least|nowhere near|not even close)\b",
    re.IGNORECASE,
)
ALL_BUT = re.compile(r"\ball but$", re.IGNORECASE)
FRONTED = re.compile(
    r"\W*(?:and |but |so )?(?:neither|nor|never|not once|not(?! (?:only|just|merely|simply)\b)|at no time|on no account|under no circumstances|no way|seldom|rarely"
    r"|hardly|barely|scarcely)\b",
    re.IGNORECASE,
)
"""Fronted negations (Quirk et al. 1985, section 10.58)."""
NO_CHANCE = re.compile(
    r"\W*(?:and |but |so |lol |haha )?(?:(?:there'?s |there is )?(?:absolutely )?(?:no|zero|not a|fat|slim) (?:way|chance|hope)(?: in hell| on earth)?"
    r"|like hell|the hell|hell no|no way in hell|as if)(?: (?:that|of))?$",
    re.IGNORECASE,
)
"""Phrases that deny the following clause: `no way I'm moving`, `zero chance that she signed it`, `like hell I paid`."""
LEFT_OUT = re.compile(r"\b(?:rather than|let alone|much less|never mind|as opposed to)(?: \w+ly)?$", re.IGNORECASE)
SUPPOSED_HERE = re.compile(
    r"\W*(?:now |so |just |ok |okay |please )*(?:imagine|picture|suppose|supposing|pretend|assume|say that|what if|if only|as if"
    r"|let(?:'s| us) (?:say|assume|imagine|pretend|suppose))\b",
    re.IGNORECASE,
)
SUPPOSED_BEFORE = re.compile(r"\b(?:picture|imagine|suppose) (?:this|that|it)\s*:\s*$", re.IGNORECASE)
SUPPOSING_OF_MINE = re.compile(r"\W*(?:imagine|picture) (?:my|our|how)\b", re.IGNORECASE)
"""`Imagine my surprise when …` reports a fact."""

PROVISO = re.compile(r"\b(?:(?:up)?on (?:the |one |sole |single )*condition|provid(?:ed|ing)) that\b", re.IGNORECASE)
"""Compound conjunctions of condition (Quirk et al. 1985, section 15.34), which parsers take for phrases and verbs."""

ACCORDING = re.compile(r"\W*according to (?!(?:me|us|my|our|plan)\b)", re.IGNORECASE)

_BEFORE = 6
"""Tokens before a sentence in which `SUPPOSED_BEFORE` fits, with line ends."""


def adverbial_modality(clause: Clause) -> Modality | None:
    """The modality that an adverbial gives the clause; None if it does not change it."""
    head = clause.verb
    words = {t.lower_ for t in _near(head)}
    if words & HEARSAY or _according(head):
        return Modality.REPORTED
    if words & HOPED:
        return Modality.WISH
    if words & POSSIBLE or _framed(head):
        return Modality.HYPOTHETICAL
    if words & FORMER_ADVERBS:
        return Modality.FORMER
    return None


def is_supposition(head: Token) -> bool:
    """True if the sentence opens with a supposition (`Picture this: …`, `Let's say …`), or advises (`had better`)."""
    doc, sent = head.doc, head.sent
    if SUPPOSED_HERE.match(sent.text) or SUPPOSED_BEFORE.search(doc[max(0, sent.start - _BEFORE) : sent.start].text):
        return not SUPPOSING_OF_MINE.match(sent.text)
    return any(t.lower_ in ("better", "best") and t.i and contracted(doc[t.i - 1]) in ("had", "'d") for t in head.lefts)


def is_on_condition(clause: Clause) -> bool:
    """True if the sentence of a clause that is not about the past says on what condition: both are open."""
    sent = clause.verb.sent
    return clause.tense != "past" and PROVISO.search(sent.text) is not None


def is_superlative(head: Token) -> bool:
    """True for `couldn't agree more` and `couldn't be happier`, which say to what degree and not that it is not so.

    A negated `can` with a comparative and nothing that it is compared with (Huddleston and Pullum 2002, chapter 13, section 4.1).
    """
    able = any(t.dep_ == "aux" and t.lower_ in ("can", "ca", "could") for t in head.children)
    denied = any(t.dep_ == "neg" for t in head.children)
    degrees = (t for t in head.rights if t.dep_ in ("advmod", "acomp") and t.tag_ in ("RBR", "JJR"))
    return able and denied and any(not {"than", "any", "no"} & {t.lower_ for t in d.children} for d in degrees)


def follows_rather_than(head: Token) -> bool:
    """True if the verb directly follows `rather than` or `let alone`."""
    return LEFT_OUT.search(head.doc[head.sent.start : head.i].text) is not None


def has_negative_adverb(head: Token) -> bool:
    """True if an approximative or negative adverb precedes the verb or the predicate."""
    doc = head.doc
    if _fronted(head) or _hopeless(head) or ALL_BUT.search(doc[head.sent.start : head.i].text):
        return True
    for token in _near(head):
        before_always = token.i + 1 < len(doc) and doc[token.i + 1].lower_ in ("always", "every", "all", "never", "no")
        if token.lower_ in ALMOST and token.i < head.i and token.head.i == head.i and not before_always:
            return True
        if token.lower_ in NEGATIVE_ADVERBS:
            return True
    if DENIED_AFTER.match(doc[head.i + 1 : head.sent.end].text):
        return True
    for token in (head, *(t for t in head.children if t.dep_ in ("acomp", "attr", "advmod", "prep"))):
        first = token if token.i == head.i or token.pos_ == "ADJ" else token.left_edge
        if NEGATIVE_PHRASES.search(doc[first.sent.start : first.i].text):
            return True
    return False


def _fronted(head: Token) -> bool:
    """`Neither did I …`, `not once did she …`: a negation at the front turns subject and auxiliary round."""
    subject, finite = subject_of(head), finite_form(head)
    if subject is None or finite is None or finite.i > subject.i or finite.i == finite.sent.start:
        return False
    return FRONTED.match(head.doc[finite.sent.start : finite.i].text) is not None


def _hopeless(head: Token) -> bool:
    """`No way I'm moving`: the clause's own words begin right behind a phrase that denies it."""
    own = [t.left_edge.i for t in dependents(head) if t.dep_ in ("nsubj", "nsubjpass", "aux", "auxpass", "expl")]
    first, start = min(own, default=head.i), head.sent.start
    return first > start and NO_CHANCE.match(head.doc[start:first].text) is not None


def names_fiction(noun: Token) -> bool:
    """True if a noun names a piece of fiction or a dream."""
    return noun.lemma_.lower() in FICTION


def is_rumour(noun: Token) -> bool:
    """True if a noun names hearsay."""
    return noun.lemma_.lower() in RUMOURS


def _near(head: Token) -> Iterator[Token]:
    """Adverbs of the verb, and of the adjective or noun that it says of its subject."""
    for token in dependents(head):
        if token.dep_ in ("advmod", "neg", "preconj", "cc"):
            yield token
        if token.dep_ in ("acomp", "attr", "oprd", "advmod", "prep"):
            yield from (t for t in token.lefts if t.dep_ in ("advmod", "neg"))


def _according(head: Token) -> bool:
    """`According to Ivo, …`, where it is not according to the speaker."""
    if ACCORDING.match(head.doc[head.sent.start : head.i].text):
        return True
    marks = (t for t in head.children if t.lower_ == "according" and t.dep_ in ("prep", "advmod", "advcl"))
    return any(not {"me", "my", "us", "our"} & {t.lower_ for t in mark.subtree} for mark in marks)


def _framed(head: Token) -> bool:
    """`In my novel I …`, `In the book I'm writing, a man …`: a fronted phrase that places the rest in fiction or in a dream."""
    subject = subject_of(head)
    words = head.doc[head.sent.start : subject.i if subject is not None else head.i]
    if not words or words[0].lower_ not in ("in", "during"):
        return False
    nouns = takewhile(
        lambda t: t.pos_ == "NOUN", dropwhile(lambda t: t.pos_ in ("DET", "PRON", "ADJ", "NUM"), words[1:])
    )
    noun = next(reversed([*nouns]), None)
    return noun is not None and (names_fiction(noun) or noun.lemma_.lower() in WORKS or is_a(noun.lemma_, "dream"))
