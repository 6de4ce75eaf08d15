"""Decide if a clause asserts what a question asks, about the right people.

Plans, wishes and reports answer only questions that ask for them ("What does Ann want to buy?"), and former states only questions about the
past.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from goalmem.language.complements import NONVERIDICAL
from goalmem.language.lexicon import coarse_type
from goalmem.language.terms import WORD, terms_of
from goalmem.language.verb_forms import is_past, verb_bases
from goalmem.language.words.function_words import EMPTY_VERBS, NEGATIVES, NEGATIVES_ASKED
from goalmem.language.words.modifiers import FORMER_ADVERBS
from goalmem.language.words.nouns import AGENTS
from goalmem.language.words.pronouns import SOMEBODY
from goalmem.language.words.verbs import ARRANGED, HOPES, PLANS
from goalmem.records import Argument, Fact, Modality

ASKED_OF = re.compile(
    r"\b(?:did|does|do|has|have|had|is|was|were|are|will|would|can|could|am|might|should)\s+((?:the\s+|my\s+)?[\w'’-]+(?:\s[A-Z][\w'’-]+)*)"
)
"""The subject that a question asks about: the words after its auxiliary."""
OF_GOAL = re.compile(
    r"(?!Which|What|Who|How|When|Where)([A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*) (?:[a-z]+ ){1,3}(?:which|what|who|how|when|where)\b"
)
"""The subject of the sentence of a goal: `User rented what?`."""
BEFORE = re.compile(
    rf"\b(?:{'|'.join(sorted(FORMER_ADVERBS))}|before(?=[.?!,]*\s*$|\s+(?:in|at|as|for|with|on)\s))", re.IGNORECASE
)
"""Adverbs of former states."""
DENIED = re.compile(
    r"^(?:\w+ )?(?:what|which|who|whom|where)\b[^?,;]*?(?:\w+n['’]t|\b(?:can|do|does|did|will|would|is|are|was|were|has|have|had|could|should|cannot)\b[^?,;]*?\b(?:not|never))\b",
    re.IGNORECASE,
)
"""A question with a negated auxiliary."""
WHO = re.compile(
    r"^(?:and |so |but )?who(?:se)?\b(?! (?:did|does|do|is|was|were|are|has|have|had) [A-Z])", re.IGNORECASE
)
UNTIL_EVENT = re.compile(
    r"\bhow (?:long|many \w+) had\b.*\b(?:when|before|until|by the time|at the time)\b", re.IGNORECASE
)
UNTIL_NOW = re.compile(r"\b(?:have|has)\b|['’](?:ve|s)\b", re.IGNORECASE)
"""The perfect: up to the time of speaking (Quirk et al. 1985, section 4.20)."""
CASES = frozenset({"if", "when", "whenever", "in case"})
"""Roles of the clause that names the case in which another holds."""
CASE_ASKED = re.compile(r"\b(?:if|when|whenever|in case)\b", re.IGNORECASE)
NOBODY = frozenset(terms_of("i we you user"))
"""Stems of words for the speaker and the addressee, who change between a statement and a question."""
AGO = re.compile(r"\W*(?:ago|now)\b", re.IGNORECASE)


def asks_before(text: str) -> bool:
    """True if a text is about what came before the present state: `Where did Ann live before?`.

    False if it says before what: that is a time.
    """
    return BEFORE.search(text) is not None


def asks_denial(text: str) -> bool:
    """True if a question asks what is not so: `What won't Ann eat?`."""
    return DENIED.search(text) is not None


def open_modalities(question: str) -> frozenset[Modality]:
    """The modalities of clauses that can answer the question."""
    words = {m.group().casefold() for m in WORD.finditer(question)}
    allowed = {Modality.ASSERTED}
    past = is_past(question)
    if not past or words & PLANS or words & HOPES or verb_bases(question) & ARRANGED:
        allowed.add(Modality.PLANNED)
    if past:
        allowed.add(Modality.FORMER)
    if words & HOPES or words & PLANS:
        allowed |= {Modality.WISH, Modality.COMMAND, Modality.HYPOTHETICAL, Modality.CONDITIONAL, Modality.REPORTED}
    return frozenset(allowed)


def clauses_of(question: str, facts: Sequence[Fact], start: int, end: int) -> list[Fact]:
    """The clauses that decide if words answer: those around them with the question's verb, otherwise the innermost."""
    near = [f for f in facts if f.start < end and start < f.end and f.kind in ("clause", "preference")]
    holding = [f for f in near if _held(f, start, end) is not None] or near
    verbs = verb_bases(question)
    first, last = min((f.start for f in near), default=start), max((f.end for f in near), default=end)
    around = [f for f in facts if f.start < last and first < f.end and f.kind == "clause"]
    same = [f for f in around if f.predicate.split()[0] in verbs - EMPTY_VERBS]
    same = [f for f in same if _held(f, start, end) is not None] or [f for f in same if f in near] or same
    if not same:
        return innermost(holding, start, end)
    own = [f for f in same if _named_in(question, f)]
    return innermost(own or same, start, end)


def facts_around(facts: Iterable[Fact], start: int, end: int) -> list[Fact]:
    """The facts whose words contain these."""
    return [f for f in facts if f.start <= start and end <= f.end]


def innermost(facts: Sequence[Fact], start: int, end: int) -> list[Fact]:
    """The clauses with the shortest argument around the words, or the shortest clauses."""

    def size(fact: Fact) -> int:
        held = _held(fact, start, end)
        return held if held is not None else fact.end - fact.start

    least = min(map(size, facts), default=0)
    return [f for f in facts if size(f) <= least]


def _held(fact: Fact, start: int, end: int) -> int | None:
    """Length of the shortest argument that contains the words; None if none does."""
    sizes = [a.end - a.start for a in fact.args if 0 <= a.start <= start and end <= a.end]
    return min(sizes, default=None)


def unstated(question: str, facts: Sequence[Fact], start: int, end: int) -> bool:
    """True if the clause around the words mentions what is asked without asserting it."""
    deciding = clauses_of(question, facts, start, end)
    if not deciding:
        return False
    allowed = open_modalities(question)
    if asks_denial(question) and all(f.polarity and f.predicate.split()[0] in verb_bases(question) for f in deciding):
        return True
    denying = bool(NEGATIVES_ASKED & {m.group().casefold() for m in WORD.finditer(question)}) or "n't" in question
    return not any(
        (f.modality in allowed or is_under_condition(question, f)) and (f.polarity or denying) for f in deciding
    )


def is_under_condition(question: str, fact: Fact) -> bool:
    """True if a clause is said of, or ordered for, a case that the question names: `call Ana if the pipes freeze`."""
    if fact.modality not in (Modality.CONDITIONAL, Modality.COMMAND):
        return False
    cases = [a for a in fact.args if a.role in CASES]
    asked = (m.end() for m in CASE_ASKED.finditer(question))
    return bool(cases) and any(all(is_same_case(question[end:], a.text) for a in cases) for end in asked)


def is_same_case(asked: str, told: str) -> bool:
    """True if the words of a question's case contain those of a clause's, and both or neither deny it."""
    words = [{m.group().casefold() for m in WORD.finditer(text)} for text in (asked, told)]
    denied = [bool(w & NEGATIVES) or "n't" in text for w, text in zip(words, (asked, told), strict=True)]
    stems = {*terms_of(told)} - NOBODY
    return denied[0] == denied[1] and bool(stems) and stems <= {*terms_of(asked)}


def hedged(words: str) -> bool:
    """True if the words before others contain a verb that does not assert its complement."""
    return bool(verb_bases(words) & NONVERIDICAL)


def said_by_another(
    question: str, facts: Sequence[Fact], start: int, end: int, same: Callable[[str, str], bool]
) -> bool:
    """True if the question's verb has another subject than the one it asks about.

    "Ivo rented a van" does not say what Ann rented, nor "Leo gave Nadia a book" who gave Leo one. `same` compares words of the question for
    its subject with an entity.
    """
    verbs = verb_bases(question) - EMPTY_VERBS
    deciding = [f for f in clauses_of(question, facts, start, end) if f.predicate.split()[0] in verbs]
    subjects = [(f, s) for f in deciding if (s := f.arg("subject")) is not None]
    if not subjects:
        return False
    if WHO.search(question):
        return all(_is_being(s) and s.start >= 0 and not (s.start <= start and end <= s.end) for _, s in subjects)
    asked = ASKED_OF.search(question) or OF_GOAL.match(question)
    who = asked.group(1) if asked is not None else ""
    if not who[:1].isupper():
        return False

    def other(fact: Fact, subject: Argument) -> bool:
        if not subject.entity and subject.text.casefold() in ("he", "she"):
            return same(who, fact.speaker)
        return _is_being(subject) and not same(who, subject.entity or subject.text)

    return all(other(f, s) for f, s in subjects)


def _is_being(argument: Argument) -> bool:
    """True for an agent: somebody or something with a name, or a common noun for a being."""
    named = bool(argument.entity) or (argument.text[:1].isupper() and argument.start > 0)
    if argument.text.casefold().startswith(SOMEBODY):
        return True
    words = WORD.findall(argument.text.casefold()) if argument.head in ("one", "some", "two", "most", "many") else ()
    kinds = {argument.type, coarse_type(argument.head), *(coarse_type(_singular(w)) for w in words)}
    return named or bool(AGENTS & kinds)


@lru_cache(4096)
def _singular(word: str) -> str:
    from goalmem.language.inflection import getLemma

    found: tuple[str, ...] = getLemma(word, "NOUN")
    return found[0] if found else word


def _named_in(question: str, fact: Fact) -> bool:
    subject = fact.arg("subject")
    words = {m.group().casefold() for m in WORD.finditer(question)}
    return subject is not None and bool(subject.entity) and subject.entity.casefold().split()[0] in words


def ends_elsewhere(question: str, text: str, start: int, end: int) -> bool:
    """True if a question asks how long something had lasted when something else happened, and a text how long until it was said.

    `I have been taking lessons for six weeks` does not answer *How long had I been taking lessons when I bought the amp?*
    """
    if UNTIL_EVENT.search(question) is None:
        return False
    before = text[max(text.rfind(mark, 0, start) for mark in ".!?\n") + 1 : start]
    return UNTIL_NOW.search(before) is not None or AGO.match(text, end) is not None
