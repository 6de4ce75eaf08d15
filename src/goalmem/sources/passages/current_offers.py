"""The offers of all turns that are read, without those that a later turn changed or gave anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from goalmem.logic.terms import Variable
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.certainty.answer_ranking import OfferFeatures, preference
from goalmem.sources.passages.effort import CHANGES_READ, FOR_ONE, Effort
from goalmem.sources.passages.offers import Offer, QuestionRead, TurnOffers, best_of, is_of_same_words
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.passages.succession import MAY_SUCCEED, SUCCEEDS, Successions

WORSE = 1.5
"""How much lower the preference of a value in a turn with a change may be than that of the value it replaces. Chosen, like `SUCCEEDING`, on
160 plain statements and updates with a question each and on lab/everyday/dev."""


@dataclass(frozen=True, slots=True)
class Outdated:
    """A proposal after which a later turn has a change."""

    preference: float
    proposal: Proposal
    features: OfferFeatures
    later: str
    """The turn with the change."""
    worse: float
    """How much lower the preference of that turn's offer may be."""


@dataclass(frozen=True, slots=True)
class OfferedNow:
    """What turns offer for a question, and what of it later turns changed."""

    offers: Sequence[Offer]
    outdated: Sequence[Outdated] = ()
    """The former answers, which are not among the offers."""
    anew: tuple[str, str] | None = None
    """The turn and the text of a value that takes the place of an earlier one, though it does not say of what it is."""
    unsure: tuple[Proposal, float] | None = None
    """A value that may have been given anew, and how probably."""


@dataclass(frozen=True)
class CurrentOffers:
    """The offers of turns as they are now."""

    turns: TurnOffers
    successions: Successions
    answers: frozenset[Variable]
    """The variables for which one value is wanted."""

    def of(
        self, question: str, variable: Variable, ranked: Sequence[RankedTurn], effort: Effort = FOR_ONE
    ) -> OfferedNow:
        """The offers of each turn that is read, not yet scored. A later turn with a change of what is offered is read, too."""
        texts = self.turns.readings.texts
        passages = texts.passages_of([r.turn for r in ranked])
        asked = self.turns.question_read(question, variable, ranked, passages)
        read = passages[: effort.read]
        offers = self.turns.of(asked, read)
        changed = self._changed(variable, offers)
        ids = {p.turn.id for p in read}
        if later := list(dict.fromkeys(o.later for o in changed if o.later not in ids)):
            more = self.turns.of(asked, texts.passages_of(later[:CHANGES_READ]))
            offers, changed = offers + more, changed + self._changed(variable, more)
        anew = OfferedNow(())
        if variable in self.answers and not any(best_of(offers) is o.proposal for o in changed):
            anew = self._given_anew(asked, offers, [r.turn for r in ranked])
        now = _current([*offers, *anew.offers], [*changed, *anew.outdated])
        return replace(now, anew=anew.anew, unsure=anew.unsure)

    def unchanged(self, question: str, variable: Variable, ranked: Sequence[RankedTurn]) -> Sequence[Offer]:
        """The offers of the turns that are read, without those that words of change replace."""
        passages = self.turns.readings.texts.passages_of([r.turn for r in ranked])
        offers = self.turns.of(self.turns.question_read(question, variable, ranked, passages), passages)
        return _current(offers, self._changed(variable, offers)).offers

    def _changed(self, variable: Variable, offers: Sequence[Offer]) -> list[Outdated]:
        """The offers after which a later turn has a change."""
        if variable not in self.answers:
            return []
        return [
            Outdated(preference(offer.features), offer.accepted, offer.features, *later)
            for offer in offers
            if offer.accepted is not None and (later := self._later(offer.accepted)) is not None
        ]

    def _later(self, proposal: Proposal) -> tuple[str, float] | None:
        """The later turn after which a proposal no longer answers the question, and how much lower the preference of its offer may be."""
        memory = self.turns.memory
        turn = memory.turn(proposal.turn)
        if turn is None:
            return None
        for surely, worse in ((True, math.inf), (False, WORSE)):
            later = memory.later.outdated(self.turns.asked, turn, proposal.value.text, surely=surely)
            if later is not None:
                return later[0].id, worse
        return None

    def _given_anew(self, asked: QuestionRead, offers: Sequence[Offer], found: Sequence[str]) -> OfferedNow:
        """The value that a later turn gives in place of the likeliest one without saying of what it is, and what it replaces."""
        held = best_of(offers)
        turn = self.turns.memory.turn(held.turn) if held is not None else None
        if held is None or turn is None:
            return OfferedNow(())
        given = self.successions.given_anew(asked.question, asked.variable, turn, held.span, found)
        new = next((g for g in reversed(given) if g.probability >= SUCCEEDS), None)
        if new is None:
            likely = max((g.probability for g in given), default=0.0)
            return OfferedNow((), unsure=(held, likely) if likely >= MAY_SUCCEED else None)
        old = [
            Outdated(preference(o.features), o.proposal, o.features, new.passage.turn.id, math.inf)
            for o in offers
            if o.proposal is not None and (o.proposal.turn == held.turn or o.proposal.value.key == held.value.key)
        ]
        offer = Offer(new.proposal, asked.features(new.passage, new.words))
        return OfferedNow((offer,), old, anew=(new.passage.turn.id, new.proposal.value.text))


def _current(offers: Sequence[Offer], changed: Sequence[Outdated]) -> OfferedNow:
    """The offers, without those that a nearly as good offer in a later turn with a change replaces."""
    best: dict[str, float] = {}
    for offer in offers:
        if (proposal := offer.accepted) is not None:
            best[proposal.turn] = max(best.get(proposal.turn, -math.inf), preference(offer.features))
    over = [o for o in changed if best.get(o.later, -math.inf) >= o.preference - o.worse]
    kept = [
        o for o in offers if o.proposal is None or not any(is_of_same_words(o.proposal, old.proposal) for old in over)
    ]
    return OfferedNow(kept, over)
