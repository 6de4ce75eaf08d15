"""Nouns that WordNet 3.0 (2006) lacks: short forms of its own words, and new words, each by the kind that it is of."""

from __future__ import annotations

SHORT = {
    "physio": "physiotherapist",
    "chiro": "chiropractor",
    "ortho": "orthodontist",
    "wifey": "wife",
    "bf": "boyfriend",
    "gf": "girlfriend",
    "bro": "brother",
    "fiancé": "fiance",
    "fiancée": "fiancee",
    "co-founder": "cofounder",
    "childminder": "babysitter",
    "au-pair": "au pair",
    "doggo": "dog",
    "website": "web site",
}
"""Another form of a word, or a short one: both name the same."""
NEWER_NOUNS = {
    noun: kind
    for kind, nouns in {
        "friend": "bestie bff",
        "worker": "barista dev sysadmin",
        "communicator": "vlogger podcaster influencer youtuber",
        "dog": "labradoodle goldendoodle cockapoo cavapoo frenchie staffy puggle",
        "bicycle": "e-bike ebike",
        "telephone": "smartphone",
        "software": "app webapp chatbot",
        "broadcast": "podcast vlog livestream",
        "scooter": "e-scooter",
    }.items()
    for noun in nouns.split()
}
"""A new word, by what it is a kind of."""
GATHERINGS = frozenset(
    "conference convention event festival fundraiser hackathon lecture mass meetup seminar webinar workshop".split()
)
"""Events that people go to, by nouns whose first sense in WordNet, if it has them, is another: a place of work, a day of the year."""
