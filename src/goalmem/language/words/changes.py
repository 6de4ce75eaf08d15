"""Words of change: verbs that change the location or the holder of something, by lemma with particle, and words of later versions.

The classes are those of Levin 1993 ("English Verb Classes and Alternations") and VerbNet, by number; members whose usual sense
is another are left out. Particles are those of Quirk et al. 1985, section 16.4.
"""

from __future__ import annotations

import re


def _verbs(text: str, *more: str) -> frozenset[str]:
    return frozenset([*text.split(), *more])


GOING = _verbs(
    "go come move travel journey walk run return head drive fly sail cycle bike ride hike stroll wander march hurry rush race"
    " dash sprint jog trot stride amble saunter plod trudge stumble stagger limp creep crawl sneak slip tiptoe tramp trek wade"
    " swim climb jump hop leap skip slide step stomp strut swagger hasten scurry scuttle scamper bolt speed zoom whiz dart"
    " gallop canter skate ski row paddle canoe boat drift glide commute migrate emigrate immigrate relocate proceed advance"
    " retreat withdraw voyage roam venture transfer pop nip get arrive land shift mosey lope waltz shuffle hobble lumber meander"
    " traipse troop backpack bound hitchhike file sidle skulk prowl scramble slink slither shamble toddle totter tread bus"
    " motor cruise taxi skateboard scoot",
    *("go back", "come back", "get back", "head back", "walk back", "run back", "go over", "come over", "head over"),
    *("walk over", "run over", "go off", "head off", "set off", "go out", "head out", "go in", "come in", "walk in"),
    *("go up", "go down", "head up", "head down", "come down", "come up", "walk up", "walk down", "settle down"),
    *("move in", "move over", "move back", "drop by", "go along", "come along", "settle"),
)
"""Somebody who does it to a place is there (51.1 escape, 51.3.2 run, 51.4 vehicles, 51.7 accompany)."""
REACHING = _verbs("enter reach")
"""The destination is the object (51.1-2)."""
LEAVING = _verbs(
    "leave exit depart vacate evacuate flee escape desert",
    *("move out", "check out", "go out", "walk out", "get out", "come out", "run out", "go away", "move away"),
)
"""The subject leaves a place (51.1, 51.2)."""
TAKING = _verbs(
    "take get grab collect fetch snatch seize obtain acquire gather retrieve grasp clutch catch clasp pocket nab swipe steal"
    " pilfer recover claim confiscate capture scoop procure buy purchase receive accept inherit borrow lift pick reclaim"
    " repossess secure bring carry haul lug cart tow ferry transport drag hoist filch purloin pinch loot appropriate"
    " commandeer impound hook bag",
    *("pick up", "take up", "scoop up", "get back", "take back", "pick out", "take along", "bring along", "snap up"),
    *(
        "bring back",
        "bring over",
        "take over",
        "carry off",
        "carry away",
        "take away",
        "gather up",
        "snatch up",
        "grab up",
    ),
)
"""The subject gets the object, or with a place, takes it there (10.5 steal, 11.3 bring, 11.4 carry, 13.5 get and
obtain).
"""
GIVING = _verbs(
    "give hand pass lend loan sell donate send ship mail post deliver gift bequeath award grant present entrust slip toss"
    " throw fling hurl lob serve return bring transfer forward cede relinquish surrender render furnish refund repay fax",
    *(
        "hand over",
        "hand back",
        "give back",
        "give away",
        "pass on",
        "pass over",
        "turn over",
        "hand down",
        "pass along",
    ),
    *("send back", "send over", "lend out", "pass back", "bring back", "bring over", "give over", "throw over"),
)
"""The object passes from the subject to the recipient (11.1 send, 13.1 give, 13.2 contribute, 17.1 throw)."""
HANDING = frozenset({"give", "hand", "pass"})
"""Those that say no more than that something was given."""
FOR_MONEY_OR_TIME = frozenset({"sell", "lend", "loan", "lend out", "refund", "repay"})
"""Those of what nobody calls given: it is paid for, comes back, or goes back."""
SENDING = _verbs("send ship mail post forward fax transfer deliver sell donate bequeath")
"""Verbs of giving whose giver and recipient may be in different places (11.1)."""
DROPPING = _verbs(
    "drop put place leave discard release deposit set lay ditch dump stow store stash hide hang position park abandon shelve"
    " unload rest plop plunk stick mount perch lodge situate install desert jettison",
    *("put down", "set down", "lay down", "leave behind", "throw down", "put away", "let go", "drop off", "put back"),
    *(
        "set aside",
        "lay aside",
        "put aside",
        "place down",
        "leave off",
        "toss aside",
        "tuck away",
        "stash away",
        "lock up",
    ),
)
"""The object stays at the subject's place, or the stated one, without a holder (9.1 put, 9.2 set in position, 9.7
pocket).
"""
ENDING = _verbs(
    "lose destroy eat drink consume burn trash scrap devour swallow smash shred recycle incinerate sell donate misplace forfeit",
    *(
        "throw away",
        "throw out",
        "get rid",
        "give away",
        "use up",
        "eat up",
        "drink up",
        "sell off",
        "toss out",
        "give up",
    ),
)
"""The object has no known holder and place any longer (13.1 without a recipient, 39 eat, 44 destroy)."""
HAVING = _verbs("have hold carry own possess keep")
"""The subject has the object (15 hold, 100 own)."""
RESIDENT = _verbs("live reside dwell")
"""The place is somebody's home (47.1)."""
CHANGES = GOING | REACHING | LEAVING | TAKING | GIVING | DROPPING | ENDING | HAVING | RESIDENT | {"be"}
"""All of them, and to be somewhere."""


_IT = r"(?:it|that|this|them)"
_VERBS = r"(?:set|put|bring|bump|raise|lower|drop|cut|reduce|increase|push|move|change|switch|shift|take|update|turn|round|up|get|call)"
_DONE = (
    r"(?:moved?|changed|bumped|raised|lowered|dropped|cut|reduced|increased|pushed|switched|shifted|updated|postponed|delayed|rescheduled|brought|put"
    r"|gone|went|going|goes|go|rose|risen|fell|fallen|climbed|upped|set|back|up|down|rearranged|deferred|rolled|rounded)"
)
_WAY = r"(?:\s+(?:up|down|back|forward|forwards|out|off|over|right|straight|all the way))*"
OPENER = re.compile(
    r"^(?:\W*\b(?:oh|ah|ok|okay|well|hm+|um|uh|right|update|edit|so|then|hey|and|but|yes|yeah|sorry|apologies|fyi|btw|ps)\b[\s,.:;!–—-]*)+",
    re.IGNORECASE,
)
"""Words before a new value, without content."""
REVISED = re.compile(
    rf"^(?:(?:it|that|this)(?:['’]s|\s+is|\s+was|\s+got|\s+has)?\s+)?(?:(?:been|now|got|just|already)\s+)*(?:{_DONE}{_WAY}\s+(?:to|at|until|till|for)\s+)(?P<v>.+)$"
    r"|^(?:it(?:['’]s|\s+is)\s+)?now\s+(?P<v2>.+)$|^(?:it(?:['’]s|\s+is)\s+)?(?P<v3>.+?)\s+(?:now|it is)$"
    r"|^(?:no wait|wait,? no|no|nope|nah|wait|correction|scratch that|actually|rather|make that|i meant?)\b[\s,.:;!–—-]*(?:(?:it(?:['’]s|\s+is)|actually)\s+)?(?P<v4>.+)$"
    r"|^(?P<v5>.+?),?\s+(?:actually|after all|instead)$",
    re.IGNORECASE,
)
"""A reported change or a corrected value."""
CORRECTED = re.compile(
    r"^\W*(?:edit|edited|update|updated|fix|fixed|amended|revised|correction|corrected|typo|erratum|sorry|\*)\W+(?:(?:it|that)(?:['’]s|\s+is|\s+was)\s+)?(?P<v>.+)$"
    r"|^(?P<v2>.+?),?\s+(?:sorry|my bad|my mistake|oops|i mean|i meant|surely|right)$",
    re.IGNORECASE,
)
"""A value that is put right, in a turn of its own."""
PROPOSED = re.compile(
    rf"^(?:please\s+)?(?:make|do)\s+{_IT}\s+(?P<v>.+)$|^(?:please\s+)?{_VERBS}\s+{_IT}{_WAY}\s+(?:to|at|until|till|for)\s+(?P<v2>.+)$"
    r"|^(?:let['’]?s|let us|i['’]d|we could|shall we|how about|what about)\s+(?:say|do|make it|go with|take|go for|try|settle on)?\s*(?P<v3>.+)$"
    r"|^(?P<v4>.+?)\s+then$",
    re.IGNORECASE,
)
"""A change that is asked for or agreed on."""
CONTRASTS = re.compile(
    r"^(?P<v>.+?),?\s+(?:not|instead of|rather than|no longer|and not)\s+(?P<old>.+)$|^not\s+(?P<old2>.+?)[,;]?\s+(?:but\s+)?(?P<v2>.+)$",
    re.IGNORECASE,
)
"""A value next to the one that it replaces."""
CONTRASTED = re.compile(
    r"(?<![\w'’])(?!(?:is|are|was|were|am|be|been|being|do|does|did|have|has|had|will|would|can|could|should|shall|may|might|must|or|and|but|if|as|why"
    r"|i|we|you|he|she|it|they|still|just|also|really|definitely|probably|certainly|course|so|then|now|yet)\b)"
    r"(?:(?!['’](?:s|m|re|ve|d|ll)\b)[\w%.:'’])+,?\s+(?:and\s+|but\s+)?not\s+"
    r"(?!(?:only|just|yet|really|sure|even|so|that|too|because|for|to|until|till|all|at|much|many|very|quite|any|if|when|with|without|exactly)\b)"
    r"(?=[\w£$€])",
    re.IGNORECASE,
)
"""One value and not another: `17, not 19`; up to the other. Not the `not` of a verb."""
TAIL = re.compile(
    r"(?:\s+(?:now|then|please|pls|instead|after all|actually|again|today|though|from now on|for now|(?:from|since|as of|starting)\s+[\w ]{2,20}))+$",
    re.IGNORECASE,
)
WEAK = re.compile(
    r"\b(?:maybe|perhaps|possibly|about|around|roughly|or|if|would|could|might|think|hope|probably|almost|nearly|should)\b|[?~]",
    re.IGNORECASE,
)
"""Words that make a value inexact or tentative."""
REFUSAL = re.compile(
    r"^\W*(?:no(?! (?:problem|worries))|nope|nah|not|never|can['’]?t|cannot|don['’]?t|won['’]?t|leave|keep|impossible|i['’]d rather)\b|^\W*👎",
    re.IGNORECASE,
)
"""Openings of a turn that rejects a proposal."""
DOUBT = re.compile(r"^\W*(?:too|sorry|hm+|why|really|are you|wait|doesn['’]?t)\b|[?]\s*$", re.IGNORECASE)
"""Openings of a turn that doubts a proposal."""


LABELLED = re.compile(
    r"^[ \t]*+(?:[-*•‣·]|\d{1,2}[.)]|\|)?[ \t]*+(?:\*\*|__|`)?(?P<label>[^\W\d_][\w'’ ./#-]{0,38}?)(?:\*\*|__|`)?[ \t]*+"
    r"(?::(?!//)(?:\*\*)?|={1,2}(?!=)|->|=>|→|\|)[ \t]*+(?:\*\*|__|`|[\"“])?(?P<value>[^\n|:=?]{1,60}?)(?:\*\*|__|`|[\"”])?[ \t]*+(?:\|[ \t]*+)?$",
    re.MULTILINE,
)
"""A line that is a label and a value: a key of a file, an item of a list, a row of a table of two columns."""
NO_LABELS = frozenset(
    "note notes ps p.s nb n.b fyi tldr tl;dr edit update re fw fwd subject from to cc bcc hi hello dear q a question answer example e.g i.e idea option"
    " options plan warning error info debug todo reminder quote me you he she they we i that this it so and but then or also".split()
)
"""Words before a colon that open a message and do not name an attribute."""
ASIDE = re.compile(
    r"\b(?:options?|draft|example|e\.g|such as|suppos\w*|propos\w*|suggest\w*|idea|maybe|perhaps|old|previous|former|was|were|instead of|if|would|could|might"
    r"|should|template|placeholder|dummy|hypothetical\w*|competitor\w*|quoted?|tbd|tba|unknown|not)\b|[?>]",
    re.IGNORECASE,
)
"""Words in the lines before or in a value by which it is only considered, or was so."""
GIVEN_UP = (
    r"instead of|in place of|rather than|no longer|not|than|left|leaving|dropped|quit|given up|gave up|giving up|swapped|swap|traded(?: in)?|sold|scrapped|rehomed|binned|ditched|replaced|stopped"
    r"|finished with|done with|through with|rid of|out of|switched from|taking over from|took over from|taken over from|takes over from|moved from|changed from|from|off"
)
"""Words before a replaced value."""
REPLACED_BY = r"(?:['’]s| is| has| have| was| are)?\s+(?:gone|left|retired|resigned|stepped (?:down|back|aside)|stood down|bowed out|handed over|out|over|no more|finished|sold|replaced)\b"
"""Words after a replaced value."""
MARKED = re.compile(
    r"\b(?:now|nowadays|these days|from now on|as of (?:today|now|this|yesterday|tomorrow)|from today|taking over from|instead|in place of|rather than|would rather|no longer|any ?more|after all|(?:has|have|['’]s|['’]ve)\s+(?:\w+\s+)?"
    r"(?:changed|moved|switched|swapped|gone|become|taken|joined|started|left|dropped|given|turned|signed|painted|put|been)"
    r"|changed|moved|switched|swapped|traded|sold|scrapped|rehomed|replaced|renamed|rebranded|took over|resigned|retired|stepped (?:down|back|aside)|stood down|became|joined|signed for|went (?:up|down)|put (?:\w+\s+){0,3}(?:up|down)|up to|down to"
    r"|transferred|dyed|repainted|upgraded|downgraded|quit|dropped|ditched|rid of|from [\w'’ -]{1,30} to|(?:took|taken|came|come|coming|taking) (?:[\w'’]+ ){0,3}off"
    r"|raised|rose|lowered|increased|reduced|given up|gave up|a new|our new|my new|the new|(?:his|her|their) new)\b",
    re.IGNORECASE,
)
"""Words of a sentence by which something is not as it was."""
NEW_ROLE = re.compile(
    r"(?:\bis|\bare|['’]s)\s+(?P<what>(?:[\w'’-]+\s+){1,4})(?=now\b|as of\b|from today\b)"
    r"|\b(?:as of (?:today|now|this \w+|yesterday|tomorrow)|from (?:today|now)(?: on)?),? \w+(?:\s+is|['’]s)\s+(?P<what4>(?:[\w'’-]+\s?){1,4})"
    r"|\b(?:my|our|his|her|their|the|[\w-]{1,40}['’]s)\s+new\s+(?P<what2>(?:[\w'’-]+\s?){1,3})"
    r"|\b(?:taken over|took over|joined|started|become|became)\s+(?:as\s+)?(?P<what3>(?:[\w'’-]+\s?){1,6})",
    re.IGNORECASE,
)
"""Words for a new role or state."""
