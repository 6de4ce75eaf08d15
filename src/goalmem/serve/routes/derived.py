"""What was derived from turns: facts and their history, entities, the graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np
from fastapi import APIRouter, Query, Response

from goalmem.answering.stated_edges import StatedEdges
from goalmem.graph.protocol import Hop
from goalmem.io.triples_files import GraphFormatName
from goalmem.memory import Memory
from goalmem.records import Edge
from goalmem.schema import models
from goalmem.schema.rows import Row, entry_row, profile_row, row
from goalmem.serve import lists
from goalmem.serve.bodies import receive_file
from goalmem.serve.calls import Read, Write
from goalmem.serve.lists import Cursor, Limit, ListPage, Position, store_of
from goalmem.serve.openapi import described

if TYPE_CHECKING:
    from goalmem.store import Store


router = APIRouter(tags=["browsing"], default_response_class=Response)

T = TypeVar("T")
Node = TypeVar("Node", str, int)

LONGEST = 1000
"""Characters of a name or some words."""
MOST_EDGES = 2000
Named = Annotated[str | None, Query(min_length=1, max_length=LONGEST, description="An entity, e.g. `Maya`.")]
TurnId = Annotated[str | None, Query(min_length=1, max_length=LONGEST, description="Only facts of this turn.")]


@router.get("/facts", openapi_extra=described(result=models.Facts))
async def facts(
    call: Read, about: Named = None, turn: TurnId = None, cursor: Cursor = None, limit: Limit = 100
) -> Response:
    """Facts about an entity or of a turn in the order said; with neither, all of them in the order stored."""

    def listed(memory: Memory, after: Position | None) -> ListPage:
        store = store_of(memory)
        if about is None and turn is None:
            return lists.every_fact(store, call.space, after, limit)
        return lists.facts_of(store, call.space, about, turn, after, limit)

    return await call.listed(["facts", repr(about), repr(turn)], cursor, listed, partial(row, models.Fact))


@router.get("/turns/{id}/statements", openapi_extra=described(result=models.Statements))
async def statements(call: Read, id: str) -> Response:
    """What a turn says: sentences that were read out of it, and that it was judged to say."""

    def work(memory: Memory) -> Row:
        memory.turn(id, space=call.space)
        said = lists.stated(memory, call.space, store_of(memory).facts(call.space, turns=[id]))
        return {"items": [row(models.ProfileStatement, statement) for statement in said.values()]}

    return await call.reasoned(work)


@router.get("/history", openapi_extra=described(result=models.History))
async def history(
    call: Read,
    about: Annotated[str, Query(min_length=1, max_length=LONGEST, description="An entity, a fact's id, or words.")],
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Response:
    """What was said about something over time, oldest first; what a later statement replaced says by which."""

    def listed(memory: Memory, after: Position | None) -> ListPage:
        return lists.history_page(memory.history(about, space=call.space), after, limit)

    return await call.listed(["history", about], cursor, listed, entry_row)


@router.get("/profile", openapi_extra=described(result=models.Profile))
async def profile(
    call: Read,
    who: Annotated[
        str | None,
        Query(
            min_length=1, max_length=LONGEST, description="A name; default: the only person who speaks, or the user."
        ),
    ] = None,
    at: Annotated[str | None, Query(description="As of this day; default: the newest turn's.")] = None,
    limit: Limit = 50,
) -> Response:
    """What is known of somebody now: sentences that hold, by topic, each with the turn that was judged to say it."""
    return await call.reasoned(lambda memory: profile_row(memory.profile(who, space=call.space, at=at, limit=limit)))


@router.get("/entities", openapi_extra=described(result=models.Entities))
async def entities(
    call: Read,
    q: Annotated[str, Query(max_length=LONGEST, description="Only names that hold this.")] = "",
    order: Annotated[
        Literal["name", "mentions"], Query(description="By name, or the most mentioned first (which may shift).")
    ] = "name",
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Response:
    """Who and what is spoken of, with the number of mentions."""

    def listed(memory: Memory, after: Position | None) -> ListPage:
        return lists.known_entities(store_of(memory), call.space, q, order == "mentions", after, limit)

    return await call.listed(
        ["entities", q, order], cursor, listed, lambda e: dict(zip(models.Entity.model_fields, e, strict=True))
    )


@router.get("/graph", openapi_extra=described(result=models.Graph))
async def graph(
    call: Read,
    around: Named = None,
    source: Annotated[
        Literal["memory", "imported"], Query(description="What conversations built, or the triples that were imported.")
    ] = "memory",
    limit: Annotated[int, Query(ge=1, le=MOST_EDGES, description="Edges.")] = 200,
    stated: Annotated[
        bool,
        Query(
            description="Only edges whose facts hold and are sentences that their turns were judged to say; with the sentence."
        ),
    ] = False,
) -> Response:
    """A part of a graph: around an entity, or around those that are mentioned most (of an imported one, that came first)."""
    if source == "imported":
        return await call.found(lambda memory: imported_neighbourhood(memory, call.space, around, limit))
    if not stated:
        return await call.found(lambda memory: neighbourhood(store_of(memory), call.space, around, limit))
    return await call.reasoned(
        lambda memory: neighbourhood(
            store_of(memory), call.space, around, limit, lists.stated_edges(memory, call.space)
        )
    )


TRIPLES = {
    "required": True,
    "content": {"text/plain": {"schema": {"type": "string"}, "example": "Maya|owns|a bakery\n"}},
}


@router.post(
    "/graph/triples",
    status_code=201,
    openapi_extra=described(
        content=TRIPLES, result=models.GraphReport, status=201, writes=True, conditional=True, etag=True
    ),
)
async def import_triples(
    call: Write,
    name: Annotated[str, Query(min_length=1, max_length=512, description="What to call the text.")] = "triples",
    format: Annotated[
        GraphFormatName | None, Query(description="How triples are written; default: told by name and content.")
    ] = None,
) -> Response:
    """Add triples to the graph of the space, all or none; adding again adds nothing. Larger ones: POST /v1/uploads."""
    settings = call.service.settings
    received = await receive_file(call.request, call.service.ledger.uploads, settings.serve_body_bytes)

    def work(memory: Memory) -> Row:
        return row(models.GraphReport, memory.import_graph(received.path, space=call.space, format=format, name=name))

    try:
        return await call.write(work, received.digest, 201)
    finally:
        received.path.unlink(missing_ok=True)


@router.delete("/graph", openapi_extra=described(result=models.GraphRemoved, writes=True, conditional=True, etag=True))
async def remove_graph(call: Write) -> Response:
    """Remove the imported graph of the space, and files of graphs that are not imported whole yet. What was said stays."""
    ended: list[str] = []

    def work(memory: Memory) -> Row:
        ended.extend(call.service.jobs.remove_all(call.space, "graph"))
        with call.service.runner.importing:  # what is being imported stops
            removed = memory.remove_graph(space=call.space)
        return {"triples": removed}

    answer = await call.write(work, b"")
    for job in ended:
        await call.service.runner.cancel(job)
    return answer


STARTS = 50
"""Most mentioned entities to begin at where none is named."""


def neighbourhood(
    store: Store, space: str, around: str | None, limit: int, stated: StatedEdges | None = None
) -> dict[str, Any]:
    """At most `limit` edges: those around an entity and then around its neighbours, or around the most mentioned ones."""
    known = store.entities(space)
    if around is None:
        starts = sorted(known, key=lambda name: (-known[name][1], name))[:STARTS]
    else:
        starts = [store.aliases(space).get(around.casefold(), around)]
    edges: dict[tuple[str, str, str], Edge] = {}
    kept = stated or list

    def around_of(name: str) -> Iterator[tuple[Edge, tuple[str, ...]]]:
        for edge in kept([*store.edges(space, subject=name), *store.edges(space, object=name)]):
            yield edge, (edge.subject, edge.object)

    for edge in _outwards(starts, around_of):
        if len(edges) == limit:
            break
        edges.setdefault((edge.subject, edge.relation, edge.object), edge)
    ends = (end for edge in edges.values() for end in (edge.subject, edge.object))
    names = dict.fromkeys([*(starts if around is not None and edges else ()), *ends])
    labels = stated.labels if stated else {}
    nodes = [
        {"id": n, "label": labels.get(n, n), "kind": known.get(n, ("", 0))[0], "mentions": known.get(n, ("", 0))[1]}
        for n in names
    ]
    rows = [
        {"subject": e.subject, "relation": e.relation, "object": e.object, "turn": e.turn, "fact": e.fact}
        | ({"text": stated.texts[e.fact]} if stated else {})
        for e in edges.values()
    ]
    return {"nodes": nodes, "edges": rows}


def _outwards(starts: list[Node], around: Callable[[Node], Iterator[tuple[T, tuple[Node, ...]]]]) -> Iterator[T]:
    """What is around nodes, by its distance from the first; `around` also gives the nodes that each leads to."""
    waiting, seen = deque(starts), set(starts)
    while waiting:
        for found, ends in around(waiting.popleft()):
            yield found
            for end in ends:
                if end not in seen:
                    seen.add(end)
                    waiting.append(end)


def imported_neighbourhood(memory: Memory, space: str, around: str | None, limit: int) -> dict[str, Any]:
    """The same of the imported graph: around what has this identifier or name, or around what came first."""
    if not store_of(memory).graphs.version(space):
        return {"nodes": [], "edges": []}
    graph = memory.graph(space=space)
    if around is None:
        starts = list(range(min(STARTS, graph.size().entities)))
    else:
        exact = graph.node(around)
        starts = [exact] if exact is not None else graph.named(around).tolist()
    edges: dict[tuple[int, str, int], None] = {}

    def around_of(number: int) -> Iterator[tuple[tuple[int, Hop, int], tuple[int, ...]]]:
        node = np.array([number], np.int64)
        for hop in graph.hops(node):
            for head, tail in zip(*(side.tolist() for side in graph.edges(node, hop, limit=limit)), strict=True):
                yield (head, hop, tail), (tail,)

    for head, hop, tail in _outwards(starts, around_of):
        edges.setdefault((tail, hop.relation, head) if hop.inverse else (head, hop.relation, tail))
        if len(edges) == limit:
            break
    nodes = np.array(
        list(dict.fromkeys([*(starts if around else ()), *(n for s, _, o in edges for n in (s, o))])), np.int64
    )
    ids, labels, kinds = graph.identifiers(nodes), graph.labels(nodes), graph.kinds(nodes)
    known = dict(zip(nodes.tolist(), ids, strict=True))
    return {
        "nodes": [
            {"id": i, "label": label, "kind": kind, "mentions": 0}
            for i, label, kind in zip(ids, labels, kinds, strict=True)
        ],
        "edges": [
            {"subject": known[s], "relation": relation, "object": known[o], "turn": "", "fact": ""}
            for s, relation, o in edges
        ],
    }
