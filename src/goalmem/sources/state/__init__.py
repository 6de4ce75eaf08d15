"""What holds over time: events and attribute values read from facts, in order, by inertia."""
