"""Calls that run while the program goes on: what comes back first decides what is asked next.

python examples/07_futures.py
"""

from raskt.futures import as_completed, gather, map, submit


def steps(start: int) -> tuple[int, int]:
    """How many steps a number takes to one, by halving what is even and 3n + 1 for what is odd."""
    number, count = start, 0
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        count += 1
    return count, start


# Each block of numbers is a call of its own; a call may read the results of others before they are there.
blocks = [map(steps, range(first, first + 200)) for first in range(1, 1000, 200)]
best = submit(max, [submit(max, block) for block in blocks])
print("longest way below 1001: {} steps, from {}".format(*best.result()))

# Results in the order in which they come, and more work for as long as it is worth it.
running = as_completed(map(steps, [7, 27, 97]))
longest = (0, 0)
for future in running:
    found = future.result()
    if found > longest:
        longest = found
        running.update([submit(steps, 2 * found[1] - 1), submit(steps, 2 * found[1] + 1)])
print("longest way found by going on from the best: {} steps, from {}".format(*longest))

# What fails ends all that reads it, with the error that was raised; the others go on.
bad = submit(steps, "seven")
print("without what failed:", gather([submit(steps, 7), submit(max, [bad, (0, 0)])], errors="skip"))
