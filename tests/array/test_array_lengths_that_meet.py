"""Blocks of unknown lengths that meet: NumPy's answer if they are as long as each other, else it or an error."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import raskt
import raskt.array as ra

#: The lengths of the blocks of one array and of the other.
LENGTHS = [
    ((2, 2), (2, 2)),
    ((2, 0, 1), (2, 0, 1)),
    ((2, 2), (1, 3)),
    ((1, 2), (3, 1)),
    ((1, 2), (3, 2)),
    ((1, 1), (2, 2)),
    ((2, 2), (1, 1)),
    ((0, 1), (2, 1)),
    ((1, 2), (0, 2)),
    ((1,), (3,)),
    ((3,), (1,)),
    ((3,), (0,)),
    ((0, 1), (1, 0)),
    ((1, 0), (3, 2)),
]
Call = Callable[[Any, Any, Any], Any]

LINES: dict[str, Call] = {
    "clip both": lambda lib, x, y: lib.clip(x, y, y + 1),
    "clip low": lambda lib, x, y: lib.clip(x, y, None),
    "clip high": lambda lib, x, y: lib.clip(x, None, y),
    "clip 3": lambda lib, x, y: lib.clip(3, x, y),
    "method clip": lambda lib, x, y: x.clip(y, 9),
    "sum where": lambda lib, x, y: lib.sum(x, where=y > 2),
    "mean where": lambda lib, x, y: lib.mean(x, where=y > -1),
    "var where": lambda lib, x, y: lib.var(x, where=y > -1),
    "max where": lambda lib, x, y: lib.max(x, where=y > 2, initial=-5),
    "any where": lambda lib, x, y: lib.any(x > 3, where=y > 2),
    "all where": lambda lib, x, y: lib.all(x > 3, where=y > 2),
    "nansum where": lambda lib, x, y: lib.nansum(x, where=y > 2),
    "add": lambda lib, x, y: x + y,
    "add swapped": lambda lib, x, y: y + x,
    "three": lambda lib, x, y: x + 1 + (y * 2) + x,
    "sum of products": lambda lib, x, y: (x * y).sum(),
    "minimum": lambda lib, x, y: lib.minimum(x, y),
    "logaddexp": lambda lib, x, y: lib.logaddexp(x, y),
    "divmod": lambda lib, x, y: lib.divmod(x, y + 1)[0],
    "ldexp": lambda lib, x, y: lib.ldexp(x, y.astype(int)),
    "ufunc where": lambda lib, x, y: lib.add(x, 1.0, where=y > -1, out=lib.zeros_like(x)),
    "ufunc where other": lambda lib, x, y: lib.sqrt(x, where=y > -1, out=lib.ones_like(y)),
    "ufunc out": lambda lib, x, y: lib.add(x, 1.0, out=lib.zeros_like(y)),
    "inplace": lambda lib, x, y: _inplace(x, y),
    "where": lambda lib, x, y: lib.where(x > 2, y, 0.0),
    "where both": lambda lib, x, y: lib.where(x > 2, x, y),
    "where 3": lambda lib, x, y: lib.where(x > 2, 5, y),
    "select": lambda lib, x, y: lib.select([x > 2], [y], 7.0),
    "select default": lambda lib, x, y: lib.select([x > 2], [x], y),
    "select conditions": lambda lib, x, y: lib.select([x > 2, y > 1], [1.0, 2.0], 7.0),
    "choose": lambda lib, x, y: lib.choose((x > 2).astype(int), [x, y]),
    "choose one": lambda lib, x, y: lib.choose((x > 2).astype(int), [5.0, y]),
    "piecewise": lambda lib, x, y: lib.piecewise(x, [y > 2], [1.0, 2.0]),
    "piecewise function": lambda lib, x, y: lib.piecewise(x, [y > 2], [lambda v: v * 2, 2.0]),
    "vstack": lambda lib, x, y: lib.vstack([x, y]),
    "vstack sum": lambda lib, x, y: lib.vstack([x, y]).sum(),
    "vstack sum 0": lambda lib, x, y: lib.vstack([x, y]).sum(axis=0),
    "column_stack": lambda lib, x, y: lib.column_stack([x, y]),
    "column_stack max": lambda lib, x, y: lib.column_stack([x, y]).max(),
    "stack 0": lambda lib, x, y: lib.stack([x, y]),
    "stack 1": lambda lib, x, y: lib.stack([x, y], axis=1),
    "stack 0 sum": lambda lib, x, y: lib.stack([x, y]).sum(),
    "stack 3": lambda lib, x, y: lib.stack([x, x, y]).sum(axis=0),
    "dstack": lambda lib, x, y: lib.dstack([x, y]),
    "block": lambda lib, x, y: lib.block([[x], [y]]),
    "hstack": lambda lib, x, y: lib.hstack([x, y]),
    "concatenate": lambda lib, x, y: lib.concatenate([x, y]).sum(),
    "concatenate 2-d": lambda lib, x, y: lib.concatenate([x[None], y[None]], axis=0).sum(),
    "einsum i,i": lambda lib, x, y: lib.einsum("i,i", x, y),
    "einsum i,i->i": lambda lib, x, y: lib.einsum("i,i->i", x, y),
    "einsum i,j": lambda lib, x, y: lib.einsum("i,j->ij", x, y),
    "dot": lambda lib, x, y: lib.dot(x, y),
    "matmul": lambda lib, x, y: x @ y,
    "matmul rows": lambda lib, x, y: x[None] @ y[:, None],
    "matmul stacks": lambda lib, x, y: x[:, None, None] @ y[:, None, None],
    "vdot": lambda lib, x, y: lib.vdot(x, y),
    "inner": lambda lib, x, y: lib.inner(x, y),
    "outer": lambda lib, x, y: lib.outer(x, y),
    "outer table": lambda lib, x, y: x[:, None] - y[None],
    "tensordot": lambda lib, x, y: lib.tensordot(x, y, 1),
    "compress": lambda lib, x, y: lib.compress(y > 1, x),
    "mask": lambda lib, x, y: x[y > 1],
    "mask sum": lambda lib, x, y: x[y > 1].sum(),
    "extract": lambda lib, x, y: lib.extract(y > 1, x),
    "assign": lambda lib, x, y: _assigned(x, y > 1, -1.0),
    "assign all": lambda lib, x, y: _assigned(x, slice(None), y),
    "assign where": lambda lib, x, y: _assigned(x, x > 1, y),
    "isclose": lambda lib, x, y: lib.isclose(x, y),
    "allclose": lambda lib, x, y: lib.allclose(x, y),
    "average": lambda lib, x, y: lib.average(x, weights=y + 1),
    "interp": lambda lib, x, y: lib.interp(x, [0.0, 9.0], [1.0, 2.0]) + y,
    "full_like": lambda lib, x, y: lib.full_like(x, y),
    "copyto": lambda lib, x, y: lib.nan_to_num(x) * y,
    "cov": lambda lib, x, y: lib.cov(x, y),
    "corrcoef": lambda lib, x, y: lib.corrcoef(x, y),
    "histogram": lambda lib, x, y: lib.histogram(x, [0, 2, 9], weights=y)[0],
    "bincount": lambda lib, x, y: lib.bincount(x.astype(int), weights=y, minlength=20),
    "digitize": lambda lib, x, y: lib.digitize(x, [1.0, 2.0]) + y,
    "isin": lambda lib, x, y: lib.isin(x, y),
    "append": lambda lib, x, y: lib.append(x, y),
    "cumsum": lambda lib, x, y: lib.cumsum(x) + lib.cumsum(y),
    "broadcast_arrays": lambda lib, x, y: lib.broadcast_arrays(x, y)[0],
    "meshgrid": lambda lib, x, y: lib.meshgrid(x, y)[0],
    "gradient": lambda lib, x, y: lib.diff(x, append=y),
    "cross": lambda lib, x, y: lib.hypot(x, y) + lib.arctan2(y, x),
    "frexp": lambda lib, x, y: lib.frexp(x)[0] * y,
    "packed": lambda lib, x, y: lib.logical_and(x > 1, y > 1),
    "argmax where": lambda lib, x, y: lib.count_nonzero((x > 1) & (y > 1)),
    "ptp": lambda lib, x, y: lib.ptp(x * y),
    "vectorize": lambda lib, x, y: lib.where(lib.isnan(x), y, x) * lib.where(lib.isnan(y), x, y),
}

TABLES: dict[str, Call] = {
    "add": lambda lib, x, y: x + y,
    "add a row": lambda lib, x, y: x + y[:, :1],
    "transposed": lambda lib, x, y: x.T * y.T,
    "crossed": lambda lib, x, y: x.sum(axis=1) + y[:, 0],
    "concatenate 1": lambda lib, x, y: lib.concatenate([x, y], axis=1),
    "concatenate 1 sum": lambda lib, x, y: lib.concatenate([x, y], axis=1).sum(axis=0),
    "concatenate 0": lambda lib, x, y: lib.concatenate([x, y], axis=0),
    "concatenate of transposed": lambda lib, x, y: lib.concatenate([x.T, y.T], axis=0).sum(),
    "hstack": lambda lib, x, y: lib.hstack([x, y]),
    "block": lambda lib, x, y: lib.block([[x, y]]),
    "block 2": lambda lib, x, y: lib.block([[x, y], [x, y]]).sum(),
    "stack": lambda lib, x, y: lib.stack([x, y], axis=1),
    "dstack": lambda lib, x, y: lib.dstack([x, y]),
    "matmul": lambda lib, x, y: x.T @ y,
    "matmul outer": lambda lib, x, y: x @ y.T,
    "matmul vector": lambda lib, x, y: x.T @ y[:, 0],
    "matmul of stacks": lambda lib, x, y: x[:, None, :] @ y[:, :, None],
    "einsum ij,ij->j": lambda lib, x, y: lib.einsum("ij,ij->j", x, y),
    "einsum ij,ik->jk": lambda lib, x, y: lib.einsum("ij,ik->jk", x, y),
    "einsum ij,kj->ik": lambda lib, x, y: lib.einsum("ij,kj->ik", x, y),
    "tensordot": lambda lib, x, y: lib.tensordot(x, y, ([0], [0])),
    "dot": lambda lib, x, y: lib.dot(x.T, y),
    "compress": lambda lib, x, y: lib.compress(y[:, 0] > 1, x, axis=0),
    "mask": lambda lib, x, y: x[y[:, 0] > 1],
    "mask 2-d": lambda lib, x, y: x[y > 1],
    "where": lambda lib, x, y: lib.where(x[:, :1] > 1, y, 0),
    "mean where": lambda lib, x, y: lib.sum(x, axis=0, where=y > 1),
    "average": lambda lib, x, y: lib.average(x, axis=0, weights=y + 1),
    "clip": lambda lib, x, y: x.clip(y[:, :1], None),
    "cumsum": lambda lib, x, y: x.cumsum(axis=1) - y.cumsum(axis=1),
    "assign": lambda lib, x, y: _assigned(x, y[:, 0] > 1, 0.0),
}


def _inplace(x: Any, y: Any) -> Any:
    x = x + 0
    x += y
    return x


def _assigned(x: Any, key: Any, value: Any) -> Any:
    x = x + 0
    x[key] = value
    return x


def lazy(lengths: tuple[int, ...], values: np.ndarray) -> Any:
    """`values` in blocks of these lengths, which are not known."""
    room = max(*lengths, 1)
    kept = np.concatenate([np.arange(room) < length for length in lengths])
    whole = np.zeros((len(kept), *values.shape[1:]))
    whole[kept] = values
    return ra.from_array(whole, chunks=(room, *values.shape[1:]))[ra.from_array(kept, chunks=room)]


def found_by(call: Callable[[], Any]) -> Any:
    with np.errstate(all="ignore"):
        result = call()
    return result.compute() if isinstance(result, ra.Array) else result


def fault(call: Call, one: tuple[int, ...], other: tuple[int, ...], columns: tuple[int, ...]) -> str:
    x = np.arange(1.0, 1 + sum(one) * int(np.prod(columns))).reshape(-1, *columns)
    y = np.arange(1.0, 1 + sum(other) * int(np.prod(columns))).reshape(-1, *columns)[::-1] + 0.5
    try:
        expected = found_by(lambda: call(np, x, y))
    except Exception as error:
        expected = error
    try:
        found = found_by(lambda: call(ra, lazy(one, x), lazy(other, y)))
    except Exception as error:
        return fault_of_error(error, expected, one == other)
    if isinstance(expected, Exception):
        return f"{found!r} where NumPy raises {expected!r}"
    same = np.shape(found) == np.shape(expected) and np.allclose(found, expected, equal_nan=True)
    return "" if same else f"{found!r} and not {expected!r}"


def fault_of_error(error: Exception, expected: Any, agrees: bool) -> str:
    """What is wrong with an error: it is plain, and there is none where lengths agree."""
    if type(error) is type(expected) and not isinstance(error, RuntimeError):
        return ""
    if agrees and not isinstance(error, NotImplementedError):
        return f"{error!r} where lengths agree"
    plain = isinstance(error, (ValueError | IndexError | TypeError, NotImplementedError))
    return "" if plain and "partial" not in str(error) and "block [" not in str(error) else f"not plain: {error!r}"


def generated() -> Iterator[tuple[str, Call, tuple[int, ...]]]:
    for title, call in LINES.items():
        yield title, call, ()
    for (title, call), columns in itertools.product(TABLES.items(), ((2,), (1,))):
        yield f"{title} of {columns[0]} columns", call, columns


@pytest.mark.parametrize("one, other", LENGTHS, ids=str)
def test_blocks_meet_as_the_arrays_do(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    faults = [
        f"{title}: {found}" for title, call, columns in generated() if (found := fault(call, one, other, columns))
    ]
    assert not faults, "\n".join(faults)


def test_blocks_that_make_no_array_are_refused_in_plain_words() -> None:
    def ragged(block: np.ndarray) -> np.ndarray:
        return block[:, : 1 + int(block[0, 0]) // 8]

    x = ra.from_array(np.arange(16.0).reshape(4, 4), chunks=(2, 4)).map_blocks(ragged, chunks=((np.nan,) * 2, np.nan))
    for call in (lambda: x, lambda: x.sum(axis=0), lambda: x.compute_chunk_sizes(), lambda: x + x, lambda: x.max(0)):
        with pytest.raises(ValueError, match="do not make an array"):
            np.asarray(call())


def test_a_block_of_another_length_than_promised_is_not_repeated() -> None:
    x = ra.from_delayed(raskt.delayed(np.ones)(1), shape=(3,), dtype=float)
    for call in (lambda: x, lambda: x + 1, lambda: x + np.arange(3.0), lambda: x.sum()):
        with pytest.raises(ValueError, match=r"3|\(3,\)"):
            call().compute()


@pytest.mark.parametrize("shape", [(), (1,), (2,), (3,), (2, 1), (2, 2), (1, 2), (3, 2), (2, 2, 1)], ids=str)
@pytest.mark.parametrize("condition", [(), (1,), (2,), (3,), (2, 1), (2, 2), (1, 2), (2, 2, 1)], ids=str)
def test_pieces_have_the_shape_of_the_array(shape: tuple[int, ...], condition: tuple[int, ...]) -> None:
    x = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    holds = np.asarray(np.arange(np.prod(condition)).reshape(condition) % 2 == 0)
    for pieces in ([5, 6], [np.negative, 6], [np.negative]):
        try:
            expected = np.piecewise(x, [holds], pieces)
        except (IndexError, ValueError) as error:
            with pytest.raises(type(error)):
                ra.piecewise(ra.from_array(x, chunks=1), [ra.from_array(holds, chunks=1)], pieces)
        else:
            found = ra.piecewise(ra.from_array(x, chunks=1), [ra.from_array(holds, chunks=1)], pieces)
            assert found.shape == expected.shape
            np.testing.assert_array_equal(found.compute(), expected)


def test_an_array_keeps_its_shape_when_results_are_written_to_it() -> None:
    x, y = lazy((2, 2), np.ones((4, 2))), lazy((2, 2), np.ones((4, 1)))
    for write in (
        lambda out: ra.add(x, 1, out=out),
        lambda out: ra.add(x[:, 0], 1, out=out),
        lambda out: ra.sum(x, axis=1, out=out),
        lambda out: operator.iadd(out, ra.ones((1, 2))),
    ):
        with pytest.raises(ValueError, match="shape"):
            write(y)
        assert y.compute().shape == (4, 1)
