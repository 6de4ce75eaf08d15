"""Import a file of triples into a store, in many small transactions, saying each time that one is done.

python child_import.py STORE FILE
"""

from __future__ import annotations

import sys
from contextlib import closing

from goalmem.graph import imports
from goalmem.graph.imports import import_graph
from goalmem.io.triples_files import graph_file
from goalmem.store import graphs_import, open_store


def say(doing: str, done: int, total: int) -> None:
    sys.stdout.write(f"{doing} {done} {total}\n")
    sys.stdout.flush()


vars(imports)["_CHUNK"] = 100
graphs_import.STEP["sqlite"] = 150
with closing(open_store(sys.argv[1], model="m", dimension=4)) as store:
    say("open", 0, 0)
    import_graph(store.graphs, "ana", graph_file(sys.argv[2]), progress=say)
