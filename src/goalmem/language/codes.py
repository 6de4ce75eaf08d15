"""Codes that a person writes as one: telephone numbers, account numbers, number plates; and numbers below zero.

The tokenizer cuts them at hyphens, brackets and blanks, and the parser takes the pieces for several things. Some are seen by their form
alone (`K7-99`, `(030) 555-1234`, `+49 171 2345678`); groups with blanks between them (`WX 88 Z`), only behind a word for
what they are (`frame number`). Ranges, dates, times and scores (`9-5`, `10-12 May`, `2024-05-01`) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

CODE = "555-0134"
"""What the tagger sees in place of a code: a number, which it takes for nothing else."""

_IDENTIFYING = (
    "number numbers no nr code passcode password passphrase pin puk iban bic swift plate plates registration reference ref "
    "combination serial id vin phone mobile telephone tel cell cellphone landline fax wifi wi-fi wlan account postcode zip isbn ssn "
    "voucher coupon booking order tracking flight locker licence license passport username login key"
).split()
"""Nouns behind which groups of letters and digits are one code."""
_LINK = (
    r"(?: ?[:=] ?"
    r"|(?: (?:now|currently|still|has|been|changed|is|was|are|to|became|called)){0,3} (?:is|was|are|to|became|been|now|still)(?: ?:)? "
    r"|'s "
    r"| )"
)
_SECRET = re.compile(r"(?:passw|passc|passp|code|pin|wi-?fi|wlan|login|username)", re.IGNORECASE)
"""Beginnings of nouns for codes that may have words in them: `blue-77-fish`."""
_LABEL = re.compile(rf"(?<![\w-])(?:{'|'.join(_IDENTIFYING)}){_LINK}(?=[#+(A-Za-z0-9])", re.IGNORECASE)
_CALLED = re.compile(
    r"\b(?:call|calls|called|ring|rang|phone|phoned|reach|reached|text|texted|dial)(?: [a-z']{1,15}){0,4}? (?:at|on) (?=[+(0-9])",
    re.IGNORECASE,
)
_CHUNK = re.compile(r"[#+]?(?:\([0-9]{1,6}\)|[A-Za-z0-9]{1,34})(?:[-/_][A-Za-z0-9]{1,34}){0,8}(?![\w@-])")
_CHUNKS = 9
"""Maximum groups with blanks between them, of an IBAN of the greatest length."""
_NO_GROUP = frozenset(
    "I A OK AM PM AND OR IN ON AT IS IT TO BE NO SO BY IF WE HE UK US USA EU UTC GMT CET CEST".split()
)
"""Words in capitals that stand behind a code as a part of the sentence."""
_ORDINARY = re.compile(
    r"[0-9]+(?:st|nd|rd|th|am|pm|h|s|x|k|g|d|m|l|gb|tb|mb|cm|mm|km|kg|ml|min)|[qh][1-4]", re.IGNORECASE
)
"""Groups of digits and letters that are an ordinal, a time, a measure, or a part of a year."""
_COUNTED = re.compile(
    r"(?:[ -]?%| ?[°€$£])|[ -](?:digits?|characters?|letters?|numbers?|symbols?|words?|[ap]m|years?|days?|weeks?|months?|hours?|minutes?"
    r"|times|people|persons|percent|degrees?|euros?|dollars?|pounds?|cm|km|kg|items?|seats?|floors?|rooms?"
    r"|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*)\b",
    re.IGNORECASE,
)
"""What stands behind a number that counts something, or is the day of a month."""
_DATE = re.compile(
    r"[0-9]{4}[-/][0-9]{1,2}(?:[-/][0-9]{1,2})?|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}|[0-9]{1,2}[-/][0-9]{1,2}[-/][0-9]{4}"
)
_FORMS = re.compile(
    r"(?<![\w#+(/.-])(?:"
    r"\((?:0[0-9]{1,5}|\+[0-9]{1,3}|[0-9]{3}(?=\) ?[0-9]{3}[- ][0-9]{4}(?![\w-])))\) ?[0-9]{2,12}(?:[-/ ][0-9]{2,12}){0,5}"
    r"|\+[0-9]{1,3}[- ]?(?:\(?[0-9]{1,5}\)?[-/ ]){0,1}[0-9]{2,12}(?:[-/ ][0-9]{2,12}){0,5}"
    r"|0[0-9]{2,5}[-/ ][0-9]{3,12}(?:[- ][0-9]{2,12}){0,5}"
    r"|[A-Z]{2}[0-9]{2} (?:[A-Z]{4}|(?=[A-Z]{0,3}[0-9])[A-Z0-9]{4})(?: (?=[A-Z]{0,3}[0-9])[A-Z0-9]{4}){1,7}(?: [0-9]{1,4})?"
    r"|#(?=[A-Z-]{0,20}[0-9])[A-Z0-9]{1,20}(?:-[A-Z0-9]{1,20}){1,8}"
    r"|(?P<mixed>[A-Z0-9]{1,20}(?:-[A-Z0-9]{1,20}){1,8})"
    r")(?![\w@-]|[.:/][0-9])"
)
_SEVERAL = re.compile(r" (?!(?:is|was|has|as|its|this|does|works)\b)[a-z]{2,20}s\b")
"""A plural, which a number before it counts: `3 A4 pads`."""
_DIGITS = 7
"""Minimum digits of a telephone number with its area code."""
_CALLED_DIGITS = 5
"""Minimum digits of a number at which somebody is called: `call me at 9 30` names a time."""
_BELOW_ZERO = re.compile(
    r"(?:(?<=[^\W\d_] )|(?<=[,:;=] )|(?<=\())[-−](?P<amount>[0-9]{1,9}(?:[.,][0-9]{1,9})?)(?![\w-])"
)
"""A number with its sign, behind a word; behind a number, the sign is that of a range."""


def codes(text: str) -> list[tuple[int, int, str]]:
    """Start and end of each code and each number below zero, in order, with what the tagger sees in its place."""
    found = [(*m.span(), m["amount"]) for m in _BELOW_ZERO.finditer(text)]
    found += [(start, end, CODE) for start, end in (*_formed(text), *_labelled(text))]
    chosen: list[tuple[int, int, str]] = []
    for start, end, seen in sorted(found, key=lambda code: (code[0], -code[1])):
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, end, seen))
    return chosen


def _formed(text: str) -> Iterator[tuple[int, int]]:
    """Codes that are seen by their form alone."""
    for m in _FORMS.finditer(text):
        if _COUNTED.match(text, m.end()):
            continue
        if m["mixed"] is not None:
            if _is_mixed(m["mixed"]):
                yield m.span()
        elif "#" in m[0] or m[0][0].isalpha() or sum(map(str.isdigit, m[0])) >= _DIGITS:
            yield m.span()


def _is_mixed(code: str) -> bool:
    """True for `K7-99`, `X7-QP-22` and `12-A-5`, and neither for `COVID-19` nor for a range, `A4-A5` or `9AM-5PM`."""
    groups = code.split("-")
    numbers = sum(map(str.isdigit, groups))
    mixed = [g for g in groups if not g.isdigit() and not g.isalpha()]
    if any(map(_ORDINARY.fullmatch, groups)) or (len(mixed) == len(groups) == 2 and groups[0][0] == groups[1][0]):
        return False
    return bool(mixed) or 2 <= numbers < len(groups)


def _labelled(text: str) -> Iterator[tuple[int, int]]:
    """Codes behind a word for what they are."""
    for least, labels in ((1, _LABEL), (_CALLED_DIGITS, _CALLED)):
        for label in labels.finditer(text):
            start = label.end()
            chunks = _chunks(text, start, words=_SECRET.match(label[0]) is not None)
            while chunks and _COUNTED.match(text, chunks[-1][1]):
                chunks.pop()
            written = text[start : chunks[-1][1]] if chunks else ""
            joined = len(chunks) > 1 or (not written.isalnum() and not re.fullmatch(r"#[0-9]+", written))
            counts = re.fullmatch(r"[0-9]{1,2} \S+", written) and _SEVERAL.match(text, start + len(written))
            if joined and not counts and sum(map(str.isdigit, written)) >= least and not _DATE.fullmatch(written):
                yield start, chunks[-1][1]


def _chunks(text: str, at: int, *, words: bool) -> list[tuple[int, int]]:
    """The groups with blanks between them that start here."""
    found: list[tuple[int, int]] = []
    while (
        len(found) < _CHUNKS
        and (m := _CHUNK.match(text, at)) is not None
        and _is_chunk(m[0], first=not found, words=words)
    ):
        found.append(m.span())
        at = m.end() + 1
        if text[m.end() : at] != " " and text[m.end() - 1] != ")":
            break
        if text[m.end() : at] != " ":
            at -= 1
    return found


def _is_chunk(word: str, *, first: bool, words: bool) -> bool:
    """True for groups of digits or capitals, and groups of both; with `words`, also for `blue-77-fish`, if not for `6-digit`."""
    groups = re.findall(r"[A-Za-z0-9]+", word)
    if _DATE.fullmatch(word) and not first:
        return False
    if len(groups) == 1 and (groups[0] in _NO_GROUP or _ORDINARY.fullmatch(groups[0])):
        return False
    has_digit = any(map(str.isdigit, word))
    short = all(len(g) <= 5 and g.isupper() for g in groups) or (
        first and all(len(g) <= 3 for g in groups) and len(groups) == 2
    )
    worded = first and words and len(groups) > 1 and has_digit and not groups[0].isdigit()
    return (has_digit or short) and (worded or not re.search(r"[a-z]{3}", word))
