"""Turns -> facts, mentions, edges and aliases: the components, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from goalmem.cancellation import checkpoint
from goalmem.language.ages import ages
from goalmem.language.analyzer import Analyzer, unanalysed
from goalmem.language.annotations import WINDOW, Clause, Part, Referent, TurnContext, TurnReading
from goalmem.language.answers import answers
from goalmem.language.arguments import fill_arguments
from goalmem.language.clauses import find_clauses, is_question
from goalmem.language.comparisons import compared_sides, comparisons
from goalmem.language.entities import find_titles, name, noun_type, relative, speaker, type_of_alias
from goalmem.language.event_times import acquired, endings, fill_times, find_expressions
from goalmem.language.exclusions import exclusions, separate_namesakes
from goalmem.language.facts import edges, facts, mentions
from goalmem.language.groups import groups
from goalmem.language.identity import identities, possessed, possessions
from goalmem.language.modality import find_quotations, judge
from goalmem.language.name_masking import truecase
from goalmem.language.name_statements import apply_namings, find_namings, is_name_here
from goalmem.language.orders import orders
from goalmem.language.outcomes import outcomes
from goalmem.language.phrases import implied_part, span
from goalmem.language.phrases import part as part_of
from goalmem.language.pronouns import absolute, anaphor, pronoun, whose
from goalmem.language.ranges import ranges
from goalmem.language.verbless_clauses import counted_alike, further_amounts, named_by_one, proforms, verbless_clauses
from goalmem.language.vocatives import find_vocatives
from goalmem.language.words.modifiers import KEEN
from goalmem.language.words.nouns import FANS, PICTURES
from goalmem.language.words.verbs import ATTITUDES, BEARING
from goalmem.records import DOCUMENT, Extraction, Fact, Turn

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


REFERENCE: tuple[Callable[[TurnReading, Token], Referent | None], ...] = (
    speaker,
    absolute,
    pronoun,
    whose,
    possessed,
    relative,
    name,
    acquired,
    anaphor,
)
"""Resolvers of a word's referent in order; the first result counts."""


def resolve(reading: TurnReading) -> None:
    """Resolve the referents of the turn's words, from left to right."""
    for token in reading.doc:
        checkpoint()
        for component in REFERENCE if not is_name_here(reading, token) else (name,):
            referent = component(reading, token)
            if referent is not None:
                reading.referents[token.i] = referent
                break
        apply_namings(reading, token)


def preferences(reading: TurnReading) -> None:
    """Annotate clauses that state a preference, and add the plain preference if it is paraphrased."""
    for clause in list(reading.clauses):
        if clause.predicate in ATTITUDES and (clause.part("object") or clause.part("complement")):
            clause.kind = "preference"
        found = _liked(clause)
        if found is not None:
            reading.clauses.append(found)
    for sentence in reading.doc.sents:
        if (fan := _fan_alone(reading, sentence)) is not None:
            reading.clauses.append(fan)


def _fan_alone(reading: TurnReading, sentence: Span) -> Clause | None:
    """`Big fan of jazz here`, `not a fan of jazz`: the speaker says of themselves whether they like it, unless they answer about somebody."""
    root = sentence.root
    before = reading.previous[-1] if reading.previous else None
    asked = before is not None and before.turn.speaker != reading.turn.speaker and "?" in before.text
    alone = root.lemma_.lower() in FANS and root.pos_ == "NOUN" and root.dep_ == "ROOT"
    if not alone or asked or is_question(sentence) or reading.is_quoted(root) or not reading.turn.author:
        return None
    if any(t.dep_ in ("nsubj", "poss", "conj", "cop", "appos") for t in root.children):
        return None
    target = next((t for of in root.children if of.lower_ == "of" for t in of.children if t.dep_ == "pobj"), None)
    if target is None:
        return None
    liked, who = part_of(reading, target, "object"), implied_part(reading.turn.author, "subject", "speaker")
    denied = any(t.dep_ == "neg" or t.lower_ in ("not", "no") for t in root.children)
    return Clause(
        None,
        "like",
        kind="preference",
        parts=[who, liked],
        tense="present",
        polarity=not denied,
        start=liked.start,
        end=liked.end,
    )


def _liked(clause: Clause) -> Clause | None:
    subject, attribute, obj = clause.part("subject"), clause.part("attribute"), clause.part("object")
    if clause.head is None or subject is None:
        return None
    if clause.predicate in BEARING and obj and not clause.polarity:
        return _preference(clause, subject, "hate", obj, polarity=True)
    if clause.predicate != "be":
        return None
    into = clause.part("into")
    if into and subject.type == "person":
        return _preference(clause, subject, "like", into)
    if attribute is None:
        return None
    liked = clause.part(KEEN.get(attribute.head, "")) if attribute.head in KEEN else None
    if liked:
        return _preference(clause, subject, "like", liked)
    if attribute.head in FANS:
        return _fan(clause, subject, attribute)
    return _favorite(clause, subject, attribute)


def _fan(clause: Clause, subject: Part, attribute: Part) -> Clause | None:
    token = attribute.token
    if token is None:
        return None
    for prep in token.children:
        if prep.lower_ == "of":
            for target in prep.children:
                if target.dep_ == "pobj":
                    first, last = span(target)
                    start, end = target.doc[first].idx, target.doc[last].idx + len(target.doc[last])
                    text = target.doc.text[start:end]
                    entity = text if target.pos_ == "PROPN" else ""
                    liked = Part("object", text, start, end, target.lemma_.lower(), target, entity)
                    return _preference(clause, subject, "like", liked)
    return None


def _favorite(clause: Clause, subject: Part, attribute: Part) -> Clause | None:
    """`My favorite color is blue`, `Blue is my favorite color`: a preference for blue."""
    for holder, liked in ((subject, attribute), (attribute, subject)):
        owner, _, what = holder.entity.partition("'s favorite ")
        if what and not liked.entity.startswith(f"{owner}'s favorite"):
            who = Part("subject", "", -1, -1, owner.lower(), None, owner, "person", "owner")
            return _preference(clause, who, "like", liked)
    return None


def _preference(clause: Clause, subject: Part, predicate: str, liked: Part, *, polarity: bool | None = None) -> Clause:
    """The plain preference, meant and dated as the clause it is read from."""
    obj = replace(liked.as_("object"))
    return Clause(
        None,
        predicate,
        kind="preference",
        parts=[subject.as_("subject"), obj],
        tense=clause.tense,
        past_habit=clause.past_habit,
        polarity=clause.polarity if polarity is None else polarity,
        modality=clause.modality,
        meant=clause.meant,
        when=clause.when,
        when_text=clause.when_text,
        start=min(p.start for p in (*clause.parts, obj) if p.start >= 0),
        end=max(p.end for p in (*clause.parts, obj)),
    )


SHOWN = 8
"""Noun phrases of a caption that are read; the rest of a long caption stays searchable."""


def shown(reading: TurnReading) -> None:
    """(speaker, show, the scene) and (speaker, show, each noun phrase of the caption); the word for the picture itself is passed over."""
    if reading.caption is None or not reading.turn.author:
        return
    phrases = [c for c in reading.caption.noun_chunks if c.root.lemma_.lower() not in PICTURES][:SHOWN]
    for phrase in phrases:
        speaker = implied_part(reading.turn.author, "subject", "speaker")
        whole = phrase is phrases[0]
        reading.clauses.append(
            Clause(None, "show", parts=[speaker, _part(reading, phrase, whole=whole)], tense="present")
        )


def _part(reading: TurnReading, phrase: Span, *, whole: bool) -> Part:
    """The phrase; with all that follows it in the caption when it is the `whole` scene."""
    start = reading.offset + phrase.start_char
    end = reading.offset + len(reading.turn.caption) if whole else start + len(phrase.text)
    modifiers = tuple(
        t.lemma_.lower() for t in phrase if t.i != phrase.root.i and t.pos_ in ("NOUN", "PROPN", "ADJ", "NUM", "VERB")
    )
    return replace(
        Part("object", reading.turn.content[start:end], start, end, phrase.root.lemma_.lower()),
        type=noun_type(phrase.root),
        modifiers=modifiers,
    )


COMPONENTS: tuple[Callable[[TurnReading], None], ...] = (
    find_titles,
    find_quotations,
    find_namings,
    find_vocatives,
    resolve,
    separate_namesakes,
    find_clauses,
    find_expressions,
    fill_arguments,
    judge,
    counted_alike,
    named_by_one,
    verbless_clauses,
    proforms,
    further_amounts,
    fill_times,
    compared_sides,
    exclusions,
    answers,
    endings,
    preferences,
    possessions,
    identities,
    shown,
)
"""The steps of a reading, each of which adds to the earlier annotations."""


class Extractor:
    """Reads turns into facts. Deterministic; the same turns in the same context give the same facts."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer

    def extract(self, turns: Sequence[Turn], context: TurnContext | None = None) -> list[Extraction]:
        """One extraction per turn, in order; the turns belong to one session, in order.

        Raises ModelError when the language model is not installed.
        """
        if any(turn.is_unanalysed for turn in turns):
            return self._within_budget(turns, context)
        context = context or TurnContext()
        aliases = {alias.lower(): canonical for alias, canonical in context.aliases.items()}
        speakers = _speakers(context, turns)
        earlier = [turn for turn in context.previous if not turn.is_unanalysed][-2 * WINDOW :]
        readings: list[TurnReading] = []
        known = set(_people(speakers, aliases))
        for reading in self._readings([*earlier, *turns], speakers, aliases):
            names = set(_people(speakers, aliases))
            if any(name in reading.text for name in names - known):
                reading.doc = self._analyzer.docs([truecase(reading.turn.text, aliases.values())], sorted(names))[0]
            readings.append(reading)
            reading.dated = context.dated
            reading.previous = tuple(readings[-WINDOW - 1 : -1])
            _read(reading)
            outcomes(reading)  # not of goals, which say what they ask
            comparisons(reading)
            ranges(reading)
            orders(reading)
            groups(reading)
            ages(reading)
        return [_extraction(reading) for reading in readings[len(earlier) :]]

    def _within_budget(self, turns: Sequence[Turn], context: TurnContext | None) -> list[Extraction]:
        """As `extract`, with nothing read from turns that are over the budget of their document."""
        read = self.extract([turn for turn in turns if not turn.is_unanalysed], context)
        found = {extraction.turn: extraction for extraction in read}
        return [found.get(turn.id) or Extraction(turn.id, whole=False) for turn in turns]

    def parse_ahead(self, sentences: Iterable[str], queries: Iterable[str] = ()) -> None:
        """Parse texts together that are soon to be read, or searched for, one by one: it takes a third of the time."""
        self._analyzer.docs([*(truecase(text, ()) for text in sentences), *queries])

    def read(self, text: str, *, anchor: datetime | None = None) -> list[Fact]:
        """The facts of an isolated sentence in the third person, said at `anchor`; without an anchor, relative times
        stay unresolved.
        """
        turn = Turn("", "", "", 0, "", "", text, anchor or datetime(1, 1, 1, tzinfo=UTC))
        reading = next(self._readings([turn], (), {}))
        reading.dated = anchor is not None
        _read(reading)
        return facts(reading)

    def _readings(
        self, turns: Sequence[Turn], speakers: tuple[str, ...], aliases: dict[str, str]
    ) -> Iterator[TurnReading]:
        captions = [t.caption for t in turns if t.caption]
        names = [*speakers, *aliases.values()]
        types: dict[str, str] = dict.fromkeys(speakers, "person")
        docs = self._analyzer.docs([truecase(t.text, names) for t in turns] + captions, _people(speakers, aliases))
        shown_docs = iter(docs[len(turns) :])
        for turn, doc in zip(turns, docs, strict=False):
            yield TurnReading(
                turn, doc, doc.text, speakers, aliases, types, caption=next(shown_docs) if turn.caption else None
            )


def _people(speakers: tuple[str, ...], aliases: Mapping[str, str]) -> list[str]:
    """Single words known to name a person or an animal."""
    named = [name for alias, name in aliases.items() if type_of_alias(alias) in ("person", "animal")]
    return sorted({name for name in (*speakers, *named) if name.isalpha()})


def _speakers(context: TurnContext, turns: Sequence[Turn]) -> tuple[str, ...]:
    names = [*context.speakers, *(t.speaker for t in context.previous), *(t.speaker for t in turns)]
    names = [n for n in dict.fromkeys(names) if n and n != DOCUMENT]
    if names == ["user"]:
        names.append("assistant")
    return tuple(names)


def _read(reading: TurnReading) -> None:
    if not reading.text.strip() and reading.caption is None:
        return
    for component in COMPONENTS:
        checkpoint()
        component(reading)


def _extraction(reading: TurnReading) -> Extraction:
    found = facts(reading)
    stated = tuple(dict.fromkeys(reading.stated))
    read = ((reading.turn.text, reading.doc), (reading.turn.caption, reading.caption))
    whole = not any(doc is not None and unanalysed(text, doc) for text, doc in read)
    named, related = tuple(mentions(reading)), tuple(edges(found))
    return Extraction(reading.turn.id, tuple(found), named, related, stated, whole)
