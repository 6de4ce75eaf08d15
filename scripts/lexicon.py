"""Compiles the WordNet 3.0 database files into the one small file that `lexicon` reads.

Run once when the data change: `python scripts/lexicon.py WORDNET_DICT_FOLDER OUT.txt`.

Source format: wndb(5WN) and cntlist(5WN) of WordNet 3.0. Output: ASCII text that is searched as it lies in the file. A line
`synsets N lemmas B`; N numbers, each of WIDTH digits in a line of its own: at which byte the line of a synset begins, from the end of
these numbers; N lines `supersense<TAB>hypernym indices<TAB>lemmas`, with `=` before the first for a named individual, the lemmas
with `|` between; a line `irregular form base form base …` of verbs; and from byte B, counted likewise, in alphabetical order one line a
lemma: `lemma<TAB>senses<TAB>related`, where senses are `pos index count,index count …;pos …` in WordNet's order and related are
derivationally linked `pos:lemma` words.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from goalmem.language.lexicon import WIDTH

FILES = {"n": "noun", "v": "verb", "a": "adj"}
SYNSET_TYPES = {"1": "n", "2": "v", "3": "a", "5": "a"}
INSTANCE = "@i"
HYPERNYM = ("@", INSTANCE)
DERIVED = "+"


@dataclass(slots=True)
class Synset:
    """One line of a data file."""

    key: tuple[str, str]
    supersense: int
    words: list[str]
    hypernyms: list[tuple[str, str]] = field(default_factory=list)
    derived: list[tuple[int, tuple[str, str], int]] = field(default_factory=list)
    """(own word number or 0, target synset, target word number or 0), numbers from 1."""
    instance: bool = False
    """Whether it is one thing with a name (Lisbon) and no kind."""


def read_synsets(path: Path, pos: str) -> Iterator[Synset]:
    """The synsets of one `data.*` file."""
    for line in path.read_text("ascii").splitlines():
        if line.startswith("  "):
            continue
        parts = line.split("|", 1)[0].split()
        n_words = int(parts[3], 16)
        words = [re.sub(r"\((a|p|ip)\)$", "", w).replace("_", " ").lower() for w in parts[4 : 4 + 2 * n_words : 2]]
        synset = Synset((pos, parts[0]), int(parts[1]), words)
        at = 4 + 2 * n_words
        for i in range(at + 1, at + 1 + 4 * int(parts[at]), 4):
            symbol, offset, target_pos, numbers = parts[i : i + 4]
            target = ("a" if target_pos == "s" else target_pos, offset)
            if symbol in HYPERNYM:
                synset.hypernyms.append(target)
                synset.instance |= symbol == INSTANCE
            elif symbol == DERIVED:
                synset.derived.append((int(numbers[:2], 16), target, int(numbers, 16) % 256))
        yield synset


def read_counts(path: Path) -> dict[tuple[str, str, int], int]:
    """(lemma, pos, sense number from 1) -> how often the sense was tagged, from `cntlist.rev`."""
    counts: dict[tuple[str, str, int], int] = defaultdict(int)
    for line in path.read_text("ascii").splitlines():
        key, number, count = line.split()
        lemma, rest = key.split("%", 1)
        pos = SYNSET_TYPES.get(rest[0])
        if pos:
            counts[lemma.replace("_", " "), pos, int(number)] += int(count)
    return counts


def read_senses(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Lemma and the offsets of its synsets in order, from one `index.*` file."""
    for line in path.read_text("ascii").splitlines():
        if not line.startswith("  "):
            parts = line.split()
            yield parts[0].replace("_", " "), parts[len(parts) - int(parts[2]) :]


def build(folder: Path) -> bytes:
    """The whole output."""
    synsets = {s.key: s for pos, name in FILES.items() for s in read_synsets(folder / f"data.{name}", pos)}
    index = {key: i for i, key in enumerate(synsets)}
    counts = read_counts(folder / "cntlist.rev")
    senses: dict[str, list[str]] = defaultdict(list)
    members: dict[int, list[str]] = defaultdict(list)
    for pos, name in FILES.items():
        for lemma, offsets in read_senses(folder / f"index.{name}"):
            items = [f"{index[pos, o]} {counts.get((lemma, pos, i), 0)}" for i, o in enumerate(offsets, 1)]
            senses[lemma].append(f"{pos} " + ",".join(items))
            for offset in offsets:
                members[index[pos, offset]].append(lemma)
    related: dict[str, set[str]] = defaultdict(set)
    for s in synsets.values():
        for own, target, number in s.derived:
            other = synsets.get(target)
            if other:
                goal = other.words[number - 1 if number else 0]
                related[s.words[own - 1 if own else 0]].add(f"{target[0]}:{goal}")
    above = [",".join(str(index[h]) for h in s.hypernyms if h in index) for s in synsets.values()]
    irregular = dict(line.split()[:2] for line in (folder / "verb.exc").read_text("ascii").splitlines())
    return packed(
        [
            f"{'=' if s.instance else ''}{s.supersense}\t{above[i]}\t{'|'.join(sorted(members[i]))}"
            for i, s in enumerate(synsets.values())
        ],
        "irregular " + " ".join(f"{form} {base}" for form, base in sorted(irregular.items())),
        [f"{w}\t{';'.join(senses[w])}\t{','.join(sorted(related[w]))}" for w in sorted(senses)],
    )


def packed(synsets: Sequence[str], irregular: str, lemmas: Sequence[str]) -> bytes:
    """The lines of the output with where they begin."""
    starts = [0, *accumulate(len(line) + 1 for line in synsets)]
    head = f"synsets {len(synsets)} lemmas {starts[-1] + len(irregular) + 1}\n"
    numbers = "".join(f"{start:0{WIDTH}}\n" for start in starts[:-1])
    return (head + numbers + "\n".join([*synsets, irregular, *lemmas]) + "\n").encode("ascii")


def main(folder: str, out: str) -> None:
    """Compile `folder` into `out`; the same input always gives the same bytes."""
    Path(out).write_bytes(build(Path(folder)))


if __name__ == "__main__":
    main(*sys.argv[1:3])
