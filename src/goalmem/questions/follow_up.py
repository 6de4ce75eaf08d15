"""Complete a question that continues the previous one.

`And her brother?` after `Where does Ana live?` asks where Ana's brother lives; `Since when?` asks since when she does. Omitted words are
taken from the previous question (stripping and sluicing: Merchant 2001, "The Syntax of Silence"); pronouns refer to what that question or
its answer named. Other questions stay unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.clauses import finite_form
from goalmem.language.entities import noun_type
from goalmem.language.names import Names
from goalmem.language.words.function_words import ASKS_WHETHER
from goalmem.language.words.nouns import ANIMATE
from goalmem.language.words.pronouns import INTERROGATIVES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


LEAD = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay|then)\W+)*(?:(?P<about>(?:what|how) about)\b\W*|(?:and|but|so)\b\W+)?(?P<rest>.*?)(?P<end>[\s?!.]*)$",
    re.IGNORECASE | re.DOTALL,
)
LONGEST = 8
"""Words of a fragment without a verb."""
MALE, FEMALE = frozenset({"he", "him", "his"}), frozenset({"she", "her", "hers"})
SEVERAL = frozenset({"they", "them", "their", "theirs"})
THING = frozenset({"it", "its"})
OWNING = frozenset({"his", "her", "hers", "its", "their", "theirs"})
PRONOUNS = MALE | FEMALE | SEVERAL | THING
AGREEING = {
    **dict.fromkeys(("do", "does"), ("does", "do", "do")),
    **dict.fromkeys(("am", "is", "are"), ("is", "am", "are")),
    **dict.fromkeys(("was", "were"), ("was", "was", "were")),
    **dict.fromkeys(("has", "have"), ("has", "have", "have")),
}
"""An auxiliary -> its forms after a singular subject, `I`, and a plural subject (Quirk et al. 1985, section 10.34)."""


@dataclass(frozen=True, slots=True)
class PreviousQuestion:
    """The previous question and its answer; the answer is empty if it is not known."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase of a question."""

    text: str
    start: int
    end: int
    kind: str
    """The coarse type; empty if not known."""
    gender: str = ""
    plural: bool = False
    subject: bool = False
    owner: str = ""

    @property
    def animate(self) -> bool:
        """True for people, animals, and names of unknown type."""
        return self.kind in ANIMATE or (not self.kind and self.text[:1].isupper())


def complete_question(question: str, previous: PreviousQuestion, read: Callable[[str], Doc], names: Names) -> str:
    """The question completed from the previous one; unchanged if it stands alone, or if nothing fits."""
    before = previous.question.strip()
    if not before:
        return question
    asked = PreviousReading(previous.answer, read(names.written(before)), names)
    said = resolve_pronouns(question, read(names.written(question)), asked, names)
    found = LEAD.match(said)
    rest = found["rest"].strip() if found is not None else ""
    asks = found is not None and (found["about"] or found.start("rest") or "?" in found["end"])
    if found is None or not asks or not rest or len(rest.split()) > LONGEST:
        return said
    doc = read(names.written(rest))
    if not found["about"] and any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in doc):
        return said
    if any(t.lower_ in INTERROGATIVES for t in doc[:2]):
        return sluiced_question(rest, asked) or said
    return strip_lead(rest, doc, asked, names) or said


class PreviousReading:
    """The previous question, parsed."""

    def __init__(self, answer: str, doc: Doc, names: Names) -> None:
        self.text = doc.text.rstrip(" ?!.")
        self.answer = answer.strip()
        self.doc = doc
        self.phrases = list(phrases(doc, names))
        self.wh = next((t for t in doc if t.lower_ in INTERROGATIVES), None)

    @property
    def answered(self) -> Phrase | None:
        """The previous answer as a phrase, with the type and gender that were asked for."""
        if not self.answer or self.wh is None or self.answer.split()[0].casefold() in ("yes", "no"):
            return None
        word = self.wh.lower_
        noun = next((p for p in self.phrases if p.subject), None)
        kind = {"who": "person", "whom": "person", "where": "place", "when": "time", "how": "quantity"}.get(word, "")
        if word in ("what", "which"):
            behind = self.doc[self.wh.i + 1 :]
            named = next((t for t in behind if t.pos_ in ("NOUN", "PROPN", "VERB", "AUX")), None)
            kind = (noun_type(named) if named is not None and named.pos_ == "NOUN" else "") or "thing"
        gender = noun.gender if noun is not None and kind == "person" else ""
        one = kind not in ("person", "place", "time") and self.answer[:1].islower()
        return Phrase(f"the {self.answer}" if one else self.answer, -1, -1, kind, gender, " and " in self.answer)


def phrases(doc: Doc, names: Names) -> Iterator[Phrase]:
    """The noun phrases of a text, without third-person pronouns and question words."""
    named = names.said_in(doc.text)
    for chunk in doc.noun_chunks:
        root = chunk.root
        if root.pos_ in ("AUX", "VERB") or chunk[0].pos_ == "AUX" or chunk[0].lower_ in ASKS_WHETHER:
            continue  # `Has Ana` is none
        named = [n for n in named if not chunk.start_char <= n[0] < chunk.end_char]
        if any(t.lower_ in INTERROGATIVES for t in chunk):
            continue
        if root.pos_ == "PRON":
            if root.lower_ in ("i", "me", "you"):
                yield Phrase(chunk.text, chunk.start_char, chunk.end_char, "person", subject=root.dep_ == "nsubj")
            continue
        start, end = chunk.start_char, chunk.end_char
        text = doc.text[start:end]
        known = names.kind_of(text)
        kind = known if known is not None else noun_type(root)
        if root.pos_ == "PROPN" and known is None:
            kind = {"PERSON": "person", "GPE": "place", "LOC": "place", "DATE": "time"}.get(root.ent_type_, "")
        owner = next((t for t in root.lefts if t.dep_ == "poss"), None)
        owned = doc.text[start : owner.right_edge.idx + len(owner.right_edge)] if owner is not None else ""
        subject = root.dep_ in ("nsubj", "nsubjpass") or (root.dep_ == "attr" and not root.head.n_lefts)
        plural = root.tag_ in ("NNS", "NNPS") and known is None
        yield Phrase(text, start, end, kind, lexicon.gender(root.lemma_), plural, subject, owned)
        if owner is not None and owner.pos_ in ("NOUN", "PROPN") and kind not in ANIMATE:
            start, end = owner.left_edge.idx, owner.idx + len(owner)
            whose = names.kind_of(doc.text[start:end]) or noun_type(owner)
            yield Phrase(
                doc.text[start:end], start, end, whose, lexicon.gender(owner.lemma_), owner.tag_ in ("NNS", "NNPS")
            )
    for start, end in named:
        yield Phrase(doc.text[start:end], start, end, names.kind_of(doc.text[start:end]) or "", subject=True)


# --- pronouns ---------------------------------------------------------------------------------------------------------


def resolve_pronouns(question: str, doc: Doc, asked: PreviousReading, names: Names) -> str:
    """Replace pronouns by antecedents from the previous question or answer, unless the question itself has one."""
    own = list(phrases(doc, names))
    text = question
    for token in reversed(list(doc)):
        found = antecedent(token, own, asked)
        if found:
            text = text[: token.idx] + found + text[token.idx + len(token) :]
    return text


def antecedent(token: Token, own: list[Phrase], asked: PreviousReading) -> str:
    """The text that replaces a pronoun; empty for any other word, or if nothing fits."""
    word = token.lower_
    answered = asked.answered
    if word == "there" and token.dep_ == "advmod":
        where = answered if answered is not None and answered.kind == "place" else None
        places = [p for p in asked.phrases if p.kind == "place"]
        found = where or (places[0] if len(places) == 1 else None)
        return "" if found is None else found.text if found.text.split()[0] in ("in", "at") else f"in {found.text}"
    if word not in PRONOUNS or (word in THING and token.dep_ == "expl"):
        return ""
    earlier = [p for p in own if p.end <= token.idx and p.animate != (word in THING)]
    if earlier:
        return ""
    candidates = [p for p in (answered, *sorted(asked.phrases, key=lambda p: not p.subject)) if p is not None]
    found = next((p for p in candidates if agrees(word, p)), None)
    if found is None:
        return ""
    return f"{found.text}'s" if word in OWNING and (token.tag_ == "PRP$" or token.dep_ == "poss") else found.text


def agrees(word: str, phrase: Phrase) -> bool:
    """True if a pronoun may refer to the phrase."""
    if word in THING:
        answered = phrase.start < 0 and phrase.kind == "place"
        return not (phrase.animate or phrase.plural or answered or phrase.kind in ("time", "quantity"))
    if phrase.text.casefold() in ("i", "me", "you"):
        return False
    if word in SEVERAL:
        return phrase.plural
    gender = phrase.gender[:1].lower()
    fits = not gender or gender == ("m" if word in MALE else "f")
    return phrase.animate and not phrase.plural and fits


# --- what is left out -------------------------------------------------------------------------------------------------


def sluiced_question(rest: str, asked: PreviousReading) -> str:
    """`When?` after `Did Ana move?`: the question words, and the previous question as a statement."""
    base = whether(asked)
    return f"{rest[:1].upper()}{rest[1:]} {base}?" if base else ""


def whether(asked: PreviousReading) -> str:
    """The previous question as a yes/no question, with its answer in place of the question word; empty if that is unclear."""
    doc, wh = asked.doc, asked.wh
    if wh is None:
        opens = len(doc) and doc[0].lower_ in ASKS_WHETHER
        return f"{asked.text[:1].lower()}{asked.text[1:]}" if opens else ""
    verb = next((t for t in doc[wh.i + 1 :] if t.tag_ in ("VBD", "VBZ", "VBP", "MD")), None)
    if verb is None:
        return ""
    behind = asked.text[verb.idx :]
    if verb.pos_ == "AUX" and wh.dep_ not in ("nsubj", "nsubjpass"):
        place = "" if wh.lower_ != "where" or asked.answer.split(" ")[0] in ("in", "at", "on") else "in "
        filled = f" {place}{asked.answer}" if asked.answer and wh.lower_ in ("where", "what", "which", "who") else ""
        return behind + filled
    if wh.dep_ in ("nsubj", "nsubjpass") and asked.answer and verb.pos_ == "AUX":
        return f"{verb.text} {asked.answer}{asked.text[verb.idx + len(verb) :]}"
    if wh.dep_ in ("nsubj", "nsubjpass") and asked.answer and finite_form(verb) is not None:
        auxiliary = {"VBD": "did", "VBZ": "does"}.get(verb.tag_, "do")
        return f"{auxiliary} {asked.answer} {verb.lemma_}{asked.text[verb.idx + len(verb) :]}"
    return ""


def strip_lead(rest: str, doc: Doc, asked: PreviousReading, names: Names) -> str:
    """`And her brother?`: the previous question with the new phrase in place of the one it corresponds to; empty if there is none."""
    if doc[0].pos_ == "ADP" or any(t.ent_type_ in ("DATE", "TIME") for t in doc):
        return moved_question(rest, doc, asked)
    if rest.casefold() in ("me", "i"):
        new = Phrase("I", 0, len(rest), "person")
    else:
        whole = next((p for p in phrases(doc, names) if p.end - p.start >= len(rest.rstrip())), None)
        if whole is None:
            return ""
        new = whole
    target = place_of(new, asked)
    if target is None or target.end - target.start >= len(asked.text):
        return ""
    text = new.text
    if target.owner and not new.owner and not new.animate:
        text = f"{target.owner} {re.sub(r'^(?:the|a|an) ', '', text, flags=re.IGNORECASE)}"
    if doc[-1].lower_ == "one":
        text = re.sub(r"\bone$", target.text.split()[-1], text)
    changed = asked.text[: target.start] + text + asked.text[target.end :]
    return f"{agree_auxiliary(changed, target, new)}?"


def place_of(new: Phrase, asked: PreviousReading) -> Phrase | None:
    """The phrase of the previous question that the new one replaces: of the same type, the subject first."""
    alike = [p for p in asked.phrases if p.animate == new.animate and (new.animate or p.kind == new.kind or not p.kind)]
    if not alike and not new.animate:
        alike = [p for p in asked.phrases if not p.animate]
    return min(alike, key=lambda p: not p.subject, default=None)


def moved_question(rest: str, doc: Doc, asked: PreviousReading) -> str:
    """`And in 2019?`: the previous question with a new circumstance, which replaces one of its type or is added at the end."""
    timed = any(t.ent_type_ in ("DATE", "TIME") for t in doc)
    for token in asked.doc:
        own = token.pos_ == "ADP" and token.i and any(t.dep_ == "pobj" for t in token.children)
        of_time = any(t.ent_type_ in ("DATE", "TIME") for t in token.subtree)
        alike = own and (of_time if timed else token.lower_ == doc[0].lower_)
        alone = timed and token.dep_ == "npadvmod" and of_time
        if alike or alone:
            start = token.left_edge.idx
            end = token.right_edge.idx + len(token.right_edge)
            if asked.doc[token.right_edge.i].is_punct:
                end = asked.doc[token.right_edge.i - 1].idx + len(asked.doc[token.right_edge.i - 1])
            return f"{asked.text[:start]}{rest}{asked.text[end:]}?"
    return f"{asked.text} {rest}?"


def agree_auxiliary(text: str, target: Phrase, new: Phrase) -> str:
    """The text with the auxiliary before its subject in agreement with the new subject."""
    if not target.subject:
        return text
    words = text[: target.start].rstrip()
    last = words.rsplit(" ", 1)[-1]
    forms = AGREEING.get(last.casefold())
    if forms is None:
        return text
    form = forms[1] if new.text == "I" else forms[2] if new.plural else forms[0]
    if last[:1].isupper():
        form = form.capitalize()
    return f"{words[: len(words) - len(last)]}{form}{text[len(words) :]}"
