"""How questions are asked in a run: with goals or without, by which reasoner, out of which memory, how deep."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from goalmem.errors import InputError
from goalmem.settings import Settings, load_settings

Goals = Literal["on", "off", "both"]
Reasoner = Literal["local", "chat"]
Reader = Literal["memory", "full-context"]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask, or the two that are compared."""

    goals: Goals = "on"
    """`off`: the same retrieval by the raw utterance, the same reader, the same evidence budget. `both`: each question twice."""
    reasoner: Reasoner = "local"
    reader: Reader = "memory"
    """`full-context`: no retrieval; the reader is given all that was said, for a chat model as much as fits."""
    backend: str | None = None
    """Name of the memory system that finds the evidence; by default goalmem's own."""
    depth: int | None = None
    """D_max; by default as set."""
    breadth: int | None = None
    """B_max; by default as set."""
    threshold: float | None = None
    """Confidence under which an answer is withheld; by default as set."""
    judge: bool = False
    """Whether a chat model judges each answer, too."""
    edges: bool = False
    """Whether walks over the edges of what was said answer what nothing else does."""

    @property
    def arms(self) -> tuple[bool, ...]:
        """With goals, without, or both in that order; a reader of everything has no goals."""
        if self.reader == "full-context":
            return (False,)
        return {"on": (True,), "off": (False,), "both": (True, False)}[self.goals]

    def check_searching(self, save: object) -> None:
        """Raises InputError where a search alone is measured and something is asked for that takes answers."""
        if save is not None or self != Way():
            raise InputError(
                "A search has no answers: nothing is saved, and there is no way to ask.",
                "Add --mode ask (or recall), or leave out --save, --goals, --reasoner and the like.",
            )

    @property
    def settings(self) -> Settings:
        """The settings that questions are asked with. Raises InputError for a depth or breadth out of range."""
        limits = {"ask_depth": self.depth, "ask_breadth": self.breadth, "answer_threshold": self.threshold}
        return load_settings(**limits, ask_edges=self.edges or None)

    def parts(self) -> list[str]:
        """What tells a run of this way from others."""
        return [f"{name}={value}" for name, value in self.as_dict().items()]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)
