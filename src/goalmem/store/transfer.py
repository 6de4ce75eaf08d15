"""Move everything from one store to another, of either kind.

The copy is staged beside the target, in a file or schema of its own, and compared with the source row by row. Only then
is it renamed to the target, atomically. An interrupted move resumes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import zip_longest
from typing import TypeVar

from goalmem.errors import ConflictError, CorruptStoreError, InputError, StoreBusyError
from goalmem.store import open_store
from goalmem.store.contents import StoredRows
from goalmem.store.rows import GRAPH_TABLES, KeptTurn, pages_of, reply_digest, row_digest, turn_digest
from goalmem.store.table_store import Store, TableStore
from goalmem.store.transfer_places import ending_of

OnProgress = Callable[[int, int], None]
"""Called after each portion with the turns copied or compared so far, and all of them."""

PORTION = 500
"""Turns per transaction: a few MB with their derived rows."""
ROUNDS = 5
"""Attempts for a space that others keep writing to."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MoveReport:
    """Contents of the target after a move."""

    spaces: int
    turns: int
    replies: int
    rules: int
    checksum: str
    """Checksum of all rows of all spaces, equal in both stores."""
    new: bool
    """False where all of it was there already."""


def move(source: str, target: str, *, busy_timeout: float = 30.0, on_progress: OnProgress | None = None) -> MoveReport:
    """Copy the store at `source` to `target`; the source is unchanged.

    The target must not exist or must be empty. To resume after an interruption, repeat the call.

    Raises:
        NotFoundError: there is no store at `source`.
        ConflictError: there is something else in the store at `target`.
        StoreBusyError: somebody went on writing to the source.
        CorruptStoreError: what was read back is not what was written; the target was left as it was.
        StoreError: a place cannot be read or written.
    """
    origin, end = ending_of(source), ending_of(target)
    if origin == end:
        raise ConflictError(f"{source} and {target} are the same store.", "Name another place to move to.")
    model, dimension = origin.model()
    opened = partial(open_store, model=model, dimension=dimension, busy_timeout=busy_timeout)
    with closing(opened(source)) as kept:
        if end.exists():
            with closing(opened(end.place)) as held:
                if held.spaces():
                    return _same(kept, held, target, on_progress)
        with closing(opened(end.staging)) as staging:
            moved = StoreCopy(kept, staging, on_progress).whole()
        end.publish()
        return moved


def _same(source: Store, held: Store, target: str, on_progress: OnProgress | None) -> MoveReport:
    """The report of a move that was already complete; raises ConflictError if the target holds anything else."""
    moving = StoreCopy(source, held, on_progress)
    if held.spaces() == source.spaces() and all(map(moving.compare, source.spaces())):
        return moving.moved(new=False)
    raise ConflictError(
        f"The store {target} holds something already; nothing was moved.", "Name a place where no store is."
    )


class StoreCopy:
    """Everything on its way from one store to another."""

    def __init__(self, source: TableStore, target: TableStore, on_progress: OnProgress | None) -> None:
        self._source, self._target = source, target
        self._from, self._to = source.rows, target.rows
        self._tell = on_progress or (lambda done, total: None)
        self._total = 2 * sum(map(source.size, source.spaces()))
        self._done = 0
        self._turns, self._replies, self._rules = 0, 0, 0
        self._checksums: dict[str, bytes] = {}

    def whole(self) -> MoveReport:
        """Copy and compare every space; everything else in the target is removed.

        Raises:
            StoreBusyError: somebody went on writing to the source.
            CorruptStoreError: what was read back is not what was written.
        """
        for space in self._target.spaces():
            if space not in self._source.spaces():
                self._target.forget(space)
        for space in self._source.spaces():
            self._space(space)
        return self.moved(new=True)

    def moved(self, *, new: bool) -> MoveReport:
        """The compared and equal contents."""
        whole = blake2b(digest_size=16)
        for space, checksum in sorted(self._checksums.items()):
            whole.update(repr(space).encode() + checksum)
        return MoveReport(len(self._checksums), self._turns, self._replies, self._rules, whole.hexdigest(), new)

    def _space(self, space: str) -> None:
        begun = space in self._target.spaces()
        for _ in range(ROUNDS):
            before = self._source.state(space)
            try:
                self._copy(space)
            except InputError:
                if not begun:
                    raise
                # Turns that an earlier attempt copied and that were forgotten since occupy the places of others.
                self._target.forget(space)
                begun = False
                continue
            same = self.compare(space)
            if self._source.state(space) != before:
                continue  # copies what was written in the meantime
            if same:
                return
            # Rows that an earlier attempt copied were forgotten since.
            self._target.forget(space)
        if self._source.state(space) == before:
            raise CorruptStoreError(
                f"The space {space!r} was read back otherwise than it was written; the target was left as it was.",
                "Check both stores (goalmem stats --check), then move again.",
            )
        raise StoreBusyError(f"The space {space!r} was written to while it was moved.", "Move it when nobody writes.")

    def _copy(self, space: str) -> None:
        for page in _pages(self._from.turns, space, lambda kept: kept.seq):
            there = self._target.turns(space, [kept.new.turn.id for kept in page])
            if len(there) < len(page):
                self._to.take_in(space, page)
            self._done += len(page)
            self._tell(min(self._done, self._total), self._total)
        for replies in _pages(self._from.replies, space, lambda kept: kept.order):
            for reply in replies:
                self._target.keep_reply(space, reply.key, reply.text, reply.turns)
        self._copy_graph(space)
        stated = self._source.rules(space)
        if stated and self._target.rules(space) != stated:
            self._target.remove_rules(space, [rule.id for rule in self._target.rules(space)])
            self._target.add_rules(space, stated)

    def _copy_graph(self, space: str) -> None:
        size = self._from.graph_size(space)
        if size is None:
            return
        if self._to.graph_size(space) not in (None, (0, 0, 0), size):
            self._target.graphs.drop(space)
        for table in GRAPH_TABLES:
            for rows in pages_of(partial(self._from.graph, space), table):
                self._to.take_graph(space, table, rows)
        self._to.take_graph_size(space, size)

    def _same_graph(self, space: str, checksum: blake2b) -> bool:
        size = self._from.graph_size(space)
        if size != self._to.graph_size(space):
            return False
        checksum.update(repr(size).encode())
        for table in GRAPH_TABLES if size else ():
            ours, theirs = (
                (row for rows in pages_of(partial(side.graph, space), table) for row in rows)
                for side in (self._from, self._to)
            )
            for mine, other in zip_longest(ours, theirs):
                if mine is None or other is None or row_digest(mine) != row_digest(other):
                    return False
                checksum.update(row_digest(mine))
        return True

    def compare(self, space: str) -> bool:
        """True if a space holds the same rows in both stores."""
        checksum, turns, replies = blake2b(digest_size=16), 0, 0
        for ours, theirs in zip_longest(_turn_digests(self._from, space), _turn_digests(self._to, space)):
            if ours is None or ours != theirs:
                return False
            checksum.update(ours)
            turns += 1
            if turns % PORTION == 0:
                self._done += PORTION
                self._tell(min(self._done, self._total), self._total)
        for ours, theirs in zip_longest(_reply_digests(self._from, space), _reply_digests(self._to, space)):
            if ours is None or ours != theirs:
                return False
            checksum.update(ours)
            replies += 1
        if not self._same_graph(space, checksum):
            return False
        rules = self._source.rules(space)
        if rules != self._target.rules(space):
            return False
        checksum.update(repr([(r.id, r.text, r.clauses, r.world, r.reader) for r in rules]).encode())
        self._checksums[space] = checksum.digest()
        self._turns, self._replies, self._rules = (
            self._turns + turns,
            self._replies + replies,
            self._rules + len(rules),
        )
        return True


def _turn_digests(rows: StoredRows, space: str) -> Iterator[bytes]:
    return (turn_digest(kept) for page in _pages(rows.turns, space, _seq) for kept in page)


def _reply_digests(rows: StoredRows, space: str) -> Iterator[bytes]:
    return (reply_digest(kept) for page in _pages(rows.replies, space, lambda kept: kept.order) for kept in page)


def _seq(kept: KeptTurn) -> int:
    return kept.seq


def _pages(read: Callable[[str, int, int], list[T]], space: str, place: Callable[[T], int]) -> Iterator[list[T]]:
    after = 0
    while page := read(space, after, PORTION):
        yield page
        after = place(page[-1])
