"""Questions put as a statement, with or without a tag: `Carla teaches chemistry, doesn't she?` as `Does Carla teach chemistry?`.

A tag repeats the auxiliary and the subject of its statement (Quirk et al. 1985, sections 11.8 to 11.12). Which answer it expects does not
matter: `I don't smoke, do I?` is answered as `Do I smoke?` is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goalmem.language.words.empty_phrases import LEADING
from goalmem.language.words.function_words import ASKS_WHETHER, NEGATIONS
from goalmem.language.words.pronouns import INTERROGATIVES
from goalmem.language.words.verbs import DOUBTING

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacy.tokens import Doc, Token

TAG = re.compile(
    r"(?:,\s*|\s[–—-]\s*|\s+)(?:"
    r"(?:(?:is|are|was|were|do|does|did|(?P<has>has|have|had)|would|could|should|must|ai|ca|wo)n['’]?t"
    r"|am|is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|must) (?:i|you|he|she|it|we|they|there)(?: not)?"
    r"|is(?:n['’]?t| not)? (?:that|it) (?:right|correct|true|so)|am i (?:right|wrong)|innit|don['’]?t you think"
    r"|(?<=, )(?:right|correct|true|yes|yeah|no|huh|eh|or))\s*\?+\s*$",
    re.IGNORECASE,
)
"""The tag of a question, with the comma before it."""
IN_FULL = {"m": "am", "re": "are", "ca": "can", "wo": "will", "ve": "have", "ll": "will"}
"""Auxiliaries that are contracted, or change before a negation; of `'s` and `'d` the parse decides."""
HELPERS = {"VBD": "did", "VBZ": "does", "VBP": "do"}
"""The auxiliary that asks about a verb without one, by its tag."""


def asked_in_order(question: str, analyze: Callable[[str], Doc]) -> str:
    """A question put as a statement, with the word order of a question; any other text is returned unchanged."""
    if not question.rstrip().endswith("?"):
        return question
    tag = TAG.search(question)
    told = question[: tag.start() if tag is not None else None].rstrip("? ,")
    if not told or _first_word(told) in ASKS_WHETHER | INTERROGATIVES:
        return question
    doc = analyze(f"{told}.")
    verb = next((t for t in doc if t.dep_ == "ROOT"), None)
    if verb is None or sum(t.dep_ == "ROOT" for t in doc) > 1 or any(t.lower_ in INTERROGATIVES for t in doc):
        return question
    verb = _thought(verb)
    subject = next((t for t in verb.children if t.dep_ in ("nsubj", "nsubjpass", "expl") and t.i < verb.i), None)
    finite = _finite(verb)
    if subject is None or finite is None or subject.i > finite.i:
        return question
    return _in_order(doc, verb, subject, finite, (tag["has"] or "").lower() if tag is not None else "")


def _first_word(text: str) -> str:
    """The first word that says something, in lower case."""
    return next((w for w in re.findall(r"[\w'’]+", text.casefold()) if w not in LEADING), "")


def _thought(verb: Token) -> Token:
    """The verb of what the asker supposes: of `I think the meeting is at three, right?` it is asked whether that is so."""
    supposed = next((t for t in verb.children if t.dep_ == "ccomp" and t.i > verb.i), None)
    mine = any(t.dep_ == "nsubj" and t.lower_ == "i" for t in verb.children)
    return supposed if supposed is not None and mine and verb.lemma_ in DOUBTING else verb


def _finite(verb: Token) -> Token | None:
    """The word that carries the tense."""
    first = min((t for t in verb.children if t.dep_ in ("aux", "auxpass")), key=lambda t: t.i, default=verb)
    return first if first.tag_ in ("VBD", "VBZ", "VBP", "MD") else None


def _in_order(doc: Doc, verb: Token, subject: Token, finite: Token, has: str) -> str:
    """Auxiliary, subject, verb and rest; what stood before the subject comes last. `has`: a form of have in the tag."""
    denied = {t.i for t in verb.children if t.dep_ == "neg" or t.lower_ in NEGATIONS - {"no"}}
    denied |= {t.i for t in finite.children if t.dep_ == "neg"}
    first, last = subject.left_edge.i, subject.right_edge.i
    helper, left = _word(finite, has), {finite.i}
    moves = finite.i != verb.i or verb.lemma_ == "be"
    if not moves:
        helper, left = HELPERS[finite.tag_], set()
    start = verb.left_edge.i
    front = "".join(t.text_with_ws for t in doc[start:first] if t.lower_ not in LEADING and not t.is_punct)
    said = [*doc[first : last + 1]]
    behind = [t for t in doc[last + 1 : len(doc) - 1] if t.i not in left | denied]
    words = [t.lemma_ + t.whitespace_ if t.i == verb.i and not moves else t.text_with_ws for t in behind]
    whole = "".join(t.text_with_ws for t in said).strip()
    if said[0].pos_ != "PROPN" and said[0].lower_ != "i":
        whole = f"{whole[:1].lower()}{whole[1:]}"
    text = f"{helper} {whole} {''.join(words).strip()} {front.lower() if front[1:].islower() else front}"
    text = " ".join(text.split())
    return f"{text[:1].upper()}{text[1:]}?"


def _word(finite: Token, has: str) -> str:
    """An auxiliary in full."""
    bare = finite.lower_.strip("'’")
    perfect = finite.dep_ == "aux" and finite.head.tag_ == "VBN"
    if bare == "s":
        return has or ("has" if perfect else "is")
    if bare == "d":
        return has or ("had" if perfect else "would")
    return IN_FULL.get(bare, finite.lower_)
