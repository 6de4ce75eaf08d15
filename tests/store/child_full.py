"""Add turns until a file size limit stops it; print the ids that were stored.

python child_full.py PATH
"""

from __future__ import annotations

import resource
import sys

from samples import DIMENSION, MODEL, batch, say

from goalmem.errors import StoreFullError
from goalmem.store import open_store

resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
store = open_store(sys.argv[1], model=MODEL, dimension=DIMENSION)
failures = 0
for n in range(1_000):
    try:
        say(*store.add(batch([f"{n - failures} " + "x" * 20_000], first=n - failures)))
    except StoreFullError:
        failures += 1
        if failures == 3:
            break
else:
    sys.exit("the limit was never reached")
assert store.check() == []
try:
    open_store(sys.argv[1] + "-2", model=MODEL, dimension=DIMENSION).close()
finally:
    store.close()
