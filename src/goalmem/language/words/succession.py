"""Words by which a later message gives a value anew, or only seems to: `swapped to 21A`, but `they offered me 21A`.

Classes of verbs are those of Levin 1993 ("English Verb Classes and Alternations") and VerbNet, by number. Adverbs and conjuncts are those of
Quirk et al. 1985, sections 8.55 (time) and 8.137 (replacive, antithetic and resultive conjuncts).
"""

from __future__ import annotations

import re

CLAUSE_ENDS = re.compile(
    r"[,.;:!?()–—]+\s|\b(?:but|so|because|cos|since|and|although|though|if|when|as|which|after|before|until|till)\b",
    re.IGNORECASE,
)
"""Where a clause of a message ends."""
_CHANGING = (
    "swap|switch|mov|chang|bump|upgrad|downgrad|put|drop|cut|knock|shift|push|br(?:ing|ought)|rais|lower|reduc|increas|clamp|stretch|extend"
    "|defer|postpon|resched|reassign|transfer|shunt|herd|wheel|relocat|go|went|turn|com|came|squeez|lock|trad|replac|renam|halv|doubl|convert"
    "|revert|slid|slip|crept|climb|jump|f[ae]ll|ris|rose|settl|end(?:ed)? up|plump|opt|ch[o]+s|pick|vot|decid|t[ao]k|took|trim|scal|dial|step"
    "|get|got|look"
)
"""Beginnings of verbs of change, motion, exchange and choice (13.5, 13.6, 26.6, 29.2, 45.4, 45.6, 51.1)."""
CHANGED_TO = re.compile(
    rf"\b(?:{_CHANGING})\w*\b[^.,;!?]*?\b(?:to|onto|on|for|with|into|at|in|till?|until)\s+(?:(?:the|an?|about|around|only|just)\s+)*$",
    re.IGNORECASE,
)
"""Words before a value that something was changed to."""
FROM_NOW = re.compile(
    r"^\W*(?:\w+\W+){0,2}?(?:now|instead|from now on|these days|nowadays|after all|it is|from (?:today|tomorrow|next|then)|this year|final)\b",
    re.IGNORECASE,
)
"""Words behind a value that holds from now on."""
_REPAIR = r"sorry|scratch that|correction|i mean|i meant|make (?:that|it)|edit"
CORRECTING = re.compile(rf"\W*(?:(?:oh|ah|er|um|no|wait|oops)\W+)*(?:{_REPAIR})\b", re.IGNORECASE)
"""Words at the start of a sentence that corrects the one before."""
REPAIRS = re.compile(
    rf"^\W*(?:(?:oh|ah|ok|okay|so|um|er|well|and|no|wait)\W+)*(?:{_REPAIR}|scrap|scratch|update|actually|change of plan|turns out|not .{{1,30}} after all)\b",
    re.IGNORECASE,
)
"""The start of a message that repairs an earlier one."""
_NOT_SO = r"could|might|if|maybe|perhaps|wants?|wanted|wish(?:es|ed)?|hop(?:e|es|ed|ing) to|nearly|almost|tried to|thought (?:about|of)|thinking (?:about|of)|talk(?:s|ed)? (?:about|of)"
NOT_DONE = re.compile(
    rf"\b(?:{_NOT_SO}|unless|(?<!\d )may(?! \d)|consider(?:s|ed|ing)?|talking (?:about|of)|refus(?:e|es|ed))\b",
    re.IGNORECASE,
)
"""Words that say that a change did not happen, or not yet."""
SUPPOSED = re.compile(
    rf"\b(?:{_NOT_SO}|would|wouldn|may|ask(?:s|ed|ing)?|thought|think(?:s|ing)?|toy(?:ed|ing)|consider\w*|offer(?:s|ed|ing)?|wish\w*"
    r"|hop(?:e|es|ed|ing)|tempted|suggest\w*|propos\w*|reckons?|tried|try|trying|dream\w*|one day|should"
    r"|fanc(?:y|ied)|wonder\w*|floated|rumou?r\w*|keeps?|begs?|begged|jok\w*|mistake|accident\w*|imagin\w*"
    r"|pretend\w*|supposed)\b|\?",
    re.IGNORECASE,
)
"""Words of what was only thought of, wished, offered, or done by mistake."""
UNDONE = re.compile(
    r"\b(?:no|nope|nah|not|never|none|nothing|refus\w*|turned (?:it|them|him|her) down|passed|laughed|voted down|get lost|declin\w*|cancel\w*"
    r"|back to|stay\w*|stick(?:ing)?|usual|normal|as you were|only|unchanged|same|still|reverted|returned|took (?:it|them) (?:straight )?back"
    r"|leave|leaving|alone|too)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words behind a value that was not taken, or not for long."""
OVER = re.compile(
    r"\b(?:was|were|used to|before|previous\w*|last|back (?:in|then|when)|ago|years?|in 20\d\d|had|once|original\w*|old|former\w*|earlier)\b",
    re.IGNORECASE,
)
"""Words of what is past."""
OF_ANOTHER = re.compile(
    r"\b(?:other|another|(?:the )?one for|different|separate|extra|also|as well|both|else|elsewhere|someone|somebody|mates?|colleague)\b",
    re.IGNORECASE,
)
"""Words of another thing or person, and additive conjuncts."""
CONCERNED = re.compile(r"\b(?:i|me|my|mine|us|we|our|it|i['’]m|we['’]re|i['’]ve|we['’]ve)\b", re.IGNORECASE)
"""Who or what a change of one's own concerns."""
CLOSE = frozenset(
    "mam boss flatmate housemate roommate neighbour neighbor friend mate kid colleague landlord"
    " landlady boyfriend girlfriend partner mil fil bloke guy lad".split()
)
"""Nouns for persons around somebody, beside kin."""
