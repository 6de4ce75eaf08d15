"""Commands of `goalmem eval` that measure questions over knowledge graphs: metaqa, kgqa, graph-ablation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from goalmem.errors import InputError
from goalmem_lab.commands.eval_options import JsonOut, Limit, State, measured
from goalmem_lab.commands.figures import print_table, report, write_figures
from goalmem_lab.commands.graph_critics import CriticKind, critic_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from goalmem.graph.critic import Critic
    from goalmem.graph.protocol import Graph
    from goalmem.graph.reasoner import GraphReasoner
    from goalmem.graph.retriever import Vectors
    from goalmem.graph.search import SearchOptions
    from goalmem_lab.evals.progress import Tick


EXHAUSTIVE = "exhaustive"


Kb: TypeAlias = Annotated[
    Path,
    typer.Option("--kb", metavar="KB", help="The graph: lines of subject|relation|object, TSV, N-Triples, Turtle."),
]
Files: TypeAlias = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", help="Questions with [topic], a tab, answers with | between; N-hop/qa_dev.txt."),
]
By: TypeAlias = Annotated[
    CriticKind, typer.Option("--critic", help="No model, the chat model that is set, or a tuned model.")
]
CriticModel: TypeAlias = Annotated[
    Path | None,
    typer.Option("--critic-model", metavar="DIR", help="Folder by `train critic` (local) or `train arg` (tuned)."),
]
Beam: TypeAlias = Annotated[
    str, typer.Option("--beam", metavar="B", help="Walks that go on after each hop, or 'exhaustive'.")
]
Unjudged: TypeAlias = Annotated[
    bool,
    typer.Option("--no-judge", help="The critic's best walk answers, as in ArG, not the best that a judge accepts."),
]
Depth: TypeAlias = Annotated[int, typer.Option("--depth", min=1, max=8, help="Hops at most.")]


def register(evals: typer.Typer) -> None:
    """Add the commands of this module."""
    for name, command in (("metaqa", metaqa), ("kgqa", kgqa), ("graph-ablation", graph_ablation)):
        evals.command(name)(command)


def metaqa(
    paths: Files,
    kb: Kb,
    critic: By = "local",
    critic_model: CriticModel = None,
    beam: Beam = "3",
    depth: Depth = 3,
    topic: Annotated[
        Literal["given", "linked"],
        typer.Option("--topic", help="Start from the marked topic, or find it in the question."),
    ] = "given",
    folds: Annotated[
        int | None,
        typer.Option("--folds", min=2, max=100, help="Train the local critic without each of so many parts in turn."),
    ] = None,
    no_judge: Unjudged = False,
    verify_all: Annotated[
        bool, typer.Option("--verify-all", help="Prove and verify the answers of all questions, not of 500 a file.")
    ] = False,
    limit: Limit = None,
    state: State = None,
    out: JsonOut = None,
) -> None:
    """Measure questions over one graph, in MetaQA's layout.

    Without --critic-model the local critic runs untrained. --limit takes the first questions of each file.

    \b
    Examples:
      goalmem eval metaqa --kb kb.txt 1-hop/qa_dev.txt 2-hop/qa_dev.txt 3-hop/qa_dev.txt
      goalmem eval metaqa --kb kb.txt 3-hop/qa_test.txt --critic-model critic --json figures.json
      goalmem eval metaqa --kb kb.txt 3-hop/qa_dev.txt --folds 5 --topic linked
    """
    from goalmem_lab.evals.kgqa import (
        VERIFIED,
        entity_linker,
        evaluate_metaqa,
        given_topics,
        graph_of,
        linked_topics,
        questions_of,
    )
    from goalmem_lab.evals.kgqa_folds import critics_by_question

    options = _options(beam, depth)
    if folds is not None and (critic != "local" or critic_model is not None):
        raise InputError("--folds trains the local critic anew.", "Leave --critic and --critic-model out.")
    for path in paths:
        questions_of(path, 1)
    graph = graph_of(kb)
    vectors = _vectors()
    way = [critic, str(critic_model), str(folds), topic, repr(options), f"no_judge={no_judge}"]

    def work(tick: Tick) -> dict[str, object]:
        reasoners: GraphReasoner | Mapping[str, GraphReasoner]
        if folds is None:
            reasoners = _reasoner(
                graph,
                critic_named(critic, critic_model, vectors, graph.relations()),
                vectors,
                options,
                judge=not no_judge,
            )
            way.append(reasoners.critic.name)
        else:
            questions = [q for path in paths for q in questions_of(path, limit)]
            critics = critics_by_question(graph, questions, folds, vectors, tick=tick)
            reasoners = {
                name: _reasoner(graph, own, vectors, options, judge=not no_judge) for name, own in critics.items()
            }
        links = entity_linker(graph, vectors.embedder) if topic == "linked" else None
        linker = linked_topics(links) if links is not None else given_topics(graph)
        link = links.link if links is not None else None
        return evaluate_metaqa(
            paths,
            reasoners,
            linker,
            way=way,
            data=[kb],
            limit=limit,
            verified=None if verify_all else VERIFIED,
            links=link,
            progress=tick,
            state=state,
        )

    report(f"Questions over {kb.name}, {critic} critic", measured(work), out)


def kgqa(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="JSONL or Parquet with question, answer, q_entity, a_entity and graph a row."
        ),
    ],
    critic: By = "local",
    critic_model: CriticModel = None,
    beam: Beam = "3",
    depth: Depth = 3,
    limit: Limit = None,
    state: State = None,
    out: JsonOut = None,
) -> None:
    """Measure questions that each come with a graph of their own, in RoG's layout.

    \b
    Examples:
      goalmem eval kgqa webqsp/test.parquet --depth 2
      goalmem eval kgqa cwq-test.jsonl --depth 4 --critic tuned --critic-model arg
    """
    from goalmem_lab.evals.kgqa import evaluate_kgqa

    options, vectors = _options(beam, depth), _vectors()
    held: list[Critic] = []

    def reasoner_of(graph: Graph) -> GraphReasoner:
        # A language model serves every graph: walks say what leads on from them.
        if not held or critic == "local":
            held[:] = [critic_named(critic, critic_model, vectors, graph.relations())]
        return _reasoner(graph, held[0], vectors, options)

    way = [critic, str(critic_model), repr(options)]
    figures = measured(lambda tick: evaluate_kgqa(paths, reasoner_of, way=way, limit=limit, progress=tick, state=state))
    report(f"Questions over graphs of their own, {critic} critic", figures, out)


def graph_ablation(
    paths: Files,
    kb: Kb,
    critic: By = "local",
    critic_model: CriticModel = None,
    limit: Limit = 200,
    no_judge: Unjudged = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw it: .svg, .png or .pdf (needs goalmem-lab[eval])."),
    ] = None,
    out: JsonOut = None,
) -> None:
    """Measure what the parts of ArG's search are worth: beams and depths, retrieval, judged entities, scores one by one and in pairs.

    The questions are drawn evenly from each file; their topics are marked.

    \b
    Examples:
      goalmem eval graph-ablation --kb kb.txt 2-hop/qa_dev.txt 3-hop/qa_dev.txt --critic-model critic
      goalmem eval graph-ablation --kb kb.txt 3-hop/qa_dev.txt --no-judge --picture ablation.svg --json ablation.json
    """
    from goalmem_lab.evals.graph_ablation import ablate, draw_ablation, table
    from goalmem_lab.evals.kgqa import evenly, given_topics, graph_of, questions_of
    from goalmem_lab.evals.picture import check_picture

    if picture is not None:
        check_picture(picture)
    questions = [question for path in paths for question in evenly(questions_of(path), limit)]
    graph, vectors = graph_of(kb), _vectors()
    own = critic_named(critic, critic_model, vectors, graph.relations())
    reasoner = _reasoner(graph, own, vectors, _options("3", 3), judge=not no_judge)
    figures = measured(lambda tick: ablate(reasoner, questions, given_topics(graph), tick))
    write_figures(figures, out)
    columns, rows = table(figures)
    print_table(f"Questions over {kb.name}, {critic} critic, {len(questions)} questions", columns, rows)
    if picture is not None:
        draw_ablation(figures, picture)


def _options(beam: str, depth: int) -> SearchOptions:
    """Raises InputError for a beam that is none."""
    from goalmem.graph.search import SearchOptions

    if beam == EXHAUSTIVE:
        return SearchOptions(beam=None, depth=depth)
    if not beam.isdecimal() or int(beam) < 1:
        raise InputError(f"--beam {beam} is no number of walks.", f"Give 1 or more, or {EXHAUSTIVE}.")
    return SearchOptions(beam=int(beam), depth=depth)


def _vectors() -> Vectors:
    from goalmem.graph.retriever import Vectors
    from goalmem.models.registry import DEFAULT, make_embedder

    return Vectors(make_embedder(DEFAULT))


def _reasoner(
    graph: Graph, critic: Critic, vectors: Vectors, options: SearchOptions, *, judge: bool = True
) -> GraphReasoner:
    from goalmem.graph.reasoner import GraphReasoner
    from goalmem.graph.record import judge_beside
    from goalmem.graph.retriever import EmbeddingRetriever

    return GraphReasoner(graph, critic, EmbeddingRetriever(vectors), options, judge_beside(critic) if judge else None)
