"""The methods of a memory as requests to a server, with the parsing of their responses.

Every function has the name and the parameters of a method of `Memory`; `Client` and `AsyncClient` send what it gives.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from goalmem.answer import Answer, Context, Estimate, Page, Previous, ReasonerChoice, Receipt, WhyNot, proof_of
from goalmem.client.call import ServerCall, got, listed, nothing, posted, quoted, removed, uploaded
from goalmem.errors import InputError
from goalmem.io.arguments import check_forgotten
from goalmem.io.chat_messages import When
from goalmem.memory import MAX_TOKENS
from goalmem.proof.check import Verification
from goalmem.proof.document import Proof
from goalmem.records import Fact, HistoryEntry, Hit, Profile, ProfileStatement, Turn, TurnVersion
from goalmem.schema import rows
from goalmem.store.protocol import Forgotten, Stats

if TYPE_CHECKING:
    from goalmem.rules.program import World
    from goalmem.rules.stored import RuleReport, Sentence
    from goalmem.rules.terms import RuleReader

T = TypeVar("T")


def add(
    messages: Sequence[Mapping[str, Any]] | Mapping[str, Any] | str,
    *,
    space: str | None = None,
    session: str = "default",
    at: When | None = None,
) -> ServerCall[Receipt]:
    """Remember messages of one session, as `Memory.add`: all of the call is stored, durably, or nothing."""
    body = {"messages": messages, "session": session, "at": at}
    return posted("/v1/messages", body, partial(rows.record, Receipt), space, writes=True)


def search(
    query: str,
    *,
    space: str | None = None,
    k: int = 10,
    at: When | None = None,
    sessions: Sequence[str] | None = None,
    speakers: Sequence[str] | None = None,
    roles: Sequence[str] | None = None,
    kinds: Sequence[str] | None = None,
    after: When | None = None,
    before: When | None = None,
    without: Sequence[str] = (),
    speaker: str | None = None,
    where: Mapping[str, Any] | None = None,
) -> ServerCall[list[Hit]]:
    """The `k` turns that say most about the query, best first, as `Memory.search`."""
    body: dict[str, Any] = {"query": query, "k": k, "at": at, "after": after, "before": before, "speaker": speaker}
    body["where"] = where
    names = {"sessions": sessions, "speakers": speakers, "roles": roles, "kinds": kinds, "without": without or None}
    body |= {key: list(value) for key, value in names.items() if value is not None}
    return posted("/v1/search", body, rows.hits, space, placed=True)


def recall(
    question: str,
    *,
    space: str | None = None,
    k: int = 20,
    at: When | None = None,
    goals: bool = True,
    reasoner: ReasonerChoice | None = None,
    speaker: str | None = None,
    where: Mapping[str, Any] | None = None,
) -> ServerCall[list[Hit]]:
    """The `k` turns that reasoning towards the question ranks first, as `Memory.recall`."""
    body: dict[str, Any] = {"query": question, "k": k, "at": at, "goals": goals, "reasoner": reasoner}
    body |= {"speaker": speaker, "where": where}
    return posted("/v1/recall", body, rows.hits, space, placed=True)


def ask(
    question: str,
    *,
    space: str | None = None,
    at: When | None = None,
    goals: bool = True,
    reasoner: ReasonerChoice | None = None,
    assume: bool = True,
    speaker: str | None = None,
    where: Mapping[str, Any] | None = None,
    previous: Previous | None = None,
) -> ServerCall[Answer]:
    """An answer with its proof, or "I don't know" with what is missing, as `Memory.ask`."""
    body: dict[str, Any] = {"question": question, "at": at, "goals": goals, "reasoner": reasoner}
    body |= {"assume": assume, "speaker": speaker, "where": where, "previous": exchange_row(previous)}
    return posted("/v1/ask", body, rows.answer, space)


def exchange_row(previous: Previous | None) -> list[str] | None:
    """The question before, with its answer where it has one."""
    if isinstance(previous, Answer):
        return [previous.question, *([previous.text] if previous.known else [])]
    return [previous] if isinstance(previous, str) else list(previous) if previous is not None else None


def estimate(
    question: str,
    *,
    space: str | None = None,
    goals: bool = True,
    reasoner: ReasonerChoice | None = None,
) -> ServerCall[Estimate]:
    """What a question may cost with a chat model."""
    body = {"question": question, "goals": goals, "reasoner": reasoner, "dry_run": True}
    return posted("/v1/ask", body, partial(rows.record, Estimate), space)


def context(
    utterance: str,
    *,
    space: str | None = None,
    max_tokens: int = MAX_TOKENS,
    at: When | None = None,
    count: Callable[[str], int] | None = None,
    speaker: str | None = None,
    where: Mapping[str, Any] | None = None,
    previous: Previous | None = None,
) -> ServerCall[Context]:
    """What memory has to say to any utterance, as `Memory.context`; tokens are counted by the server."""
    if count is not None:
        raise InputError("A server counts tokens with its own tokenizer.", "Leave `count` out, or open a Memory.")
    body: dict[str, Any] = {"utterance": utterance, "max_tokens": max_tokens, "at": at, "speaker": speaker}
    body |= {"where": where, "previous": exchange_row(previous)}
    return posted("/v1/context", body, partial(rows.record, Context), space)


def why_not(
    question: str,
    *,
    space: str | None = None,
    at: When | None = None,
    speaker: str | None = None,
    where: Mapping[str, Any] | None = None,
) -> ServerCall[WhyNot]:
    """Why a question has no answer, as `Memory.why_not`."""
    body = {"question": question, "at": at, "speaker": speaker, "where": where}
    return posted("/v1/why-not", body, rows.why_not, space)


def verify(proof: Proof | Answer | str, *, space: str | None = None) -> ServerCall[Verification]:
    """Check a proof again against what the server's store holds now, as `Memory.verify`."""
    given = proof_of(proof)
    body = {"proof": given.model_dump(mode="json", exclude_defaults=True)}
    return posted("/v1/verify", body, rows.verification, space or given.space)


def history(about: str, *, space: str | None = None) -> ServerCall[list[HistoryEntry]]:
    """What was said about something over time, oldest first, as `Memory.history`."""
    return listed("/v1/history", rows.history_entry, space, placed=True, about=about)


def profile(
    who: str | None = None, *, space: str | None = None, at: When | None = None, limit: int = 50
) -> ServerCall[Profile]:
    """What is known of somebody now, as `Memory.profile`."""
    moment = None if at is None else str(at)
    return got("/v1/profile", partial(rows.record, Profile), space, who=who, at=moment, limit=str(limit))


def turn(turn_id: str, *, space: str | None = None) -> ServerCall[Turn]:
    """One turn, verbatim, as `Memory.turn`. Raises NotFoundError."""
    return got(f"/v1/turns/{quoted(turn_id)}", partial(rows.record, Turn), space, placed=True)


get = turn


def update(
    turn_id: str,
    *,
    text: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    tags: Sequence[str] | None = None,
    ttl: float | timedelta | None = None,
    expires_at: When | None = None,
    space: str | None = None,
) -> ServerCall[Turn]:
    """Change what a turn says, or what is noted about it, as `Memory.update`; the turn as it is then."""
    seconds = ttl.total_seconds() if isinstance(ttl, timedelta) else ttl
    body = {"text": text, "metadata": metadata, "tags": tags, "ttl": seconds, "expires_at": expires_at}
    call = posted(f"/v1/turns/{quoted(turn_id)}", body, partial(rows.record, Turn), space, writes=True, placed=True)
    return replace(call, method="PATCH")


def versions(turn_id: str, *, space: str | None = None) -> ServerCall[list[TurnVersion]]:
    """What a turn was, oldest first; the last is what it is now, as `Memory.versions`."""
    return got(f"/v1/turns/{quoted(turn_id)}/history", _items(TurnVersion), space)


def get_all(
    *,
    space: str | None = None,
    where: Mapping[str, Any] | None = None,
    session: str | None = None,
    limit: int = 100,
    cursor: str | None = None,
) -> ServerCall[Page]:
    """Turns in the order stored, page by page, as `Memory.get_all`."""
    asked = {"where": json.dumps(where) if where else None, "session": session, "cursor": cursor, "limit": str(limit)}
    return got("/v1/turns", _page, space, placed=True, **asked)


def turns(session: str, *, space: str | None = None) -> ServerCall[list[Turn]]:
    """A conversation's turns, in order."""
    return listed("/v1/turns", partial(rows.record, Turn), space, placed=True, session=session)


def facts(about: str | None = None, *, turn: str | None = None, space: str | None = None) -> ServerCall[list[Fact]]:
    """Facts about an entity, or of a turn, or both; with neither, all of the space."""
    return listed("/v1/facts", partial(rows.record, Fact), space, placed=True, about=about, turn=turn)


def statements(turn_id: str, *, space: str | None = None) -> ServerCall[list[ProfileStatement]]:
    """Sentences that were read out of a turn, and that it was judged to say. Raises NotFoundError where it is not there."""
    return got(f"/v1/turns/{quoted(turn_id)}/statements", _items(ProfileStatement), space)


@dataclass(frozen=True, slots=True)
class MentionedEntity:
    """Who or what is spoken of."""

    entity: str
    type: str
    mentions: int


def entities(q: str = "", *, space: str | None = None) -> ServerCall[list[MentionedEntity]]:
    """Who and what is spoken of, by name; with `q` only names that hold this."""
    return listed("/v1/entities", partial(rows.record, MentionedEntity), space, placed=True, q=q or None)


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """What a fact, or an imported triple, states between two entities."""

    subject: str
    relation: str
    object: str
    turn: str
    """Id of the turn; empty for a triple that was imported, as `fact`."""
    fact: str
    text: str = ""
    """With `stated`: the sentence that the turn was judged to say."""


def edges(
    around: str | None = None,
    *,
    space: str | None = None,
    source: Literal["memory", "imported"] = "memory",
    stated: bool = False,
    limit: int = 200,
) -> ServerCall[list[GraphEdge]]:
    """Edges around an entity, or around those that are mentioned most; `stated`: only what turns were judged to say."""
    query = {"around": around, "source": source, "stated": "true" if stated else None, "limit": str(limit)}
    return got("/v1/graph", _edges, space, placed=True, **query)


def _edges(document: Mapping[str, Any], space: str) -> list[GraphEdge]:
    return [rows.record(GraphEdge, {"turn": "", "fact": "", **row}, space) for row in document["edges"]]


def forget(
    *,
    turn: str | None = None,
    session: str | None = None,
    space: str | None = None,
    where: Mapping[str, Any] | None = None,
    everything: bool = False,
    dry_run: bool = False,
) -> ServerCall[Forgotten]:
    """Remove a turn, a session, turns that meet conditions, or `everything` of the space, as `Memory.forget`."""
    check_forgotten(turn, session, where, everything)
    body: dict[str, Any] = {"turn": turn, "session": session, "everything": everything or None}
    body |= {"where": where, "preview": dry_run or None}
    return posted("/v1/forget", body, partial(rows.record, Forgotten), space, writes=True)


def purge(*, space: str | None = None) -> ServerCall[int]:
    """Remove what has expired by now; how many turns that were, as `Memory.purge`."""
    return uploaded("/v1/purge", lambda row, _: int(row["turns"]), space)


def add_rules(
    text: str,
    *,
    space: str | None = None,
    world: World = "closed",
    reader: str | RuleReader = "grammar",
    partial: bool = False,
) -> ServerCall[RuleReport]:
    """Keep rules and facts stated in plain language, as `Memory.add_rules`; `reader` is one of the server's, by name."""
    if not isinstance(reader, str):
        raise InputError("A server reads rules with readers of its own.", "Name one: grammar, learned or chat.")
    body = {"text": text, "world": world, "reader": reader, "partial": partial}
    return posted("/v1/rules", body, rows.report, space, writes=True)


def rules(*, space: str | None = None) -> ServerCall[list[Sentence]]:
    """Every sentence that states rules or facts, as `Memory.rules`."""
    return listed("/v1/rules", rows.sentence, space)


def remove_rule(rule: str, *, space: str | None = None) -> ServerCall[None]:
    """Remove a sentence. Raises NotFoundError where it is not there."""
    return removed(f"/v1/rules/{quoted(rule)}", nothing, space)


def remove_graph(*, space: str | None = None) -> ServerCall[int]:
    """Remove the imported graph of a space, as `Memory.remove_graph`; returns how many triples it had."""
    return removed("/v1/graph", lambda row, _: int(row["triples"]), space)


def stats(*, space: str | None = None) -> ServerCall[Stats]:
    """Counts for a space, and the size of the store."""
    return got("/v1/stats", _stats, space)


def spaces() -> ServerCall[list[str]]:
    """Every space that holds something and that the key is for."""
    return listed("/v1/spaces", lambda row, _: str(row), None)


def sessions(*, space: str | None = None) -> ServerCall[list[tuple[str, datetime, int]]]:
    """Every session of a space: id, time, number of turns, in order of time."""
    return listed("/v1/sessions", _session, space)


def _stats(row: Mapping[str, Any], space: str) -> Stats:
    """The size of the store is only reported to keys for all spaces; otherwise it is 0."""
    return rows.record(Stats, {**row, "bytes": row["bytes"] or 0}, space)


def _items(kind: type[T]) -> Callable[[Mapping[str, Any], str], list[T]]:
    """Reads a list that comes whole."""
    return lambda document, space: [rows.record(kind, row, space) for row in document["items"]]


def _session(row: Mapping[str, Any], space: str) -> tuple[str, datetime, int]:
    del space
    return str(row["session"]), rows.record(datetime, row["at"]), int(row["turns"])


def _page(row: Mapping[str, Any], space: str) -> Page:
    return Page([rows.record(Turn, turn, space) for turn in row["items"]], row["next"])


@dataclass(frozen=True, slots=True)
class Key:
    """A key, without its secret."""

    id: str
    name: str
    scope: Literal["read", "write", "admin"]
    spaces: list[str]
    created: datetime
    expires: datetime | None
    revoked: datetime | None
    valid: bool


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key with its secret text, which the server returns once and does not store."""

    key: Key
    text: str


def keys() -> ServerCall[list[Key]]:
    """Every key for spaces that one's own is for, the oldest first."""
    return got("/v1/keys", _items(Key), None)


def add_key(
    name: str,
    scope: Literal["read", "write", "admin"],
    *,
    spaces: Sequence[str] | None = None,
    expires: When | None = None,
) -> ServerCall[NewKey]:
    """Make a key, by default for the spaces that one's own is for; from the first on every call needs one."""
    body = {"name": name, "scope": scope, "spaces": None if spaces is None else list(spaces), "expires": expires}
    return replace(posted("/v1/keys", body, partial(rows.record, NewKey), None), repeats=False)


def revoke_key(key_id: str) -> ServerCall[Key]:
    """Revoke a key permanently. Raises NotFoundError if it does not exist."""
    return removed(f"/v1/keys/{quoted(key_id)}", partial(rows.record, Key), None, writes=False)
