"""What relations of graphs are called and asked for by: words that entail one another there, written by hand.

One concept a line: what its object is (`person`, `place`, `time`, `number`, `thing`, `idea`, or `-` where that is open), what its
subject is likewise, and the words. An underscore joins the words of a phrase. A word after `~` may ask for the relation but
does not name it (`play` asks who acted in a film, but a relation `plays` is no acting). Chosen after the properties of
schema.org, DBpedia's ontology and Wikidata that are used most; near concepts (found, own, lead; write, direct, produce) stay
apart, since a question for one is not answered by the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

__all__ = ["Concept", "concepts_of", "phrases_from"]

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
"""


@dataclass(frozen=True, slots=True)
class Concept:
    """Words that ask for one relation."""

    range: str
    """What its object is; empty where that is open."""
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
