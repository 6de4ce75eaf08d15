"""Kinds of nouns and verbs: WordNet's lexicographer files by their names (lexnames(5WN))."""

from __future__ import annotations

from enum import IntEnum
from typing import Self


class _Kind(IntEnum):
    @classmethod
    def named(cls, names: str) -> frozenset[Self]:
        """The kinds of these names, in lower case."""
        return frozenset(cls[name.upper()] for name in names.split())


class NounKind(_Kind):
    """Kinds of nouns."""

    ACT = 4
    ANIMAL = 5
    ARTIFACT = 6
    ATTRIBUTE = 7
    BODY = 8
    COGNITION = 9
    COMMUNICATION = 10
    EVENT = 11
    FEELING = 12
    FOOD = 13
    GROUP = 14
    LOCATION = 15
    OBJECT = 17
    PERSON = 18
    PHENOMENON = 19
    PLANT = 20
    POSSESSION = 21
    QUANTITY = 23
    STATE = 26
    SUBSTANCE = 27
    TIME = 28


class VerbKind(_Kind):
    """Kinds of verbs."""

    BODY = 29
    CHANGE = 30
    COGNITION = 31
    COMMUNICATION = 32
    COMPETITION = 33
    CONSUMPTION = 34
    CONTACT = 35
    CREATION = 36
    EMOTION = 37
    MOTION = 38
    PERCEPTION = 39
    POSSESSION = 40
    SOCIAL = 41
    STATIVE = 42
    WEATHER = 43
