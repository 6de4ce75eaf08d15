"""The engine: best-first search for proofs over the steps that sources offer. Knows no language and no store."""
