"""Rules and facts in plain language: reading them, and reasoning with them."""

from goalmem.rules.program import Strategy, Verdict, World
from goalmem.rules.terms import Clause, Literal, Reading, RuleReader, Unread
from goalmem.rules.theory import Theory

__all__ = ["Clause", "Literal", "Reading", "RuleReader", "Strategy", "Theory", "Unread", "Verdict", "World"]
