"""Change a store's model and say how far it is, so that somebody can kill us on the way.

python child_reindex.py STORE NAME DIMENSION [before | after]: with a word, die by our own hand before or after the switch.
"""

from __future__ import annotations

import os
import signal
import sys

from samples import say
from spelling import Spelling

from goalmem.maintenance import reembedding as reindexing
from goalmem.settings import Settings
from goalmem.store import reembedding

place, name, dimension, *when = sys.argv[1:]


class Dying:
    """Passes everything on, and dies at the switch."""

    def __init__(self, staging: reembedding.Reembedding) -> None:
        self._staging = staging

    def __getattr__(self, name: str) -> object:
        return getattr(self._staging, name)

    def switch(self, embed: object = None) -> None:
        if when == ["after"]:
            assert self._staging.switch(embed) is not None
        os.kill(os.getpid(), signal.SIGKILL)


reindexing.PORTION = 16  # so that little is enough for several
if when:
    made = reindexing.reembedding_of
    reindexing.reembedding_of = lambda store: Dying(made(store))
done = reindexing.reindex(
    place,
    Spelling(name, int(dimension)),
    settings=Settings(),
    on_progress=lambda done, total: say(str(done), str(total)),
)
say("reindexed", done.after)
