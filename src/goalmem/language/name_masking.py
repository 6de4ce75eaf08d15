"""Masking for the parser: misread words are replaced by familiar ones, and lower-case text is capitalised.

A statistical tagger reads `Ines` as a plural, and `Went` at the start of a message as a name. Names are often
recognisable by position ("my sister Ines", "Ines is my aunt") or already known. Each token is replaced by exactly one
token, so that the parse applies to the original words.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.codes import CODE, codes
from goalmem.language.times_names import calendar_names, is_being
from goalmem.language.verb_forms import inflected, verb_bases
from goalmem.language.words.changes import GIVING
from goalmem.language.words.empty_phrases import ANNOUNCING, ASIDES, CLOSINGS, LOWER_CASE_ASIDES
from goalmem.language.words.function_words import ORDINARY
from goalmem.language.words.modifiers import SHORTENED
from goalmem.language.words.nouns import ANIMATE
from goalmem.language.words.pronouns import NO_NAMES
from goalmem.language.words.verbs import CONTRACTIONS, STATIVE_PARTICIPLES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


LENT = ("Anna", "Peter", "Susan", "David", "Laura", "Michael", "Helen", "Robert", "Julia", "Martin")
"""First names that the tagger and the entity recognizer get right."""
PROBED = 100
"""Names of a text of which it is tried whether the tagger gets them right: each takes some milliseconds."""
TITLE = "Macbeth"
"""What the tagger sees in place of a title in quotation marks, or of an e-mail address."""
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|(?<!\w)'([A-Z](?:[^'\n]|(?<=\w)'(?=\w)){1,80})'(?!\w)")
_TITLE_WORDS = 8
_SMALL = "in of on at to for and the from with by a an into under over upon"
_BARE_TITLE = re.compile(
    rf"(?P<first>[A-Z][a-z]+)(?: [A-Z][a-z]+){{0,2}}(?:(?: (?:{'|'.join(_SMALL.split())})\b){{1,2}} [A-Z][a-z]+(?: [A-Z][a-z]+){{0,2}}){{1,3}}"
)
_PERUSED = re.compile(
    rf"\b(?:(?:re)?(?:read|reading|reads|watch(?:ed|es|ing)?)|play(?:ed|s|ing)?|stream(?:ed|s|ing)?) (?P<title>{_BARE_TITLE.pattern})"
)
"""A work without quotation marks behind the verb for what one does with works: `read Death in Venice`."""
_OWNER = r"(?:[Mm]y|[Oo]ur|[Yy]our|[Hh]is|[Hh]er|[Tt]heir|\w+'s)"
BRITISH = {"mum": "mother", "mam": "mother", "nan": "grandmother", "gran": "grandmother", "grandad": "grandfather"}
"""Words for relatives that the tagger, trained on American text, takes for adjectives and others, with familiar
replacements.
"""
_RELATIVE = re.compile(rf"(?:\b(?:my|our|your|his|her|their)|\w['’]s) ({'|'.join(BRITISH)})\b", re.IGNORECASE)
_NOUN_NAME = re.compile(rf"\b{_OWNER} (?:[a-z]+ ){{0,2}}?([a-z]+),? ([A-Z][\w-]+)")
_NAME_NOUN = re.compile(rf"\b([A-Z][\w-]+)(?:,| is| was|'s) {_OWNER} ([a-z]+(?: [a-z]+){{0,2}})")
_NOUN_IS = re.compile(rf"\b{_OWNER} (?:[a-z]+ ){{0,2}}?([a-z]+) (?:is|was) ([A-Z][\w-]+)")
_NAMED = re.compile(r"\b(?:named|called|name is|name's|name was|[Tt]his is|[Mm]eet) ([A-Z][\w-]+)")
_ADDRESS = re.compile(r"(?<!\S)[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b")
"""E-mail addresses, which the tagger takes for anything."""
_LABELLED = re.compile(
    r"^[ \t*•-]{0,4}(?:my|our|his|her|their)(?: [\w'’-]{1,30}){0,3} (?P<noun>[\w-]{1,30}) ?(?P<mark>[:=])(?=[ \t]+\S)",
    re.IGNORECASE | re.MULTILINE,
)
"""Something of somebody's as a label: `my e-mail: ana@example.org`."""
_CAPITALISED = re.compile(r"(?<![\w@#/.-])[^\W\d_a-z]\w+(?![\w@/-])")
_IS = re.compile(
    r"(?<=\w)'s(?= (?:my|your|our|his|her|their|its|a|an|the|not|so|very|really|just|been)\b)", re.IGNORECASE
)
"""The 's before a determiner is a verb, never a genitive: "It's my favourite", "Maya's my teacher"."""
_IS_DOING = re.compile(r"(?<=\w)'s(?= \w+ing (?:me|you|him|us|them|it)\b)")
_IS_SO = re.compile(r"(?<=\w)'s(?= (\w+)(?:[.,!?;]|$| (?:and|but|of|about|because|at|with|to|now|again|today)\b))")
_HAS_DONE = re.compile(
    r"(?<=\w)'s(?= (?:(?:just|now|already|also|finally|never|recently) )?(?P<done>\w+)"
    r" (?:to|for|at|with|from|up|out|off|away|back|over|in|on|into|down|a|an|the|my|our|his|her|their|your|it|another|some)\b)"
)
"""The 's before a participle with a preposition, particle or object is a verb: "Leo's signed for Ware", "Mum's bought a car"."""
_DOES = re.compile(
    r"(?:^|[.!?\n]\s{0,3}|(?P<behind>,? (?:and|but|while)) )(?:(?P<name>[A-Z]\w+)|(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir) (?P<noun>[a-z]+))"
    r" (?P<does>[a-z]+s)(?=[.,;!?\n]|$| (?:and|but|while)\b)"
)
"""A being and a word in -s alone: `Ana sings and her brother dances`."""
_INTRANSITIVE = "arrives"
"""What the tagger sees in place of a verb in -s that it would take for a plural."""
_DONE = re.compile(
    r"(?:^|[.!?]\s{1,3}|\n\s{0,3})(?P<did>[A-Za-z][a-z]+)"
    r"(?= (?:my|our|the|an?|his|her|their|this|that|these|those|some|it|them|him|me|us|\d[\d.,]*)\b"
    r"| [A-Z](?![^.,;:!?\n]{0,80} (?:is|was|are|were|has|have|had|will|can)\b))"
)
"""The start of a sentence that may be a verb with its object: `Paid Tess back`."""
_NOT_DONE = frozenset("left said asked replied answered provided supposed granted united".split())
"""Forms of the past that open other sentences (a speech, a condition, a name), or that the parser knows there."""
_SAME_IN_PAST = frozenset({"hurt", "quit", "upset"})
"""Verbs that nobody is asked to do, and whose past is their base form."""
_DID, _GAVE = "bought", "gave"
"""What the tagger sees in place of a verb in the past, which without its subject it takes for an adjective, a name or an order."""
_START = re.compile(r"(?:^|[.!?]\s++|(?<!\s)(?P<blank>\s++))(?P<word>[A-Z][a-z]+)(?= [a-z])")
"""The start of a sentence. A run of blanks is scanned only once."""


def quoted_titles(text: str) -> list[tuple[int, int]]:
    """Character ranges of quotations that look like titles, the marks left out: most of their longer words are capitalized."""
    found = []
    for m in _QUOTED.finditer(text):
        inner = m[m.lastindex or 0]
        words = inner.strip(".,!? ").split()
        long = [w for w in words if len(w) > 3] or words
        if (
            words
            and len(words) <= _TITLE_WORDS
            and inner[0].isupper()
            and 2 * sum(w[:1].isupper() or w[:1].isdigit() for w in long) > len(long)
            and inner[-1] not in "?!"
        ):
            start = m.start(m.lastindex or 0)
            found.append((start, start + len(inner.rstrip(".,"))))
    return found


def bare_titles(text: str) -> list[tuple[int, int]]:
    """Character ranges of titles without quotation marks, which begin with an ordinary word: `Death in Venice`, not `Emma in Venice`."""
    found = ((m.span("title"), m["first"].lower()) for m in _PERUSED.finditer(text))
    return [span for span, first in found if _is_ordinary(first)]


def _is_ordinary(word: str) -> bool:
    """True for a word that is no name and no day, month, place or language."""
    known = any(lexicon.is_known(form, pos) for form in (word, word.removesuffix("s")) for pos in "nva")
    kinds = ("language", "day of the week", "calendar month", "game", "sport")
    own = lexicon.may_be_given_name(word.title()) or lexicon.is_named(word)
    return known and not own and not any(lexicon.can_be(word, kind) for kind in kinds)


def replacements(text: str, names: Collection[str], is_strange: Callable[[str], bool]) -> dict[int, str]:
    """Offset of a word -> replacement for parsing: for names recognised by position, known names, and misread words.

    `is_strange` says whether the parser misreads a name.
    """
    words = [m.group(2) for m in _NOUN_NAME.finditer(text) if is_being(m.group(1))]
    words += [m.group(1) for m in _NAME_NOUN.finditer(text) if any(map(is_being, m.group(2).split()))]
    words += [m.group(1) for m in _NAMED.finditer(text)]
    words += [m.group(2) for m in _NOUN_IS.finditer(text) if is_being(m.group(1)) and _is_unknown(m.group(2))]
    words += [m.group() for m in _CAPITALISED.finditer(text) if lexicon.is_given_name(m.group())]
    words += [name for name in names if name[:1].isupper() and name in text]
    strange = (word for word in islice(filter(_is_name, dict.fromkeys(words)), PROBED) if is_strange(word))
    timed = dict.fromkeys(text[start:end] for start, end in sorted(calendar_names(text)))
    found: dict[int, str] = {}
    # `strange` comes last, so that no name is tried once there is none left to lend.
    for familiar, word in zip((name for name in LENT if name not in text), chain(timed, strange), strict=False):
        places = (
            calendar_names(text)
            if word in timed
            else ((m.start(), m.end()) for m in re.finditer(rf"\b{re.escape(word)}\b", text))
        )
        found |= {start: familiar for start, end in places if text[start:end] == word}
    for m in _START.finditer(text):
        starts = m["blank"] is None or "\n" in m["blank"][:-1]
        if starts and m.start("word") not in found and _is_verb_form(m["word"].lower()):
            found[m.start("word")] = m["word"].lower()
    for m in _DONE.finditer(text):
        if m.start("did") not in found and _is_told(m):
            did = m["did"].lower()
            familiar = _GAVE if _past_of(did) in GIVING else _DID
            found[m.start("did")] = did if _is_verb_form(did) else familiar
    found |= {m.start("does"): _INTRANSITIVE for m in _does(text)}
    found |= {m.start(1): BRITISH[m[1].casefold()] for m in _RELATIVE.finditer(text)}
    found |= {m.start(): TITLE for m in _ADDRESS.finditer(text)}
    found |= {m.start("mark"): _copula(m["noun"].lower()) for m in _LABELLED.finditer(text)}
    found |= {m.start(): "is" for m in (*_IS.finditer(text), *_IS_DOING.finditer(text))}
    found |= {m.start(): verb for m in _HAS_DONE.finditer(text) if (verb := _auxiliary(m["done"]))}
    found |= {m.start(): "is" for m in _IS_SO.finditer(text) if _is_adjective(m.group(1))}
    return found | {start: seen for start, _, seen in codes(text)}


def _does(text: str) -> Iterator[re.Match[str]]:
    """The matches of `_DOES` whose last word is a verb of a person's.

    Behind a conjunction, where `Tom likes cats and Ana dogs` is possible, it has to be a verb more often than a noun.
    """
    at = 0
    while (m := _DOES.search(text, at)) is not None:
        at = m.start("does")
        person = lexicon.may_be_given_name(m["name"]) if m["name"] else lexicon.coarse_type(m["noun"]) == "person"
        base = _third_person_of(m["does"]) if person else ""
        uses = lexicon.tagged_uses(base, "n") if m["behind"] else 0
        if base and lexicon.tagged_uses(base, "v") > uses:
            yield m


def _third_person_of(word: str) -> str:
    """The verb of which a word is the third person; empty if it is none."""
    return next((base for base in verb_bases(word) if base != word and word in inflected(base, "VBZ")), "")


def _is_told(start: re.Match[str]) -> bool:
    """True if a match of `_DONE` tells what its author did: not for `Rose Miller`, `Provided the price is right`."""
    word = start["did"]
    named = start.string[start.end() + 1 : start.end() + 2].isupper() and lexicon.may_be_given_name(word.title())
    return word.lower() not in _NOT_DONE and not named and _past_of(word.lower()) != ""


def _past_of(word: str) -> str:
    """The verb of which a word is the past tense; empty if it is of none, or also its base form."""
    if word in _SAME_IN_PAST:
        return word
    return next((base for base in verb_bases(word) if base != word and word in inflected(base, "VBD")), "")


def _is_adjective(word: str) -> bool:
    return lexicon.is_known(word, "a") and not lexicon.is_known(word, "n")


def _auxiliary(word: str) -> str:
    """The verb that forms a clause with a past participle: `is` if it is a state (`married to`, `based in`), else `has`; empty for other words."""
    if word in STATIVE_PARTICIPLES:
        return "is"
    return "has" if word == "got" or any(word in inflected(base, "VBN") for base in verb_bases(word)) else ""


def _copula(noun: str) -> str:
    return "are" if lexicon.base_form(noun) != noun else "is"


def _is_name(word: str) -> bool:
    """No pronoun, day, month, or name of a place."""
    return (
        word.lower() not in NO_NAMES
        and not lexicon.is_named(word)
        and lexicon.coarse_type(word) not in ("time", "place")
    )


def _is_unknown(word: str) -> bool:
    """True if no dictionary has the word: it is a name then, and neither `German` nor `Great`."""
    return not any(lexicon.is_known(word.lower(), pos) for pos in "nva")


def _is_verb_form(word: str) -> bool:
    """An unambiguous past form or participle."""
    if lexicon.is_known(word, "n") or lexicon.is_known(word, "a"):
        return word in ("went", "had", "got", "saw", "made", "felt")
    stems = (
        (word[:-2], word[:-1]) if word.endswith("ed") else (word[:-3], f"{word[:-3]}e") if word.endswith("ing") else ()
    )
    return lexicon.base_form(word) != word or any(lexicon.is_known(stem, "v") for stem in stems)


def is_title(token: Token) -> bool:
    """True if the token is a whole title, in quotation marks or without."""
    text = token.text
    if " " in text and _BARE_TITLE.fullmatch(text):
        return True
    return len(text) > 3 and text[0] in "\"'" and text[1].isupper() and text[-1] == text[0]


def contractions(doc: Doc) -> dict[int, str]:
    """Offset of a contracted verb without its apostrophe ("im", "hes", "ive") -> the same with it, which the parser knows."""
    found = {}
    for token in doc[1:]:
        if token.lower_ not in CONTRACTIONS or doc[token.i - 1].whitespace_ or not doc[token.i - 1].is_alpha:
            continue
        behind = token.nbor().lower_ if token.i + 1 < len(doc) else ""
        verb = lexicon.tagged_uses(behind, "v") > lexicon.tagged_uses(behind, "n")
        if token.lower_ != "d" or verb or behind in ("be", "have", "rather", "never"):
            found[token.idx] = f"'{token.text}"
    return found


def masked(doc: Doc, words: Mapping[int, str]) -> Doc:
    """The tokenized document with the tokens at these offsets replaced; the same document if there are none."""
    from spacy.tokens import Doc as Document

    if not any(t.idx in words for t in doc):
        return doc
    return Document(doc.vocab, [words.get(t.idx, t.text) for t in doc], [bool(t.whitespace_) for t in doc])


def asides(doc: Doc) -> dict[int, str]:
    """Marks in place of what only comments on a sentence, the `btw` of `allergic to chicken and beef btw` and emoji; words in place of `+` and `w/`."""
    announced = [m.span() for m in ANNOUNCING.finditer(doc.text)]
    starts = [start for start, _ in announced]
    marks = {
        t.idx: ","
        for t in doc
        if t.lower_ in ASIDES
        or t.text in LOWER_CASE_ASIDES
        or _is_emoji(t.text)
        or _closes(t)
        or ((before := bisect_right(starts, t.idx)) and t.idx < announced[before - 1][1])
    }
    joined = {t.idx: "and" for t in doc[1:-1] if t.text == "+" and t.nbor(-1).is_alpha and t.nbor().is_alpha}
    return marks | joined | {t.idx: SHORTENED[t.lower_] for t in doc if t.lower_ in SHORTENED}


def _is_emoji(word: str) -> bool:
    return any(unicodedata.category(c) == "So" for c in word) and not any(map(str.isalnum, word))


def _closes(token: Token) -> bool:
    """True for the `thanks` of `my boss is called Petra thanks`."""
    if token.text not in CLOSINGS or token.i < 2 or not all(t.is_punct for t in token.doc[token.i + 1 :]):
        return False
    before = token.nbor(-1).text
    return before[0].isupper() or before[0].isdigit()


def unmasked(parsed: Doc, plain: Doc) -> Doc:
    """The parse of the disguised document on the words as they were written."""
    from spacy.tokens import Doc as Document

    if parsed is plain:
        return parsed
    written = [t for t in parsed if t.text == CODE]
    moved = {t.i: (t.i - 1, "nummod") for t in written if _describes(t)}
    moved |= {t.i: (t.head.head.i, "attr") for t in written if _is_asked_for(t)}
    return Document(
        plain.vocab,
        [t.text for t in plain],
        [bool(t.whitespace_) for t in plain],
        tags=[t.tag_ for t in parsed],
        pos=[t.pos_ for t in parsed],
        morphs=[str(t.morph) for t in parsed],
        lemmas=[
            w.text
            if t.text in LENT or t.text == CODE
            else _third_person_of(w.lower_)
            if t.text == _INTRANSITIVE != w.text
            else _past_of(w.lower_)
            if t.text in (_DID, _GAVE) and t.text != w.text
            else w.lemma_
            if is_title(w)
            else w.lower_
            if w.lower_ in BRITISH
            else t.lemma_
            for t, w in zip(parsed, plain, strict=True)
        ],
        heads=[moved[t.i][0] if t.i in moved else t.head.i for t in parsed],
        deps=[moved[t.i][1] if t.i in moved else t.dep_ for t in parsed],
        ents=["O" if t.ent_iob_ in ("O", "") else f"{t.ent_iob_}-{t.ent_type_}" for t in parsed],
    )


def _describes(code: Token) -> bool:
    """True for a code right behind a noun: `the code K7-99`."""
    placed = code.dep_ not in ("ROOT", "conj", "attr", "nsubj", "nsubjpass") and not any(code.children)
    return placed and code.i > 0 and code.nbor(-1).pos_ in ("NOUN", "PROPN") and code.head.i < code.i


def _is_asked_for(code: Token) -> bool:
    """True for the code of `Is my booking code K7-99?`, which the parser takes for a part of the subject."""
    subject = code.head
    verb = subject.head
    asked = code.dep_ == "nummod" and subject.dep_ == "nsubj" and verb.lemma_ == "be" and verb.i < subject.left_edge.i
    return asked and not any(t.dep_ != "punct" for t in verb.rights if t.i > code.i)


_WORD = re.compile(r"(?<![\w'@#/.])[a-zà-öø-ž][a-zà-öø-ž']*")
_NAMED_NOUN = re.compile(r"\b(?:my|our|his|her|their) ([a-z]+) ([a-z]+)\b|\b(?:named|called) ([a-z]+)\b")
_CAPITAL = re.compile(r"[A-Z]")


def truecase(text: str, names: Iterable[str]) -> str:
    """The text with `i`, the given names, known places and `my sister ines` capitalized, when it has no capitals at all."""
    if _CAPITAL.search(text):
        return re.sub(r"(?<![\w'])i(?=$|[\s,]|'[mdlv])", "I", text)
    known = {
        word for name in names for word in name.lower().split() if len(word) > 1 and not lexicon.is_known(word, "v")
    }
    called = {
        m.start(g) for m in _NAMED_NOUN.finditer(text) for g in (2, 3) if m.group(g) and _is_lower_case_name(m, g)
    }

    def capital(m: re.Match[str]) -> str:
        word = m.group()
        bare = word.split("'")[0]
        named = len(bare) > 2 and (lexicon.is_named(bare) or lexicon.is_given_name(bare))
        name = bare == "i" or bare in known or m.start() in called or named
        return word[0].upper() + word[1:] if name else word

    return _WORD.sub(capital, text)


def _is_lower_case_name(m: re.Match[str], group: int) -> bool:
    """After a word for a being, or "named", a word that no dictionary has is a name."""
    if group == 2 and lexicon.coarse_type(m.group(1)) not in ANIMATE:
        return False
    word = m.group(group)
    ordinary = any(lexicon.is_known(word, pos) for pos in "nva") or word in ORDINARY
    return group == 3 or not (ordinary or _is_inflected(word))


def _is_inflected(word: str) -> bool:
    """`drives`, `retired`: a form of a word that the dictionary has."""
    from goalmem.language.inflection import getAllLemmas

    return bool(getAllLemmas(word))
