"""The meaning of a relation's name: the question words that entail it, the type of its object, and which end is the
agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache

from goalmem.graph.protocol import INVERSE, Hop
from goalmem.language.lexicon import base_form, coarse_type, is_known, related, synonyms, tagged_uses
from goalmem.language.words.function_words import EMPTY_OF_RELATIONS, RELATIONAL
from goalmem.language.words.nouns import GENERIC_OF_GRAPHS, KINDS_OF_GRAPHS, TIMES_OF_GRAPHS, UNITS_OF_GRAPHS

BOUNDARIES = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Word boundaries: characters other than letters and digits, and camel case."""
SEGMENTS = 2
"""Number of meaningful parts of a dotted name (Freebase's domain.type.property); the domain before them is too broad.
"""
BACKWARDS = "of which it is"
"""Prefix of a relation that is followed from object to subject."""


@lru_cache(65_536)
def relation_text(name: str) -> str:
    """`people.person.place_of_birth` as "person place of birth", an IRI by its last part, `directedBy` as "directed by"."""
    tail = re.split(r"[/#]", name.rstrip("/#"))[-1] or name
    parts = [part for part in tail.split(".") if part]
    words = [w.lower() for part in parts[-SEGMENTS:] for w in BOUNDARIES.split(part) if w]
    distinct = [word for place, word in enumerate(words) if not place or word != words[place - 1]]
    return " ".join(distinct) or name


def hop_words(hop: Hop) -> tuple[str, ...]:
    """The words of the relation's name, whichever way it is taken."""
    return tuple(relation_text(hop.relation).split())


@lru_cache(65_536)
def hop_text(text: str) -> str:
    """A hop in the graph's notation (`~directed_by`) as words; a hypothesis may name any text."""
    plain = relation_text(text.removeprefix(INVERSE))
    return f"{BACKWARDS} {plain}" if text.startswith(INVERSE) else plain


class Shape(Enum):
    """How a relation's name orders its two ends."""

    PASSIVE = "by"
    """`directed_by`, `director`: the object acts on the subject."""
    ACTIVE = "verb"
    """`acquired`, `plays_instrument`: the subject acts on the object."""
    ADVERBIAL = "verb with preposition"
    """`flows_into`, `born_in`: the subject does it or suffers it, the object follows the preposition."""
    NOUN = "noun"
    """`population`: the subject has the object as that."""
    NOUN_OF = "noun of"
    """`capital_of`: the object has the subject as that."""


@dataclass(frozen=True, slots=True)
class NamePart:
    """A word or a phrase of a relation's name or of a question."""

    words: tuple[str, ...]
    lemmas: frozenset[str]
    """Possible base forms; for a phrase, its words joined by underscores."""
    concepts: tuple[Concept, ...] = ()
    """The concepts that it names."""

    def entailed_by(self, other: NamePart) -> bool:
        """True if a part of a question asks for this part of a relation."""
        if self.lemmas & other.lemmas or any(other.lemmas & concept.asks for concept in self.concepts):
            return True
        if len(self.words) > 1 or len(other.words) > 1:
            return False
        near = _derived(self.lemmas) if self.concepts else _derived(self.lemmas) | _synonyms(self.lemmas)
        return bool(near & other.lemmas or _derived(other.lemmas) & self.lemmas)


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a relation's name."""

    words: tuple[str, ...]
    parts: tuple[NamePart, ...]
    """Its content words."""
    required: tuple[NamePart, ...]
    """Parts that a question must ask for."""
    units: frozenset[str]
    shape: Shape
    preposition: str
    """The last word, where it is one."""
    range: str
    """Type of its object: `person`, `place`, `time`, `number`, `thing`; empty if the name leaves it open."""
    domain: str
    """Type of its subject, likewise."""
    symmetric: bool
    causative: bool
    """Either end may be the subject of its verb: a film stars somebody, who stars in it."""

    def covers(self, part: NamePart) -> bool:
        """True if the relation's name contains what a part of a question asks for."""
        literal = part.lemmas & (frozenset(self.words) | self.units) or part.words[0] in self.words
        return bool(literal) or any(own.entailed_by(part) for own in self.parts)


@lru_cache(65_536)
def lemmas_of(word: str) -> frozenset[str]:
    """Possible base forms of a word, including itself."""
    from goalmem.language.inflection import getAllLemmas

    return frozenset({word, base_form(word), *(lemma for found in getAllLemmas(word).values() for lemma in found)})


def parts_of(words: Sequence[str]) -> tuple[NamePart, ...]:
    """Words as parts: phrases of several words that name a concept first."""
    found: list[NamePart] = []
    place = 0
    while place < len(words):
        phrase = _phrase(words[place:])
        length = len(phrase) or 1
        lemmas = frozenset({"_".join(phrase)}) if phrase else lemmas_of(words[place])
        found.append(NamePart(tuple(words[place : place + length]), lemmas, tuple(concepts_of(lemmas))))
        place += length
    return tuple(found)


def _phrase(words: Sequence[str]) -> tuple[str, ...]:
    for first in sorted(lemmas_of(words[0])):
        for phrase in phrases_from(first):
            if len(phrase) <= len(words) and all(p in lemmas_of(w) for p, w in zip(phrase, words, strict=False)):
                return phrase
    return ()


@lru_cache(16_384)
def meaning_of(relation: str) -> Meaning:
    """The meaning of a relation by its name."""
    words = tuple(relation_text(relation).split())
    units = frozenset(u for w in words[1:] for u in _units(w))
    own = [w for w in words if w not in RELATIONAL and not (units and _units(w))] or list(words)
    parts = parts_of(own)
    content = tuple(p for p in parts if not p.lemmas & EMPTY_OF_RELATIONS and _is_word(p)) or parts
    needed = _without(content, GENERIC_OF_GRAPHS | KINDS_OF_GRAPHS) or _without(content, GENERIC_OF_GRAPHS) or content
    # In a verb with its object, the verb is decisive: `plays_instrument`, `won_award`.
    if len(needed) > 1 and _is_verb(needed[0].words[0]):
        needed = needed[:1]
    shape = _shape(words, needed)
    concepts = [c for p in needed for c in p.concepts]
    range_ = _range(words, content, concepts, shape)
    names = {name for c in concepts for name in c.names}
    return Meaning(
        words,
        parts,
        needed,
        units,
        shape,
        words[-1] if words[-1] in RELATIONAL else "",
        range_,
        next((c.domain for c in concepts if c.domain), ""),
        bool(names & {"marry", "sibling", "border", "twin"}),
        "star" in names,
    )


def _without(parts: Sequence[NamePart], words: frozenset[str]) -> tuple[NamePart, ...]:
    return tuple(part for part in parts if not part.lemmas & words)


def _units(word: str) -> frozenset[str]:
    found = {
        u for lemma in lemmas_of(word) if lemma in UNITS_OF_GRAPHS for u in (lemma, *UNITS_OF_GRAPHS[lemma].split())
    }
    return frozenset(found)


def _is_word(part: NamePart) -> bool:
    """True if a dictionary has it; `imdb` need not be asked for."""
    return bool(part.concepts) or any(is_known(lemma, pos) for lemma in part.lemmas for pos in "nva")


def _range(words: tuple[str, ...], content: Sequence[NamePart], concepts: Sequence[Concept], shape: Shape) -> str:
    if words[-1] == "by":
        return "person"
    head = content[-1].lemmas if content else frozenset()
    if head & TIMES_OF_GRAPHS:
        return "time" if not head & {"time"} else "number"
    if "number" in words or "count" in words:
        return "number"
    if head & GENERIC_OF_GRAPHS and (
        place := next((t for h in sorted(head) if (t := coarse_type(h)) in ("place", "person")), "")
    ):
        return place
    known = next((c.range for c in concepts if c.range), "")
    if known and shape is not Shape.ADVERBIAL:
        return known if shape is not Shape.NOUN_OF and not (shape is Shape.ACTIVE and known == "person") else ""
    if shape is Shape.NOUN and words[-1] not in RELATIONAL:
        found = next((t for h in sorted(head) if (t := coarse_type(h))), "")
        return found if found in ("person", "place", "time") else ""
    return ""


def _shape(words: tuple[str, ...], needed: Sequence[NamePart]) -> Shape:
    own = [w for w in words if w not in ("has", "have", "is", "was", "are", "were")] or list(words)
    last = own[-1]
    verb = _is_verb(own[0]) and words[0] not in ("has", "have")
    if last == "by":
        return Shape.PASSIVE
    if last == "of" and not verb:
        return Shape.NOUN_OF
    if any(w in RELATIONAL for w in own[1:]) and verb:
        return Shape.ADVERBIAL
    if own[0] in RELATIONAL and len(own) == 1:
        return Shape.ADVERBIAL
    person = any(c.range == "person" for p in needed for c in p.concepts) or coarse_type(last) == "person"
    if verb and not (len(own) > 1 and _is_agent(last)):
        return Shape.ACTIVE
    return Shape.PASSIVE if person else Shape.NOUN


def _is_agent(word: str) -> bool:
    return any(coarse_type(lemma) == "person" for lemma in lemmas_of(word))


@lru_cache(16_384)
def _is_verb(word: str) -> bool:
    """True if a word is a form of a verb, with an ending, more than a noun: `acquired`, `plays`; not `headquarters`."""
    from goalmem.language.inflection import getAllLemmas

    bases = [lemma for lemma in getAllLemmas(word, upos="VERB").get("VERB", ()) if lemma != word] or (
        [base_form(word)] if base_form(word) != word else []
    )
    if not bases:
        return False
    if word.endswith("s"):
        return any(
            tagged_uses(base, "v") > 0 and 2 * tagged_uses(base, "v") >= tagged_uses(base, "n") for base in bases
        )
    return not (is_known(word, "n") and tagged_uses(word, "n") > sum(tagged_uses(base, "v") for base in bases))


@lru_cache(16_384)
def _derived(lemmas: frozenset[str]) -> frozenset[str]:
    return frozenset(r for lemma in lemmas for part in "nv" for r in related(lemma, part))


@lru_cache(16_384)
def _synonyms(lemmas: frozenset[str]) -> frozenset[str]:
    return frozenset(s for lemma in lemmas for part in "nv" for s in synonyms(lemma, part))


# -- the vocabulary of relations: words that entail each other in graphs, written by hand -----------------------------
# One concept a line: what its object is (`person`, `place`, `time`, `number`, `thing`, `idea`, or `-` where that is open), what its
# subject is likewise, and the words. An underscore joins the words of a phrase. A word after `~` may ask for the relation but
# does not name it (`play` asks who acted in a film, but a relation `plays` is no acting). Chosen after the properties of
# schema.org, DBpedia's ontology and Wikidata that are used most; near concepts (found, own, lead; write, direct, produce) stay
# apart, since a question for one is not answered by the other.

_CONCEPTS = """
person work    direct director
person work    write writer author screenwriter scriptwriter screenplay script ~story ~creator_of_the_script ~creator_of_the_film_script novelist playwright
person work    star act appear actor cast ~play ~feature ~with
person work    produce producer
person work    compose composer ~write_the_music
-      work    record recording_artist ~by
-      work    perform performer sing singer ~artist ~by
person work    edit editor
person work    publish publisher
time   work    release come_out release_date
idea   work    genre style ~belong ~type ~kind ~sort ~category ~fall_under
idea   work    tag keyword topic ~describe ~about ~word ~term ~subject ~applicable
idea   -       language speak ~spoken
idea   work    rating rate ~popular ~good ~think ~opinion ~popular_opinion_about ~think_of ~considered ~score
idea   work    vote ~popular ~famous ~popularity
thing  work    album ~with ~contain
person person  marry spouse husband wife marriage partner
person person  sibling brother sister
person person  child son daughter
person person  parent
person person  mother mom
person person  father dad
-      person  bear birth birthplace born native
-      person  die death
-      -       found founder establish founding set_up
-      -       form formation formed
-      -       open opening inaugurate
-      -       employ employer employee work job staff ~people_work
person -       ceo chief_executive chief_executive_officer
person -       lead leader head
person -       manage manager
person -       own owner ownership belong ~proprietor
-      -       acquire ~buy purchase take_over acquisition
-      -       invest investor investment
-      -       supply supplier
thing  -       make manufacture produce product ~build
place  -       locate location situated lie stand seat base ~located ~based ~lies
place  -       headquarters headquartered base ~based ~located
idea   -       industry sector business_sector ~branch ~belong
number -       revenue turnover
number -       profit ~earn
number -       population inhabitant populous ~people_live ~resident
number -       length long
number -       height high tall elevation
number -       depth deep
number -       width wide
number -       area ~large ~big ~size
number -       weight weigh heavy
number -       age ~old
number -       duration ~long runtime running_time cooking_time
number -       price cost
number -       calorie
-      place   flow empty drain
place  -       source rise spring originate
place  -       mouth estuary
thing  place   cross span bridge ~over
place  place   border neighbour adjoin adjacent
place  place   twin twinned sister_city
thing  place   capital
person -       design designer architect
person -       build builder
person -       invent inventor create creator
person -       teach teacher instruct instructor
-      person  train trainer trainee ~teacher ~mentor
-      person  study studied education alma_mater attend ~graduate
-      person  member ~belong ~with
thing  person  play instrument player
thing  -       record_label label ~sign
thing  -       ingredient contain ~made_of ~made_with ~use ~with
idea   -       cuisine ~belong
-      -       serve ~menu
-      -       grow cultivate grown
idea   -       award win prize ~receive
thing  person  nationality citizenship
person -       govern governor
person -       mayor
person -       president
person -       chair chairman chairwoman chairperson ~head ~lead
person -       dean principal headmaster headteacher ~head ~lead ~run
-      -       operate operator run ~manage
-      -       manufacturer maker ~make ~manufacture ~build ~produce ~come_from
-      -       develop developer ~make ~write ~create ~build
-      -       subsidiary ~own ~belong
-      -       sponsor ~back ~pay ~fund
-      -       customer client ~buy
-      -       license licence
-      -       depend dependency rely require prerequisite requirement ~need ~use ~before
-      -       offer provide ~give ~run
place  -       house accommodate ~locate ~find
-      -       depart departure leave ~start ~begin ~set_off
-      -       arrive arrival terminate terminus destination ~end ~finish ~reach
-      -       stop call halt ~serve
-      -       pull haul ~engine
-      -       carry transport ship ~bring
-      -       connect link join ~lead ~go
number -       speed top_speed fast ~quick
number -       capacity ~hold ~seat ~fit
number -       salary wage ~earn ~pay
-      person  attend enroll enrol enrolment student pupil ~study ~take
person -       supervise supervisor advisor adviser advise boss
thing  -       textbook coursebook ~book ~use
number -       credit ~worth
-      person  profession occupation trade ~job ~work ~living
-      person  specialty speciality specialise specialize specialism expertise ~field ~expert
-      person  hobby interest pastime ~like ~enjoy
person -       keeper keep care caretaker tend ~look ~look_after
-      -       eat diet feed food ~live_on
place  -       live reside residence home habitat ~dwell
person -       coach ~train ~manage ~trainer ~manager
-      person  team club squad ~play ~play_for ~belong
person -       captain skipper ~lead
place  -       stadium arena venue ground ~play ~hold ~take_place ~happen
-      -       league division ~compete ~play
-      -       host hold ~take_place ~organise ~organize
-      -       treat treatment cure therapy ~use ~help ~prescribe
-      -       prescribe prescription medication medicine drug ~take
-      -       symptom ~cause ~sign
-      person  diagnose diagnosis condition illness disease ~suffer ~have
person -       doctor physician surgeon nurse ~treat
-      -       orbit circle revolve ~go_around ~move_around
person -       discover discoverer discovery ~find ~spot
-      -       launch ~send ~take_off
person -       pilot ~fly
person work    paint painter ~artist ~create
person work    sculpt sculptor ~artist ~create ~make ~carve
person work    translate translator translation
person work    illustrate illustrator illustration ~draw
person work    narrate narrator narration ~read
-      -       exhibit exhibition display hang ~show ~see
-      -       donate donor donation ~give
person -       curate curator ~look_after ~responsible
idea   -       material medium ~make ~made_of ~made_from
-      -       depict portray ~show
-      person  party ~belong ~member
-      -       represent constituency ~seat
person -       judge preside ~hear
-      -       successor succeed ~after ~replace ~follow
-      -       predecessor precede ~before
idea   place   currency ~money ~pay
"""


@dataclass(frozen=True, slots=True)
class Concept:
    """Words that ask for one relation."""

    range: str
    """Type of its object; empty if open."""
    domain: str
    names: frozenset[str]
    """Words and phrases (joined by an underscore) that name it."""
    asks: frozenset[str]
    """All that may ask for it."""


@cache
def _all() -> tuple[Concept, ...]:
    return tuple(_parsed(line.split()) for line in _CONCEPTS.strip().splitlines())


def _parsed(fields: list[str]) -> Concept:
    types, words = [f.replace("-", "") for f in fields[:2]], fields[2:]
    names = frozenset(w for w in words if not w.startswith("~"))
    return Concept(types[0], types[1], names, frozenset(w.removeprefix("~") for w in words))


def concepts_of(words: frozenset[str]) -> Iterator[Concept]:
    """The concepts that any of these words, forms of one, or phrase names."""
    return (concept for concept in _all() if words & concept.names)


@cache
def _phrases() -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted({p for concept in _all() for p in concept.asks if "_" in p}):
        first, *rest = phrase.split("_")
        found.setdefault(first, []).append((first, *rest))
    return {first: tuple(sorted(all_, key=len, reverse=True)) for first, all_ in found.items()}


def phrases_from(word: str) -> tuple[tuple[str, ...], ...]:
    """The phrases that begin with a word, the longest first."""
    return _phrases().get(word, ())
