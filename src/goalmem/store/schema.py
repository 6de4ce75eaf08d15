"""The tables of a store, as migrations made them.

A migration is a small function with a name; `MIGRATIONS` is only ever appended to. Each runs once per store, in a
transaction of its own; in a new store all in one. Entity names are looked up by a 64-bit key of their folded form (`codec.entity_key`), so that
indices stay small and hold no text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

Migration = Callable[[sqlite3.Connection], None]


def spaces_sessions_turns(connection: sqlite3.Connection) -> None:
    """Primary data: what was said, in which session, by whom and when."""
    _run(
        connection,
        "CREATE TABLE epoch (value INTEGER NOT NULL) STRICT",
        "INSERT INTO epoch VALUES (1)",
        """CREATE TABLE space (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            epoch INTEGER NOT NULL,
            last_seq INTEGER NOT NULL
        ) STRICT""",
        """CREATE TABLE session (
            id INTEGER PRIMARY KEY,
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            name TEXT NOT NULL,
            at INTEGER NOT NULL,
            zone INTEGER NOT NULL,
            UNIQUE (space, name)
        ) STRICT""",
        """CREATE TABLE turn (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
            position INTEGER NOT NULL,
            call_position INTEGER NOT NULL,
            id TEXT NOT NULL,
            content_hash TEXT NOT NULL,
            external_id TEXT NOT NULL,
            at INTEGER NOT NULL,
            zone INTEGER NOT NULL,
            role TEXT NOT NULL,
            speaker TEXT NOT NULL,
            caption TEXT NOT NULL,
            text TEXT NOT NULL,
            UNIQUE (space, id),
            UNIQUE (session, position)
        ) STRICT""",
        "CREATE INDEX turn_space ON turn (space)",
    )


def vectors_and_terms(connection: sqlite3.Connection) -> None:
    """Source of the in-memory indexes."""
    _run(
        connection,
        """CREATE TABLE signal (
            turn INTEGER PRIMARY KEY REFERENCES turn ON DELETE CASCADE,
            vector BLOB NOT NULL,
            terms BLOB NOT NULL
        ) STRICT""",
    )


def facts_and_their_entities(connection: sqlite3.Connection) -> None:
    """Atomic statements, found by turn, entity, predicate and slot."""
    _run(
        connection,
        """CREATE TABLE fact (
            seq INTEGER PRIMARY KEY,
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
            id TEXT NOT NULL,
            start INTEGER NOT NULL,
            stop INTEGER NOT NULL,
            text TEXT NOT NULL,
            statement TEXT NOT NULL,
            kind TEXT NOT NULL,
            predicate TEXT NOT NULL,
            slot TEXT NOT NULL,
            args TEXT NOT NULL,
            polarity INTEGER NOT NULL,
            modality TEXT NOT NULL,
            speaker TEXT NOT NULL,
            said INTEGER NOT NULL,
            zone INTEGER NOT NULL,
            occurs TEXT,
            occurs_text TEXT NOT NULL,
            UNIQUE (space, id)
        ) STRICT""",
        "CREATE INDEX fact_turn ON fact (turn)",
        "CREATE INDEX fact_predicate ON fact (space, predicate)",
        "CREATE INDEX fact_slot ON fact (space, slot)",
        """CREATE TABLE fact_entity (
            space INTEGER NOT NULL,
            entity INTEGER NOT NULL,
            fact INTEGER NOT NULL REFERENCES fact ON DELETE CASCADE,
            PRIMARY KEY (space, entity, fact)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX fact_entity_fact ON fact_entity (fact)",
    )


def mentions_edges_aliases(connection: sqlite3.Connection) -> None:
    """Mentions of entities, their relations and their aliases."""
    _run(
        connection,
        """CREATE TABLE mention (
            seq INTEGER PRIMARY KEY,
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
            start INTEGER NOT NULL,
            stop INTEGER NOT NULL,
            text TEXT NOT NULL,
            entity TEXT NOT NULL,
            entity_key INTEGER NOT NULL,
            type TEXT NOT NULL
        ) STRICT""",
        "CREATE INDEX mention_turn ON mention (turn)",
        "CREATE INDEX mention_entity ON mention (space, entity_key)",
        """CREATE TABLE edge (
            seq INTEGER PRIMARY KEY,
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
            fact TEXT NOT NULL,
            subject TEXT NOT NULL,
            subject_key INTEGER NOT NULL,
            relation TEXT NOT NULL,
            object TEXT NOT NULL,
            object_key INTEGER NOT NULL
        ) STRICT""",
        "CREATE INDEX edge_turn ON edge (turn)",
        "CREATE INDEX edge_subject ON edge (space, subject_key)",
        "CREATE INDEX edge_object ON edge (space, object_key)",
        """CREATE TABLE alias (
            seq INTEGER PRIMARY KEY,
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
            alias TEXT NOT NULL,
            name TEXT NOT NULL
        ) STRICT""",
        "CREATE INDEX alias_turn ON alias (turn)",
        "CREATE INDEX alias_space ON alias (space)",
    )


def phrase_index(connection: sqlite3.Connection) -> None:
    """Words in order. Each word carries its space's number, so no posting list ever spans two spaces."""
    _run(
        connection,
        "CREATE VIRTUAL TABLE phrase USING fts5(words, content='', columnsize=0, tokenize='ascii')",
    )


def structure_features(connection: sqlite3.Connection) -> None:
    """Terms of language analysis for each turn (`retrieve.enrich`); empty for turns stored earlier."""
    _run(connection, "ALTER TABLE signal ADD COLUMN features BLOB NOT NULL DEFAULT x''")


def chat_replies(connection: sqlite3.Connection) -> None:
    """Replies of chat models, kept so as not to be asked for again, and the turns whose text each was asked about."""
    _run(
        connection,
        """CREATE TABLE replies (
            id INTEGER PRIMARY KEY,
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            key TEXT NOT NULL,
            text TEXT NOT NULL,
            UNIQUE (space, key)
        ) STRICT""",
        """CREATE TABLE reply_turns (
            reply INTEGER NOT NULL REFERENCES replies ON DELETE CASCADE,
            turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
            PRIMARY KEY (reply, turn)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX reply_turns_turn ON reply_turns (turn)",
    )


def stated_rules(connection: sqlite3.Connection) -> None:
    """Sentences that state rules, with how they were read; each space counts how often its own changed."""
    _run(
        connection,
        """CREATE TABLE rule (
            seq INTEGER PRIMARY KEY,
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            id TEXT NOT NULL,
            text TEXT NOT NULL,
            clauses TEXT NOT NULL,
            world TEXT NOT NULL,
            reader TEXT NOT NULL,
            UNIQUE (space, id)
        ) STRICT""",
        "ALTER TABLE space ADD COLUMN rules INTEGER NOT NULL DEFAULT 0",
    )


def imported_graphs(connection: sqlite3.Connection) -> None:
    """Triples of numbers in both directions, the nodes and names behind them, and imports under way (`graphs_import`)."""
    _run(
        connection,
        """CREATE TABLE graph (
            space INTEGER PRIMARY KEY REFERENCES space ON DELETE CASCADE,
            version INTEGER NOT NULL,
            nodes INTEGER NOT NULL,
            relations INTEGER NOT NULL,
            triples INTEGER NOT NULL
        ) STRICT""",
        """CREATE TABLE graph_node (
            space INTEGER NOT NULL,
            node INTEGER NOT NULL,
            key INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            PRIMARY KEY (space, node)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX graph_node_key ON graph_node (space, key)",
        """CREATE TABLE graph_label (
            space INTEGER NOT NULL,
            node INTEGER NOT NULL,
            rank INTEGER NOT NULL,
            text TEXT NOT NULL,
            PRIMARY KEY (space, node, rank, text)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE graph_key (
            space INTEGER NOT NULL,
            key INTEGER NOT NULL,
            node INTEGER NOT NULL,
            PRIMARY KEY (space, key, node)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE graph_word (
            space INTEGER NOT NULL,
            backwards INTEGER NOT NULL,
            word TEXT NOT NULL,
            PRIMARY KEY (space, backwards, word)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE graph_relation (
            space INTEGER NOT NULL,
            relation INTEGER NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (space, relation)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE graph_edge (
            space INTEGER NOT NULL,
            subject INTEGER NOT NULL,
            relation INTEGER NOT NULL,
            object INTEGER NOT NULL,
            PRIMARY KEY (space, subject, relation, object)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE graph_edge_back (
            space INTEGER NOT NULL,
            object INTEGER NOT NULL,
            relation INTEGER NOT NULL,
            subject INTEGER NOT NULL,
            PRIMARY KEY (space, object, relation, subject)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE graph_import (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            digest TEXT NOT NULL,
            source TEXT NOT NULL,
            total INTEGER NOT NULL,
            chunks INTEGER NOT NULL DEFAULT 0,
            entries INTEGER NOT NULL DEFAULT 0,
            steps INTEGER NOT NULL DEFAULT 0,
            triples INTEGER NOT NULL DEFAULT 0,
            done INTEGER NOT NULL DEFAULT 0,
            UNIQUE (space, digest)
        ) STRICT""",
        """CREATE TABLE graph_staged (
            import INTEGER NOT NULL REFERENCES graph_import ON DELETE CASCADE,
            what INTEGER NOT NULL,
            chunk INTEGER NOT NULL,
            rows BLOB NOT NULL,
            UNIQUE (import, what, chunk)
        ) STRICT""",
    )


def vectors_of_another_model(connection: sqlite3.Connection) -> None:
    """Staging table for the vectors of another model (`reembedding`)."""
    next_signals(connection)


def next_signals(connection: sqlite3.Connection) -> None:
    """The table of that name, empty: `signal` as `structure_features` left it."""
    _run(
        connection,
        """CREATE TABLE next_signal (
            turn INTEGER PRIMARY KEY REFERENCES turn ON DELETE CASCADE,
            vector BLOB NOT NULL,
            terms BLOB NOT NULL,
            features BLOB NOT NULL DEFAULT x''
        ) STRICT""",
    )


def turn_metadata(connection: sqlite3.Connection) -> None:
    """Metadata of turns, indexed by key and value; expiry of turns, and tombstones."""
    _run(
        connection,
        "ALTER TABLE turn ADD COLUMN metadata TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE turn ADD COLUMN expires INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX turn_expires ON turn (space, expires) WHERE expires <> 0",
        """CREATE TABLE attribute (
            space INTEGER NOT NULL,
            key TEXT NOT NULL,
            text TEXT NOT NULL,
            number REAL NOT NULL,
            turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
            PRIMARY KEY (space, key, text, number, turn)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX attribute_turn ON attribute (turn)",
        """CREATE TABLE expired (
            space INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
            id TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (space, id)
        ) STRICT, WITHOUT ROWID""",
    )


def turn_versions(connection: sqlite3.Connection) -> None:
    """Earlier versions of turns (`versions`)."""
    _run(
        connection,
        """CREATE TABLE version (
            space INTEGER NOT NULL,
            turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
            n INTEGER NOT NULL,
            text TEXT NOT NULL,
            metadata TEXT NOT NULL,
            expires INTEGER NOT NULL,
            content_hash TEXT NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (turn, n)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX version_space ON version (space)",
    )


def checksums(connection: sqlite3.Connection) -> None:
    """Checksums that reveal altered rows (`rows`); 0 for rows written earlier."""
    for table in ("turn", "rule", "signal", "next_signal"):
        _run(connection, f"ALTER TABLE {table} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    _run(connection, "ALTER TABLE turn ADD COLUMN derived INTEGER NOT NULL DEFAULT 0")


def next_signals_of_today(connection: sqlite3.Connection) -> None:
    """The table `next_signal`, empty, as `checksums` left it."""
    next_signals(connection)
    _run(connection, "ALTER TABLE next_signal ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")


MIGRATIONS: Sequence[Migration] = (
    spaces_sessions_turns,
    vectors_and_terms,
    facts_and_their_entities,
    mentions_edges_aliases,
    phrase_index,
    structure_features,
    chat_replies,
    stated_rules,
    imported_graphs,
    vectors_of_another_model,
    turn_metadata,
    turn_versions,
    checksums,
)


def _run(connection: sqlite3.Connection, *statements: str) -> None:
    for statement in statements:
        connection.execute(statement)
