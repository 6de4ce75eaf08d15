"""The judge of walks: whether a question asks for a walk and for its end.

A critic ranks walks by their fit to the question. The judge never compares: for a single walk it decides by the names
of its hops whether these *entail* what is asked, independently of the critic. A walk is refused if

- a word of the question asks for something that no hop's name says (so do negations, times, comparisons, other names);
- a hop says something that the question does not ask for;
- the topic stands at the other end of the relation: whom somebody directed is not who directed them;
- what it leads to is not of the type that is asked for: a person for who, a time for when, a number for how many;
- Yes or No would answer: no walk says Yes.

An answer may so be missed, but none is given that the graph does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from goalmem.graph.critic import Query
from goalmem.graph.local_model import MARK
from goalmem.graph.protocol import Hop
from goalmem.graph.relation_meaning import Meaning, NamePart, Shape, meaning_of, parts_of
from goalmem.graph.topic_question import Role, TopicQuestion, WordMention, question_of
from goalmem.language.lexicon import coarse_type, is_a, is_known
from goalmem.language.terms import words_of
from goalmem.language.words.function_words import (
    BE_ALL,
    CHANGE_OF_PLACE,
    EMPTY_OF_RELATIONS,
    FUNCTION_OF_GRAPHS,
    LOCATIVE_OF_GRAPHS,
)
from goalmem.language.words.modifiers import GRADES
from goalmem.language.words.nouns import GENERIC_OF_GRAPHS, KINDS_OF_GRAPHS, TIMES_OF_GRAPHS

NUMBER = re.compile(r"[-+~<>≈$€£]?\s?\d")
TIME = re.compile(r"\d{1,4}$|.*\b\d{4}\b|\d{1,2}[:./-]\d|\d+(st|nd|rd|th) century", re.IGNORECASE)
CAPITALISED = re.compile(r"\b[A-Z]\w+")
YEAR = re.compile(r"-?\d{3,4}$")
PERSONAL = frozenset({"person", "organization", ""})


@dataclass(frozen=True, slots=True)
class WalkEnds:
    """The ends of a walk as the judge sees them."""

    labels: tuple[str, ...] = ()
    """Some of them."""
    onward: tuple[Hop, ...] = ()
    """Hops that leave them, which indicate their kind."""
    relations: tuple[str, ...] = ()
    """All of the graph's."""


@dataclass(frozen=True, slots=True)
class WalkJudge:
    """Says whether a question asks for a walk, by its words and the names of the relations alone. Pure: the same again for
    the same.
    """

    def misformed(self, query: Query) -> str:
        """Why no walk at all answers the question; empty where one may."""
        question = question_of(query.masked)
        if question.closed:
            return "no walk says Yes or No"
        return "no walk gives a reason or a way" if question.interrogative == "why" else ""

    def refusal(self, query: Query, hops: Sequence[Hop], reached: WalkEnds) -> str:
        """Why the question does not ask for this walk; empty where it does."""
        question, meanings = question_of(query.masked), [meaning_of(hop.relation) for hop in hops]
        return (
            self.misformed(query)
            or _unsaid(question, hops, meanings, reached)
            or _unasked(question, hops, meanings)
            or _displaced(question, meanings[0])
            or _turned(question, hops, meanings)
            or _mistyped(question, hops, meanings, reached)
        )

    def unstated(self, said: str, relation: str, types: Sequence[tuple[str, str]]) -> str:
        """Why a triple of this relation does not state an atom; empty where it may.

        `said`: the atom's words without its variables and the names of the triple's ends. `types`: what its variables are to
        be, each with the name of what one stands for.
        """
        meaning, names = meaning_of(relation), set(words_of(" ".join(CAPITALISED.findall(said))))
        words = [
            part for part in parts_of(words_of(said)) if part.words[0] not in FUNCTION_OF_GRAPHS or len(part.words) > 1
        ]
        for part in words:
            kind = part.lemmas & KINDS_OF_GRAPHS and part.words[0] not in names
            if not kind and not meaning.covers(part):
                return f"“{' '.join(meaning.words)}” does not say “{' '.join(part.words)}”"
        asking = [*words, *(part for type_, _ in types for part in parts_of(words_of(type_)))]
        bare = all(
            part.lemmas & (EMPTY_OF_RELATIONS | LOCATIVE_OF_GRAPHS) or part.words[0] in FUNCTION_OF_GRAPHS
            for part in meaning.required
        )
        if not bare and not _is_light(meaning):
            for part in meaning.required:
                if not any(part.entailed_by(own) for own in asking):
                    return f"it does not ask for “{' '.join(meaning.words)}”"
        return next((f"“{label}” is no {type_}" for type_, label in types if _clashes(type_, label)), "")


def _clashes(type_: str, label: str) -> bool:
    """True if something of this name is not of a type: a number is no person, a name no time."""
    kind = next((t for word in words_of(type_)[-1:] if (t := coarse_type(word))), "")
    if kind == "time":
        return not TIME.match(label)
    return kind in ("person", "place", "organization") and bool(NUMBER.match(label))


# -- comparison of what the question asks with what the walk says ----------------------------------------------------


def _unsaid(question: TopicQuestion, hops: Sequence[Hop], meanings: Sequence[Meaning], reached: WalkEnds) -> str:
    """Objection if a word asks for something that no hop says; empty if there is none."""
    if question.shares and not any(after == before.back for before, after in pairwise(hops)):
        return "nothing on the walk is the same as something else"
    for mention in question.mentions:
        graded = (
            question.grade and mention.part.words[0] == question.grade and mention.part.words[0] in ("many", "much")
        )
        kind = mention.kind and not _is_asked_elsewhere(mention.part, reached)
        if not kind and not graded and not any(meaning.covers(mention.part) for meaning in meanings):
            return f"no relation of the walk says “{' '.join(mention.part.words)}”"
    return ""


def _is_asked_elsewhere(part: NamePart, reached: WalkEnds) -> bool:
    """True if what may be a type is also a word for a relation of the graph: `which types of films`."""
    if part.lemmas & KINDS_OF_GRAPHS:
        return False
    return any(own.entailed_by(part) for r in reached.relations for own in meaning_of(r).required)


def _displaced(question: TopicQuestion, meaning: Meaning) -> str:
    """Objection if the word beside the topic asks for another hop than the first."""
    beside = [m for m in question.mentions if m.role is not Role.NONE and not m.part.lemmas & KINDS_OF_GRAPHS]
    before = [m for m in beside if m.place < question.words.index(MARK)]
    nearest = before[-1] if before else beside[0] if beside else None
    if nearest is None or meaning.covers(nearest.part) or _is_placed(question, meaning):
        return ""
    return f"the topic is asked for “{' '.join(nearest.part.words)}” and not for “{' '.join(meaning.words)}”"


def _unasked(question: TopicQuestion, hops: Sequence[Hop], meanings: Sequence[Meaning]) -> str:
    """Objection if a hop says something that no word asks for; one word may ask for both hops of a round trip."""
    choices = [_mentions_of(question, meaning) for meaning in meanings]
    free: dict[int, int] = {}
    for place, (hop, meaning) in enumerate(zip(hops, meanings, strict=True)):
        if _matched(place, choices, free, set()) or _is_placed(question, meaning):
            continue
        near = (*hops[max(place - 1, 0) : place], *hops[place + 1 : place + 2])
        if not ((question.shares or question.passes) and hop.back in near):
            return f"the question does not ask for “{' '.join(meaning.words)}”"
    return ""


def _mentions_of(question: TopicQuestion, meaning: Meaning) -> list[int]:
    """The mentions that ask for a relation: for all that its name requires."""
    asking = [*((m.place, m.part) for m in question.mentions), *question.related]
    found = [[place for place, own in asking if part.entailed_by(own)] for part in meaning.required]
    return sorted({p for places in found for p in places}) if all(found) else []


def _matched(place: int, choices: Sequence[Sequence[int]], free: dict[int, int], tried: set[int]) -> bool:
    """True if a hop gets a mention of its own (augmenting paths: Kuhn's algorithm)."""
    for mention in choices[place]:
        if mention not in tried:
            tried.add(mention)
            if mention not in free or _matched(free[mention], choices, free, tried):
                free[mention] = place
                return True
    return False


def _is_placed(question: TopicQuestion, meaning: Meaning) -> bool:
    """True if a hop says where something is, and a preposition or `where` asks for that."""
    bare = all(w in BE_ALL or w in LOCATIVE_OF_GRAPHS for w in meaning.words)
    place = meaning.range == "place" and all(part.lemmas & GENERIC_OF_GRAPHS for part in meaning.parts)
    where = {c.range for p in meaning.required for c in p.concepts if "locate" in c.names} == {"place"}
    if not (bare or place or where or _is_light(meaning)):
        return False
    return bool(question.located & (({meaning.preposition} & LOCATIVE_OF_GRAPHS or {"in", "at"}) | {"where"}))


def _is_light(meaning: Meaning) -> bool:
    return meaning.preposition in LOCATIVE_OF_GRAPHS and all(
        p.lemmas & {"stand", "lie", "locate", "situate"} for p in meaning.required
    )


# -- which way round -----------------------------------------------------------------------------------------------------

FORWARD, INVERSE = False, True
WAY = {
    Shape.PASSIVE: {
        Role.AGENT: INVERSE, Role.BY: INVERSE, Role.HOLDER: INVERSE,
        Role.PASSIVE: FORWARD, Role.OBJECT: FORWARD, Role.OWNER: FORWARD,
    },
    Shape.ACTIVE: {Role.AGENT: FORWARD, Role.BY: FORWARD, Role.PASSIVE: INVERSE, Role.OBJECT: INVERSE},
    Shape.ADVERBIAL: {Role.AGENT: FORWARD, Role.PASSIVE: FORWARD, Role.AFTER: INVERSE, Role.BY: INVERSE},
    Shape.NOUN: {Role.OWNER: FORWARD, Role.HOLDER: INVERSE},
    Shape.NOUN_OF: {Role.OWNER: INVERSE, Role.HOLDER: FORWARD},
}  # fmt: skip
"""Whether the hop from the topic is inverse, by the form of the relation's name and the topic's role."""


def _turned(question: TopicQuestion, hops: Sequence[Hop], meanings: Sequence[Meaning]) -> str:
    """Objection if the topic is at the wrong end of the first hop."""
    hop, meaning = hops[0], meanings[0]
    for mention in question.mentions:
        if mention.role is Role.NONE or not any(part.entailed_by(mention.part) for part in meaning.required):
            continue
        if any(other is not meaning and other.covers(mention.part) and other != meaning for other in meanings):
            continue
        if CHANGE_OF_PLACE.get(mention.preposition, "") and CHANGE_OF_PLACE.get(meaning.preposition, "") not in (
            "",
            CHANGE_OF_PLACE[mention.preposition],
        ):
            return f"“{mention.preposition}” is not “{meaning.preposition}”"
        way = _way(meaning, mention)
        if way is not None and way != hop.inverse and not meaning.symmetric:
            return f"the topic stands at the other end of “{' '.join(meaning.words)}”"
    return ""


def _way(meaning: Meaning, mention: WordMention) -> bool | None:
    if meaning.causative and mention.part.lemmas & {"star", "feature"} and mention.preposition != "in":
        return None
    if meaning.shape is Shape.ACTIVE and mention.role in (Role.OWNER, Role.HOLDER):
        # The owner of it owns it; the product of it is what it makes.
        if any(coarse_type(lemma) == "person" for lemma in mention.part.lemmas):
            return mention.role is Role.OWNER
        return None
    return WAY[meaning.shape].get(mention.role)


# -- of which type -------------------------------------------------------------------------------------------------------


def _mistyped(question: TopicQuestion, hops: Sequence[Hop], meanings: Sequence[Meaning], reached: WalkEnds) -> str:
    """Objection if the walk's end is not of the requested type."""
    hop, meaning = hops[-1], meanings[-1]
    numbers = bool(reached.labels) and all(NUMBER.match(label) for label in reached.labels)
    range_ = _range(hop, meaning, reached)
    asked = question.interrogative
    if asked in ("who", "whom") and (numbers or range_ not in PERSONAL):
        return "who asks for a person"
    if asked == "when" and not all(TIME.match(label) for label in reached.labels):
        return "when asks for a time"
    if asked == "where" and (numbers or not _is_place(hop, meaning, range_, reached)):
        return "where asks for a place"
    if asked == "how" and question.grade in GRADES and not numbers:
        return f"how {question.grade} asks for a number"
    if question.noun is not None and _is_other_kind(question.noun, hop, meaning, range_, numbers, reached):
        return f"what it leads to is no “{' '.join(question.noun.words)}”"
    return ""


def _range(hop: Hop, meaning: Meaning, reached: WalkEnds) -> str:
    """The type of a hop's end; empty if its name leaves it open."""
    if not hop.inverse:
        return meaning.range
    own = meaning.domain or ("thing" if meaning.shape is Shape.PASSIVE else "")
    return "" if own and own != "person" and _leads_to_person(reached) else own


def _leads_to_person(reached: WalkEnds) -> bool:
    """True if some relation at the ends of a walk is of persons alone."""
    found = [(hop, meaning_of(hop.relation)) for hop in reached.onward]
    return any((m.range if hop.inverse else m.domain) == "person" or _is_personal(hop, m) for hop, m in found)


def _is_personal(hop: Hop, meaning: Meaning) -> bool:
    names = {name for part in meaning.required for concept in part.concepts for name in concept.names}
    return not hop.inverse and bool(names & {"bear", "marry", "nationality", "study", "age", "die", "train"})


def _is_place(hop: Hop, meaning: Meaning, range_: str, reached: WalkEnds) -> bool:
    if range_ == "place":
        return True
    if not hop.inverse:
        return range_ in ("", "organization") and meaning.preposition in LOCATIVE_OF_GRAPHS
    found = [(onward, meaning_of(onward.relation)) for onward in reached.onward]
    return any(m.range == "place" and (m.shape is not Shape.ADVERBIAL or onward.inverse) for onward, m in found) and (
        range_ in ("", "place", "thing")
    )


def _is_other_kind(noun: NamePart, hop: Hop, meaning: Meaning, range_: str, numbers: bool, reached: WalkEnds) -> bool:
    """True if the walk's end is not of the kind named by the question's noun (`which year`)."""
    if noun.lemmas & TIMES_OF_GRAPHS:
        finer = not noun.lemmas & {"year", "date", "time"}
        fits = all((TIME.match(label) and not (finer and YEAR.match(label))) for label in reached.labels)
        return not fits
    if not hop.inverse and meaning.covers(noun):
        return False
    if range_ == "idea":
        return True
    kind = next((t for lemma in sorted(noun.lemmas) if (t := coarse_type(lemma))), "")
    if numbers and not meaning.covers(noun) and kind not in ("quantity", "time"):
        return True
    if kind == "person" and range_ not in PERSONAL and not meaning.covers(noun):
        return True
    if range_ == "person" and kind in ("place", "time", "food", "animal", "work", "event", "quantity"):
        return True
    if (
        hop.inverse
        and meaning.domain
        and kind in ("place", "work", "person", "food", "animal")
        and kind != range_ != ""
    ):
        return True
    return _is_elsewhere(noun, hop, reached) or _is_no_instance(noun, reached)


def _is_elsewhere(noun: NamePart, hop: Hop, reached: WalkEnds) -> bool:
    """True if a relation of the graph leads to things of this kind, and not to these."""
    named = [r for r in reached.relations if _is_named_after(meaning_of(r), noun)]
    near = {(onward.relation, onward.inverse) for onward in reached.onward}
    at_subject = {r for r in named if meaning_of(r).shape is Shape.NOUN_OF}
    return bool(named) and not any(
        (r, r not in at_subject) in near or (hop.relation == r and hop.inverse == (r in at_subject)) for r in named
    )


def _is_named_after(meaning: Meaning, noun: NamePart) -> bool:
    """True if a relation is named after the type of its end, and that is the requested one."""
    if meaning.shape is Shape.ADVERBIAL:
        return False
    return any(part.lemmas & noun.lemmas for part in meaning.parts[-1:])


def _is_no_instance(noun: NamePart, reached: WalkEnds) -> bool:
    """True if the ends are common nouns for another kind of thing: a cello is not a game."""
    plain = [label for label in reached.labels if label.islower() and is_known(label, "n")]
    if not plain or len(plain) < len(reached.labels):
        return False
    kinds = [lemma for lemma in noun.lemmas if is_known(lemma, "n")]
    return bool(kinds) and not any(is_a(label, kind) for label in plain for kind in kinds)
