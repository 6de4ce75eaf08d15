"""Turns read again, as they were read when they were added: after those before them, with the names known by then; and turns that
are changed, forgotten or expire, behind which others are read again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from goalmem.cancellation import checkpoint, with_checks_of_caller
from goalmem.errors import InputError, NotFoundError, StoreBusyError
from goalmem.io.chat_messages import InputMessage, digest_of, expiry_of, parse_messages
from goalmem.records import Turn, TurnVersion
from goalmem.store.metadata import TAGS, Where
from goalmem.store.protocol import (
    NO_OTHERS,
    NOTHING_READ,
    Forgotten,
    NewTurn,
    OutdatedReadingError,
    Quota,
    Reanalysis,
    Stated,
    TurnChange,
)
from goalmem.store.versions import state_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from goalmem.language import Extractor, TurnContext
    from goalmem.retrieve.search import Searcher
    from goalmem.store import Store


ATTEMPTS = 5
"""Attempts before giving up because others keep changing the same turns."""
NEARBY = 6
"""Turns before and after a re-read turn, as context for pronouns and participants."""


def read_again(
    store: Store,
    run: Sequence[Turn],
    extractor: Extractor,
    searcher: Searcher,
    stated: Stated = NO_OTHERS,
    gone: Collection[str] = (),
) -> list[NewTurn]:
    """Analyse consecutive turns of one session again. `stated`: new states of turns that replace the stored ones;
    `gone`: ids of turns to leave out.
    """
    context = _context(store, run, stated, gone)
    with ThreadPoolExecutor(1, thread_name_prefix="goalmem-embed") as pool:
        encoding = pool.submit(with_checks_of_caller(lambda: searcher.encode(run)))
        extractions = extractor.extract(list(run), context)
        encoded = encoding.result()
    # Their places in the call and their hashes are unchanged.
    return [
        NewTurn(turn, 0, "", extraction, vector, terms, searcher.features(turn, extraction))
        for turn, extraction, (vector, terms) in zip(run, extractions, encoded, strict=True)
    ]


def read_changed(
    store: Store, held: Sequence[Turn], wanted: Sequence[Turn], extractor: Extractor, searcher: Searcher
) -> Reanalysis:
    """Analyse changed turns and everything that depends on them: later turns of their sessions, whose pronouns and
    short replies may refer to them, and turns of the space that mention an entity by a name that they define (`my
    sister`).

    `held`: the turns as the store holds them; those that are not `wanted` are to go.
    """
    gone = {turn.id for turn in held} - {turn.id for turn in wanted}
    stated: dict[str, Sequence[tuple[str, str]]] = dict.fromkeys(gone, ())
    space, behind = held[0].space, [(t.session, t.position + 1, t.position + NEARBY) for t in held]
    anew = {turn.id: turn for turn in wanted}
    for session, first, last in behind:
        for turn in store.session_turns(space, session, first=first, last=last):
            if turn.id not in gone:
                anew.setdefault(turn.id, turn)
    derived: dict[str, NewTurn] = {}
    was = store.stated(space, {*gone, *anew})
    for run in _runs(anew.values()):
        checkpoint()
        for new in read_again(store, run, extractor, searcher, stated, gone):
            derived[new.turn.id] = new
            stated[new.turn.id] = new.extraction.aliases
    is_now = {(id_, alias.lower(), name) for id_, of in stated.items() for alias, name in of}
    names = {name for _, *both in was ^ is_now for name in both}
    found: set[str] = set()
    for name in names:
        found |= {fact.turn for fact in store.facts(space, entity=name)}
        found |= {mention.turn for mention in store.mentions(space, entity=name)}
    for turn in store.turns(space, found - derived.keys() - gone).values():
        checkpoint()
        (new,) = read_again(store, [turn], extractor, searcher, stated, gone)
        derived[turn.id] = new
    return Reanalysis(list(derived.values()), names, behind)


def _runs(turns: Iterable[Turn]) -> list[list[Turn]]:
    """Turns of one session that may rest on one another, in order."""
    found: list[list[Turn]] = []
    for turn in sorted(turns, key=lambda t: (t.session, t.position)):
        last = found[-1][-1] if found else None
        if last is not None and last.session == turn.session and last.position + 1 == turn.position:
            found[-1].append(turn)
        else:
            found.append([turn])
    return found


def _context(store: Store, run: Sequence[Turn], stated: Stated, gone: Collection[str]) -> TurnContext:
    """The context before the first of these turns."""
    from goalmem.language import TurnContext

    first = run[0]
    before, last = max(0, first.position - NEARBY), run[-1].position + NEARBY
    around = store.session_turns(first.space, first.session, first=before, last=last)
    around = [turn for turn in around if turn.id not in gone]
    previous = tuple(turn for turn in around if turn.position < first.position)
    speakers = tuple(dict.fromkeys(turn.speaker for turn in around))
    return TurnContext(previous, store.aliases(first.space, before=first.id, instead=stated), speakers)


PORTION = 500
"""Turns removed in one transaction: others write between two."""


def forget_turns(
    store: Store,
    extractor: Extractor,
    searcher: Searcher,
    space: str,
    turn: str | None,
    session: str | None,
    where: Where,
    lock: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Forgotten:
    """Forget a turn, a session or turns that meet conditions; the same transaction analyses dependent turns as if
    these had never existed.

    Many turns go in portions, each under the `lock`, those stored last first: nothing that remains rests on what is gone when
    the work is stopped between two. The same again removes the rest.

    Raises StoreBusyError where others kept changing the turns meanwhile; nothing more was forgotten.
    """

    def chosen() -> list[Turn]:
        if turn is not None:
            return list(store.turns(space, [turn]).values())
        return store.last(space, where, session, limit=PORTION)

    def remove(held: list[Turn], reading: Reanalysis) -> Forgotten:
        gone = {turn.id for turn in held}
        return store.forget(space, turn=turn, session=session, where=where, gone=gone, reading=reading, most=PORTION)

    return _in_portions(store, lambda: _removed(store, extractor, searcher, chosen, remove), lock)


def forget_all(store: Store, space: str, lock: Callable[[], AbstractContextManager[object]]) -> Forgotten:
    """Forget a space, in portions as `forget_turns` does; its rules and its graph with the last."""
    return _in_portions(store, lambda: store.forget(space, most=PORTION), lock)


def purge_turns(store: Store, extractor: Extractor, searcher: Searcher, space: str, now: datetime) -> Forgotten:
    """Remove expired turns, as `forget_turns` does."""

    def remove(held: list[Turn], reading: Reanalysis) -> Forgotten:
        return store.purge(space, now, {turn.id for turn in held}, reading, PORTION)

    return _in_portions(
        store, lambda: _removed(store, extractor, searcher, lambda: store.expired(space, now, PORTION), remove)
    )


def _in_portions(
    store: Store, remove: Callable[[], Forgotten], lock: Callable[[], AbstractContextManager[object]] = nullcontext
) -> Forgotten:
    """What a removal of at most `PORTION` turns removes, again and again until all are gone, each time under the lock."""
    whole = Forgotten()
    try:
        while True:
            checkpoint()
            with lock():
                gone = remove()
            whole += gone
            if gone.turns < PORTION:
                return whole
    finally:
        store.overwrite_removed()


def _removed(
    store: Store,
    extractor: Extractor,
    searcher: Searcher,
    chosen: Callable[[], list[Turn]],
    remove: Callable[[list[Turn], Reanalysis], Forgotten],
) -> Forgotten:
    for attempt in range(1, ATTEMPTS + 1):
        held = chosen()
        reading = read_changed(store, held, (), extractor, searcher) if held else NOTHING_READ
        try:
            return remove(held, reading)
        except OutdatedReadingError:
            if attempt == ATTEMPTS:
                raise
    raise AssertionError


NEVER = "never"
"""Value of `expires_at` for a turn that never expires."""


class TurnEdit:
    """A change of a turn; None leaves a field unchanged."""

    def __init__(self, longest: int, quota: Quota, **given: Any) -> None:
        """`given`: `text`, `metadata`, `tags`, `ttl` and `expires_at` as callers pass them. Raises InputError if all
        are missing.
        """
        self._given = {name: value for name, value in given.items() if value is not None}
        self._longest, self._quota = longest, quota
        if not self._given:
            raise InputError("Nothing was given to change.", f"Give one of: {', '.join(given)}.")
        if {"ttl", "expires_at"} <= self._given.keys():
            expiry_of(self._given, "The update")  # refuses both

    def apply(self, store: Store, extractor: Extractor, searcher: Searcher, space: str, turn_id: str) -> Turn:
        """Change a turn of a space in one durable transaction and return it. Repeating the call changes nothing.

        Raises:
            NotFoundError: there is no such turn.
            InputError: it cannot be what it is to be.
            StoreError: one of its subclasses; nothing was changed.
        """
        for _ in range(ATTEMPTS):
            held = store.turns(space, [turn_id]).get(turn_id)
            before = store.versions(space, [turn_id]).get(turn_id, [])
            if held is None or not before:
                raise NotFoundError(f"There is no turn {turn_id!r} in the space {space!r}.", "Check the id.")
            if (held.text, held.expires_at) != (before[-1].text, before[-1].expires_at):
                continue  # changed between the two
            message = self._message(held, before[-1])
            wanted = replace(held, text=message.text, metadata=message.metadata, expires_at=message.expires_at)
            if state_row(wanted, "") == state_row(held, ""):  # compared as stored: true is not 1
                return held
            reading = NOTHING_READ
            if wanted.text != held.text:
                reading = read_changed(store, [held], [wanted], extractor, searcher)
            at = datetime.now(UTC)
            if store.change(TurnChange(wanted, message.content_hash, before[-1], at, reading, self._quota)):
                return wanted
        raise StoreBusyError(
            f"The turn {turn_id!r} was changed {ATTEMPTS} times by others while it was read.", "Try again."
        )

    def _message(self, held: Turn, before: TurnVersion) -> InputMessage:
        """The new message of the turn. Raises InputError if it is invalid."""
        given = self._given
        raw: dict[str, Any] = {"role": held.role, "name": held.speaker, "caption": held.caption}
        raw["content"] = given.get("text", held.text)
        raw["metadata"] = _metadata(held.metadata, given.get("metadata"), given.get("tags"))
        if given.get("tags"):
            raw["tags"] = given["tags"]
        lasting = given.get("expires_at") == NEVER
        if not lasting:
            raw |= {name: given[name] for name in ("ttl", "expires_at") if name in given}
        timed = before.content_hash == digest_of(held, timed=True)
        (message,) = parse_messages(raw, at=held.at, timed=timed, longest=self._longest, what="The update")
        if message.expires_at is not None and message.expires_at <= datetime.now(UTC):
            raise InputError(f"{message.expires_at.isoformat()} is past.", "Let it expire later, or forget the turn.")
        if not ({"ttl", "expires_at"} & given.keys()):
            message = replace(message, expires_at=held.expires_at)
        return message


def _metadata(held: Mapping[str, Any], given: Any, tags: object) -> Any:
    """The new metadata: given metadata replaces all but the tags, given tags replace the tags."""
    if given is None:
        return {key: value for key, value in held.items() if key != TAGS or tags is None}
    if not isinstance(given, Mapping) or TAGS in given or tags is not None or TAGS not in held:
        return given
    return {**given, TAGS: held[TAGS]}
