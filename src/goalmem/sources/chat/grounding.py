"""Turn a model's words for a value into a binding that the cited turn supports, or into the reason why it does not.

The words must be in the turn, or follow from it: the speaker, an alias, a number, a time in the turn, or the day on which it was said. The
value is read from the turn; the model's words only say where to look.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from goalmem.language import TimeMention, find_times
from goalmem.language.lexicon import coarse_type, is_a, is_known
from goalmem.language.terms import HYPHENATED, stem
from goalmem.language.words.function_words import EMPTY
from goalmem.language.words.nouns import ANYBODY, EXCLUSIVE, NUMERIC_NOUNS, OVERLAPPING
from goalmem.language.words.pronouns import FIRST_QUOTED, UNNAMED
from goalmem.logic.interval import Interval
from goalmem.logic.terms import Binding, Derivation, Value, Variable
from goalmem.records import Fact
from goalmem.sources.chat.candidates import TurnCandidate
from goalmem.sources.numbers import NUMBER_WORDS, OF_NUMBER, number_in
from goalmem.sources.similarity import Similarity
from goalmem.sources.values import said_day, without_article

QUOTES = "'\"“”‘’"
LOOSE = 2
"""A value that is not in the turn word for word may be taken from a span with up to this many additional words."""
ANOTHER_DAY = timedelta(days=777)
"""An offset that changes every relative time."""
SAME_CHARACTERS = str.maketrans(
    {"’": "'", "‘": "'", "“": "'", "”": "'", '"': "'", "`": "'", "‹": "<", "›": ">", "[": "(", "]": ")"}
)


@dataclass(frozen=True)
class ReplyGrounding:
    """Finds the values of words in turns of one space."""

    similarity: Similarity

    def binding(
        self, variable: Variable, said: str, candidate: TurnCandidate, facts: Sequence[Fact] = ()
    ) -> Binding | str:
        """The binding for `said` in the candidate; or why there is none. `facts` are those of its turn."""
        if not said.strip():
            return f"no value is given for {variable.name}"
        kind = variable.type.casefold().split(" of ")[0].split()[-1]
        if variable.type == "time":
            return self._time(variable, said, candidate)
        if variable.type.startswith(OF_NUMBER) or kind in NUMERIC_NOUNS:
            return self._number(variable, said, candidate)
        found = self._named(variable, said, candidate, facts)
        if isinstance(found, str):
            return found
        problem = self.misfit(found.value, variable.type, facts)
        return problem or found

    def misfit(self, value: Value, type: str, facts: Sequence[Fact] = ()) -> str:
        """Why a value is known not to be of a type; empty if it may be (condition 2)."""
        text = without_article(value.text).casefold()
        head = _head(text)
        kind = _head(type.casefold().split(" of ")[0])
        if text in UNNAMED:
            return f"{value.text!r} names nothing"
        if text == type.casefold() or (text in (kind, f"{kind}s") and not value.text[:1].isupper()):
            return f"{value.text!r} is only another word for what is asked"
        entity = next((a for f in facts for a in f.args if a.entity and a.entity.casefold() == value.key), None)
        named = value.text[:1].isupper()
        held = (entity.type if entity is not None else "") or ("" if named or not is_known(head) else coarse_type(head))
        wanted = (
            "person" if kind in ANYBODY or is_a(kind, "person") else kind if kind in EXCLUSIVE else coarse_type(kind)
        )
        if wanted == "person" and not named and is_known(head) and not is_a(head, "person") and held != "person":
            return f"{value.text!r} is no {type}"
        clash = (
            wanted in EXCLUSIVE
            and held in EXCLUSIVE
            and held != wanted
            and frozenset({held, wanted}) not in OVERLAPPING
        )
        return f"{value.text!r} is no {type}" if clash and kind in EXCLUSIVE | ANYBODY else ""

    def _named(self, variable: Variable, said: str, candidate: TurnCandidate, facts: Sequence[Fact]) -> Binding | str:
        text, turn = candidate.text, candidate.turn.id
        place = find(said, text)
        if place is not None:
            words = without_article(text[place[0] : place[1]])
            if words.casefold() in FIRST_QUOTED:
                said = candidate.turn.speaker
            else:
                start = text.index(words, place[0])
                span = text[start : start + len(words)]
                return Binding(variable, self._value(words, facts), Derivation.QUOTED, span, turn)
        if self._same(said, candidate.turn.speaker):
            own = next(
                (
                    m.group()
                    for m in HYPHENATED.finditer(text)
                    if m.group().casefold().replace("’", "'") in FIRST_QUOTED
                ),
                "",
            )
            speaker = candidate.turn.speaker
            return Binding(variable, Value(speaker, self._key(speaker), "person"), Derivation.RESOLVED, own, turn)
        for argument in (a for f in facts for a in f.args if a.entity):
            if self._same(said, argument.entity):
                span = argument.text if argument.text and argument.text in text else ""
                value = Value(argument.entity, self._key(argument.entity), argument.type)
                return Binding(variable, value, Derivation.RESOLVED, span, turn)
        loose = nearest(said, text)
        if loose is not None:
            words = without_article(text[loose[0] : loose[1]])
            return Binding(variable, self._value(words, facts), Derivation.QUOTED, words, turn)
        return f"{said!r} does not stand in fact words {text[:60]!r}"

    def _value(self, words: str, facts: Sequence[Fact]) -> Value:
        """The value of words: an entity by its name, otherwise the words."""
        known = next(
            (a for f in facts for a in f.args if a.entity and a.text and without_article(a.text) == words), None
        )
        return Value(words, self._key(words), known.type if known is not None else "")

    def _key(self, name: str) -> str:
        return self.similarity.canonical(" ".join(without_article(name).split()))

    def _same(self, a: str, b: str) -> bool:
        return bool(a.strip()) and self._key(a) == self._key(b)

    def _number(self, variable: Variable, said: str, candidate: TurnCandidate) -> Binding | str:
        wanted = number_in(said)
        for span in _numbers(candidate.text):
            if wanted is not None and number_in(span) == wanted:
                shown = f"{wanted:g}"
                counted = variable.type.startswith(OF_NUMBER) or variable.type == "number"
                place = find(said, candidate.text)
                words = candidate.text[place[0] : place[1]] if place else span
                words = words if number_in(words) == wanted and not counted else span
                text = shown if counted else without_article(words)
                return Binding(
                    variable, Value(text, shown, "number", number=wanted), Derivation.NUMBER, words, candidate.turn.id
                )
        return f"{said!r} is no number in fact words {candidate.text[:60]!r}"

    def _time(self, variable: Variable, said: str, candidate: TurnCandidate) -> Binding | str:
        anchor = candidate.turn.at.replace(tzinfo=None)
        mentions = find_times(candidate.text, anchor)
        if not candidate.turn.dated:
            # Relative to an unknown day, there is no date.
            elsewhere = {m.interval for m in find_times(candidate.text, anchor + ANOTHER_DAY)}
            mentions = [m for m in mentions if m.interval in elsewhere]
        day = said_day(candidate.turn.at)
        mention = _meant(said, candidate.text, mentions, anchor)
        if mention is not None:
            when = mention.interval
            value = Value(str(when), str(when), "time", when)
            return Binding(variable, value, Derivation.TIME, mention.text, candidate.turn.id)
        given = [m.interval for m in find_times(said, anchor)]
        if (
            not mentions
            and candidate.turn.dated
            and any(g.overlaps(day) and (g == day or day.within(g)) for g in given)
        ):
            return Binding(variable, Value(str(day), str(day), "time", day), Derivation.SAID, "", candidate.turn.id)
        return f"{said!r} is no time that the fact gives"


def _meant(said: str, text: str, mentions: Sequence[TimeMention], anchor: datetime) -> TimeMention | None:
    """The time that is meant: the quoted one, the one with the same value, or the only one."""
    place = find(said, text)
    if place is not None:
        return next((m for m in mentions if m.start < place[1] and place[0] < m.end), None)
    given = [m.interval for m in find_times(said, anchor)]
    same = next((m for m in mentions if m.interval in given), None)
    if same is not None:
        return same
    near = [m for m in mentions if any(_agree(m.interval, g) for g in given)]
    if near:
        return near[0]
    # The words refer to the day of the turn.
    told = [g for g in given if g == said_day(anchor)]
    return mentions[0] if told and len(mentions) == 1 else None


def _agree(a: Interval, b: Interval) -> bool:
    return a.within(b) or b.within(a)


def find(said: str, text: str) -> tuple[int, int] | None:
    """Start and end of `said` in `text`, as whole words; case, quotation marks and spacing are ignored."""
    for wanted in dict.fromkeys(
        (said.strip(QUOTES), without_article(said), without_article(said).strip(" .,;:!?()" + QUOTES))
    ):
        folded_text, places = folded(text)
        folded_said, _ = folded(wanted)
        if not folded_said:
            continue
        pattern = rf"(?<!\w){re.escape(folded_said)}(?!\w)"
        found = re.search(pattern, folded_text)
        if found is not None:
            return places[found.start()], places[found.end() - 1] + 1
    return None


def folded(text: str) -> tuple[str, list[int]]:
    """Text in lower case with plain quotes and single spaces, and the original offset of each character."""
    out: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        for c in character.translate(SAME_CHARACTERS).casefold():
            plain = " " if c.isspace() else c
            if plain == " " and (not out or out[-1] == " "):
                continue
            out.append(plain)
            places.append(at)
    while out and out[-1] == " ":
        out.pop()
        places.pop()
    return "".join(out), places


def nearest(said: str, text: str) -> tuple[int, int] | None:
    """The shortest span of `text` with all content words of `said`, in any inflection; None if it would be too long."""
    wanted = {stem(w) for w in _words(said) if w not in EMPTY}
    if not wanted:
        return None
    words = [(m.start(), m.end(), stem(m.group().casefold())) for m in HYPHENATED.finditer(text)]
    longest = len(list(_words(said))) + LOOSE
    best: tuple[int, int] | None = None
    for i in range(len(words)):
        if words[i][2] not in wanted:
            continue
        for j in range(i, min(len(words), i + longest)):
            if wanted <= {w[2] for w in words[i : j + 1]}:
                if best is None or words[j][1] - words[i][0] < best[1] - best[0]:
                    best = words[i][0], words[j][1]
                break
    return best


def _words(text: str) -> Iterator[str]:
    return (w.casefold() for w in HYPHENATED.findall(text))


def _head(text: str) -> str:
    words = text.split()
    return words[-1] if words else ""


def _numbers(text: str) -> Iterable[str]:
    """Numbers in digits and in words, as they are written."""
    for found in re.finditer(r"\d[\d,]*(?:\.\d+)?|[A-Za-z]+", text):
        if found.group()[0].isdigit() or found.group().casefold() in NUMBER_WORDS:
            yield found.group()
