"""Repairs of phrases: what is an object, an apposition, or a modifier of a noun."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.language.lexicon import coarse_type, is_a
from goalmem.language.name_masking import is_title

if TYPE_CHECKING:
    from spacy.tokens import Token

PAID_TO = frozenset("owe give pay lend send charge hand transfer".split())
"""Verbs with an amount and who gets it (VerbNet 13.1, 13.3, 54.5)."""


def correct_lemma(word: Token) -> None:
    """The lemma of `hates` is `hate`, and that of `rides` is `ride`: the parser's rules only cut the ending off."""
    from goalmem.language.inflection import getLemma

    if word.pos_ == "VERB" and word.text.isalpha():
        lemmas = getLemma(word.lower_, "VERB", lemmatize_oov=False)
        if lemmas and word.lemma_ not in lemmas:
            word.lemma_ = lemmas[0]


def attach_title(word: Token) -> None:
    """A title behind a noun and a comma is in apposition to it: `the book, "Dune"`."""
    if word.i > 1 and is_title(word) and word.nbor(-1).text == "," and word.dep_ != "conj":
        noun = word.nbor(-2)
        if noun.pos_ == "NOUN" and not word.is_ancestor(noun):
            word.head, word.dep_ = noun, "appos"


def attach_amount_spent(word: Token) -> None:
    """Of who `spent 4 days there`, the days are what was spent."""
    if word.dep_ == "npadvmod" and word.head.lemma_ == "spend" and any(t.dep_ == "nummod" for t in word.lefts):
        word.dep_ = word.dep_ if any(t.dep_ == "dobj" for t in word.head.children) else "dobj"


def attach_object(name: Token) -> None:
    """In `I met Ida last week`, the name directly behind the verb is its object, no time."""
    verb = name.head
    timed = name.ent_type_ in ("DATE", "TIME") or coarse_type(name.lower_) == "time"
    if name.dep_ != "npadvmod" or name.tag_ != "NNP" or timed or verb.pos_ != "VERB" or name.left_edge.i != verb.i + 1:
        return
    if not any(t.dep_ in ("dobj", "nsubjpass", "auxpass") for t in verb.children):
        name.dep_ = "dobj"


def join_compound(doing: Token) -> None:
    """A noun and a gerund modify the noun behind them: a `bird watching workshop` is a workshop, no bird."""
    if doing.tag_ != "VBG" or doing.dep_ not in ("acl", "advcl") or not 0 < doing.i < len(doing.doc) - 1:
        return
    if not _names_event(doing):
        return
    what, event = doing.nbor(-1), doing.nbor()
    verb = next((t for t in what.ancestors if t.pos_ in ("VERB", "AUX")), event)
    for child in [*what.children, *doing.children]:
        if child.i not in (doing.i, event.i, what.i):
            timed = child.dep_ == "prep" and any(t.ent_type_ in ("DATE", "TIME") for t in child.children)
            child.head = verb if timed or child.dep_ in ("npadvmod", "advmod") else event
    event.head, event.dep_ = (event if what.head.i == what.i else what.head), what.dep_
    what.head = doing.head = event
    what.dep_ = doing.dep_ = "compound"


def _names_event(doing: Token) -> bool:
    """True if a gerund stands between a noun and what people do with it: `bird watching workshop`; not `a man playing tennis`."""
    what, event = doing.nbor(-1), doing.nbor()
    plain = what.tag_ == event.tag_ == "NN" and event.dep_ == "dobj" and event.head.i == doing.i
    above = doing.head.i == what.i or doing.head in what.ancestors
    if not plain or not above or coarse_type(what.lower_) in ("person", "organization"):
        return False
    return any(is_a(event.lemma_, kind) for kind in ("event", "group")) and not is_a(event.lemma_, "diversion")


def attach_after_price(name: Token) -> None:
    """What follows a price is in apposition to what was bought: `a bike for 380, a blue Gazelle`."""
    amount = name.head
    if name.dep_ == "appos" and amount.dep_ == "pobj" and amount.tag_ == "CD" and name.tag_ != "CD":
        bought = next((t for t in amount.head.head.children if t.dep_ == "dobj" and t.i < amount.i), None)
        name.head = bought if bought is not None else amount


def attach_creditor(name: Token) -> None:
    """In `I owe Priya 50 dollars`, the name behind the verb says to whom, and is no part of the amount."""
    amount = name.head
    verb = amount.head
    if name.tag_ != "NNP" or amount.dep_ != "dobj" or name.i != verb.i + 1 or verb.lemma_ not in PAID_TO:
        return
    if name.dep_ in ("compound", "nmod", "npadvmod") and any(t.dep_ == "nummod" for t in amount.children):
        name.head, name.dep_ = verb, "dative"


def attach_owned(owned: Token) -> None:
    """In `my friend Tom's mother is a judge`, the mother is, and the friend is part of the name of whose she is."""
    noun = owned.head
    name = next((t for t in owned.lefts if t.dep_ == "poss"), None)
    if owned.dep_ != "appos" or name is None or name.pos_ != "PROPN" or name.left_edge.i != noun.i + 1:
        return
    if noun.pos_ != "NOUN" or noun.head.i == noun.i or not any(t.dep_ in ("poss", "det") for t in noun.lefts):
        return
    owned.head, owned.dep_ = noun.head, noun.dep_
    for word in [*noun.lefts]:
        word.head = name
    noun.head, noun.dep_ = name, "compound"


def attach_compared(thing: Token) -> None:
    """In `I like tea better than coffee`, tea is what is liked, and no measure."""
    degree = thing.head
    if thing.dep_ != "npadvmod" or degree.tag_ not in ("JJR", "RBR") or thing.ent_type_ in ("DATE", "TIME"):
        return
    verb = degree.head
    beside = thing.left_edge.i == verb.i + 1 and thing.right_edge.i + 1 == degree.i
    if beside and verb.pos_ == "VERB" and not any(t.dep_ == "dobj" for t in verb.children):
        thing.head, thing.dep_ = verb, "dobj"
