"""Adjectives, adverbs, conjunctions, and first words of answers: order, time, degree, certainty."""

from __future__ import annotations

import re

from goalmem.language.words import pairs

# -- order and time ---------------------------------------------------------------------------------------------------

TIME_MARKS = {
    "after": "after",
    "before": "before",
    "when": "overlaps",
    "while": "overlaps",
    "since": "after",
    "until": "before",
    "till": "before",
    "once": "after",
    "during": "overlaps",
}
"""Conjunctions and prepositions of time -> the relation of the two times (CGEL 14.22)."""
LASTING_MARKS = frozenset("from until till up through throughout for".split())
"""First words of a period that something lasts for: `from May to June` (Quirk et al. 1985, sections 9.35 to 9.37)."""
RANKS = {
    "first": "earliest",
    "earliest": "earliest",
    "original": "earliest",
    "last": "latest",
    "latest": "latest",
    "final": "latest",
    "recent": "latest",
}
"""Adjectives of order -> which of several is asked for."""
RANKS_OF_EVENTS = {"first": "earliest", "originally": "earliest", "initially": "earliest", "last": "latest"}
"""Adverbs of order -> which of several events is asked for."""
ORDERING_WORDS = frozenset(
    "first last earliest latest earlier later before after since recently most recent late early".split()
)
"""Words that select one of several."""
PRESENT = frozenset("now still ever currently presently nowadays today already yet anymore".split())
"""Words for the present in questions, in addition to the tense: a current fact answers them."""
SELECTING = frozenset(
    "usually typically often recently originally initially first last also always generally normally exactly just".split()
)
"""Adverbs that a denial denies first: who does not often see Ana sees her sometimes."""
NOT_SELECTING = frozenset("still currently now ever already finally actually".split())
"""Those that it does not."""
FLOATING = SELECTING | NOT_SELECTING
"""Adverbs without participants; some of them ask for an order (`order_word`)."""
LASTING = re.compile(
    r"since|for|now|today|yet|ever|never|any ?more|any longer|these days|at the moment|so far|still", re.IGNORECASE
)
"""Beginnings of times of denials that hold until now."""
FORMER_ADVERBS = frozenset("formerly previously erstwhile".split())
ASKED_EARLIER = frozenset(
    "first,initially,originally,previously,previous,earlier,earliest,before,former,formerly,original,initial,used to,"
    "at the start,at the beginning,at the very beginning,to begin with".split(",")
)
"""By these a question asks for a value that another one followed; chosen on questions about conversations over months."""
ASKED_LATEST = frozenset(
    "now,currently,nowadays,today,current,latest,newest,final,finally,eventually,actually,these days,at the moment,"
    "in the end,so far,end up,ended up,ends up".split(",")
)
"""By these a question asks for the value that followed all others; chosen like `ASKED_EARLIER`."""
AWAITED = frozenset("when whenever once as after before until till".split())
"""Conjunctions after which a present tense beside a future is in the future (Quirk et al. 1985, section 14.22)."""
FREQUENT = frozenset(
    "always usually often sometimes rarely frequently regularly occasionally seldom once twice".split()
    + "daily weekly monthly yearly".split()
)
TOTAL = frozenset("total altogether sum all together overall".split())
SEVERAL = frozenset(
    "few several some many most couple dozen lots plenty various numerous countless hundreds dozens".split()
)
"""Words for an unstated number."""
DISTINCT = frozenset({"different", "distinct", "separate", "unique", "various"})
"""Adjectives that only say that there are several."""

# -- which one --------------------------------------------------------------------------------------------------------

OTHER = frozenset({"another", "different", "other"})
OTHER_THAN_NAMED = frozenset(
    "previous former old ex late first second third last next future other dream little big twin half grand step".split()
)
"""With these, `my X` is not the X that one has."""
SUCCESSIVE = frozenset(
    "new old former previous next first second third last other future late ex current original".split()
)
"""Adjectives that distinguish successive holders of a role."""
PRIVATIVE = frozenset(
    "half mini fake counterfeit fictitious fictional mythical imaginary pretend pretended artificial toy mock sham bogus would-be former "
    "ex erstwhile future step foster virtual plastic dummy trainee student apprentice".split()
)
"""Modifiers of what is not, not yet, or no longer an instance of the noun (Kamp & Partee 1995; Partee 2010,
"Privative adjectives").
"""
PRIVATIVE_OF_RULES = frozenset(
    "alleged artificial counterfeit ex fake false fictional former future imaginary imitation mock past possible "
    "potential presumed pseudo putative so-called supposed toy would-be".split()
)
"""Adjectives that do not imply the noun (Partee 2010, Privative adjectives)."""
BEREAVED = frozenset({"late", "former", "ex"})
"""Modifiers of a person whom nobody has any more."""
IMAGINED = frozenset({"future", "dream", "next", "ideal", "potential"})
FELLOWS = frozenset("co fellow other another".split())
"""Before a noun: the topic is one of them itself."""
SHARING = frozenset(
    "same share shares shared sharing also other others else another both together co common fellow".split()
)
"""Words that make a question to a graph ask for others with the same value."""
GRADES = frozenset(
    "many much long old tall high deep wide big large far fast heavy often short young hot cold small thick".split()
)
"""Degrees that `how` asks for."""

# -- degree and certainty ---------------------------------------------------------------------------------------------

INTENSIFIERS = frozenset(
    "so very really too just even also still pretty quite as not n't never more most only actually".split()
)
WHOLLY = frozenset("all every whole entire full much many enough both always first so such that too".split())
"""Words of a whole or a degree."""
HEARSAY = frozenset("apparently allegedly supposedly reportedly purportedly ostensibly rumoredly".split())
POSSIBLE = frozenset(
    "maybe perhaps possibly probably presumably seemingly conceivably potentially theoretically".split()
)
HOPED = frozenset({"hopefully", "ideally"})
DOUBTFUL = frozenset(
    "likely unlikely possible impossible probable improbable sure certain true false doubtful plausible".split()
    + "convinced confident persuaded positive adamant hopeful afraid worried skeptical sceptical suspicious optimistic".split()
    + "conceivable imaginable thinkable untrue wrong rumored rumoured alleged supposed unclear uncertain unsure".split()
)
"""Adjectives of likelihood and belief leave a that-clause open; evaluative ones ("glad", "odd", "great") presuppose it
(Kiparsky & Kiparsky 1970)."""
ABLE = frozenset("able lucky fortunate glad happy sad sorry proud surprised honored pleased thankful grateful".split())
"""Adjectives whose infinitive holds: "able to", "glad to hear"."""
UNABLE = frozenset("unable unwilling powerless".split())
"""Adjectives whose infinitive does not (Karttunen 1971: negative implicatives)."""
OF_ITSELF = frozenset(
    "allergic pregnant ill angry happy unhappy sad glad proud afraid jealous late early famous nervous anxious sorry grateful guilty innocent".split()
)
"""Adjectives that mean the same without their complement: who is allergic to nuts is allergic."""
COMPLEMENTARY_STATES = pairs(
    *("open closed", "open shut", "on off", "alive dead", "married single", "married unmarried", "awake asleep"),
    *("present absent", "same different"),
)
"""Adjectives of which always one holds (complementaries: Lyons 1977, section 9.1)."""
KEEN = {
    "fond": "of",
    "keen": "on",
    "crazy": "about",
    "passionate": "about",
    "obsessed": "with",
    "big": "on",
    "mad": "about",
}
"""Adjectives of liking -> their preposition."""
PLACES_NEAR = frozenset(
    "here there home abroad away upstairs downstairs outside inside overseas everywhere somewhere nearby back".split()
)
"""Adverbs of place."""

# -- openings and connectives ------------------------------------------------------------------------------------------

YES = frozenset(
    "yes yeah yep yup yea yess ya sure absolutely definitely certainly totally indeed exactly correct right course".split()
)
NO = frozenset({"no", "nope", "nah", "never", "not"})
CONFIRMING = frozenset("right correct yes yeah yep no true huh eh innit".split())
"""Words behind a statement that ask whether it is so."""
YES_SIGNS = frozenset("👍 👌 ✅ ✔ ☑ 🆗 💯".split())
NO_SIGNS = frozenset("👎 ❌ ✖ 🙅 🚫 ⛔".split())
"""Emoji for yes and no by their names in the Unicode CLDR (thumbs up, check mark, cross mark, no entry)."""
AFTER_NO = frozenset("yet really anymore longer at she he it they we i you".split())
"""Continuations of a `no` or `not` that answers a question: `not yet`, `not at all`, `no I didn't`."""
HEDGES = frozenset(
    "maybe perhaps possibly probably presumably likely think guess hope hopefully suppose if unless unsure sure know idea clue almost nearly "
    "might may could would should depends kidding joking lol haha or but except wish".split()
)
"""Words that keep a short text from being an answer (epistemic adverbs and verbs, conditions, jokes)."""
DISCOURSE = frozenset(
    "by the way|in fact|for example|for instance|at all|as for me|in general|of course|by far".split("|")
)
"""Phrases about the talk itself."""
BECAUSE = dict.fromkeys(("'cause", "cause", "cos", "coz", "cuz", "bc"), "because")
CONDITIONS = frozenset("if unless whether lest provided providing supposing assuming suppose".split())
"""Subordinators of suppositions."""
CONDITIONAL_NOUNS = frozenset({"condition", "event"})
"""`on condition that`, `in the event that` (Quirk et al. 1985, section 15.34)."""
SUPPOSING = frozenset("provided providing supposing assuming".split())
"""Participles that are conjunctions of condition, with or without `that` (Quirk et al. 1985, section 15.34)."""
ADDITIVE = frozenset("only just merely simply".split())
"""Behind `not`, they deny that it is all: `not only Tom but also Ana` (Quirk et al. 1985, section 13.42)."""
NAMING_OR_EXACT = frozenset(
    "name call kind type sort be do have exactly precisely actually really roughly approximately".split()
)
"""Words that only ask to name or specify something, and helping verbs."""
MEASURING = frozenset("many much long ago old".split())
"""Words that, after an interrogative, ask for a measure."""
NET = re.compile(r"\bout of pocket|\bextra\b|\bin the end\b", re.IGNORECASE)
"""Words by which a cost is not a price: refunds are deducted."""
SHORTENED = {"w/": "with", "w/o": "without"}
"""Prepositions as they are shortened."""

EVALUATING = frozenset(
    "rare unusual common uncommon complicated unclear unknown secret private confidential different weird odd strange normal good bad "
    "better worse best worst nice important wrong right correct new old special average typical interesting boring easy hard difficult "
    "simple great terrible awful fine ok okay perfect funny lovely annoying same similar identical equal unique public visible missing "
    "available valid invalid ready due".split()
)
"""Adjectives by which somebody rates a value or compares it, and does not say which it is."""
COMPARING = re.compile(r"\b(?:than|as|too|very|so|quite|rather|really|more|most|less|least|like|to)\b", re.IGNORECASE)
"""Words by which an adjective rates or compares."""
NOT_RESTRICTING = frozenset(
    "new current present own particular specific certain various different recent other same whole total first last next main usual regular"
    " normal only real actual full exact lovely dear beloved poor".split()
)
"""Modifiers that select none of several things of a kind by what they are."""
PLAIN = NOT_RESTRICTING | frozenset("big little small good best nice favourite favorite next-door".split())
"""Modifiers by which nothing is told apart."""
