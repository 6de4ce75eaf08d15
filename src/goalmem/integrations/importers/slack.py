"""Slack's export: users, channels, and one file of messages per day and channel."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from goalmem.integrations.importers.json_stream import elements
from goalmem.integrations.importers.portions import attached, moment, portions, said
from goalmem.integrations.importers.protocol import Chat, Export, Place, Reading, Sample, text_of

USERS = ("users.json", "org_users.json")
CHANNELS = ("channels.json", "groups.json", "mpims.json", "dms.json")
DAY = re.compile(r"(?P<folder>.+)/(?P<day>\d{4}-\d\d-\d\d)\.json\Z")
SPOKEN = (None, "", "bot_message", "thread_broadcast", "me_message", "file_share", "file_comment", "reply_broadcast")
"""Subtypes of messages written by people (docs: "message event"); others are events: joined, renamed, pinned."""
BOT = "bot_message"
CHANGED = "message_changed"
"""An edit entry with the current message, in workspaces that keep edits."""
SLACKBOT = "USLACKBOT"
MOST_MEMBERS = 5
"""Maximum number of members in the title of a direct conversation."""
REMEDY = "Export the workspace again"


class Slack:
    """Reads the export of a workspace, as the ZIP or its folder.

    A day of a channel is a session, and so is a thread, whenever it was replied to.
    """

    name = "slack"
    title = "Slack"

    def recognises(self, sample: Sample) -> bool:
        """It has a list of channels or users, and days."""
        lists = {PurePosixPath(name).name for name in sample.names} & {*CHANNELS, *USERS}
        return bool(lists) and any(DAY.match(name) for name in sample.names)

    def read(self, export: Export, reading: Reading) -> Iterator[Chat]:
        """Channel by channel, day by day."""
        days = [(found["folder"], found["day"], name) for name in export.names if (found := DAY.match(name))]
        if not days:
            reading.refuse(
                Place(export.name),
                "there are no days of messages in it, as in general/2024-05-01.json",
                "Pass the whole export, as a ZIP or a folder",
            )
        workspace = _workspace(export, reading)
        for folder, day, name in sorted(days):
            channel = workspace.channels.get(PurePosixPath(folder).name) or Channel(
                folder, f"#{PurePosixPath(folder).name}"
            )
            yield from _day(export, name, day, channel, workspace, reading)


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel, or a direct conversation."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """Names of ids."""

    users: Mapping[str, str]
    channels: Mapping[str, Channel]
    """By the name of their folder."""
    names: Mapping[str, str]
    """Names of channels by id."""

    def name_of(self, user: str) -> str:
        """Return the name of a user id."""
        return "Slackbot" if user == SLACKBOT else self.users.get(user, user)

    def channel_of(self, channel: str) -> str:
        """Return the name of a channel id."""
        return self.names.get(channel, channel)


def _workspace(export: Export, reading: Reading) -> Workspace:
    users = {text_of(row, "id"): _name(row) for row in _rows(export, USERS, reading)}
    channels: dict[str, Channel] = {}
    names: dict[str, str] = {}
    for row in _rows(export, CHANNELS, reading):
        identity, name = text_of(row, "id"), text_of(row, "name")
        members = (
            [users.get(m, m) for m in row["members"] if isinstance(m, str)]
            if isinstance(row.get("members"), list)
            else []
        )
        direct = not name or name.startswith("mpdm-")
        title = ", ".join(members[:MOST_MEMBERS]) or identity if direct else f"#{name}"
        channels[name or identity] = channels[identity] = Channel(identity or name, title)
        names[identity] = name or title
    return Workspace(users, channels, names)


def _rows(export: Export, wanted: Sequence[str], reading: Reading) -> Iterator[Mapping[str, Any]]:
    """The objects of those lists that the export has."""
    for name in export.names:
        if PurePosixPath(name).name in wanted and not DAY.match(name):
            with export.open(name) as stream:
                for place, row in elements(stream, export.label(name), reading):
                    if isinstance(row, Mapping):
                        yield row
                    else:
                        reading.reject(place, "this is no user or channel", REMEDY)


def _name(row: Mapping[str, Any]) -> str:
    """Display name of a user."""
    profile = row.get("profile") if isinstance(row.get("profile"), Mapping) else {}
    return text_of(profile or {}, "display_name", "real_name") or text_of(row, "real_name", "name", "id")


def _day(
    export: Export, name: str, day: str, channel: Channel, workspace: Workspace, reading: Reading
) -> Iterator[Chat]:
    """The sessions of one day of a channel; of a message that was changed, its last words."""
    spoken: dict[str, tuple[str, Place, dict[str, Any]]] = {}
    with export.open(name) as stream:
        for place, value in elements(stream, export.label(name), reading):
            changed = isinstance(value, Mapping) and value.get("subtype") == CHANGED
            raw = value.get("message") if changed else value
            if not isinstance(raw, Mapping):
                reading.reject(place, "this is no message", REMEDY)
            elif (message := _message(raw, workspace, place, reading)) is not None:
                said_on = f"{message['at']:%Y-%m-%d}" if changed else day
                spoken[message["id"]] = (_thread(raw) or said_on, place, message)
    sessions: dict[str, list[tuple[Place, dict[str, Any]]]] = {}
    for session, place, message in spoken.values():
        sessions.setdefault(session, []).append((place, message))
    for session, held in sessions.items():
        title = channel.title if "-" in session else f"{channel.title}, thread"
        at = _began(session, reading) or held[0][1].get("at")
        yield from portions(f"{channel.id}/{session}", title, (m for _, m in held), at, held[0][0])


def _thread(raw: Mapping[str, Any]) -> str:
    """The thread that a message belongs to: a reply, or the first of one that has replies."""
    thread, replied = text_of(raw, "thread_ts"), raw.get("reply_count") or raw.get("replies")
    return thread if thread and (thread != raw.get("ts") or replied) else ""


def _message(raw: Mapping[str, Any], workspace: Workspace, place: Place, reading: Reading) -> dict[str, Any] | None:
    kind = raw.get("subtype")
    if raw.get("type", "message") != "message" or kind not in SPOKEN or raw.get("hidden"):
        reading.passed_over["notice"] += 1
        return None
    stamp = text_of(raw, "ts")
    try:
        at = moment(float(stamp), reading.options)
    except ValueError:
        reading.reject(place, f"the message has the time {stamp[:40]!r}", REMEDY)
        return None
    shown = plain_text(_written(raw), workspace.name_of, workspace.channel_of)
    pictures = [f for f in _list(raw.get("files")) if str(f.get("mimetype", "")).startswith("image/")]
    files = [f for f in _list(raw.get("files")) if f not in pictures]
    text = "\n".join(([shown] if shown else []) + attached(files, "title", "name"))
    caption = "; ".join(filter(None, (text_of(p, "alt_txt", "title", "name") for p in pictures)))
    if not text and not caption:
        reading.passed_over["empty"] += 1
        return None
    by_bot = kind == BOT or (raw.get("bot_id") and not raw.get("user"))
    return said(
        "assistant" if by_bot else "user", text, name=_speaker(raw, workspace), id=stamp, at=at, caption=caption
    )


def _written(raw: Mapping[str, Any]) -> str:
    """The text of a message, or of its blocks or attachments."""
    written = text_of(raw, "text") or block_text(raw.get("blocks"))
    if written:
        return written
    parts = [text_of(a, "text", "fallback") or block_text(a.get("blocks")) for a in _list(raw.get("attachments"))]
    return "\n".join(filter(None, parts))


def _speaker(raw: Mapping[str, Any], workspace: Workspace) -> str:
    user = text_of(raw, "user")
    profile, bot = raw.get("user_profile"), raw.get("bot_profile")
    if user and user not in workspace.users and isinstance(profile, Mapping):
        return text_of(profile, "display_name", "real_name", "name") or user
    if user:
        return workspace.name_of(user)
    own = text_of(bot, "name") if isinstance(bot, Mapping) else ""
    return text_of(raw, "username") or own or text_of(raw, "bot_id") or "bot"


def _began(session: str, reading: Reading) -> datetime | None:
    """When a thread began, by its name; a day begins with its first message."""
    try:
        return moment(float(session), reading.options)
    except ValueError:
        return None


def _list(value: object) -> list[Mapping[str, Any]]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list) else []


TOKEN = re.compile(r"<([^<>\s][^<>]*)>")
LINE_ENDS = ("rich_text_section", "rich_text_preformatted", "rich_text_quote")


def plain_text(text: str, name_of: Callable[[str], str], channel_of: Callable[[str], str]) -> str:
    """The visible text; the callables return the names of user and channel ids."""

    def shown(found: re.Match[str]) -> str:
        target, _, label = found[1].partition("|")
        if target.startswith("@"):
            return f"@{label or name_of(target[1:])}"
        if target.startswith("#"):
            return f"#{label or channel_of(target[1:])}"
        if target.startswith("!"):
            return _special(target, label)
        address = target.removeprefix("mailto:").removeprefix("tel:")
        return address if not label or label == address else f"{label} ({address})"

    return html.unescape(TOKEN.sub(shown, text)).strip()


def _special(target: str, label: str) -> str:
    """`<!here>`, `<!subteam^S1|@team>`, `<!date^1392734382^{date}|18 February>`."""
    if target.startswith("!date^"):
        return label or target
    name = label or target[1:].partition("^")[0]
    return name if name.startswith("@") else f"@{name}"


def block_text(blocks: object, depth: int = 8) -> str:
    """The text of rich blocks, in Slack's markup again so that ids become names in one place."""
    return "".join(_texts(blocks, depth)).strip()


def _texts(node: object, depth: int) -> Iterator[str]:
    """Texts of nested blocks: a list in a quote in a message. The depth is limited."""
    if depth == 0:
        return
    if isinstance(node, list):
        for inner in node:
            yield from _texts(inner, depth - 1)
    elif isinstance(node, Mapping):
        kind = node.get("type")
        if (own := _element(kind, node)) is not None:
            yield own
            return
        yield from _texts(node.get("text"), depth - 1)
        yield from _texts(node.get("elements"), depth - 1)
        yield from _texts(node.get("fields"), depth - 1)
        if kind in LINE_ENDS or kind in ("section", "header", "mrkdwn", "plain_text"):
            yield "\n"


def _element(kind: object, node: Mapping[str, Any]) -> str | None:
    """The text of a leaf element; None for containers."""
    if kind in ("text", "mrkdwn", "plain_text") and isinstance(node.get("text"), str):
        return str(node["text"])
    if kind == "link":
        return f"<{node.get('url', '')}|{node.get('text', '')}>" if node.get("text") else f"<{node.get('url', '')}>"
    if kind == "user":
        return f"<@{node.get('user_id', '')}>"
    if kind == "channel":
        return f"<#{node.get('channel_id', '')}>"
    if kind == "broadcast":
        return f"<!{node.get('range', '')}>"
    if kind == "emoji":
        return f":{node.get('name', '')}:"
    return None
