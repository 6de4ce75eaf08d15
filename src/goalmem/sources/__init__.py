"""Where steps come from: remembered facts, and common knowledge."""
