"""What an utterance refers to: the goal of a question; the descriptions and names in a request, a plan or a statement.

`Book us a table at that place Maya liked` asks the memory nothing, but assumes that it knows the place: the description becomes the goal
`Maya liked (x:place)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.language.names import MaskedText, Names
from goalmem.language.sentences import SENTENCE_BREAK
from goalmem.language.words.empty_phrases import PREAMBLE
from goalmem.language.words.pronouns import DEFINITE, POINTING
from goalmem.logic.terms import Atom, Goal, Variable
from goalmem.questions.clause_split import is_calendar, split_phrases
from goalmem.questions.draft import Draft, Item, atom_of
from goalmem.questions.local import LONGEST_QUESTION, LocalReasoner, names_in, unmask_goal
from goalmem.questions.syntax import FINITE_TAGS
from goalmem.questions.wording import normalise
from goalmem.records import ASKER

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span


MOST_SENTENCES = 6
"""Sentences of an utterance that are read: the last ones, where the request usually is."""
MOST_GOALS = 4
MOST_TOPICS = 6
"""Limits that fit a prompt."""
ASKED_OF_ANOTHER = re.compile(
    r"\b(?:can|could|would|will)(?:n['’]t)? (?:you|u)\b(?: please)?|"
    r"\b(?:can|could|should|shall|may|might|must)(?:n['’]t)? (?:we|i)\b",
    re.IGNORECASE,
)
"""`could you …`, `should we …`: asks for an action or for advice, not for what was said."""
ADVICE = re.compile(r"\bshould\b", re.IGNORECASE)
LET_US = re.compile(r"^let(?:['’]s| us)\s+", re.IGNORECASE)
SAID_OF = "You should "
"""Makes a sentence of a request: parsers read `Book us a table` as a noun phrase."""


@dataclass(frozen=True, slots=True)
class UtteranceReading:
    """What to look up before an utterance is answered."""

    questions: tuple[Goal, ...]
    """What it asks the memory. `Goal.question` is the sentence."""
    described: tuple[Goal, ...]
    """What it describes as known, to be proved."""
    topics: tuple[str, ...]
    """Other people and things that it names, in its own words, to be searched for."""


def understand(
    utterance: str,
    at: datetime,
    names: Names,
    reasoner: LocalReasoner,
    analyze: Callable[[str], Doc],
    asker: str = ASKER,
) -> UtteranceReading:
    """The questions, descriptions and topics of an utterance, in the order of its sentences; each may be empty.

    `asker` is the person that `I` and `my` refer to.
    """
    text = utterance.strip()[-LONGEST_QUESTION:]
    sentences = [s for s in SENTENCE_BREAK.split(text) if s.strip()][-MOST_SENTENCES:]
    questions: list[Goal] = []
    described: list[Goal] = []
    topics: list[str] = []
    spoken_of = ""
    for sentence in sentences:
        asked = question_goal(sentence, at, names, reasoner, asker)
        if asked is not None:
            questions.append(asked)
            continue
        goals, named = references(sentence, at, names, analyze, spoken_of, asker)
        described += goals
        topics += named
        spoken_of = next((n for n in named if n[:1].isupper()), spoken_of)
    return UtteranceReading(
        tuple(dict.fromkeys(questions))[:MOST_GOALS],
        tuple(dict.fromkeys(described))[:MOST_GOALS],
        tuple(dict.fromkeys(topics))[:MOST_TOPICS],
    )


def question_goal(
    sentence: str, at: datetime, names: Names, reasoner: LocalReasoner, asker: str = ASKER
) -> Goal | None:
    """The goal of a sentence that asks what was said; None for any other."""
    asked = normalise(sentence)
    if not sentence.rstrip().endswith("?") or ASKED_OF_ANOTHER.search(asked) or ADVICE.search(asked):
        return None
    goal = reasoner.goals(sentence, at, names, asker)[0]
    understood = any(a.variables for a in goal.atoms) or "“" not in goal.atoms[0].read_as()[0]
    return goal if understood else None


def references(
    sentence: str, at: datetime, names: Names, analyze: Callable[[str], Doc], main: str = "", asker: str = ASKER
) -> tuple[list[Goal], list[str]]:
    """The descriptions in a sentence, as goals, and the remaining names and definite phrases.

    `main`: who was mentioned before, for a pronoun without a name before it in the sentence.
    """
    said = PREAMBLE.sub("", sentence).strip() or sentence.strip()
    disguise = names.disguise(said if said.endswith((".", "!", "?")) else f"{said}.", beside=asker)
    doc, start = statement_of(marked_text(disguise.text, analyze), analyze)
    tokens = [t for t in doc[start:] if not (t.is_punct and t.i == len(doc) - 1)]
    variables = iter(("x", "y", "z", "w", "v", *(f"v{n}" for n in range(LONGEST_QUESTION))))
    draft = Draft(variables, asker, at.replace(tzinfo=None), main=main)
    left = split_phrases(tokens, draft, split_owners=True)
    atoms = [atom_of(items, draft) for items in draft.atoms]
    goals = [unmask_goal(goal, sentence, disguise) for goal in tied_atoms(sentence, atoms)]
    return goals, [topic for chunk in doc.noun_chunks if (topic := topic_of(chunk, left, disguise))]


def marked_text(text: str, analyze: Callable[[str], Doc]) -> str:
    """Insert `that` before relative clauses without one: `the tea that Ann likes`.

    Parsers take `the tea Ann` for one noun phrase.
    """
    doc = analyze(text)
    places = []
    for name in doc[1:]:
        if name.pos_ != "PROPN" or not name.text[0].isupper() or name.nbor(-1).pos_ == "PROPN":
            continue
        behind = next((t for t in doc[name.i :] if t.pos_ != "PROPN"), None)
        before = next((t.i for t in reversed(doc[: name.i]) if t.lower_ in DEFINITE or not t.text.islower()), 0)
        phrase = list(doc[before : name.i])
        described = phrase[0].lower_ in DEFINITE and len(phrase) > 1 and phrase[-1].pos_ in ("NOUN", "ADJ")
        if behind is not None and behind.tag_ in FINITE_TAGS and described and not is_calendar(phrase):
            places.append(name.idx)
    for place in reversed(places):
        text = f"{text[:place]}that {text[place:]}"
    return text


def statement_of(text: str, analyze: Callable[[str], Doc]) -> tuple[Doc, int]:
    """A sentence parsed as a statement, and the first token of its own words."""
    core = LET_US.sub("", ASKED_OF_ANOTHER.sub("", text, count=1)).strip(" ,")
    if core == text:
        doc = analyze(text)
        if any(t.dep_ in ("nsubj", "nsubjpass") and t.head.dep_ == "ROOT" for t in doc):
            return doc, 0
    core = core or text
    words = core.split(maxsplit=1)
    first = words[0] if words[0] in {t.text for t in analyze(core) if t.pos_ == "PROPN" and t.i} else words[0].lower()
    return analyze(" ".join([SAID_OF.strip(), first, *words[1:]])), len(SAID_OF.split())


def tied_atoms(sentence: str, atoms: Sequence[Atom]) -> Iterator[Goal]:
    """Yield one goal for each group of atoms that share variables; the answer is what the first of them describes."""
    groups: list[list[Atom]] = []
    for atom in atoms:
        names = {v.name for v in atom.variables}
        joined = [g for g in groups if names & {v.name for a in g for v in a.variables}]
        groups = [g for g in groups if g not in joined] + [[a for g in joined for a in g] + [atom]]
    for group in groups:
        answer: Variable | None = next((v for a in group for v in a.variables), None)
        if answer is not None:
            yield Goal(sentence, tuple(group), answer)


def topic_of(chunk: Span, left: Sequence[Item], disguise: MaskedText) -> str:
    """A noun phrase that refers to someone or something known, in its own words; empty for any other."""
    tokens = [t for t in chunk if t in left]
    if len(tokens) < len(chunk):
        return ""
    named = any(t.pos_ == "PROPN" for t in tokens) or bool(names_in(chunk.as_doc()))
    if is_calendar(tokens) or (not named and tokens[0].lower_ not in DEFINITE):
        return ""
    if tokens[0].lower_ in POINTING:
        tokens = tokens[1:]
    return disguise.reveal("".join(t.text_with_ws for t in tokens).strip())
