"""`goalmem graph`: knowledge graphs, imported, counted and shown."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from goalmem.cli.options import AsJson, Space, Store, input_kept, open_memory, require_store_at, settings_for
from goalmem.cli.outcome import interruptible
from goalmem.cli.output import console, counted, progress, write_json
from goalmem.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from rich.tree import Tree

    from goalmem.graph.entity_linking import LinkableGraph
    from goalmem.io.triples_files import GraphFile
    from goalmem.settings import Settings
    from goalmem.store import Store as OpenStore


graph = typer.Typer(
    name="graph",
    no_args_is_help=True,
    help="Keep a knowledge graph beside what is remembered, and look at it.",
    epilog='Example:  goalmem graph import films.txt  then  goalmem graph show "Casablanca"',
)

TripleFormat: TypeAlias = Literal["pipes", "tsv", "ntriples", "turtle"]
Memories = Annotated[bool, typer.Option("--memory", help="The graph that conversations have built, not the imported.")]


@graph.command("import")
def import_(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files of triples; - is standard input.")],
    format_: Annotated[
        TripleFormat | None,
        typer.Option("--format", help="How the files write triples; default: told by name and content."),
    ] = None,
    store: Store = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Add triples to the space's graph.

    Formats: pipes (subject|relation|object; a pipe within a name is written \\\\|), tsv, ntriples and turtle. A file is
    checked whole before any of it is imported. Importing again adds nothing, so work that was interrupted is taken up by
    the same command where it stopped.

    \b
    Examples:
      goalmem graph import kb.txt
      goalmem graph import *.nt --space wiki
      gunzip -c dump.ttl.gz | goalmem graph import - --format turtle
    """
    from goalmem.graph.imports import GraphReport, import_graph
    from goalmem.io.chat_messages import check_name

    settings = settings_for(store, space)
    check_name(settings.space, "The space")
    reports: list[GraphReport] = []
    resume = "What was imported is kept; run the same command again to go on."
    with (
        interruptible(resume) as check_interrupt,
        readable(files, format_) as sources,
        progress() as bars,
        opened_store(settings, create=True) as held,
    ):
        for source in sources:
            bar = bars.add_task(source.name, total=None)

            def told(doing: str, done: int, total: int, bar: Any = bar, name: str = source.name) -> None:
                check_interrupt()
                bars.update(bar, description=f"{name}: {doing}", completed=done, total=total or None)

            reports.append(import_graph(held.graphs, settings.space, source, progress=told))
    if as_json:
        write_json({"store": settings.store, "space": settings.space, "files": reports})
        return
    for report in reports:
        triples = counted(report.triples, "new triple")
        typer.echo(f"{report.source}: {triples}{', imported before' if report.known else ''}")


@graph.command()
def stats(store: Store = None, space: Space = None, memory: Memories = False, as_json: AsJson = False) -> None:
    """Count what the space's graph holds.

    \b
    Examples:
      goalmem graph stats
      goalmem graph stats --memory --json
    """
    settings = settings_for(store, space)
    with opened_store(settings) as held:
        shown = open_graph(held, settings.space, memory=memory)
        size, relations = shown.size(), list(shown.relations())
        pending = 0 if memory else held.graphs.counts(settings.space).imports
    if as_json:
        write_json({"store": settings.store, "space": settings.space, "counts": size, "relations": relations,
                    "unfinished_imports": pending})  # fmt: skip
        return
    out = console()
    out.print(f"{settings.store}, space {settings.space}")
    out.print(f"  {size.entities} entities, {size.relations} relations, {size.triples} triples")
    for relation in relations:
        out.print(f"  {relation}", style="dim", soft_wrap=True)
    if pending:
        out.print(f"  imports that are not finished: {pending}; import the same files again", style="yellow")


@graph.command()
def show(
    entity: Annotated[str, typer.Argument(metavar="ENTITY", help="A name or an identifier.")],
    depth: Annotated[int, typer.Option(min=1, max=5, help="Hops to follow.")] = 1,
    limit: Annotated[int, typer.Option(min=1, help="Entities shown of each relation.")] = 10,
    store: Store = None,
    space: Space = None,
    memory: Memories = False,
    as_json: AsJson = False,
) -> None:
    """Show an entity and what it is related to. A relation taken backwards is marked ~.

    With --memory, only what holds and was said in so many words, as in profiles.

    \b
    Examples:
      goalmem graph show "Casablanca"
      goalmem graph show "Maya" --memory --depth 2 --json
    """
    import numpy as np

    from goalmem.graph.walk_reading import neighbourhood

    settings = settings_for(store, space)
    with opened_store(settings) as held:
        shown = open_graph(held, settings.space, memory=memory)
        nodes = matching_nodes(shown, entity)
        names = shown.identifiers(np.array(nodes, dtype=np.int64)) if memory else []
        found = [] if memory else [neighbourhood(shown, node, depth=depth, limit=limit) for node in nodes]
    if memory:
        found = [stated_around(settings, name, depth=depth, limit=limit) for name in names]
    if as_json:
        write_json({"store": settings.store, "space": settings.space, "entities": found})
        return
    for one in found:
        console().print(entity_tree(one))


def stated_around(settings: Settings, name: str, *, depth: int, limit: int) -> dict[str, Any]:
    """The neighbourhood of an entity in the graph of conversations."""
    from goalmem.answering.stated_edges import StatedEdges

    with open_memory(settings) as memory:
        parts = memory._parts
        stated = StatedEdges(parts.asked("I", settings.space), parts.portraits)
        return stated.around(parts.store, name, depth=depth, limit=limit)


@contextmanager
def opened_store(settings: Settings, *, create: bool = False) -> Iterator[OpenStore]:
    """Open the store. Raises NotFoundError if it does not exist and must not be created."""
    from goalmem.maintenance.open_store import open_with_embedder

    place = settings.store
    if not create:
        require_store_at(place, "Import a graph first (goalmem graph import FILE), or pass --store.")
    with closing(open_with_embedder(place, settings)[0]) as store:
        yield store


@contextmanager
def readable(files: list[str], format_: TripleFormat | None) -> Iterator[list[GraphFile]]:
    """The files with their formats; input from a pipe is buffered on disk, to be read twice."""
    from goalmem.io.triples_files import GraphFormat, graph_file

    known_format = GraphFormat(format_) if format_ else None
    with tempfile.TemporaryDirectory() as folder:
        sources = []
        for name in files:
            path = Path(name) if name != "-" else input_kept(Path(folder))
            sources.append(graph_file(path, format=known_format, name="standard input" if name == "-" else name))
        yield sources


def open_graph(store: OpenStore, space: str, *, memory: bool) -> LinkableGraph:
    """The requested graph. Raises NotFoundError if it is empty."""
    from goalmem.graph.stored import StoredGraph, memory_graph

    found: LinkableGraph = memory_graph(store, space) if memory else StoredGraph(store.graphs, space)
    if not found.size().triples:
        what = "conversations have built no graph" if memory else "no graph was imported"
        remedy = (
            "Import one: goalmem graph import FILE; or look at --memory." if not memory else "Add conversations first."
        )
        raise NotFoundError(f"In the space {space!r} {what}.", remedy)
    return found


def matching_nodes(graph: LinkableGraph, entity: str) -> list[int]:
    """The nodes with this identifier or name. Raises InputError with similar names if there are none."""
    from goalmem.graph.entity_linking import Linker

    node = graph.node(entity)
    found = [node] if node is not None else [int(n) for n in graph.named(entity)]
    if not found:
        like = list(dict.fromkeys(link.label for link in Linker(graph).link(f'"{entity}"')))
        remedy = f"Did you mean {' or '.join(map(repr, like))}?" if like else "Check its name, or pass its identifier."
        raise InputError(f"There is no entity {entity!r} in the graph.", remedy)
    return found


def entity_tree(entity: dict[str, Any], tree: Tree | None = None) -> Tree:
    """The neighbourhood as a tree."""
    from rich.text import Text
    from rich.tree import Tree as RichTree

    root = tree or RichTree(Text(entity["label"], style="bold"))
    for hop in entity.get("hops", ()):
        branch = root.add(Text(hop["relation"], style="cyan"))
        for tail in hop["entities"]:
            entity_tree(tail, branch.add(Text(tail["label"])))
        if hop["more"]:
            branch.add(Text("…", style="dim"))
    return root
