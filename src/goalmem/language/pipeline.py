"""The spaCy pipeline that `Analyzer` runs: spaCy's components and models, with less work around them, and sentence ends of chat.

Measured on chat messages (spaCy 3.8, two cores): the models' matrix products took a third of the time, as spaCy's own library
for them, BLIS, has no kernels for processors newer than itself, and the parsers spent most of theirs fetching and
releasing the interpreter's lock for each move that they weighed. Both are had for less, with the same outcome.

What is over the budget is stored and searched as it was written, and gives no facts. As each sentence is bounded, what
components do for a sentence may grow with its square, and the work for a text still grows with its length.
"""

from __future__ import annotations

import os
import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span
    from threadpoolctl import ThreadpoolController


STEPWISE = "goalmem_stepwise"
UNRULED = "goalmem_unruled"
PARSERS = ("parser", "ner")
SHARE = 4
"""As spaCy does, documents of like length are parsed together, a quarter of a batch at a time."""


def unruled_tokenizer() -> dict[str, Any]:
    """The part of a configuration by which a model starts with a tokenizer that has no rules yet, instead of spaCy's for the language.

    The model's own rules, 1,347 special cases and four expressions, replace them anyway.
    """
    from spacy.tokenizer import Tokenizer
    from spacy.util import registry

    if UNRULED not in registry.tokenizers:
        registry.tokenizers.register(UNRULED, func=lambda: lambda language: Tokenizer(language.vocab))
    return {"nlp": {"tokenizer": {"@tokenizers": UNRULED}}}


def replace_slow_parts(language: Language) -> None:
    """Replace slow components by faster ones, in place."""
    from spacy.language import Language as Registry
    from thinc.api import NumpyOps

    if not Registry.has_factory(STEPWISE):
        Registry.factory(STEPWISE, func=_stepwise)
    ops = NumpyOps(use_blis=False)
    for _, component in language.pipeline:
        model = getattr(component, "model", None)
        for layer in model.walk() if model is not None else ():
            if layer.ops.name == ops.name:  # a platform's own, as Apple's, is no slower
                layer.ops = ops
    for name in PARSERS:
        language.add_pipe(STEPWISE, name=f"{name}_{STEPWISE}", after=name, config={"parser": name})
        language.disable_pipe(name)


PHONE = re.compile(r"\+?\d{3}-\d{4}|\+?\d{1,5}-\d{2,4}-\d{4}")
"""A telephone number with hyphens, which is no sum and no date."""
DAY_FIRST = re.compile(r"\d{1,2}-\d{1,2}-\d{4}")


LETTERED = re.compile(r"(?<=\d[A-Z])\.$")
"""The full stop behind a number with a letter, which is no abbreviation: `seat 14A.`"""


def keep_whole(language: Language) -> None:
    """Let the tokenizer keep telephone numbers and `e-mail` as one word, and the full stop apart from `14A.`, in place."""
    tokenizer: Any = language.tokenizer
    ends = tokenizer.suffix_search
    tokenizer.suffix_search = lambda word: LETTERED.search(word) or ends(word)
    tokenizer.token_match = lambda word: None if DAY_FIRST.fullmatch(word) else PHONE.fullmatch(word)
    tokenizer.add_special_case("e-mail", [{"ORTH": "e-mail"}])


def _stepwise(nlp: Language, name: str, parser: str) -> Stepwise:
    del name
    return Stepwise(nlp.get_pipe(parser))


class Stepwise:
    """A greedy transition-based parser or entity recognizer of spaCy, taken step by step from here.

    The same moves of the same model: but its own loop (`greedy_parse`) runs without the interpreter's lock and has to take it
    for each move of each word, 36 a word in the recognizer.
    """

    def __init__(self, parser: Any) -> None:
        """`parser`: spaCy's component."""
        self._parser = parser

    def __call__(self, doc: Doc) -> Doc:
        """Annotates one document, in place."""
        self._annotate([doc])
        return doc

    def pipe(self, docs: Iterable[Doc], *, batch_size: int) -> Iterator[Doc]:
        """Annotates documents, in place and in order."""
        waiting, share = iter(docs), max(1, batch_size // SHARE)
        while batch := list(islice(waiting, batch_size)):
            alike = sorted(batch, key=len)
            for start in range(0, len(alike), share):
                self._annotate(alike[start : start + share])
            yield from batch

    def _annotate(self, docs: Sequence[Doc]) -> None:
        states = self._parser.moves.init_batch(docs)
        going = [state for state in states if not state.is_final()]
        if going:
            model = self._parser.model.predict(docs)
            while going:
                going = self._parser.transition_states(going, model.predict(going))
            model.clear_memory()
        self._parser.set_annotations(docs, states)


# -- the threads of NumPy's matrix products ---------------------------------------------------------------------------

_entering = threading.RLock()


@contextmanager
def single_threaded() -> Iterator[None]:
    """NumPy's matrix products run on one thread in this process until it is left; others who enter wait.

    A sentence's are so small that a second thread mostly waits, at full speed: measured, twice the processor time.
    """
    # The number belongs to the process, and only the thread that set it can set it back.
    with _entering, _blas().limit(limits=1):
        yield


@cache
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def _forked() -> None:
    # A thread that was inside does not live on in the child.
    global _entering
    _entering = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


NAME = "goalmem_boundaries"


CHARACTERS = 20_000
"""Maximum characters of a text, cut at the last sentence end. The parser needs about 2 KB of memory per character."""
TOKENS = 5_000
"""Maximum tokens of a text: 20,000 characters of English at about 4 characters per token with its blank."""
SENTENCE_TOKENS = 200
"""Maximum tokens of a sentence. The longest sentence of the Penn Treebank has 141 words."""
DEPTH = 40
"""Maximum depth of a dependency tree. Components recurse with up to four frames per word."""

_SENTENCE_ENDS = (". ", "! ", "? ", ".\n", "!\n", "?\n", "\n")


def cut(text: str, limit: int = CHARACTERS) -> str:
    """At most `limit` characters, up to the last sentence end if there is one in the second half."""
    if len(text) <= limit:
        return text
    end = max(text.rfind(mark, limit // 2, limit) + 1 for mark in _SENTENCE_ENDS)
    return text[: end or limit]


def excess(doc: Doc) -> Iterator[tuple[int, int]]:
    """Character ranges of the sentences of a parsed text that are over the budget."""
    for sentence in doc.sents:
        if len(sentence) > SENTENCE_TOKENS or (len(sentence) > DEPTH and _is_deep(sentence)):
            yield sentence.start_char, sentence.end_char


def _is_deep(sentence: Span) -> bool:
    """True if the dependency tree is deeper than `DEPTH`."""
    level, waiting = 0, [sentence.root]
    while waiting and level <= DEPTH:
        level, waiting = level + 1, [child for word in waiting for child in word.children]
    return bool(waiting)


def blanked(text: str, ranges: list[tuple[int, int]]) -> str:
    """The text with these ranges replaced by a line end and blanks: other characters keep their offsets, and a new
    sentence starts.
    """
    for start, end in ranges:
        text = f"{text[:start]}\n{' ' * (end - start - 1)}{text[end:]}"
    return text


RUN = 2 * SENTENCE_TOKENS


def boundaries(doc: Doc) -> Doc:
    """Starts a sentence after a line end, after an emoji, `!` or `?` that a capital follows, and in a run of words without an end
    that is too long for one, since the parser takes time with the square of a sentence's length.
    """
    run = 0
    for before, token in pairwise(doc):
        last = before.text[-1]
        run = 0 if last in ".!?…\n" else run + 1
        if run >= RUN:
            token.is_sent_start, run = True, 0
        ended = last in "!?" or is_emoji(before.text)
        if (before.is_space and "\n" in before.text) or (ended and token.text[:1].isupper()):
            token.is_sent_start = True
    return doc


def is_emoji(text: str) -> bool:
    """True for a token that consists of pictographs."""
    return not text.isascii() and all(unicodedata.category(c) in ("So", "Sk", "Mn", "Cf") for c in text)


def register(language: Language) -> None:
    """Puts `boundaries` before the parser, which keeps the starts it finds."""
    from spacy.language import Language as Registry

    if not Registry.has_factory(NAME):
        Registry.component(NAME, func=boundaries)
    language.add_pipe(NAME, before="parser")
