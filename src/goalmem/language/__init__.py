"""Language analysis: extracts times, entities and clauses from text. Importing this does not import spaCy."""

from goalmem.language.analyzer import Analyzer
from goalmem.language.annotations import TurnContext
from goalmem.language.extractor import Extractor
from goalmem.language.tense import times_said
from goalmem.language.times import TimeMention, find_times

__all__ = ["Analyzer", "Extractor", "TimeMention", "TurnContext", "find_times", "times_said"]
