"""Ordinary functions become a graph, and run in parallel.

python examples/02_delayed.py
"""

import hashlib

import raskt
from raskt.diagnostics import ProgressBar


@raskt.delayed
def digest(seed: int) -> bytes:
    """A few milliseconds of work outside of the interpreter lock."""
    return hashlib.pbkdf2_hmac("sha256", bytes([seed]), b"salt", 20_000)


@raskt.delayed
def combine(a: bytes, b: bytes) -> bytes:
    return hashlib.sha256(a + b).digest()


# Nothing runs here: each call adds a task to the graph.
level = [digest(seed) for seed in range(64)]
while len(level) > 1:
    level = [combine(a, b) for a, b in zip(level[::2], level[1::2])]

with ProgressBar():
    print(level[0].compute().hex())
