"""The certainty of answers: doubts about facts, later changes, and the probability of what is read."""
