"""Text to terms: the words that a lexical index counts.

Words are runs of letters and digits after NFKC and case folding, so that full-width, ligature and capital forms meet.
Numbers keep their decimals and lose their thousands' commas. Scripts written without spaces become character pairs.
English words are stemmed (Porter's Snowball English stemmer); words of other languages pass through it little harmed.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

_SNOWBALL = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves what which who whom this that these those
    am is are was were be been being have has had having do does did would should could ought
    i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd
    i'll you'll he'll she'll we'll they'll isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't
    won't wouldn't shan't shouldn't can't cannot couldn't mustn't
    let's that's who's what's here's there's when's where's why's how's
    a an the and but if or because as until while of at by for with about against between into through during
    before after above below to from up down in out on off over under again further then once
    here there when where why how all any both each few more most other some such no nor not only own same so than
    too very
"""
STOP_WORDS = frozenset(_SNOWBALL.split())
"""The Snowball project's English stop words (snowballstem.org, algorithms/english/stop.txt, BSD). It leaves out words that
are also names or nouns: will, may, can, us."""

MAX_WORD_LENGTH = 64
"""Maximum characters of a word; longer strings (base64, repeated letters) are not words."""

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)+|[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:'[^\W_{_UNSPACED}]+)*")
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\uff07": "'", "\u2018": "'"})
_stemming = threading.local()

KEPT_LENGTH = 500
"""Characters of a text whose terms are kept: 4,096 texts with theirs come to 5 MB."""
KEPT_LONG = 250_000
"""The same of the last four longer ones, which come to 15 MB at most."""

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""A word, including parts joined by an apostrophe."""
HYPHENATED = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
"""A word, including parts joined by an apostrophe or a hyphen."""
WORD_PART = re.compile(r"[^\W_]+")
"""A run of letters and digits."""
LETTERS = re.compile(r"[^\W\d_]+")
"""A run of letters."""


def words_of(text: str) -> list[str]:
    """Every word in order, folded but not stemmed, stop words included."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    words: list[str] = []
    for match in _TOKEN.finditer(folded):
        word = match.group()
        if _UNSPACED_RUN.fullmatch(word):
            words += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        elif word[0].isdigit():
            words.append(word.replace(",", "")[:MAX_WORD_LENGTH])
        else:
            words.append(word[:MAX_WORD_LENGTH])
    return words


def terms_of(text: str) -> list[str]:
    """The stems of the words that are no stop words, in order."""
    if len(text) > KEPT_LENGTH:
        return list(_long_terms(text) if len(text) <= KEPT_LONG else _stems(text))
    return list(_terms(text))


def _stems(text: str) -> Iterator[str]:
    return (stem(word) for word in words_of(text) if word not in STOP_WORDS)


@lru_cache(maxsize=4096)
def _terms(text: str) -> tuple[str, ...]:
    """Kept, as a question and the turns that it finds are compared word by word, span after span."""
    return tuple(_stems(text))


@lru_cache(maxsize=4)
def _long_terms(text: str) -> tuple[str, ...]:
    """The same for the few long turns that a question finds."""
    return tuple(_stems(text))


def matching_words(query: str, text: str) -> list[tuple[int, int]]:
    """`[start, end)` character offsets of the words that share a stem with the query, in order."""
    wanted = set(terms_of(query))
    found: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text.translate(_APOSTROPHES)):
        start, end = match.span()
        pairs = _UNSPACED_RUN.fullmatch(match.group()) and end - start > 2
        for begin, stop in ((i, i + 2) for i in range(start, end - 1)) if pairs else ((start, end),):
            if wanted.isdisjoint(terms_of(text[begin:stop])):
                continue
            if found and found[-1][1] >= begin:
                found[-1] = found[-1][0], stop
            else:
                found.append((begin, stop))
    return found


def encode_terms(text: str) -> bytes:
    """The terms as little-endian uint64 hashes in order of occurrence, as stored for each turn."""
    return np.array([hash_term(term) for term in terms_of(text)], dtype="<u8").tobytes()


def decode_terms(terms: bytes) -> NDArray[np.uint64]:
    """The inverse of the encoding: hashes, shape (terms,)."""
    return np.frombuffer(terms, dtype="<u8")


@lru_cache(maxsize=65_536)
def hash_term(term: str) -> int:
    """A stable 64-bit hash: among a million distinct terms two meet with probability 3e-8."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one word in lower case."""
    # The stemmer keeps its state on itself: one a thread.
    stemmer = getattr(_stemming, "stemmer", None)
    if stemmer is None:
        stemmer = _stemming.stemmer = snowballstemmer.stemmer("english")
    stemmed: str = stemmer.stemWord(word)
    return stemmed


def is_unicode(text: str) -> bool:
    """True if a text holds no half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
