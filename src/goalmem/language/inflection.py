"""Forms and lemmas of English words: lemminflect, over its own dictionaries (the NIH SPECIALIST Lexicon) as they lie in their files.

lemminflect makes two dictionaries of 120,000 entries from them on first use, which takes a third of a second and 50 MB. Here they
are handed to it as `LazyDictionary`, which lets lemminflect parse the lines of one word. A lemminflect that keeps them elsewhere
makes its own, as always.
"""

from __future__ import annotations

import gzip
import io
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from goalmem.language.lexicon import Lines
from goalmem.language.spacy_import import import_spacy

import_spacy()  # lemminflect imports it, too: whole

import lemminflect  # noqa: E402
from lemminflect import config as _files  # noqa: E402
from lemminflect import getAllInflections, getAllLemmas, getInflection  # noqa: E402
from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec  # noqa: E402
from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec  # noqa: E402
from lemminflect.core.Inflections import Inflections  # noqa: E402
from lemminflect.core.Lemmatizer import Lemmatizer  # noqa: E402

__all__ = ["LazyDictionary", "getAllInflections", "getAllLemmas", "getInflection", "getLemma"]


WORDS = 32_768
"""Entries that are kept."""


class Codec(Protocol):
    """Reads a dictionary of lemminflect from its file."""

    def load(self, fn: Any) -> dict[str, dict[str, tuple[str, ...]]]:
        """Word -> tag or part of speech -> spellings."""
        ...


class LazyDictionary:
    """A dictionary of lemminflect, of which only the lines of words that are asked for are read."""

    def __init__(self, codec: Codec, path: str) -> None:
        self._codec = codec
        self._lines = Lines(gzip.decompress(Path(path).read_bytes()), b",")
        self._entry = lru_cache(WORDS)(self._parsed)

    def get(self, word: str, default: Any = None) -> Any:
        """The entry of a word, as the codec makes it from the whole file."""
        return self._entry(word) or default

    def _parsed(self, word: str) -> dict[str, tuple[str, ...]]:
        lines = b"".join(line + b"\n" for line in self._lines.of(word.encode(errors="replace")))
        return self._codec.load(io.BytesIO(gzip.compress(lines, 0))).get(word, {})


Lemmatizer().lemma_dict = LazyDictionary(LemmaLUCodec, _files.lemma_lu_fn)
Inflections().infl_dict = LazyDictionary(InflectionLUCodec, _files.inflection_lu_fn)


@lru_cache(WORDS)
def getLemma(word: str, upos: str, lemmatize_oov: bool = True) -> tuple[str, ...]:  # noqa: N802 (lemminflect's name)
    """The lemmas of a word of a part of speech: lemminflect's, which guesses those of unknown words by a network each time."""
    return tuple(lemminflect.getLemma(word, upos, lemmatize_oov))
