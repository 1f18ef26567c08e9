"""What every test starts from."""

from __future__ import annotations

import gc
import signal
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

# A shell's background job ignores Ctrl-C, and so does every process that it starts: tests of Ctrl-C would
# wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--travel", action="store_true", help="send all graphs, data and results through their wire forms")
    parser.addoption("--cluster", action="store_true", help="compute everything on a cluster of two worker processes")
    parser.addoption("--share", type=int, default=1, help="run one of so many tests: always the same ones")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--travel"):
        from raskt import _core

        _core._travel_always(True)


KNOWN_ON_CLUSTERS = Path(__file__).with_name("known_on_clusters.txt")
"""The tests that fail on clusters by faults that are known."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On a cluster there is nothing to be seen in this process of what tasks do."""
    share = config.getoption("--share")
    if share > 1:
        is_chosen = [zlib.crc32(_name(item).encode()) % share == 0 for item in items]
        config.hook.pytest_deselected(items=[item for item, chosen in zip(items, is_chosen, strict=True) if not chosen])
        items[:] = [item for item, chosen in zip(items, is_chosen, strict=True) if chosen]
    if not config.getoption("--cluster"):
        return
    known = {line.strip().removeprefix("tests/") for line in KNOWN_ON_CLUSTERS.read_text().splitlines()}
    for item in items:
        if item.get_closest_marker("own_process"):
            item.add_marker(pytest.mark.skip(reason="it watches its own process, and tasks run in others"))
        elif _name(item) in known:
            item.add_marker(pytest.mark.xfail(strict=True, reason="a fault that is known: see known_on_clusters.txt"))


REFUSED = ("can't be sent to another process", "can't run in another process", "of this process, which can't be sent")
"""What is said of what only this process can do: writing into its arrays, functions that can't be pickled."""


def pytest_collection_finish() -> None:
    """A collection of garbage in a test leaves the tests themselves alone, of which there are tens of thousands."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What clusters refuse in a sentence is no fault of theirs: the test is skipped with it."""
    report = yield
    if item.config.getoption("--cluster") and call.excinfo is not None and report.outcome == "failed":
        told = [str(call.excinfo.value), *getattr(call.excinfo.value, "__notes__", ())]
        if any(sentence in line for line in told for sentence in REFUSED):
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1] or 0, f"refused: {told[0]}")
    return report


def _name(item: pytest.Item) -> str:
    """The test's name, from wherever it is run."""
    return item.nodeid.rpartition("tests/")[2]


@pytest.fixture(scope="session", autouse=True)
def cluster_for_all(request: pytest.FixtureRequest) -> Iterator[None]:
    """The cluster of `--cluster`."""
    if not request.config.getoption("--cluster"):
        yield
        return
    from raskt.distributed import Client

    with Client(n_workers=2, threads_per_worker=1):
        yield
