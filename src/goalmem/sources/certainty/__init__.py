"""How sure what was found may be: what casts doubt on it, what replaced it, and what an answer is worth."""
