"""Arrays are told apart by what they hold, however it lies in memory and whatever views are taken of it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import raskt
import raskt.array as ra

VALUES = np.arange(24).reshape(4, 6)
LAYOUTS = {
    "C": lambda x: np.ascontiguousarray(x),
    "Fortran": lambda x: np.asfortranarray(x),
    "reversed": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "reversed columns": lambda x: np.ascontiguousarray(x[:, ::-1])[:, ::-1],
    "every second": lambda x: np.repeat(x, 2, axis=0)[::2],
    "part": lambda x: np.pad(x, 2)[2:-2, 2:-2],
    "turned": lambda x: np.ascontiguousarray(x.T).T,
}
DATA = {
    "rising": VALUES,
    "falling": VALUES[::-1].copy(),
    "columns": VALUES[:, ::-1].copy(),
    "by column": VALUES.reshape(6, 4).T.copy(),
    "narrow": VALUES.astype("i4"),
}
VIEWS = {
    "whole": lambda x: x,
    "reversed": lambda x: x[::-1],
    "columns": lambda x: x[:, ::-1],
    "turned": lambda x: x.T,
    "part": lambda x: x[1:3],
    "both": lambda x: x[::-1, ::-1],
}


@pytest.mark.parametrize(("data", "other"), list(itertools.product(DATA, repeat=2)))
def test_views_of_arrays_of_any_layout_are_told_apart(data, other):
    cases = list(itertools.product(LAYOUTS, VIEWS))
    rng = np.random.default_rng(list(DATA).index(data) * 10 + list(DATA).index(other))
    for at, to in zip(rng.permutation(len(cases)), rng.permutation(len(cases)), strict=True):
        ours, expected = [], []
        for name, (layout, view) in ((data, cases[at]), (other, cases[to])):
            held = LAYOUTS[layout](DATA[name])
            ours.append(VIEWS[view](ra.asarray(held)))
            expected.append(VIEWS[view](DATA[name]))
        for found, wanted in zip(raskt.compute(*ours), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype
        if expected[0].shape == expected[1].shape:
            np.testing.assert_array_equal((ours[0] - ours[1]).compute(), expected[0] - expected[1])
            assert bool((ours[0] == ours[1]).all()) == bool((expected[0] == expected[1]).all())
