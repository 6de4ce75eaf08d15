"""Names, and the coarse types of nouns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Referent, TurnReading
from goalmem.language.name_masking import bare_titles, quoted_titles
from goalmem.language.times_words import DAYS_OF_WEEK
from goalmem.language.words.changes import DROPPING, GIVING, GOING, TAKING
from goalmem.language.words.nouns import KIN_CALLED, PLACED, TITLES
from goalmem.language.words.pronouns import ABSOLUTE, FIRST_PLURAL, FIRST_WRITTEN, SECOND_WRITTEN
from goalmem.language.words.verbs import MOTION_AT_LARGE, MOTION_TO_PLACES, TO_PERSONS

if TYPE_CHECKING:
    from spacy.tokens import Token


LABELS = {
    "PERSON": "person",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "ORG": "organization",
    "EVENT": "event",
    "WORK_OF_ART": "work",
    "PRODUCT": "thing",
    "LAW": "work",
}
MEASURES = {
    "DATE": "time",
    "TIME": "time",
    "QUANTITY": "quantity",
    "MONEY": "quantity",
    "PERCENT": "quantity",
    "CARDINAL": "quantity",
    "ORDINAL": "quantity",
}

OWNER = re.compile(r"['’]s\b")
"""Behind a name, that it is another's: `Beni's dad` is not Beni."""
PLURAL = ("NNS", "NNPS")
SAINTS = ("st", "st.", "saint")
ACTING = GOING | TAKING | GIVING | DROPPING
"""Verbs whose subject is a being."""


def find_titles(reading: TurnReading) -> None:
    """Annotate quotations that look like titles, and titles without quotation marks."""
    reading.titles.extend(sorted([*quoted_titles(reading.text), *bare_titles(reading.text)]))


def name(reading: TurnReading, token: Token) -> Referent | None:
    """The referent of a proper noun; None if the word is not a name."""
    title = reading.title_at(token)
    if title:
        return Referent(reading.text[title[0] : title[1]], "work", "name")
    if not _is_name(token):
        return None
    first, last = name_span(reading, token)
    text = _bare(reading.doc[first : last + 1].text)
    if first == last and last + 1 == token.sent.end:
        text = FULL_STOP.sub("", text)
    if is_genitive_name(token) and text.casefold() not in {s.casefold() for s in reading.speakers}:
        reading.names[token.i] = (first, last + 1)
        return Referent(f"{text}'s", "place" if _is_where(token) else "", "name")
    who = next((s for s in reading.speakers if s.lower() == text.lower()), "") or addressed(reading, text)
    reading.names[token.i] = (first, last)
    if who:
        if who.lower() != text.lower():
            reading.state(text, who)
        return Referent(who, "person", "name" if who.lower() == text.lower() else "alias")
    canonical = reading.canonical(text)
    kind = _name_type(token, text, reading)
    given, _, family = text.partition(" ")
    if (
        kind == "person"
        and family
        and given.lower().rstrip(".") not in TITLES
        and reading.aliases.get(given.lower(), text) == text
    ):
        reading.state(given, text)
    return Referent(
        canonical, kind, "name" if canonical == text else "alias", plural=token.tag_ == "NNPS" and token.n_lefts > 0
    )


def _is_name(token: Token) -> bool:
    """A proper noun, other than a capitalized ordinary word at the start of a sentence."""
    if is_unknown_actor(token):
        return True
    if (
        not (token.pos_ == "PROPN" or _is_singular_name(token))
        or token.ent_type_ in MEASURES
        or token.lower_ in DAYS_OF_WEEK
        or not any(c.isalpha() for c in token.text)
    ):
        return False
    if token.text.isupper() and len(token.text) > 2 and any(lexicon.is_known(token.lower_, pos) for pos in "nva"):
        return False  # an ordinary word, shouted
    subject = token.dep_ in ("nsubj", "nsubjpass", "poss") and token.tag_ == "NNP" and token.n_lefts == 0
    if token.ent_type_ in LABELS or not token.is_sent_start or subject:
        return True
    forms = (token.lower_, token.lemma_.lower(), token.lower_.removesuffix("s"))
    return not any(lexicon.is_known(form, pos) for pos in "nva" for form in forms)


def _is_singular_name(token: Token) -> bool:
    """`Lars`, `Ines`: a name that the tagger takes for the plural of no noun."""
    written = token.tag_ == "NNS" and token.text.istitle() and token.n_lefts == 0
    return written and not lexicon.is_known(token.lower_) and not lexicon.is_known(token.lemma_.lower())


def is_genitive_name(token: Token) -> bool:
    """`St. Mary's`, `Luigi's`, `I borrowed Tom's`: a genitive without a noun, which names something of theirs, not them.

    Not the double genitive (`a friend of Anna's`; Quirk et al. 1985, sections 5.123 to 5.126).
    """
    if token.dep_ in ("poss", "compound") or (token.dep_ == "pobj" and token.head.lower_ == "of"):
        return False
    behind = token.doc[token.i + 1 : token.i + 2]
    return token.pos_ == "PROPN" and len(behind) == 1 and behind[0].tag_ == "POS" and behind[0].head.i == token.i


def _is_where(token: Token) -> bool:
    """Behind a preposition of place: `at Luigi's`."""
    return token.dep_ == "pobj" and token.head.lower_ in ("at", "in", "to", "from", "near", "outside", "opposite")


def is_unknown_actor(token: Token) -> bool:
    """A capitalized word that no dictionary has and that acts: "Ines tossed it over", which the tagger takes for something else."""
    if not token.is_title or any(lexicon.is_known(token.lower_, pos) for pos in "nva"):
        return False
    if token.pos_ in ("ADV", "X"):
        return token.dep_ == "nsubj" and token.n_lefts == 0 and token.head.tag_ in ("VBD", "VBZ")
    return token.pos_ in ("NOUN", "PROPN") and _acts(token)


def name_span(reading: TurnReading, token: Token) -> tuple[int, int]:
    """First and last token of the name that `token` heads."""
    first = last = token.i
    doc = token.doc
    while first > token.sent.start and _joins(doc[first - 1], token):
        first -= 1
    first = min([first, *(_saint(t) for t in token.lefts if t.dep_ == "poss")])
    if token.ent_type_ in LABELS:
        while (
            last + 1 < token.sent.end
            and doc[last + 1].ent_iob_ == "I"
            and doc[last + 1].ent_type_ == token.ent_type_
            and not _joins_two(reading, doc[last + 1], token)
            and not (doc[last + 1] == token.head and doc[last + 1].pos_ in ("VERB", "AUX"))
            and not (doc[last + 1].dep_ == "nummod" and doc[last + 1].head.i > last + 1)  # `paid Tom 20 euros`
        ):
            last += 1
    if last == token.i and last + 1 < token.sent.end and doc[last + 1].dep_ == "nummod" and doc[last + 1].head == token:
        last += 1  # `ward 6`
    while last > token.i and (doc[last].is_punct or doc[last].pos_ == "PUNCT" or doc[last].tag_ == "POS"):
        last -= 1
    return first, last


def _saint(owner: Token) -> int:
    """Where the saint begins after whom something is named: the `St.` of `St. Mary's Hospital`; otherwise where that is."""
    edge = owner.left_edge
    return edge.i if edge.i < owner.i and edge.lower_ in SAINTS else owner.head.i


def _joins_two(reading: TurnReading, word: Token, head: Token) -> bool:
    """True if `and` joins two names that form a group (`two cats, Miso and Tofu`) or are each a subject."""
    if word.dep_ != "cc" or word.lower_ not in ("and", "or", "&"):
        return False
    if any(named == head.i and reading.doc[described].tag_ in PLURAL for described, named in reading.named):
        return True
    above = head.head
    if head.dep_ in ("nsubj", "nsubjpass"):
        finite = next((t for t in above.children if t.dep_ in ("aux", "auxpass") and t.i > head.i), above)
        return finite.tag_ in ("VBP", "VB") or finite.lower_ == "were"
    subject = next((t for t in above.children if t.dep_ == "nsubj"), above)
    return head.dep_ in ("attr", "acomp") and subject.tag_ in PLURAL


def _joins(word: Token, head: Token) -> bool:
    if word.tag_ == "POS" or word.is_punct or word.is_space:
        return False
    compound = word.dep_ in ("compound", "nmod", "amod", "flat") and word.head == head and word.text[:1].isupper()
    return compound or (
        word.ent_type_ == head.ent_type_ != "" and head.ent_iob_ == "I" and word.pos_ in ("PROPN", "NOUN", "ADJ", "ADP")
    )


def _bare(text: str) -> str:
    text = re.sub(r"'s$", "", text.strip("\"'*_ "))
    return re.sub(r"^(?:the|a|an) ", "", text, flags=re.IGNORECASE)


def _name_type(token: Token, text: str, reading: TurnReading) -> str:
    described = reading.types.get(text, "") or next(
        (kind for alias, name in reading.aliases.items() if name == text and (kind := type_of_alias(alias))), ""
    )
    label = LABELS.get(token.ent_type_, "") if "@" not in text else ""
    known = lexicon.coarse_type(text) if lexicon.is_known(text) else ""
    if label == "place" and not known and (token.dep_ != "pobj" or _is_given_to(token.head)):
        label = ""  # a name that the recognizer does not know, where a person is as likely
    given = token.dep_ == "dative" or (token.dep_ == "pobj" and _is_given_to(token.head))
    if label == "organization" and (_acts(token) or (given and not known)):
        label = ""  # a person is as likely
    words = text.lower().split()
    if len(words) > 1 and label in ("", "person", "organization"):
        label = next((t for w in (words[-1], words[0]) if (t := lexicon.coarse_type(w)) in PLACED), label)
    alone = token.n_lefts == len(words) - 1
    if (label != "person" and not known and lexicon.is_given_name(words[0]) and alone) or (
        label in ("", "organization") and alone and _is_named_person(token)
    ):
        label = "person"
    elif token.dep_ == "pobj" and _is_whereabouts(token.head, label):
        label = "place"
    place = known == "place" and label != "person" and not _acts(token)
    kind = described or ("place" if place else "" if known == label == "place" else label)
    if kind in ("place", "person", "animal"):
        reading.types.setdefault(text, kind)
    return kind


def _is_named_person(token: Token) -> bool:
    """True for a subject, owner, receiver, companion or agent that has a given name, even if that is another word as well: `Leo is ill`."""
    placed = token.dep_ in ("nsubj", "nsubjpass", "poss", "dative") or _is_done_to_persons(token)
    if (
        not placed
        or token.pos_ != "PROPN"
        or not token.text[:1].isupper()
        or not lexicon.may_be_given_name(token.lower_)
    ):
        return False
    said = next((t for t in token.head.children if t.dep_ == "attr" and token.dep_ == "nsubj"), None)
    return said is None or said.pos_ != "NOUN" or noun_type(said) in ("", "person")


def _is_done_to_persons(token: Token) -> bool:
    """`told Ana`, `works with Ana`, `written by Ana`: in these places stand persons, more often than things."""
    above = token.head
    if token.dep_ == "pobj":
        return above.dep_ == "agent" or (above.lower_ == "with" and above.head.pos_ == "VERB")
    return token.dep_ == "dobj" and above.lemma_ in TO_PERSONS


def _is_given_to(prep: Token) -> bool:
    """`gave the keys to Mara`: who gets something is no place (VerbNet, give-13.1: an animate recipient or an organization)."""
    moved = any(t.dep_ == "dobj" for t in prep.head.children)
    return prep.lower_ == "to" and moved and prep.head.lemma_ not in MOTION_TO_PLACES | MOTION_AT_LARGE


def _acts(token: Token) -> bool:
    """`John took the ball`, `Lena went home`: actions that exclude a place of that name."""
    plain = token.dep_ in ("nsubj", "nsubjpass", "conj") and token.n_lefts == 0
    first = token.head if token.dep_ == "conj" else token
    return (
        plain
        and first.dep_ in ("nsubj", "nsubjpass")
        and first.head.lemma_ in ACTING
        and first.head.tag_ in ("VBD", "VBZ", "VBN", "VBG")
    )


def _is_whereabouts(prep: Token, label: str) -> bool:
    """`in Porto`, `moved to Lisbon`, `came from Faro`; one comes to a person, but does not move to one."""
    if label not in ("", "organization", "person"):
        return False
    verbs = MOTION_TO_PLACES if label == "person" else MOTION_TO_PLACES | MOTION_AT_LARGE
    return prep.lower_ == "in" or (prep.lower_ in ("to", "from") and prep.head.lemma_ in verbs)


def type_of_alias(alias: str) -> str:
    """The coarse type of the referent of `maya's dog`."""
    _, owned, what = alias.rpartition("'s ")
    return lexicon.coarse_type(what.rsplit(" ", 1)[-1]) if owned else ""


def noun_type(token: Token) -> str:
    """The coarse type of a common noun, or of a measure."""
    if token.pos_ == "NUM" or token.ent_type_ in ("MONEY", "PERCENT", "QUANTITY"):
        return "quantity"
    if token.ent_type_ in ("DATE", "TIME") or token.lower_ in DAYS_OF_WEEK:
        return "time"
    if token.pos_ not in ("NOUN", "PROPN"):
        return ""
    compounds = [t.lower_ for t in token.lefts if t.dep_ == "compound"]
    joined = " ".join([*compounds[-1:], token.lemma_.lower()])
    return (lexicon.coarse_type(joined) if compounds else "") or lexicon.coarse_type(token.lemma_)


FULL_STOP = re.compile(r"(?<=^[^\W\d_])\.$|(?<=^[^\W\d_][^\W\d_])\.$")
"""What the parser takes for the end of an abbreviation, where it ends the sentence: `I share it with Priya and Mo.`"""
CALLED = {word: noun for noun, words in KIN_CALLED.items() for word in words}
NICKNAME = 3
"""Minimum length of a prefix that counts as a nickname (`Mel` for Melanie)."""


def speaker(reading: TurnReading, token: Token) -> Referent | None:
    """I, me, my, we -> the speaker; you, your -> the other one of two. Not inside quotations."""
    word = token.lower_
    if word == "'s" and token.tag_ == "PRP":
        word = "us"
    if word in ABSOLUTE and (token.dep_ != "pobj" or token.head.lower_ != "of"):
        return None  # `mine` refers to a possession, not to the speaker
    if (word not in FIRST_WRITTEN and word not in SECOND_WRITTEN) or reading.is_quoted(token):
        return None
    if word in FIRST_WRITTEN:
        name, how = reading.turn.author, "speaker"
    else:
        name, how = reading.addressee(token), "addressee"
    return Referent(name, "person", how, plural=word in FIRST_PLURAL) if name else None


def relative(reading: TurnReading, token: Token) -> Referent | None:
    """`Mum`, `Dad` without a determiner -> the speaker's own; said by an assistant, the other speaker's."""
    noun = token.lower_
    if (
        noun not in CALLED
        or token.pos_ not in ("NOUN", "PROPN")
        or token.tag_ in ("NNS", "NNPS")
        or reading.is_quoted(token)
    ):
        return None
    before = reading.doc[token.i - 1] if token.i else None
    behind = reading.doc[token.i + 1] if token.i + 1 < len(reading.doc) else None
    described = any(t.dep_ != "punct" for t in token.lefts) or token.dep_ in ("compound", "attr", "appos", "amod")
    joined = any(t is not None and t.pos_ == "PROPN" and t.lower_ not in CALLED for t in (before, behind))
    if described or joined or any(s.casefold() == noun for s in reading.speakers):
        return None
    own = reading.other() if reading.turn.role == "assistant" else reading.turn.author
    if not own:
        return None
    reading.owned.setdefault(token.i, (own, noun))
    called = f"{own}'s {noun}"
    known = reading.canonical(called)
    return Referent(known, "person", "owner" if known == called else "alias", lexicon.gender(CALLED[noun]))


def addressed(reading: TurnReading, name: str) -> str:
    """The participant addressed by a first name or nickname: `Mel` -> Melanie, if unambiguous; otherwise empty."""
    name = name.lower()
    if len(name) < NICKNAME:
        return ""
    called = [s for s in reading.speakers if s.lower().startswith(name) and not OWNER.match(s, len(name))]
    return called[0] if len(called) == 1 else ""
