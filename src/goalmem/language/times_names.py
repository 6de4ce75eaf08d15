"""Months and days of the week that are the names of persons and animals here: `my sister April`, `Jan and I`, `May called`.

The context decides. After a preposition of time, next to a number, or as the subject of what periods do ("April was
cold"), the word is a time; next to a name or a pronoun, after a title, or as the subject of saying, getting or doing
something, it is a name. A word that is a name once in a text is a name in all ambiguous places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from goalmem.language import lexicon
from goalmem.language.times_words import DAY_NAMES, MONTHS, UNIT, either
from goalmem.language.words.function_words import ORDINARY
from goalmem.language.words.nouns import ANIMATE, TITLES
from goalmem.language.words.verbs import OF_PERIODS, TO_PERSONS

_WORD = rf"(?P<w>{either(name.title() for name in MONTHS)}|{either(name.title() for name in DAY_NAMES)})"
_CANDIDATE = re.compile(rf"\b{_WORD}\b(?!\.? ?\d|'?\d)")
_CALENDAR = either([*MONTHS, *DAY_NAMES, "easter", "christmas", "xmas", "ramadan", "lent"])
_SOMEONE = rf"(?:I|me|he|him|she|her|we|us|they|them|(?!(?i:{_CALENDAR})\b)[A-Z][a-z]+|(?:my|our|his|her|their) [a-z]+)"
_OWNER = r"(?i:my|our|your|his|her|their|\w+'s)"
_TIMED = re.compile(
    r"\b(?:in|since|until|till|by|during|throughout|before|after|around|last|this|next|past|coming|every|each|most|early|late|mid|on|the"
    rf"|a|one|{either(MONTHS)}|\d+(?:st|nd|rd|th)?)[ -]$",
    re.IGNORECASE,
)
"""Words of time and numbers: the word behind them is one, too."""
_JOINED = re.compile(rf"\b(?P<first>{_WORD.replace('?P<w>', '?:')}),? (?:and|&) $")
_MEASURED = re.compile(
    rf"'s (?:{UNIT}|end|start|beginning|middle)\b|,? (?:of )?(?:(?:last|this|next) year|\d)", re.IGNORECASE
)
_TITLE = re.compile(rf"\b(?:{either(t.title() for t in TITLES)})\.? $")
_GREETED = re.compile(
    r"\b(?:hi|hey|hello|dear|thanks|thank you|sorry|bye|congrats|happy birthday|love you),? $", re.IGNORECASE
)
_NAMING = re.compile(
    r"\b(?:named|(?:is|was|are|were|am|I'm|he's|she's|it's|been|being) called|nicknamed|name is|name's|name was)"
    r" (?:[A-Z][a-z]+,? (?:and|&|or) )?$"
)
_BESIDE = re.compile(rf"\b{_SOMEONE},? (?:and|&) $")
_AND = re.compile(rf",? (?:and|&) {_SOMEONE}\b(?!,? (?:and|&) (?i:{_CALENDAR})\b)")
_STARTS = re.compile(r"(?:^|[.!?:;,\n(] ?|\b(?:that|because|when|if|but|so|and) )$", re.IGNORECASE)
_OF_OWNER = re.compile(rf"\b{_OWNER} (?:[a-z]+ ){{0,2}}?(?P<noun>[a-z]+),? $")
_FIRST_NAME = re.compile(r"(?:^|(?<=[\w,.] ))(?P<name>[A-Z][a-z]+) $")
_IS_OWNED = re.compile(
    rf"(?P<with>,| is| was|'s) {_OWNER} (?P<nouns>[a-z]+(?: [a-z]+){{0,2}})(?P<end>[,.!?)]|$| (?:is|was|has|and)\b)?"
)
_HAS = re.compile(r"'s (?:(?:new|old|little|big|own|favou?rite) )?(?P<noun>[a-z]+)")
_ADVERB = r"(?:(?:just|also|then|finally|never|always|still|already|even|once|[a-z]+ly) )?"
_DOES = re.compile(rf" {_ADVERB}(?P<verb>[a-z]+)\b")
_AUXILIARY = re.compile(
    rf"(?:'s| (?:is|was|isn't|wasn't)) {_ADVERB}(?P<doing>[a-z]+ing)\b"
    rf"|(?:'(?:ll|d)| (?:will|won't|would|has|had|hasn't|can|can't|could|couldn't|does|doesn't|did|didn't)) (?:not )?{_ADVERB}(?P<bare>[a-z]+)\b"
)
_ASKED = re.compile(r"\b(?:did|does|has|had|will|can|could|would|should|didn't|doesn't|hasn't) $", re.IGNORECASE)
_WHERE = re.compile(r"\b(?:who|where|how old)(?: is| was|'s) $", re.IGNORECASE)
_ADDRESSED = re.compile(r", (?:can|could|please|would|will|do|did|have|are|what|how|when|where|I|you)\b")
_CLAUSE = re.compile(r"[.!?;:,\n(]")
_FINITE = re.compile(rf"(?:'s|'ll| (?:is|was|will|would|has|had|can|(?:{either(OF_PERIODS)})(?:e?s|ed)))\b")
_NEAR = 6
"""Words before `to` among which its verb is."""
_LOOK = 80
"""Characters on either side that are looked at."""


def calendar_names(text: str) -> frozenset[tuple[int, int]]:
    """The spans of such names in a text."""
    text = text.replace("’", "'")
    places = [
        (m, text[max(0, m.start() - _LOOK) : m.start()], text[m.end() : m.end() + _LOOK])
        for m in _CANDIDATE.finditer(text)
    ]
    free = [
        (m, before, behind) for m, before, behind in places if not (_TIMED.search(before) or _MEASURED.match(behind))
    ]
    sure = {m.group() for m, before, behind in free if _is_named(m.group(), before, behind)}
    for m, before, _ in free:  # "I met April and June": a conjunct of a name is a name.
        if (joined := _JOINED.search(before)) and joined["first"] in sure:
            sure.add(m.group())
    return frozenset(m.span() for m, _, _ in free if m.group() in sure)


def _is_named(word: str, before: str, behind: str) -> bool:
    """True if the words around one show that it is a name."""
    if _TITLE.search(before) or _NAMING.search(before) or _is_apposed(before, behind):
        return True
    # "I saw my brother Sunday": bare weekdays are common.
    if word.lower() in DAY_NAMES:
        return False
    return any(sign(before, behind) for sign in (_is_addressed, _is_joined, _acts, _is_met, _owns))


def _is_apposed(before: str, behind: str) -> bool:
    """`Sunday, our cat, is ill`, `April is my sister`; not `on Sunday, my wife …`."""
    owned = _IS_OWNED.match(behind)
    types = {lexicon.coarse_type(noun) for noun in owned["nouns"].split()} if owned else set()
    if owned is None or "time" in types or not types & ANIMATE:
        return False
    return owned["with"] != "," or bool(owned["end"] and _STARTS.search(before))


def _is_addressed(before: str, behind: str) -> bool:
    """`my sister April`, `Theresa May`, `Hi June`, `April, can you …`."""
    owner, first = _OF_OWNER.search(before), _FIRST_NAME.search(before)
    if owner and is_being(owner["noun"]):
        return True
    if first and not _ASKED.search(before) and _is_first_name(first["name"].lower()):
        return True
    return bool(_GREETED.search(before) or (_STARTS.search(before) and _ADDRESSED.match(behind)))


def _is_first_name(word: str) -> bool:
    """A word that the dictionary lacks or lists as a person's name."""
    known = any(lexicon.is_known(word, kind) for kind in "nva") or lexicon.base_form(word) != word
    person = lexicon.is_named(word) and lexicon.coarse_type(word) == "person"
    return word not in ORDINARY and (person or not known)


def _is_joined(before: str, behind: str) -> bool:
    """`Jan and I`, `Mark and Jan`; not `in April, and I`."""
    beside = _BESIDE.search(before)
    if beside and not _TIMED.search(before[: beside.start()]):
        return True
    return _AND.match(behind) is not None and _STARTS.search(before) is not None and not _JOINED.search(before)


def _acts(before: str, behind: str) -> bool:
    """`May called`, `Jan will call`, `did April move`: actions that exclude a period."""
    asked = _ASKED.search(before)
    if not asked and not _STARTS.search(before):
        return _WHERE.search(before) is not None
    if (found := _AUXILIARY.match(behind)) is not None:
        return any(map(_is_of_person, (found["bare"],) if found["bare"] else _stems(found["doing"], "ing")))
    said = _DOES.match(behind)
    if said is None:
        return False
    return any(map(_is_of_person, (said["verb"],) if asked else _past_stems(said["verb"])))


def _past_stems(verb: str) -> tuple[str, ...]:
    """Possible stems of a finite form; `showers` is hardly a verb."""
    base = lexicon.base_form(verb)
    present = tuple(v for v in _stems(verb, "s") if lexicon.tagged_uses(v, "v") > lexicon.tagged_uses(v))
    return (base,) if base != verb else (*_stems(verb, "ed"), *present)


def _stems(verb: str, ending: str) -> Iterator[str]:
    """Possible stems of a regular form: `called` -> call, calle; `stopped` -> stopp, stop."""
    stem = verb.removesuffix(ending)
    if stem != verb and len(stem) > 1:
        yield from (stem, f"{stem}e", f"{stem[:-1]}y" if stem.endswith("i") else stem)
        yield stem[:-1] if stem[-1] == stem[-2] else stem


def _is_of_person(verb: str) -> bool:
    return lexicon.is_known(verb, "v") and verb not in OF_PERIODS


def _is_met(before: str, behind: str) -> bool:
    """`I met April`, `gave the key to June`, `with April`; not `I see June is full`."""
    words = re.findall(r"[\w']+", _CLAUSE.split(before)[-1].lower())[-_NEAR:] if before[-1:] == " " else []
    if not words or _FINITE.match(behind):
        return False
    if words[-1] != "to":
        words = words[-1:]
    return words == ["with"] or any({w, *_past_stems(w), *_stems(w, "ing")} & TO_PERSONS for w in words)


def _owns(before: str, behind: str) -> bool:
    """`June's bike`, `April's mother`; not `June's rent`."""
    owned = _HAS.match(behind)
    return owned is not None and (is_being(owned["noun"]) or lexicon.is_a(owned["noun"], "conveyance"))


def is_being(noun: str) -> bool:
    """True for a noun of persons or animals."""
    return lexicon.coarse_type(noun) in ANIMATE
