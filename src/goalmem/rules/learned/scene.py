"""The learned reader's view of one sentence: its parse, its names, and candidate properties.

A property is an adjective that describes the subject of the sentence (`big`, `kind`). The model decides which
candidates are properties, and what the sentence says with them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.rules.grammar.text import TextSentence

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from goalmem.language.analyzer import Analyzer


_CAPITAL = re.compile(r"[A-Z][\w'-]+")
NOT_NAMES = frozenset({"DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "LANGUAGE", "NORP", "ORDINAL", "CARDINAL"})
"""Entity types of the parser that name no one."""


FUNCTION = frozenset({"PRON", "DET", "AUX", "ADP", "SCONJ", "CCONJ", "PART", "NUM"})
"""Parts of speech of which no property is."""


@dataclass(frozen=True, slots=True)
class SceneName:
    """A name in a sentence: its first and last token."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that may be a property."""

    token: Token
    word: str
    """In lower case, as a predicate has it."""
    elsewhere: int
    """Other sentences of the text that have the word too."""
    usual: float
    """The same of the text's candidates on average."""
    known: bool
    """It was a property in training."""
    among_known: bool
    """Most of the text's candidates were."""


@dataclass(frozen=True)
class Scene:
    """One sentence as the model sees it."""

    sentence: TextSentence
    doc: Doc
    names: tuple[SceneName, ...]
    candidates: tuple[Candidate, ...]
    follows: bool
    """A sentence before it names someone."""

    @cached_property
    def root(self) -> Token:
        """The main predicate of the sentence; of several, the one with the most below it."""
        return max((t for t in self.doc if t.head == t), key=lambda t: (len(list(t.subtree)), -t.i))


def scenes(
    read: Sequence[TextSentence], analyzer: Analyzer, known: Collection[str] = (), constants: Collection[str] = ()
) -> list[Scene]:
    """A scene for each sentence of one text.

    `known`: words that were properties in training; `constants`: whom sentences are about that were read exactly.
    """
    texts = [s.text for s in read]
    capitals = _capitals(texts)
    docs = analyzer.docs(texts, capitals)
    properties = {t.lower_ for doc in docs for t in doc if t.pos_ == "ADJ" and t.is_alpha} | {*known}
    by_start = _by_first_word(constants)
    named = [tuple(_names(doc, properties, by_start, capitals)) for doc in docs]
    words = [_unnamed(doc, names) for doc, names in zip(docs, named, strict=True)]
    # The same statement about somebody else is not a second sentence.
    uses = Counter(word for sentence in {*words} for word in {*sentence})
    tokens = [
        [t for t in doc if t.lower_ in own and _may_be_property(t, properties)]
        for doc, own in zip(docs, words, strict=True)
    ]
    every = [uses[t.lower_] - 1 for own in tokens for t in own]
    usual = sum(every) / max(len(every), 1)
    among_known = sum(t.lower_ in known for own in tokens for t in own) > len(every) / 2
    found: list[Scene] = []
    follows = False
    for sentence, doc, names, own in zip(read, docs, named, tokens, strict=True):
        candidates = tuple(
            Candidate(t, t.lower_, uses[t.lower_] - 1, usual, t.lower_ in known, among_known) for t in own
        )
        found.append(Scene(sentence, doc, names, candidates, follows))
        follows = follows or bool(names)
    return found


def _capitals(texts: Sequence[str]) -> list[str]:
    """Words with an unexpected capital."""
    return sorted({m.group() for text in texts for m in _CAPITAL.finditer(text, 1)})


def _unnamed(doc: Doc, names: Sequence[SceneName]) -> tuple[str, ...]:
    """The words of a sentence in lower case, without the names in it."""
    return tuple(t.lower_ for t in doc if not any(n.first <= t.i <= n.last for n in names))


def _may_be_property(token: Token, properties: Collection[str]) -> bool:
    """`properties`: adjectives of the text."""
    if not token.is_alpha or token.pos_ in FUNCTION:
        return False
    return token.lower_ in properties or (token.pos_ != "ADV" and lexicon.is_known(token.lower_, "a"))


def _by_first_word(constants: Collection[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for constant in sorted(constants, key=lambda c: (-len(c), c)):
        found[constant.split()[0].casefold()].append(constant)
    return found


def _names(
    doc: Doc, properties: Collection[str], constants: Mapping[str, Sequence[str]], capitals: Collection[str]
) -> Iterator[SceneName]:
    taken = -1
    for token in doc:
        if token.i <= taken:
            continue
        last = _constant_at(doc, token.i, constants)
        last = _proper_at(doc, token.i, properties, capitals) if last is None else last
        if last is not None:
            taken = last
            text = doc[token.i : last + 1].text
            yield SceneName(text[:1].lower() + text[1:] if token.pos_ == "DET" else text, token.i, last)


def _constant_at(doc: Doc, start: int, constants: Mapping[str, Sequence[str]]) -> int | None:
    """The last token of a known constant that begins at the token; `constants` by their first word."""
    for constant in constants.get(doc[start].text.casefold(), ()):
        last = start + len(constant.split()) - 1
        if last < len(doc) and doc[start : last + 1].text.casefold() == constant.casefold():
            return last
    return None


def _proper_at(doc: Doc, start: int, properties: Collection[str], capitals: Collection[str]) -> int | None:
    """The last token of a run of proper nouns that begins at the token."""
    last = None
    for token in doc[start:]:
        if token.tag_ not in ("NNP", "NNPS") or token.ent_type_ in NOT_NAMES or not token.text[0].isupper():
            break
        if token.lower_ in properties or (token.text not in capitals and lexicon.is_known(token.lower_, "a")):
            break  # `Young Harry`: the capital is the sentence's
        last = token.i
    return last
