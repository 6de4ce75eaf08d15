"""Fragment answers: `Yes, in 2019!`, `A beagle!`, `Both.`, `Same here.`. They are interpreted together with the
question.

The fact's participants that only the question names are implied (no span in this turn); the answer's own have spans.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.clauses import is_question
from goalmem.language.phrases import implied_part, part
from goalmem.language.statement_text import described
from goalmem.language.times import scan
from goalmem.language.verb_forms import inflected
from goalmem.language.words.modifiers import AFTER_NO, HEDGES, NO, NO_SIGNS, YES, YES_SIGNS
from goalmem.language.words.pronouns import DEFINITE
from goalmem.language.words.verbs import MOTION
from goalmem.records import DOCUMENT, Modality

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


WH = frozenset({"WP", "WDT", "WRB", "WP$"})
KNOWN_TO_BOTH = DEFINITE - {"its", "these", "those"}
"""Before a noun for one thing that both know of."""
SHORT = 6
"""Maximum words of an answer that only replaces the questioned phrase."""
AFTERTHOUGHT = 4
"""Words that may follow the question in its turn ("Any news? 😊 Tell me!") without hiding it."""
LEADING = 3
"""Sentences at the start of a turn among which the answer is looked for."""
NO_LONGER = re.compile(
    r"\W*(?:(?:no|nah|nope|well|only|but)\W+)?(?:(?:i|we|he|she|they|it)\s+)?(?:used to(?: be)?|no longer|not any ?(?:more|longer)|formerly|previously|in the past"
    r"|(?P<was>[a-z]+))\W*",
    re.IGNORECASE,
)
POINTED = frozenset({Modality.ASSERTED, Modality.PLANNED})
BOTH, NEITHER = frozenset({"both", "all"}), frozenset({"neither", "none"})
SAME = re.compile(
    r"\W*+(?:(?:yeah|yes|oh)\W*+)?(?:same(?: here)?|me,? too|so (?:do|am|did|have|was|will) i|(?P<no>me,? neither|neither (?:do|am|did|have|was|will) i))\W*$",
    re.IGNORECASE,
)
"""Phrases that apply the previous statement to the speaker (Hankamer and Sag 1976, surface anaphora; stripping with
`too`).
"""
MYSELF = re.compile(r"\W*(?:me|i|i (?:do|am|did|have|was|will))\W*$", re.IGNORECASE)


def answers(reading: TurnReading) -> None:
    """Add the facts that follow from an answer and the question at the end of the other speaker's previous turn."""
    before = reading.previous[-1] if reading.previous else None
    if (
        before is None
        or before.turn.speaker == reading.turn.speaker
        or DOCUMENT in (before.turn.role, reading.turn.role)
    ):
        return
    asked = _question(before)
    if asked is None:
        reading.clauses.extend(_same(reading, before))
        return
    if before.spoken_to.get(asked.verb.sent.start, reading.turn.speaker) != reading.turn.speaker:
        return  # somebody else was asked
    wh = _wh(asked)
    if wh is not None:
        found = _fragment(reading, before, asked, wh)
        reading.clauses.extend([found] if found is not None else [])
    elif asked.offers:
        reading.clauses.extend(_chosen(reading, before, asked))
    else:
        reading.clauses.extend(_confirmed(reading, before, asked))


def _question(before: TurnReading) -> Clause | None:
    """The clause that the turn's last question asks."""
    sents = [s for s in before.doc.sents if any(t.is_alpha for t in s)]
    after = 0
    for sent in reversed(sents):
        if is_question(sent):
            clauses = [
                c for c in before.clauses if c.head is not None and c.head.sent == sent and c.kind != "possession"
            ]
            top = next((c for c in clauses if c.matrix is None), None)
            while top is not None and top.light:
                top = next((c for c in clauses if c.matrix is top and c.link == "xcomp"), None)
            return top
        after += sum(t.is_alpha for t in sent)
        if after > AFTERTHOUGHT:
            return None
    return None


def _wh(asked: Clause) -> Token | None:
    head = asked.verb
    return next((t for t in head.sent if t.tag_ in WH and t.i < head.i and t.dep_ != "mark"), None)


def _taken(before: TurnReading, asked: Clause, *, but: Part | None = None) -> list[Part]:
    """The question's participants, as this turn implies them."""
    kept = [p for p in asked.parts if p is not but and not (p.token is not None and p.token.tag_ in WH)]
    return [replace(p.implied(), entity=p.entity or _plain(described(before, p)), resolved=p.resolved) for p in kept]


def _plain(text: str) -> str:
    """`any pets` that was asked about is `pets` when it is confirmed."""
    return text.removeprefix("any ")


def _build(reading: TurnReading, asked: Clause, own: list[Part], implied: list[Part], span: tuple[int, int]) -> Clause:
    when, when_text = asked.when, asked.when_text
    for p in own:
        if p.role == "time":
            future = asked.meant is Modality.PLANNED or (asked.tense == "present" and asked.predicate == "be")
            found = [e.resolve(reading.turn.at, future) for e in scan(p.text)]
            when, when_text = (found[0] if found else None), p.text
    return Clause(
        None,
        asked.predicate,
        parts=[*implied, *own],
        passive=asked.passive,
        tense=asked.tense,
        past_habit=asked.past_habit,
        polarity=asked.polarity,
        modality=asked.meant,
        meant=asked.meant,
        when=when,
        when_text=when_text,
        start=span[0],
        end=span[1],
        participle=asked.head.lower_ if asked.head is not None else "",
    )


# --- yes and no -------------------------------------------------------------------------------------------------------


def _confirmed(reading: TurnReading, before: TurnReading, asked: Clause) -> Iterator[Clause]:
    """The facts of a question confirmed or denied by `yes` and `no`; `No, Thursday` denies one and states another."""
    subject = asked.part("subject") or asked.part("object")
    if asked.meant not in POINTED or subject is None or not (subject.entity or _definite(subject)):
        return
    if reading.text.strip() and all(t.text[:1] in YES_SIGNS | NO_SIGNS for t in reading.doc if not _is_modifier(t)):
        sign = next(t for t in reading.doc if not _is_modifier(t))
        clause = _build(reading, asked, [], _taken(before, asked), (sign.idx, sign.idx + len(sign)))
        clause.polarity = sign.text[:1] in YES_SIGNS
        yield clause
        return
    sent = next(reading.doc.sents)
    if asked.tense == "present" and _says_it_was(sent, asked):
        over = _build(
            reading, asked, [], _taken(before, asked), (sent.start_char, len(sent.text.rstrip()) + sent.start_char)
        )
        over.polarity = False
        yield over
        return
    word, agrees = _verdict(sent)
    if word is None or _is_hedged(sent, word):
        return
    own = [p for p in _own_parts(reading, sent) if p.token is None or p.token.i > word.i]
    implied, start = [_untimed(before, asked, p) for p in _taken(before, asked)], word.idx
    if agrees:
        end = max([start + len(word), *(p.end for p in own)])
        yield _build(reading, asked, own, implied, (start, end))
        return
    denied = _build(reading, asked, [], implied, (start, start + len(word)))
    denied.polarity = False
    yield denied
    if asked.polarity and (instead := _instead(reading, sent, asked, own, word)) is not None:
        kept = [p for p in implied if p.role != instead.role]
        yield _build(reading, asked, [instead], kept, (instead.start, instead.end))


def _says_it_was(sent: Span, asked: Clause) -> bool:
    """`Lived.`, `I used to.`, `Not any more.`: what is asked is no longer so (Quirk et al. 1985, sections 8.97 and 15.58)."""
    found = NO_LONGER.fullmatch(sent.text.strip())
    if found is None:
        return False
    verb = asked.predicate.split(" ")[0]
    return found["was"] is None or found["was"].casefold() in inflected(verb, "VBD") | (
        set() if verb == "be" else {"did"}
    )


def _untimed(before: TurnReading, asked: Clause, taken: Part) -> Part:
    """`the meeting` of `Is the meeting on Tuesday?`, which parsers take for one phrase."""
    whole = next((p for p in asked.parts if p.role == taken.role and p.start >= 0), None)
    if asked.predicate != "be" or whole is None or len(asked.parts) > 1:
        return taken
    inside = [root for e, root in before.times if whole.start < e.start and e.end <= whole.end]
    if not inside:
        return taken
    mark = inside[0].head if inside[0].head.pos_ == "ADP" else inside[0].left_edge
    text = before.turn.content[whole.start : mark.idx].strip()
    return replace(taken, entity=text) if text else taken


def _is_modifier(token: Token) -> bool:
    """A space, or a modifier of the preceding sign (skin tones, U+FE0F)."""
    return token.is_space or all(unicodedata.category(c) in ("Sk", "Mn") for c in token.text)


def _definite(part_: Part) -> bool:
    """`the meeting`: known to both speakers."""
    token = part_.token
    return token is not None and token.pos_ == "NOUN" and any(t.lower_ in KNOWN_TO_BOTH for t in token.lefts)


def _is_hedged(sent: Span, word: Token | None = None) -> bool:
    """True if something in an answer keeps it from being one: `yes, probably`, `Rome, I think`, `yeah right`."""
    words = [t.lower_ for t in sent if t.is_alpha and (word is None or t.i > word.i)]
    ironic = word is not None and word.lower_ in ("yeah", "sure") and words[:1] in (["right"], ["jan"])
    mixed = word is not None and words[:2] == ["and", "no"]
    return ironic or mixed or not HEDGES.isdisjoint(words)


def _instead(reading: TurnReading, sent: Span, asked: Clause, own: list[Part], word: Token) -> Part | None:
    """The corrected fact: the answer replaces the questioned time, place or thing."""
    if len([t for t in sent if t.is_alpha]) > SHORT or any(t.lower_ in NO for t in sent if t.i > word.i):
        return None
    roles = {p.role for p in asked.parts}
    for found in own:
        if found.role in roles or (found.role == "time" and asked.when is not None):
            return found
    nominal = [p for p in _nominal(reading, sent, None, None) if p.start > word.idx]
    target = next((p for p in reversed(asked.parts) if p.role in ("object", "attribute", "indirect")), None)
    if own or len(nominal) != 1 or target is None:
        return None
    fits = not nominal[0].type or not target.type or nominal[0].type == target.type
    return nominal[0].as_(target.role) if fits else None


def _chosen(reading: TurnReading, before: TurnReading, asked: Clause) -> Iterator[Clause]:
    """`Both.`, `Neither.`, `Tea.`, after `Do you like tea or coffee?`."""
    sent = next(reading.doc.sents)
    words = [t for t in sent if t.is_alpha]
    if not words or _is_hedged(sent) or len(words) > SHORT or any(_own_clause(reading, sent)):
        return
    taken = _taken(before, asked)
    choice = next((p for p in asked.parts if len(p.conjuncts) > 1), None)
    if choice is None or asked.part("subject") is None:
        return
    whole = [t for t in words if t.lower_ in BOTH | NEITHER]
    if whole:
        clause = _build(reading, asked, [], taken, (whole[0].idx, whole[0].idx + len(whole[0])))
        clause.polarity, clause.modality, clause.meant = whole[0].lower_ in BOTH, Modality.ASSERTED, Modality.ASSERTED
        yield clause
        return
    said = " ".join(t.lower_ for t in words if t.pos_ != "DET")
    picked = [c for c in choice.conjuncts if said in (c.head, c.text.lower(), _bare_text(c))]
    if len(picked) == 1:
        own = replace(
            picked[0], text=sent.text, start=words[0].idx, end=words[-1].idx + len(words[-1]), token=words[-1]
        )
        kept = [p for p in taken if p.role != choice.role]
        clause = _build(reading, asked, [replace(own, conjuncts=())], kept, (own.start, own.end))
        clause.modality = clause.meant = Modality.ASSERTED
        yield clause


def _bare_text(part_: Part) -> str:
    return re.sub(r"^(?:the|a|an|some) ", "", part_.text.lower())


def _own_clause(reading: TurnReading, sent: Span) -> Iterator[Clause]:
    return (c for c in reading.clauses if c.head is not None and c.head.sent == sent)


def _same(reading: TurnReading, before: TurnReading) -> Iterator[Clause]:
    """`Same here.`, `Me too.`: the other speaker's statement about themselves applies to this speaker."""
    said = SAME.match(next((s.text for s in reading.doc.sents), ""))
    sents = [s for s in before.doc.sents if any(t.is_alpha for t in s)]
    if said is None or not sents or not reading.turn.author:
        return
    for clause in before.clauses:
        subject = clause.part("subject")
        told = clause.head is not None and clause.head.sent == sents[-1] and clause.matrix is None and not clause.light
        if not told or subject is None or subject.resolved != "speaker" or len(subject.conjuncts) > 1:
            continue
        if clause.modality is not Modality.ASSERTED or clause.polarity == bool(said["no"]):
            continue
        me = implied_part(reading.turn.author, "subject", "speaker")
        others = [p for p in _taken(before, clause) if p.role != "subject"]
        if any(p.entity.startswith(f"{before.turn.speaker}'s ") for p in others):
            continue  # `I love my wife. - Same here.`: whose?
        end = len(said.group().rstrip(" .!"))
        yield _build(reading, clause, [], [me, *others], (0, max(1, end)))
        return


def _verdict(sent: Span) -> tuple[Token | None, bool]:
    """The word that says yes or no, and which."""
    words = [t for t in sent if t.is_alpha or t.lower_ == "n't"]
    if not words:
        return None, True
    first = words[0]
    if first.lower_ in NO:
        behind = first.doc[first.i + 1 : first.i + 2]
        alone = not len(behind) or behind[0].is_punct or behind[0].is_space or behind[0].i >= sent.end
        return (first, False) if alone or behind[0].lower_ in AFTER_NO else (None, True)
    if first.lower_ in YES or (first.lower_ == "of" and len(words) > 1 and words[1].lower_ == "course"):
        denied = any(t.dep_ == "neg" for t in words[1:4])
        return (None, True) if denied else (first, True)
    short = len(words) <= 3 and first.tag_ == "PRP" and words[1:] and words[1].pos_ == "AUX"
    # "I was ill" is no answer of its own to "Did you go?", but "I did" and "I did not" are.
    bare = short and all(t.dep_ == "neg" or t.lower_ in ("not", "n't") or t.pos_ in ("ADV", "INTJ") for t in words[2:])
    return (first, not any(t.lower_ in ("not", "n't") for t in words)) if bare else (None, True)


def _own_parts(reading: TurnReading, sent: Span) -> Iterator[Part]:
    """Times and prepositional phrases of a sentence without a verb of its own."""
    if reading.clauses_in(sent):
        return
    covered: list[tuple[int, int]] = []
    for expression, root in reading.times:
        if root.sent == sent:
            covered.append((expression.start, expression.end))
            yield Part(
                "time", expression.text, expression.start, expression.end, root.lemma_.lower(), root, type="time"
            )
    for prep in sent:
        if prep.dep_ in ("prep", "ROOT") and prep.pos_ == "ADP":
            for target in prep.children:
                if target.dep_ == "pobj" and not any(s <= target.idx < e for s, e in covered):
                    yield part(reading, target, prep.lower_)


# --- who, what, where, when -------------------------------------------------------------------------------------------


def _fragment(reading: TurnReading, before: TurnReading, asked: Clause, wh: Token) -> Clause | None:
    if asked.meant not in POINTED:
        return None
    for sent in list(reading.doc.sents)[:LEADING]:
        if (mine := MYSELF.match(sent.text)) is not None and wh.lower_ in ("who", "whom") and reading.turn.author:
            return _mine(reading, before, asked, wh, mine.end() + sent.start_char)
        if is_question(sent) or any(_own_clause(reading, sent)) or _is_hedged(sent):
            return None
        found = _filled(reading, before, asked, wh, sent)
        if found is not None:
            return found
    return None


def _mine(reading: TurnReading, before: TurnReading, asked: Clause, wh: Token, end: int) -> Clause | None:
    """`Me.`, `I did.` in answer to a question for a person."""
    gap = next((p for p in asked.parts if p.token is not None and p.token.i == wh.i), None)
    if gap is None or (asked.matrix is None and any(c.matrix is asked for c in before.clauses)):
        return None
    me = implied_part(reading.turn.author, gap.role, "speaker")
    implied = _taken(before, asked, but=gap)
    order = [me, *implied] if gap.role == "subject" else [*implied, me]
    return _build(reading, asked, [], order, (0, max(1, end)))


def _filled(reading: TurnReading, before: TurnReading, asked: Clause, wh: Token, sent: Span) -> Clause | None:
    """The question with the answer in place of its question word."""
    gap = next((p for p in asked.parts if p.token is not None and (p.token.i == wh.i or wh in p.token.subtree)), None)
    offered = list(_own_parts(reading, sent))
    word = wh.lower_
    if word == "when":
        own = [p for p in offered if p.role == "time"]
    elif word == "where":
        own = [p for p in offered if p.role != "time"] or [
            p.as_(_place_role(asked)) for p in _nominal(reading, sent, gap, ("place", ""))
        ]
    elif word == "how":
        own = _measure(reading, sent, gap, offered)
    elif gap is not None:
        fits = ("person", "animal", "organization") if word in ("who", "whom") else None
        own = [replace(p, modifiers=(*p.modifiers, *_asked_kind(gap, wh))) for p in _nominal(reading, sent, gap, fits)]
    else:
        own = []
    if not own:
        return None
    span = min(p.start for p in own), max(p.end for p in own)
    return _build(reading, asked, own, _taken(before, asked, but=gap), span)


def _asked_kind(gap: Part, wh: Token) -> tuple[str, ...]:
    """The noun of "what breed", which is kept with the answer."""
    return (gap.head,) if gap.token is not None and gap.token.i != wh.i else ()


def _place_role(asked: Clause) -> str:
    return "to" if asked.predicate.split(" ")[0] in MOTION else "in"


def _nominal(reading: TurnReading, sent: Span, gap: Part | None, types: tuple[str, ...] | None) -> list[Part]:
    """The noun phrase that the sentence is."""
    root = sent.root
    if root.pos_ not in ("NOUN", "PROPN", "NUM") or root.lower_ in YES or _exclaimed(root):
        return []
    found = part(reading, root, gap.role if gap is not None else "object")
    return [found] if types is None or found.type in types or (root.pos_ == "PROPN" and "" not in types) else []


def _exclaimed(root: Token) -> bool:
    """`Great idea!`, `Thanks!`: a noun alone or with praise, without any determiner, is a remark and no answer."""
    determined = any(t.dep_ in ("det", "poss", "nummod", "compound") for t in root.lefts)
    return (
        not determined
        and root.pos_ == "NOUN"
        and (root.tag_ == "NN" or any(t.pos_ == "ADJ" for t in root.lefts) or root.lemma_ == "thank")
    )


def _measure(reading: TurnReading, sent: Span, gap: Part | None, offered: list[Part]) -> list[Part]:
    """`how many`, `how long`, `how old`: a number, combined with the requested noun if it stands alone."""
    number = next((t for t in sent if t.pos_ == "NUM"), None)
    if number is None or number.idx in [p.start for p in offered if p.role == "time"]:
        return []
    target = number.head if number.dep_ == "nummod" else number
    role = gap.role if gap is not None and gap.role != "manner" else "for"
    found = part(reading, target, role)
    if target is number and gap is not None:
        found = replace(found, head=gap.head, modifiers=(number.lemma_.lower(),), type=gap.type)
    return [found]
