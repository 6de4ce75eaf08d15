"""Arrays that grow at the end while readers hold views of what was there before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Codes", "Column", "TextColumn", "Texts"]

FIRST_ROWS = 64
"""Capacity that growth starts from."""

Scalar = TypeVar("Scalar", bound=np.generic)


class Column(Generic[Scalar]):
    """A growing one-dimensional array. A view never changes: what it shows is written once, before it is made."""

    def __init__(self, dtype: type[Scalar]) -> None:
        self._rows: NDArray[Scalar] = np.empty(FIRST_ROWS, dtype=dtype)
        self._size = 0

    def append(self, values: ArrayLike) -> None:
        """Add values at the end."""
        new = np.asarray(values, dtype=self._rows.dtype)
        size = self._size + len(new)
        if size > len(self._rows):
            grown = np.empty(max(size, 2 * len(self._rows)), dtype=self._rows.dtype)
            grown[: self._size] = self._rows[: self._size]
            self._rows = grown
        self._rows[self._size : size] = new
        self._size = size

    def view(self) -> NDArray[Scalar]:
        """What is there now."""
        return self._rows[: self._size]

    def __len__(self) -> int:
        return self._size

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self._rows.nbytes


@dataclass(frozen=True, slots=True, eq=False)
class Texts(Sequence[str]):
    """Strings that never change, without a Python object each: a fifth of the memory of a list of short ones."""

    utf8: NDArray[np.uint8]
    """All of them, one after another."""
    ends: NDArray[np.int64]
    """Where each ends, shape (texts,)."""

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._text(number) for number in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._text(place % len(self))

    def __len__(self) -> int:
        return len(self.ends)

    def _text(self, number: int) -> str:
        start = int(self.ends[number - 1]) if number else 0
        return self.utf8[start : int(self.ends[number])].tobytes().decode("utf-8", "surrogatepass")


class TextColumn:
    """Growing `Texts`."""

    def __init__(self) -> None:
        self._utf8: Column[np.uint8] = Column(np.uint8)
        self._ends: Column[np.int64] = Column(np.int64)

    def append(self, texts: Iterable[str]) -> None:
        """Add strings at the end."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        self._ends.append(len(self._utf8) + np.cumsum([len(text) for text in encoded], dtype=np.int64))
        self._utf8.append(np.frombuffer(b"".join(encoded), dtype=np.uint8))

    def view(self) -> Texts:
        """What is there now."""
        return Texts(self._utf8.view(), self._ends.view())

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self._utf8.nbytes + self._ends.nbytes


class Codes:
    """Names numbered in the order in which they came. Numbers never change, so readers need no lock."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []

    def code(self, name: str) -> int:
        """The number of a name, a new one for a new name."""
        number = self._numbers.get(name)
        if number is None:
            number = len(self.names)
            self.names.append(name)
            self._numbers[name] = number
        return number

    def known(self, names: Iterable[str]) -> list[int]:
        """The numbers of those names that are known."""
        return [number for number in map(self._numbers.get, names) if number is not None]
