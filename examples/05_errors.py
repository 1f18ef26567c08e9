"""Mistakes are reported where they are made; exceptions arrive as they were raised.

python examples/05_errors.py
"""

import traceback

import raskt
import raskt.array as ra


def attempt(action) -> None:
    try:
        action()
    except Exception as error:
        print(f"{type(error).__name__}: {error}\n")


# Nothing is computed for these: the call itself says what is wrong.
attempt(lambda: ra.ones((3, 4)) + ra.ones((5,)))
attempt(lambda: raskt.config.set({"array.chunk-sise": "1MiB"}))
attempt(lambda: raskt.config.set(num_workers=0))


@raskt.delayed
def reciprocal(x: float) -> float:
    return 1 / x


# An exception of a task is the exception that was raised, with the traceback of the function.
try:
    raskt.compute(reciprocal(2), reciprocal(0))
except ZeroDivisionError:
    traceback.print_exc(limit=-1)

print("\nand the next computation works:", reciprocal(4).compute())
