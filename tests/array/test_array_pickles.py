"""Arrays in pickles: what is read from one computes to the same."""

from __future__ import annotations

import pickle
import threading

import cloudpickle
import numpy as np
import pytest

import raskt.array as ra

X = np.arange(24.0).reshape(4, 6)

MADE = {
    "given": lambda x: x,
    "persisted": lambda x: x.persist(),
    "elementwise": lambda x: x * 2 + 1,
    "reduced": lambda x: x.sum(axis=0),
    "one number": lambda x: x.mean(),
    "sliced": lambda x: x[1:, ::-2],
    "filtered": lambda x: x[x > 5],
    "transposed": lambda x: x.T @ x,
    "mapped": lambda x: x.map_blocks(lambda block: block + 1),
    "by labels": lambda x: ra.blockwise(np.add, "ij", x, "ij", 2.5, None, dtype=float),
    "from elements": lambda x: ra.frompyfunc(lambda a, b: a + 2 * b, 2, 1)(x, 3.0),
    "rechunked": lambda x: x.rechunk((4, 1)),
    "joined": lambda x: ra.concatenate([x, ra.zeros((4, 2))], axis=1),
    "nothing": lambda x: x[:0],
}


@pytest.mark.parametrize("way", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
@pytest.mark.parametrize("made", MADE)
def test_arrays_come_as_they_went(made, way):
    array = MADE[made](ra.from_array(X, chunks=(2, 3)))
    found = pickle.loads(way.dumps(array))
    np.testing.assert_array_equal(found.compute(), array.compute())
    assert (found.dtype, found.ndim, found.numblocks) == (array.dtype, array.ndim, array.numblocks)
    np.testing.assert_array_equal((found + 1).compute(), (array + 1).compute())


def test_random_numbers_are_the_same():
    x = ra.random.default_rng(7).random((100, 100), chunks=50)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).compute(), x.compute())


def test_symbolic_arrays_are_short():
    small, large = (ra.random.default_rng(0).random((n, 1000), chunks=1000) for n in (10**4, 10**8))
    for x in (small, large):
        assert len(pickle.dumps((x - x.mean(0)) / x.std(0))) < 5000


def test_data_is_there_once():
    x = ra.from_array(np.random.default_rng(0).random((256, 256)), chunks=64)
    assert len(pickle.dumps((x - x.mean(0)) / x.std(0), protocol=5)) < 1.2 * x.nbytes


def test_data_stays_out_of_the_pickle_where_that_is_asked():
    buffers = []
    data = pickle.dumps(ra.from_array(X, chunks=(2, 3)), protocol=5, buffer_callback=buffers.append)
    np.testing.assert_array_equal(pickle.loads(data, buffers=buffers).compute(), X)


def test_what_cannot_be_pickled_is_named():
    lock = threading.Lock()
    with pytest.raises(TypeError, match="pickle") as raised:
        pickle.dumps(ra.from_array(X).map_blocks(lambda block: block if lock else block, dtype=float))
    assert any("lock" in note for note in getattr(raised.value, "__notes__", [])) or "lock" in str(raised.value)


class Rows:
    """Rows that can be sliced, with a reading at a time."""

    shape, dtype, ndim = X.shape, X.dtype, 2

    def __getitem__(self, part):
        return X[part]


@pytest.mark.parametrize("lock", [True, False])
def test_what_can_be_sliced_is_read_where_it_is_needed(lock):
    x = ra.from_array(Rows(), chunks=(2, 3), lock=lock)
    np.testing.assert_array_equal(pickle.loads(cloudpickle.dumps(x)).compute(), X)


def test_a_lock_of_one_name_is_one_lock():
    from raskt.array.base import sliceable

    one = sliceable._lock_of("rows")
    assert pickle.loads(pickle.dumps(one)) is one
    assert sliceable._lock_of("others") is not one


@pytest.mark.parametrize("lock", [True, False])
def test_memory_that_is_written_to_is_not_copied_elsewhere(lock):
    target = np.zeros(X.shape)
    to_write = ra.store(ra.from_array(X, chunks=(2, 3)), target, lock=lock, compute=False)
    with pytest.raises(TypeError, match="store writes into a ndarray of this process"):
        cloudpickle.dumps(to_write)
    to_write.compute()
    np.testing.assert_array_equal(target, X)
