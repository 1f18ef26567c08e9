"""All that these tests compute travels: graphs, data and results go through the forms that another process has."""

from __future__ import annotations

import pytest

from raskt import _core


@pytest.fixture(autouse=True)
def travelling(request):
    """The trial mode, for the time of a test."""
    _core._travel_always(True)
    yield
    _core._travel_always(request.config.getoption("--travel"))
