"""The one path from a question to a checked answer."""
