"""The words of a question before it is parsed: without what introduces it or is polite, set phrases in their plain form."""

from __future__ import annotations

import re

from goalmem.language.sentences import QUESTION_BREAK
from goalmem.language.words.attributes import PER
from goalmem.language.words.empty_phrases import CLOSING, PLEASANTRY, PREAMBLE, REMINDED
from goalmem.language.words.nouns import TALKS
from goalmem.language.words.pronouns import INTERROGATIVES
from goalmem.questions.clipped import in_full

FRONTED = re.compile(
    r"^(?P<front>(?:for|in|on|at|during|after|before|since|with|while|when|until|from|by|if)\b[^,?]*), "
    r"(?P<core>(?:who|whom|whose|what|which|where|when|why|how|did|does|do|is|are|was|were|has|have|had|will|would|can|could)"
    r"\b[^?]*)\?$",
    re.IGNORECASE,
)
"""A circumstance before its question, separated by a comma."""
OF_OUR_TALK = re.compile(
    rf"[^,.?!]*\b(?:our|the) (?:(?:previous|last|earlier|past|recent) )?(?:{'|'.join(sorted(TALKS))})s?(?:,? (?:and|but|so))?\W*",
    re.IGNORECASE,
)
"""A mention of an earlier talk, without what it was about."""
OVERALL = re.compile(
    r",?\s+(?:or not|or what|so far|to date|up to now|until now|again|overall)(?=\s*[?,]|$)", re.IGNORECASE
)
"""Words at the end of a question or its clause that only say that everything known counts."""
REPEATED = re.compile(
    r"(?:did|does|do|has|have|had|will|would|was|were|am|is|are|can|could)\b[^?]* (?:again|once (?:more|again))\W*$",
    re.IGNORECASE,
)
"""Asks whether something was so another time; of `What is his name again?` it says that one has forgotten."""
CALLED = re.compile(
    r"^(?:what|how)(?P<be>['’]s| is| was| are| were) (?P<owned>(?:my|our|your|his|her|their|its|the|this|that|[\w.-]+['’]s) [\w' ’-]+?) (?:called|named)$"
    r"|^what (?P<what>(?:my|our|your|his|her|their|its|the|[\w.-]+['’]s) [\w' ’-]+?)(?P<is> is| was| are| were) (?:called|named)$"
    r"|^what (?:do|does) (?:i|we|you|he|she|they|[\w.-]+) call (?P<other>(?:my|our|your|his|her|their|its|[\w.-]+['’]s) [\w -]+?)$",
    re.IGNORECASE,
)
"""What somebody's cat is called: its name."""
BIRTHDAY = re.compile(
    r"^what(?:['’]s| is| was) (?P<owner>(?:my|our|your|his|her|their|(?:my |our |the )?[\w. -]+['’]s)) (?:birthday|bday|birth ?date|date of birth)$",
    re.IGNORECASE,
)
"""What somebody's birthday is: when it is."""
DATED = re.compile(
    r"^what(?:['’]s| is| was) (?:the (?:date|day) of (?P<of>(?!birth\b).+)"
    r"|(?P<what>(?:the|my|our|your|his|her|their|[\w.-]+['’]s) (?:[\w-]+ ){0,2}?(?:deadline|due date|closing date|expiry date)(?: (?:for|of) .+)?))$",
    re.IGNORECASE,
)
"""What the date of something is: when it is."""
RIGHT_NOW = re.compile(r"\bright (?=now\W*$)", re.IGNORECASE)
"""What only stresses the present."""
EXPECTING = re.compile(
    r"^(?P<verb>ca|wo|sha|have|has|had|do|does|did|is|are|was|were|could|would|should|must|might|need)n['’]?t(?= )",
    re.IGNORECASE,
)
"""A negated auxiliary before its subject: `Haven't I paid?` expects a yes, and is answered as `Have I paid?` is (Quirk et al. 1985, 11.7)."""
FULL = {"ca": "can", "wo": "will", "sha": "shall"}
"""Full forms of auxiliaries that change before a negation."""
UNTIL = re.compile(
    r"^(?P<way>until|till|from|since) (?:when|what time) (?P<be>is|are|was|were) (?P<what>.+) open$", re.IGNORECASE
)
"""Until when something is open: when it closes."""
RATE = re.compile(
    rf"^(?P<many>how (?:many|much) (?:[\w-]+ ){{1,3}}?)(?P<rate>{PER.pattern}) (?P<rest>(?:do|does|did|is|are|has|have|can|will|should) .+?)$",
    re.IGNORECASE,
)
"""A number in a time, which a statement has at its end: `How many coffees a day does Ann drink?`."""


def normalise(text: str) -> str:
    """The last question of the text, without introduction, with an upper-case start and a question mark."""
    sentences = [s for s in QUESTION_BREAK.split(text.strip()) if s.strip()]
    asking = [s for s in sentences if s.rstrip().endswith("?")] or sentences[-1:]
    if not asking:
        return "?"
    reminded = without_lead(asking[-1].strip())
    core = PREAMBLE.sub("", reminded).strip()
    core = core if re.search(r"\w", core) else reminded
    repeated = REPEATED.match(core) is not None
    core = CLOSING.sub("", re.sub(r"[^\w'’\")]+$", "", core)) or core
    core = in_full(OVERALL.sub("", core)) + (" again" if repeated else "")
    if (named := CALLED.match(core)) is not None:
        be = named["be"] or named["is"] or " is"
        called = "names" if be in (" are", " were") else "name"
        core = f"what{be} the {called} of {named['owned'] or named['what'] or named['other']}"
    core = BIRTHDAY.sub(r"when is \g<owner> birthday", RIGHT_NOW.sub("", core))
    if (dated := DATED.match(core)) is not None:
        core = f"when is {dated['of'] or dated['what']}"
    core = EXPECTING.sub(_asked_plainly, core)
    if (until := UNTIL.match(core)) is not None:
        does = {"is": "does", "are": "do"}.get(until["be"].lower(), "did")
        core = f"when {does} {until['what']} {'close' if until['way'].lower() in ('until', 'till') else 'open'}"
    core = RATE.sub(r"\g<many>\g<rest> \g<rate>", core)
    return put_last(f"{core[:1].upper()}{core[1:]}?")


def _asked_plainly(found: re.Match[str]) -> str:
    return FULL.get(found["verb"].casefold(), found["verb"])


def without_pleasantries(text: str) -> str:
    """All sentences of a question, without what only introduces it or is polite: `hi! do you know where Ann lives? thanks`."""
    said = [s.strip() for s in QUESTION_BREAK.split(text.strip()) if s.strip() and not PLEASANTRY.fullmatch(s)]
    plain = (PREAMBLE.sub("", s[_lead_end(s) :]) for s in said)
    return " ".join(CLOSING.sub("", s) or s for s in plain) or text


def _lead_end(sentence: str) -> int:
    """The end of words that only introduce a question, also after a mention of the talk: `I looked at our last chat, and wanted to ask …`."""
    for lead in REMINDED.finditer(sentence):
        if not lead.start() or OF_OUR_TALK.fullmatch(sentence, 0, lead.start()):
            return lead.end()
    return 0


def without_lead(sentence: str) -> str:
    """The question that a sentence asks to be reminded of; otherwise the sentence itself."""
    leads = list(REMINDED.finditer(sentence))
    asked = sentence[leads[-1].end() :].strip() if leads else ""
    if not asked:
        return sentence
    first = asked.split()[0].casefold()
    if first in INTERROGATIVES or first in ("if", "whether"):
        return asked
    return (
        f"What is {asked}"
        if leads[-1]["of"] or first in ("the", "my", "your", "our", "his", "her", "their")
        else sentence
    )


def put_last(question: str) -> str:
    """A question with its fronted words at the end: `In May, what did Ann buy?` as `What did Ann buy in May?`."""
    found = FRONTED.match(question)
    if found is None:
        return question
    front, core = found["front"], found["core"]
    return f"{core[:1].upper()}{core[1:]} {front[:1].lower()}{front[1:]}?"
