"""The calls of `/v1`, one module for each kind."""
