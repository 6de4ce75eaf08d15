"""Turns -> facts, mentions, edges and aliases: the components, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from goalmem.cancellation import checkpoint
from goalmem.language.analyzer import Analyzer, unanalysed
from goalmem.language.annotations import WINDOW, Context, Reading, Referent
from goalmem.language.answers import answers
from goalmem.language.arguments import fill_arguments
from goalmem.language.captions import shown
from goalmem.language.clauses import find_clauses
from goalmem.language.entities import find_titles, name, type_of_alias
from goalmem.language.event_times import fill_times, find_expressions
from goalmem.language.events import acquired, endings
from goalmem.language.exclusions import exclusions, tell_apart
from goalmem.language.facts import edges, facts, mentions
from goalmem.language.identity import identities, possessions
from goalmem.language.modality import find_quotations, judge
from goalmem.language.name_masking import truecase
from goalmem.language.name_statements import apply_namings, find_namings, is_name_here
from goalmem.language.possession import possessed
from goalmem.language.preferences import preferences
from goalmem.language.pronouns import anaphor, pronoun
from goalmem.language.speakers import relative, speaker
from goalmem.records import DOCUMENT, Extraction, Fact, Turn

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = ["Extractor"]

REFERENCE: tuple[Callable[[Reading, Token], Referent | None], ...] = (
    speaker,
    pronoun,
    possessed,
    relative,
    name,
    acquired,
    anaphor,
)
"""Asked in this order what a word stands for; the first answer counts."""


def resolve(reading: Reading) -> None:
    """Works out what the turn's words stand for, from left to right."""
    for token in reading.doc:
        checkpoint()
        for component in REFERENCE if not is_name_here(reading, token) else (name,):
            referent = component(reading, token)
            if referent is not None:
                reading.referents[token.i] = referent
                break
        apply_namings(reading, token)


COMPONENTS: tuple[Callable[[Reading], None], ...] = (
    find_titles,
    find_quotations,
    find_namings,
    resolve,
    tell_apart,
    find_clauses,
    find_expressions,
    fill_arguments,
    judge,
    fill_times,
    exclusions,
    answers,
    endings,
    preferences,
    possessions,
    identities,
    shown,
)
"""The steps of a reading, each adding to what the earlier ones found."""


class Extractor:
    """Reads turns into facts. Deterministic; the same turns in the same context give the same facts."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer

    def extract(self, turns: Sequence[Turn], context: Context | None = None) -> list[Extraction]:
        """One extraction a turn, in order; the turns are of one session, in order.

        Raises ModelError when the language model is not installed.
        """
        context = context or Context()
        aliases = {alias.lower(): canonical for alias, canonical in context.aliases.items()}
        speakers = _speakers(context, turns)
        earlier = list(context.previous)[-2 * WINDOW :]
        readings: list[Reading] = []
        known = set(_people(speakers, aliases))
        for reading in self._readings([*earlier, *turns], speakers, aliases):
            names = set(_people(speakers, aliases))
            if any(name in reading.text for name in names - known):
                reading.doc = self._analyzer.docs([truecase(reading.turn.text, aliases.values())], sorted(names))[0]
            readings.append(reading)
            reading.dated = context.dated
            reading.previous = tuple(readings[-WINDOW - 1 : -1])
            _read(reading)
        return [_extraction(reading) for reading in readings[len(earlier) :]]

    def read(self, text: str, *, anchor: datetime | None = None) -> list[Fact]:
        """The facts of a free-standing sentence in the third person, said at `anchor`; without one, relative times stay open."""
        turn = Turn("", "", "", 0, "", "", text, anchor or datetime(1, 1, 1, tzinfo=UTC))
        reading = next(self._readings([turn], (), {}))
        reading.dated = anchor is not None
        _read(reading)
        return facts(reading)

    def _readings(self, turns: Sequence[Turn], speakers: tuple[str, ...], aliases: dict[str, str]) -> Iterator[Reading]:
        captions = [t.caption for t in turns if t.caption]
        names = [*speakers, *aliases.values()]
        types: dict[str, str] = dict.fromkeys(speakers, "person")
        docs = self._analyzer.docs([truecase(t.text, names) for t in turns] + captions, _people(speakers, aliases))
        shown_docs = iter(docs[len(turns) :])
        for turn, doc in zip(turns, docs, strict=False):
            yield Reading(
                turn, doc, doc.text, speakers, aliases, types, caption=next(shown_docs) if turn.caption else None
            )


def _people(speakers: tuple[str, ...], aliases: Mapping[str, str]) -> list[str]:
    """Single words known to name a person or an animal."""
    named = [name for alias, name in aliases.items() if type_of_alias(alias) in ("person", "animal")]
    return sorted({name for name in (*speakers, *named) if name.isalpha()})


def _speakers(context: Context, turns: Sequence[Turn]) -> tuple[str, ...]:
    names = [*context.speakers, *(t.speaker for t in context.previous), *(t.speaker for t in turns)]
    names = [n for n in dict.fromkeys(names) if n and n != DOCUMENT]
    if names == ["user"]:
        names.append("assistant")
    return tuple(names)


def _read(reading: Reading) -> None:
    if not reading.text.strip() and reading.caption is None:
        return
    for component in COMPONENTS:
        checkpoint()
        component(reading)


def _extraction(reading: Reading) -> Extraction:
    found = facts(reading)
    stated = tuple(dict.fromkeys(reading.stated))
    read = ((reading.turn.text, reading.doc), (reading.turn.caption, reading.caption))
    whole = not any(doc is not None and unanalysed(text, doc) for text, doc in read)
    named, related = tuple(mentions(reading)), tuple(edges(found))
    return Extraction(reading.turn.id, tuple(found), named, related, stated, whole)
