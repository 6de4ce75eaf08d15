"""What the turns are made of: deeds with their objects, states, people. `UNSEEN` is measured only, never tuned on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Deed:
    """A transitive verb in its forms, with things that it is done to."""

    base: str
    past: str
    participle: str
    ing: str
    objects: tuple[str, ...]


@dataclass(frozen=True)
class State:
    """What holds for a time: a verb phrase around a value, and the question that asks for the value."""

    base: str
    """As after `to`: `live in`."""
    present: str
    """Of a third person: `lives in`."""
    past: str
    ing: str
    asked: str
    """With `{who}`: `Where does {who} live?`."""
    values: tuple[str, ...]


@dataclass(frozen=True)
class Words:
    """One stock of words."""

    deeds: tuple[Deed, ...]
    gifts: tuple[Deed, ...]
    """Verbs that take an indirect object: `gave Leo a book`."""
    states: tuple[State, ...]
    habits: tuple[State, ...]
    ailments: tuple[tuple[str, str], ...]
    """Adjective with preposition, and what it is about: (`allergic to`, `peanuts`)."""
    events: tuple[str, ...]
    speaker: str
    others: tuple[str, ...]
    """Women, so that `she` and `her` fit."""
    men: tuple[str, ...]


def _deeds(*rows: str) -> tuple[Deed, ...]:
    made = []
    for row in rows:
        forms, _, objects = row.partition(": ")
        made.append(Deed(*forms.split(), objects=tuple(objects.split(", "))))
    return tuple(made)


SEEN = Words(
    _deeds(
        "buy bought bought buying: a yacht, a car, a piano, a kayak",
        "sell sold sold selling: a tractor, a cottage, a violin",
        "adopt adopted adopted adopting: a beagle, a parrot, a kitten",
        "rent rented rented renting: a van, a cabin, a studio",
        "paint painted painted painting: a portrait, a mural, a fence",
        "repair repaired repaired repairing: a bicycle, a clock, a boiler",
        "build built built building: a shed, a bookcase, a raft",
        "write wrote written writing: a novel, a sonnet, a cookbook",
        "plant planted planted planting: an oak, a cherry tree, a vineyard",
        "cook cooked cooked cooking: a lasagna, a goose, a risotto",
        "win won won winning: a medal, a scholarship, a raffle",
        "break broke broken breaking: a vase, a window, a laptop",
        "steal stole stolen stealing: a necklace, a lamp, a wallet",
        "hire hired hired hiring: a lawyer, a gardener, a nanny",
        "climb climbed climbed climbing: a volcano, a glacier, a tower",
    ),
    _deeds(
        "give gave given giving: a book, a scarf, a guitar, a bracelet",
        "lend lent lent lending: a ladder, a tent, a drill",
        "send sent sent sending: a postcard, a parcel, a bouquet",
        "show showed shown showing: a photo, a map, a trophy",
    ),
    (
        State(
            "live in",
            "lives in",
            "lived in",
            "living in",
            "Where does {who} live?",
            ("Oslo", "Lisbon", "Ghent", "Quito"),
        ),
        State(
            "own", "owns", "owned", "owning", "What does {who} own?", ("a parrot", "a bakery", "a vineyard", "a horse")
        ),
        State(
            "work at",
            "works at",
            "worked at",
            "working at",
            "Where does {who} work?",
            ("a bakery", "a museum", "a zoo"),
        ),
        State("teach", "teaches", "taught", "teaching", "What does {who} teach?", ("chemistry", "Latin", "yoga")),
    ),
    (
        State("eat", "eats", "ate", "eating", "What does {who} eat?", ("meat", "fish", "chocolate")),
        State("play", "plays", "played", "playing", "What does {who} play?", ("the drums", "chess", "tennis")),
        State("drink", "drinks", "drank", "drinking", "What does {who} drink?", ("coffee", "beer", "milk")),
        State(
            "collect", "collects", "collected", "collecting", "What does {who} collect?", ("stamps", "coins", "vinyl")
        ),
    ),
    (
        ("allergic to", "peanuts"),
        ("afraid of", "spiders"),
        ("fond of", "opera"),
        ("interested in", "botany"),
        ("allergic to", "cats"),
        ("afraid of", "thunder"),
        ("proud of", "the garden"),
    ),
    ("the concert", "the wedding", "the lecture", "the reunion", "the funeral", "the parade"),
    "Ann",
    ("Mara", "Sofia", "Nadia"),
    ("Ivo", "Leo", "Marcus"),
)

UNSEEN = Words(
    _deeds(
        "borrow borrowed borrowed borrowing: a trailer, a telescope, a chainsaw",
        "bake baked baked baking: a pie, a strudel, a baguette",
        "knit knitted knitted knitting: a sweater, a blanket, a beanie",
        "order ordered ordered ordering: a sofa, a mattress, a drone",
        "publish published published publishing: a memoir, a thesis, an atlas",
        "catch caught caught catching: a trout, a pike, a salmon",
        "lose lost lost losing: a passport, a ring, an umbrella",
        "design designed designed designing: a logo, a bridge, a kitchen",
        "find found found finding: a coin, a fossil, a fiddle",
        "train trained trained training: a falcon, a pony, a collie",
        "eat ate eaten eating: a lobster, a mango, a waffle",
        "drive drove driven driving: a truck, a minibus, a hearse",
    ),
    _deeds(
        "hand handed handed handing: a key, a letter, a helmet",
        "sell sold sold selling: a carpet, a camera, a canoe",
        "bring brought brought bringing: a cake, a pillow, a teapot",
    ),
    (
        State(
            "study at",
            "studies at",
            "studied at",
            "studying at",
            "Where does {who} study?",
            ("a college", "a seminary"),
        ),
        State("have", "has", "had", "having", "What does {who} have?", ("a donkey", "a sailboat", "a sauna")),
        State("live in", "lives in", "lived in", "living in", "Where does {who} live?", ("Turin", "Dakar", "Perth")),
        State("run", "runs", "ran", "running", "What does {who} run?", ("a hostel", "a cinema", "a brewery")),
    ),
    (
        State("smoke", "smokes", "smoked", "smoking", "What does {who} smoke?", ("cigars", "cigarettes")),
        State("practice", "practices", "practiced", "practicing", "What does {who} practice?", ("judo", "archery")),
        State("speak", "speaks", "spoke", "speaking", "What does {who} speak?", ("Danish", "Welsh")),
    ),
    (
        ("scared of", "heights"),
        ("good at", "chess"),
        ("allergic to", "pollen"),
        ("keen on", "ballet"),
        ("worried about", "money"),
    ),
    ("the premiere", "the christening", "the auction", "the rehearsal", "the barbecue"),
    "Ruth",
    ("Greta", "Paula", "Ines"),
    ("Oscar", "Viktor", "Hugo"),
)
