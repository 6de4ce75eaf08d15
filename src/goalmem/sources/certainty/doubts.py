"""Doubts about a fact: it is taken back, is about something else, is inexact, or may have changed since.

A doubted fact is `likely` at most. Doubts are read from the turns alone, so that the checker of a proof finds the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from goalmem.language import lexicon
from goalmem.language.morphology import singular
from goalmem.language.verb_forms import is_under_way
from goalmem.language.words import any_of
from goalmem.language.words.doubts import DECEASED, LASTS_AT_MOST, PARTED
from goalmem.logic.evaluate import OF_AMOUNTS
from goalmem.logic.terms import Binding, Goal
from goalmem.records import Fact, Modality
from goalmem.sources.assertion import UNTIL_NOW
from goalmem.sources.certainty.denials import UP_TO_NOW, is_done_then, is_overtaken, may_be_done_by_now
from goalmem.sources.certainty.endings import is_understood, may_end, may_replan
from goalmem.sources.certainty.implied import is_suggested, is_unfinished
from goalmem.sources.certainty.later_statements import MOST, Statements, names_in
from goalmem.sources.certainty.namesakes import is_of_namesake
from goalmem.sources.certainty.passing_states import may_be_over, nouns_of
from goalmem.sources.certainty.renewals import Renewal, follows_alone, renewals
from goalmem.sources.certainty.reservations import (
    UNTIL,
    is_figurative,
    is_open,
    is_qualified,
    is_restricted,
    is_unvouched,
)
from goalmem.sources.certainty.retraction import Retractions, is_called_untrue
from goalmem.sources.certainty.same_matter import SameMatter
from goalmem.sources.certainty.topics import is_former_state, is_state, may_mean, topics_of, words_in
from goalmem.sources.phrase_cosine import no_cosine
from goalmem.sources.state.attribute_text import AttributeTopic

DOUBTFUL = 0.7
"""Highest score of a doubted step, below that of a step in a proof with status proved (`proof.status`)."""
OPEN = 0.4
"""Highest score of a step from a fact that leaves open what is asked: below the threshold from which answers are told."""
PASSING_STATE = re.compile(
    rf"(?:\b(?:am|is|are|feels?)|['’](?:m|s|re))\s+(?:(?:so|very|really|still|now|just|all|a bit)\s+)*(?P<state>{any_of(LASTS_AT_MOST).pattern})",
    re.IGNORECASE,
)
"""Somebody is in a state that passes by itself."""
UNDER_WAY_FOR = 45
"""Days after which what somebody was doing (`I'm making soup`) may be done."""
HALF_A_YEAR = 183
"""Days after which somebody is probably a year older."""


@dataclass
class Doubts:
    """Doubts about the facts of one space, from turns up to a given time."""

    statements: Statements
    """What was said by the day of the question."""
    until: datetime
    """The day of the question."""
    cosine: Callable[[str, str], float] = no_cosine
    """The cosine of two phrases' vectors."""
    _renewals: dict[str, Renewal | None] = field(default_factory=dict)
    """By fact."""

    @cached_property
    def retractions(self) -> Retractions:
        """Which statements are taken back."""
        return Retractions(self.statements)

    @cached_property
    def matter(self) -> SameMatter:
        """Compares the predicates of two statements."""
        return SameMatter(self.cosine)

    def of(self, fact: Fact, bindings: Sequence[Binding], asked: str, *, present: bool) -> bool:
        """True if a fact that answers a goal is in doubt.

        `asked`: the words of the goal; `present`: if it asks about the present.
        """
        turn = self.statements.turn_of(fact)
        if turn is None:
            return False
        return (
            self.retractions.is_taken_back(fact)
            or is_open(fact, turn, self.statements.beside(fact), bindings, asked)
            or is_suggested(fact, self.statements.beside(fact))
            or has_lapsed(fact, bindings, self.until)
            or may_be_done_by_now(fact, self.statements)
            or is_of_namesake(fact, asked, self.statements)
            or (present and (is_former_state(fact) or self.may_have_changed(fact)))
            or (fact.modality is Modality.PLANNED and self._may_be_replanned(fact))
        )

    def leaves_open(self, fact: Fact, asked: str, *, present: bool, past: bool) -> bool:
        """True if a fact says nothing of what is asked, though its words do: of an end that was not told, or of what is over or another amount by now."""
        turn = self.statements.turn_of(fact)
        if turn is not None and is_called_untrue(fact, turn.content):
            return True
        over = is_unfinished(fact, asked, past=past)
        over |= present and (self.is_remeasured(fact) or self._may_be_over(fact))
        lasting = not past or UP_TO_NOW.search(fact.text) is not None
        return over or (lasting and is_overtaken(fact, self.statements)) or self.is_done_since(fact)

    def is_done_since(self, denied: Fact) -> bool:
        """True if what a denial denies was done later by somebody unnamed (`denials.is_done_then`)."""
        return is_done_then(denied, self.statements)

    def is_figurative(self, fact: Fact, asked: str) -> bool:
        """True if a fact may be meant in another way than its words say: `I have a frog in my throat`."""
        turn = self.statements.turn_of(fact)
        return turn is not None and is_figurative(fact, turn.content, asked)

    def of_last(self, because: Sequence[Fact], known: Collection[str], *, present: bool) -> bool:
        """True if the last of the facts behind an answer is in doubt; for the present, also by what changed it since.

        `known`: ids of facts whose effect is already accounted for.
        """
        if not because:
            return False
        one = len({f.turn for f in because}) == 1
        _, last = max(enumerate(because), key=lambda of: (of[1].said, of[1].start if one else 0, of[0]))
        if not because[-1].args:  # A statement without a sentence retracts by itself what it rests on.
            last, because = because[-1], because[-1:]
        for fact in because:
            turn, state = self.statements.turn_of(fact), is_state(fact) or (present and fact.arg("subject") is None)
            if (
                self.retractions.is_taken_back(fact, revalued=fact is last)
                or is_qualified(fact, state=state)
                or (turn is not None and is_unvouched(fact, self.statements.beside(fact), turn.content))
                or self.is_figurative(fact, "")
                or (present and is_restricted(fact, ""))
                or (present and fact.modality is Modality.PLANNED and fact.when is None)
            ):
                return True
        return present and (is_former_state(last) or self._is_altered(last, known) or self._may_be_over(last))

    def may_have_changed(self, fact: Fact) -> bool:
        """True if a later statement may have ended what a fact says of the present."""
        if fact.kind == "possession":
            return self._is_no_longer_called_so(fact)
        return fact.modality is Modality.ASSERTED and self._is_altered(fact)

    def _is_altered(self, fact: Fact, known: Collection[str] = ()) -> bool:
        """True if one of the later statements, apart from `known` ones, may have ended what a fact says."""
        topics, state = topics_of(fact), is_state(fact)
        plain = [t for t in topics if state and (not isinstance(t, str) or t.isalpha())]
        things = [
            singular(a.head)
            for a in fact.args
            if a.role != "subject" and a.type not in ("time", "quantity") and a.head.isalpha()
        ]
        return any(
            any(f.id not in known and may_end(f, fact, topics, self.matter) for f in later.facts)
            # A turn that tells of the thing, but from which no fact about it was read, may tell of any change.
            or any(later.tells_of(t) and not is_understood(later.turn, later.facts, t) for t in plain)
            or any(later.denies(t) for t in things)
            for later in self.statements.later(fact, topics)
        )

    def is_ended(self, fact: Fact) -> bool:
        """True if later words may have ended what a fact says, and name what it says: `sold the car`, after `has a car`.

        Unlike `may_have_changed`, what is said of the same person and of something else leaves it as it is.
        """
        nouns = nouns_of(fact) or [a.head for a in fact.args if a.role == "object"]
        topics = [*topics_of(fact), *(AttributeTopic(frozenset({n}), n) for n in nouns)]
        said = {singular(word) for noun in nouns for word in words_in(noun)}
        return any(
            any(later.denies(noun) for noun in nouns)
            or any(
                not said.isdisjoint(map(singular, words_in(f.text))) and may_end(f, fact, topics, self.matter)
                for f in later.facts
            )
            for later in self.statements.later(fact, topics)
        )

    def _may_be_over(self, fact: Fact) -> bool:
        """True if a later statement may mean that somebody is no longer at something: `I'm reading Dune`, `I finished Dune`."""
        nouns = nouns_of(fact)
        return any(
            may_be_over(told, fact, nouns)
            for later in (
                self.statements.later(fact, [AttributeTopic(frozenset({n}), n) for n in nouns]) if nouns else ()
            )
            for told in later.facts
        )

    def _is_no_longer_called_so(self, possession: Fact) -> bool:
        """True if a person may no longer be what a possession calls them: `my therapist`, who was Joan."""
        held = possession.arg("object")
        if held is None or not held.entity[:1].isupper() or "'s " in held.entity:
            return False
        lasting = lexicon.is_a(held.head, "relative") and not lexicon.is_a(held.head, "spouse")
        if held.type != "person" or lasting:
            return False
        told = self.statements.told(entity=held.entity, newest=MOST)
        return any(
            self._is_altered(f)
            for f in told
            if f.kind == "identity" and (a := f.arg("attribute")) is not None and a.head == held.head
        )

    def has_parted(self, fact: Fact) -> bool:
        """True if somebody who is married or engaged, or whose spouse or lover a fact names, is said later to have parted, or the other to have died."""
        if fact.slot == "relationship" and fact.predicate == "be":
            state = fact.arg("attribute")
            together = fact.polarity and state is not None and state.head not in PARTED
            return together and self._is_said_since(fact, fact.subject, PARTED)
        identity = fact.kind == "identity"
        held, one = fact.arg("attribute" if identity else "object"), fact.arg("subject")
        if not identity and fact.kind != "possession":
            return False
        if held is None or one is None or not any(lexicon.is_a(held.head, kind) for kind in ("spouse", "lover")):
            return False
        owner, partner = (held.entity.rpartition("'s ")[0], one.entity) if identity else (one.entity, held.entity)
        return self._is_said_since(fact, owner, PARTED) or self._is_said_since(fact, partner, PARTED | DECEASED)

    def _is_said_since(self, fact: Fact, name: str, verbs: frozenset[str]) -> bool:
        """True if something said of somebody with a fact or after it has one of these verbs or adjectives."""
        return any(
            f.polarity
            and f.modality is Modality.ASSERTED
            and (f.id == fact.id or self.statements.is_after(f, fact))
            and not verbs.isdisjoint({f.predicate, *(a.head for a in f.args if a.role == "attribute")})
            for f in (self.statements.told(entity=name, newest=MOST) if name else ())
        )

    def _may_be_replanned(self, plan: Fact) -> bool:
        """True if there are later words about what a plan names: it may change in more ways than can be told.

        Only what somebody is, has or likes leaves it as it is.
        """
        topics = [*topics_of(plan), *(a.entity for a in plan.args if a.entity and a.resolved != "speaker")]
        for later in self.statements.later(plan, topics):
            about = [f for f in later.facts if any(may_mean(f, t) or names_in(t, f.text) for t in topics)]
            if any(may_replan(f, plan) for f in about) or (not about and any(map(later.tells_of, topics))):
                return True
        return False

    def is_remeasured(self, fact: Fact) -> bool:
        """True if a later statement gives an amount of a fact anew, or may: `we're down to 3`."""
        return next(renewals(fact, self.statements), None) is not None

    def renewal(self, fact: Fact) -> Renewal | None:
        """The newest statement that gives an amount of a fact anew, if the amount can be of nothing else."""
        if fact.id not in self._renewals:
            newest = next(renewals(fact, self.statements), None)
            alone = newest is not None and follows_alone(newest, fact, self.statements)
            sure = alone and newest is not None and not self.retractions.is_taken_back(newest.told)
            self._renewals[fact.id] = newest if sure else None
        return self._renewals[fact.id]


def was_over(fact: Fact) -> bool:
    """True if the time of a fact had passed when it was said: `We met on the 8th` does not tell when we meet."""
    return fact.when is not None and fact.when.end <= fact.said.replace(tzinfo=None)


def has_lapsed(fact: Fact, bindings: Sequence[Binding], until: datetime) -> bool:
    """True if by that time alone a fact may no longer be so: a duration or an age has grown, a state has passed, or a plan's day is over."""
    days = (until.date() - fact.said.date()).days
    limited = fact.modality is Modality.PLANNED or any(a.role == "time" and UNTIL.match(a.text) for a in fact.args)
    if limited and fact.when is not None and fact.when.end <= until.replace(tzinfo=None):
        return True
    for a in fact.args if days > 0 and UNTIL_NOW.search(fact.text) else ():
        spans = (b.span for b in bindings if a.role == "for" and a.type == "time" and b.span)
        if any(span in a.text or a.text in span for span in spans):
            return True
    aged = any(b.variable.type == "age" or (fact.slot == "age" and b.value.number is not None) for b in bindings)
    return (aged and days > HALF_A_YEAR) or days > _lasts_at_most(fact)


def is_outgrown(fact: Fact, bindings: Sequence[Binding], goal: Goal, until: datetime) -> bool:
    """True if an age that somebody no longer has would be added to, or taken from, another's."""
    return goal.aggregate in OF_AMOUNTS and has_lapsed(fact, bindings, until)


def _lasts_at_most(fact: Fact) -> float:
    """The days that a state of somebody lasts at most; infinite for anything else."""
    if not fact.polarity:
        return math.inf
    if is_under_way(fact.text, fact.predicate):
        return UNDER_WAY_FOR
    if fact.predicate not in ("be", "feel"):
        return math.inf
    return min((LASTS_AT_MOST[m["state"].casefold()] for m in PASSING_STATE.finditer(fact.text)), default=math.inf)
