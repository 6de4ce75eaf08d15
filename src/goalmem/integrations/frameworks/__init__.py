"""A memory inside other people's frameworks: what each takes for memory, retrieval and tools, one module a framework.

Each module needs its framework's package (the extra of its name) and is imported by its own name; nothing here imports any.
"""
