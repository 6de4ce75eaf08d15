"""`python -m tests.metamorphosis [--unseen | --fresh | --chats] [--count 25] [--show]`: how often what was only mentioned is answered, a kind."""

from __future__ import annotations

import argparse
import sys

from goalmem import Memory
from tests.metamorphosis.chats import chats, replies
from tests.metamorphosis.instances import all_instances
from tests.metamorphosis.kinds import FRESH, KINDS, STATING
from tests.metamorphosis.measure import outcomes, rate, rates


def main() -> None:
    """Prints a table a kind: what must not be answered, then what must."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--unseen", action="store_true", help="the words and wordings that nothing was tuned on")
    parser.add_argument("--count", type=int, default=25, help="instances a kind")
    parser.add_argument("--show", action="store_true", help="every instance that went wrong")
    parser.add_argument("--only", default="", help="kinds whose names hold this")
    parser.add_argument("--fresh", action="store_true", help="with the unseen words, the wordings written last")
    parser.add_argument("--chats", action="store_true", help="the chat messages written by hand, all of them")
    chosen = parser.parse_args()
    if chosen.chats:
        ask_chats()
        return
    mentioning = FRESH if chosen.fresh else KINDS
    with Memory(":memory:") as memory:
        for title, kinds, wrong in (
            ("answered as if stated", mentioning, True),
            ("answered, as stated", STATING, False),
        ):
            asked = [k for k in kinds if chosen.only in k.name]
            if not asked:
                continue
            found = outcomes(
                memory, all_instances(asked, chosen.count, unseen=chosen.unseen or chosen.fresh), f"{title}-"
            )
            sys.stdout.write(f"{title}: {rate(found):.3f} of {len(found)}\n")
            for kind, share in rates(found).items():
                sys.stdout.write(f"  {share:.2f}  {kind}\n")
            for o in found if chosen.show else ():
                if o.said is wrong:
                    i = o.instance
                    sys.stdout.write(f"    [{i.kind}] {i.turn} | {i.question} | {o.status}: {o.text}\n")


def ask_chats() -> None:
    """Prints which of the chats prove what they do not say, and which are not found where they say it."""
    with Memory(":memory:") as memory:
        replied = replies(memory, chats())
    for r in replied:
        if r.wrong:
            sys.stdout.write(f"  wrong [{r.chat.kind}] {r.chat.turns} | {r.chat.question} | {' '.join(r.open)}\n")
        if not r.found:
            sys.stdout.write(f"  missed [{r.chat.kind}] {r.chat.stating} | {r.chat.question} | {' '.join(r.stated)}\n")
    wrong, found = sum(r.wrong for r in replied), sum(r.found for r in replied)
    sys.stdout.write(f"proved, not said: {wrong} of {len(replied)}; said, found: {found} of {len(replied)}\n")


if __name__ == "__main__":
    main()
