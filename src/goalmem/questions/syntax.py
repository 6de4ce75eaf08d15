"""A question taken apart by its own syntax: what is asked for, and the statement it asks about."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language.lexicon import coarse_type
from goalmem.language.sentences import QUESTION_BREAK
from goalmem.language.words.modifiers import FLOATING, RANKS_OF_EVENTS
from goalmem.language.words.pronouns import INTERROGATIVES
from goalmem.questions.forms import Question, read_wh, read_whether
from goalmem.questions.wh import Asked, inside_relative, wh_phrase

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Asked", "Question", "normalise", "plain", "read_question"]

PREAMBLE = re.compile(
    r"^\s*(?:(?:so|and|but|ok(?:ay)?|well|hey|hi|um+|please|also|then)\b[\s,]*|"
    r"(?:(?:can|could|would|will) you (?:please )?)?(?:tell|remind) me\b[\s,:]*|"
    r"(?:do|did|can|could) (?:you|we) (?:happen to )?(?:know|remember|recall|say)\b[\s,:]*|"
    r"i (?:wonder|forget|forgot|want to know|would like to know)\b[\s,:]*|"
    r"i (?:do not|don['’]t|can['’]?t|cannot) (?:know|remember|recall)\b[\s,:]*|"
    r"(?:do you have )?any idea\b[\s,:]*)+",
    re.IGNORECASE,
)
"""Words that introduce a question and ask nothing."""
REMINDED = re.compile(
    r"\b(?:(?:can|could|would|will) you|you (?:can|could|would|might)|please)(?: please| just| kindly)*"
    r" (?:remind|tell) me(?: again)?(?P<of> (?:of|about))?(?=\s)[\s,:]*"
    r"|\bi(?:['’]m| am| was| have been|['’]ve been)(?: just)? wondering\b[\s,:]*",
    re.IGNORECASE,
)
"""What leads, in the middle of a sentence, to what is asked: `I was wondering if you could remind me …`."""
FRONTED = re.compile(
    r"^(?P<front>(?:for|in|on|at|during|after|before|since|with|while|when|until|from|by)\b[^,?]*), "
    r"(?P<core>(?:who|whom|whose|what|which|where|when|why|how|did|does|do|is|are|was|were|has|have|had|will|would|can|could)"
    r"\b[^?]*)\?$",
    re.IGNORECASE,
)
"""A circumstance in front of its question, parted from it by a comma."""
OVERALL = re.compile(r",?\s+(?:so far|to date|up to now|until now|again|overall)(?=\s*[?,]|$)", re.IGNORECASE)
"""Words at the end of a question, or of its clause, that say no more than that all counts that is known."""
IN_TOTAL = re.compile(
    r",?\s+(?:in total|altogether|all together|in all|combined)(?=\s*[?,]|\s+(?:from|on|for|through)\b)", re.IGNORECASE
)
"""Words that ask for the sum."""

CALLED = re.compile(
    r"^(?:what|how)(?P<be>['’]s| is| was| are| were) (?P<owned>(?:my|our|your|his|her|their|its|the|this|that|[\w.-]+['’]s) [\w' ’-]+?) (?:called|named)$"
    r"|^what (?:do|does) (?:i|we|you|he|she|they|[\w.-]+) call (?P<other>(?:my|our|your|his|her|their|its|[\w.-]+['’]s) [\w -]+?)$",
    re.IGNORECASE,
)
"""What somebody's cat is called: its name."""


DENIED = re.compile(
    r"^(?P<before>(?:[a-z]+ )?(?:what|which|who|whom|whose|where|when|why|how)\b[^?,]*? )"
    r"(?P<aux>wo|ca|sha|do|does|did|has|have|had|would|could|should|must|might)n['’]?t\b",
    re.IGNORECASE,
)
"""A question up to its auxiliary with a negation."""
LONGEST_FRAGMENT = 8
"""Words of a question that is no clause."""
FULL = {"wo": "will", "ca": "can", "sha": "shall"}
"""What auxiliaries are that change before a negation."""


def read_question(text: str, analyze: Callable[[str], Doc]) -> Question | None:
    """Take a question apart; None when its form is none of those known here."""
    asked = normalise(text)
    plain_ = IN_TOTAL.sub("", asked)
    doc = analyze(plain_)
    if not len(doc):
        return None
    wh = asking_word(doc)
    if wh is None and (named := named_alone(doc)) is not None:
        asks = {"person": "Who is", "animal": "What is the name of"}.get(coarse_type(named.lemma_), "What is")
        doc = analyze(f"{asks} {without_case(doc)}")
        wh = asking_word(doc)
    question = read_whether(doc) if wh is None else read_denied(plain_, analyze) or read_wh(doc, wh_phrase(doc, wh))
    return replace(restated(question, analyze), total=plain_ != asked) if question is not None else None


def asking_word(doc: Doc) -> Token | None:
    """The first wh-word that asks."""
    return next((t for t in doc if t.lower_ in INTERROGATIVES and not inside_relative(t, doc)), None)


def named_alone(doc: Doc) -> Token | None:
    """The noun of a question that is a noun phrase with an owner: `Leo's teacher?`; None for any other question."""
    said = [t for t in doc if not t.is_punct or t.text in "'’-"]
    if (
        not said
        or len(said) > LONGEST_FRAGMENT
        or any(t.pos_ in ("VERB", "AUX", "ADP", "CCONJ", "SCONJ", "ADV") for t in said)
    ):
        return None
    owned = said[0].tag_ == "PRP$" or any(t.tag_ == "POS" for t in said[:-1])
    return said[-1] if owned and said[-1].pos_ == "NOUN" else None


def without_case(doc: Doc) -> str:
    """A fragment as it stands within a sentence."""
    return f"{doc.text[:1].lower()}{doc.text[1:]}" if doc[0].pos_ != "PROPN" else doc.text


def read_denied(text: str, analyze: Callable[[str], Doc]) -> Question | None:
    """`What won't Leo eat?` by the parse of `What will Leo eat?`, which parsers read better; None for any other question."""
    found = DENIED.match(text)
    if found is None:
        return None
    helper = FULL.get(found["aux"].casefold(), found["aux"])
    doc = analyze(f"{found['before']}{helper}{text[found.end() :]}")
    wh = asking_word(doc)
    question = read_wh(doc, wh_phrase(doc, wh), denied=True) if wh is not None else None
    return question if question is not None and question.subject else None


def restated(question: Question, analyze: Callable[[str], Doc]) -> Question:
    """The same with its words taken from a parse of the statement, which parsers read better than questions."""
    lead = (
        "Someone"
        if question.gap == "subject"
        else f"Someone's {plain(question.owned)}"
        if question.gap == "owner"
        else ""
    )
    subject = plain(question.subject) or lead
    middle = f" {question.verb} "
    first, at_end = split_at(question.rest, question.stranded)
    gap = (
        ""
        if question.gap != "object" or (question.stranded is not None and question.stranded not in question.rest)
        else "something"
    )
    if gap and question.stranded is None:
        text = f"{subject}{middle}{gap} {plain(question.rest)}"
        gap_at = len(subject) + len(middle)
    else:
        text = f"{subject}{middle}{plain(first)}"
        gap_at = len(text) + 1
        text = f"{text} {gap} {plain(at_end)}" if gap else f"{text} {plain(at_end)}"
    doc = analyze(f"{text.rstrip()}.")
    verb_from, verb_to = len(subject), len(subject) + len(middle)
    outside = [t for t in doc if not (t.is_punct and t.i == len(doc) - 1)]
    if gap:
        outside = [t for t in outside if not gap_at <= t.idx < gap_at + len(gap)]
    own_subject = () if lead and subject == lead else tuple(t for t in outside if t.idx < verb_from)
    # Whether something was the first time is not whether it was: there the word stays.
    kept = RANKS_OF_EVENTS if question.asked is Asked.WHETHER else {}
    rest = tuple(t for t in outside if t.idx >= verb_to and (t.lower_ in kept or not floats(t)))
    stranded = question.stranded
    if stranded is not None and stranded in question.rest:
        word = stranded.text
        stranded = next((t for t in reversed(rest) if t.text == word and t.idx < gap_at), None)
    return replace(question, subject=own_subject, rest=rest, stranded=stranded)


def plain(tokens: Sequence[Token]) -> str:
    """Tokens as text."""
    gaps = (
        t.whitespace_ or ("" if n + 1 < len(tokens) and tokens[n + 1].i == t.i + 1 else " ")
        for n, t in enumerate(tokens)
    )
    return "".join(t.text + gap for t, gap in zip(tokens, gaps, strict=True)).strip()


def split_at(tokens: Sequence[Token], last: Token | None) -> tuple[list[Token], list[Token]]:
    """Tokens up to and with `last`, and those behind it."""
    if last is None or last not in tokens:
        return list(tokens), []
    at = list(tokens).index(last) + 1
    return list(tokens[:at]), list(tokens[at:])


def floats(token: Token) -> bool:
    """True for an adverb that says nothing of who did what."""
    return token.lower_ in FLOATING and token.pos_ == "ADV" and token.dep_ in ("advmod", "npadvmod")


def normalise(text: str) -> str:
    """The last question of the text, without what merely introduces it, with an upper-case start and a mark."""
    sentences = [s for s in QUESTION_BREAK.split(text.strip()) if s.strip()]
    asking = [s for s in sentences if s.rstrip().endswith("?")] or sentences[-1:]
    if not asking:
        return "?"
    reminded = without_lead(asking[-1].strip())
    core = PREAMBLE.sub("", reminded).strip() or reminded
    core = OVERALL.sub("", re.sub(r"[?!.\s]+$", "", core))
    if (named := CALLED.match(core)) is not None:
        called = "names" if named["be"] in (" are", " were") else "name"
        core = f"what{named['be'] or ' is'} the {called} of {named['owned'] or named['other']}"
    return put_last(f"{core[:1].upper()}{core[1:]}?")


def without_lead(sentence: str) -> str:
    """What a sentence asks to be reminded of, as a question; the sentence itself where it asks for nothing of the kind."""
    leads = list(REMINDED.finditer(sentence))
    asked = sentence[leads[-1].end() :].strip() if leads else ""
    if not asked:
        return sentence
    first = asked.split()[0].casefold()
    if first in INTERROGATIVES or first in ("if", "whether"):
        return asked
    return (
        f"What is {asked}"
        if leads[-1]["of"] or first in ("the", "my", "your", "our", "his", "her", "their")
        else sentence
    )


def put_last(question: str) -> str:
    """A question with what is fronted behind it: `In May, what did Ann buy?` as `What did Ann buy in May?`."""
    found = FRONTED.match(question)
    if found is None:
        return question
    front, core = found["front"], found["core"]
    return f"{core[:1].upper()}{core[1:]} {front[:1].lower()}{front[1:]}?"
