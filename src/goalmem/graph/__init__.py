"""Knowledge graphs, and ArG: answers found hop by hop with graded self-reflection (docs/graph.md)."""
