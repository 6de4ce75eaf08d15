"""Unify facts with atoms: every way in which a clause says what is asked, also by another verb, a description or under a condition."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from goalmem.language.lexicon import verb_kinds
from goalmem.language.lexnames import VerbKind
from goalmem.language.terms import WORD_PART
from goalmem.language.verb_forms import is_over
from goalmem.language.words.verbs import ACQUIRING
from goalmem.logic.terms import Alignment, Binding, Derivation, Value, Variable
from goalmem.logic.unify import Frame, FramePart, Mismatch, Unification, unify
from goalmem.records import ASKER, Fact, Modality
from goalmem.sources.certainty.doubts import DOUBTFUL
from goalmem.sources.facts.amounts import ToldAmounts, is_some, leaves_one_out
from goalmem.sources.facts.answer_names import (
    OWNED,
    is_antecedent,
    is_no_destination,
    is_no_name,
    is_only_called_so,
    said_in_full,
)
from goalmem.sources.facts.conditions import conditional_frames, consequence_of
from goalmem.sources.facts.match import FactCandidate, Match, says
from goalmem.sources.facts.space_facts import SpaceFacts
from goalmem.sources.facts.tense import meant
from goalmem.sources.facts.told_times import EventTimes, without_time
from goalmem.sources.frame_reader import FrameReading, says_nothing_more
from goalmem.sources.similarity import Similarity
from goalmem.sources.state.attribute_text import is_colour
from goalmem.sources.values import activity_of, value_of

DOING = 0.9
"""Score of an activity as the answer to `what did … do`."""
COLOURS = frozenset({"colour", "color"})
CHANGES = VerbKind.named("change contact motion possession")
"""Kinds of verbs by which something changes, moves, or passes to somebody."""


@dataclass
class FactUnifier:
    """Unifies the facts of a space with atoms."""

    facts: SpaceFacts
    similarity: Similarity
    asker: str
    """The person that `I` refers to in the question."""

    @cached_property
    def times(self) -> EventTimes:
        """When what the facts tell was."""
        return EventTimes(self.facts)

    @cached_property
    def amounts(self) -> ToldAmounts:
        """What the facts tell amounts of."""
        return ToldAmounts(self.facts)

    def told(self, reading: FrameReading, candidate: FactCandidate) -> Iterator[Match]:
        """Yield every way in which the fact matches the atom as it was told."""
        if candidate.fact.modality is Modality.CONDITIONAL:
            yield from self._conditional(reading, candidate)
            return
        stated = meant(candidate.fact, reading) and not self.leaves_one_out(candidate.fact, reading)
        for frame in reading.frames:
            if says_nothing_more(frame):
                continue
            if candidate.fact.modality is Modality.ASSERTED:
                yield from self._described(frame, candidate)
            if not stated:
                continue
            if reading.activity is not None:
                yield from self._doing(frame, reading.activity, candidate)
                continue
            yield from self._happened(frame, candidate)
            result = unify(frame, candidate.frame, self.similarity)
            if not isinstance(result, Mismatch):
                for unification in result:
                    match = self._bound(frame, unification, candidate.fact)
                    if match is not None and not self.amounts.is_of_other_rate(reading.text, match):
                        yield match
                    if (dated := self._dated_by_event(frame, unification, candidate.fact)) is not None:
                        yield dated

    def _conditional(self, reading: FrameReading, candidate: FactCandidate) -> Iterator[Match]:
        """Yield every way in which a fact matches an atom under the same condition."""
        fact = candidate.fact
        for frame, told in conditional_frames(reading, fact, candidate.frame, self.asker):
            free = next((p.variable for p in frame.unknowns if p.variable is not None), None)
            happens = frame.predicate == "happen" and free is not None and len(frame.parts) == 1
            doing = free if happens else reading.activity
            if doing is None:
                result = unify(frame, told, self.similarity)
                matched = (self._bound(frame, u, fact) for u in ([] if isinstance(result, Mismatch) else result))
                yield from (m for m in matched if m is not None)
                continue
            found = consequence_of(fact, whole=happens)
            asked = replace(frame, parts=tuple(p for p in frame.parts if p.variable is None))
            result = unify(asked, replace(told, predicate=asked.predicate), self.similarity)
            if found is None or not fact.polarity or isinstance(result, Mismatch):
                continue
            value = replace(found, type=doing.type)
            binding = Binding(doing, value, Derivation.QUOTED, found.text, fact.turn)
            yield Match(fact, (binding,), result[0].alignment[1:], DOING, opposed=False)

    def leaves_one_out(self, fact: Fact, reading: FrameReading) -> bool:
        """True if a fact leaves out one of all that an atom is about (`amounts.leaves_one_out`)."""
        turn = self.facts.turn(fact.turn)
        return turn is not None and leaves_one_out(fact, turn.content, reading)

    def _bound(self, frame: Frame, unification: Unification, fact: Fact) -> Match | None:
        """A unification with its values; None if a time is needed and the fact has none, or if a value is only what a clause describes."""
        if any(is_antecedent(part, fact) for _, part in unification.filled):
            return None
        if any(
            self.amounts.is_share(variable, part, frame, fact)
            or is_some(variable, part, frame)
            or is_no_destination(variable, part, fact)
            or is_no_name(variable, part, fact)
            or is_only_called_so(variable, frame, fact)
            for variable, part in unification.filled
        ):
            return None
        named = {part.entity.casefold() for part in frame.constants if part.entity}
        bindings = [self._binding(variable, part, fact, named) for variable, part in unification.filled]
        score, alignment = unification.score, unification.alignment
        if alignment and (fact.kind == "possession" or not says(fact.text, fact.predicate)):
            # `my sister` and `Yes` have no verb: it comes from the question they answer.
            alignment = (replace(alignment[0], how="implied"), *alignment[1:])
        if frame.time is not None:
            timed = self.times.binding(frame.time, fact)
            if timed is None:
                return None
            bindings.append(timed[0])
            score *= timed[1]
        return Match(fact, tuple(bindings), alignment, score, unification.opposed)

    def _dated_by_event(self, frame: Frame, unification: Unification, fact: Fact) -> Match | None:
        """A unification with the event that the fact is dated by as its time; None if there is none."""
        told = self.times.event(frame.time, fact) if frame.time is not None else None
        plain = self._bound(replace(frame, time=None), unification, fact) if told is not None else None
        if plain is None or told is None:
            return None
        return replace(plain, bindings=(*plain.bindings, told))

    def _doing(self, frame: Frame, activity: Variable, candidate: FactCandidate) -> Iterator[Match]:
        """`X did (x:activity)`: any clause with X as subject that describes an activity."""
        found = activity_of(candidate.fact)
        if found is None or not candidate.fact.polarity:
            return
        asked = tuple(p for p in frame.parts if p.variable is None)
        told = replace(candidate.frame, predicate=frame.predicate)
        result = unify(replace(frame, parts=asked), told, self.similarity)
        if isinstance(result, Mismatch):
            return
        found = without_time(found, candidate.fact, frame)
        binding = Binding(activity, found, Derivation.QUOTED, found.text, candidate.fact.turn)
        filled = replace(result[0], alignment=result[0].alignment[1:], score=result[0].score * DOING)
        match = self._bound(frame, filled, candidate.fact)
        if match is not None:
            yield replace(match, bindings=(binding, *match.bindings))

    def _described(self, frame: Frame, candidate: FactCandidate) -> Iterator[Match]:
        """`X's N is (c:colour)`: a clause that mentions the colour, or the colour of what its owner got: `I bought a blue car`."""
        fact, asked = candidate.fact, frame.constants
        colour = next(
            (p.variable for p in frame.unknowns if p.variable is not None and p.variable.type in COLOURS), None
        )
        if frame.predicate != "be" or colour is None or len(frame.parts) != 2 or len(asked) != 1 or not fact.polarity:
            return
        owner, mark, noun = asked[0].entity.rpartition("'s ")
        owned = fact.predicate in ACQUIRING and mark and self.similarity.corefer(fact.subject, owner)
        for part in candidate.frame.parts:
            words = [w for w in WORD_PART.findall(part.text) if is_colour(w.casefold())]
            got = (
                owned
                and part.role == "object"
                and self.similarity.same(replace(asked[0], entity="", text=noun, modifiers=()), part)[0]
            )
            if (
                len(words) != 1
                or fact.predicate == "be"
                or not (got or self.similarity.same(asked[0], part)[0] >= DOING)
            ):
                continue
            value = Value(words[0], words[0].casefold(), "colour")
            binding = Binding(colour, value, Derivation.QUOTED, words[0], fact.turn)
            shown = Alignment(asked[0].text, part.text, "same", DOUBTFUL if got else DOING)
            yield Match(fact, (binding,), (shown,), DOUBTFUL if got else DOING, False)

    def _happened(self, frame: Frame, candidate: FactCandidate) -> Iterator[Match]:
        """`(x:thing) happened to X`: any clause in which something is done to X, or X dies or breaks."""
        fact, told = candidate.fact, candidate.frame
        what = next((p.variable for p in frame.unknowns if p.variable is not None and p.role == "subject"), None)
        to = next((p for p in frame.constants if p.role == "to"), None)
        done = activity_of(fact) if fact.polarity and what is not None and to is not None else None
        if frame.predicate != "happen" or what is None or to is None or done is None or not tells_change(fact):
            return
        for part in told.parts:
            if part.role == "object" and self.similarity.same(to, part)[0] >= DOING:
                binding = Binding(what, Value(done.text, done.key, "thing"), Derivation.QUOTED, done.text, fact.turn)
                shown = Alignment(to.text, part.text, "same", DOUBTFUL)
                yield Match(fact, (binding,), (shown,), DOUBTFUL, False)

    def _binding(self, variable: Variable, part: FramePart, fact: Fact, named: Collection[str] = ()) -> Binding:
        """The binding of a variable to `part`.

        A person that the goal names (`named`) is described by relation: Lucia is `Ivo's sister`, not Lucia.
        """
        value = value_of(variable, part, self.similarity)
        again = value.key in map(self.similarity.canonical, named)
        if again and OWNED in part.entity and part.entity.casefold() not in named:
            own = f"{ASKER}{OWNED}" if self.asker == ASKER else ""
            described = part.entity.replace(own, "your ") if own else part.entity
            value = Value(described, part.entity.casefold(), part.type)
        derivation = Derivation.NUMBER if value.number is not None else Derivation.QUOTED
        if value.number is None and (part.start < 0 or value.text.casefold() not in part.text.casefold()):
            derivation = Derivation.RESOLVED
        span = said_in_full(variable, part, fact) if part.start >= 0 else ""
        return Binding(variable, value, derivation, span, fact.turn)


def tells_change(fact: Fact) -> bool:
    """True if a clause describes a change, a movement or a transfer of something."""
    verb = fact.predicate.split()[0]
    if verb in ACQUIRING or not is_over(fact.text, fact.predicate):
        return False
    return any(kind in CHANGES for kind in verb_kinds(fact.predicate)[:1])
