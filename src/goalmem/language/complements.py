"""The effect of a verb on its complement clause: whether it holds ("managed to", "know that"), does not ("stopped"),
or is open.

The classes are those of the literature on implicative and factive predicates (Karttunen 1971, "Implicative verbs";
Kiparsky & Kiparsky 1970, "Fact"; Nairn, Condoravdi & Karttunen 2006), on aspectual verbs (Freed 1979) and on attitude
verbs (Hooper 1975, "On assertive predicates"). What is in no class leaves its complement open: a clause is taken for
stated only where something licenses it.
"""

from __future__ import annotations

from dataclasses import dataclass

from goalmem.language.words.function_words import ABSENCE, EXCLUDING
from goalmem.language.words.modifiers import ABLE, DOUBTFUL, UNABLE
from goalmem.language.words.verbs import DOUBTING
from goalmem.records import Modality


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect on the embedded clause."""

    modality: Modality = Modality.ASSERTED
    """Its modality when the matrix clause is asserted."""
    polarity: bool = True
    """False if the clause is said not to hold (any more)."""
    through: bool = True
    """True if a negated matrix clause negates it: "didn't manage to" does, "didn't know that" does not."""
    open_if_denied: bool = False
    """True if a negated matrix clause leaves it open: "didn't have to", "don't like to"."""
    light: bool = False
    """True if the matrix verb is a semi-auxiliary, which states nothing itself."""


HOLDS = Effect()
MAYBE = Effect(open_if_denied=True)
FACT = Effect(through=False)
ENDED = Effect(polarity=False, through=False)
FAILS = Effect(polarity=False)
PLAN = Effect(Modality.PLANNED)
WISH = Effect(Modality.WISH)
OPEN = Effect(Modality.HYPOTHETICAL)
ORDER = Effect(Modality.COMMAND)
HEARSAY = Effect(Modality.REPORTED)


def _table(*rows: tuple[str, Effect]) -> dict[str, Effect]:
    return {word: effect for words, effect in rows for word in words.split()}


LIGHT = {"go": Effect(Modality.PLANNED, light=True), "use": Effect(Modality.FORMER, light=True)}
"""Semi-auxiliaries before an infinitive: `be going to`, `used to`."""

INFINITIVE = _table(
    (
        "manage begin start continue get come happen proceed remember learn help dare bother grow",
        HOLDS,
    ),
    ("love like hate tend", MAYBE),
    ("cease fail refuse forget neglect decline omit", FAILS),
    ("plan intend decide agree promise arrange prepare schedule aim choose resolve commit set sign", PLAN),
    ("have need want hope wish dream long expect ask beg try attempt struggle wait strive would prefer", WISH),
    ("tell order ask instruct advise encourage remind urge invite", ORDER),
    ("seem appear claim pretend suppose think consider allow", OPEN),
)
GERUND = _table(
    ("stop quit cease give", ENDED),
    ("avoid resist escape evade skip miss delay postpone", FAILS),
    ("plan", PLAN),
    ("need want fancy", WISH),
    ("consider suggest recommend imagine discuss contemplate propose risk mention deny fake", OPEN),
    (
        "start begin continue keep finish resume end wind complete spend have go come get be take leave catch find see",
        HOLDS,
    ),
    (
        "hear watch feel notice remember recall try practice practise do help busy involve include mean lie sit stand",
        HOLDS,
    ),
    (
        "love like enjoy hate dislike adore prefer detest loathe regret appreciate celebrate admit confess acknowledge",
        FACT,
    ),
    ("tolerate bear endure forget mind justify excuse", FACT),
)
"""Aspectual, perception and factive verbs; "give up" is "give" here, "wind up" is "wind"."""
FINITE = _table(
    ("know realize realise notice see find discover learn remember forget regret show prove reveal recall", FACT),
    ("hear rumor rumour gossip claim allege", HEARSAY),
    ("appreciate love like hate enjoy matter mean understand recognize admit confirm acknowledge", FACT),
    ("say tell mention report announce explain state write add share swear note text reply answer", HOLDS),
    ("promise decide plan agree", PLAN),
    ("hope wish want dream", WISH),
    ("make let have help watch feel be", HOLDS),
) | dict.fromkeys(
    ("find out", "turn out", "work out", "figure out", "point out", "come out", "get out", "come back"), FACT
)
"""Verbs of saying preserve a statement about oneself unless negated (see `embedding`); verbs of belief ("think",
"guess") leave it open.
"""
NONVERIDICAL = (
    frozenset(
        lemma
        for table in (INFINITIVE, GERUND, FINITE)
        for lemma, effect in table.items()
        if effect not in (HOLDS, MAYBE, FACT, ENDED) and lemma not in ("have", "need", "love", "skip", "set", "sign")
    )
    | DOUBTING
)
"""Verbs that do not say that their complement holds: for words of which the syntax is not known."""


def complement_effect(lemma: str, form: str, adjective: str = "", *, past: bool = False, would: bool = False) -> Effect:
    """The effect of `lemma` (with its predicative adjective) on a complement of the form `to`, `ing`, `bare` or
    `that`.
    """
    if adjective:
        return _adjective_effect(adjective, form)
    if lemma == "gotta":
        return LIGHT["go"]
    if form == "to":
        if lemma in LIGHT:
            return LIGHT[lemma]
        if would or (lemma == "love" and would):
            return WISH
        if lemma == "have":
            return MAYBE if past else Effect(Modality.PLANNED)
        return INFINITIVE.get(lemma, WISH)
    if form == "ing":
        return GERUND.get(lemma, OPEN)
    if form == "bare":
        return HOLDS
    return FINITE.get(lemma, OPEN)


def _adjective_effect(adjective: str, form: str) -> Effect:
    if form == "that":
        return OPEN if adjective in DOUBTFUL else FACT
    if form == "to":
        return HOLDS if adjective in ABLE else FAILS if adjective in UNABLE else WISH
    return HOLDS if form == "ing" else OPEN


_MARKS = _table(
    ("if unless whether lest provided providing supposing assuming suppose", OPEN),
    (
        "because since as when while after before until once although though even that where than whenever till 'cause cause cos coz cuz bc now",
        FACT,
    ),
    ("so", WISH),
)


def mark_effect(mark: str) -> Effect:
    """The effect of a subordinator on its clause; an infinitive without one is a purpose."""
    return _MARKS.get(mark, OPEN) if mark else WISH


_CIRCUMSTANCES = frozenset(
    "after before since while by upon despite besides through during because until when on in".split()
)
_AIMS = frozenset("look forward plan commit decide".split())
_MISSED = frozenset("miss pass give lose".split())
"""With `on`: "missed out on", "passed on", "gave up on"."""
_FACTIVE = frozenset(
    "thank apologize apologise praise punish forgive reward bless congratulate sorry famous responsible guilty".split()
    + "good bad great terrible excellent proud happy glad sad tired sick bored used accustomed busy".split()
    + "love passion joy pleasure fun luck success trouble difficulty experience hobby habit memory job work".split()
    + "succeed end start begin continue enjoy finish spend carry specialize specialise insist persist live".split()
)
"""Governors of a gerund that holds: thanks and praise, skill, feelings about one's actions, success and aspect."""


def preposition_effect(preposition: str, governor: str, pos: str) -> Effect:
    """The effect of a preposition, and its governor, on the gerund after it: `after moving`, `without asking`,
    `thinking of moving`, `interested in moving`, `good at painting`.
    """
    if preposition in EXCLUDING or preposition in ABSENCE or preposition == "short":
        return ENDED
    if governor in _MISSED and preposition == "on":
        return FAILS
    if governor in _AIMS and preposition in ("to", "on"):
        return PLAN
    if preposition in _CIRCUMSTANCES:
        return FACT
    if governor in _FACTIVE:
        return HOLDS
    return WISH if pos == "ADJ" else OPEN
