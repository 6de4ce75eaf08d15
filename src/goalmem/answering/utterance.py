"""One utterance in its space, with the calls that a memory makes for it: answer, recall, context, history."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from goalmem.answer import Answer, Previous, answer_of
from goalmem.answering.context import Context, context_of
from goalmem.answering.pipeline import AnswerPipeline
from goalmem.answering.profile import MOST_SHOWN, ProfileBuilder
from goalmem.engine.events import Event, Listener
from goalmem.models.chat import ChatModel
from goalmem.proof.seal import Seals
from goalmem.questions.follow_up import PreviousQuestion
from goalmem.records import Fact, HistoryEntry, Hit, Profile
from goalmem.sources.certainty.replacements import Slots
from goalmem.sources.chat.judgement_log import ReplyStore
from goalmem.sources.similarity import Similarity

if TYPE_CHECKING:
    from goalmem.integrations.backends.backend_memory import BackendMemory
    from goalmem.rules.evr.reasoner import Reasoner


Chat: TypeAlias = tuple[ChatModel, ReplyStore | None]
"""A chat model to reason with, and where its replies are stored; None if they are not stored."""

FOUND = 20
"""Turns searched for words that name no entity."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """An utterance, and the pipeline, space, time and person that it belongs to."""

    pipeline: AnswerPipeline
    text: str
    space: str
    at: datetime
    asker: str
    """The person that `I` refers to."""
    began: float
    """When the call began, by `time.perf_counter`."""

    def answer(
        self,
        chat: Chat | None,
        networks: Reasoner | None,
        foreign: BackendMemory | None,
        *,
        goals: bool,
        assume: bool,
        listener: Listener,
    ) -> Answer:
        """Answer with a proof, as `Memory.ask` describes. The last event that `listener` receives is the proof."""
        pipeline, short, full, usage, by_networks = self.pipeline, "", "", None, None
        if chat is not None:
            from goalmem.answering.chat import chat_pipeline

            model = chat_pipeline(pipeline, *chat, self.space, self.at, assume, listener, self.asker)
            worded = model.answer(self.text) if goals else model.read(self.text)
            proof, short, full, usage = worded.proof, worded.short, worded.full, model.model.usage
        elif networks is not None:
            from goalmem.answering.networks import network_answer

            by_networks = network_answer(
                pipeline, networks, self.text, space=self.space, at=self.at, listener=listener, asker=self.asker
            )
            proof = by_networks.proof
        else:
            proof = pipeline.proof(
                self.text, space=self.space, at=self.at, goals=goals, listener=listener, asker=self.asker
            )
        proof = pipeline.signed(proof, self.asker)
        if foreign is not None:
            proof = foreign.explained(proof, pipeline.store)
        proof = Seals(pipeline.settings.proof_key).sealed(proof)
        answer = answer_of(proof, time.perf_counter() - self.began, short, full, usage)
        answer = by_networks.answer(answer) if by_networks is not None else answer
        listener(_proof_event(answer))
        return answer

    def recall(self, chat: Chat | None, k: int, *, goals: bool) -> list[Hit]:
        """Return the `k` turns that reasoning ranks first, as `Memory.recall` describes."""
        pipeline = self.pipeline
        if goals and chat is not None:
            from goalmem.answering.chat import chat_pipeline

            found = chat_pipeline(pipeline, *chat, self.space, self.at, asker=self.asker).ranked(self.text, k)
        else:
            found = pipeline.retrieve(self.text, space=self.space, at=self.at, k=k, goals=goals, asker=self.asker)
        turns = pipeline.store.turns(self.space, [f.turn for f in found])
        return [Hit(turns[f.turn], f.score, f.signals) for f in found if f.turn in turns]

    def context(self, max_tokens: int, count: Callable[[str], int] | None, profiles: ProfileBuilder) -> Context:
        """Return what the memory says about the utterance, as a block of at most `max_tokens` tokens."""
        return context_of(
            self.pipeline,
            self.text,
            space=self.space,
            at=self.at,
            max_tokens=max_tokens,
            count=count,
            asker=self.asker,
            profile=lambda: self.profile(profiles),
        )

    def profile(self, profiles: ProfileBuilder, who: str = "", most: int = MOST_SHOWN) -> Profile:
        """Return what is known of somebody, by default of the asker."""
        return profiles.profile(
            self.pipeline.store, who or self.asker, self.similarity, self.space, self.at, most, str(self.pipeline.where)
        )

    def history(self) -> list[HistoryEntry]:
        """Return all statements about what the utterance names, oldest first."""
        slots = Slots(self.pipeline.store, self.space, self.similarity)
        told = slots.statements.in_order(self._facts_named())
        replaced = ((fact, slots.superseded_by(fact)) for fact in told)
        return [HistoryEntry(fact, newer.id if newer is not None else None) for fact, newer in replaced]

    def _facts_named(self) -> list[Fact]:
        """The facts that the utterance names: by id (with those of the same slot), by entity, otherwise by their words."""
        store, space, similarity = self.pipeline.store, self.space, self.similarity
        named = store.facts(space, ids=[self.text])
        if named:
            same = [f for n in named if n.slot for f in store.facts(space, slot=n.slot)]
            subjects = {similarity.canonical(n.subject) for n in named}
            found = [*named, *(f for f in same if similarity.canonical(f.subject) in subjects)]
            return list({f.id: f for f in found}.values())
        if held := store.facts(space, entity=similarity.canonical(self.text)):
            return held
        words = {w.casefold().strip(".,?!'\"") for w in self.text.split()}
        turns = [r.turn for r in self.pipeline.searcher.rank(self.text, space=space, k=FOUND)]
        return [f for f in store.facts(space, turns=turns) if words & _words_of(f, similarity)]

    @property
    def similarity(self) -> Similarity:
        """The similarity of words in this space."""
        return Similarity(self.pipeline.store.aliases(self.space), self.pipeline.cosine)


def exchange_of(previous: Previous) -> PreviousQuestion:
    """Return the previous question, with its answer if it is known."""
    if isinstance(previous, Answer):
        return PreviousQuestion(previous.question, _as_asker(previous.text) if previous.known else "")
    said = [previous] if isinstance(previous, str) else previous
    return PreviousQuestion(said[0], *map(_as_asker, said[1:]))


def _as_asker(answer: str) -> str:
    """An answer to the asker in the asker's words: `your boss` is `my boss`."""
    return re.sub(r"\byour\b", "my", answer)


def _words_of(fact: Fact, similarity: Similarity) -> set[str]:
    """The words that can name a fact."""
    words = {fact.predicate, *fact.slot.split()}
    for argument in fact.args:
        words |= {argument.head, *argument.modifiers, *similarity.canonical(argument.entity).split()}
    return words - {""}


def _proof_event(answer: Answer) -> Event:
    """Return the event for an answer."""
    data = {
        "status": answer.status,
        "answer": answer.text,
        "confidence": answer.confidence,
        "seconds": answer.seconds,
        "turns": answer.citations,
    }
    return Event("proof", answer.text, data)
