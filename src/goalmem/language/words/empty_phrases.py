"""Openings, closings and asides of a sentence that say nothing themselves: greetings, thanks, announcements, laughter.

Chosen on chat messages.
"""

from __future__ import annotations

import re

ASIDES = frozenset(
    "btw lol lmao rofl haha hahaha hehe imo imho tbh ngl fyi fwiw smh omg xd tho ugh yay pls xx xxx xoxo".split()
)
"""Acronyms, laughter and cries of chats that comment on a sentence and have no place in its syntax."""
LOWER_CASE_ASIDES = frozenset({"rn", "atm"})
"""The same, unless in capitals: an RN is a nurse, an ATM gives cash."""

_SHORT_THANKS = ("thx", "ty", "cheers")
_CONNECTIVES = ("so", "and", "but", "ok", "okay", "well", "also", "then")
_THANKS = "|".join(("thanks?(?: you)?", *_SHORT_THANKS))
_GREETINGS = "hi|hey|hello|yo"
_COMMENTS = "|".join(("please", "by the way", *sorted(ASIDES)))
_QUESTION = "(?:question|q|one)"
_WILL_YOU = "(?:can|could|would|will) you"
_REMEMBER = "remember|note|memori[sz]e|save|keep in mind|make a note"

# -- of any sentence --------------------------------------------------------------------------------------------------

CLOSINGS = frozenset(("x", "xo", "thanks", "ok", "okay", *_SHORT_THANKS))
"""Words that may close a message behind a name or a number, in lower case: OK is Oklahoma."""
LEADING = frozenset((*_CONNECTIVES, "hey", "wait", "hm", "hmm", "oh", "again", "remind", "me"))
"""Words before the first one that says something."""
ANNOUNCING = re.compile(
    r"(?:^|(?<=[.!?\n] )|(?<=\n))\W{0,3}(?:"
    rf"(?:(?:please|pls|hey|ok|and|also|so),? )?(?:do |just |{_WILL_YOU} (?:please |just )?)?"
    rf"(?:{_REMEMBER}|bear in mind|(?:don['’]?t|do not) forget|take note|add (?:this )?to (?:my |your |the )?memory)"
    r"(?: this)?(?:,? (?:please|pls))?"
    r"(?: that\b|\s*[:–—-](?=\s)|(?=,? (?:i|we|my|our|i['’]m|i['’]ve|we['’]re)\b))"
    r"|(?:i|we)(?:['’]d| would|['’]ve)? (?:just |also |still )?"
    r"(?:wanted|want|have|had|got|need|needed|should|must|forgot|meant|like|ought)(?: to)?(?: just| also| probably)?"
    r" (?:tell you|let you know|say|mention|add|note|point out|share)(?: that\b|\s*[:–—-](?=\s))"
    rf"|(?:(?:please|pls|hey|ok|and|also|so),? )?(?:{_WILL_YOU} (?:please )?)?remind me that\b"
    r"|let me (?:tell|remind) you that\b|(?:i|we)(?:['’]d like| want) you to (?:know|remember) that\b"
    r"|it(?:['’]?s| is) (?:true|a fact) that\b"
    r"|(?:to be (?:honest|fair|clear|precise|exact)|to tell (?:you )?the truth|truth be told|i(?:['’]m| am) telling you"
    r"|(?:as|like) i (?:said|mentioned)|guess what)(?=\s*[,:–—-])"
    r")",
    re.IGNORECASE,
)
"""Openings of a sentence that only announce what it says: `Remember that …`, `I forgot to mention that …`."""
REQUEST_TO_REMEMBER = re.compile(
    rf"\W*(?:(?:hi|hey|ok|please)\W+)*{_WILL_YOU} (?:please |just )?(?:{_REMEMBER})(?: please)?(?: this)?(?: that\b|\s*:)",
    re.IGNORECASE,
)
"""A question in form only, after which something is stated: `Could you remember that my boss is called Petra?`."""

# -- of a question ----------------------------------------------------------------------------------------------------

PREAMBLE = re.compile(
    rf"^\s*(?:(?:{'|'.join(_CONNECTIVES)}|{_GREETINGS}|um+|uh+|sorry|{_COMMENTS}"
    rf"|(?:a )?(?:quick|another|one more|last|small|random|silly|stupid|dumb) {_QUESTION}"
    r"|(?:just )?(?:curious|wondering|checking))\b[\s,:.!–—-]*"
    rf"|(?:{_WILL_YOU} (?:please )?)?(?:tell|remind) me\b[\s,:]*"
    r"|(?:do|did|can|could) (?:you|we) (?:happen to )?(?:know|remember|recall|say)\b[\s,:]*"
    rf"|i(?:['’]m| am) (?:just )?wondering\b[\s,:]*"
    r"|i (?:just )?(?:wonder|forget|forgot|(?:want|need|have) to know|would like to know)\b[\s,:–—-]*"
    r"|i (?:do not|don['’]t|can['’]?t|cannot) (?:know|remember|recall)\b[\s,:]*"
    r"|(?:did|have) i (?:ever )?(?:mention(?:ed)?|tell you|told you|say|said)\b[\s,:]*"
    r"(?=(?:what|who|whose|where|when|which|how|why)\b)"
    r"|what did i (?:say|tell you)[,:]\s*"
    r"|(?:do you have )?any idea\b[\s,:]*){1,6}",
    re.IGNORECASE,
)
"""Introductory words."""
REMINDED = re.compile(
    rf"\b(?:{_WILL_YOU}|you (?:can|could|would|might)|please)(?: please| just| kindly)*"
    r" (?:remind|tell) me(?: again)?(?P<of> (?:of|about))?(?=\s)[\s,:]*"
    r"|\bi(?:['’]m| am| was| have been|['’]ve been)(?: just)? (?:wondering|curious)\b[\s,:]*"
    r"|(?:^|[,;:.–—-]\s*|\b(?:and|but|so|because|as) )i(?:['’]d like| would like| (?:just )?(?:want|wanted|need|needed))(?: just)? to"
    r" (?:confirm|check|double-check|verify|ask|know|see|make sure)\b[\s,:–—-]*(?:again )?"
    r"(?=(?:what|who|whom|whose|where|when|which|how|why|if|whether|did|was|were)\b)",
    re.IGNORECASE,
)
"""Words in the middle of a sentence that introduce the question: `I was wondering if you could remind me …`."""
CLOSING = re.compile(
    r"(?<!\bsay)(?<!\bsaid)(?<!\bsays)(?<!\bsaying)(?<!\ba)(?<!\bthe)(?<!\bmy)(?<!\bof)(?<!\band)(?<!\bor)(?<!\bno)"
    rf"(?:[\s,.!?–—-]{{1,5}}(?:again|{_THANKS}|once (?:more|again)|{_COMMENTS})){{1,6}}[\s.!?]*$",
    re.IGNORECASE,
)
"""Words behind a question that only make it polite, or comment on it."""
PLEASANTRY = re.compile(
    rf"\W*(?:{_GREETINGS}|hiya|good (?:morning|evening|afternoon)|{_THANKS}|please|sorry|excuse me|(?:a )?quick {_QUESTION})"
    r"(?:[\s,]+(?:there|all|again|you|in advance|so much|very much|a lot|to bother you))*\W*",
    re.IGNORECASE,
)
"""A sentence that says nothing: `Hi there!`."""
OPENERS_OF_GRAPHS = (
    "can you tell me", "could you tell me", "can you give", "could you give", "can you name", "could you name", "can you describe",
    "do you know", "please tell me", "tell me", "please list", "please name", "can you list", "give me", "show me",
)  # fmt: skip
"""Openings of a question to a graph."""
