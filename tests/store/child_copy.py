"""Back up, or restore from one backup and then the other, again and again until killed.

python child_copy.py backup STORE TARGET
python child_copy.py restore STORE BACKUP BACKUP
"""

from __future__ import annotations

import sys
from itertools import cycle
from pathlib import Path

from samples import say

from goalmem.store.backup import back_up, restore

what, store, *others = sys.argv[1:]
say("open")
for other in cycle(others):
    if what == "backup":
        back_up(store, Path(other), force=True)
    else:
        restore(other, store, force=True)
    say(other)
