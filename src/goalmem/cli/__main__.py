"""`python -m goalmem.cli`."""

from goalmem.cli.app import main

main()
