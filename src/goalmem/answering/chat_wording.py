"""A proved answer in a model's words, checked: it may say nothing that the values and the cited facts do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from snowballstemmer import stemmer

from goalmem.models.chat_prompts import Shown
from goalmem.proof.document import Proof
from goalmem.questions.chat_replies import Answered

__all__ = ["Worded", "worded"]

GROUNDED = 0.7
"""Share of the content words of a full sentence that must stand in the facts, the values or the question. Verbs of
telling and what joins words need not; names and numbers must."""
KEPT = 0.5
"""Share of a value's words that a short form must keep: of "the old lighthouse", "lighthouse" and not "old"."""
LONGEST = 600
"""Characters of a wording."""
UNKNOWN = re.compile(
    r"\b(?:i don['’]?t know|unknown|not (?:known|mentioned|stated|specified|answered)|no answer)\b", re.IGNORECASE
)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
EMPTY = frozenset(
    "a an the of to in on at for by with from and or but is are was were be been being has have had do does did it its he "
    "she they his her their them him that this these those as so not no yes who whom which what when where why how "
    "about into than then there also both all any some because since during after before".split()
)
_STEM = stemmer("english").stemWord


@dataclass(frozen=True, slots=True)
class Worded:
    """A wording that holds."""

    short: str
    """Empty where it keeps too little of the values: the proof's own form is then the answer."""
    full: str


def worded(reply: Answered, proof: Proof, facts: Sequence[Shown]) -> Worded | str:
    """The wording, as far as it holds; or, when its short form says what is not proved, what that is."""
    short, full = reply.short.strip()[:LONGEST], reply.full.strip()[:LONGEST]
    if UNKNOWN.search(short) or not short:
        return "it says that the facts do not answer the question"
    answer = [proof.answer, *(v.text for v in proof.values)]
    if proof.answer in ("Yes", "No"):
        first = (WORD.findall(short) or [""])[0].casefold()
        if first != proof.answer.casefold():
            return f"{short!r} is not {proof.answer!r}"
        return Worded(proof.answer, _full(full, proof, facts))
    given = _content(" ".join([*answer, proof.question]))
    if new := [w for w in WORD.findall(short) if _content(w) - given]:
        return f"{new[0]!r} stands in no value"
    # Of a time nothing may be left out: "the week of 3 May" is not 3 May.
    kept = (
        not any(v.interval for v in proof.values)
        and all(_share(v.text, short) >= KEPT for v in proof.values)
        and _numbers(short) == _numbers(proof.answer)
    )
    same_meaning = kept and not _only_question(short, answer)
    return Worded(short.rstrip(". ") if same_meaning else "", _full(full, proof, facts))


def _full(full: str, proof: Proof, facts: Sequence[Shown]) -> str:
    """The sentence, or nothing when it says what is not there."""
    given = [proof.question, proof.answer, *(v.text for v in proof.values)]
    given += [f"{f.speaker} {f.words} {f.day.day} {f.day:%B %Y}" for f in facts]
    known = _content(" ".join(given))
    said = _content(full)
    strict = {_STEM(w.casefold()) for w in WORD.findall(full)[1:] if w[0].isupper() and w != "I"} | _numbers(full)
    if not said or not strict - set(EMPTY) <= known | _numbers(" ".join(given)):
        return ""
    return full if len(said & known) / len(said) >= GROUNDED else ""


def _only_question(short: str, answer: Iterable[str]) -> bool:
    """Whether a short form has nothing of the answer in it."""
    return not _content(short) & _content(" ".join(answer)) and not _numbers(short)


def _content(text: str) -> frozenset[str]:
    words = (w.casefold().replace("’", "'").removesuffix("'s") for w in WORD.findall(text))
    return frozenset(_STEM(w) for w in words if w not in EMPTY)


def _share(value: str, short: str) -> float:
    wanted = _content(value)
    return len(wanted & _content(short)) / len(wanted) if wanted else 1.0


def _numbers(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\d+(?:\.\d+)?", text.replace(",", "")))
