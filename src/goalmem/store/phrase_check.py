"""Ask SQLite whether the phrase index of a file holds together; a program of its own, since a damaged index can crash the asking process.

python phrase_check.py FILE BUSY_MS

Seen in SQLite 3.40.1: FTS5's check reads past the end of a damaged page. Takes the lock of a writer, and writes nothing. Exits with 0; prints
nothing of a sound index, and otherwise the code and the words of SQLite's error.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing

CHECK = "INSERT INTO phrase (phrase) VALUES ('integrity-check')"


def _main(file: str, busy: str) -> None:
    with closing(sqlite3.connect(file, timeout=int(busy) / 1000, isolation_level=None)) as connection:
        try:
            connection.execute(CHECK)
        except sqlite3.DatabaseError as error:
            sys.stdout.write(f"{error.sqlite_errorcode} {error}")
        except MemoryError:
            sys.stdout.write(f"{sqlite3.SQLITE_NOMEM} it asks for more memory than there is")


if __name__ == "__main__":
    _main(*sys.argv[1:])
