"""The proof document: built, checked again, rendered, and its confidence calibrated."""
