"""How arrays look; nothing is computed for it."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import raskt.array as ra


@pytest.fixture
def never():
    """An array that cannot be computed."""

    def fail(block):
        raise AssertionError("a repr computed")

    return ra.ones((10, 10), chunks=5).map_blocks(fail, dtype=float)


def test_text():
    x = ra.ones((10, 10), chunks=(5, 5))
    assert repr(x + 1) == "raskt.array<add, shape=(10, 10), dtype=float64, chunksize=(5, 5), type=numpy>"
    assert "shape=(nan,)" in repr(x[x > 1])
    assert "shape=()" in repr(x.sum())


def test_nothing_is_computed(never):
    repr(never)
    never._repr_html_()
    never.explain()
    never.to_svg()


@pytest.mark.parametrize(
    "x",
    [
        ra.ones(10, chunks=3),
        ra.ones((10, 20), chunks=(3, 7)),
        ra.ones((4, 5, 6), chunks=2),
        ra.ones((2, 3, 4, 5, 6), chunks=2),
        ra.ones((0, 3)),
        ra.ones((1_000_000, 1_000_000), chunks=1000),
        ra.ones((1, 10**9), chunks=10**6),
    ],
    ids=lambda x: str(x.shape),
)
def test_drawings_are_well_formed_and_small(x):
    drawing = x.to_svg()
    ElementTree.fromstring(drawing)
    assert len(drawing) < 50_000
    assert drawing in x._repr_html_()
    ElementTree.fromstring(x._repr_html_())


def test_tables_say_what_the_array_is():
    html = ra.ones((1000, 1000), chunks=(100, 1000), dtype="f4")._repr_html_()
    for fact in ("3.81 MiB", "390.62 kiB", "(1000, 1000)", "(100, 1000)", "10 chunks", "float32"):
        assert fact in html, fact


def test_tables_of_unknown_lengths():
    x = ra.ones(10, chunks=5)
    html = x[x > 0]._repr_html_()
    assert "unknown" in html
    assert "<svg" not in html
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        x[x > 0].to_svg()


def test_a_number_has_no_drawing():
    assert "<svg" not in ra.ones(3).sum()._repr_html_()


def test_explain_shows_what_is_native():
    x = ra.ones((10, 10), chunks=5)
    text = (ra.sinc(x) + 1).sum().explain()
    assert "numpy.sinc" in text
    assert "python" in text.lower()
    assert "tasks" in text
    assert "python" not in (x + 1).sum().explain().lower()


def test_sizes():
    x = ra.ones((10, 4), chunks=(3, 2), dtype="f4")
    assert (x.ndim, x.size, x.nbytes, x.itemsize) == (2, 40, 160, 4)
    assert (x.chunksize, x.numblocks, x.npartitions) == ((3, 2), (4, 2), 8)
    assert x.dtype == np.float32
