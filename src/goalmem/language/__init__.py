"""From what is said to facts: times, entities, clauses. Importing this does not import spaCy."""

from goalmem.language.analyzer import Analyzer
from goalmem.language.annotations import Context
from goalmem.language.extractor import Extractor
from goalmem.language.tense import times_said
from goalmem.language.times import TimeMention, find_times

__all__ = ["Analyzer", "Context", "Extractor", "TimeMention", "find_times", "times_said"]
