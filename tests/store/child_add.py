"""Add batches of turns to a store and print the ids of each batch once `add` has returned.

python child_add.py PATH SESSION BATCHES SIZE
"""

from __future__ import annotations

import sys

from samples import DIMENSION, MODEL, batch, say

from goalmem.store import open_store

path, session, batches, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
store = open_store(path, model=MODEL, dimension=DIMENSION)
say("open")
for number in range(batches):
    texts = [f"turn {number * size + n} of {session}" for n in range(size)]
    say(*store.add(batch(texts, session=session, first=number * size)))
store.close()
