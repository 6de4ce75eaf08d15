"""The intent of a question: a recommendation, an earlier conversation, or reminiscence.

Detected by grammar if possible (subject, tense), otherwise by general words of asking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.language.words.nouns import ADVICE, MEASURES_ASKED, TALKS
from goalmem.language.words.pronouns import FIRST_PERSON, FIRST_PERSONAL
from goalmem.language.words.verbs import ADVISING, ASKING_FRAMES, CHOOSING, LOOKING_BACK, PAST_PHRASES, WANTING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


_YOU = "you"
_FRAMING = frozenset({"ROOT", "xcomp", "ccomp", "conj", "advcl"})


def is_frame(verb: Token) -> bool:
    """True if a verb only introduces the question: `can you remind me …`, `do you remember …`, `I wonder …`."""
    subject = _subject(verb)
    if subject is not None and subject.lower_ not in {_YOU, *FIRST_PERSONAL}:
        return False
    if any(is_our_talk(t) for child in verb.children for t in (child, *child.children) if t.dep_ in ("dobj", "pobj")):
        return True
    if verb.lemma_.lower() == "wonder":
        return True
    return verb.lemma_.lower() in ASKING_FRAMES and verb.dep_ in _FRAMING and not _is_past(verb) and _asks(verb)


def _asks(verb: Token) -> bool:
    return any(t.dep_ in ("ccomp", "dobj", "xcomp", "prep", "dative") for t in verb.children)


def is_measure(token: Token) -> bool:
    """True if a noun is one of `MEASURES`."""
    return token.lemma_.lower() in MEASURES_ASKED


def asks_recommendation(doc: Doc) -> bool:
    """True if the question asks for a suggestion or an opinion."""
    return asks_advice_now(doc) or any(map(_should_i, doc))


def asks_advice_now(doc: Doc) -> bool:
    """True if the one asked is to advise now: `can you suggest …`, `any tips?`, `what do you think?`. No memory holds the answer."""
    return any(_advises(t) or wants_advice(t) or _opinion(t) or _choosing(t) for t in doc)


def about_assistant(doc: Doc) -> bool:
    """True if the question is about what the assistant said or did before: `what did you say`, `our last chat`.

    An assistant only talks, so any past verb with `you` as its subject counts.
    """
    return any(_you_did(t) or _reminds(t) or is_our_talk(t) for t in doc)


def reminiscence(doc: Doc) -> bool:
    """True if the question recalls the past for its own sake: nostalgia, the old days, remembering when."""
    if any(t.lemma_.lower() in LOOKING_BACK for t in doc):
        return True
    text = " ".join(t.lower_ for t in doc if not t.is_space)
    return any(phrase in text for phrase in PAST_PHRASES) and not any(map(is_our_talk, doc))


def _advises(token: Token) -> bool:
    """`Can you recommend …`, `suggest me …`, but not `what did you recommend`."""
    if token.lemma_.lower() not in ADVISING or token.pos_ != "VERB" or _is_past(token):
        return False
    if any(t.dep_ == "neg" or t.lower_ in ("must", "should") for t in token.children):
        return False
    subject = _subject(token)
    return token.tag_ in ("VB", "VBP") and (subject is None or subject.lower_ == _YOU)


def wants_advice(token: Token) -> bool:
    """`Any tips on …`, `do you have some ideas`, `I need advice`; not `what advice did Ana get`."""
    if token.lemma_.lower() not in ADVICE or token.pos_ != "NOUN":
        return False
    asked = any(t.lower_ in ("any", "some", "other", "more") for t in token.lefts)
    verb = token.head if token.head.pos_ == "VERB" else None
    if verb is None or verb.i == token.i:
        return asked
    subject = _subject(verb)
    ours = subject is None or subject.lower_ in {_YOU, *FIRST_PERSONAL}
    wanted = verb.lemma_.lower() in WANTING
    return ours and (asked or wanted) and not (token.dep_ == "dobj" and _is_past(verb))


def _should_i(token: Token) -> bool:
    """`What should I …`, `should we …`."""
    if token.lower_ != "should" or token.dep_ != "aux":
        return False
    subject = _subject(token.head)
    return subject is not None and subject.lower_ in FIRST_PERSONAL


def _opinion(token: Token) -> bool:
    """`What do you think`, `do you think I'd like …`."""
    subject = _subject(token)
    return token.lemma_.lower() == "think" and subject is not None and subject.lower_ == _YOU and not _is_past(token)


def _choosing(token: Token) -> bool:
    """`Help me choose …`, `can you help us find …`."""
    if token.lemma_.lower() not in CHOOSING or token.head.lemma_.lower() != "help" or _is_past(token.head):
        return False
    return any(t.lower_ in FIRST_PERSONAL for t in (*token.lefts, *token.head.children))


def _you_did(token: Token) -> bool:
    # The parser may take the relative pronoun for a subject, too: `the two that you mentioned`.
    return any(t.lower_ == _YOU and t.dep_ in ("nsubj", "nsubjpass") for t in token.children) and _is_past(token)


def _reminds(token: Token) -> bool:
    """`Remind me of the name of that place`; but what is mine (`when my flight leaves`) I said myself."""
    if token.lemma_.lower() != "remind" or not any(t.lower_ in FIRST_PERSONAL for t in token.children):
        return False
    return not any(t.lower_ in FIRST_PERSON for t in token.subtree if t.head.i != token.i and t.i > token.i)


def is_our_talk(token: Token) -> bool:
    """True if a noun refers to an earlier conversation with the assistant: `our previous chat`."""
    if token.lemma_.lower() not in TALKS or token.pos_ != "NOUN":
        return False
    return any(t.lower_ in ("our", "previous", "earlier", "last", "past") for t in token.lefts) and any(
        t.lower_ in ("our", "we", _YOU) for t in token.doc
    )


def _subject(verb: Token) -> Token | None:
    return next((t for t in verb.children if t.dep_ in ("nsubj", "nsubjpass")), None)


def _is_past(verb: Token) -> bool:
    """True for past and perfect: `said`, `did say`, `have said`, `had been saying`."""
    helpers = {t.lower_ for t in verb.children if t.dep_ in ("aux", "auxpass")}
    if helpers & {"did", "was", "were", "had"} or (verb.tag_ == "VBN" and helpers & {"have", "has", "'ve"}):
        return True
    return verb.tag_ == "VBD" and not any(t.tag_ == "MD" for t in verb.children)
