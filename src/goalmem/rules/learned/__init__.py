"""The learned reader of rule English: reads what the grammar cannot, with fitted weights (docs/rules.md)."""
