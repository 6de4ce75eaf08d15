"""Training of the models that goalmem ships: `goalmem train reader` makes the span reader again from public data."""
