"""Adapters for other frameworks: memory, retrievers and tools, one module per framework.

Each module needs its framework's package (the extra of its name) and is imported by its own name; nothing here imports any.
"""
