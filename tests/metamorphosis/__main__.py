"""`python -m tests.metamorphosis [--unseen | --fresh] [--count 25] [--show]`: how often what was only mentioned is answered, a kind."""

from __future__ import annotations

import argparse
import sys

from goalmem import Memory
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
    chosen = parser.parse_args()
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


if __name__ == "__main__":
    main()
