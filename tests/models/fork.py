"""Embed, fork, and embed again in parent and child at once: python fork.py CHOICE. Says `same` when all agree."""

import os
import sys

import numpy as np

from goalmem.models.registry import make_embedder

TEXTS = [f"Number {n} came by on a rainy day." for n in range(8)]
model = make_embedder(sys.argv[1])
before = model.embed(TEXTS)
child = os.fork()
same = np.allclose(before, model.embed(TEXTS), atol=1e-3)
if child == 0:
    # As children of multiprocessing end. ONNX Runtime hangs in a forked process that ends as a program does.
    os._exit(not same)
_, status = os.waitpid(child, 0)
sys.stdout.write("same" if same and status == 0 else f"the child ended with {status}")
