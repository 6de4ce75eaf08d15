"""Auxiliaries, negation, prepositions, and words without content."""

from __future__ import annotations

from goalmem.language.words.pronouns import INTERROGATIVES, RELATIVES

# -- auxiliaries (CGEL 3.21 to 3.39) ----------------------------------------------------------------------------------

MODALS = frozenset("will would can could may might must should shall ought".split())
AUXILIARIES = (MODALS - {"ought"}) | {"do", "have", "be"}
"""Lemmas of auxiliaries."""
OPEN_MODALS = frozenset({"would", "'d", "could", "might", "may", "should", "must", "ought"})
"""Modals that assert nothing."""
FUTURE = frozenset({"will", "'ll", "wo", "shall"})
UNDECIDED = FUTURE | frozenset("can ca may might must should".split())
"""Modals of what has not happened yet."""
MODALS_SAID = {
    **dict.fromkeys(("should", "ought"), frozenset({"should", "ought", "supposed"})),
    "must": frozenset({"must", "have", "has", "need", "needs", "required", "obliged"}),
    "may": frozenset({"may", "can", "allowed", "permitted"}),
    "might": frozenset({"might", "may", "could"}),
    "would": frozenset({"would", "d"}),
    **dict.fromkeys(("can", "could"), frozenset({"can", "could", "able", "may", "allowed"})),
}
"""By modal verb, the words that say the same (Quirk et al. 1985, sections 4.49 to 4.65)."""
ABLE_MODALS = frozenset({"can", "could"})
"""Those of ability: who does something can do it."""
POSSIBLE_MODALS = frozenset({"can", "may", "might", "must"})
"""Auxiliaries that search counts as words, since they are also names and nouns."""
BE_FORMS = frozenset({"is", "are", "was", "were"})
BE_WRITTEN = BE_FORMS | {"be", "am", "s", "'s", "’s"}
BE_ALL = BE_FORMS | {"be", "been", "being", "'s"}
DO_HAVE_CAN = frozenset("do does did has have had can".split())
HAVE_FORMS = frozenset({"has", "have", "had"})
PAST_HELPERS = frozenset("did was were had been".split())
"""Auxiliaries of questions about the past."""
EMPTY_VERBS = frozenset({"be", "do", "have"})
"""Verbs without content of their own."""
ASKS_WHETHER = frozenset(
    "is are was were am do does did has have had can could will would should shall may might must isn't aren't wasn't weren't "
    "don't doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't isnt arent wasnt werent dont doesnt didnt "
    "hasnt havent hadnt cant couldnt wont wouldnt shouldnt ca wo".split()
)
"""Words that open a question of yes or no, as chats write them too."""

# -- negation (CGEL 10.54 to 10.60) -----------------------------------------------------------------------------------

NEGATIONS = frozenset({"not", "n't", "never", "nt", "neither", "nor"})
"""Words that deny the verb they belong to."""
DENYING = frozenset("no not never hardly barely scarcely nobody nothing none neither nowhere longer".split())
"""Words of a statement that deny it."""
NEGATIVES = frozenset("no not n't never nothing nobody none neither nor without".split())
NEGATIVES_ASKED = NEGATIVES | {"avoid"}
"""In questions, including the verb that denies an action."""
NEGATIVES_QUOTED = NEGATIVES | {"cannot", "can't", "hardly"}
"""In quotations by a model, with contractions as single words."""
NEGATIVES_OF_RULES = frozenset("not n't never no neither nor without nobody hardly cannot lack lacks".split())
"""In rule sentences; the learned reader was trained with these."""
NEGATIVE_ADVERBS = frozenset("hardly barely scarcely".split())
ALMOST = frozenset("almost nearly".split())
"""Adverbs under which something just did not happen."""
UNDOING = ALMOST | frozenset("no longer anymore any never not quite".split())
"""Adverbs by which something did not happen at all. Who hardly ever reads does read."""

# -- prepositions (CGEL 9.7) ------------------------------------------------------------------------------------------

CIRCUMSTANTIAL = frozenset("about at by during for from in of on to with".split())
"""Prepositions that join a circumstance to a statement."""
CIRCUMSTANTIAL_OF_GRAPHS = CIRCUMSTANTIAL | {"into", "near", "under"}
"""The same, of the names of relations in a graph."""
RELATIONAL = frozenset(
    "about across along around at by for from in into near of off on onto out over past through to under with".split()
)
"""Prepositions in names of relations and in questions to a graph."""
LOCATIVE = ("in", "to", "at", "near", "into")
"""Prepositions of a place of residence."""
LOCATIVE_SAID = frozenset("in at to into from near on".split())
"""Before a place in running text."""
SITUATING = frozenset("in at on inside within under behind beside near above below beneath outside".split())
"""Roles of what says where something is."""
PLACING = SITUATING | frozenset("into onto by between over around from off".split())
"""Prepositions of places; what is done there is not done to them."""
LOCATIVE_ROLES = frozenset("in at to from near into around through towards toward".split())
"""Roles of a frame whose filler may be a place."""
POSITIONS = frozenset("in at on near".split())
"""Those of them by which something is in its place, and goes nowhere."""
LOCATIVE_OF_GRAPHS = frozenset("in at on into to onto near from where".split())
"""Prepositions of a relation whose object may be a place, and words that ask for it."""
CHANGE_OF_PLACE = {
    **dict.fromkeys(("into", "to", "onto"), "goal"),
    **dict.fromkeys(("from", "out", "off"), "origin"),
    **dict.fromkeys(("through", "past", "along", "across", "over", "around"), "path"),
}
"""Preposition -> the part of a way that it marks (CGEL 9.15)."""
ABSENCE = frozenset("from off out against".split())
"""Prepositions under which an action does not happen: `talked out of`, `decided against`."""
EXCLUDING = frozenset("without instead rather than except but unlike excluding save".split())

COMPLETING = frozenset("of to at about for from on".split())
"""Prepositions of what completes an adjective: `poor at spelling`."""

# -- words without content --------------------------------------------------------------------------------------------

EMPTY = frozenset("a an the of to in on at for by with from and or is are was be my his her their its our your".split())
"""Ignored when a model's statement is compared with its citation."""
EMPTY_OF_GOALS = (EMPTY - {"our"}) | frozenset(
    "were been has have had do does did it that this those these some any about as".split()
)
"""Ignored when two goals are compared."""
CONNECTIVES = frozenset("and or but so nor yet then that which who whom".split())
"""Words that no answer starts with."""
NO_ENDS = frozenset(
    "and or but so nor the a an of to in on at for with from by into as than is are was were am be been has have had my your his her its our "
    "their that which who i he she we they".split()
)
"""Words that no answer ends with."""
NO_NAMES_OF_PEOPLE = frozenset(
    "the and but for with from into that this these those his her its our your their who what which when where why how then than not only just also very "
    "too all any some each both either neither because since until before after about over under behind between near there here yes".split()
)
"""Words of three or more letters that a dictionary may lack but that are not names."""
ORDINARY = frozenset(
    "and or but who which that is was are were has had with for from to in on at by of if when as than".split()
)
"""After `named`, these start the next phrase and are not a name."""
OPENERS_OF_GOALS = frozenset(
    "a an the some someone somebody something he it she they we you i his her its their my your".split()
)
"""Capitalised at the start of a goal, these are no constants."""
DETERMINERS_OF_GRAPHS = frozenset("the a an this that these those its their his her some few".split())
FUNCTION_OF_GRAPHS = (
    BE_ALL
    | DO_HAVE_CAN
    | DETERMINERS_OF_GRAPHS
    | INTERROGATIVES
    | RELATIVES
    | (RELATIONAL - frozenset("about across along around off out over past through".split()))
    | frozenset(
        "it they them he she you me us there and as s like person people thing one name list listed together world".split()
    )
    | frozenset("main primary called give these located".split())
)
"""Words that never refer to a relation of a graph."""
AFTER_NAMES_OF_GRAPHS = frozenset(
    "can could may might must shall should will would also too only even just yet still else us upon within without".split()
)
"""Additional function words: none is a name in a question to a graph."""
EMPTY_OF_RELATIONS = frozenset(
    "is are was were be has have had a an the locate lie stand situate appear include".split()
)
"""Words without content in a relation's name, and light verbs of place."""

COMPOUND_PREPOSITIONS = frozenset(
    {"next", "close", "adjacent", "far", "away", "ahead", "prior", "due", "thanks", "according", "opposite"}
)
"""Words that make a preposition with the one behind them: who works next to a place does not go to it (Quirk et al. 1985, 9.10)."""
