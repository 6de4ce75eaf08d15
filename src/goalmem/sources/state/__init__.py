"""What holds over time: events and settings read out of facts, in order, by inertia."""
