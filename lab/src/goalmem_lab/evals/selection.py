"""Which questions of a benchmark are measured: by category, the first ones, or a sample that is always the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import zip_longest
from typing import TypeVar

from goalmem.errors import InputError

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of questions."""

    limit: int | None = None
    """The first ones only, after all else."""
    categories: frozenset[str] = frozenset()
    """Names of those measured; all when empty."""
    sample: int | None = None
    """So many, drawn by `seed`, spread evenly over the groups of the benchmark."""
    seed: int = 0
    keys: frozenset[str] | None = None
    """Of those chosen by all else, only these."""

    def choose(
        self,
        questions: Sequence[Item],
        *,
        key: Callable[[Item], str],
        group: Callable[[Item], str],
        category: Callable[[Item], str],
    ) -> list[Item]:
        """The chosen ones, in their order. `group`: what a sample is spread over, as the conversation."""
        kept = [q for q in questions if not self.categories or category(q) in self.categories]
        if self.sample is not None:
            drawn = {key(q) for q in self._drawn(kept, key, group)}
            kept = [q for q in kept if key(q) in drawn]
        chosen = kept[: self.limit]
        return chosen if self.keys is None else [q for q in chosen if key(q) in self.keys]

    def _drawn(self, questions: Sequence[Item], key: Callable[[Item], str], group: Callable[[Item], str]) -> list[Item]:
        """One of each group in turn. A larger sample holds the smaller ones of its seed."""
        groups: dict[str, list[Item]] = {}
        for question in sorted(questions, key=lambda q: self._chance(key(q))):
            groups.setdefault(group(question), []).append(question)
        rounds = zip_longest(*(groups[name] for name in sorted(groups)))
        return [question for row in rounds for question in row if question is not None][: self.sample]

    def _chance(self, key: str) -> bytes:
        return blake2b(f"{self.seed}\0{key}".encode(), digest_size=8).digest()


ALL_QUESTIONS = Selection()


def split_names(given: str | None) -> frozenset[str]:
    """The names in a list with commas between."""
    return frozenset(part.strip() for part in (given or "").split(",") if part.strip())


def read_categories(
    wanted: Collection[str], known: Collection[str], numbers: Mapping[str, str] | None = None
) -> frozenset[str]:
    """Names of categories out of names and `numbers`. Raises InputError that lists what there is."""
    named = {(numbers or {}).get(name, name) for name in wanted}
    if unknown := named - set(known):
        listed = [f"{n} ({name})" for n, name in numbers.items()] if numbers else sorted(known)
        raise InputError(f"There is no category {min(unknown)!r}.", f"Choose of: {', '.join(listed)}.")
    return frozenset(named)
