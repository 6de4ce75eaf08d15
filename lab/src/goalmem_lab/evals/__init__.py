"""Benchmark runners, one a file."""
