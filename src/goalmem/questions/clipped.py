"""Questions of a few words, in full: `whats my dogs name`, `rent how much`, `name of my instructor`, `whose is the van`.

Such a question omits the verb, the apostrophe of a possessive, or both. Once these are added, it is read like any other.
"""

from __future__ import annotations

import re

from goalmem.language import lexicon
from goalmem.language.terms import LETTERS
from goalmem.language.words.function_words import MODALS
from goalmem.language.words.pronouns import SUBJECTS

LONGEST = 8
"""Words of a question without a verb."""
OWNER = re.compile(
    r"^(?P<lead>(?:.*? )?(?:my|our|your|his|her|their) )(?P<owner>[a-z]+)s (?P<owned>[a-z]+)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
BE = frozenset("is are was were be been isn ain s am".split())
CALLED = re.compile(r" (?:called|named|like)$", re.IGNORECASE)
"""The end of a question for a name or a description."""
CONTRACTED = re.compile(r"^(what|who|where|when|how)s(?=\s)", re.IGNORECASE)
FAVOURITE = re.compile(r"\bfav(?:e|s|es|orit)?\b", re.IGNORECASE)
ASKED = "how much|how many|how often|what time|what day|which day|when|where"
BEHIND = re.compile(rf"^(?P<what>.+?),? (?P<asked>{ASKED})$", re.IGNORECASE)
BEFORE = re.compile(rf"^(?P<asked>{ASKED}) (?P<what>.+)$", re.IGNORECASE)
OF = re.compile(r"^(?P<noun>[a-z]+) of (?P<whose>.+)$", re.IGNORECASE)
ACTING = (MODALS - {"ought"}) | frozenset("do does did has have had".split())
"""Auxiliaries of a full verb."""
AUXILIARIES = ACTING | (BE - {"s"})
OWNED_BY = re.compile(r"^whose (?P<be>is|are|was|were) (?P<what>(?!it\b|this$|that$|these$|those$).+)$", re.IGNORECASE)


def in_full(question: str) -> str:
    """The question, without its mark, with the omitted verb and apostrophe; unchanged if it omits neither."""
    question = _with_apostrophe(FAVOURITE.sub("favourite", CONTRACTED.sub(r"\1's", question)))
    found = BEHIND.match(question) or BEFORE.match(question)
    if found is not None and _is_thing(found["what"]):
        return f"{found['asked']} {_is(found['what'])} {found['what']}"
    if (found := OWNED_BY.match(question)) is not None:
        do = {"is": "does", "are": "do"}.get(found["be"].casefold(), "did")
        return f"who {do} {found['what']} belong to"
    if (found := OF.match(question)) is not None and _is_phrase(question) and lexicon.is_known(found["noun"]):
        return f"what {_is(found['noun'])} the {question}"
    return question


def _with_apostrophe(question: str) -> str:
    """`my sons teacher` as `my son's teacher`, if a person is followed by something they may have."""
    found = OWNER.match(question)
    if found is None:
        return question
    behind = found["owned"] + CALLED.sub("", found["rest"])
    lead = {w.casefold() for w in LETTERS.findall(found["lead"])}
    # `do my sons play football` has its verb behind `sons`, `does my sons team play on Sunday` behind `team`.
    acts = bool(lead & ACTING)
    if acts and (_is_verb(found["owned"]) or not any(map(_is_verb, LETTERS.findall(found["rest"].casefold())))):
        return question
    if not acts and not _is_phrase(behind):
        return question
    owner = found["owner"].casefold()
    being = lexicon.coarse_type(owner) in ("person", "animal") and not lexicon.is_known(f"{owner}s")
    named = lexicon.is_known(found["owned"].casefold())
    return f"{found['lead']}{found['owner']}'s {found['owned']}{found['rest']}" if being and named else question


def _is_phrase(words: str) -> bool:
    """True if a few words contain no verb and no subject pronoun."""
    said = [w.casefold() for w in LETTERS.findall(words)]
    return len(said) <= LONGEST and not any(w in AUXILIARIES or w in SUBJECTS or _is_verb(w) for w in said)


def _is_thing(words: str) -> bool:
    """True if a few words name something."""
    said = words.split()
    return _is_noun(said[-1]) and (len(said) == 1 or _is_phrase(words))


def _is_noun(word: str) -> bool:
    return word[:1].isupper() or any(lexicon.is_known(form) for form in (word, word.removesuffix("s")))


def _is_verb(word: str) -> bool:
    """True if a word is an inflected verb, or more often a verb than a noun or an adjective."""
    stem = word.removesuffix("s")
    base = (
        stem if stem != word and lexicon.tagged_uses(stem, "v") > lexicon.tagged_uses(stem) else lexicon.base_form(word)
    )
    if base != word and not word.endswith("ing"):
        return True
    uses = [max(lexicon.tagged_uses(form, pos) for form in {word, base}) for pos in "vna"]
    return uses[0] > max(uses[1:])


def _is(phrase: str) -> str:
    last = phrase.split()[-1].casefold()
    return "are" if last.endswith("s") and not last.endswith("ss") and lexicon.is_known(last[:-1]) else "is"
