"""What depends on a cancelled call is cancelled too."""

from __future__ import annotations

from concurrent.futures import CancelledError

import pytest

from raskt.distributed import Client, LocalCluster, as_completed, wait

PATIENCE = 30


def inc(number: int) -> int:
    return number + 1


def waiting(client: Client, number: int) -> object:
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
