"""Rules and facts stated in plain language: how they are read, and what follows from them."""

from goalmem.rules.program import Strategy, Verdict, World
from goalmem.rules.terms import Clause, Literal, Reading, RuleReader, Unread
from goalmem.rules.theory import Theory

__all__ = ["Clause", "Literal", "Reading", "RuleReader", "Strategy", "Theory", "Unread", "Verdict", "World"]
