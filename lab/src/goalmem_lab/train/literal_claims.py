"""What the language analysis reads out of chats, as claims: each statement, its denial, and the statement of somebody or something else.

People write statements about a chat in other words than its own where they hold, and in the same words where they do not; a judge that learns
from these alone takes the same words for a sign of falsehood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from goalmem.language.inflection import getLemma
from goalmem.models.protocol import Excerpt, Statement
from goalmem.records import Fact, Modality
from goalmem_lab.train.chance import chance
from goalmem_lab.train.lives import Claim, Label
from goalmem_lab.train.plain_cases import ASSISTANT, excerpt_in_chat, read_chats, told

LONGEST = 110
"""Characters of a statement."""
OF_ANOTHER = 0.5
"""Share of the statements that are also made of another writer of the chat."""
OTHERWISE = 0.6
"""Share of the names and numbers that are also replaced."""
KEPT = 200
"""Names and numbers of chats before that may take the place of one."""
AUXILIARIES = frozenset("is are was were has have had will would can could should must".split())
UNCLEAR = re.compile(r"\b(?:it|he|she|they|this|that|them|him|her|you|I|we|there|one)\b")
"""Words that do not say by themselves who or what is meant."""
VALUES = (re.compile(r"\d+(?:[.,:]\d+)*"), re.compile(r"(?<=\s)[A-Z][a-z]{2,}\b"))
"""Numbers, and names behind the subject."""


def literal_claims(path: Path, seed: int) -> list[Claim]:
    """The claims of the chats of a file; none where there is no file, the same for the same seed. Raises FormatError for a line that is none."""
    if not path.is_file():
        return []
    random_ = chance(seed)
    before: tuple[list[str], list[str]] = ([], [])
    return [claim for chat in read_chats(path) for claim in _claims(chat["said"], before, random_)]


def _claims(said: Sequence[Mapping[str, Any]], before: tuple[list[str], list[str]], random_: Random) -> Iterator[Claim]:
    with told({"said": said}) as (memory, _):
        turns = list(memory.get_all().items)
        places = {turn.id: place for place, turn in enumerate(turns)}
        facts = memory._parts.store.facts("default", turns=[turn.id for turn in turns])
    names = [name for name in dict.fromkeys(each["by"] for each in said) if name != ASSISTANT]
    for fact in filter(_is_plain, facts):
        excerpt = excerpt_in_chat(said, [places[fact.turn]])
        yield Claim(Statement(f"{fact.statement}.", ""), excerpt, Label.ENTAILED)
        if (denial := denied(fact)) is not None:
            yield Claim(Statement(f"{denial}.", ""), excerpt, Label.CONTRADICTED)
        for other in _otherwise(fact, names, excerpt, before, random_):
            yield Claim(Statement(f"{other}.", ""), excerpt, Label.UNSUPPORTED)


def _is_plain(fact: Fact) -> bool:
    """True for an asserted clause about somebody or something that it names."""
    words = len(fact.statement.split())
    return (
        fact.kind == "clause"
        and fact.modality is Modality.ASSERTED
        and fact.polarity
        and bool(fact.subject)
        and fact.statement.startswith(f"{fact.subject} ")
        and words > 2
        and len(fact.statement) <= LONGEST
        and UNCLEAR.search(fact.statement) is None
    )


def denied(fact: Fact) -> str | None:
    """The denial of a plain fact's statement; None if its verb does not follow its subject."""
    verb, _, rest = fact.statement.removeprefix(f"{fact.subject} ").partition(" ")
    base = fact.predicate.split()[0]
    if verb in AUXILIARIES:
        return f"{fact.subject} {verb} not {rest}"
    if base not in getLemma(verb, "VERB"):
        return None
    do = "do" if verb == base else "does" if verb.endswith("s") else "did"
    return f"{fact.subject} {do} not {base} {rest}".rstrip()


def _otherwise(
    fact: Fact, names: Sequence[str], excerpt: Excerpt, before: tuple[list[str], list[str]], random_: Random
) -> Iterator[str]:
    """The statement about another writer, and with a name or number of an earlier chat in place of its own."""
    rest = fact.statement.removeprefix(fact.subject)
    others = [name for name in names if name.split()[0] not in fact.statement]
    if others and fact.subject in names and random_.random() < OF_ANOTHER:
        yield random_.choice(others) + rest
    for kind, known in zip(VALUES, before, strict=True):
        found = kind.search(rest)
        if found is None:
            continue
        new = [value for value in known[-KEPT:] if value not in excerpt.text and value != found[0]]
        if new and random_.random() < OTHERWISE:
            yield f"{fact.subject}{rest[: found.start()]}{random_.choice(new)}{rest[found.end() :]}"
        known.append(found[0])
