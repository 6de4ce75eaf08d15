"""NL-Logic and the proof: terms, syntax, unification, aggregates, proofs and their checking. Pure."""
