"""Move a store and say how far it is, so that somebody can kill us on the way.

python child_move.py SOURCE TARGET
"""

from __future__ import annotations

import sys

from samples import say

from goalmem.store.transfer import move

moved = move(sys.argv[1], sys.argv[2], on_progress=lambda done, total: say(str(done), str(total)))
say("moved", moved.checksum)
