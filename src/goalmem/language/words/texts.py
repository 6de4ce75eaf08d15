"""Words for texts: those by which somebody asks for work on a text, names a text, or forwards one.

The nouns are hyponyms of WordNet 3.0's text.n.01, writing.n.02, message.n.01 and line.n.05; the verbs of work on a text are those of
VerbNet 25.4 (transcribe), 26.6 (turn), 37.1 (transfer of a message) and of editing, as users of assistants write them.
"""

from __future__ import annotations

import re

from goalmem.language.words import either_form


def _any(words: str) -> str:
    """An expression for any of the words; those behind bars have several."""
    return "|".join((*words.partition("|")[0].split(), *filter(None, words.partition("|")[2].split("|"))))


_EDITED = _any(
    "translate transcribe summari[sz]e proof-?read paraphrase rephrase re-?write reword spell-?check punctuate tl;?dr anonymi[sz]e redact"
    "|sum up|copy-?edit|repeat after me"
    "|(?:fix|check|improve|correct) (?:the |my |any |all )?(?:grammar|spelling|punctuation|style|typos?|errors?|mistakes?)"
)
"""What is done only to words."""
_WORKED = _any(
    "rework shorten condense abridge simplify polish edit correct annotate parse critique analy[sz]e interpret classify categori[sz]e conjugate"
    " improve fix extract format convert turn expand grade rate review"
)
"""What is done to a text, or to something else."""
_MADE = _any(
    "write draft compose create generate invent continue complete finish answer explain read say type echo post send give make tell show"
    "|reply to|respond to|react to|comment on"
)
"""By what a text is made, told or read, or something else."""
_TEXT = rf"""(?:{
    _any(
        "text sentence paragraph passage message e-?mail mail letter post tweet bio biography caption poem essay song lyrics dialogue dialog script"
        " speech excerpt quote quotation phrase line statement profile blurb reply response conversation chat transcript prompt haiku limerick joke"
        " toast cv r[ée]sum[ée] testimonial monologue story introduction headline slogan memo ad abstract snippet wording|cover letter"
    )
})s?"""
_POLITE = (
    # `hi, please`
    r"(?:(?:hi|hey|hello|ok|okay|now|then|please|pls|kindly|just|so|and|also|next)\b,?\s{1,3}){0,4}"
    # `could you please`, `I need you to`, `help me`, `let's`
    r"(?:(?:can|could|would|will) (?:you|u) (?:please |pls |just )?|(?:i need|i want|i['’]d like) you to |help me (?:to )?|let['’]?s )?"
)
_START = r"(?:^|(?<=[.!?]\s)|(?<=\n))[ \t]{0,4}"
_LEAD = r"[^:.!?\n]{0,80}?"
_MARK = r"(?::(?!//)|\s[–—-](?=\s))"
_DEICTIC = rf"(?:(?:the )?following|below|(?:this|these)(?: {_TEXT})?)"
_PURPOSE = r"(?: for me| please| pls| (?:in)?to \w+)*"
_QUESTION = r"(?:what (?:do|does)|how (?:do|would|should) (?:i|you|we|one)|is|does|are)"
_IT = rf"(?:this|that|the following|it|these|say|(?:this|the following) {_TEXT})"
_NO_URL = r":(?!//)"
ASKED_OF_TEXT = re.compile(
    rf"{_START}{_POLITE}"
    + either_form(
        # `Summarise: …`, `Shorten this text: …`, `Read the poem: …`
        rf"(?:{_EDITED})\b{_LEAD}{_MARK}",
        rf"(?:{_WORKED})\b{_LEAD}\b(?:{_TEXT}|{_DEICTIC})\b{_LEAD}{_MARK}",
        rf"(?:{_MADE})\b{_LEAD}\b{_TEXT}\b{_LEAD}{_NO_URL}",
        # `Translate the following into French. …`
        rf"(?:{_EDITED}|{_WORKED})\b{_LEAD}\b{_DEICTIC}{_PURPOSE}\b[^:.!?\n]{{0,20}}[.!?\n]",
        # `What does this mean: …`
        rf"{_QUESTION} {_IT}\b{_LEAD}{_NO_URL}",
    ),
    re.IGNORECASE,
)
"""A request for work on the text that follows it: `Summarise this text: …`, `Can you translate this? …`."""
_ABOVE = either_form(
    r"this|that|it|all (?:this|that|of it)", rf"(?:the|this|that) (?:above|{_TEXT})", rf"the (?:{_TEXT}) above"
)
ASKED_OF_THE_ABOVE = re.compile(
    rf"{_START}{_POLITE}(?:{_EDITED}|{_WORKED})\s{_ABOVE}\b[^.!?\n:]{{0,60}}[.!?]*\s*$", re.IGNORECASE
)
"""A request at the end for work on the text before it: `… Translate that into French.`"""
_LABEL = either_form(
    rf"(?:example|sample|test) {_TEXT}",
    r"(?:sample|example) (?:answer|text|input|output|data|case|bio)",
    rf"{_TEXT} to (?:translate|summari[sz]e|proof-?read|edit|check|rewrite)",
    rf"(?:source|original|input) {_TEXT}",
    _any(
        "input output translation example sample template placeholder lyrics excerpt transcript quotation quote role-?play hypothetical fiction"
        " test story joke prompt script caption scenario draft poem riddle dialogue monologue to-?do|role play|fan ?fic(?:tion)?|system prompt"
    ),
)
LABELLED_TEXT = re.compile(
    # `- Here is another`
    r"^[ \t*_#>-]*(?:(?:here(?:['’]s| is)|this is) )?(?:(?:an?|the|another|new|short|sample|example|test|writing|random) )*"
    # `example text for the course 2:`
    rf"{_LABEL}(?: (?:of|for|from|by|about|no\.?|number)\b[^:\n]{{0,40}})?(?: \d{{1,3}})?[ \t]*(?:\*\*|__)?{_NO_URL}[ \t]*(?P<own>\n)?",
    re.IGNORECASE | re.MULTILINE,
)
"""The label of a text that is not told of oneself."""
PLAY = re.compile(
    rf"{_START}{_POLITE}(?:let['’]?s )?(?:do (?:a |some )?)?(?:role-?play|role play|play (?:a game|pretend|make-believe))\b[^:.!?\n]{{0,60}}[.!?:\n]",
    re.IGNORECASE,
)
"""The proposal of a play, in which nothing is so."""
_HEAD = r"(?:from|to|cc|sent|date|subject|reply-to|bcc)"
FORWARDED = re.compile(
    either_form(
        # `Fwd: …`, `FW from Ana - …`
        r"\A\W*(?:subject:\s*)?(?:fwd?|forwarded|wg|tr)(?: (?:from|by) [^:\n]{1,40})?\s?(?::|[–—-](?=\s))",
        # lines of mail programs
        r"^-{2,}\s?(?:original|forwarded) message\b|^begin forwarded message\b|^on [^\n]{5,80} wrote:[ \t]*$",
        rf"^{_HEAD}:[^\n]{{0,200}}\n{_HEAD}:",
    ),
    re.IGNORECASE | re.MULTILINE,
)
"""The beginning of a mail that somebody else wrote, or that is only drafted: two lines of its head, or words of mail programs."""
CODE = re.compile(
    either_form(
        # a block between fences
        r"^[ \t]*(?P<fence>```|~~~|''')[^\n]*\n(?:(?![ \t]*(?P=fence))[^\n]*\n)*+(?:[ \t]*(?P=fence))?",
        # comments, and boxes of tasks
        r"^[ \t]*(?://|/\*|<!--)[^\n]*|^[ \t]+#\s[^\n]*|^[ \t]*(?:[-*] )?\[ ?\][ \t][^\n]*",
        r"\b(?:TODO|FIXME)\b(?=[:(])[^\n]*",
    ),
    re.MULTILINE,
)
"""Blocks and comments of code, in which tasks stand as if they were done."""
PARTIES = frozenset(
    "me myself you him her them user assistant human bot ai system customer client agent support q a interviewer interviewee host guest caller".split()
)
"""Labels of the lines of a chat that are no names."""
_CLOCK = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?)?"
_STAMP = rf"(?:(?:\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|today|yesterday),?\s(?:at\s)?)?{_CLOCK}"
_NAME = r"(?P<who>[^\W\d_][\w'’.-]{0,24}+(?: (?-i:[^\W\d_a-z])[\w'’.-]{0,24}+){0,2}+)"
CHAT_LINE = re.compile(
    rf"^[ \t]*+(?P<stamp>[\[(]?{_STAMP}[\])]?[ \t]*+[-–—,|]?[ \t]*+)?(?P<open><?@?){_NAME}"
    + either_form(
        # `<ana> …`
        r"(?P<nick>>)[ \t]?",
        # `Ana [10:02]: …`
        rf"[ \t]*+(?P<stamp2>[,–—-]?[ \t]*+[\[(]?{_STAMP}[\])]?)?[ \t]*+:(?!//|\d)",
        # `Ana 10:02`, with the words on the next line
        rf"[ \t]*+[–—-]?[ \t]*+(?P<stamp3>{_STAMP})[ \t]*+$",
    ),
    re.IGNORECASE | re.MULTILINE,
)
"""A line of a chat that was pasted: who, and when."""
