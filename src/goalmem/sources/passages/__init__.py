"""Answers read out of passages, as steps."""
