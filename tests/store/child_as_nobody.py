"""As a user who may only read: read a store, try to add to it, try to make another beside it.

python child_as_nobody.py PATH
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from samples import DIMENSION, MODEL, batch, say

from goalmem.errors import ReadOnlyStoreError
from goalmem.store import open_store

NOBODY = 65_534
importlib.import_module("goalmem.store.sqlite")  # nobody may read the folder that Python stands in
os.setgid(NOBODY)
os.setuid(NOBODY)
path = Path(sys.argv[1])
store = open_store(path, model=MODEL, dimension=DIMENSION)
assert store.stats("ana").turns == 2
assert store.phrase("ana", "red apple")
say("read")
try:
    store.add(batch(["more"], first=7))
except ReadOnlyStoreError:
    say("refused")
store.close()
try:
    open_store(path.with_name("new.db"), model=MODEL, dimension=DIMENSION)
except ReadOnlyStoreError:
    say("refused")
