"""Verbs, by lemma unless forms are listed, grouped by their effect on what they govern. Selected with WordNet's
synonyms.
"""

from __future__ import annotations

from goalmem.language.words import pairs

CLITICS = {
    "m": {"be"},
    "re": {"be"},
    "s": {"be", "have"},
    "ve": {"have"},
    "d": {"have", "would"},
    "ll": {"will"},
    "t": {"not"},
}
"""What stands behind an apostrophe, in full."""
CONTRACTIONS = frozenset(CLITICS) - {"t"}
"""Contracted verbs as chats write them, without the apostrophe."""

# -- motion, having, habits -------------------------------------------------------------------------------------------

MOTION = frozenset("go move travel fly drive head relocate return come walk run".split())
"""Motion that an answer may leave out: `Where did you go? To Rome.`"""
MOTION_TO_PLACES = frozenset("move travel fly drive relocate sail emigrate".split())
"""A complement with `to` is a place."""
MOTION_AT_LARGE = frozenset("go come return head get walk ride run".split())
"""A complement with `to` is a place if its noun is one."""
MOVING = MOTION | MOTION_TO_PLACES | MOTION_AT_LARGE | {"arrive", "cycle", "journey"}
"""Verbs with which `to` a place is also `in` it."""
INTRANSITIVE = frozenset("be become come fall go grow happen live sleep stay swim travel walk work".split())
"""Common verbs without a passive."""
RESIDING = frozenset({"live", "reside", "move", "relocate", "settle", "settle down"})
RELOCATING = frozenset({"move", "relocate", "resettle"})
"""For people with `to`: a change of residence."""
HOMES = frozenset({"house", "home", "flat"})
"""Moving one of these means moving house."""
ALTERNATING = frozenset(
    "move relocate transfer shift switch change turn roll slide drop sink float spin bounce swing grow shrink stretch break crack"
    " smash tear snap burst shatter split open close shut melt freeze boil cook bake burn dry fill empty clear heat cool warm"
    " start stop begin end finish continue improve double worsen weaken strengthen ripen fly sail walk march run gallop hang stand"
    " sit gather return".split()
)
"""Verbs whose object can be the subject without an object: `I moved the tent`, `the tent moved` (Levin 1993, 1.1.2.1
causative and 1.1.2.2 induced action alternations).
"""
HABITS = frozenset("have own know speak play drink eat work use drive wear attend follow practice".split())
"""Verbs whose present tense denotes a state, not an event."""
ONE_AT_A_TIME = frozenset(
    "drive ride use wear rent lease study attend date live reside stay work run captain lead".split()
)
"""Verbs in whose present tense one object at a time is usual: a vehicle, a tool, a home, a course, an office."""
HOLDING = frozenset({"have", "own", "possess", "keep", "be"})
"""Verbs of a state, in which one number takes the place of another."""
ACQUIRING = frozenset("get adopt buy have own receive rescue welcome bring foster".split())
LOSING = frozenset(
    "sell donate scrap rehome bury lose rid steal nick pinch swipe rob ditch bin dump total repossess confiscate".split()
)
"""After them, something is no longer had."""
COURTING = "seeing dating engaged married split broke divorced"
"""Forms of verbs of having, taking or leaving a partner (WordNet 3.0, go_steady.v.01, marry.v.01, separate.v.08)."""
TAKING_ON = frozenset({"have", "get", "hire", "adopt"})
"""Verbs whose subject has, from then on, who or what their object introduces."""
DYING = frozenset({"die", "perish"})
GOING_FOR_GOOD = frozenset({("pass", "away"), ("pass", "on"), ("run", "away"), ("run", "off"), ("go", "missing")})
"""The same with a particle, and other ways in which an animal or a thing is no longer there."""
ABSENT = frozenset({"gone", "missing", "dead"})
"""The state of what is no longer there."""
PUT_DOWN = frozenset({("put", "down"), ("put", "sleep"), ("give", "up"), ("run", "over")})
"""What is done to an animal that somebody has no longer."""
WEATHER = frozenset("drizzle hail pour rain snow storm thunder".split())
"""Verbs with an expletive `it` as subject."""
HAPPENING = ("happen", "take", "fall", "start", "begin")
ONCE = ("bear", "die")
"""Events that happen once in a life."""
STATES = frozenset(
    [
        *("", "be", "have", "like", "love", "hate", "want", "need", "know", "think", "feel", "hope", "mean", "seem"),
        *("guess", "wish", "believe", "remember", "understand", "care", "matter", "can", "enjoy", "adore", "prefer"),
    ]
)
"""Verbs of no event (CGEL 4.4)."""
NAMING = frozenset({"name", "call", "nickname", "christen"})
NAMING_FORMS = frozenset({"name", "named", "nickname", "nicknamed", "christen", "christened"})
"""Verbs whose object is followed by a name."""

# -- speech, belief, wishing ------------------------------------------------------------------------------------------

REPORTING = frozenset("say think guess believe hope tell suppose".split())
"""`I said I like tea`: the complement is the statement."""
REPORTS = frozenset("say tell mention report announce explain state write add share note text reply answer".split())
DOUBTING = frozenset("think believe guess suspect doubt fear assume reckon contemplate pretend imagine".split())
CLAIMING = frozenset("claim swear allege insist maintain boast brag fancy".split())
"""Verbs of saying by which a speaker does not vouch for the content."""
SUPPOSING = frozenset({"imagine", "suppose", "pretend", "assume", "let", "if", "picture"})
"""Openings of a supposition."""
PERCEIVED = frozenset("remember recall notice hear feel watch see find catch".split())
"""Verbs of awareness: "I don't remember locking it" does not mean that it was not locked."""
RECALLING = frozenset({"remember", "reminisce", "recall", "relive", "miss", "look back", "think back"})
"""Predicates of turning to one's past."""
LOOKING_BACK = frozenset("nostalgic nostalgia nostalgically reminisce reminiscence relive reminiscing".split())
PAST_PHRASES = (
    "remember when", "remember the time", "the old days", "good old", "old times", "the days when", "back in the day",
    "fond memories", "fond memory", "look back", "looking back", "looked back", "think back", "thinking back", "memory lane",
)  # fmt: skip
ASKING_FRAMES = frozenset("remind remember recall tell know wonder think guess say ask check confirm".split())
"""Verbs that frame a question where the speaker or the one asked is their subject: `can you remind me`, `I wonder`."""
ADVISING = frozenset({"recommend", "suggest", "advise", "propose"})
ANSWERING = (
    frozenset(
        "tell say mention explain describe list name call quote write give show provide create refer teach".split()
    )
    | ADVISING
)
"""What an assistant did in an earlier conversation."""
WANTING = frozenset({"need", "want", "give", "offer", "share", "like", "have", "get"})
"""Verbs by which advice is asked for."""
CHOOSING = frozenset({"choose", "pick", "decide", "find", "plan", "select", "figure"})
SUBJECT_CONTROL = frozenset({"promise"})
"""Verbs whose infinitive keeps their subject even with an object (Rosenbaum 1967)."""
STATIVE = frozenset("love like hate miss hope wish appreciate want need prefer guess doubt adore mean".split())
"""Stative verbs have no imperative (Lakoff 1966), so without a subject they are about the speaker."""
OFFERED = frozenset("got wan wanna want need care".split())
"""Without a subject, these ask the one addressed."""

# -- liking -----------------------------------------------------------------------------------------------------------

LIGHT = frozenset("do get give have make put take".split())
"""Verbs whose object says what is done (Quirk et al. 1985, section 10.30): to make a cake, to take a walk."""
LIKING = frozenset({"like", "love", "enjoy", "adore", "prefer"})
LIKING_OR_FANCYING = LIKING | {"fancy"}
"""Verbs of liking that unify with one another."""
LIKING_INDEXED = LIKING | {"favor", "favour", "appreciate"}
"""Verbs of liking that search looks up preferences by."""
DISLIKING = frozenset({"hate", "dislike", "detest", "loathe", "despise"})
"""Verbs of liking and of its opposite: each says that the others of its kind hold, or that the other kind does not."""
DISLIKING_INDEXED = DISLIKING | {"avoid"}
ATTITUDES = LIKING | DISLIKING
TENDING = frozenset({"tend", "learn"})
"""Verbs of a habit or skill: their infinitives tell of no event."""
BEARING = frozenset({"stand", "bear", "tolerate", "stomach"})
"""Negated, these express dislike: `can't stand`."""

# -- plans ------------------------------------------------------------------------------------------------------------

_ARRANGED = frozenset("book schedule reschedule plan arrange reserve set fix invite order register enroll".split())
ARRANGED = _ARRANGED | {"sign"}
"""Verbs of arrangements for the future."""
ARRANGED_AHEAD = _ARRANGED | {"sign-up", "due", "expect"}
"""Other words for arrangements: a time after them is in the future."""
BOOKING = frozenset("book reserve order buy get invite ask request rent hire pay".split())
"""Verbs whose `for` says for when something is had (Levin 1993, 13.5)."""
RESCHEDULING = frozenset("move push shift reschedule change switch postpone delay defer bring put".split())
"""Verbs of rescheduling: the time after `from` no longer applies (Levin 1993, 11.1 and 11.3, of time)."""
SHIFTING = ("move", "shift", "switch", "change")
"""Those of them whose subject may be what is rescheduled: `Book club moved to Thursdays`."""
SETTING_TIMES = ("move", "schedule", "reschedule", "postpone", "set", "plan", "hold", "delay")
"""Verbs of when an event is: it happens, takes place, falls on a day; it is moved, set, planned for a day."""
CALLING_OFF = ("cancel", "call off", "scrap", "abandon", "shelve", "abort")
"""Verbs of cancellation (Levin 1993, 55.4, complete)."""
FALLING_THROUGH = ("fall", "fall through", "fall apart", "collapse", "founder", "flop", "backfire")
"""Verbs of what does not come about in the end (WordNet 3.0, fall_through.v.01); `fall` only with one of `COMPLETELY`."""
COMPLETELY = frozenset({"through", "apart", "flat"})
PLANS = frozenset(
    "will shall plan plans planned planning going intend intends intended next tomorrow upcoming soon".split()
)
"""Words of a question that asks for a plan."""
PLANS_OF_GOALS = frozenset("will shall plan plans planning planned going intend intends want wants".split())
"""Words of a goal that a plan may close."""
HOPES = frozenset(
    "want wants wanted hope hopes hoped wish wishes wished dream dreams like love need needs should try tried trying tries".split()
    + "interested considering consider considers considered think thinks thinking thought might may could would ask asked".split()
    + "suggest suggested recommend recommended offer offered advise advised supposed expected allowed told tempted".split()
)
"""Words of a question about something that may not have happened."""
HOPES_OF_GOALS = frozenset(
    "will would shall plan plans planned planning going intend intends want wants wanted hope hopes hoped wish wishes "
    "interested considering considers consider dream dreams might may could likely think thinks thinking thought "
    "future goal goals like likes love loves prefer prefers need needs ask asks asked suggest suggests suggested".split()
)
"""Words of a goal that a wish or a plan may close."""
BEGUN = frozenset("have start begin manage get come go use seem fail happen".split())
"""Verbs whose infinitive has happened."""

# -- ending and avoiding ----------------------------------------------------------------------------------------------

ENDING_HABITS = frozenset("stop quit give up cease".split()) | {"give up"}
ENDING_ACTIONS = frozenset(
    "kick break drop lose abandon scrap cancel quit end stop give avoid miss shelve skip pass turn".split()
)
"""With a noun of an action as their object, that action is over or never was."""
AVOIDING = frozenset(
    "avoid boycott dodge duck elude eschew evade forgo shun sidestep miss skip decline refuse reject cancel".split()
) | {"turn down", "pass up", "miss out", "call off"}
"""Verbs whose object was not done, had or attended (Levin 1993, "English Verb Classes", 52, and verbs of refusing)."""
ENDING_OR_AVOIDING = AVOIDING | frozenset("quit stop abandon drop kick".split()) | {"give up", "swear off", "cut out"}
"""Verbs whose object is no longer so."""
COMPLEMENTARY_VERBS = pairs(
    *("accept refuse", "accept reject", "accept decline", "allow forbid", "approve reject", "attend miss"),
    *("attend skip", "catch miss", "die survive", "fail pass", "fail succeed", "lose win"),
)
"""Pairs of verbs of which one is so where the other is not (Cruse 1986, section 9.2)."""
OPPOSITES = COMPLEMENTARY_VERBS | pairs(
    *(
        "admit deny",
        "arrive depart",
        "arrive leave",
        "attack defend",
        "begin end",
        "begin stop",
        "borrow lend",
        "break fix",
    ),
    *("break repair", "build demolish", "buy sell", "buy rent", "come leave", "create destroy", "deposit withdraw"),
    *("divorce marry", "emigrate immigrate", "enjoy hate", "enter exit", "enter leave", "fall rise", "find lose"),
    *(
        "finish start",
        "fire hire",
        "forget remember",
        "gain lose",
        "get give",
        "give take",
        "give receive",
        "hate like",
    ),
    *("hate love", "dislike like", "dislike love", "import export", "increase decrease", "join leave", "join quit"),
    *("keep lose", "learn teach", "lock unlock", "open close", "open shut", "pack unpack", "pull push", "quit start"),
    *("save spend", "send receive", "start stop", "sit stand"),
)
"""Pairs of verbs that exclude each other."""
ACCEPTING = frozenset({"accept", "allow", "agree", "agree to", "approve", "permit"})
"""Verbs of acceptance."""
ARRIVING = ("arrive", "come", "get", "turn up", "show up")
"""Verbs by which one comes to be there (VerbNet, escape-51.1)."""

# -- months and days as persons ---------------------------------------------------------------------------------------

OF_PERIODS = frozenset(
    """approach arrive be become begin bring cause come continue cost do drag draw end fall feel find finish fit fly follow get give go
    have hit include kill last leave look make mark mean need pass prove remain reach roll run see seem show sound stand start stay suit
    take tend turn use usher wear welcome work""".split()
)
"""Verbs that may have a period as subject: it passes, comes, suits somebody, sees or brings things (WordNet 3.0,
verb.stative, verb.change and their overlap with `time period`).
"""
TO_PERSONS = frozenset(
    """address advise ask beg bribe call comfort congratulate convince date divorce email embrace feed forgive give greet help hire hug
    inform interview introduce invite kiss know lend marry meet message owe persuade phone promise remind ring scold see send show
    speak talk teach tell text thank trust visit warn write""".split()
)
"""Verbs whose object, or complement with `to`, is a person (Levin 1993, 13.1, 36.3, 37)."""
STATIVE_PARTICIPLES = frozenset(
    "married engaged divorced separated widowed based called named known related closed shut finished done broken stuck lost located situated dressed scared"
    " worried excited bored tired interested involved supposed used allowed booked planned scheduled made dedicated addicted attached covered filled fed set sold"
    " stationed rented opposed devoted limited bound due meant needed parked born pleased surprised annoyed".split()
)
"""Participles that after `be` say in what state something is (statal passives: Quirk et al. 1985, section 3.77)."""

SITUATED = frozenset(
    "be put place lay lie leave keep store stash stow hide hang sit stand sleep park stay rest live find lose forget drop".split()
)
"""Verbs by which something is in the place that is told with them (VerbNet 9.1, 9.2, 15.2, 47.6, 47.7)."""

JUDGING = frozenset(
    "thank praise blame punish forgive reward bless congratulate criticise criticize scold accuse arrest fine pay reprimand compliment "
    "excuse applaud suspect fire sack".split()
)
"""Verbs of judging what their object did (VerbNet 33): who thanks Tom for fixing it did not fix it."""
