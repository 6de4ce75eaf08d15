"""The tables of a PostgreSQL store, as migrations made them.

Every table except `meta` and `migration` starts with the key of a space (`text.key_of`), is hash-partitioned by it, and
only shows and accepts rows of the space that the transaction has set as `goalmem.space`. This row-level security also
applies to the owner and is the second barrier, since each query names its space as well. Turns are numbered within
their space, and derived rows within their turn. There are no foreign keys, which would be checked row by row on
insertion: `writes.forget` deletes by turn, and `integrity.problems` looks for orphans.

A migration is a small function with a name; `MIGRATIONS` is only ever appended to. All that are missing run in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString, TypeAlias

import psycopg
from psycopg import sql

Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]

CURRENT = "nullif(current_setting('goalmem.space', true), '')::uuid"
"""The space of the transaction; NULL, which equals nothing, if none was set."""
TEXT = 'text COLLATE "C" NOT NULL'

TABLES = (
    "space", "session", "turn", "passage", "next_passage", "words", "fact", "fact_entity", "mention", "edge", "alias", "reply",
    "reply_turn", "rule", "graph", "graph_node", "graph_label", "graph_key", "graph_word", "graph_relation",
    "graph_edge", "graph_edge_back", "graph_import", "graph_staged", "attribute", "expired", "version",
)  # fmt: skip
"""Every table that holds rows of a space."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Properties that a store is created with and keeps."""

    partitions: int
    dimension: int


Migration = Callable[[Connection, Layout], None]


def spaces_sessions_turns(connection: Connection, layout: Layout) -> None:
    """Primary data: what was said, in which session, by whom and when."""
    _run(
        connection,
        "CREATE SEQUENCE birth",
        "CREATE SEQUENCE change",
        # From the clock, so that a store made again where one was removed shows no number that the other did.
        "SELECT setval('change', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)",
    )
    _table(
        connection,
        layout,
        "space",
        f"""name {TEXT}, epoch bigint NOT NULL, last_seq bigint NOT NULL, turns bigint NOT NULL,
        rules bigint NOT NULL DEFAULT 0, indexed boolean NOT NULL DEFAULT false""",
        "space",
    )
    _run(
        connection,
        "CREATE POLICY listing ON space FOR SELECT USING (current_setting('goalmem.listing', true) = 'on')",
    )
    _table(
        connection,
        layout,
        "session",
        f"id uuid NOT NULL, name {TEXT}, at bigint NOT NULL, zone bigint NOT NULL",
        "space, id",
    )
    _table(
        connection,
        layout,
        "turn",
        f"""seq bigint NOT NULL, session uuid NOT NULL, position integer NOT NULL, call_position integer NOT NULL,
        id {TEXT}, content_hash {TEXT}, external_id {TEXT}, at bigint NOT NULL, zone bigint NOT NULL, role {TEXT},
        speaker {TEXT}, caption {TEXT}, text {TEXT}, terms bytea NOT NULL, features bytea NOT NULL""",
        "space, seq",
        unique=("space, id", "space, session, position"),
    )


def vectors(connection: Connection, layout: Layout) -> None:
    """One row per passage of a turn, so that an index of a large space can search for the nearest."""
    passages(connection, layout, "passage")


def passages(connection: Connection, layout: Layout, name: str) -> None:
    """A table of vectors with the layout's dimension."""
    _table(
        connection,
        layout,
        name,
        f"seq bigint NOT NULL, n integer NOT NULL, vector halfvec({layout.dimension}) NOT NULL",
        "space, seq, n",
    )


def facts_and_their_entities(connection: Connection, layout: Layout) -> None:
    """Atomic statements, found by turn, entity, predicate and slot."""
    _table(
        connection,
        layout,
        "fact",
        f"""seq bigint NOT NULL, n integer NOT NULL, id {TEXT}, start integer NOT NULL, stop integer NOT NULL,
        text {TEXT}, statement {TEXT}, kind {TEXT}, predicate {TEXT}, predicate_key bigint NOT NULL, slot {TEXT},
        slot_key bigint NOT NULL, args {TEXT}, polarity smallint NOT NULL, modality {TEXT}, speaker {TEXT},
        said bigint NOT NULL, zone bigint NOT NULL, occurs text COLLATE "C", occurs_text {TEXT}""",
        "space, seq, n",
        unique=("space, id",),
        indices=("space, predicate_key, seq, n", "space, slot_key"),
    )
    _table(
        connection,
        layout,
        "fact_entity",
        "entity bigint NOT NULL, seq bigint NOT NULL, n integer NOT NULL",
        "space, entity, seq, n",
        indices=("space, seq",),
    )


def mentions_edges_aliases(connection: Connection, layout: Layout) -> None:
    """Mentions of entities, their relations and their aliases."""
    numbered = "seq bigint NOT NULL, n integer NOT NULL"
    _table(
        connection,
        layout,
        "mention",
        f"""{numbered}, start integer NOT NULL, stop integer NOT NULL, text {TEXT}, entity {TEXT},
        entity_key bigint NOT NULL, type {TEXT}""",
        "space, seq, n",
        indices=("space, entity_key",),
    )
    _table(
        connection,
        layout,
        "edge",
        f"""{numbered}, fact {TEXT}, subject {TEXT}, subject_key bigint NOT NULL, relation {TEXT}, object {TEXT},
        object_key bigint NOT NULL""",
        "space, seq, n",
        indices=("space, subject_key", "space, object_key"),
    )
    _table(connection, layout, "alias", f"{numbered}, alias {TEXT}, name {TEXT}", "space, seq, n")


def words_of_turns(connection: Connection, layout: Layout) -> None:
    """The words of each turn, shown only to a transaction that has set which words it looks for (`goalmem.words`).

    A condition on a tsvector may leak what it sees, so PostgreSQL lets none choose an index before row-level security has
    spoken (postgresql.org/docs, 39.5 Rules and Privileges: leakproof functions). As a part of the policy itself it may.
    """
    _table(connection, layout, "words", "seq bigint NOT NULL, words tsvector NOT NULL", "space, seq", policy=False)
    wanted = "nullif(current_setting('goalmem.words', true), '')::tsquery"
    _run(
        connection,
        f"CREATE POLICY found ON words FOR SELECT USING (space = {CURRENT} AND words @@ {wanted})",
        f"CREATE POLICY told ON words FOR INSERT WITH CHECK (space = {CURRENT})",
        f"CREATE POLICY gone ON words FOR DELETE USING (space = {CURRENT})",
    )


def chat_replies(connection: Connection, layout: Layout) -> None:
    """Replies of chat models, kept so as not to be asked for again, and the turns whose text each was asked about."""
    _run(connection, "CREATE SEQUENCE kept")
    _table(connection, layout, "reply", f"id uuid NOT NULL, kept bigint NOT NULL, key {TEXT}, text {TEXT}", "space, id")
    _table(
        connection,
        layout,
        "reply_turn",
        "reply uuid NOT NULL, seq bigint NOT NULL",
        "space, reply, seq",
        indices=("space, seq",),
    )


def stated_rules(connection: Connection, layout: Layout) -> None:
    """Sentences that state rules, with how they were read."""
    _run(connection, "CREATE SEQUENCE stated")
    _table(
        connection,
        layout,
        "rule",
        f"id uuid NOT NULL, stated bigint NOT NULL, name {TEXT}, text {TEXT}, clauses {TEXT}, world {TEXT}, reader {TEXT}",
        "space, id",
    )


def imported_graphs(connection: Connection, layout: Layout) -> None:
    """Triples of numbers in both directions, the nodes and names behind them, and imports under way."""
    number = "bigint NOT NULL"
    for name, columns, key, indices in (
        ("graph", f"version {number}, nodes {number}, relations {number}, triples {number}", "", ()),
        ("graph_node", f"node {number}, key {number}, kind smallint NOT NULL, identifier {TEXT}", ", node", ("key",)),
        ("graph_label", f"node {number}, rank {number}, id uuid NOT NULL, text {TEXT}", ", node, rank, id", ()),
        ("graph_key", f"key {number}, node {number}", ", key, node", ()),
        ("graph_word", f"backwards integer NOT NULL, word {TEXT}", ", backwards, word", ()),
        ("graph_relation", f"relation {number}, name {TEXT}", ", relation", ()),
        ("graph_edge", f"subject {number}, relation {number}, object {number}", ", subject, relation, object", ()),
        ("graph_edge_back", f"object {number}, relation {number}, subject {number}", ", object, relation, subject", ()),
        (
            "graph_import",
            f"id {number}, digest {TEXT}, source {TEXT}, total {number}, chunks bigint NOT NULL DEFAULT 0,"
            " entries bigint NOT NULL DEFAULT 0, steps bigint NOT NULL DEFAULT 0, triples bigint NOT NULL DEFAULT 0,"
            " done boolean NOT NULL DEFAULT false",
            ", digest",
            ("id",),
        ),
        (
            "graph_staged",
            f"import {number}, what {number}, chunk {number}, rows bytea NOT NULL",
            ", import, what, chunk",
            (),
        ),
    ):
        _table(
            connection, layout, name, columns, f"space{key}", indices=tuple(f"space, {column}" for column in indices)
        )
    _run(connection, "CREATE SEQUENCE import")


def vectors_of_another_model(connection: Connection, layout: Layout) -> None:
    """Staging table of the vectors of another model (`reembedding`), and the progress of each space."""
    passages(connection, layout, "next_passage")
    _run(
        connection,
        "ALTER TABLE space ADD COLUMN change bigint NOT NULL DEFAULT 0",
        "ALTER TABLE space ADD COLUMN staged bigint NOT NULL DEFAULT 0",
    )


def turn_metadata(connection: Connection, layout: Layout) -> None:
    """Metadata of turns, indexed by key and value; expiry of turns, earlier texts, and tombstones."""
    _run(
        connection,
        """ALTER TABLE turn ADD COLUMN metadata text COLLATE "C" NOT NULL DEFAULT ''""",
        "ALTER TABLE turn ADD COLUMN expires bigint NOT NULL DEFAULT 0",
        "CREATE INDEX ON turn (space, expires) WHERE expires <> 0",
    )
    _table(
        connection,
        layout,
        "attribute",
        f"key {TEXT}, text {TEXT}, number double precision NOT NULL, seq bigint NOT NULL",
        "space, key, text, number, seq",
        indices=("space, seq",),
    )
    _table(connection, layout, "expired", f"id {TEXT}, at bigint NOT NULL", "space, id")


def turn_versions(connection: Connection, layout: Layout) -> None:
    """Earlier versions of turns."""
    _table(
        connection,
        layout,
        "version",
        f"""seq bigint NOT NULL, n integer NOT NULL, text {TEXT}, metadata {TEXT}, expires bigint NOT NULL,
        content_hash {TEXT}, until bigint NOT NULL""",
        "space, seq, n",
    )


def checksums(connection: Connection, layout: Layout) -> None:
    """Checksums that reveal altered rows (`rows`); 0 for rows written earlier."""
    for table in ("turn", "rule"):
        _run(connection, f"ALTER TABLE {table} ADD COLUMN checksum bigint NOT NULL DEFAULT 0")
    _run(connection, "ALTER TABLE turn ADD COLUMN derived bigint NOT NULL DEFAULT 0")


MIGRATIONS: Sequence[Migration] = (
    spaces_sessions_turns,
    vectors,
    facts_and_their_entities,
    mentions_edges_aliases,
    words_of_turns,
    chat_replies,
    stated_rules,
    imported_graphs,
    vectors_of_another_model,
    turn_metadata,
    turn_versions,
    checksums,
)


def _table(
    connection: Connection,
    layout: Layout,
    name: str,
    columns: str,
    key: str,
    *,
    unique: Sequence[str] = (),
    indices: Sequence[str] = (),
    policy: bool = True,
) -> None:
    """A table of rows of spaces: partitioned, with its indices, locked to one space."""
    constraints = f"PRIMARY KEY ({key})" + "".join(f", UNIQUE ({columns})" for columns in unique)
    partitioned = " PARTITION BY HASH (space)" if layout.partitions else ""
    _run(connection, f"CREATE TABLE {name} (space uuid NOT NULL, {columns}, {constraints}){partitioned}")
    for place in range(layout.partitions):
        part = f"{name}_{place}"
        _run(
            connection,
            f"CREATE TABLE {part} PARTITION OF {name} FOR VALUES WITH (MODULUS {layout.partitions}, REMAINDER {place})",
            # A partition that is queried by its own name has no policy and so returns nothing.
            f"ALTER TABLE {part} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
        )
    for of in indices:
        _run(connection, f"CREATE INDEX ON {name} ({of})")
    _run(connection, f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
    if policy:
        _run(connection, f"CREATE POLICY own ON {name} USING (space = {CURRENT})")


def first_value(connection: Connection, query: LiteralString | bytes | sql.Composed, *parameters: object) -> Any:
    """The first column of the first row that a query finds; None if it finds none."""
    row = connection.execute(query, parameters or None).fetchone()
    return None if row is None else row[0]


def _run(connection: Connection, *statements: str) -> None:
    for statement in statements:
        connection.execute(sql.SQL(statement))  # constants of this module
