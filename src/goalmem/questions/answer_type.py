"""The type of answer, if the question word and the verb alone do not give it.

A noun gives it in `what was the fee?`, `Elio's date of birth?`, `the robe, what colour was it?`; a verb in `what does it weigh?`; an
adjective in `how heavy is it?`. The type is one of a few that values can be tested for (a time, an amount of money, a number with a unit
…), or the noun itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.language.lexicon import is_mainly
from goalmem.language.words.function_words import BE_WRITTEN
from goalmem.language.words.nouns import ATTRIBUTES_BEFORE_NOUNS, TIME_NOUNS
from goalmem.language.words.pronouns import CHOICES, INTERROGATIVES
from goalmem.questions.wh import CLOCK_TIME, WEEKDAY, inside_relative

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


IDENTIFIER = "identifier"
"""The type of numbers and codes that identify something: `which order number`."""
COUNTED = "number of "
PUNCTUATION = frozenset(", ; : - – — ( …".split())
TYPES = {
    **dict.fromkeys(
        "price cost fee rent fare salary wage fine deposit budget bill quote bid debt pay money".split(), "amount"
    ),
    **dict.fromkeys("discount refund surcharge premium payment bonus loan stipend pension allowance".split(), "amount"),
    **dict.fromkeys(
        (*TIME_NOUNS, "birthday", "deadline", "night", "evening", "morning", "afternoon", "weekend"), "time"
    ),
    **dict.fromkeys("hour o'clock".split(), CLOCK_TIME),
    **dict.fromkeys("duration interval period".split(), "duration"),
    **dict.fromkeys("name surname nickname".split(), "name"),
    **dict.fromkeys("colour color shade".split(), "colour"),
    **dict.fromkeys("relation relationship relative kinship".split(), "relation"),
    **dict.fromkeys("number code id reference version identifier".split(), IDENTIFIER),
    **dict.fromkeys("job profession occupation career".split(), "occupation"),
    **dict.fromkeys("temperature speed dose dosage percentage total sum mark mileage rating limit".split(), "measure"),
    **dict.fromkeys("age weight height length width depth distance size score reason".split(), ""),
}
"""By noun, the type that it asks for; empty for the noun itself."""
ADJECTIVES = {
    "heavy": "weight",
    "high": "height",
    "deep": "depth",
    "wide": "width",
    "thick": "width",
    "late": "duration",
    "soon": "duration",
    "fast": "measure",
    "low": "measure",
    "hot": "measure",
    "cold": "measure",
    "strong": "measure",
    "large": "size",
    "small": "size",
    "expensive": "amount",
    "young": "age",
    "come": "reason",
}
"""By the word after `how`, the type that it asks for."""
VERBS = {
    **dict.fromkeys("cost owe pay charge spend earn".split(), "amount"),
    "weigh": "weight",
    "last": "duration",
    "measure": "size",
}
"""By verb, the type of the object that `what` asks for."""


def asking_word(doc: Doc) -> Token | None:
    """The question word, also after a topic (`the robe, what colour was it?`) and at the end (`the trial is
    when?`); None if there is none.
    """
    asking = [t for t in doc if t.lower_ in INTERROGATIVES]
    plain = next((t for t in asking if not inside_relative(t, doc)), None)
    return plain if plain is not None else next((t for t in asking if _is_late(t, doc)), None)


def _is_late(wh: Token, doc: Doc) -> bool:
    words = [t for t in doc if not t.is_punct]
    if wh == words[-1]:
        return True
    behind = doc[wh.i + 1]
    opening = doc[wh.i - 1]
    if opening.pos_ in ("ADP", "CCONJ", "INTJ", "ADV") and wh.i > 1:
        opening = doc[wh.i - 2]
    if opening.text not in PUNCTUATION:
        return False
    if wh.lower_ == "which":
        return behind.pos_ in ("NOUN", "ADJ", "NUM") or behind.lower_ in ("one", "ones", "of")
    said = any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") and t.i < wh.i for t in doc)
    return wh.lower_ in CHOICES or not said


def refine_type(type_: str, doc: Doc, wh: Token | None) -> str:
    """A type refined by the words of the question: `thing` by its noun or its verb, `delivery date` to a time."""
    if wh is not None and wh.lower_ == "whose" and type_ == "thing":
        return "person"
    if wh is not None and type_ in ("manner", "thing") and asks_called(doc, wh):
        return "name"
    if type_ == "manner" and any(t.lower_ == "related" and t.tag_ == "VBN" and t.dep_ != "amod" for t in doc):
        return "relation"
    if wh is not None and wh.lower_ == "how" and type_ == "manner" and wh.i + 1 < len(doc):
        return ADJECTIVES.get(doc[wh.i + 1].lower_, type_)
    if type_ == "thing":
        return type_of_words(doc, wh) or type_
    if type_.startswith(COUNTED):
        counted = type_.removeprefix(COUNTED).split()[-1]
        much = wh is not None and doc[wh.i + 1].lower_ == "much" and _of_noun(counted) == "amount"
        return "amount" if much or is_mainly(counted, "monetary unit") else type_
    if type_ == "amount" and wh is not None and wh.lower_ == "how":
        return type_of_how_much(doc, wh)
    first, *rest = type_.split()
    if rest and first in ATTRIBUTES_BEFORE_NOUNS:
        return TYPES.get(first) or first
    if type_ in (CLOCK_TIME, WEEKDAY) or " of " in type_ or " or " in type_:
        return type_
    named = _of_noun(type_) or type_
    # `Which bill` asks for one of them, `what rent` for the amount.
    return type_ if named == "amount" and wh is not None and wh.lower_ == "which" else named


def asks_called(doc: Doc, wh: Token) -> bool:
    """True if the question asks for a name."""
    words = [t for t in doc[wh.i + 1 :] if not t.is_punct]
    named = any(t.lower_ in ("called", "named") and t.tag_ in ("VBN", "VBD") for t in words)
    return wh.lower_ in ("what", "how") and named and bool(words) and words[0].lower_ in BE_WRITTEN


def type_of_how_much(doc: Doc, wh: Token) -> str:
    """The type for `how much`: money, except for a weight, a share or a difference; for `how many` alone: a number."""
    words = [t.lower_ for t in doc[wh.i :]]
    if words[1:2] == ["many"]:
        return "number"
    if any(t.lemma_.lower() == "weigh" for t in doc):
        return "weight"
    before = doc[wh.i - 1].lower_ if wh.i else ""
    return "measure" if before == "by" or words[2:3] == ["of"] else "amount"


def type_of_words(doc: Doc, wh: Token | None) -> str:
    """The type that a verb (`what did it cost?`) or a noun asks for: after `what is`, or without a verb; otherwise empty."""
    if wh is None:
        return _of_topic(doc, 0)
    if wh.lower_ != "what" or wh.i + 1 == len(doc):
        return ""
    if doc[wh.i + 1].lower_ in BE_WRITTEN:
        return _of_topic(doc, wh.i + 2)
    words = [t for t in doc if not t.is_punct]
    # A verb at the end is often parsed as a noun: `what does a sack of lime cost`.
    verb = next((t for t in words if t.i > wh.i and t.pos_ == "VERB" and t.lemma_.lower() != "do"), words[-1])
    if verb.lemma_.lower() not in VERBS or doc[wh.i + 1].pos_ not in ("AUX", "VERB"):
        return ""
    # `What did Ann pay for?` asks for a thing.
    return "" if words[-1].pos_ == "ADP" and words[-2] == verb else VERBS[verb.lemma_.lower()]


def _of_topic(doc: Doc, start: int) -> str:
    """The type given by the noun phrase that begins at a token; empty if none begins there."""
    head = _first_head(list(doc[start:]))
    if head is None:
        return ""
    behind = doc[head.i + 1 : head.i + 3]
    if head.lower_ == "time":
        return CLOCK_TIME if len(behind) and behind[0].lower_ == "of" else ""
    if head.lower_ == "number" and len(behind) == 2 and behind[0].lower_ == "of":
        counted = next((t for t in doc[head.i + 2 :] if t.tag_ in ("NNS", "NNPS")), None)
        return f"{COUNTED}{counted.lemma_.lower()}" if counted is not None else IDENTIFIER
    return _of_noun(head.lemma_.lower())


def _is_date_behind(token: Token, head: Token) -> bool:
    """True if a word is of a date behind a noun that is of none, and does not own it: `Kim's last day`."""
    return token.ent_type_ in ("DATE", "TIME") and head.ent_type_ != token.ent_type_ and head.dep_ != "poss"


def _first_head(words: list[Token]) -> Token | None:
    """The head of the noun phrase at the start, after adverbs; None if there is none."""
    while words and (
        words[0].pos_ in ("ADV", "INTJ", "CCONJ") or words[0].lower_ in ("so", "again", "roughly", "about")
    ):
        words.pop(0)
    head, owner = None, True
    for token in words:
        if head is not None and _is_date_behind(token, head):
            break  # `my rent last year`
        if token.pos_ in ("NOUN", "PROPN"):
            head = token
        elif token.pos_ == "DET" or token.tag_ == "PRP$":
            if not owner:
                break
        elif token.tag_ in ("VBN", "VBG"):
            if head is not None and not owner:
                break
        elif token.pos_ not in ("NUM", "ADJ") and token.tag_ != "POS":
            break
        owner = token.tag_ == "POS" or token.pos_ == "DET" or token.tag_ == "PRP$" or token.pos_ == "ADJ"
    return head


def _of_noun(phrase: str) -> str:
    """The type that a noun phrase asks for by its last noun; empty if not known."""
    noun = phrase.split()[-1].casefold() if phrase.strip() else ""
    if noun in TYPES:
        return TYPES[noun] or noun
    return "amount" if is_mainly(noun, "cost") or is_mainly(noun, "payment") else ""
