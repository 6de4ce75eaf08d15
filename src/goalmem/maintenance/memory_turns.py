"""Adding, forgetting and exporting turns of a memory.

New messages are separated from known ones, analysed, embedded, and stored in one transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from goalmem.cancellation import checkpoint, with_checks_of_caller
from goalmem.errors import ConflictError, InputError, NotFoundError
from goalmem.graph.imports import import_graph, source_of
from goalmem.io.arguments import check_forgotten
from goalmem.io.chat_messages import InputMessage, check_id
from goalmem.io.documents.addition import DocumentSpace
from goalmem.io.portable import GraphPortion, Portion, RulePortion
from goalmem.language import TurnContext
from goalmem.maintenance.memory_parts import MemoryParts, with_current_embedder
from goalmem.maintenance.reanalysis import ATTEMPTS, forget_all, forget_turns
from goalmem.records import Turn, TurnVersion
from goalmem.store import Batch, Forgotten, NewTurn
from goalmem.store.metadata import parse_where
from goalmem.store.protocol import OutdatedReadingError, ReadingContext

CONTEXT_TURNS = 6
"""Earlier turns of the session that extraction may look back on for pronouns and answered questions."""
Placed = Sequence[tuple[int, InputMessage]]
"""Messages, each with its place in the call."""
Fresh = Sequence[tuple[str, int, InputMessage]]
"""Messages that are not stored yet, each with the id of its turn and its place in the call."""


@with_current_embedder
def store_messages(
    parts: MemoryParts, placed: Placed, space: str, session: str, at: datetime | None = None
) -> tuple[list[str], int, tuple[str, ...]]:
    """Store those messages that are not there yet; every turn id in order, how many were new, and which of these are over the
    budget of analysis.
    """
    placed = _captioned(parts, placed, space, session)
    if parts.foreign is not None:
        ids, fresh = _tell_new(parts, placed, {}, space, session)
        return ids, parts.foreign.add(fresh, space, session), ()
    # Calls for one space are serialised, so that its turns keep their order; other spaces continue meanwhile.
    with parts.changing.of(space):
        known = parts.store.known(space, session)
        ids, fresh = _tell_new(parts, placed, known, space, session)
        new, unanalysed = _remember(parts, fresh, space, session, at or fresh[0][2].at) if fresh else (0, ())
    return ids, new, unanalysed


def document_space(parts: MemoryParts, space: str) -> DocumentSpace:
    """A space as files are added to it."""

    def keep(placed: Placed, session: str) -> int:
        """A piece is identified by its text: its headings and page may differ in a later version of the file."""
        known = parts.store.known(space, session)
        fresh = [(place, piece) for place, piece in placed if f"id:{piece.external_id}" not in known]
        return store_messages(parts, fresh, space, session)[1] if fresh else 0

    return DocumentSpace(parts.store, parts.current(space), keep, lambda turn: forget(parts, space, turn=turn))


def import_portions(
    parts: MemoryParts, portions: Iterable[Portion | RulePortion | GraphPortion], space: str | None
) -> int:
    """Store an export, all of it in `space` if given; returns the number of new turns."""
    new = 0
    for portion in portions:
        into = space or portion.space
        if isinstance(portion, RulePortion):
            parts.store.add_rules(into, portion.rules)
        elif isinstance(portion, GraphPortion):
            import_graph(parts.store.graphs, into, source_of(portion.entries, portion.name))
        else:
            now = datetime.now(UTC)
            alive = [(n, m) for n, m in portion.messages if m.expires_at is None or m.expires_at > now]
            new += store_messages(parts, alive, into, portion.session, portion.at)[1]
    return new


@with_current_embedder
def forget(
    parts: MemoryParts,
    space: str,
    *,
    turn: str | None = None,
    session: str | None = None,
    where: Mapping[str, Any] | None = None,
    everything: bool = False,
    dry_run: bool = False,
) -> Forgotten:
    """Implements `Memory.forget`, with its errors."""
    parts.check_ours("Nothing can be forgotten")
    check_forgotten(turn, session, where, everything)
    if turn is not None:
        check_id(turn, "The id of the turn")
    conditions, held = parse_where(where), parts.current(space)
    if where is not None and not conditions:
        raise InputError("The filter has no condition.", "Name the session, or `everything`, to forget all of it.")
    if dry_run:
        gone = parts.store.forget(held, turn=turn, session=session, where=conditions, dry_run=True)
    else:
        lock = partial(parts.changing.of, held)
        with parts.removal(held):
            if everything:
                gone = forget_all(parts.store, held, lock)
            else:
                store, searcher = parts.encoding
                gone = forget_turns(store, parts.extractor, searcher, held, turn, session, conditions, lock)
    if not (conditions or gone.turns or gone.rules or gone.triples):
        what = f"turn {turn!r}" if turn else f"session {session!r}" if session else "turn"
        raise NotFoundError(f"There is no {what} in the space {space!r}; nothing was forgotten.", "Check the name.")
    return gone


def refuse_expired(messages: Sequence[InputMessage]) -> None:
    """Refuse turns that have already expired: they would be forgotten immediately."""
    now = datetime.now(UTC)
    for message in messages:
        if message.expires_at is not None and message.expires_at <= now:
            raise InputError(
                f"A message expired at {message.expires_at.isoformat()}.", "Leave it out, or let it expire later."
            )


def turn_identity(space: str, session: str, key: str) -> str:
    """A turn's id: the same for the same message in the same session and space, on any machine."""
    return "t" + hashlib.blake2b("\x1f".join((space, session, key)).encode(), digest_size=12).hexdigest()


def _captioned(parts: MemoryParts, placed: Placed, space: str, session: str) -> Placed:
    """Messages with captions for pictures that lack one, written by the chat model; known messages keep theirs."""
    if not any(message.pictures for _, message in placed):
        return placed
    from goalmem.models.chat_prompts import caption_of

    known = parts.store.known(space, session) if parts.foreign is None else {}
    held = parts.store.turns(space, set(known.values())) if known else {}
    captioned = []
    for place, message in placed:
        if message.pictures:
            turn = held.get(known.get(_key_of(message, place), ""))
            said = turn.caption if turn else caption_of(parts.chat_model, message.pictures)
            caption = said if turn else "; ".join(filter(None, (message.caption, said)))
            message = replace(message, caption=caption, pictures=())
        captioned.append((place, message))
    return captioned


def _tell_new(
    parts: MemoryParts, placed: Placed, known: Mapping[str, str], space: str, session: str
) -> tuple[list[str], Fresh]:
    """The turn id of every message, and those not stored yet with their place in the call."""
    ids: list[str] = []
    fresh: dict[str, tuple[str, int, InputMessage]] = {}
    held: dict[str, Turn] = {}
    for place, message in placed:
        key = _key_of(message, place)
        turn_id = known.get(key)
        if turn_id is None:
            turn_id = turn_identity(space, session, key)
            fresh.setdefault(turn_id, (turn_id, place, message))
        elif message.external_id or message.metadata:
            held = held or parts.store.turns(space, known.values())
            _refuse_changed(held.get(turn_id), message, lambda turn: parts.store.versions(space, [turn])[turn])
        ids.append(turn_id)
    return ids, list(fresh.values())


def _remember(parts: MemoryParts, fresh: Fresh, space: str, session: str, at: datetime) -> tuple[int, tuple[str, ...]]:
    """Derive everything from new turns and store both in one transaction; returns how many were new and which exceed
    the analysis budget. If another writer changes what they depend on, they are analysed again.
    """
    for _ in range(ATTEMPTS - 1):
        with suppress(OutdatedReadingError):
            return _remember_as_known(parts, fresh, space, session, at)
    return _remember_as_known(parts, fresh, space, session, at)


def _remember_as_known(
    parts: MemoryParts, fresh: Fresh, space: str, session: str, at: datetime
) -> tuple[int, tuple[str, ...]]:
    """See `_remember`. Raises OutdatedReadingError."""
    store, searcher = parts.encoding
    epoch, _ = store.version(space)
    previous = store.session_turns(space, session, first=-CONTEXT_TURNS)
    first = previous[-1].position + 1 if previous else 0
    kept_until = datetime.now(UTC) + timedelta(seconds=lasting) if (lasting := parts.settings.retention) else None
    turns = [
        Turn(
            i, space, session, first + n, m.speaker, m.role, m.text, m.at, m.caption, m.external_id,
            metadata=m.metadata, expires_at=m.expires_at or kept_until,
        )
        for n, (i, _, m) in enumerate(fresh)
    ]  # fmt: skip
    speakers = tuple(dict.fromkeys(t.speaker for t in (*previous, *turns)))
    aliases = store.aliases(space)
    context = TurnContext(tuple(previous), aliases, speakers)
    with ThreadPoolExecutor(1, thread_name_prefix="goalmem-embed") as pool:
        encoding = pool.submit(with_checks_of_caller(lambda: searcher.encode(turns)))
        extractions = parts.extractor.extract(turns, context)
        # Before the vectors are waited for: they take longest.
        features = [searcher.features(t, e) for t, e in zip(turns, extractions, strict=True)]
        encoded = encoding.result()
    rows = [
        NewTurn(turn, place, message.content_hash, extraction, vector, terms, own, message.versions)
        for turn, (_, place, message), extraction, own, (vector, terms) in zip(
            turns, fresh, extractions, features, encoded, strict=True
        )
    ]
    unanalysed = tuple(e.turn for e in extractions if not e.whole)
    with parts.writing:
        checkpoint()
        known = ReadingContext(epoch, {turn.id: turn.text for turn in previous}, aliases)
        return len(store.add(Batch(space, session, at, rows, parts.quota, known))), unanalysed


def _key_of(message: InputMessage, place: int) -> str:
    """The key that identifies a message in its session: its id, or else its content and place."""
    return f"id:{message.external_id}" if message.external_id else f"at:{message.first_hash}:{place}"


def _refuse_changed(held: Turn | None, message: InputMessage, versions: Callable[[str], Sequence[TurnVersion]]) -> None:
    """A message that is known must come with content that it has or had, and with the metadata, where it has any."""
    if held and (held.text != message.text or (message.metadata and held.metadata != message.metadata)):
        of_text = [version for version in versions(held.id) if version.text == message.text]
        if any(not message.metadata or version.metadata == message.metadata for version in of_text):
            held = replace(held, text=message.text, metadata=message.metadata)
    if held and message.metadata and held.metadata != message.metadata:
        raise ConflictError(
            f"The message {message.external_id or message.text[:40]!r} is known in this session with other metadata.",
            f"Forget turn {held.id} first, or add the message as it was.",
        )
    if held and (held.text, held.caption, held.speaker) != (message.text, message.caption, message.speaker):
        raise ConflictError(
            f"The message id {message.external_id!r} is known in this session with other content.",
            f"Forget turn {held.id} first, or give the changed message an id of its own.",
        )
