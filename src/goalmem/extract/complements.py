"""What a verb says of the clause it takes: whether it holds too ("managed to", "know that"), not ("stopped"), or is open.

The classes are those of the literature on implicative and factive predicates (Karttunen 1971, "Implicative verbs";
Kiparsky & Kiparsky 1970, "Fact"; Nairn, Condoravdi & Karttunen 2006), on aspectual verbs (Freed 1979) and on attitude
verbs (Hooper 1975, "On assertive predicates"). A verb in no class leaves its complement open.
"""

from __future__ import annotations

from dataclasses import dataclass

from goalmem.records import Modality

__all__ = ["Effect", "complement_effect", "mark_effect", "preposition_effect"]


@dataclass(frozen=True, slots=True)
class Effect:
    """What happens to the embedded clause."""

    modality: Modality = Modality.ASSERTED
    """Its modality when the matrix clause is asserted."""
    polarity: bool = True
    """False when it is said not to hold (any more)."""
    through: bool = True
    """Whether a negated matrix clause negates it: "didn't manage to" does, "didn't know that" does not."""
    light: bool = False
    """Whether the matrix verb is a semi-auxiliary, which says nothing itself."""


HOLDS = Effect()
FACT = Effect(through=False)
ENDED = Effect(polarity=False, through=False)
FAILS = Effect(polarity=False)
PLAN = Effect(Modality.PLANNED)
WISH = Effect(Modality.WISH)
OPEN = Effect(Modality.HYPOTHETICAL)
ORDER = Effect(Modality.COMMAND)


def _table(*rows: tuple[str, Effect]) -> dict[str, Effect]:
    return {word: effect for words, effect in rows for word in words.split()}


LIGHT = {"go": Effect(Modality.PLANNED, light=True), "use": Effect(light=True)}
"""Semi-auxiliaries before an infinitive: `be going to`, `used to`."""

INFINITIVE = _table(
    (
        "manage begin start continue get come happen proceed remember learn love like hate tend help dare bother grow",
        HOLDS,
    ),
    ("cease fail refuse forget neglect decline", FAILS),
    ("plan intend decide agree promise arrange prepare schedule aim choose resolve commit set sign", PLAN),
    ("have need want hope wish dream long expect ask beg try attempt struggle wait strive would prefer", WISH),
    ("tell order ask instruct advise encourage remind urge invite", ORDER),
    ("seem appear claim pretend suppose think consider allow", OPEN),
)
GERUND = _table(
    ("stop quit cease", ENDED),
    ("avoid", FAILS),
    ("consider suggest recommend imagine discuss contemplate mind propose risk mention", OPEN),
    ("plan", PLAN),
    ("need want", WISH),
)
"""Gerunds in no class hold: "love hiking", "started painting", "went swimming"."""
FINITE = _table(
    ("know realize realise notice see find discover learn remember forget regret hear show prove reveal recall", FACT),
    ("appreciate love like hate enjoy matter mean understand recognize admit confirm acknowledge", FACT),
    ("say tell mention report announce explain state write add share swear note text reply answer", HOLDS),
    ("promise decide plan agree", PLAN),
    ("hope wish want dream", WISH),
    ("make let have help watch feel be", HOLDS),
)
"""Verbs of saying pass on what was said when they are not negated; verbs of belief ("think", "guess") leave it open."""
REPORTS = frozenset(
    "say tell mention report announce explain state write add share swear note text reply answer".split()
)

DOUBTFUL = frozenset(
    "likely unlikely possible impossible probable improbable sure certain true false doubtful plausible".split()
)
"""Adjectives of likelihood leave a that-clause open; evaluative ones ("glad", "odd", "great") presuppose it (Kiparsky &
Kiparsky 1970)."""
ABLE = frozenset("able lucky fortunate glad happy sad sorry proud surprised honored pleased thankful grateful".split())
"""Adjectives whose infinitive holds: "able to", "glad to hear"."""


def complement_effect(lemma: str, form: str, adjective: str = "", *, past: bool = False, would: bool = False) -> Effect:
    """What `lemma` (with its predicative adjective) does to a complement of the form `to`, `ing`, `bare` or `that`."""
    if adjective:
        return _adjective_effect(adjective, form, past=past)
    if lemma == "gotta":
        return LIGHT["go"]
    if form == "to":
        if lemma in LIGHT:
            return LIGHT[lemma]
        if would or (lemma == "love" and would):
            return WISH
        if lemma == "have":
            return HOLDS if past else Effect(Modality.PLANNED)
        return INFINITIVE.get(lemma, WISH)
    if form == "ing":
        return GERUND.get(lemma, HOLDS)
    if form == "bare":
        return HOLDS
    return FINITE.get(lemma, OPEN)


def _adjective_effect(adjective: str, form: str, *, past: bool) -> Effect:
    if form == "that":
        return OPEN if adjective in DOUBTFUL else FACT
    if form == "to":
        return HOLDS if adjective in ABLE else WISH
    return HOLDS


_MARKS = _table(
    ("if unless whether lest", OPEN),
    (
        "because since as when while after before until once although though even that where than whenever till 'cause cause cos coz cuz bc now",
        FACT,
    ),
    ("so", WISH),
)


def mark_effect(mark: str) -> Effect:
    """What a subordinator says of its clause; an infinitive without one is a purpose."""
    return _MARKS.get(mark, OPEN) if mark else WISH


_CIRCUMSTANCES = frozenset("after before since while by upon despite besides through during because until".split())
_TOPICS = frozenset("think dream talk consider wonder hear read idea chance thought possibility option".split())
_TEND = frozenset("interested keen excited nervous worried scared afraid ready eager serious hesitant anxious".split())
_AIMS = frozenset("look forward plan commit".split())
_KEPT_OFF = frozenset("keep stop prevent refrain discourage".split())


def preposition_effect(preposition: str, governor: str, pos: str) -> Effect:
    """What a preposition says of the gerund after it, under what it hangs on: `after moving`, `without asking`,
    `thinking of moving`, `interested in moving`, `good at painting`.
    """
    if preposition in _CIRCUMSTANCES:
        return FACT
    if preposition in ("without", "instead", "rather", "than"):
        return ENDED
    if governor in _TOPICS:
        return OPEN
    if governor in _TEND:
        return WISH
    if governor in _AIMS and preposition in ("to", "on"):
        return PLAN
    if governor in _KEPT_OFF and preposition == "from":
        return FAILS
    if pos == "NOUN" or preposition == "about" or (preposition == "for" and pos == "VERB" and governor not in _THANKED):
        return OPEN
    return HOLDS


_THANKED = frozenset("thank apologize praise blame punish forgive reward bless".split())
