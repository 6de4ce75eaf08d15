"""Who calls, and what they may do: scopes and spaces of a key; without keys, the owner of the machine may do all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from goalmem.io.chat_messages import check_name
from goalmem.serve.refusals import ForbiddenError

__all__ = ["EVERY_SPACE", "OWNER", "Caller", "Scope"]

EVERY_SPACE = "*"
"""Among the spaces of a key: it is for all."""
DEFAULT_SPACE = "default"


class Scope(IntEnum):
    """What a key is for; a higher one may do what a lower one may."""

    READ = 1
    WRITE = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls."""

    id: str
    """Of the key; empty where no keys are used."""
    scope: Scope
    spaces: tuple[str, ...]

    def require(self, scope: Scope) -> None:
        """Raises ForbiddenError unless the key is for this scope."""
        if self.scope < scope:
            name = scope.name.lower()
            raise ForbiddenError(
                f"The key is not for this: it needs the scope {name!r}.", "Use a key that has it (goalmem keys add)."
            )

    @property
    def sees_all(self) -> bool:
        """Whether the key is for every space."""
        return EVERY_SPACE in self.spaces

    def sees(self, space: str) -> bool:
        """Whether the key is for a space."""
        return self.sees_all or space in self.spaces

    def space(self, named: str | None) -> str:
        """The space that a call is about: the one it names, else the key's only one, else `default`.

        Raises ForbiddenError for any that the key is not for, whether there is such a space or not.
        """
        single = self.spaces[0] if len(self.spaces) == 1 and not self.sees_all else DEFAULT_SPACE
        space = single if named is None else check_name(named, "The space")
        if not self.sees(space):
            raise ForbiddenError(
                f"The key is not for the space {space!r}.", "Name one that it is for (GET /v1/spaces lists them)."
            )
        return space


OWNER = Caller("", Scope.ADMIN, (EVERY_SPACE,))
"""Who calls where no keys are used: whoever may reach this machine's loopback."""
