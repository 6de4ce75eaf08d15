"""Turns that mention something without stating it, and whether memory answers as if they had."""
