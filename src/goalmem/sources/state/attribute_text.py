"""The words of attributes: topics, values and verbs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from goalmem.language import lexicon
from goalmem.language.morphology import singular
from goalmem.language.words.attributes import ATTRIBUTES, BASIC_COLOURS
from goalmem.language.words.pronouns import POSSESSIVES
from goalmem.sources.values import without_article

SKIPPED = frozenset("the a an this that these those of for 's current new old present actual now own".split())
QUANTITY = re.compile(r"(?:[$€£¥]\s?)?\d[\d.,:]*\s?(?:%|[^\W\d_]+\b)?")
VERSION = re.compile(
    r"(?:version\s+|release\s+)?(?:v(?=\d+\.\d))?(?P<version>\d+(?:\.\d+)+[\w.-]*|v\d+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class AttributeTopic:
    """A thing with an attribute: its content words, its head, and the attribute if it is named."""

    words: frozenset[str]
    head: str
    attribute: str = ""
    text: str = ""

    @property
    def owner(self) -> str:
        """Whose it is: `user's roommate` of `user's roommate's rent`; empty if that is not said."""
        return self.text.casefold().replace("’", "'").rpartition("'s ")[0]


def topic_of(text: str) -> AttributeTopic | None:
    """The topic of a noun phrase; None if it has no content words, or an unresolved owner."""
    words = re.findall(r"[\w#-]+|'s", text.casefold().replace("’", "'"))
    if not words or any(w in POSSESSIVES for w in words):
        return None
    before, _, behind = text.casefold().partition(" of ")
    heads = [w for w in re.findall(r"[\w#-]+", before) if w not in SKIPPED]
    attribute = ATTRIBUTES.get(singular(heads[-1]), "") if heads else ""
    content = [singular(w) for w in words if w not in SKIPPED and w != "s"]
    if attribute:
        content.remove(singular(heads[-1]))
        rest = [w for w in re.findall(r"[\w#-]+", behind or before) if singular(w) in content]
        heads = rest or heads
    head = singular(heads[-1]) if heads else ""
    return AttributeTopic(frozenset(content), head, attribute, without_article(text))


def attribute_alone(topic: AttributeTopic) -> AttributeTopic:
    """An attribute without its thing, as a topic of its own: `the price is 40`."""
    return replace(topic, words=frozenset({topic.head})) if topic.attribute and not topic.words else topic


def key_of(text: str) -> str:
    """The key of a value."""
    return re.sub(r"^(?:the|a|an)\s+", "", text.casefold()).strip()


def base_verb(predicate: str) -> str:
    """The verb of a predicate without its particle; for an unknown one with `re-`, the verb after it."""
    verb = predicate.split()[0] if predicate else ""
    if lexicon.is_known(verb, "v"):
        return verb
    found = (form.removeprefix("re") for form in (verb, verb.removesuffix("e")))
    return next((form for form in found if lexicon.is_known(form, "v")), verb)


def is_purpose(text: str) -> bool:
    """True if the words after `to` are an activity rather than a value: `changed it to help Omar`."""
    first, *more = text.casefold().split() or [""]
    other = lexicon.tagged_uses(first, "n") + lexicon.tagged_uses(first, "a")
    return bool(more) and lexicon.tagged_uses(first, "v") > other


def is_colour(text: str) -> bool:
    """True if a word is a colour."""
    word = text.casefold().split()[-1] if text else ""
    return word in BASIC_COLOURS or any(
        word and lexicon.is_a(word, kind) for kind in ("chromatic color", "achromatic color")
    )
