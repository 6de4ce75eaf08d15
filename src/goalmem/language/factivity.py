"""The effect of the matrix clause on an embedded clause: whether it holds, or is denied, planned, wished for, or
open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause
from goalmem.language.arguments import is_speaker_experience
from goalmem.language.clauses import finite_form, subject_of
from goalmem.language.complements import ENDED, FACT, OPEN, Effect, complement_effect, mark_effect, preposition_effect
from goalmem.language.operators import is_rumour, names_fiction
from goalmem.language.verb_forms import contracted
from goalmem.language.words.function_words import ABSENCE
from goalmem.language.words.modifiers import AWAITED, CONDITIONAL_NOUNS, CONDITIONS, DOUBTFUL
from goalmem.language.words.nouns import FACTUAL
from goalmem.language.words.pronouns import GENERIC
from goalmem.language.words.verbs import ENDING_ACTIONS, PERCEIVED, REPORTS
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token


def embed(clause: Clause) -> None:
    """Apply the effect of the matrix clause to the embedded clause."""
    above, head = clause.matrix, clause.head
    if head is not None and clause.link in ("ccomp", "acl", "relcl") and _is_content(clause):
        clause.modality = Modality.HYPOTHETICAL
    if head is not None and clause.link in ("ccomp", "advcl", "acl", "relcl") and _is_doubted(head):
        clause.modality = Modality.HYPOTHETICAL
    if head is not None and clause.link == "conj" and _joined_by_nor(head):
        clause.polarity = False
    if above is None or head is None:
        return
    if clause.link == "conj":
        _coordinate(clause, above)
        return
    effect = _effect(clause, above)
    if above.head is not None and _hearsay(clause, above) and (effect or FACT).modality is Modality.ASSERTED:
        effect = replace(FACT, modality=Modality.REPORTED)
    if effect is None:
        return
    _affirm_or_deny(clause, above, effect)
    if clause.modality is Modality.ASSERTED:
        clause.modality = effect.modality
    inherits = effect.through or clause.tense != "past"
    if clause.modality is Modality.ASSERTED and inherits and clause.link != "relcl":
        clause.modality = above.meant if above.meant is not Modality.QUESTION else Modality.ASSERTED
    if not clause.tense:
        clause.tense = above.tense
    if (
        _conditional(clause, above)
        and above.modality in (Modality.ASSERTED, Modality.PLANNED)
        and above.tense != "past"
    ):
        conditional = any(t.dep_ == "mark" and t.lower_ == "if" for t in head.children) and not above.link
        above.modality = above.meant = Modality.CONDITIONAL if conditional else Modality.HYPOTHETICAL


def _affirm_or_deny(clause: Clause, above: Clause, effect: Effect) -> None:
    """Settles the clause's polarity; one below a semi-auxiliary takes over its tense and polarity."""
    if effect.light:
        above.light = True
        clause.tense = above.tense
        clause.past_habit = above.head is not None and above.head.lemma_ == "use"
        clause.polarity = clause.polarity and above.polarity
    if not effect.polarity:
        clause.polarity = not clause.polarity
    if effect.through and not effect.light and not above.polarity and clause.link in ("xcomp", "ccomp"):
        lemma = above.head.lemma_ if above.head is not None else ""
        if (
            effect.open_if_denied
            or lemma == "be"
            or lemma in REPORTS
            or (lemma in PERCEIVED and _form(clause.verb) == "ing")
        ):
            clause.modality = Modality.HYPOTHETICAL
        else:
            clause.polarity = not clause.polarity


def _hearsay(clause: Clause, above: Clause) -> bool:
    """True if somebody else reports it about a third party: `Ivo said that I moved`, `they say that Mara moved`.

    Statements about oneself are trusted ("Ivo told me that he moved"), as are those of the speaker.
    """
    said = clause.link in ("ccomp", "csubj", "acl", "advcl", "parataxis") and above.verb.lemma_ in REPORTS
    if is_rumour(above.verb) or any(t.dep_ in ("nsubj", "nsubjpass") and is_rumour(t) for t in above.verb.children):
        return clause.link != "conj" and above.verb.lemma_ in ("have", "be", "go", "say", "circulate", "spread", "tell")
    teller, subject = above.part("subject"), clause.part("subject") or clause.part("object")
    if said and any(t.dep_ == "nsubjpass" and t.lower_ == "it" for t in above.verb.children):
        return True  # "it is said that"
    if not said or teller is None or subject is None or teller.resolved == "speaker":
        return False
    if teller.head in GENERIC and teller.resolved not in ("pronoun", "presumed"):
        return True
    if subject.token is None or subject.resolved == "addressee":
        return False
    if teller.type not in ("", "person") and teller.entity != subject.entity:
        return True  # "the app says", "the papers had it": a source that is not a person has no first-hand knowledge
    person = subject.type == "person" or subject.resolved == "speaker" or subject.token.pos_ == "PROPN"
    return person and subject.entity != teller.entity


def _conditional(clause: Clause, above: Clause) -> bool:
    """True if the matrix clause holds only under the condition that the embedded one does."""
    head = clause.verb
    if clause.link == "relcl":
        return _is_condition(head)
    if clause.link != "advcl":
        return False
    if any(t.dep_ == "mark" and t.lower_ in CONDITIONS - {"whether", "lest"} for t in head.children):
        return True
    return _lasts_as_long(clause) or _only_when(clause, above) or _once_so(clause, above)


def _is_condition(head: Token) -> bool:
    """`on condition that Tom pays`, `in the event that Ana quits`."""
    noun = head.head
    that = noun.i + 1 < len(noun.doc) and noun.nbor().lower_ == "that"
    return (
        that and noun.lemma_.lower() in CONDITIONAL_NOUNS and noun.dep_ == "pobj" and noun.head.lower_ in ("on", "in")
    )


def _lasts_as_long(clause: Clause) -> bool:
    """`as long as Ana pays`: a condition in the present, a time in the past and in the perfect (Quirk et al. 1985, section 15.34)."""
    head = clause.verb
    marked = any(t.dep_ == "mark" and t.lower_ == "as" for t in head.children)
    return marked and clause.tense == "present" and head.head.lower_ == "long" and head.head.i < head.i


def _only_when(clause: Clause, above: Clause) -> bool:
    """`I only eat meat when I'm away`, `I eat meat only when I'm away`: not at other times."""
    adverb = next((t for t in clause.verb.children if t.tag_ == "WRB" and t.lower_ in ("when", "whenever")), None)
    if adverb is None or above.head is None:
        return False
    return any(t.lower_ == "only" for t in (*above.verb.children, *clause.verb.children, *adverb.children))


def _once_so(clause: Clause, above: Clause) -> bool:
    """`When I'm rich I'll buy a boat`: a state that may never come about, other than `when I get home`."""
    so = clause.predicate == "have" or any(t.dep_ in ("acomp", "attr") for t in clause.verb.children)
    return so and clause.modality is Modality.HYPOTHETICAL and above.modality is Modality.PLANNED


def _coordinate(clause: Clause, above: Clause) -> None:
    """Without a subject and auxiliary of its own, a coordinated clause is meant as the first one is."""
    head = clause.verb
    if above.link and above.modality is not Modality.ASSERTED and above.link in ("advcl", "ccomp"):
        own = subject_of(head) is not None
        clause.modality = clause.modality if own and clause.modality is not Modality.ASSERTED else above.modality
        return
    if subject_of(head) is not None or above.head is None:
        return
    own_auxiliary = any(t.dep_ in ("aux", "auxpass") for t in head.children)
    past = {"VBD", "VBN"}
    same_form = (
        {head.tag_, above.head.tag_} <= past
        or head.tag_ == above.head.tag_
        or (head.tag_ in ("VB", "VBP") and above.head.tag_ in ("VB", "VBP"))
    )
    if same_form and not own_auxiliary:
        clause.tense = clause.tense if clause.tense == "past" else above.tense
        if clause.modality is Modality.ASSERTED:
            clause.modality = above.modality
        if any(t.dep_ == "cc" and t.lower_ in ("or", "nor") for t in above.head.children):
            clause.polarity = clause.polarity and above.polarity
        clause.past_habit = above.past_habit


def _is_content(clause: Clause) -> bool:
    """The content of a noun like `idea` or `claim`, or of `suspects` tagged as a noun: a clause after `that` without
    a gap.
    """
    head = clause.verb
    if head.head.pos_ != "NOUN" or head.head.lemma_.lower() in FACTUAL:
        return False
    after = head.head.i + 1
    that = after < len(head.doc) and head.doc[after].lower_ == "that"
    subject, obj = subject_of(head), clause.part("object")
    return that and subject is not None and subject.lower_ != "that" and obj is not None and obj.start > head.idx


def _joined_by_nor(head: Token) -> bool:
    """`…, nor did she buy a car`."""
    before = [t for t in (*head.children, *head.head.children) if t.dep_ in ("cc", "preconj", "neg", "advmod")]
    return any(t.lower_ == "nor" and head.head.i < t.i < head.i for t in before)


def _form(head: Token) -> str:
    if any(t.tag_ == "TO" for t in head.lefts):
        return "to"
    started = any(t.tag_ == "VBG" and t.dep_ == "aux" for t in head.lefts)
    if started or (head.tag_ == "VBG" and finite_form(head) is None):
        return "ing"
    return "that" if finite_form(head) is not None else "bare"


def _effect(clause: Clause, above: Clause) -> Effect | None:
    if above.head is None:
        return None
    before = clause.verb.doc[max(0, clause.verb.left_edge.i - 1)].lower_
    if clause.link in ("xcomp", "ccomp", "advcl") and _form(clause.verb) == "ing" and before in ABSENCE:
        return ENDED  # "put off moving"
    match clause.link:
        case "xcomp" | "ccomp" | "csubj" | "csubjpass" | "dobj":
            return _complement(clause, above)
        case "advcl":
            return _adverbial(clause, above)
        case "pcomp" | "pobj":
            return _governed(clause.verb.head, clause.verb)
        case "acl":
            return _modifying(clause.verb)
        case "relcl":
            return _relative(clause, above)
    return None


def _modifying(head: Token) -> Effect:
    """The effect of a noun on the clause that modifies it: "the plan to move", "the idea that I moved", "a book
    written by Anna".
    """
    match _form(head):
        case "to":
            return mark_effect("")
        case "that":
            return FACT if head.head.lemma_.lower() in FACTUAL else Effect(Modality.HYPOTHETICAL, through=False)
        case _:
            return Effect()


def _complement(clause: Clause, above: Clause) -> Effect:
    head, over, form = clause.verb, above.verb, _form(clause.verb)
    if _experienced(above, form):
        return Effect(through=False)
    if any(t.dep_ == "mark" and t.lower_ in ("if", "whether") for t in head.children):
        return mark_effect("if")
    if form == "to" and any(t.tag_ in ("WRB", "WP") and t.i < head.i for t in head.children):
        return OPEN  # "learned how to solder"
    if form == "to" and _is_purpose(over):
        return mark_effect("")
    adjective = next((t.lower_ for t in over.children if t.dep_ in ("acomp", "oprd")), "")
    if over.lemma_ == "be" and head.head.pos_ == "ADJ":
        adjective = head.head.lower_
    would = any(t.tag_ == "MD" and contracted(t) in ("would", "'d") for t in over.children)
    lemma = "gotta" if _is_obligation(over) else above.predicate.split(" ")[0]
    if form == "that" and above.predicate.split(" ")[1:2] == ["out"]:
        lemma = above.predicate  # "makes out that he was there", "found out that he was"
    return complement_effect(lemma, form, adjective, past=above.tense == "past", would=would)


def _is_purpose(over: Token) -> bool:
    """`use a stick to walk`, `go to see`: no semi-auxiliary, unlike `used to walk`, `is going to see`."""
    if over.lemma_ == "use":
        return over.lower_ != "used" or any(t.dep_ == "dobj" for t in over.children)
    return over.lemma_ == "go" and over.tag_ != "VBG" and over.lower_ != "gon"


def _is_obligation(over: Token) -> bool:
    """`gotta`, `have got to` are obligations; `got to` alone is a success."""
    to = ("ta", "to") if any(t.lemma_ == "have" for t in over.children) else ("ta",)
    return over.lower_ == "got" and over.i + 1 < len(over.doc) and over.doc[over.i + 1].lower_ in to


def _adverbial(clause: Clause, above: Clause) -> Effect:
    head = clause.verb
    marks = [t.lower_ for t in head.children if t.dep_ == "mark"]
    mark = next((m for m in marks if m in CONDITIONS), "") or (
        "if" if marks == ["as", "though"] else next(iter(marks), "")
    )
    mark = mark or next((t.lower_ for t in head.children if t.dep_ == "advmod" and t.tag_ == "WRB"), "")
    if _in_case(head) or _lasts_as_long(clause):
        return OPEN
    if mark in AWAITED - {"as"} and clause.tense == "present" and above.tense == "present":
        return OPEN  # "I only eat meat when I'm away": I may be here
    if (
        mark in AWAITED
        and clause.tense == "present"
        and (above.modality is Modality.PLANNED or _progressive(above.verb))
    ):
        if above.modality is Modality.ASSERTED:
            above.tense, above.modality, above.meant = "future", Modality.PLANNED, Modality.PLANNED
        return OPEN  # "when I win, I'm buying an island": neither has happened
    if mark in ("until", "till", "before") and clause.tense not in ("past", "") and above.tense != "past":
        return OPEN  # "until I can bake"
    if mark or _form(head) != "to":
        return mark_effect(mark) if mark else Effect()
    if above.tense == "past" and above.polarity and above.verb.lemma_ in ("come", "go"):
        return Effect()  # "came to see me": the motion and the action count as one
    return mark_effect("")


def _is_doubted(head: Token) -> bool:
    """`not sure I locked it`, `likely she left`: under an adjective of likelihood without a verb."""
    over = head.head
    return over.pos_ == "ADJ" and over.i < head.i and over.lower_ in DOUBTFUL and over.dep_ == "ROOT"


def _in_case(head: Token) -> bool:
    """`In case Kofi comes, …`."""
    before = head.doc[head.sent.start : head.i].text.casefold()
    return any(t.lower_ == "case" and t.i < head.i for t in head.subtree) and " in case " in f" {before} "


def _progressive(head: Token) -> bool:
    """`I'm buying`."""
    finite = finite_form(head)
    return head.tag_ == "VBG" and finite is not None and finite.tag_ in ("VBP", "VBZ")


def _governed(preposition: Token, verb: Token) -> Effect:
    around = {t.lower_ for t in (*preposition.children, preposition.head) if t.i != verb.i}
    word = next((w for w in ("instead", "rather", "short") if w in around), preposition.lower_)
    if preposition.lower_ == "from" and "far" in around:
        return FACT  # `operators.denies` has denied it
    noun = preposition.head
    if noun.pos_ == "NOUN" and noun.dep_ == "dobj" and noun.head.lemma_ in ENDING_ACTIONS:
        return ENDED  # "kicked the habit of smoking", "dropped the idea of moving"
    over = preposition.head.head if preposition.head.dep_ == "prt" else preposition.head
    return preposition_effect(word, over.lemma_.lower(), over.pos_)


def _experienced(above: Clause, form: str) -> bool:
    """`It was great to meet Anna`: about a single time, it holds for the speaker (see `arguments.experienced`)."""
    return (
        form == "to"
        and above.tense == "past"
        and above.polarity
        and is_speaker_experience(above)
        and above.modality is Modality.ASSERTED
    )


def _relative(clause: Clause, above: Clause) -> Effect | None:
    """A description of something wished for or denied is not asserted: "a dog that is calm"."""
    head = clause.verb
    if _is_condition(head):
        return OPEN
    if names_fiction(head.head) and clause.part("subject") is not None:
        return Effect(Modality.HYPOTHETICAL)
    indefinite = any(t.dep_ == "det" and t.lower_ in ("a", "an", "any", "some", "no") for t in head.head.lefts)
    unreal = above.modality is not Modality.ASSERTED or not above.polarity
    if (
        unreal
        and clause.tense != "past"
        and (indefinite or head.head.lower_ in ("anyone", "someone", "somebody", "anything"))
    ):
        return Effect(Modality.HYPOTHETICAL)
    return None
