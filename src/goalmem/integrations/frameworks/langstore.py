"""A LangGraph store that is a goalmem memory: what agents keep can be asked about, with proofs.

The turn's text is the searchable part of the value, from which facts are extracted. The value itself is stored as JSON
in the message's id, which is kept verbatim and never searched. A namespace is a space; an item is a session of it,
whose last turn is the current item.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from langchain_core.runnables.config import run_in_executor
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from goalmem.errors import InputError
from goalmem.integrations.frameworks.langstore_memory import ItemSessions
from goalmem.integrations.frameworks.tools import MemoryLike
from goalmem.io.chat_messages import LONGEST_NAME, check_name
from goalmem.memory import Memory
from goalmem.records import Turn
from goalmem.store.metadata import UNSTORABLE

ROOT = "langgraph"
"""Before the namespace in the name of a space, so that conversations and items do not meet unless they are meant to."""
SPARE = 8
"""Extra turns requested: some may be replaced ones that were not forgotten after a crash."""

Namespace: TypeAlias = tuple[str, ...]


WHOLE = "$"
"""The path of the whole value, as in LangGraph."""
FOUND = "user"
"""Role of searchable items. Facts in the first person are then about the namespace's owner."""
UNFOUND = "system"
"""Role of items that are not indexed."""
NOTHING = "(not indexed)"
"""Text of items that are not indexed: a turn has some."""
LONGEST_INDEXED = 100_000
"""Characters of an item that are indexed, as many as a tool's message may have. The value is kept whole."""
FORM = "goalmem.item"
"""Prefix of an id, with its format version."""
KEYED, HASHED = "item:", "item#"
"""Before a key, and before the hash of one that cannot be a session's name."""


@dataclass(frozen=True, slots=True)
class ItemDocument:
    """A stored item."""

    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime


def space_of(root: str, namespace: Sequence[str]) -> str:
    """The space of a namespace. Labels hold no periods (LangGraph refuses them), so no two share one."""
    return f"{root}:{'.'.join(namespace)}"


def namespace_of(root: str, space: str) -> tuple[str, ...]:
    """The namespace of a space of this root."""
    path = space[len(root) + 1 :]
    return tuple(path.split(".")) if path else ()


def session_of(key: str) -> str:
    """The session of an item. Keys that are not valid names are hashed."""
    if len(key) + len(KEYED) <= LONGEST_NAME and not UNSTORABLE.search(key):
        return KEYED + key
    return HASHED + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def message_of(document: ItemDocument, text: str) -> dict[str, Any]:
    """The message to remember an item by.

    Raises InputError for a value that JSON cannot hold exactly.
    """
    about = {"form": FORM, "key": document.key}
    times = {"created": document.created.isoformat(), "updated": document.updated.isoformat()}
    try:
        written = {**about, **times, "value": checked(document.value, document.key)}
        # ASCII alone: NUL and lone surrogates are kept, too.
        identity = json.dumps(written, ensure_ascii=True, separators=(",", ":"))
    except InputError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise unwritable(document.key, str(error)) from error
    found = text.strip()[:LONGEST_INDEXED]
    return {"role": FOUND if found else UNFOUND, "content": found or NOTHING, "id": identity}


def document_of(turn: Turn) -> ItemDocument | None:
    """The item in a turn; None if it is not an item."""
    if not turn.session.startswith((KEYED, HASHED)):
        return None
    try:
        held = json.loads(turn.external_id)
        if held["form"] != FORM:
            return None
        created, updated = (datetime.fromisoformat(held[name]) for name in ("created", "updated"))
        return ItemDocument(held["key"], held["value"], created, updated)
    except (ValueError, TypeError, KeyError):
        return None


def text_of(value: Mapping[str, Any], paths: Sequence[str]) -> str:
    """The text at some paths of a value, one per line; `$` means all of it."""
    said: list[str] = []
    for path in paths:
        said += lines_of(value) if path in ("", WHOLE) else get_text_at_path(value, tokenize_path(path))
    return "\n".join(dict.fromkeys(said))


def lines_of(value: object, name: str = "") -> Iterator[str]:
    """All of a value as lines of text: strings alone, short values after their name."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from lines_of(inner, key)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from lines_of(inner, name)
    elif isinstance(value, str) and (" " in value.strip() or not name):
        yield value
    elif value is not None and value != "":
        yield f"{name}: {value}" if name else str(value)


def checked(value: object, key: str) -> object:
    """A value whose every name is a text: JSON would silently make texts of others."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if not isinstance(name, str):
                raise unwritable(key, f"a name in it is a {type(name).__name__}")
            checked(inner, key)
    elif isinstance(value, list | tuple):
        for inner in value:
            checked(inner, key)
    return value


def unwritable(key: str, why: str) -> InputError:
    """The problem with a value, if any."""
    return InputError(
        f"The value of the item {key!r} cannot be written as JSON: {why}.",
        "Use dicts with text keys, lists, texts, numbers, booleans and None.",
    )


class GoalmemStore(BaseStore):
    """A LangGraph `BaseStore` on a memory, here or on a server: durable, and safe for many threads and processes.

    Each namespace is a space of its own (`space`), so that nothing is found across two, and what is kept in one can be
    asked about: `memory.ask("What does she like?", space=store.space(("users", "maya")))`. Search needs no embedding
    model to be set up. Items do not expire (`supports_ttl` is False): a `ttl` is refused with NotImplementedError.

        store = GoalmemStore(memory)
        store.put(("users", "maya"), "food", {"text": "I love ramen."})
        store.search(("users", "maya"), query="What does she like to eat?")[0].value
    """

    supports_ttl = False

    def __init__(self, memory: MemoryLike, *, root: str = ROOT, fields: Sequence[str] = (WHOLE,)) -> None:
        """`root`: begins the names of the spaces. `fields`: paths that are indexed where `put` names none; `$` is everything.

        Raises:
            InputError: the root cannot be part of a name, or the memory is async.
            BackendError: what the memory knows belongs to another system, which keeps no items.
        """
        if ":" in check_name(root, "The root"):
            raise InputError(f"The root {root!r} holds a colon, which stands behind it.", "Use another name.")
        if inspect.iscoroutinefunction(memory.add):
            raise InputError("The memory is async.", "Give a Memory or a Client: the store itself can be awaited.")
        if isinstance(memory, Memory):
            memory.sessions(space=space_of(root, ()))  # refuses one that has no spaces of its own
        self._shelf = ItemSessions(memory)
        self._root = root
        self._fields = tuple(fields)

    def space(self, namespace: Namespace) -> str:
        """The space that holds the items of a namespace, for `Memory.ask`, `context`, `export` and all else."""
        return space_of(self._root, namespace)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run a batch: reads see the state before it; of several writes to one item the last wins.

        Each item is written whole or not at all; items are written one after another.

        Raises:
            InputError: a value or a filter cannot be used; nothing was written.
            InvalidNamespaceError: a label holds a period, or is empty or no text; nothing was written.
            NotImplementedError: a `ttl` was given; nothing was written.
            StoreError: what was written so far is kept.
        """
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                puts[tuple(op.namespace), op.key] = self._checked(op)
                results.append(None)
            elif isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(list(self._search(op)))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._list(op))
            else:
                raise InputError(f"There is no operation {op!r}.", "Use GetOp, PutOp, SearchOp or ListNamespacesOp.")
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch`, in a thread."""
        return await run_in_executor(None, self.batch, list(ops))

    # -- one item ------------------------------------------------------------------------------------------------

    def _get(self, op: GetOp) -> Item | None:
        space = check_name(self.space(op.namespace), "The namespace")
        turn = self._shelf.newest(space, session_of(op.key))
        document = document_of(turn) if turn is not None else None
        return item_of(document, op.namespace) if document is not None else None

    def _checked(self, op: PutOp) -> PutOp:
        """An operation that can be done."""
        if op.ttl is not None:
            raise NotImplementedError(f"Items of {type(self).__name__} do not expire; leave `ttl` out.")
        check_name(self.space(op.namespace), "The namespace")
        if op.value is not None:
            message_of(*self._written(op, datetime.now(UTC), None))
        return op

    def _written(self, op: PutOp, now: datetime, before: ItemDocument | None) -> tuple[ItemDocument, str]:
        """The message for an item, with its searchable text."""
        if not isinstance(op.value, Mapping):
            raise InputError(f"The value of the item {op.key!r} is a {type(op.value).__name__}.", "Use a dict.")
        value = dict(op.value)
        paths = self._fields if op.index is None else op.index or ()
        created = before.created if before is not None else now
        return ItemDocument(op.key, value, created, now), text_of(value, paths)

    def _put(self, op: PutOp) -> None:
        space, session = self.space(op.namespace), session_of(op.key)
        if op.value is None:
            self._shelf.forget(space, session)
            return
        turn = self._shelf.newest(space, session)
        before = document_of(turn) if turn is not None else None
        # A clock that was set back does not make an item older than it was.
        now = max(datetime.now(UTC), before.updated) if before is not None else datetime.now(UTC)
        self._shelf.put(message_of(*self._written(op, now, before)), space, session, now)

    # -- many items ----------------------------------------------------------------------------------------------

    def _search(self, op: SearchOp) -> Iterator[SearchItem]:
        """The items asked for: ranked where something is sought, else in the order in which they were first put."""
        if op.limit < 0 or op.offset < 0:
            raise InputError(f"A search from {op.offset} for {op.limit} items.", "Use 0 or more.")
        last = op.offset + op.limit
        if op.query and op.query.strip():
            found = [
                item for namespace in self._below(op.namespace_prefix) for item in self._ranked(op, namespace, last)
            ]
            found.sort(key=lambda item: -item.score if item.score is not None else float("inf"))
            yield from found[op.offset : last]
            return
        place = 0
        for namespace in self._below(op.namespace_prefix):
            for _, document in self._documents(op, namespace):
                if place >= last:
                    return
                if place >= op.offset:
                    yield search_item(document, namespace, None)
                place += 1

    def _below(self, prefix: Namespace) -> list[Namespace]:
        """The namespaces that begin with a prefix."""
        head = self.space(prefix)
        below = f"{head}." if prefix else head
        spaces = (space for space in self._shelf.spaces() if space == head or space.startswith(below))
        return sorted(namespace_of(self._root, space) for space in spaces)

    def _documents(self, op: SearchOp, namespace: Namespace) -> Iterator[tuple[Turn, ItemDocument]]:
        """The items of a namespace that pass the filter, the oldest first."""
        space = self.space(namespace)
        if op.filter or op.query:
            turns = self._shelf.every_newest(space)
        else:
            each = (self._shelf.newest(space, session) for session in self._shelf.sessions(space))
            turns = (turn for turn in each if turn is not None)
        for turn in turns:
            document = document_of(turn)
            if document is not None and matches(document.value, op.filter):
                yield turn, document

    def _ranked(self, op: SearchOp, namespace: Namespace, count: int) -> list[SearchItem]:
        """The first `count` items of a namespace for a query, best first, then those that no query finds, without a score."""
        if count == 0:
            return []
        space, query = self.space(namespace), op.query or ""
        passing = list(self._documents(op, namespace)) if op.filter else []
        if op.filter:
            sessions = [turn.session for turn, _ in passing if turn.role == FOUND]
            hits = self._shelf.search(query, space, count + SPARE, [FOUND], sessions) if sessions else []
        else:
            hits = self._shelf.search(query, space, count + SPARE, [FOUND])
        found: dict[str, SearchItem] = {}
        for hit in hits:
            document = document_of(hit.turn)
            if document is not None and self._counts(hit.turn):
                found.setdefault(hit.turn.session, search_item(document, namespace, hit.score))
        items = list(found.values())[:count]
        if len(items) < count:
            rest = passing if op.filter else self._documents(op, namespace)
            items += [search_item(d, namespace, None) for turn, d in rest if turn.session not in found]
        return items[:count]

    def _counts(self, turn: Turn) -> bool:
        """True unless a turn was replaced but not forgotten because of a crash."""
        newest = self._shelf.newest(turn.space, turn.session)
        return newest is not None and newest.id == turn.id

    def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        if op.limit < 0 or op.offset < 0:
            raise InputError(f"A list from {op.offset} of {op.limit} namespaces.", "Use 0 or more.")
        listed = {n[: op.max_depth] for n in self._below(()) if is_listed(n, op.match_conditions)}
        return sorted(listed)[op.offset : op.offset + op.limit]


def item_of(document: ItemDocument, namespace: Namespace) -> Item:
    """An item as LangGraph has it."""
    return Item(
        value=document.value,
        key=document.key,
        namespace=tuple(namespace),
        created_at=document.created,
        updated_at=document.updated,
    )


def search_item(document: ItemDocument, namespace: Namespace, score: float | None) -> SearchItem:
    """An item found. Of a score only the order within one result means something."""
    return SearchItem(tuple(namespace), document.key, document.value, document.created, document.updated, score=score)


ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS = ("$eq", "$ne", *ORDERS)
ANY = "*"
"""Stands for any one label of a namespace."""


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """True if a value has every field as wanted. Raises InputError for an unknown operator."""
    return all(_agrees(value.get(name), condition) for name, condition in (wanted or {}).items())


def _agrees(held: Any, wanted: Any) -> bool:
    """True if a value matches: equal; by operators; or, for dicts and lists, in every named part."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(held, name, other) for name, other in wanted.items())
        return isinstance(held, Mapping) and all(_agrees(held.get(name), other) for name, other in wanted.items())
    if isinstance(wanted, list | tuple):
        if not isinstance(held, list | tuple) or len(held) != len(wanted):
            return False
        return all(_agrees(own, other) for own, other in zip(held, wanted, strict=True))
    return bool(held == wanted)


def _compares(held: Any, name: str, other: Any) -> bool:
    if name not in OPERATORS:
        raise InputError(f"There is no operator {name!r} in filters.", f"Use one of: {', '.join(OPERATORS)}.")
    if name in ORDERS:
        pair = _comparable(held, other)
        return pair is not None and ORDERS[name](*pair)
    return (held == other) is (name == "$eq")


def _comparable(held: Any, other: Any) -> tuple[Any, Any] | None:
    """Two things as numbers, or else as texts; None where neither is possible: then no order holds."""
    try:
        return float(held), float(other)
    except (TypeError, ValueError):
        return (held, other) if isinstance(held, str) and isinstance(other, str) else None


def is_listed(namespace: Sequence[str], conditions: Sequence[MatchCondition] | None) -> bool:
    """True if a namespace begins or ends as every condition says. Raises InputError for another kind of condition."""
    return all(_begins_or_ends(namespace, condition) for condition in conditions or ())


def _begins_or_ends(namespace: Sequence[str], condition: MatchCondition) -> bool:
    if condition.match_type not in ("prefix", "suffix"):
        raise InputError(f"Namespaces cannot be matched by {condition.match_type!r}.", "Use prefix or suffix.")
    count = len(condition.path)
    if count > len(namespace):
        return False
    labels = namespace[:count] if condition.match_type == "prefix" else namespace[len(namespace) - count :]
    return all(asked in (ANY, label) for asked, label in zip(condition.path, labels, strict=True))
