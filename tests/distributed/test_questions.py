"""What a client asks about its cluster, and has workers do beside their tasks."""

from __future__ import annotations

import gzip
import json
import logging
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import raskt
import raskt.array as ra
from raskt.distributed import Client, LocalCluster, get_client, performance_report, span, wait
from raskt.distributed._reports import get_task_stream


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """One of its own: what names hold for other tests counts among its results, too."""
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster:
        yield cluster


def slow(path: str) -> str:
    """Holds its thread until a file is there."""
    while not Path(path).exists():
        time.sleep(0.005)
    return "done"


def until(condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def names(client: Client) -> list[str]:
    return list(client.nthreads())


def test_workers_answer_while_tasks_hold_all_their_threads(client: Client, tmp_path: Path) -> None:
    futures = client.map(slow, [str(tmp_path / "go")] * 6)
    until(lambda: all(client.processing().values()))
    assert client.run(pow, 2, 5) == dict.fromkeys(names(client), 32)

    def is_shown() -> bool:
        stacks = client.call_stack()
        assert sorted(stacks) == sorted(names(client))
        lines = [line for threads in stacks.values() for stack in threads.values() for line in stack]
        return any("in slow" in line for line in lines)

    until(is_shown)
    until(lambda: sum(about["metrics"]["executing"] for about in client.scheduler_info()["workers"].values()) >= 2)
    (tmp_path / "go").touch()
    assert client.gather(futures) == ["done"] * 6


def raises() -> None:
    raise KeyError("as was asked for")


def test_what_calls_on_workers_raise_comes_as_was_asked_for(client: Client) -> None:
    with pytest.raises(KeyError, match="as was asked for"):
        client.run(raises)
    returned = client.run(raises, on_error="return")
    assert {type(error) for error in returned.values()} == {KeyError}
    assert client.run(raises, on_error="ignore") == {}
    assert client.run(raises, wait=False) is None
    with pytest.raises(RuntimeError, match="SystemExit"):
        client.run(sys.exit)
    with pytest.raises(ValueError, match="there is no worker 'nobody'"):
        client.run(raises, workers=["nobody"])
    with pytest.raises(ValueError, match="on_error is 'what'"):
        client.run(raises, on_error="what")


async def thrice(number: int) -> int:
    return 3 * number


def test_calls_may_be_large_and_coroutines_and_of_some_workers(client: Client) -> None:
    first = names(client)[0]
    assert client.run(thrice, 4, workers=[first]) == {first: 12}
    address = next(
        about["addresses"][0] for about in client.scheduler_info()["workers"].values() if about["name"] == first
    )
    assert client.run(len, bytes(20 << 20), workers=address) == {first: 20 << 20}
    assert client.run(bytes, 10 << 20, workers=[first])[first] == bytes(10 << 20)
    with pytest.raises(RuntimeError, match="may be"):
        client.run(len, bytes(60 << 20))
    with pytest.raises(ValueError, match="may be"):
        client.run(bytes, 60 << 20, workers=[first])


def test_results_are_found(client: Client) -> None:
    futures = [client.submit(bytes, size, key=f"bytes-of-{size}") for size in (1000, 3000)]
    failed = client.submit(raises, key="raised")
    wait([*futures, failed])
    held = client.who_has(futures)
    assert list(held) == ["bytes-of-1000", "bytes-of-3000"]
    assert all(len(workers) == 1 and workers[0] in names(client) for workers in held.values())
    assert client.who_has(failed) == {"raised": []}
    # Those of clients that have just left go as well.
    until(lambda: len(client.who_has()) == 2)
    assert sum(map(len, client.has_what().values())) == 2
    sizes = client.nbytes(futures, summary=False)
    assert list(sizes) == ["bytes-of-1000", "bytes-of-3000"]
    assert all(size > 0 for size in sizes.values())
    assert sum(client.nbytes().values()) == sum(client.nbytes(summary=False).values())
    assert client.waiting() == 0
    stories = client.story(*futures, failed)
    assert [(key, state) for key, state, *_ in stories] == [
        ("bytes-of-1000", "memory"),
        ("bytes-of-3000", "memory"),
        ("raised", "erred"),
    ]
    info = client.scheduler_info()
    assert info["n_workers"] == 2
    assert sum(about["metrics"]["in_memory"] for about in info["workers"].values()) == 2
    assert len(client.scheduler_info(1)["workers"]) == 1


def test_versions_and_dumps_are_written(client: Client, tmp_path: Path) -> None:
    versions = client.get_versions(check=True, packages=["pytest", "no-such-package"])
    assert sorted(versions["workers"]) == sorted(names(client))
    assert {about["packages"]["pytest"] for about in versions["workers"].values()} == {pytest.__version__}
    assert versions["client"]["packages"]["no-such-package"] is None
    future = client.submit(abs, -1)
    wait(future)
    until(lambda: len(client.who_has()) == 1)
    client.dump_cluster_state(str(tmp_path / "dump"), format="yaml", exclude=["log"])
    dump = json.loads((tmp_path / "dump.yaml").read_text())
    assert sorted(dump) == ["results", "runs", "scheduler", "versions", "workers"]
    assert len(dump["results"]) == 1
    msgpack = pytest.importorskip("msgpack")
    client.dump_cluster_state(str(tmp_path / "dump"))
    packed = msgpack.unpackb(gzip.decompress((tmp_path / "dump.msgpack.gz").read_bytes()))
    assert packed["results"] == dump["results"]
    with pytest.raises(ValueError, match="exclude names 'x'"):
        client.dump_cluster_state(exclude=["x"])
    with pytest.raises(NotImplementedError):
        client.dump_cluster_state(write_from_scheduler=True)


def warn(words: str) -> None:
    logging.getLogger("tests.here").warning(words)


def test_logs_are_kept(client: Client) -> None:
    client.run(warn, "something odd")
    logs = client.get_worker_logs(1)
    assert [[level for level, _ in lines] for lines in logs.values()] == [["WARNING"], ["WARNING"]]
    assert all("something odd" in lines[0][1] for lines in logs.values())
    assert any("has joined" in line for _, line in client.get_scheduler_logs())
    assert len(client.get_scheduler_logs(1)) == 1
    with pytest.raises(NotImplementedError):
        client.get_worker_logs(nanny=True)


def busy(stop: str) -> None:
    while not Path(stop).exists():
        sum(range(1000))


def test_threads_are_looked_at_when_somebody_asks(client: Client, tmp_path: Path) -> None:
    future = client.submit(busy, str(tmp_path / "stop"))
    until(lambda: any(client.processing().values()))
    tree = client.profile(seconds=0.2)
    (tmp_path / "stop").touch()
    future.result()

    def descriptions(node: dict[str, Any]) -> list[str]:
        return [node["description"], *(name for child in node["children"].values() for name in descriptions(child))]

    assert tree["count"] > 0
    assert any(name.startswith("busy (") for name in descriptions(tree))
    with pytest.raises(NotImplementedError):
        client.profile(plot=True)
    with pytest.raises(ValueError, match="seconds is 0"):
        client.profile(seconds=0)


def test_what_was_run_is_shown(client: Client, tmp_path: Path) -> None:
    with performance_report(tmp_path / "report.html"), get_task_stream(client) as stream:
        client.gather(client.map(abs, range(20)))
        wait(client.submit(raises))
    assert sum(row["tasks"] for row in stream.data) == 21
    assert {row["status"] for row in stream.data} == {"OK", "error"}
    assert len(client.get_task_stream(count=1)) == 1
    page = (tmp_path / "report.html").read_text()
    assert "<th>Tasks</th><td>21</td>" in page
    assert page.count("<rect") == len(stream.data)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_what_belongs_to_a_span_is_told(client: Client, tmp_path: Path) -> None:
    with performance_report(tmp_path / "report.html"), get_task_stream(client) as stream:
        with span("weekly") as outer:
            client.submit(abs, -1).result()
            with span("load", "parse") as inner, raskt.annotate(priority=3):
                client.gather(client.map(abs, range(-5, 0), priority=1))
                (ra.ones(10, chunks=5) + 1).sum().compute()
                client.submit(raises).exception()
        client.submit(abs, -7).result()
        with raskt.annotate(span="mine"):
            client.submit(abs, -8).result()
    found = {row["span_id"]: row["span"] for row in stream.data}
    assert found[outer] == ("weekly",) and found[inner] == ("weekly", "load", "parse")
    spans = {row["span"] for row in stream.data}
    assert spans == {("weekly",), ("weekly", "load", "parse"), (), ("mine",)}
    counts = Counter({row["span"]: 0 for row in stream.data})
    for row in stream.data:
        counts[row["span"]] += row["tasks"]
    assert counts["weekly",] == 1 and counts[()] == 1 and counts["mine",] == 1
    page = (tmp_path / "report.html").read_text()
    for line in ("Span weekly", "Span weekly / load", "Span weekly / load / parse", "Span mine"):
        assert f"<th>{line}</th>" in page
    # Nothing of it stays.
    with get_task_stream(client) as after:
        client.submit(abs, -9).result()
    assert [(row["span"], row["span_id"]) for row in after.data] == [((), None)]


@pytest.mark.parametrize("tags", [(), (5,), ("",), ("a", None), ("x" * 600,)])
def test_a_span_is_called_by_texts(tags: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"span\("), span(*tags):
        pass


def test_what_has_just_ended_is_not_shown(client: Client) -> None:
    for number in range(50):
        client.submit(abs, -number, pure=False).result()
        with get_task_stream(client) as stream:
            pass
        assert stream.data == []


def test_a_scheduler_file_leads_others_here(client: Client, tmp_path: Path) -> None:
    client.write_scheduler_file(tmp_path / "scheduler.json")
    with Client(scheduler_file=tmp_path / "scheduler.json", set_as_default=False) as other:
        assert other.submit(abs, -3).result() == 3
    assert (tmp_path / "scheduler.json").stat().st_mode & 0o077 == 0


def test_a_client_that_was_told_the_address_alone_writes_what_it_has_found(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    with Client(client._address, set_as_default=False) as found:
        found.write_scheduler_file(file)
    assert json.loads(file.read_text())["token_file"] == str(client.cluster.security.token_file)  # type: ignore[union-attr]
    with Client(scheduler_file=file, set_as_default=False) as other:
        assert other.submit(abs, -3).result() == 3


def test_a_client_of_a_task_writes_no_scheduler_file(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    with pytest.raises(RuntimeError, match="client of a task has no file of its own with a token"):
        client.submit(lambda: get_client().write_scheduler_file(file)).result()
    assert not file.exists()


def test_many_ask_at_a_time(client: Client) -> None:
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(client.run(abs, -1))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [dict.fromkeys(names(client), 1)] * 20


def test_an_asynchronous_client_gives_what_is_awaited(cluster: LocalCluster) -> None:
    import asyncio

    async def asked() -> Any:
        async with Client(cluster, asynchronous=True, set_as_default=False) as client:
            info = await client.scheduler_info()
            future = client.submit(abs, -3, key="three")
            await future
            return info["n_workers"], await client.run(abs, -2), await client.who_has(future)

    count, ran, held = asyncio.run(asked())
    assert (count, set(ran.values()), list(held)) == (2, {2}, ["three"])
