"""Facts from conversations, and what holds over time according to them, as steps."""
