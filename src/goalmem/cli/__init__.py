"""The `goalmem` command. `app.main` runs it; `python -m goalmem.cli` does too."""
