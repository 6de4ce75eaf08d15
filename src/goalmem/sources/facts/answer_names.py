"""What an answer is called: in the words that were said, and never only what the question says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from goalmem.language.inflection import getLemma
from goalmem.language.lexicon import is_known
from goalmem.language.terms import WORD_PART, terms_of
from goalmem.language.words.function_words import POSITIONS, SITUATING
from goalmem.language.words.nouns import NAMED_TYPES, OCCUPATION_OR_ROLE
from goalmem.language.words.pronouns import FIRST_SUBJECTS, GENERIC, UNNAMED
from goalmem.language.words.verbs import MOTION_TO_PLACES
from goalmem.logic.terms import Aggregate, Atom, Binding, Derivation, Goal, Variable
from goalmem.logic.unify import Frame, FramePart
from goalmem.records import Argument, Fact
from goalmem.sources.facts.match import Match
from goalmem.sources.kinds import ALTERNATIVES
from goalmem.sources.values import as_weekday, asks_weekday, without_article

OWNED = "'s "
INDEFINITE = frozenset(terms_of("one another certain particular"))
"""Stems of determiners that name none of a kind: `one municipality`."""
WITHIN = frozenset({"inside", "within"})
"""Prepositions that the question's `where` takes for granted."""
RELATIVE = re.compile(r",?\s(?:who|that|which)\b", re.IGNORECASE)
"""Begins a clause that describes the noun before it."""


def is_no_name(variable: Variable, part: FramePart, fact: Fact) -> bool:
    """True if common words after `I am` say what somebody is, and a name is asked for: `I'm Team Lead`; not `I'm Grace`, nor `I'm Grace Otieno`."""
    words, subject = part.text.casefold().split(), fact.arg("subject")
    described = subject is not None and subject.text.casefold() in FIRST_SUBJECTS and fact.predicate == "be"
    return variable.type == "name" and described and len(words) > 1 and all(map(is_known, words))


def is_only_called_so(variable: Variable, frame: Frame, fact: Fact) -> bool:
    """True if only somebody in particular calls the speaker by a name, and it is not asked what they call them: `my ex kept calling me Princess`."""
    by, whom = fact.arg("subject"), fact.arg("object")
    if variable.type != "name" or fact.predicate != "call" or by is None or whom is None:
        return False
    asked = any(p.role == "subject" for p in frame.parts)
    everybody = {by.head, by.text.casefold()} & (GENERIC | {"assistant", "you", ""})
    return not asked and not everybody and whom.text.casefold().split()[:1] in (["me"], ["us"])


def is_no_destination(variable: Variable, part: FramePart, fact: Fact) -> bool:
    """True if words say what is moved, and a place is asked for: `she's moving house`."""
    bare = part.text.casefold() == part.head and part.text == part.head
    return variable.type == "place" and part.role == "object" and bare and fact.predicate in MOTION_TO_PLACES


def as_said(binding: Binding, goal: Goal) -> Binding:
    """The answer in the words that were said: `a beagle`, even if that is Comet; `degree in law`, not `degree`.

    A name is kept if the question asks for a name or a person, or if other parts of the goal use it.
    """
    variable = binding.variable
    if variable == goal.answer and asks_weekday(goal.question, binding.value):
        return replace(binding, value=as_weekday(goal.question, binding.value, binding.span))
    uses = sum(variable in a.variables for a in goal.atoms)
    words = without_article(binding.span)
    if variable == goal.answer and uses == 1 and variable.type == "place" and binding.value.text.islower():
        return replace(binding, value=replace(binding.value, text=words)) if words else binding
    if variable != goal.answer or uses != 1 or NAMED_TYPES.intersection(variable.type.split(ALTERNATIVES)):
        return binding
    if binding.value.text.casefold() == variable.type.casefold() and binding.derivation is Derivation.QUOTED and words:
        return replace(binding, value=replace(binding.value, text=words))
    if binding.derivation is not Derivation.RESOLVED:
        return binding
    if not words or words.casefold() in UNNAMED or not words.islower():
        return binding
    noun = variable.type.split()[-1].casefold()
    if words.casefold() == noun or (words.split()[-1] == noun and "'s " not in binding.value.text):
        return binding  # `a new car` does not say which, a Volvo does; nor does `room` of my room.
    return replace(binding, value=replace(binding.value, text=words), derivation=Derivation.QUOTED)


def is_antecedent(part: FramePart, fact: Fact) -> bool:
    """True for the noun that a clause only describes, `the book` of `the book I am reading is Dune`: it does not say which."""
    subject = fact.arg("subject")
    if part.entity or not 0 <= part.start < part.end or part.text[:4].casefold() != "the " or subject is None:
        return False
    between = fact.text[max(0, part.end - fact.start) : max(0, subject.start - fact.start)]
    fronted = part.role == "object" and part.end <= subject.start and not between.rstrip().endswith(" by")
    return fronted or (part.role == "subject" and RELATIVE.match(fact.text, part.end - fact.start) is not None)


def said_in_full(variable: Variable, part: FramePart, fact: Fact) -> str:
    """The words of a part; of a place, or if they only repeat the question's noun, with the words after it."""
    own = next((a for a in fact.args if (a.role, a.start) == (part.role, part.start)), None)
    if own is None:
        return part.text
    if variable.type == "place":
        return place_in_full(own, fact)
    return own.text if without_article(part.text).casefold() == variable.type.casefold() else part.text


def place_in_full(place: Argument, fact: Fact) -> str:
    """The words of a place with those of the places that it is in, and how something is near it: `a box in the attic`, `under the mat`."""
    near = f"{place.role} " if place.role in SITUATING - POSITIONS - WITHIN else ""
    text, end = f"{near}{place.text}", place.end
    for other in sorted(fact.args, key=lambda a: a.start):
        if other.role in POSITIONS and other.start == end + len(f" {other.role} "):
            text, end = f"{text} {other.role} {other.text}", other.end
    return text


def repeats(match: Match, goal: Goal, atom: Atom) -> bool:
    """True if an answer only repeats the question: that Ann's boss is Ann's boss.

    The same for `a car`, if the question asks which car Ann has.
    """
    if not is_asked_for(goal, atom):
        return False
    others = (p if isinstance(p, str) else p.type for p in atom.parts if p != goal.answer)
    asked = {word.casefold() for text in others for word in WORD_PART.findall(text)}
    named = {*terms_of(goal.answer.type if goal.answer else ""), *terms_of(" ".join(asked)), *INDEFINITE}
    one = goal.aggregate is Aggregate.ONE
    return any(
        b.variable == goal.answer
        and b.value.number is None
        and b.value.interval is None
        and (
            (
                ("'s " in b.value.text or b.variable.type in OCCUPATION_OR_ROLE)
                and lemmas(owner_and_noun(b.value.text)) <= lemmas(asked)
            )
            or (one and {*terms_of(b.value.text)} <= named)
        )
        for b in match.bindings
    )


def is_asked_for(goal: Goal, atom: Atom) -> bool:
    """True if the atom binds the answer, and no other atom of the goal does."""
    return goal.answer in atom.variables and sum(goal.answer in a.variables for a in goal.atoms) == 1


def owner_and_noun(text: str) -> list[str]:
    """The owner and the noun of a possession, without modifiers: `ann`, `husband` of `Ann's late husband`."""
    owner, _, owned = text.casefold().rpartition("'s ")
    owners = (
        word for word in WORD_PART.findall(owner.replace("'s", "")) if word != "your"
    )  # the asker, as facts name them
    return [*owners, *WORD_PART.findall(owned)[-1:]]


def lemmas(nouns: Iterable[str]) -> set[str]:
    """The singulars of nouns."""
    return {lemma for noun in nouns for lemma in getLemma(noun, "NOUN")}
