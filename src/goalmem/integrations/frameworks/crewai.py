"""CrewAI: a memory as tools of an agent (docs/frameworks.md#crewai).

    agent = Agent(role="Desk", goal="Help Maya", backstory="…", tools=memory_tools(memory, space="maya"))

Needs the package `crewai`. Its own memory stores by vectors that it makes itself, so it takes no other memory's search.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from crewai.tools import BaseTool
from pydantic import ConfigDict, Field

from goalmem.errors import GoalmemError
from goalmem.integrations.frameworks.tools import TOOLS, MemoryLike, tool_description, tool_names

__all__ = ["MemoryTool", "memory_tools"]


def memory_tools(
    memory: MemoryLike,
    *,
    space: str | None = None,
    session: str | None = None,
    names: Collection[str] | None = None,
    read_only: bool = False,
) -> list[MemoryTool]:
    """The tools of a memory for `Agent(tools=…)`.

    Args:
        memory: a `Memory` or a `Client`.
        space: whose memory it is; None: the memory's own. The model neither chooses nor sees it.
        session: of what is remembered; None: one a day, so that the same words on another day are new.
        names: the tools wanted, of `goalmem.integrations.frameworks.tools.EVERY`; None: those that read, and `remember`.
        read_only: only those that read.

    Raises InputError for a name that is no tool's.
    """
    return [
        MemoryTool(**tool_description(name), memory=memory, space=space, session=session)
        for name in tool_names(names, read_only=read_only)
    ]


class MemoryTool(BaseTool):
    """One of the tools of a memory; made by `memory_tools`. What a memory refuses is told to the model, which can mend it."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Any = Field(exclude=True, repr=False)
    space: str | None = Field(default=None, exclude=True)
    session: str | None = Field(default=None, exclude=True)

    def _run(self, **arguments: Any) -> str:
        call = TOOLS[self.name](**arguments)
        try:
            return call.text(call.of(self.memory, self.space, self.session)())
        except GoalmemError as error:
            return f"{error.problem} {error.remedy}"
