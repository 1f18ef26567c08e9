"""What depends on a cancelled call is cancelled too."""

from __future__ import annotations

from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from raskt import _core
from raskt.distributed import Client, Future, LocalCluster, as_completed, wait

PATIENCE = 30


def inc(number: int) -> int:
    return number + 1


def waiting(client: Client, number: int) -> Future:
    """A call that nobody can make: it stays as it is."""
    return client.submit(inc, number, resources={"NONE": 1})


def test_calls_that_depend_on_a_cancelled_one_are_cancelled(client: Client) -> None:
    first, other = waiting(client, 1), client.submit(inc, 10)
    second = client.submit(inc, first)
    third = client.submit(sum, [second, other])
    assert third.status == "pending"
    first.cancel()
    wait([second, third], timeout=PATIENCE)
    for future in (first, second, third):
        assert future.cancelled() and future.status == "cancelled" and future.done()
        with pytest.raises(CancelledError):
            future.result(timeout=PATIENCE)
    with pytest.raises(CancelledError):
        client.gather([other, third])
    assert other.result(timeout=PATIENCE) == 11


def test_those_who_wait_for_it_hear_of_it(client: Client) -> None:
    first = client.map(inc, range(3), resources={"NONE": 1})
    readers = client.map(inc, first)
    client.cancel(first[1:])
    done = as_completed(readers, timeout=PATIENCE)
    assert {next(done), next(done)} == set(readers[1:])
    assert readers[0].status == "pending"
    client.cancel(first)
    assert next(done) is readers[0] and readers[0].cancelled()


def test_what_another_client_has_too_is_cancelled_only_by_force(client: Client, cluster: LocalCluster) -> None:
    with Client(cluster, set_as_default=False) as other:
        for force in (False, True):
            future = waiting(client, 1)
            client.publish_dataset(shared=future)
            theirs = other.get_dataset("shared")
            client.unpublish_dataset("shared")
            reader = other.submit(inc, theirs)
            own = client.submit(inc, future)
            client.cancel([future], force=force)
            assert future.cancelled()
            if force:
                wait([reader, theirs, own], timeout=PATIENCE)
                assert reader.cancelled() and theirs.cancelled() and own.cancelled()
            else:
                # What is asked afterwards comes later.
                assert client.submit(inc, 1).result(timeout=PATIENCE) == 2
                assert reader.status == "pending" and theirs.status == "pending"


def test_whoever_leaves_at_once_has_cancelled(client: Client, cluster: LocalCluster) -> None:
    with Client(cluster, set_as_default=False) as other:
        for _ in range(3):
            leaving = Client(cluster, set_as_default=False)
            future = waiting(leaving, 1)
            other.publish_dataset(it=future)
            seen = other.get_dataset("it")
            future.cancel(force=True)
            leaving.close()
            wait([seen], timeout=PATIENCE)
            assert seen.cancelled()
            other.unpublish_dataset("it")


def test_what_was_cancelled_is_not_made_again_without_a_word(client: Client) -> None:
    future = waiting(client, 1)
    failed = client.submit(inc, None)
    wait([failed], timeout=PATIENCE)
    future.cancel()
    for retry in (future.retry, lambda: client.retry([failed, future])):
        with pytest.raises(RuntimeError, match="cancelled isn't made again"):
            retry()
    assert failed.status == "error" and future.cancelled()
    failed.release()
    with pytest.raises(CancelledError):
        failed.retry()


def test_why_it_was_cancelled_is_told(client: Client) -> None:
    future = waiting(client, 1)
    again = client.gather([client.submit(inc, 1)]) and future
    assert future.cancel(reason="too late", msg="nobody waits any more")
    assert not future.cancel(reason="another")
    with pytest.raises(CancelledError, match=f"{future.key}: too late: nobody waits any more"):
        again.result()
    with pytest.raises(TypeError):
        waiting(client, 1).cancel(reason=3)


def test_many_are_retried_together(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reads(number: int) -> int:
        return number + len((tmp_path / "told").read_text())

    futures = client.map(reads, range(300))
    readers = client.map(inc, futures)
    alone = [client.submit(reads, number) for number in range(3)]
    wait([*futures, *readers, *alone], timeout=PATIENCE)
    assert {future.status for future in (*futures, *readers, *alone)} == {"error"}
    (tmp_path / "told").write_text("x")
    told: list[int] = []

    def counted(futures: list[Future]) -> None:
        told.append(len(futures))
        retry(futures)

    retry = _core.cluster_retry
    monkeypatch.setattr(_core, "cluster_retry", counted)
    client.retry([readers, alone, alone, readers[0]])
    # Not one by one: each looks at all of its run.
    assert told == [307]
    assert client.gather([*readers, *alone]) == [*range(2, 302), *range(1, 4)]
    client.retry([])
