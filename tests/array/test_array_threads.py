"""What several threads do to one array is done, one after the other."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import raskt.array as ra

THREADS, LENGTH = 4, 60


def at_once(work):
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work, number) for number in range(THREADS)]:
            done.result()


def test_elements_written_by_threads_all_stay():
    x = ra.zeros(THREADS * LENGTH, chunks=16)

    def work(number):
        for at in range(number, THREADS * LENGTH, THREADS):
            x[at] = at

    at_once(work)
    np.testing.assert_array_equal(x, np.arange(THREADS * LENGTH))


def test_a_write_that_comes_between_is_not_lost():
    x = ra.zeros(3)

    class Key:
        """A position that writes to the array when it is looked at, as another thread would just then."""

        written = 0

        def __index__(self):
            if not self.written:
                self.written = 1
                x[1] = 5
            return 0

    x[Key()] = 7
    np.testing.assert_array_equal(x, [7, 5, 0])


def test_operators_in_place_all_count():
    x = ra.zeros(4, chunks=2)

    def work(number):
        for _ in range(LENGTH):
            x.__iadd__(1)

    at_once(work)
    np.testing.assert_array_equal(x, np.full(4, THREADS * LENGTH))
