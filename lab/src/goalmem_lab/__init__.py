"""The laboratory: what trains goalmem's models and measures it on benchmarks. What a user never imports."""
