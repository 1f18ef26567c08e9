"""What every test starts from."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

# A shell's background job ignores Ctrl-C, and so does every process that it starts: tests of Ctrl-C would
# wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--travel", action="store_true", help="send all graphs, data and results through their wire forms")
    parser.addoption("--cluster", action="store_true", help="compute everything on a cluster of two worker processes")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--travel"):
        from raskt import _core

        _core._travel_always(True)


KNOWN_ON_CLUSTERS = Path(__file__).with_name("known_on_clusters.txt")
"""The tests that fail on clusters by faults that are known."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On a cluster there is nothing to be seen in this process of what tasks do."""
    if not config.getoption("--cluster"):
        return
    known = {line.strip().removeprefix("tests/") for line in KNOWN_ON_CLUSTERS.read_text().splitlines()}
    for item in items:
        if item.get_closest_marker("own_process"):
            item.add_marker(pytest.mark.skip(reason="it watches its own process, and tasks run in others"))
        elif item.nodeid.rpartition("tests/")[2] in known:
            item.add_marker(pytest.mark.xfail(strict=True, reason="a fault that is known: see known_on_clusters.txt"))


@pytest.fixture(scope="session", autouse=True)
def cluster_for_all(request: pytest.FixtureRequest) -> Iterator[None]:
    """The cluster of `--cluster`."""
    if not request.config.getoption("--cluster"):
        yield
        return
    from raskt.distributed import Client

    with Client(n_workers=2, threads_per_worker=1):
        yield
