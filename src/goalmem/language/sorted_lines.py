"""Text whose lines are sorted by what they begin with, searched as it is: nothing is parsed before it is asked for."""

from __future__ import annotations

__all__ = ["Lines"]


class Lines:
    """Lines `key<separator>rest`, sorted by the bytes of their keys; the text ends with a line end."""

    def __init__(self, content: bytes, separator: bytes, start: int = 0) -> None:
        self._content = content
        self._separator = separator
        self.start = start
        """Where the first line begins."""

    def of(self, key: bytes) -> list[bytes]:
        """The lines of a key, in order, whole."""
        low, high = self.start, len(self._content)
        while low < high:  # lines that begin before `low` have smaller keys, the one at `high` has none
            begin = max(low, self._content.rfind(b"\n", self.start, (low + high) // 2) + 1)
            after = self._content.index(b"\n", begin) + 1
            if self._content[begin : after - 1].split(self._separator, 1)[0] < key:
                low = after
            else:
                high = begin
        found: list[bytes] = []
        while self._content.startswith(key + self._separator, low):
            after = self._content.index(b"\n", low) + 1
            found.append(self._content[low : after - 1])
            low = after
        return found
