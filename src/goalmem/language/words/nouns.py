"""Nouns and coarse types (`lexicon.COARSE`): beings, works, occupations, and question nouns."""

from __future__ import annotations

from goalmem.language.words import pairs

# -- coarse types -----------------------------------------------------------------------------------------------------

ANIMATE = frozenset({"person", "animal"})
"""Beings: referents of `who`, `he` and `she`."""
AGENTS = ANIMATE | {"organization"}
"""Possible subjects of a statement."""
HAVABLE = frozenset({"person", "animal", "thing", "place", "organization", "food"})
"""Possible possessions, so that `my X` implies that there is one."""
HAVABLE_OR_WORK = HAVABLE | {"work"}
"""Coarse types of possessions, such that Ann's dog is the dog that Ann has. Her job, her age or a price are not
possessions in this sense.
"""
TANGIBLE = frozenset({"animal", "thing", "place", "organization", "work", "food", "event"})
"""Referents of `it`."""
PLURAL_THINGS = frozenset({"person", "animal", "thing", "food", "organization"})
"""Referents of `they`."""
PLACED = frozenset({"place", "organization"})
NO_THINGS = frozenset({"person", "animal", "place", "time"})
"""Types that a variable of a thing is never bound to."""
EXCLUSIVE = frozenset({"person", "animal", "place", "organization", "event", "food", "time", "quantity", "work"})
"""Coarse types that exclude one another, except for `OVERLAPPING`."""
EXCLUSIVE_READ = frozenset({"person", "animal", "food", "place", "time"})
"""Mutually exclusive types in the output of a reader."""
OVERLAPPING = pairs(
    *("place organization", "person animal", "event work", "event time", "food animal", "event organization"),
    *("place event", "time quantity", "work organization"),
)
"""Types of which one thing may be both."""
OVERLAPPING_READ = pairs("person animal", "food animal")
PERSONAL_ATTRIBUTES = frozenset("diet nationality religion faith rank role position title post trade sign".split())
"""Nouns for what somebody is: their values are nouns for people (`vegetarian`, `sergeant`)."""
PROPER_KINDS = frozenset({"language"})
"""Kinds whose instances are names that may be rare senses of ordinary words: Polish."""
NAMED_TYPES = frozenset({"person", "place", "name"})
"""Types whose values are names."""

# -- nouns ------------------------------------------------------------------------------------------------------------

ANYTHING = frozenset({"thing", "something", "object", "item"})
ANYBODY = frozenset({"person", "people", "someone"})
ANY_ANIMAL = frozenset({"animal", "creature", "pet"})
NO_CONTENT = "something anything everything thing stuff one ones lot bit few piece new"
"""Words without content in an answer."""
RELATED = ("relative", "friend", "domestic animal")
"""Possessed nouns that name a relation to their owner."""
OWNED = ("person", "animal", "group", "pet", "relative")
"""Possessed nouns for beings, which should be resolved first."""
OCCUPATIONS = (
    *("worker", "professional", "skilled worker", "creator", "employee", "entertainer", "scientist", "leader"),
    *("engineer", "businessperson", "administrator", "artist", "negotiator", "official", "serviceman", "student"),
)
"""WordNet's synsets above the names of occupations."""
NO_OCCUPATION = frozenset({"hero", "owner", "heroine", "boss", "head", "star"})
"""Hyponyms that do not name an occupation."""
OCCUPATION = frozenset({"job", "occupation", "profession", "trade"})
"""Nouns that ask for an occupation."""
OCCUPATION_OR_ROLE = (OCCUPATION - {"trade"}) | {"career", "role", "position"}
EARNING = frozenset({"living", "work", "job"})
"""`for a living`: completes `do` in a question for an occupation."""
PARTNERED = frozenset("married single divorced engaged widowed separated".split())
TITLES = frozenset(
    "mr mrs ms miss mister dr doctor prof professor sir lady lord saint st uncle aunt auntie grandma grandpa".split()
    + "king queen prince princess president captain father mother brother sister coach".split()
)
KIN_CALLED = {
    "mother": "mother mum mom mam mummy mommy mama mamma momma".split(),
    "father": "father dad daddy papa".split(),
    "grandmother": "grandmother grandma gran granny grannie nana nanna".split(),
    "grandfather": "grandfather grandpa grandad granddad gramps".split(),
}
"""Address terms by relative (WordNet's synonyms and hyponyms): without a determiner, the speaker's own."""
KIN_WORDS = {**KIN_CALLED, "child": ["child", "kid"]}
"""All words for a relative."""
ADDRESS_WORDS = {
    "email address": ["email address", "email", "e-mail", "e-mail address", "mail address"],
    "phone number": [
        "phone number",
        "telephone number",
        "mobile number",
        "cell number",
        "cell phone number",
        "mobile phone number",
    ],
}
"""All words for where somebody can be reached."""
ORGANISED = frozenset(
    "employer landlord client customer supplier provider sponsor insurer buyer seller competitor".split()
)
"""Nouns for a role that organisations have as well as people."""
PARTNERS = frozenset("wife husband spouse partner fiance fiancé fiancee fiancée boyfriend girlfriend".split())
"""Relatives that somebody may have no longer."""
GENERATIONS = frozenset("junior jr jr. senior sr sr. ii iii iv".split())
"""Suffixes that make a name somebody else's."""
PICTURES = frozenset(
    "photo picture photography image photograph screenshot painting drawing poster close-up snapshot".split()
)
FICTION = frozenset(
    "novel story tale fairytale film movie cartoon sitcom musical opera play script screenplay poem ballad fiction comic".split()
    + "dream daydream nightmare fantasy imagination vision hallucination hypothetical scenario joke parody riddle anecdote".split()
)
WORKS = frozenset("book show series episode chapter sequel soap".split())
"""Works that mostly tell fiction: what happens *in* them does not happen."""
RUMOURS = frozenset("rumor rumour gossip hearsay word legend story tale talk".split())
"""Words for hearsay: `rumour has it that`, `word is that`."""
FACTUAL = frozenset("fact news proof truth evidence reality way time day moment reason place thing".split())
"""Nouns whose that-clause holds; that of `idea`, `claim`, `dream`, `fear` is open (Kiparsky & Kiparsky 1970)."""
FANS = frozenset({"fan", "lover", "enthusiast", "admirer"})
ADVICE = frozenset("tip suggestion recommendation advice idea inspiration pointer thought guidance".split())
TALKS = frozenset({"conversation", "chat", "discussion", "exchange", "talk"})
SINGLE_VALUED = frozenset(
    "address age birthday birthplace budget capacity capital colour color date deadline father height hometown "
    "licence license mother name nickname password population price rent salary size surname weight width length".split()
)
"""Attributes of a thing or person with one value at a time."""
LASTING = frozenset("birthday birthplace father height hometown mother".split())
"""Those of them that keep their value for life."""

IDENTIFIERS = frozenset({"number", "code", "id", "pin", "plate"})
"""Attributes whose values are signs."""
VALUED = IDENTIFIERS | frozenset(
    "type kind group colour color size status level mood nationality religion style shade grade class condition setting gender sex "
    "orientation diet taste texture shape temperature complexion".split()
)
"""Attributes whose values are adjectives or signs: `my blood type is O negative`."""

# -- nouns that ask ---------------------------------------------------------------------------------------------------

KINDS = frozenset({"kind", "type", "sort"})
"""`what kind of`: the noun after it is the requested type."""
KINDS_ASKED = KINDS | {"style", "genre", "form", "name"}
"""Nouns that ask for a kind or a name of the noun after their `of`."""
ATTRIBUTES_BEFORE_NOUNS = frozenset("colour color size make brand".split())
"""Attribute nouns before another noun: `what colour lids`."""
TIME_NOUNS = frozenset({"year", "month", "day", "date", "week", "season", "time", "weekday"})
TIMES_OF_GRAPHS = frozenset("year date time day month century decade".split())
TIME_TYPES = frozenset(
    {"time", "date", "day", "when", "moment", "datetime", "timestamp", "day and time", "date and time"}
)
"""Names of the type time in replies of chat models."""
PLURAL_TIMES = frozenset("days dates years months weeks evenings nights weekends".split())
MEASURES_ASKED = frozenset(
    "second minute hour day week weekend month year decade date time age amount number total percentage price cost "
    "length distance frequency duration name order kind type sort thing way".split()
)
"""Nouns for the sort of answer ("how many days", "what kind of") that say nothing about the topic."""
MEASURES = frozenset("weight height length width depth distance size score measure".split())
"""Types of a number with a unit."""
NUMERIC_NOUNS = frozenset({"number", "age", "amount", "price", "cost", "sum"})
"""Types of values that are numbers."""
NUMERIC_TYPES = frozenset({"number", "age", "amount", "duration", "frequency"})
"""Types of values that have a number."""
PRICES = frozenset({"amount", "price", "cost", "fee", "rent", "deposit", "salary", "wage", "fare"})
CHANGING_TYPES = frozenset({"amount", "age", "frequency", "number", "score", "weight", "size", "height"})
"""Types of values of which a later one takes the place of an earlier one."""
ONE_ONLY = frozenset({"time", "number", "age", "duration"})
GENERIC_OF_GRAPHS = frozenset(
    "year date time day place location city town country state region name number count code id amount total type "
    "person people company part value level".split()
)
"""Heads of relation names (`birth place`, `release year`) that only give the type of the object."""
KINDS_OF_GRAPHS = frozenset(
    "film movie picture song track album single band group artist musician person people man woman river stream lake sea town "
    "city village country region state place mountain bridge dam building company firm business corporation organisation "
    "organization bank product brand shop restaurant dish recipe meal food plant book novel series show game team club "
    "school university college institution landmark".split()
)
"""Common type nouns: next to a name or a relation they restrict the type and ask for nothing."""
UNITS_OF_GRAPHS = {
    "km": "kilometre kilometer", "m": "metre meter", "cm": "centimetre centimeter", "mi": "mile", "ft": "foot",
    "kg": "kilogram kilogramme", "g": "gram", "min": "minute", "minute": "minute", "h": "hour", "hour": "hour",
    "kilometre": "kilometer", "kilometer": "kilometre", "metre": "meter", "meter": "metre", "million": "million",
    "billion": "billion", "euro": "eur", "eur": "euro", "dollar": "usd", "usd": "dollar", "percent": "percent", "sqkm": "km",
}  # fmt: skip
"""Units in relations' names (`length_km`): how a question may spell them."""

NAMES_TOO = frozenset(
    "john james william ben sam max bob anna maria tom jack peter dan mark will frank grace rose lily bill nick rob ray pat gene dean glen jim joe"
    " harry victor grant miles mike sue ella anne ann jean eve iris ivy ruby daisy violet amber art don drew carol robin martin norman pete jay".split()
)
"""Given names frequent in the United States (Social Security Administration, births of 1950 to 2000) that dictionaries have as nouns, too."""
