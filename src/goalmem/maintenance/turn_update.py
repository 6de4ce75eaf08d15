"""A turn that is changed: what it says from now on is read again, with the turns behind it that may rest on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from goalmem.errors import InputError, NotFoundError, StoreBusyError
from goalmem.io.chat_messages import Message, digest_of, expiry_of, parse_messages
from goalmem.maintenance.rereading import ATTEMPTS, read_changed
from goalmem.records import Turn, TurnVersion
from goalmem.store.metadata import TAGS
from goalmem.store.protocol import NOTHING_READ, Change, Quota
from goalmem.store.versions import state_row

if TYPE_CHECKING:
    from goalmem.language import Extractor
    from goalmem.retrieve.search import Searcher
    from goalmem.store import Store

__all__ = ["NEVER", "TurnUpdate"]

NEVER = "never"
"""As `expires_at`: the turn expires no more."""


class TurnUpdate:
    """What is to change of turns; None is left as it is."""

    def __init__(self, longest: int, quota: Quota, **given: Any) -> None:
        """`given`: `text`, `metadata`, `tags`, `ttl` and `expires_at` as callers pass them. Raises InputError where nothing is given."""
        self._given = {name: value for name, value in given.items() if value is not None}
        self._longest, self._quota = longest, quota
        if not self._given:
            raise InputError("Nothing was given to change.", f"Give one of: {', '.join(given)}.")
        if {"ttl", "expires_at"} <= self._given.keys():
            expiry_of(self._given, "The update")  # refuses both

    def apply(self, store: Store, extractor: Extractor, searcher: Searcher, space: str, turn_id: str) -> Turn:
        """Change a turn of a space, durably and whole; the turn as it is then. The same again changes nothing.

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
            if state_row(wanted, "") == state_row(held, ""):  # as they are kept: true is not 1
                return held
            reading = NOTHING_READ
            if wanted.text != held.text:
                reading = read_changed(store, [held], [wanted], extractor, searcher)
            at = datetime.now(UTC)
            if store.change(Change(wanted, message.content_hash, before[-1], at, reading, self._quota)):
                return wanted
        raise StoreBusyError(
            f"The turn {turn_id!r} was changed {ATTEMPTS} times by others while it was read.", "Try again."
        )

    def _message(self, held: Turn, before: TurnVersion) -> Message:
        """The message that the turn is to be. Raises InputError where that is none."""
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
        (message,) = parse_messages(raw, at=held.at, timed=timed, longest=self._longest)
        if message.expires_at is not None and message.expires_at <= datetime.now(UTC):
            raise InputError(f"{message.expires_at.isoformat()} is past.", "Let it expire later, or forget the turn.")
        if not ({"ttl", "expires_at"} & given.keys()):
            message = replace(message, expires_at=held.expires_at)
        return message


def _metadata(held: Mapping[str, Any], given: Any, tags: object) -> Any:
    """The metadata without the tags that are given: what is given takes the place of all but the tags, which are given by themselves."""
    if given is None:
        return {key: value for key, value in held.items() if key != TAGS or tags is None}
    if not isinstance(given, Mapping) or TAGS in given or tags is not None or TAGS not in held:
        return given
    return {**given, TAGS: held[TAGS]}
