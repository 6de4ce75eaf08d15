"""Models: embeddings that run offline."""
