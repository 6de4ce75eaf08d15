"""A store opened with its embedder, checked, repaired, and given another embedding model."""
