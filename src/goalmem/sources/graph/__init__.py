"""Edges of graphs and walks over them, as steps."""
