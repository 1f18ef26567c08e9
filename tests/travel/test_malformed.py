"""Forms that fit together in no way: an error with a sentence, and no panic."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.array as ra
from raskt import _core, delayed


def parts_of(x):
    return x.__raskt_expr__.__reduce__()[1]


def test_fewer_blocks_than_tasks():
    written, ((one, _),) = parts_of(ra.from_array(np.arange(4.0), chunks=2))
    with pytest.raises(Exception) as raised:
        ra.Array(_core._collection_of(written, [[one]])).compute()
    assert "panicked" not in str(raised.value)


def test_fewer_arguments_than_tasks():
    read, (written, _, index, said) = delayed(len)(np.zeros(100_000)).__reduce_ex__(4)
    with pytest.raises(Exception) as raised:
        read(written, [[]], index, said).compute()
    assert "panicked" not in str(raised.value)


def test_a_call_that_is_no_task_of_the_layer():
    read, (written, given, _, said) = delayed(len)(np.zeros(100_000)).__reduce_ex__(4)
    with pytest.raises(Exception) as raised:
        read(written, given, 77, said).compute()
    assert "a bug" not in str(raised.value)


def test_tasks_that_read_and_are_said_to_name_what_a_store_keeps():
    written, given = parts_of(ra.from_array(np.arange(8.0), chunks=2).cumsum(axis=0))
    plain, flagged = b"\0\0\0\x0braskt.array", b"\0\1\0\x0braskt.array"
    assert plain in written
    try:
        found = ra.Array(_core._collection_of(written.replace(plain, flagged), given)).compute()
    except Exception as error:  # a panic is none of these
        assert "panicked" not in str(error)
    else:
        np.testing.assert_array_equal(found, np.arange(8.0).cumsum())
