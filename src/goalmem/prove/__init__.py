"""The engine: the search for a proof over steps that sources offer, within a budget."""
