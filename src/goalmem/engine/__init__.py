"""The engine: best-first search for proofs over the steps that sources offer. Independent of language and store."""
