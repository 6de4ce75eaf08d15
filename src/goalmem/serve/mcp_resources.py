"""What a person may attach to a chat over the Model Context Protocol: turns, sessions, profiles and proofs, as resources of a server.

Contents are the JSON of the HTTP interface (docs/serve.md); what was said stays within its strings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources import ResourceSecurity

from goalmem.errors import GoalmemError, NotFoundError
from goalmem.memory import Memory
from goalmem.schema import models
from goalmem.schema.rows import encoded, profile_row, row, session_row
from goalmem.serve.mcp_tools import Tools

__all__ = ["Resources", "add_resources"]

JSON = "application/json"
PAGE = 200
"""Turns of a session that are read at once."""
MOST_SESSIONS = 1_000
"""Sessions that are listed, the newest."""

T = TypeVar("T")


def add_resources(server: MCPServer[None], tools: Tools) -> None:
    """Serve what the space of these tools holds."""
    held = Resources(tools.memory, tools.space)
    # Names of people and of conversations are no paths, whatever they look like.
    names = ResourceSecurity(exempt_params={"turn", "session", "who", "cursor"})
    server.resource("proof://{name}", name="proof", title="A proof", mime_type=JSON)(tools.proof)
    server.resource("memory://sessions", name="sessions", title="Conversations", mime_type=JSON)(held.sessions)
    server.resource("memory://profile", name="profile", title="What is known of you", mime_type=JSON)(held.own_profile)
    for address, name, title, work in (
        ("memory://turns/{turn}", "turn", "A message", held.turn),
        ("memory://sessions/{session}{?cursor}", "session", "A conversation", held.session),
        ("memory://profile/{who}", "profile of", "What is known of somebody", held.profile),
    ):
        server.resource(address, name=name, title=title, mime_type=JSON, security=names)(work)


@dataclass(frozen=True, slots=True)
class Resources:
    """What one space holds, by address."""

    memory: Memory
    space: str

    def sessions(self) -> str:
        """The conversations that are remembered, newest first, each with its address."""
        found = sorted(done(self.memory.sessions, space=self.space), key=lambda s: s[1], reverse=True)
        rows = [session_row(one) | {"uri": f"memory://sessions/{quote(one[0], safe='')}"} for one in found]
        return text_of({"items": rows[:MOST_SESSIONS], "total": len(rows)})

    def session(self, session: str, cursor: str = "") -> str:
        """The messages of a conversation, in order, 200 at a time: pass its `next` as `cursor` for those behind."""
        page = done(self.memory.get_all, space=self.space, session=session, limit=PAGE, cursor=cursor or None)
        if not page.items and not cursor:
            raise ResourceNotFoundError(f"There is no session {session!r}. Read memory://sessions for those there are.")
        return text_of({"items": [row(models.Turn, turn) for turn in page.items], "next": page.next})

    def turn(self, turn: str) -> str:
        """One message, verbatim."""
        return text_of(row(models.Turn, done(self.memory.turn, turn, space=self.space)))

    def own_profile(self) -> str:
        """What is known of the user now: of the only person who speaks, else of who has no name."""
        return text_of(profile_row(done(self.memory.profile, space=self.space)))

    def profile(self, who: str) -> str:
        """What is known of somebody now, as statements by topic, each with the message that says it."""
        return text_of(profile_row(done(self.memory.profile, who, space=self.space)))


def text_of(value: object) -> str:
    """JSON, as the HTTP interface writes it."""
    return encoded(value).decode()


def done(method: Callable[..., T], *arguments: object, **options: object) -> T:
    """What a method of the memory returns. What it refuses is told as an error of the protocol, which says what to do."""
    try:
        return method(*arguments, **options)
    except NotFoundError as error:
        raise ResourceNotFoundError(f"{error.problem} {error.remedy}") from error
    except GoalmemError as error:
        raise ResourceError(f"{error.problem} {error.remedy}") from error
