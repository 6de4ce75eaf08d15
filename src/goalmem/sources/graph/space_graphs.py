"""The graphs of spaces, each with its reasoner and its citations, created when first used."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from goalmem.engine.events import Listener
from goalmem.errors import InputError
from goalmem.graph.critic import Critic
from goalmem.graph.entity_linking import MEANT, Link, LinkableGraph, Linker
from goalmem.graph.evidence_text import Citations, RelationTexts, TripleCitations
from goalmem.graph.local import LocalCritic
from goalmem.graph.local_model import LocalModel, read_model
from goalmem.graph.protocol import Triple
from goalmem.graph.reasoner import GraphReasoner, Topic
from goalmem.graph.record import GraphRecord, judge_beside
from goalmem.graph.retriever import EmbeddingRetriever, Vectors
from goalmem.graph.search import SearchOptions
from goalmem.graph.stored import MemoryGraphs, graph_of
from goalmem.language.lexicon import base_form, is_known
from goalmem.logic.terms import Evidence
from goalmem.logic.unify import Frame
from goalmem.models.protocol import Embedder
from goalmem.proof.document import Proof
from goalmem.proof.oracles import EvidenceTurn
from goalmem.sources.chat.judgement_log import Judgements
from goalmem.sources.evidence_store import EvidenceStore, evidence_of
from goalmem.sources.graph.walks import RecallCritic, RecallSource, WalkSource

if TYPE_CHECKING:
    from goalmem.models.chat import ChatModel
    from goalmem.store import Store


class FactGraph(Protocol):
    """A graph that knows the facts of its edges. `graph.stored.MemoryGraph` is one."""

    def facts_of(self, triple: Triple) -> Sequence[str]:
        """Ids of the facts behind an edge, in the order said."""
        ...

    def triples_of(self, fact: str) -> Sequence[Triple]:
        """The edges of a fact."""
        ...


@dataclass(frozen=True)
class FactCitations:
    """`Citations` of a space's own edges."""

    graph: FactGraph
    store: EvidenceStore
    space: str

    def cite(self, triple: Triple) -> Evidence:
        """The words of the last fact behind the edge. Raises LookupError for a triple that is no edge."""
        facts = self.store.facts(self.space, ids=self.graph.facts_of(triple))
        turns = self.store.turns(self.space, [f.turn for f in facts])
        said = [f for f in facts if f.turn in turns]
        if not said:
            raise LookupError(f"no fact makes the edge {triple}")
        return evidence_of(turns[said[-1].turn], said[-1].start, said[-1].end)

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn as the store holds it now."""
        turn = self.store.turns(self.space, [turn_id]).get(turn_id)
        return (
            EvidenceTurn(turn.content, turn.speaker, turn.at.isoformat(), turn.session, turn.source, turn.position)
            if turn
            else None
        )

    def stated(self, evidence: Evidence) -> Sequence[Triple]:
        """The edges of the facts read from exactly these words."""
        facts = self.store.facts(self.space, turns=[evidence.turn])
        own = (f.id for f in facts if (f.start, f.end) == (evidence.start, evidence.end))
        return [triple for fact in own for triple in self.graph.triples_of(fact)]


TOPICS = 3
"""Entities tried as the topic of a question."""
CHAT = "chat"
TUNED = "config.json"
"""A file in the folder of every Hugging Face model."""
POSSESSIVE = re.compile(r"['’]s?$")
ALIKE = 0.75 * MEANT
"""Least score of a topic that the question does not name: a cosine of .75, at which names mean nearly the same for MiniLM."""


@dataclass(frozen=True)
class SpaceGraph:
    """A graph, with the reasoner and the checker of its answers."""

    graph: LinkableGraph
    reasoner: GraphReasoner
    linker: Linker
    citations: Callable[[RelationTexts], Citations] = TripleCitations
    """Makes the citations of its triples."""
    frames: dict[str, tuple[Frame, ...]] = field(default_factory=dict)
    """The meaning of its relations, read once (`sources.graph.source`)."""

    @property
    def critic(self) -> Critic:
        """Scores which walks a question asks for."""
        return self.reasoner.critic

    def topics(self, question: str, *, named: bool = False) -> list[Link]:
        """Possible topics of a question, likeliest first. With `named`, only names spelled as in the graph."""
        links = self.linker.link(question, limit=TOPICS)
        close = [link for link in links if link.span != (0, len(question)) or link.score >= ALIKE]
        return [link for link in close if not named or self._is_named(question, link)]

    def _is_named(self, question: str, link: Link) -> bool:
        return link.node in self.graph.named(named_in(question, link)) and stands_out(question, link.span)

    def record(self, judgements: Judgements, proof: Proof | None = None) -> GraphRecord:
        """The checker of proofs over the graph; `judgements`: the chat models' recorded judgements of walks."""
        telling = RelationTexts(self.graph)
        return GraphRecord(
            self.graph,
            self.critic,
            judgements.goal,
            partial(judgements.fact, negated=False),
            proof,
            telling,
            self.citations(telling),
            self.linker.link,
        )

    def walks(self, topics: Callable[[str], Sequence[Link]], name: str, cost: int, listener: Listener) -> WalkSource:
        """Walks over the graph from a question's topics, as a source of steps."""
        citations = self.citations(RelationTexts(self.graph))
        return WalkSource(
            self.reasoner,
            partial(_started, topics),
            citations,
            self.linker.link,
            listener=listener,
            name=name,
            cost=cost,
        )

    def recalled(self, topics: Callable[[str], Sequence[Link]], critic: RecallCritic) -> RecallSource:
        """What the critic itself knows about a question's topics, as a source of steps."""

        def label(topic: Topic) -> str:
            return self.graph.labels(np.array([topic.node], dtype=np.int64))[0]

        return RecallSource(critic, partial(_started, topics), label)


def _started(topics: Callable[[str], Sequence[Link]], question: str) -> list[Topic]:
    return [Topic(link.node, link.span, link.score) for link in topics(question)]


def named_in(question: str, link: Link) -> str:
    """The words by which a question names a thing, without a possessive ending."""
    return POSSESSIVE.sub("", question[slice(*link.span)])


def stands_out(question: str, span: tuple[int, int]) -> bool:
    """True if words of a question look like a name: with a capital inside a sentence, or not in the dictionary."""
    start, end = span
    inside = any(word[:1].isupper() for word in question[max(start, 1) : end].split())
    words = re.findall(r"\w+", question[start:end].casefold())
    return inside or any(not any(is_known(base_form(word), part) for part in "nvar") for word in words)


@dataclass
class SpaceGraphs:
    """The graphs of the spaces of one store. Safe to use from several threads."""

    store: Store
    embedder: Embedder
    options: SearchOptions = field(default_factory=SearchOptions)
    critic: str = ""
    """The scorer of walks: `chat`, or the folder of a tuned model or of the local critic's weights; empty: the local critic."""
    chat: Callable[[], ChatModel] | None = None
    """The configured chat model."""
    _own: MemoryGraphs = field(init=False)
    _held: dict[str, tuple[int, SpaceGraph | None]] = field(default_factory=dict)
    _own_kept: dict[str, SpaceGraph] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._own = MemoryGraphs(self.store)

    def imported(self, space: str) -> SpaceGraph | None:
        """The imported graph of a space; None if it has none. If nothing changed, this costs one indexed row."""
        version = self.store.graphs.version(space)
        if not version:
            return None
        held = self._held.get(space)
        if held is None or held[0] != version:
            with self._lock:
                empty = not self.store.graphs.counts(space).triples
                graph = None if empty else self._kept(graph_of(self.store.graphs, space))
                held = self._held[space] = (version, graph)
        return held[1]

    def own(self, space: str) -> SpaceGraph:
        """The graph built from a space's conversations, whose edges are cited by turns."""
        graph = self._own.of(space)
        held = self._own_kept.get(space)
        if held is None or held.graph is not graph:
            citations = FactCitations(graph, self.store, space)
            held = self._own_kept[space] = replace(self._kept(graph), citations=lambda _: citations)
        return held

    def _kept(self, graph: LinkableGraph) -> SpaceGraph:
        critic = self._critic(graph)
        retriever = EmbeddingRetriever(self._vectors)
        reasoner = GraphReasoner(graph, critic, retriever, self.options, judge_beside(critic))
        return SpaceGraph(graph, reasoner, Linker(graph, self.embedder))

    def _critic(self, graph: LinkableGraph) -> Critic:
        if self.critic == CHAT:
            if self.chat is None:
                raise InputError("No chat model is set.", "Set GOALMEM_CHAT_URL, or another GOALMEM_GRAPH_CRITIC.")
            from goalmem.graph.chat_critic import ChatCritic

            return ChatCritic(self.chat())
        if self.critic and (Path(self.critic).expanduser() / TUNED).is_file():
            from goalmem.graph.tuned import TunedCritic

            return TunedCritic.load(Path(self.critic).expanduser(), relations=graph.relations())
        return LocalCritic(self._vectors, self._weights, graph.relations())

    @cached_property
    def _vectors(self) -> Vectors:
        return Vectors(self.embedder)

    @cached_property
    def _weights(self) -> LocalModel | None:
        return read_model(Path(self.critic).expanduser()) if self.critic else None
