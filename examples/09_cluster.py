"""The same collections on a cluster of worker processes; nothing else of the program changes.

python examples/09_cluster.py
"""

import os
import signal

import raskt
import raskt.array as ra
from raskt.distributed import Client, as_completed


def collatz(start: int) -> tuple[int, int]:
    """How many steps a number takes to one, by halving what is even and 3n + 1 for what is odd."""
    number, count = start, 0
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        count += 1
    return count, start


if __name__ == "__main__":
    # A scheduler in this process and two workers, each a process of its own; all of it ends with the block.
    with Client(n_workers=2, threads_per_worker=1) as client:
        client.wait_for_workers(2)

        # What raskt computes, it computes there.
        x = ra.random.default_rng(0).random((4000, 1000), chunks=500)
        print("variance of what was standardised:", ((x - x.mean(axis=0)) / x.std(axis=0)).var().compute().round(6))

        # Results can stay with the workers.
        kept = client.persist(x @ x.T)
        print("largest of 16 million products:", kept.max().compute().round(3))

        # Calls, which may read each other before they are there.
        steps = client.map(collatz, range(1, 2000))
        print("longest way below 2000: {} steps, from {}".format(*client.submit(max, steps).result()))
        first = next(as_completed(client.map(collatz, [27, 97])))
        print("the first of two is there:", first.done())

        # A worker that dies is replaced, and what it held is made again.
        workers = client.run(os.getpid)
        os.kill(next(iter(workers.values())), signal.SIGKILL)
        print("the same, one death later:", kept.max().compute().round(3))
        print("calls still work:", raskt.delayed(sum)([raskt.delayed(abs)(-number) for number in range(10)]).compute())
