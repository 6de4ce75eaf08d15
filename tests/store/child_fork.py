"""Fork while a thread is adding, then add from parent and child at once; the parent closes first.

python child_fork.py PATH
"""

from __future__ import annotations

import os
import sys
import threading

from samples import DIMENSION, MODEL, batch, say

from goalmem.store import Store, open_store

store = open_store(sys.argv[1], model=MODEL, dimension=DIMENSION)


def add(into: Store, session: str, count: int) -> None:
    for n in range(count):
        into.add(batch([f"turn {n} of {session}"], session=session, first=n))


add(store, "before", 1)
thread = threading.Thread(target=add, args=(store, "thread", 60))
thread.start()
child = os.fork()
if child == 0:
    add(store, "child", 30)
    store.close()
    os._exit(0)
add(store, "parent", 30)
thread.join()
store.close()
_, status = os.waitpid(child, 0)
say("ok" if status == 0 else f"the child failed: {status}")
