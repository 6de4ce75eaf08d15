"""Row-level security is the second lock: what the code runs sees and changes nothing where the space is not set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import pytest

from goalmem.graph.imports import import_graph, source_of
from goalmem.graph.protocol import Hop, Name, Triple
from goalmem.graph.stored import StoredGraph
from goalmem.store import Store, open_store
from goalmem.store.protocol import LargeSpaces, TurnFilter
from goalmem.store.rows import GRAPH_TABLES
from goalmem.store.table_store import TableStore

from ..conformance import StoreConformance, rule
from ..samples import DIMENSION, MODEL, batch, ids, new_turn, turn
from .conftest import execute

psycopg = pytest.importorskip("psycopg")

ROWS_OF_SPACES = "SELECT relname FROM pg_class WHERE relnamespace = 'goalmem'::regnamespace AND relkind IN ('r', 'p')"


@dataclass(frozen=True)
class Statement:
    text: str
    values: object

    @property
    def verb(self) -> str:
        return self.text.split(None, 1)[0]


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """Every statement that is run while a test runs."""
    said: list[Statement] = []
    real = psycopg.Cursor.execute

    def execute(self: object, query: object, params: object = None, **options: object) -> object:
        text = query if isinstance(query, bytes | str) else query.as_string(None)
        said.append(Statement(text.decode() if isinstance(text, bytes) else text, params))
        return real(self, query, params, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", execute)
    return said


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(url, model=MODEL, dimension=DIMENSION)
    yield store
    store.close()


def use_everything(store: Store) -> None:
    """Call every method of a store, on rows that are there and on rows that are not."""
    made, other = batch(["the lazy dog", "a red barn", "a third"]), batch(["my plan"], space="bob")
    for one in (made, other, batch(["later"], session="s2")):
        store.add(one)
    a, b, _ = ids(made)
    store.add(replace(made, turns=[*made.turns, new_turn(turn("more", 7), 7)]))
    store.known("ana", "s1"), store.turns("ana", [a]), store.session_turns("ana", "s1", first=-2, last=5)
    store.sessions("ana"), list(store.all_turns("ana")), list(store.index_rows("ana"))
    store.facts("ana", ids=["x"], turns=[a], entity="Maya", predicate="adopt", slot="pet", newest=3)
    store.facts("ana"), store.mentions("ana", turns=[a], entity="Maya"), store.edges("ana", subject="x", object="y")
    store.entities("ana"), store.aliases("ana"), store.phrase("ana", "lazy dog")
    store.version("ana"), store.rules_version("ana"), store.stats("ana"), store.check()
    store.keep_reply("ana", "k", "some text", [a], most=1), store.cached_reply("ana", "k")
    store.keep_reply("ana", "k2", "some text", [a], most=1)
    store.add_rules("ana", [rule("Bob is big.")]), store.rules("ana")
    store.remove_rules("ana", [rule("Bob is big.").id])
    use_rows(store, a)
    use_graph(store)
    search_in_database(store, a)
    store.forget("ana", turn=b), store.forget("ana", session="s2"), store.forget("bob")


def use_rows(store: Store, turn_id: str) -> None:
    """Read and write rows as a move does."""
    assert isinstance(store, TableStore)
    rows = store.rows
    rows.take_in("ana", rows.turns("ana", 0, 10))
    rows.replies("ana", 0, 10)
    for table in GRAPH_TABLES:
        first = tuple("" if type_ == "text" else -1 for type_ in table.types.split()[: table.keys])
        rows.graph("ana", table, None), rows.graph("ana", table, first)
    rows.take_graph("ana", GRAPH_TABLES[0], [(7, "likes")])
    rows.take_graph_size("ana", (0, 1, 0))
    rows.graph_size("ana")
    store.graphs.drop("ana")


def use_graph(store: Store) -> None:
    triples = [Triple("Ana", "owns", "Rex"), Triple("Rex", "eats", "meat")]
    import_graph(store.graphs, "ana", source_of([*triples, Name("Ana", "Ana María")], "pets"))
    graph = StoredGraph(store.graphs, "ana")
    some = graph.named("ana maría")
    graph.size(), graph.relations(), graph.node("Ana"), graph.labels(some), graph.kinds(some), graph.hops(some)
    graph.edges(some, Hop("owns"), limit=3), graph.edges(some, Hop("owns", inverse=True))
    store.graphs.words("ana", "a", limit=3), store.graphs.degrees("ana", [0, 1], most=5), store.graphs.version("ana")
    list(store.graphs.pages("ana")), list(store.graphs.numbered("ana"))


def search_in_database(store: Store, turn_id: str) -> None:
    assert isinstance(store, LargeSpaces)
    within = TurnFilter(["s1"], ["Maya"], ["user"], 0.0, 9e9)
    number = next(row.seq for row in store.index_rows("ana"))
    store.nearest("ana", bytes(range(16)), 3, within), store.worded("ana", [1], [2, 3], 3, within)
    store.rows_around("ana", [number], [turn_id], 1), store.sample("ana", 5)
    store.speakers("ana"), store.newest("ana"), store.indexed("ana")


def test_every_statement_without_its_space_sees_and_changes_nothing(
    store: Store, url: str, recorded: list[Statement]
) -> None:
    use_everything(store)
    statements = {(s.text, repr(s.values)): s for s in recorded if s.verb in ("SELECT", "INSERT", "UPDATE", "DELETE")}
    # What begins with the question of which model the vectors are of reads no rows of spaces yet.
    whole = {
        s.text: s for s in recorded if s.verb == "BEGIN" and "SELECT" in s.text and not s.text.endswith("'model')")
    }
    assert len({text for text, _ in statements}) > 130
    assert whole
    store.add(batch(["the lazy dog", "a red barn", "a third"]))
    store.add_rules("ana", [rule("Bob is big.")])
    before = counted(url)
    checked = 0
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements.values():
            if reads_rows(statement):
                assert found_without_space(connection, statement) == 0, statement.text
                checked += 1
    for one in whole.values():
        forgetful = one.text.replace(one.text.split("goalmem.space = '")[1].split("'")[0], "", 1)
        assert forgetful != one.text
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(forgetful.encode())
            while cursor.description is None:
                cursor.nextset()
            assert cursor.fetchall() == []
    assert checked > 130
    assert counted(url) == before


def reads_rows(statement: Statement) -> bool:
    """Whether it is of the tables of spaces, not of what describes the store."""
    own = ("pg_class WHERE relname", "FROM meta", "FROM migration", "SELECT nextval(%s)", "pg_total_relation_size")
    listing = statement.text == "SELECT name FROM space"  # only where listing is set, which is tested by itself
    return not listing and not any(part in statement.text for part in own)


def found_without_space(connection: object, statement: Statement) -> int:
    """Rows that a statement finds or changes when its transaction has set no space; a refusal is none."""
    with connection.transaction(force_rollback=True):
        connection.execute("SET LOCAL ROLE goalmem_space")
        connection.execute("SET LOCAL search_path = goalmem, public")
        connection.execute("SELECT set_config('goalmem.words', '!''**''', true)")
        try:
            cursor = connection.execute(statement.text.encode(), statement.values)
        except psycopg.errors.InsufficientPrivilege:
            return 0
        if statement.verb != "SELECT":
            return cursor.rowcount
        rows = cursor.fetchall()
        # A count, a maximum or a place to go on from is a row also where there is nothing.
        return sum(1 for row in rows if any(value not in (None, 0) for value in row))


def counted(url: str) -> dict[str, int]:
    """Rows of every table, as the superuser sees them."""
    from goalmem.store.postgres.schema import TABLES

    return {table: execute(url, f"SELECT count(*) FROM goalmem.{table}")[0][0] for table in TABLES}


def test_every_table_and_partition_is_locked_also_for_its_owner(store: Store, url: str) -> None:
    unlocked = execute(url, f"{ROWS_OF_SPACES} AND NOT (relrowsecurity AND relforcerowsecurity)")
    assert {name for (name,) in unlocked} == {"meta", "migration"}


def test_with_its_space_a_statement_that_names_another_finds_nothing(store: Store, url: str) -> None:
    from goalmem.store.postgres.schema import TABLES
    from goalmem.store.postgres.text import key_of

    store.add(batch(["mine"]))
    store.add(batch(["theirs"], space="bob"))
    with psycopg.connect(url, autocommit=True) as connection, connection.transaction():
        connection.execute("SET LOCAL ROLE goalmem_space")
        connection.execute(f"SET LOCAL goalmem.space = '{key_of('ana')}'")
        connection.execute("SELECT set_config('goalmem.words', '!''**''', true)")
        for table in TABLES:
            rows = connection.execute(f"SELECT DISTINCT space FROM goalmem.{table}").fetchall()
            assert rows in ([(key_of("ana"),)], []), table
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"INSERT INTO goalmem.session VALUES ('{key_of('bob')}', '{key_of('s')}', 's', 0, 0)")


def test_only_a_transaction_that_asks_for_it_lists_the_spaces(store: Store, url: str) -> None:
    store.add(batch(["mine"]))
    assert store.spaces() == ["ana"]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET ROLE goalmem_space")
        assert connection.execute("SELECT name FROM goalmem.space").fetchall() == []


@pytest.fixture(scope="module")
def owned(empty_database: Callable[[], str]) -> str:
    place = empty_database()
    database = urlsplit(place).path[1:]
    role = f"owner_of_{database}"
    execute(place, f"CREATE ROLE {role} LOGIN", "CREATE EXTENSION vector")
    execute(place, f"ALTER DATABASE {database} OWNER TO {role}")
    return place.replace("postgres@", f"{role}@")


def as_superuser(place: str) -> str:
    return f"postgresql://postgres@{place.partition('@')[2]}"


class TestOwnerWithoutRights(StoreConformance):
    """A user of the server who is no superuser owns the tables, and is held to row-level security himself."""

    @pytest.fixture
    def store(self, owned: str) -> Iterator[Store]:
        from goalmem.store.postgres.schema import TABLES

        store = open_store(owned, model=MODEL, dimension=DIMENSION)
        execute(as_superuser(owned), *(f"DELETE FROM goalmem.{table}" for table in TABLES))
        yield store
        store.close()

    def test_the_owner_sees_nothing_without_a_space(self, store: Store, owned: str) -> None:
        store.add(batch(["mine"]))
        assert execute(owned, "SELECT count(*) FROM goalmem.turn") == [(0,)]
        assert execute(owned, "SELECT count(*) FROM goalmem.turn_0") == [(0,)]
