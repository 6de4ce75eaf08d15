"""Back a store up, or restore one, and say how far it is, so that somebody can kill us on the way.

python child_backup.py STORE TARGET
python child_backup.py restore BACKUP STORE
"""

from __future__ import annotations

import sys
from pathlib import Path

from samples import say

from goalmem.store.backup import back_up, restore


def told(done: int, total: int) -> None:
    """Say how far it is."""
    say(str(done), str(total))


match sys.argv[1:]:
    case ["restore", backup, store]:
        restore(backup, store, force=True, on_progress=told)
    case [store, target]:
        back_up(store, Path(target), on_progress=told)
say("done")
