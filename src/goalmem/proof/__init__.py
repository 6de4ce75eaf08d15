"""Proof documents: building, checking, rendering, and calibrated confidence."""
