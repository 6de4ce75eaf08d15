"""Turns, rules and graphs as JSONL: a header line, then space by space one line a rule, some for the graph, and one a turn,
session by session in order.

A line holds all that makes up a turn's identity, so that importing gives every turn the id it had, and adding the
same conversation again still adds nothing. What is derived is not exported: importing rebuilds it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalmem.cancellation import with_checkpoints
from goalmem.errors import CorruptStoreError, FormatError, InputError, NotFoundError, ReadOnlyStoreError, RuleError
from goalmem.graph.imports import source_of
from goalmem.graph.protocol import Entry
from goalmem.graph.stored import entries_in, portions_of
from goalmem.io.chat_messages import InputMessage, expiry_of, parse_when
from goalmem.records import StatedRule, Turn, TurnVersion
from goalmem.store.metadata import parse_metadata

if TYPE_CHECKING:
    from goalmem.store import Store


FORMAT = 5
"""2: rules, 3: graphs, 4: metadata, 5: versions of changed turns. The lowest sufficient number is written, since
every goalmem reads 1.
"""
NOTED, GRAPHS, RULED, PLAIN = 4, 3, 2, 1
PORTION = 128
"""Turns imported in one transaction."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Consecutive turns of one session, as read from an export."""

    space: str
    session: str
    at: datetime
    messages: tuple[tuple[int, InputMessage], ...]
    """With the place each had in the call that first brought it."""


@dataclass(frozen=True, slots=True)
class RulePortion:
    """Sentences that state rules, of one space."""

    space: str
    rules: tuple[StatedRule, ...]


@dataclass(frozen=True, slots=True)
class GraphPortion:
    """Part of the graph of one space."""

    space: str
    entries: tuple[Entry, ...]
    name: str
    """Location in the file."""


def export(store: Store, target: Path, spaces: Sequence[str] | None) -> int:
    """Write the turns of these spaces (None: all) to `target`, replacing it only when complete."""
    held = store.spaces()
    for space in spaces or ():
        if space not in held:
            raise NotFoundError(
                f"There is no space {space!r} to export.", f"The store holds: {', '.join(held) or '—'}."
            )
    part = target.with_name(target.name + ".part")
    count = 0
    try:
        with part.open("w", encoding="utf-8", newline="\n") as out:
            out.write(json.dumps({"goalmem": format_of(store, spaces or held)}) + "\n")
            for space in spaces or held:
                for rule in store.rules(space):
                    out.write(json.dumps(line_of_rule(space, rule), ensure_ascii=False) + "\n")
                for portion in (
                    with_checkpoints(portions_of(store.graphs, space)) if store.graphs.version(space) else ()
                ):
                    out.write(json.dumps({"space": space, **portion}, ensure_ascii=False) + "\n")
                for line in with_checkpoints(lines_of(store, space)):
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")
                    count += 1
            out.flush()
            os.fsync(out.fileno())
        part.replace(target)
    except OSError as error:
        raise ReadOnlyStoreError(
            f"The export could not be written to {target}: {error}.", "Choose another place."
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return count


def format_of(store: Store, spaces: Sequence[str]) -> int:
    """The oldest format that can represent these spaces."""
    if any(map(store.versions, spaces)):
        return FORMAT
    if any(map(store.noted, spaces)):
        return NOTED
    if any(store.graphs.counts(space).triples for space in spaces):
        return GRAPHS
    return RULED if any(store.rules_version(space) and store.rules(space) for space in spaces) else PLAIN


def lines_of(store: Store, space: str) -> Iterator[dict[str, Any]]:
    """One dict per turn, with sessions in order of time."""
    for session, at, _ in store.sessions(space):
        turns, known, versions = store.whole_session(space, session)
        places = places_of(known)
        for turn in turns:
            place = call_position(places[turn.id], turn)
            *before, now = versions[turn.id]
            line = {
                "space": space,
                "session": session,
                "session_at": at.isoformat(),
                "role": turn.role,
                "speaker": turn.speaker,
                "text": turn.text,
                "at": turn.at.isoformat(),
                "hash": now.content_hash,
                "place": place,
            }
            expires = turn.expires_at.isoformat() if turn.expires_at is not None else ""
            optional = {
                "caption": turn.caption,
                "id": turn.external_id,
                "metadata": turn.metadata,
                "expires_at": expires,
                "versions": [line_of_version(version) for version in before],
            }
            yield line | {k: v for k, v in optional.items() if v}


def line_of_version(version: TurnVersion) -> dict[str, Any]:
    """One dict for an earlier version of a turn."""
    times = {"expires_at": version.expires_at, "until": version.until}
    written = {name: at.isoformat() for name, at in times.items() if at is not None}
    noted = {"metadata": version.metadata} if version.metadata else {}
    return {"text": version.text, "hash": version.content_hash, **noted, **written}


def versions_of(record: Mapping[str, Any], where: str) -> tuple[TurnVersion, ...]:
    """Earlier versions of a line's turn. Raises FormatError, InputError."""
    written = record.get("versions", [])
    if not isinstance(written, list) or not all(
        isinstance(one, dict) and isinstance(one.get("text"), str) and isinstance(one.get("hash"), str) and one["hash"]
        for one in written
    ):
        raise FormatError(f"{where}: its versions are damaged.", "Pass a file that export wrote.")
    return tuple(
        TurnVersion(
            one["text"], parse_metadata(one.get("metadata"), where), expiry_of({"expires_at": one.get("expires_at")}, where),
            one["hash"], parse_when(one.get("until", ""), where),
        )
        for one in written
    )  # fmt: skip


def line_of_rule(space: str, rule: StatedRule) -> dict[str, Any]:
    """One dict for a rule. Raises CorruptStoreError if its stored reading is invalid."""
    try:
        clauses = json.loads(rule.clauses)
    except ValueError as error:
        raise CorruptStoreError(
            f"The rule {rule.id} is kept with a reading that cannot be used: {error}.",
            "Remove it and add the sentence again.",
        ) from error
    reading = {"clauses": clauses, "world": rule.world, "reader": rule.reader}
    return {"space": space, "rule": rule.id, "text": rule.text, **reading}


def places_of(known: Mapping[str, str]) -> dict[str, set[int]]:
    """Turn id -> every place it is known by."""
    found: dict[str, set[int]] = {}
    for key, turn_id in known.items():
        if key.startswith("at:"):
            found.setdefault(turn_id, set()).add(int(key.rpartition(":")[2]))
    return found


def call_position(places: Collection[int], turn: Turn) -> int:
    """The place in the call; where it is one with the stored position only that one is known."""
    return next((p for p in sorted(places) if p != turn.position), turn.position)


def portions(origin: Path) -> Iterator[Portion | RulePortion | GraphPortion]:
    """Read an export back in portions. Raises FormatError with the line."""
    held: list[tuple[int, InputMessage]] = []
    head: tuple[str, str, datetime] | None = None
    number = 0
    try:
        with origin.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                record = record_of(line, number, origin)
                if number == 1:
                    check_header(record, origin)
                    continue
                if "rule" in record:
                    yield rule_of(record, number, origin)
                    continue
                if "triples" in record:
                    yield graph_of(record, number, origin)
                    continue
                here, message = message_of(record, number, origin)
                if head is not None and held and (here != head or len(held) == PORTION):
                    yield Portion(*head, tuple(held))
                    held = []
                head = here
                held.append(message)
    except UnicodeDecodeError as error:
        raise FormatError(f"{origin} is not UTF-8 text: {error}.", "Pass a file that export wrote.") from error
    except OSError as error:
        raise FormatError(f"{origin} cannot be read: {error}.", "Check the path.") from error
    if number == 0:
        raise FormatError(f"{origin} is empty.", "Pass a file that export wrote.")
    if held and head is not None:
        yield Portion(*head, tuple(held))


def record_of(line: str, number: int, origin: Path) -> dict[str, Any]:
    """A line's JSON object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"{origin}, line {number}: not JSON ({error}).",
            "The lines before it were imported; repair the line and import again.",
        ) from error
    if not isinstance(record, dict):
        raise FormatError(f"{origin}, line {number}: not a JSON object.", "Pass a file that export wrote.")
    return record


def check_header(record: Mapping[str, Any], origin: Path) -> None:
    """The first line names the format and its version."""
    version = record.get("goalmem")
    if not isinstance(version, int):
        raise FormatError(
            f"{origin}, line 1: not an export of goalmem.", "For other conversation files use `goalmem add`."
        )
    if version > FORMAT:
        raise FormatError(f"{origin} has format {version}; this goalmem reads up to {FORMAT}.", "Upgrade goalmem.")


def rule_of(record: Mapping[str, Any], number: int, origin: Path) -> RulePortion:
    """A line's rule, checked to be one."""
    from goalmem.rules.stored import sentence_from

    texts = {n: record.get(n) for n in ("space", "rule", "text", "world", "reader")}
    told = {n: v for n, v in texts.items() if isinstance(v, str)}
    try:
        if len(told) < len(texts):
            raise RuleError("A field is missing or of the wrong type.", "")
        clauses = json.dumps(record.get("clauses"), ensure_ascii=False, separators=(",", ":"))
        row = sentence_from(StatedRule(told["rule"], told["text"], clauses, told["world"], told["reader"])).row
    except RuleError as error:
        raise FormatError(f"{origin}, line {number}: {error.problem}", "Pass a file that export wrote.") from error
    return RulePortion(told["space"], (row,))


def graph_of(record: Mapping[str, Any], number: int, origin: Path) -> GraphPortion:
    """A line's part of a graph, checked to be one."""
    try:
        entries = tuple(entries_in(record))
        if not isinstance(record.get("space"), str):
            raise InputError("It names no space.", "")
        source_of(entries, "it")
    except InputError as error:
        raise FormatError(f"{origin}, line {number}: {error.problem}", "Pass a file that export wrote.") from error
    return GraphPortion(record["space"], entries, f"{origin.name}, line {number}")


def message_of(
    record: Mapping[str, Any], number: int, origin: Path
) -> tuple[tuple[str, str, datetime], tuple[int, InputMessage]]:
    """Space and session of a line's turn, and the turn as a message with its position."""
    where = f"{origin}, line {number}"
    texts = {n: record.get(n, "") for n in ("space", "session", "role", "speaker", "text", "caption", "id", "hash")}
    place = record.get("place")
    if not all(isinstance(v, str) for v in texts.values()) or not isinstance(place, int) or not texts["hash"]:
        raise FormatError(f"{where}: a field is missing or of the wrong type.", "Pass a file that export wrote.")
    at = parse_when(record.get("at", ""), where)
    session_at = parse_when(record.get("session_at", ""), where)
    message = InputMessage(
        texts["role"], texts["speaker"], texts["text"], texts["caption"], texts["id"], at, texts["hash"], repaired=False,
        metadata=parse_metadata(record.get("metadata"), where), expires_at=expiry_of(record, where), versions=versions_of(record, where),
    )  # fmt: skip
    return (texts["space"], texts["session"], session_at), (place, message)
