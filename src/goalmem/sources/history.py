"""What was said about something over time, and what replaced what."""

from __future__ import annotations

from goalmem.records import Fact, HistoryEntry
from goalmem.sources.evidence_store import Finder, Recollection
from goalmem.sources.similarity import Wording
from goalmem.sources.supersede import Slots

__all__ = ["history"]

FOUND = 20
"""Turns searched for words that name no entity alone."""


def history(store: Recollection, searcher: Finder, wording: Wording, space: str, about: str) -> list[HistoryEntry]:
    """Statements about an entity, a fact, or words, oldest first."""
    slots = Slots(store, space, wording)
    facts = facts_about(store, searcher, wording, space, about)
    entries = []
    for fact in sorted(facts, key=lambda f: (f.said, f.turn, f.start, f.id)):
        newer = slots.superseded_by(fact)
        entries.append(HistoryEntry(fact, newer.id if newer else None))
    return entries


def facts_about(store: Recollection, searcher: Finder, wording: Wording, space: str, about: str) -> list[Fact]:
    """The facts that `about` names: by id (with those of the same slot), by entity, else by their words."""
    named = store.facts(space, ids=[about])
    if named:
        same = [f for n in named if n.slot for f in store.facts(space, slot=n.slot)]
        subjects = {wording.canonical(n.subject) for n in named}
        return list(
            {f.id: f for f in [*named, *(s for s in same if wording.canonical(s.subject) in subjects)]}.values()
        )
    entity = wording.canonical(about)
    held = store.facts(space, entity=entity)
    if held:
        return held
    words = {w.casefold().strip(".,?!'\"") for w in about.split()}
    turns = [r.turn for r in searcher.rank(about, space=space, k=FOUND)]
    return [f for f in store.facts(space, turns=turns) if words & spoken_of(f, wording)]


def spoken_of(fact: Fact, wording: Wording) -> set[str]:
    """The words by which a fact can be named."""
    words = {fact.predicate, *fact.slot.split()}
    for argument in fact.args:
        words |= {argument.head, *argument.modifiers, *wording.canonical(argument.entity).split()}
    return words - {""}
