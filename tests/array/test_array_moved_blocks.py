"""Slices, new cuts, positions, arrays joined: whatever moves blocks about gives what NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check


def _cut(rng: np.random.Generator, length: int) -> tuple[int, ...]:
    """Lengths of blocks: even, uneven, with some that have no element."""
    if rng.random() < 0.4 and length:
        chunk = int(rng.integers(1, length + 1))
        return (chunk,) * (length // chunk) + ((length % chunk,) if length % chunk else ())
    ends = np.sort(rng.integers(0, length + 1, rng.integers(0, 4)))
    return tuple(int(part) for part in np.diff(np.concatenate([[0], ends, [length]])))


def _source(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    """An array of up to four axes that is in memory, kept by a store, or made by a function of blocks."""
    shape = tuple(
        int(length) for length in rng.choice([0, 1, 2, 3, 5, 8, 13], rng.integers(1, 5), p=[0.02, 0.08, *[0.18] * 5])
    )
    values = rng.permutation(int(np.prod(shape))).reshape(shape)
    x = ra.from_array(values, chunks=tuple(_cut(rng, length) for length in shape))
    match rng.integers(4):
        case 0:
            return x, values
        case 1:
            return x.persist(), values
        case 2:
            return x + 1, values + 1
        case _:
            return x.map_blocks(lambda block: block * 2, dtype=x.dtype), values * 2


def _slice(rng: np.random.Generator, length: int) -> slice:
    step = int(rng.choice([1, 1, 2, 3, 7, -1, -2, -5]))
    bounds = [None if rng.random() < 0.4 else int(rng.integers(-length - 1, length + 2)) for _ in range(2)]
    return slice(*bounds, step)


def _positions(rng: np.random.Generator, length: int) -> np.ndarray:
    positions = rng.integers(-length, length, rng.integers(1, 9)) if length else np.zeros(0, int)
    match rng.integers(4):
        case 0:
            return np.sort(positions % max(length, 1))
        case 1:
            return np.sort(positions % max(length, 1))[::-1].copy()
        case 2:
            return np.arange(length)[:: int(rng.choice([1, 2, 3, -1, -2]))].copy()
        case _:
            return positions


def _step(rng: np.random.Generator, x: Any, n: np.ndarray) -> tuple[str, Any, np.ndarray]:
    axis = int(rng.integers(n.ndim))
    kind = str(rng.choice(["slice", "rechunk", "take", "concatenate", "stack", "turn", "point"]))
    match kind:
        case "slice":
            key: tuple[Any, ...] = tuple(_slice(rng, length) for length in n.shape)
            return f"[{key}]", x[key], n[key]
        case "rechunk":
            chunks = tuple(_cut(rng, length) for length in n.shape)
            return f".rechunk({chunks})", x.rechunk(chunks), n
        case "take":
            positions = _positions(rng, n.shape[axis])
            return f".take({positions}, {axis})", ra.take(x, positions, axis), np.take(n, positions, axis)
        case "concatenate":
            keys = [(slice(None),) * axis + (_slice(rng, n.shape[axis]),) for _ in range(rng.integers(1, 4))]
            ours = ra.concatenate([x, *(x[key] for key in keys)], axis)
            return f"concatenate({keys})", ours, np.concatenate([n, *(n[key] for key in keys)], axis)
        case "stack" if n.ndim < 4:
            turned = (slice(None),) * axis + (slice(None, None, -1),)
            return "stack", ra.stack([x, x[turned], x], axis), np.stack([n, n[turned], n], axis)
        case "point" if n.ndim > 1 and n.shape[axis]:
            key = (slice(None),) * axis + (int(rng.integers(-n.shape[axis], n.shape[axis])),)
            return f"[{key}]", x[key], n[key]
        case _:
            axes = tuple(int(axis) for axis in rng.permutation(n.ndim))
            return f".transpose({axes})", x.transpose(axes), n.transpose(axes)


@pytest.mark.parametrize("seed", range(300))
def test_blocks_that_are_moved_again_and_again(seed):
    rng = np.random.default_rng(seed)
    x, n = _source(rng)
    story = f"{n.shape} in {x.chunks}"
    for _ in range(rng.integers(1, 5)):
        told, x, n = _step(rng, x, n)
        story += told
        if n.size > 20_000:
            break
    print(story)  # Shown if it fails.
    check(x, n)


@pytest.mark.parametrize("kind", ["memory", "computed", "kept", "mixed"])
@pytest.mark.parametrize("axis", [0, 1])
def test_many_arrays_are_joined(kind, axis):
    values = [np.full((2, 3), at) for at in range(500)]
    arrays = [ra.from_array(value) for value in values]
    if kind in ("computed", "mixed"):
        arrays = [x + 1 if kind == "computed" or at % 3 else x for at, x in enumerate(arrays)]
        values = [value + 1 if kind == "computed" or at % 3 else value for at, value in enumerate(values)]
    if kind == "kept":
        arrays = [x.persist() for x in arrays]
    check(ra.concatenate(arrays, axis), np.concatenate(values, axis))
    check(ra.stack(arrays, axis), np.stack(values, axis))
    check(ra.concatenate(arrays, axis)[::-3, 1::2], np.concatenate(values, axis)[::-3, 1::2])
    check(ra.stack(arrays[:40] * 2, axis).sum(axis=axis), np.stack(values[:40] * 2, axis).sum(axis=axis))


def test_slices_of_many_blocks_list_none_of_them():
    x = ra.ones((10**6, 10**6), chunks=(100, 100)).map_blocks(lambda block: block)
    for y in (x[::-2, 3::5], x.rechunk((70, 130)), ra.concatenate([x, x[::-1]]), ra.stack([x, x]), x[:, 17:19]):
        assert "blocks" in y.explain()
    assert float(ra.take(x[::-3, 5::7], np.arange(150), axis=1)[1000:1300, :150].sum().compute()) == 300 * 150
