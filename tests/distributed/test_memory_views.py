"""Views of memory come back as they are, with format, shape and whether they may be written to."""

from __future__ import annotations

import array

import pytest

from raskt.distributed import Client

PATIENCE = 60

VIEWS = {
    "bytes": lambda: memoryview(b"abc"),
    "nothing": lambda: memoryview(b""),
    "every other": lambda: memoryview(b"abcdef")[::2],
    "written to": lambda: memoryview(bytearray(b"abc")),
    "numbers": lambda: memoryview(array.array("d", [1.5, 2.5])),
    "rows": lambda: memoryview(bytes(range(6))).cast("B", [2, 3]),
    "a number": lambda: memoryview(bytes(8)).cast("d", []),
    "much": lambda: memoryview(bytes(1 << 20)).cast("I"),
}


@pytest.fixture(scope="module")
def client():
    with Client(n_workers=1, threads_per_worker=1, set_as_default=False) as client:
        yield client


def about(view):
    return view.format, view.shape, view.readonly, view.tobytes()


@pytest.mark.parametrize("kind", VIEWS)
def test_views_travel_as_they_are(client, kind):
    view = VIEWS[kind]()
    assert client.submit(about, view).result(PATIENCE) == about(view)
    assert about(client.submit(lambda: VIEWS[kind]()).result(PATIENCE)) == about(view)


def test_what_no_view_can_be_made_of_elsewhere_is_refused(client):
    import numpy as np

    for view in (memoryview(array.array("d")), memoryview(np.zeros(2, ">i4"))):
        with pytest.raises(TypeError, match=r"a memoryview of format .* can't be sent to another process"):
            client.submit(about, view).result(PATIENCE)
