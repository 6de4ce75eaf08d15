"""From what is said to facts: times, entities, clauses. Importing this does not import spaCy."""

from goalmem.extract.analyzer import Analyzer
from goalmem.extract.extractor import Extractor
from goalmem.extract.reading import Context
from goalmem.extract.tense import times_said
from goalmem.extract.times import TimeMention, find_times

__all__ = ["Analyzer", "Context", "Extractor", "TimeMention", "find_times", "times_said"]
