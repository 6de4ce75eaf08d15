"""The learned reader of rule English: what the grammar does not read, by fitted weights (docs/rules.md)."""
