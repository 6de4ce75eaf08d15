"""Sources of steps: facts, passages, states, graphs, chat models, and common knowledge."""
