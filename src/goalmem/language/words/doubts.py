"""Words that leave open whether, or how exactly, a statement holds, or what stands below a heading."""

from __future__ import annotations

import re

from goalmem.language.words.function_words import NEGATIVES
from goalmem.language.words.modifiers import CONDITIONS


def _verbs(text: str) -> frozenset[str]:
    """Verbs, with particles, between commas."""
    return frozenset(text.split(","))


APPROXIMATE = re.compile(
    r"\b(?:about|around|approximately|approx|roughly|circa|ca|some|almost|nearly|close to|maybe|perhaps|probably|possibly"
    r"|more or less|something like|in the region of|an estimated|over|under|above|below|up to|upwards of|more than|less than"
    r"|fewer than|at least|at most|no more than|no less than|before|after|by|until|since|either|between)\W*(?:the\s+|a\s+)?$"
    r"|\d\s*(?:or|to|-|–)\s*$",
    re.IGNORECASE,
)
"""Words before a number or date that make it inexact (approximators: Quirk et al. 1985, sections 8.111 and 15.64), or one of several."""
TOGETHER = re.compile(
    r"^\W{0,2}(?:ish\b|(?:more(?! (?:or|than))|other|extra|additional|further)\b|(?:\w+\W{1,2}){0,2}(?:or so|or more|or less|or thereabouts|give or take|at the (?:earliest|latest|soonest|most|least|outside)|together|altogether|combined|between them|in total)\b"
    r"|(?:or|to|-|–)\s*\d|[a-z]+s (?:and|or|&) [a-z]+s\b)",
    re.IGNORECASE,
)
"""Words behind a number or date that do so, or that count several things together."""
HEDGE = (
    r"(?:(?:I|we) (?:think|believe|guess|suppose|reckon|imagine|assume|presume)|iirc|afaik|i think so|i wanna say|i want to say"
    r"|if (?:I|we) (?:remember|recall)(?: (?:it )?(?:right|rightly|correctly|well|properly))?|if (?:I['’]?m|I am) not (?:mistaken|wrong)"
    r"|if memory serves(?: me)?(?: (?:right|well|correctly))?|from memory|(?:as|so) far as I (?:know|remember|recall|can tell)|to my knowledge"
    r"|(?:though |but )?(?:I['’]?m |I am )?(?:not|never) (?:[\w%]+ ){0,2}?(?:sure|certain|positive)|(?:I['’]?m |I am )?(?:pretty|fairly|quite|almost) (?:sure|certain)"
    r"|don['’]?t quote me(?: on (?:that|it))?|or am I (?:wrong|mistaken)|maybe|perhaps|possibly|probably|presumably|apparently|supposedly|allegedly)"
)
"""Comment clauses and disjuncts by which a speaker leaves a statement open (Quirk et al. 1985, sections 8.127 and 15.54)."""
HEDGED = re.compile(
    rf"^\W*{HEDGE}(?:,? that)?\W*\s\S|(?:^|[\s,;:(–—-]){HEDGE}\s*(?:[.,;:!?)…–—]|$|\n|(?:lol|haha|tho|though)\b)",
    re.IGNORECASE,
)
"""A clause that one opens, interrupts or closes."""
NEXT_CLAUSE = re.compile(r"[;\n]|,?\s(?:and|but|so|while|whereas|because)\s", re.IGNORECASE)
"""Between clauses, each of which is left open on its own."""
NOT_THE_SAME = frozenset(
    "another other similar different second alternative comparable identical fake replica toy model".split()
)
"""Adjectives of something that is not the thing itself (Quirk et al. 1985, section 5.117), or no such thing at all."""
NONSUBSECTIVE = frozenset(
    "almost nearly practically virtually partly partially mostly half wannabe would-be wouldbe aspiring prospective future budding former ex ex- past erstwhile"
    " retired ousted late fake false pretend imaginary fictitious fictional so-called alleged supposed self-styled self-proclaimed"
    " putative quasi pseudo mock sham bogus phony counterfeit failed hopeful potential possible".split()
)
"""Adjectives and adverbs of what is not, or not certainly, an instance of the noun (privative and plain
nonsubsective: Kamp & Partee 1995).
"""
DEPUTIES = frozenset(
    "deputy vice acting interim assistant associate apprentice trainee student shadow honorary substitute stand-in would-be".split()
)
"""Modifiers of deputies, assistants and trainees for the noun's role (WordNet 3.0, kinds of `assistant`, `deputy`,
`substitute`).
"""
_NOW = "now|nowadays|currently|from now on|these days|at the moment"
NOW = re.compile(rf"\b(?:{_NOW})\b", re.IGNORECASE)
"""Adverbs of what holds now but did not always."""
CHANGED = re.compile(
    rf"\b(?:{_NOW}|no longer|any ?more|after all|instead|in the end|by now|meanwhile|since then"
    r"|is off|are off|was off|is over|has been off)\b"
    r"|\bno (?:more )?(?=\w+(?: \w+)? (?:this|today|tomorrow|tonight|next|then|any)\b)|\bnew\b",
    re.IGNORECASE,
)
"""Adverbs and particles of what is not as it was (Quirk et al. 1985, sections 8.51 to 8.56, 8.97)."""
NO_MORE = re.compile(
    r"\b(?:no longer|any ?more|no more|for good|through with|done with|rid of|hasn['’]?t|haven['’]?t)\b|\b(?:is|am|are|been|was|were|['’](?:m|s|re)) off (?!to\b)",
    re.IGNORECASE,
)
"""Words that say that something is over (Quirk et al. 1985, sections 8.97 and 15.58)."""
ANEW = re.compile(
    rf"{NO_MORE.pattern}|\b(?:{_NOW}|again|finally|at last|in the end|instead|after all|by now|since|better|worse|too)\b",
    re.IGNORECASE,
)
"""Adverbs of what is so again, at last, or not as before."""
COMPLETIVE = frozenset("off up out over away down in through".split())
"""Particles that say that something is completed (Quirk et al. 1985, section 16.4; aspectual particles: Brinton 1988)."""
NEUTRAL = frozenset(
    "now currently presently still already also too again always really truly definitely certainly surely actually indeed officially happily"
    " obviously clearly of course right at the moment these days today this week month year here there home together alone all very so just"
    " permanently full time part well much deeply dearly absolutely totally completely absolutely honestly both outside inside upstairs"
    " downstairs abroad nearby daily weekly monthly yearly every day nowadays since as yet finally yesterday last night morning evening"
    " afternoon tonight only is btw tho lol haha rn anyway".split()
)
"""Words of adverbials that do not affect a statement: time relationship, additives, emphasizers and amplifiers (Quirk
et al. 1985, sections 8.97 to 8.124).
"""
FORMERLY = re.compile(
    r"\b(?:back then|once(?! more| again| a)|in those days|at the time|back in the day|formerly|previously|originally|until recently"
    r"|at first|for a while|years ago)\b",
    re.IGNORECASE,
)
"""Adverbials of another time (Quirk et al. 1985, sections 8.51 to 8.97)."""
DISMISSING = _verbs("fire,sack,dismiss,axe,lay off,let go,make redundant")
RESIGNING = _verbs("quit,resign,leave,retire,step down,walk out,drop out")
ENDING_WORK = DISMISSING | RESIGNING
"""Verbs that end a person's work (VerbNet 10.10 fire, 10.11 resign)."""
QUITTING = RESIGNING | {"stop", "give up", "pack in"}
"""Verbs of ending an activity that need no object (55.4 stop)."""
ENDING_ROLES = ENDING_WORK | _verbs(
    "divorce,separate,split,split up,break up,remarry,marry,elope,die,pass away,retrain,requalify,graduate,oust,replace,expel,suspend,abdicate"
    ",demote,promote,switch,change,stand down,bow out,move on,move away,pack in,jack in,chuck in"
)
"""Verbs that may end a person's role or relation (36.2 marry, 10.10 fire, 51.2 leave, 48.2 disappearance)."""
DECEASED = frozenset({*_verbs("die,pass away,perish"), "dead", "gone"})
"""Verbs and adjectives by which somebody is no longer alive."""
PARTED = frozenset(
    {*_verbs("divorce,separate,split,split up,break up,widow"), "divorced", "separated", "widowed", "single"}
)
"""Verbs and adjectives by which somebody no longer has a spouse or lover (WordNet 3.0, divorce.v.02, separate.v.08)."""
ENDING_THINGS = _verbs(
    "quit,abandon,drop,stop,cease,end,dump,ditch,forsake,renounce,outgrow,hate,detest,loathe,dislike,rid,gamble,lose,scrap,lend,give up,go off"
    ",tire of,swear off,cut out,throw out,throw away,give away,take off,come off,be off,wean off,part with,do without,buy out"
)
"""Verbs that may end having or liking the object (55.4 stop, 31.2 admire with a negative sense, 10.1 remove)."""
FULFILLING = _verbs(
    "find,get,buy,sign,book,hire,order,adopt,land,accept,receive,arrive,come,turn up,pick up,collect,finish,complete"
)
"""Verbs after which something is no longer sought, awaited or worked on."""
PARTING = frozenset(
    "lend loan sell lose give donate swap trade pawn return scrap wreck crash total bin dump destroy break borrow steal rob write miss"
    " replace rehome surrender forfeit".split()
)
"""Verbs that may separate their object from its owner (13.1 give, 13.2 contribute, 10.5 steal, 44 destroy)."""
YIELDING = _verbs(
    "relent,yield,succumb,cave,surrender,capitulate,concede,give in,cave in,come round,come around,give way"
)
"""Verbs that may make somebody do, have or be something against their will."""
INDIRECT = re.compile(
    r"\b(?:next to|near|beside|behind|in front of|outside|opposite|close to|under|above|over|between|around)\s+(?:the\s+|a\s+|an\s+|my\s+|our\s+)?$",
    re.IGNORECASE,
)
"""Prepositions of places near, but not at, the place itself."""
_SORRY = r"(?:sorry|apologies|my bad|my mistake)(?! (?:to|for|about|i(?:['’]?| a)m late|that you))"
_JOKING = r"(?:(?:just|only) )?(?:kidding|joking)\b|april fools?\b|(?:lol )?jk\b"
_AGAIN = (
    r"(?:nope|nah|no(?! (?:way|kidding|problem|worries|doubt|wonder|idea|need|rush|matter|more|one|longer|clue|thanks|thank|pressure|luck)\b)"
    r"|wait(?! (?:for|until|till|to)\b)|hang on|hold on|correction|erratum|strictly speaking|technically|to be (?:precise|exact|fair)|on second thoughts?|come to think of it|more precisely|(?:scratch|strike|scrap|cancel|delete|undo) (?:that|this|it)|never ?mind|forget (?:that|it|what)"
    r"|disregard|ignore (?:that|what|(?:my|the) (?:last|previous|above))|i (?:mixed|messed|got|had) (?:that|it|this|them|those) (?:up|wrong|backwards)|i (?:mean|meant|was wrong|lied|misspoke|misremembered|made a mistake|mistyped)|oops|whoops|typo|not true|wrong|make that|(?:that|this|it)(?:['’]?s| is| was|['’]?s no|['’]s all)?(?: not|n['’]?t)?"
    r" (?:the (?:old|wrong|previous|former)|wrong|false|not|no longer|right|true|correct|incorrect|nonsense|rubbish|out of date|outdated|a lie|a mistake|a typo|a joke)"
    r"|(?:that|this|it) (?:isn|wasn)['’]?t|you(?:['’]re| are) (?:wrong|mistaken))"
)
_REPAIRED = (
    r"(?:false alarm|(?:edit|edited|fix|fixed|amendment|erratum)(?=\s*[:–—-])"
    r"|(?:(?:surely|do|did|don['’]?t|didn['’]?t) )?you meant? (?!well|it|so|that|more|a lot|the world|everything|much|nothing|business)[\w'’]+)"
)
"""How the speaker or the hearer puts another value in place of one (other-initiated repair: Schegloff, Jefferson & Sacks 1977)."""
RETRACTION = re.compile(
    rf"^\W*(?:(?:oh|ah|ok|okay|well|ugh|uh|um|hm+|argh|damn|hey|yeah|yes|right|true|haha)\W+)*(?:{_SORRY}|{_JOKING}|{_AGAIN}|{_REPAIRED})\b|^\*\S|^\W*actually\b",
    re.IGNORECASE,
)
"""How a turn begins that takes back or corrects the one before (third and first position repair: Schegloff, Jefferson & Sacks 1977)."""
QUERY = re.compile(
    r"^\W*(?:\w+\W+)?(?:is|was|are|were|does|did|do|has|have)(?:n['’]?t| not)\s(?:it|that|he|she|they|you)\b[^.?!]*\?",
    re.IGNORECASE,
)
"""A negated question of the hearer, who took it for something else (Quirk et al. 1985, section 11.7)."""
MISTAKEN = re.compile(
    r"\b(?:wrong|mistaken|mixed up|muddled|misremembered|misspoke|misheard)\b.{0,40}\b(?:about|on)\b|\b(?:scrap|forget|ignore|disregard|take back)\b.{0,12}\b(?:said|told you)\b",
    re.IGNORECASE,
)
"""Words by which a speaker takes back what they said earlier about something that they name again."""
NOT_SO = re.compile(
    r"[\s,;.–—-]*(?:(?:but|though|although|yet|and|then|only|in fact|actually)\b[\s,]*){0,2}"
    r"(?:(?:which|that|this|it|i|we|he|she|they)\b\s*)?"
    r"(?:(?:(?:is|was|are|were|has|have|had|did|does|do|wo|ca|could|would)(?:n['’]?t|\s+not)|am not|['’]m not|never (?:did|was|had))(?=\s*(?:[.,;!?]|$))"
    r"|(?:is|was|['’]s)(?: all| just| only)?(?: an?| the)? ?(?:lie|lies|joke|bluff|fib|not true|untrue|nonsense|exaggeration|made up|invented)\b"
    r"|(?:is|was)(?:n['’]?t| not)(?: really| exactly)? (?:true|so|the case|right)\b"
    r"|(?:was |am |['’]m )?(?:lied|lying|joking|kidding|bluffing|fibbing|pretending|exaggerating)\b"
    r"|(?:just |only )?(?:made|making) (?:it|that|this) (?:all )?up\b|(?:have |had |['’]ve )?changed (?:my|our|his|her|their) minds?\b)",
    re.IGNORECASE,
)
"""Behind what somebody is said to have said, that it is not so: `but I hadn't`, `which was a lie`."""
RETRACTED_WITHIN = re.compile(
    r"^\W*(?:(?:oh|well|or)\W+)?(?:no\b(?! (?:way|kidding|problem|one)\b)|wait\b|not\W*$|i mean\b(?!\W*$)|i meant\b|scratch that|strike that|correction"
    rf"|sorry\W+\S+\W*$|{_JOKING}|(?:but|though|just|only) not (?:in|on|at|for|with|to|when|if|until|yet|completely|fully|entirely|all)\b"
    r"|(?:had|were|should) (?:i|you|he|she|it|we|they|the|a|an|my|our|his|her|their)\b|or was it|or maybe|or \S+\?|make that|rather\b|actually\W|or so (?:i|we|he|she|they|it)\b)",
    re.IGNORECASE,
)
"""Continuations by which a speaker takes back what they just said."""


FALSE = frozenset(
    "myth misconception fallacy falsehood lie rumor rumour hoax false untrue wrong incorrect mistaken inaccurate debunked".split()
)
"""WordNet 3.0: falsehood.n.01, misconception.n.01, rumor.n.01, false.a.01, incorrect.a.01, with their hyponyms and
similar words.
"""
UNREAL = frozenset(
    "plan planned proposal proposed suggestion suggested draft idea option alternative scenario hypothesis hypothetical assumption example "
    "sample template fiction fictional story tale fable joke dream wish hope goal aim target todo task roadmap forecast prediction "
    "upcoming quiz exercise claim claimed alleged unconfirmed unverified disputed speculation gossip".split()
)
"""WordNet 3.0: plan.n.01 to plan.n.03, proposal.n.01, suggestion.n.01, hypothesis.n.01, example.n.01, fiction.n.01,
goal.n.01, prediction.n.01, speculation.n.01; claims that are not vouched for.
"""
ENDED = frozenset(
    "rejected declined cancelled canceled withdrawn abandoned refused postponed dropped discarded obsolete deprecated outdated superseded "
    "former formerly previous previously expired archived".split()
)
"""WordNet 3.0: reject.v.01, cancel.v.01, withdraw.v.01, discard.v.01 as participles; obsolete.a.01, former.a.03."""
POSSIBILITY = frozenset(
    "could would might should perhaps maybe possibly possible potential suppose imagine imagined assume whether".split()
)
"""Modals and adverbs of possibility (CGEL 3.2, 9), without `may`, which is a month."""
DOUBT_WORDS = FALSE | UNREAL | ENDED | POSSIBILITY | NEGATIVES | CONDITIONS | {"to do", "to-do"}
WORD = re.compile(r"to[ -]do\b|[^\W\d_]+(?:['’][^\W\d_]+)?")


def is_doubtful(heading: str) -> bool:
    """True if the text below a heading, or after an introductory line, may not be asserted."""
    words = (word.replace("’", "'") for word in WORD.findall(heading.casefold()))
    return any(not DOUBT_WORDS.isdisjoint((word, word.removesuffix("s"))) or word.endswith("n't") for word in words)


PASSING = {
    280: "pregnant expecting",
    45: "ill sick poorly unwell injured concussed bedridden furloughed suspended grounded away abroad contagious|off sick|off work|off school|in hospital"
    "|on holiday|on vacation|on leave|on tour|on strike|on loan",
    2: "tired exhausted hungry starving thirsty asleep awake drunk hungover busy stuck late lost cross angry upset nervous bored cold hot wet|on the way|in traffic"
    "|in a meeting|at lunch|out of breath",
}
"""Days that a state of somebody lasts at most, if nothing says otherwise -> words for such states, and phrases behind bars."""
LASTS_AT_MOST = {
    word: days for days, words in PASSING.items() for word in (*words.partition("|")[0].split(), *words.split("|")[1:])
}
"""The same by word or phrase."""
