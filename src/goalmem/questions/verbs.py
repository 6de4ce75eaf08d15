"""The verb of a question and its auxiliaries, and the verb of the corresponding statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from goalmem.language.lexicon import is_known
from goalmem.language.morphology import inflect
from goalmem.language.words.function_words import AUXILIARIES
from goalmem.language.words.modifiers import RANKS_OF_EVENTS

if TYPE_CHECKING:
    from spacy.tokens import Token


MEASURED_BY = frozenset({"cost", "weigh"})
"""Verbs whose subject is measured; they end a question."""
EXPECTED = {"do": ("VB", "VBP"), "have": ("VBN", "VBD"), "be": ("VBG", "VBN")}
"""Tags of the verb after an auxiliary; a modal takes VB."""


def is_auxiliary(token: Token) -> bool:
    """True for do, have, be and the modals, also contracted."""
    return token.tag_ == "MD" or (token.lemma_ in AUXILIARIES and token.pos_ in ("AUX", "VERB")) or token.text == "'s"


def main_verb(auxiliary: Token, body: Sequence[Token]) -> Token | None:
    """The verb that the auxiliary belongs to; None if the auxiliary is itself the verb."""
    expected = EXPECTED.get(auxiliary.lemma_, ("VB",))
    nested = ("relcl", "acl", "advcl", "pcomp", "csubj")
    after = [t for t in body if t.i > auxiliary.i]
    # In `What does Alice like?`, `Alice` may be parsed as the verb.
    after = [t for t in after if not (auxiliary.lemma_ == "do" and t.tag_ == "VB" and t.text[:1].isupper())]
    if after and after[-1].lower_ in MEASURED_BY and auxiliary.lemma_ == "do" and could_be_base(after[-1]):
        return after[-1]  # `How much did the car cover cost?`
    if auxiliary.head in after and auxiliary.dep_ in ("aux", "auxpass"):
        return auxiliary.head
    if auxiliary.lemma_ == "be" and auxiliary.dep_ == "ROOT":
        return None
    if after and after[-1].lower_ in RANKS_OF_EVENTS and any(could_be_base(t) for t in after[:-1]):
        after = after[:-1]
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


def order_word(body: Sequence[Token], verb: Token) -> Token | None:
    """The word that asks for an order, whatever its tag: `last` in `did Ann last buy`, not in `last week`."""
    return next((t for t in body if t.lower_ in RANKS_OF_EVENTS and t != verb and stands_by_verb(t, verb)), None)


def stands_by_verb(token: Token, verb: Token) -> bool:
    """True if a word like `last` belongs to the verb and not to a noun after it or a determiner before it."""
    before = token.nbor(-1) if token.i else None
    if before is not None and (before.pos_ in ("DET", "ADP") or before.tag_ in ("PRP$", "POS")):
        return False
    behind = token.nbor() if token.i + 1 < len(token.doc) else None
    if behind is None or behind == verb or behind.pos_ in ("PUNCT", "ADP", "SCONJ", "CCONJ", "AUX"):
        return True
    return token.pos_ == "ADV" and token.dep_ == "advmod" and token.head.pos_ in ("VERB", "AUX")


def could_be_base(token: Token) -> bool:
    """True if the word could be a verb in base form, whatever its tag."""
    before = token.nbor(-1) if token.i else None
    in_phrase = before is not None and (before.pos_ in ("DET", "ADJ", "PART") or before.tag_ in ("PRP$", "POS", "IN"))
    return token.lower_ == token.text and is_known(token.text, "v") and not in_phrase


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
    """The verb of the statement: do-support removed, other auxiliaries kept."""
    others = [t for t in verb.doc[auxiliary.i + 1 : verb.i] if belongs_to_verb(t, verb) and t.dep_ != "neg"]
    if negated:
        helper = "does" if is_asker(auxiliary.nbor()) and auxiliary.lower_ == "do" else auxiliary.norm_.lower()
        return " ".join([helper, "not", *(t.text for t in others), verb.text])
    if auxiliary.lemma_ == "do":
        # `I` becomes the asker's name, and the verb agrees with it.
        plain = "VBZ" if is_asker(auxiliary.nbor()) else "VB"
        tag = {"VBD": "VBD", "VBZ": "VBZ"}.get(auxiliary.tag_, "VBD" if auxiliary.lower_ == "did" else plain)
        first = others[0] if others else verb
        finite = inflect(first.lemma_.lower(), tag, first.text)
        return " ".join([finite, *(t.text for t in others[1:]), *([verb.text] if others else [])])
    text = {"'s": "is", "'re": "are"}.get(auxiliary.lower_, auxiliary.lower_)
    if is_asker(auxiliary.nbor()):
        text = {"am": "is", "have": "has"}.get(text, text)
    return " ".join([text, *(t.text for t in others), verb.text])


def is_asker(token: Token) -> bool:
    """True for `I`."""
    return token.lower_ == "i" and token.pos_ == "PRON"


def be_text(be: Token) -> str:
    """`is` for a contracted 's, otherwise the verb in lower case."""
    return {"'s": "is", "’s": "is", "'re": "are"}.get(be.lower_, be.lower_)
