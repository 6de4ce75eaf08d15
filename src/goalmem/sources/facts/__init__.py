"""Facts remembered from conversations, and what holds by them over time, as steps."""
