"""The kinds of turns that mention without stating, as wordings.

Fields: `{S}` who is spoken of (`I` or a name), `{s}` the same again (`I`, `she`), `{my}` `{me}` `{am}` `{have}` `{do}`; `{base}` `{past}`
`{participle}` `{ing}` `{present}` of the verb, `{Base}` at the start of a sentence; `{obj}` and `{other}` two objects, `{the}` the
first as known (`the yacht`); `{man}` and `{woman}` other people; `{event}`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One way to mention something without stating it."""

    name: str
    seen: tuple[str, ...]
    unseen: tuple[str, ...]
    """Wordings that were written before anything was tuned, and measured first untuned."""
    about: str = "deed"
    """`deed`, `gift`, `state`, `habit`, `ailment`, `event`: what is told of, and so what is asked."""
    who: str = "both"
    """Whom the turn is about: `speaker`, `woman` or `both` in turn. The question asks about them."""


KINDS = (
    Kind(
        "almost",
        ("{S} almost {past} {obj}.", "{S} nearly {past} {obj}."),
        ("{S} very nearly {past} {obj} last year.", "{S} just about {past} {obj}, but not quite."),
    ),
    Kind(
        "came close",
        ("{S} came close to {ing} {obj}.", "{S} was about to {base} {obj} when the phone rang."),
        ("{S} was on the verge of {ing} {obj}.", "{S} came within an inch of {ing} {obj}."),
    ),
    Kind(
        "failed",
        ("{S} failed to {base} {obj}.", "{S} was unable to {base} {obj}."),
        ("{S} tried in vain to {base} {obj}.", "{S} never managed to {base} {obj}."),
    ),
    Kind(
        "refused",
        ("{S} refused to {base} {obj}.", "{S} declined to {base} {obj}."),
        ("{S} flatly refused to {base} {obj}.", "{S} was unwilling to {base} {obj}."),
    ),
    Kind(
        "pretended",
        ("{S} pretended to {base} {obj}.", "{S} pretended that {s} had {participle} {obj}."),
        ("{S} acted as if {s} had {participle} {obj}.", "{S} faked {ing} {obj}."),
    ),
    Kind(
        "instead of",
        ("Instead of {ing} {obj}, {S} stayed at home.", "{S} stayed at home instead of {ing} {obj}."),
        ("Rather than {base} {obj}, {S} went to bed.", "{S} went to bed rather than {base} {obj}."),
    ),
    Kind(
        "without",
        ("{S} came back without {ing} {obj}.", "{S} left the town without having {participle} {obj}."),
        ("Without {ing} {obj}, {S} went home.", "{S} spent the summer without ever {ing} {obj}."),
    ),
    Kind(
        "neither",
        ("{S} {past} neither {obj} nor {other}.", "Neither {man} nor {S} {past} {obj}."),
        ("{S} did not {base} {other}, nor did {s} {base} {obj}.", "{S} {past} no {bare} at all."),
    ),
    Kind(
        "hardly",
        ("{S} {am} hardly {adjective} {value}.", "{S} {am} scarcely {adjective} {value}."),
        ("{S} {am} barely {adjective} {value}.", "{S} {am} in no way {adjective} {value}."),
        "ailment",
    ),
    Kind(
        "used to",
        ("{S} used to {base} {obj}.", "Years ago {S} used to {base} {obj}."),
        ("Back then, {S} used to {base} {obj}.", "{S} formerly {past} {obj}."),
        "state",
    ),
    Kind(
        "said of another",
        ("{man} said that {S} {past} {obj}.", "{man} told {woman} that {S} {past} {obj}."),
        ("According to {man}, {S} {past} {obj}.", "{man} mentioned that {S} {past} {obj}."),
    ),
    Kind(
        "said of oneself",
        ("{man} said that he {past} {obj}.", "{man} told me that he had {participle} {obj}."),
        ("{man} announced that he {past} {obj}.", "{man} wrote that he {past} {obj}."),
        "deed",
        "speaker",
    ),
    Kind(
        "claimed",
        ("{man} claims that {S} {past} {obj}.", "{man} claimed {S} {past} {obj}."),
        (
            "{man} insists that {S} {past} {obj}.",
            "{S} supposedly {past} {obj}, if {man} is to be believed.",
            "{man} swears that {S} {past} {obj}.",
        ),
    ),
    Kind(
        "thought",
        ("{man} thinks that {S} {past} {obj}.", "{man} believed that {S} {past} {obj}."),
        ("{man} suspects that {S} {past} {obj}.", "{man} was convinced that {S} had {participle} {obj}."),
    ),
    Kind(
        "quoted",
        ('{man} said: "I {past} {obj}."', "{man} said: 'I {past} {obj}'", '"I {past} {obj}," {man} said.'),
        ("{man} wrote: “I {past} {obj}”.", "‘I {past} {obj},’ {man} told me."),
        "deed",
        "speaker",
    ),
    Kind(
        "rumour",
        (
            "Apparently {woman} {past} {obj}.",
            "They say that {woman} {past} {obj}.",
            "I heard that {woman} {past} {obj}.",
        ),
        (
            "Rumour has it that {woman} {past} {obj}.",
            "Word is that {woman} {past} {obj}.",
            "Allegedly {woman} {past} {obj}.",
        ),
        "deed",
        "woman",
    ),
    Kind(
        "question",
        ("Did {S} {base} {obj}?", "Has anybody asked whether {S} {past} {obj}?"),
        ("Was it {S} who {past} {obj}?", "Do you remember if {S} {past} {obj}?"),
    ),
    Kind(
        "should I",
        ("Should {S} {base} {obj}?", "Shall {S} {base} {obj}?"),
        ("Ought {S} to {base} {obj}?", "Would it be wise to {base} {obj}?"),
        "deed",
        "speaker",
    ),
    Kind(
        "offer declined",
        (
            "{man} offered to {base} {obj} with {me}, but {S} declined.",
            "{S} was invited to {base} {obj}, but turned it down.",
        ),
        (
            "{man} suggested {ing} {obj} together, but {S} said no.",
            "{S} got the chance to {base} {obj} and passed on it.",
        ),
    ),
    Kind(
        "plan cancelled",
        (
            "{S} was going to {base} {obj}, but called it off.",
            "{S} cancelled the plan to {base} {obj}.",
            "The plan to {base} {obj} was called off by {me}.",
        ),
        ("{S} scrapped the idea of {ing} {obj}.", "{S} had planned to {base} {obj}, but it fell through."),
    ),
    Kind(
        "wish",
        ("{S} would love to {base} {obj}.", "{S} wished {s} had {participle} {obj}."),
        ("If only {S} had {participle} {obj}!", "{S} longed to {base} {obj}."),
    ),
    Kind(
        "fiction",
        ("In my novel {S} {past} {obj}.", "In the film {S} {past} {obj}."),
        (
            "In a short story that we wrote, {S} {past} {obj}.",
            "In the game {S} {past} {obj}.",
            "In the book I'm writing, {S} {past} {obj}.",
        ),
    ),
    Kind(
        "dream",
        ("I dreamt that {S} {past} {obj}.", "In my dream {S} {past} {obj}."),
        ("Last night I had a dream in which {S} {past} {obj}.", "In a nightmare {S} {past} {obj}."),
    ),
    Kind(
        "imperative",
        ("{Base} {obj}!", "Please {base} {obj}."),
        ("Go and {base} {obj}!", "Do {base} {obj}, will you?"),
        "deed",
        "speaker",
    ),
    Kind(
        "conditional",
        ("If {S} {past} {obj}, everybody would laugh.", "{S} would {base} {obj} if there were time."),
        ("Provided that there is time, {S} will {base} {obj}.", "Suppose {S} {past} {obj}, who would care?"),
    ),
    Kind(
        "counterfactual",
        ("If {S} had {participle} {obj}, everybody would have laughed.", "{S} would have {participle} {obj}."),
        ("Had {S} {participle} {obj}, everybody would have laughed.", "{S} could have {participle} {obj}."),
    ),
    Kind(
        "promise",
        ("{S} promised to {base} {obj}.", "{S} promised that {s} would {base} {obj}."),
        ("{S} swore to {base} {obj}.", "{S} gave {my} word to {base} {obj}."),
    ),
    Kind(
        "was going to",
        ("{S} was going to {base} {obj}.", "{S} was planning to {base} {obj}."),
        ("{S} meant to {base} {obj}.", "{S} had every intention of {ing} {obj}."),
    ),
    Kind(
        "decided against",
        ("{S} decided against {ing} {obj}.", "{S} decided not to {base} {obj}."),
        ("{S} opted not to {base} {obj}.", "{S} chose not to {base} {obj}."),
    ),
    Kind(
        "no longer",
        ("{S} no longer {verb} {obj}.", "{S} {do} not {base} {obj} any more."),
        ("{S} no longer {verb} {obj}, as you know.", "{S} {do} not {base} {obj} anymore."),
        "state",
    ),
    Kind(
        "stopped",
        ("{S} stopped {ing} {obj}.", "{S} {have} stopped {ing} {obj}."),
        ("{S} ceased {ing} {obj}.", "{S} quit {ing} {obj} in May."),
        "habit",
    ),
    Kind(
        "gave up",
        ("{S} gave up {ing} {obj}.", "{S} gave up {obj}."),
        ("{S} swore off {ing} {obj}.", "{S} kicked the habit of {ing} {obj}."),
        "habit",
    ),
    Kind(
        "avoided",
        ("{S} avoided {ing} {obj}.", "{S} managed to avoid {ing} {obj}."),
        ("{S} resisted {ing} {obj}.", "{S} got out of {ing} {obj}."),
    ),
    Kind(
        "forgot",
        ("{S} forgot to {base} {obj}.", "{S} completely forgot to {base} {obj}."),
        ("{S} neglected to {base} {obj}.", "{S} did not remember to {base} {obj}."),
    ),
    Kind(
        "missed",
        ("{S} missed {event}.", "{S} skipped {event}."),
        ("{S} could not make it to {event}.", "{S} was absent from {event}."),
        "event",
    ),
    Kind(
        "missed the chance",
        ("{S} missed the chance to {base} {obj}.", "{S} missed out on {ing} {obj}."),
        ("{S} never got the chance to {base} {obj}.", "{S} passed up the opportunity to {base} {obj}."),
    ),
    Kind(
        "let somebody",
        ("{S} let {man} {base} {obj}.", "{S} had {man} {base} {obj}."),
        ("{S} allowed {man} to {base} {obj}.", "{S} made {man} {base} {obj}."),
    ),
    Kind(
        "wanted",
        ("{S} wanted to {base} {obj}.", "{S} hoped to {base} {obj}."),
        ("{S} had {my} heart set on {ing} {obj}.", "{S} was eager to {base} {obj}."),
    ),
    Kind(
        "too",
        ("{S} was too tired to {base} {obj}.", "{S} was too poor to {base} {obj}."),
        ("{S} was not rich enough to {base} {obj}.", "{S} had too little time to {base} {obj}."),
    ),
    Kind(
        "thinking about",
        ("{S} {am} thinking about {ing} {obj}.", "{S} thought of {ing} {obj}."),
        ("{S} {am} toying with the idea of {ing} {obj}.", "{S} {have} been wondering about {ing} {obj}."),
    ),
    Kind(
        "considered",
        ("{S} considered {ing} {obj}.", "{S} {am} considering {ing} {obj}."),
        ("{S} contemplated {ing} {obj}.", "{S} looked into {ing} {obj}."),
    ),
    Kind(
        "tempted",
        ("{S} was tempted to {base} {obj}.", "{S} felt tempted to {base} {obj}."),
        ("{S} was itching to {base} {obj}.", "{S} felt like {ing} {obj}."),
    ),
    Kind(
        "supposed",
        ("{S} was supposed to {base} {obj}.", "{S} {am} supposed to {base} {obj}."),
        ("{S} was meant to {base} {obj}.", "{S} was due to {base} {obj}."),
    ),
    Kind(
        "instead of me",
        ("{man} {past} {obj} instead of {me}.", "Instead of {me}, {man} {past} {obj}."),
        ("It was {man}, not {me}, who {past} {obj}.", "{man} {past} {obj} in {my} place."),
    ),
    Kind(
        "passive",
        ("{S} was {participle} {obj} by {man}.", "{obj} was {participle} to {me} by {man}."),
        ("{S} was kindly {participle} {obj} by {man}.", "It was {man} who {past} {me} {obj}."),
        "gift",
    ),
    Kind(
        "swapped",
        ("{man} {past} {me} {obj}.", "{man} {past} {obj} to {me}."),
        ("Yesterday {man} {past} {me} {obj}.", "{man} finally {past} {obj} to {me}."),
        "gift",
    ),
    Kind(
        "another person",
        ("My colleague {woman} {past} {obj}.", "A friend of mine {past} {obj}.", "{man} {past} {obj}."),
        ("The woman next door {past} {obj}.", "One of my cousins {past} {obj}."),
        "deed",
        "speaker",
    ),
    Kind(
        "same name",
        ("Another woman called {woman} {past} {obj}.", "A different {woman} {past} {obj}, not my sister."),
        ("Some other {woman} {past} {obj}.", "{woman}'s namesake {past} {obj}."),
        "deed",
        "woman",
    ),
    Kind(
        "unless",
        ("{S} will not {base} {obj} unless the price drops.", "Unless it rains, {S} will {base} {obj}."),
        ("{S} won't {base} {obj} unless somebody helps.", "{S} may {base} {obj} unless it snows."),
    ),
    Kind(
        "until",
        ("{S} will not {base} {obj} until spring.", "{S} can't {base} {obj} until the money comes."),
        ("Until the money comes, {S} can't {base} {obj}.", "{S} is waiting until {s} can {base} {obj}."),
    ),
    Kind(
        "except",
        ("{S} {past} everything except {obj}.", "Everybody except {me} {past} {obj}."),
        ("Everyone but {me} {past} {obj}.", "{S} {past} everything apart from {obj}."),
    ),
    Kind(
        "might have",
        ("{S} might have {participle} {obj}.", "Maybe {S} {past} {obj}."),
        ("{S} may have {participle} {obj}, who knows.", "It is possible that {S} {past} {obj}."),
    ),
    Kind(
        "imagine",
        ("Imagine that {S} {past} {obj}.", "I imagined that {S} {past} {obj}."),
        ("Picture this: {S} {past} {obj}.", "Let us assume that {S} {past} {obj}."),
    ),
    Kind(
        "afraid of",
        ("{S} was afraid of {ing} {obj}.", "{S} was afraid to {base} {obj}."),
        ("{S} was scared to {base} {obj}.", "{S} shied away from {ing} {obj}."),
    ),
    Kind(
        "prevented",
        ("{man} stopped {me} from {ing} {obj}.", "{man} kept {me} from {ing} {obj}."),
        ("The storm prevented {me} from {ing} {obj}.", "{man} talked {me} out of {ing} {obj}."),
    ),
    Kind(
        "tried",
        ("{S} tried to {base} {obj}.", "{S} attempted to {base} {obj}."),
        ("{S} struggled to {base} {obj}.", "{S} made an attempt to {base} {obj}."),
    ),
    Kind(
        "needs to",
        ("{S} ought to {base} {obj}.", "{S} should have {participle} {obj}."),
        ("{S} had better {base} {obj}.", "{S} should really {base} {obj} soon."),
    ),
    Kind(
        "asked to",
        ("{man} asked {me} to {base} {obj}.", "{man} told {me} to {base} {obj}."),
        ("{man} begged {me} to {base} {obj}.", "{man} wanted {me} to {base} {obj}."),
    ),
    Kind(
        "denied",
        ("{S} denied {ing} {obj}.", "It is not true that {S} {past} {obj}."),
        ("It is false that {S} {past} {obj}.", "{S} denied having {participle} {obj}."),
    ),
    Kind(
        "doubted",
        ("I doubt that {woman} {past} {obj}.", "I am not sure whether {woman} {past} {obj}."),
        ("It is doubtful whether {woman} {past} {obj}.", "I question whether {woman} {past} {obj}."),
        "deed",
        "woman",
    ),
    Kind(
        "yet to",
        ("{S} {have} yet to {base} {obj}.", "{S} {have} not {participle} {obj} yet."),
        ("{S} still {have} to {base} {obj}.", "{S} never got round to {ing} {obj}."),
    ),
    Kind(
        "was expected",
        ("{S} was expected to {base} {obj}.", "Everybody expected {me} to {base} {obj}."),
        ("It was expected that {S} would {base} {obj}.", "{S} was rumoured to have {participle} {obj}."),
    ),
)
"""What a turn of each kind must not prove."""

STATING = (
    Kind("plain", ("{S} {past} {obj}.",), ("{S} {past} {obj} yesterday.",)),
    Kind(
        "managed",
        ("{S} managed to {base} {obj}.", "{S} finally {past} {obj}."),
        ("{S} got to {base} {obj}.", "{S} ended up {ing} {obj}."),
    ),
    Kind(
        "beside a denial",
        ("{S} {past} {obj} without telling anybody.", "{S} {past} {obj}, but not {other}."),
        ("{S} {past} {obj} instead of {other}.", "{S} {past} {obj} although {man} refused to help."),
    ),
    Kind(
        "beside a wish",
        ("{S} {past} {obj}, and now {man} wants a dog.", "{S} {past} {obj}, which {man} would love to see."),
        ("{S} {past} {obj} because {man} wanted to help.", "{S} {past} {obj}, so {man} hopes to rest now."),
    ),
    Kind(
        "beside a report",
        ("{S} {past} {obj}, as {man} said.", "I am glad that {S} {past} {obj}."),
        ("{S} {past} {obj}, and {man} thinks that it is fine.", "I know that {S} {past} {obj}."),
    ),
    Kind("state", ("{S} {verb} {obj}.",), ("{S} still {verb} {obj}.",), "state"),
    Kind("was", ("{S} once {past} {obj}.",), ("For many years {S} {past} {obj}.",), "former"),
    Kind("ailment", ("{S} {am} {adjective} {value}.",), ("{S} {am} really {adjective} {value}.",), "ailment"),
    Kind("event", ("{S} attended {event}.",), ("{S} went to {event}.",), "event"),
    Kind(
        "gift",
        ("{S} {past} {man} {obj}.", "{S} {past} {obj} to {man}."),
        ("Yesterday {S} {past} {man} {obj}.",),
        "gift",
    ),
)
"""What a turn of each kind does state, though some of its words are those of the kinds above."""


def _fresh(name: str, *wordings: str, about: str = "deed", who: str = "both") -> Kind:
    return Kind(name, (), wordings, about, who)


FRESH = (
    _fresh("almost", "{S} all but {past} {obj}.", "{S} so nearly {past} {obj} that it hurts."),
    _fresh("failed", "{S} could not bring {reflexive} to {base} {obj}.", "{S} gave up trying to {base} {obj}."),
    _fresh("refused", "{S} said no when {man} wanted to {base} {obj}.", "{S} would not {base} {obj}."),
    _fresh("pretended", "{S} lied that {s} had {participle} {obj}.", "{S} only played at {ing} {obj}."),
    _fresh(
        "instead of", "In lieu of {ing} {obj}, {S} took a walk.", "{S} slept all day, instead of {ing} {obj} as agreed."
    ),
    _fresh("neither", "Neither did {S} {base} {obj}.", "Not once did {S} {base} {obj}."),
    _fresh("said of another", "{man} keeps saying that {S} {past} {obj}.", "{man} swears that {S} {past} {obj}."),
    _fresh(
        "quoted", 'And then {man} goes: "I {past} {obj}!"', '{man} texted me "I {past} {obj} today".', who="speaker"
    ),
    _fresh("rumour", "People say that {woman} {past} {obj}.", "Supposedly, {woman} {past} {obj}.", who="woman"),
    _fresh("question", "Who told you that {S} {past} {obj}?", "Is it true that {S} {past} {obj}?"),
    _fresh(
        "plan", "{S} {have} been planning to {base} {obj}.", "{my_} plan was to {base} {obj}, but nothing came of it."
    ),
    _fresh("wish", "How {S} would like to {base} {obj}!", "{S} always dreamed of {ing} {obj}."),
    _fresh("fiction", "In this short story, {S} {past} {obj}.", "{man} wrote a play in which {S} {past} {obj}."),
    _fresh("dream", "I had a dream that {S} {past} {obj}.", "In the dream, {S} {past} {obj}."),
    _fresh("imperative", "Remember to {base} {obj}!", "Never {base} {obj}.", who="speaker"),
    _fresh(
        "conditional",
        "Should {S} ever {base} {obj}, {man} will be happy.",
        "{S} will {base} {obj} as long as {man} helps.",
    ),
    _fresh(
        "counterfactual",
        "{S} should have {participle} {obj} while it was possible.",
        "{S} might as well have {participle} {obj}.",
    ),
    _fresh("promise", "{S} agreed to {base} {obj}.", "{S} vowed to {base} {obj}."),
    _fresh("avoided", "{S} put off {ing} {obj}.", "{S} backed out of {ing} {obj}."),
    _fresh("no longer", "{S} {have} given up {ing} {obj}.", "{S} {am} done with {ing} {obj}.", about="habit"),
    _fresh("too", "{S} was far too busy to {base} {obj}.", "It was too late to {base} {obj}."),
    _fresh("considered", "{S} {am} in two minds about {ing} {obj}.", "{S} weighed up {ing} {obj}."),
    _fresh("instead of me", "Not {S} but {man} {past} {obj}.", "{man} {past} {obj} on {my} behalf."),
    _fresh(
        "swapped",
        "It is {man} who {past} {me} {obj}.",
        "{me_} was {participle} {obj} by {man}.",
        about="gift",
        who="woman",
    ),
    _fresh("another person", "{my_} neighbour {past} {obj}.", "Somebody else {past} {obj}.", who="speaker"),
    _fresh("except", "{S} {past} nothing but trouble, and no {bare}.", "All of us {past} {obj}, save {me}."),
    _fresh(
        "until", "{S} {am} not going to {base} {obj} before June.", "{S} can {base} {obj} only once the money comes."
    ),
    _fresh("denied", "Nobody can say that {S} {past} {obj}.", "It is a lie that {S} {past} {obj}."),
    _fresh("expected", "{man} wants {me} to {base} {obj}.", "{man} was hoping that {S} would {base} {obj}."),
    _fresh("helped", "{S} watched {man} {base} {obj}.", "{S} paid {man} to {base} {obj}."),
)
"""Written after all tuning, and measured once: how far what was learned carries."""
