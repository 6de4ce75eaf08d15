"""Statements as questions of yes or no: `Ines has sold the car.` -> Has Ines sold the car?"""

from __future__ import annotations

from lemminflect import getAllLemmas

__all__ = ["whether"]

TURNED = frozenset("is are was were can could will would should may might must".split())
"""What goes before its subject in a question."""
DO = frozenset("does did do".split())
HAVE = {"has": "does", "have": "do", "had": "did"}
OWNED = frozenset(
    "a an the no any some her his their its two three four five six seven eight nine ten many several only".split()
)
"""Words behind `has` that make it a verb of its own."""
NESTED = frozenset("who which that whose where when because if".split())
LONGEST_SUBJECT = 6
USER = ("The", "user")


def whether(statement: str) -> str | None:
    """The question that a plain statement answers with yes; None where it is not sure to be put so."""
    words = statement.strip().rstrip(".").split()
    for place, word in enumerate(words[: LONGEST_SUBJECT + 1]):
        if word.lower() in NESTED or word.endswith(","):
            return None
        if not place or place + 1 == len(words):
            continue
        if word in TURNED:
            return _asked(word, words[:place], words[place + 1 :])
        if word in DO and words[place + 1] == "not":
            return _asked(word, words[:place], words[place + 1 :])
        if word in HAVE:
            owned = words[place + 1].lower() in OWNED or words[place + 1][:1].isdigit()
            if owned:
                return _asked(HAVE[word], words[:place], ["have", *words[place + 1 :]])
            return _asked(word, words[:place], words[place + 1 :])
    return _by_verb(words)


def _by_verb(words: list[str]) -> str | None:
    """Of a name or the user with a verb right behind it."""
    named = 2 if tuple(words[:2]) == USER else 1
    if len(words) < named + 1 or not words[0][:1].isupper() or (named == 1 and words[0] in ("The", "A", "An")):
        return None
    verb = words[named]
    bases = getAllLemmas(verb, upos="VERB").get("VERB", ())
    if not verb.islower() or not bases:
        return None
    base = bases[0]
    auxiliary = "do" if verb == base else "does" if verb.endswith("s") and verb != base else "did"
    return _asked(auxiliary, words[:named], [base, *words[named + 1 :]])


def _asked(auxiliary: str, subject: list[str], rest: list[str]) -> str:
    first = (
        subject[0].lower()
        if subject[0] in ("The", "A", "An", "Her", "His", "Their", "There", "It", "She", "He", "They")
        else subject[0]
    )
    return " ".join([auxiliary.capitalize(), first, *subject[1:], *rest]) + "?"
