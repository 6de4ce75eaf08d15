"""`goalmem eval`, `goalmem train` and `goalmem bulk eval`, which goalmem finds by entry point."""
