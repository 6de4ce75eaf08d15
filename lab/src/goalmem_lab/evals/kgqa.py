"""Questions over knowledge graphs, answered and measured: MetaQA's layout over one graph, and RoG's with a graph a question."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from goalmem.answering.graph import prove_answers
from goalmem.errors import FormatError, InputError
from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.critic import Query, Walk
from goalmem.graph.entity_linking import Linker as EntityLinker
from goalmem.graph.local import LocalCritic
from goalmem.graph.protocol import Graph, Hop
from goalmem.graph.reasoner import GraphAnswers, GraphReasoner, Topic
from goalmem.graph.record import GraphRecord, check_graph_proof, values_verified
from goalmem.graph.walk_reading import Links
from goalmem.io.triples_files import graph_file
from goalmem.models.protocol import Embedder
from goalmem_lab.evals.kgqa_data import GraphQuestion, node_named, read_metaqa, read_rog, span_of, topic_of
from goalmem_lab.evals.kgqa_figures import Scored, figures_of, scored
from goalmem_lab.evals.progress import Finished, Tick, ignore, resumable, shown

VERIFIED = 500
"""Questions of a file whose answers' paths are proved and verified: with hundreds of answers that takes ten times as long as
finding them."""
WARM_UP = "warm up"
Linker: TypeAlias = Callable[[GraphQuestion], Sequence[Topic]]
"""The topics that a question may start from, likeliest first."""
ReasonerOf: TypeAlias = Callable[[Graph], GraphReasoner]


def evaluate_metaqa(
    paths: Sequence[Path],
    reasoner: GraphReasoner | Mapping[str, GraphReasoner],
    linker: Linker,
    *,
    way: Sequence[str] = (),
    data: Sequence[Path] = (),
    limit: int | None = None,
    verified: int | None = VERIFIED,
    links: Links | None = None,
    progress: Tick | None = None,
    state: Path | None = None,
) -> dict[str, Any]:
    """Measure a reasoner on files in MetaQA's layout; of several, each question's by its id (cross-validation).

    `way` names how it is measured and `data` the other files it rests on: a run that was stopped goes on only where both are
    the same. `limit`: only the first questions of each file. `verified`: of how many questions of each file the answers' paths
    are proved and verified, evenly drawn; None for all. `links`: finds topics that a question does not spell as the graph does.

    Raises FormatError for bad data.
    """
    named = [(shown(path), questions_of(path, limit)) for path in paths]
    for one in [reasoner] if isinstance(reasoner, GraphReasoner) else list(reasoner.values())[:1]:
        warm_up(one)
    results: list[Scored] = []
    with resumable("metaqa", [*way, f"{limit} {verified}"], [*data, *paths], state) as finished:
        for name, questions in named:
            every = 1 if verified is None else math.ceil(len(questions) / verified)
            for number, question in enumerate(questions, 1):
                own = reasoner if isinstance(reasoner, GraphReasoner) else reasoner[question.id]
                verify = number % every == 0
                work = partial(asked, own, linker=linker, verify=verify, links=links)
                results.append(_kept(finished, question, work))
                (progress or ignore)(name, number, len(questions))
    return figures_of(results)


def evaluate_kgqa(
    paths: Sequence[Path],
    reasoner_of: ReasonerOf,
    *,
    way: Sequence[str] = (),
    limit: int | None = None,
    progress: Tick | None = None,
    state: Path | None = None,
) -> dict[str, Any]:
    """Measure reasoners on files in RoG's layout, each question over its own graph. Raises FormatError for bad data."""
    results: list[Scored] = []
    named = [(shown(path), list(read_rog(path))[:limit]) for path in paths]
    with resumable("kgqa", [*way, str(limit)], paths, state) as finished:
        for name, questions in named:
            for number, question in enumerate(questions, 1):
                results.append(_kept(finished, question, partial(_over_its_own, reasoner_of=reasoner_of)))
                (progress or ignore)(name, number, len(questions))
    return figures_of(results)


def questions_of(path: Path, limit: int | None = None) -> list[GraphQuestion]:
    """The questions of a file in MetaQA's layout. Raises FormatError, also for a file without any."""
    found = read_metaqa(path)
    if not found:
        raise FormatError(f"{path.name} holds no question.", "Name a file of questions, such as 1-hop/qa_dev.txt.")
    return found[:limit]


def graph_of(kb: Path) -> ArrayGraph:
    """The graph in a file, in memory. Raises FormatError for bad lines, InputError for a file without any."""
    graph = ArrayGraph(graph_file(kb).entries())
    if not graph.size().triples:
        raise InputError(f"{kb} holds no triple.", "Name a file of subject|relation|object lines.")
    return graph


def evenly(questions: Sequence[GraphQuestion], limit: int | None) -> Sequence[GraphQuestion]:
    """At most so many, at even distances: files are often sorted by what their questions ask."""
    if limit is None or len(questions) <= limit:
        return questions
    return [questions[place * len(questions) // limit] for place in range(limit)]


def entity_linker(graph: ArrayGraph, embedder: Embedder) -> EntityLinker:
    """A linker that has its index: it is built on first use, which belongs to no question."""
    linker = EntityLinker(graph, embedder)
    linker.link(WARM_UP)
    return linker


def linked_topics(linker: EntityLinker) -> Linker:
    """What a linker takes for the topic; marks are not looked at."""

    def linked(question: GraphQuestion) -> Sequence[Topic]:
        return [Topic(link.node, link.span, link.score) for link in linker.link(question.text)]

    return linked


def given_topics(graph: Graph) -> Linker:
    """The topic that a question marks; none where the graph has nothing of that name.

    Raises FormatError for a question without a mark.
    """

    def linked(question: GraphQuestion) -> Sequence[Topic]:
        if not question.spans:
            raise FormatError(f"{question.id} marks no topic.", "Write it as [topic], or let topics be linked.")
        found = topic_of(graph, question)
        return [Topic(*found)] if found is not None else []

    return linked


def asked(
    reasoner: GraphReasoner, question: GraphQuestion, linker: Linker, *, verify: bool = True, links: Links | None = None
) -> Scored:
    """Link and answer one question, and compare the answers with the gold ones; `verify` their paths, too."""
    started = time.perf_counter()
    answers = reasoner.ask(question.text, linker(question))
    seconds = time.perf_counter() - started
    found, others = (answers.answers, answers.others) if answers is not None else ((), ())
    return scored(
        question.answers,
        [(each.label, each.identifier) for each in found],
        [(each.label, each.identifier) for each in others],
        hops=question.hops,
        seconds=seconds,
        paths=_verified(reasoner, answers, links) if verify and answers is not None else (0, 0),
    )


def warm_up(reasoner: GraphReasoner) -> None:
    """Load what the local critic loads on first use, which belongs to no question; a language model is not asked."""
    if isinstance(reasoner.critic, LocalCritic):
        onward = tuple(Hop(name) for name in reasoner.graph.relations()[:1])
        reasoner.critic.steps(Query(WARM_UP, WARM_UP), Walk(onward=onward))


def _over_its_own(question: GraphQuestion, reasoner_of: ReasonerOf) -> Scored:
    graph = ArrayGraph(question.triples)
    topics = [
        Topic(node, span_of(question.text, name))
        for name in question.topics
        if (node := node_named(graph, name)) is not None
    ]
    reasoner = reasoner_of(graph)
    warm_up(reasoner)
    return asked(reasoner, question, lambda q: topics)


def _verified(reasoner: GraphReasoner, answers: GraphAnswers, links: Links | None) -> tuple[int, int]:
    """Of the answers, those whose path the verifier accepts, each checked anew against the graph; and how many were tried.

    A proof holds a bounded number of paths; what is beyond it is not tried.
    """
    if answers.leaf is None:
        return 0, 0
    graph, critic = reasoner.graph, reasoner.critic
    proof = prove_answers(reasoner, answers, links=links)
    if proof.root is None:
        return 0, 0  # withheld: the judge or the critic refuses the walk
    # A chat model does not say the same again; what it said in this run is what counts.
    record = GraphRecord(graph, critic, on_walk=lambda judge, *_: judge == critic.name, links=links)
    return values_verified(proof, check_graph_proof(proof, graph, record=record)), len(proof.root.children)


def _kept(finished: Finished, question: GraphQuestion, work: Callable[[GraphQuestion], Scored]) -> Scored:
    kept = finished.get(question.id)
    if kept is not None:
        return Scored(**kept)
    result = work(question)
    finished.keep(question.id, result.as_dict())
    return result
