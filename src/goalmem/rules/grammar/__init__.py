"""The grammar reader of rule English, which needs no model (docs/rules.md)."""
