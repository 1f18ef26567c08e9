"""Futures that are pickled, and futures of one client with another."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import time

import pytest

from raskt import delayed
from raskt.distributed import CancelledError, Client, Future, LocalCluster, get_client, wait


class Box:
    """Something that isn't looked through for futures."""

    def __init__(self, future):
        self.future = future


@pytest.fixture
def other(cluster):
    with Client(cluster, set_as_default=False) as other:
        other.wait_for_workers(2)
        yield other


def test_a_pickled_future_is_the_same_one_where_it_was_made(client):
    future = client.submit(pow, 2, 10, key="kilo")
    for again in (pickle.loads(pickle.dumps(future)), copy.copy(future), copy.deepcopy([future])[0]):
        assert type(again) is Future and again == future and hash(again) == hash(future)
        assert (again.key, again.result(), again.client) == ("kilo", 1024, client)


def test_a_future_that_is_pickled_keeps_its_result_elsewhere(client, other):
    future = client.submit(lambda: list(range(1000)))
    with other.as_current():
        taken = pickle.loads(pickle.dumps(future))
    # Bound by which cluster it is of, and to the current client of that.
    assert taken.client is other
    future.release()
    client.close()
    assert taken.result() == list(range(1000))
    assert other.submit(len, taken).result() == 1000
    assert other.submit(len, pickle.loads(pickle.dumps(taken))).result() == 1000


def test_a_future_of_one_client_in_a_call_of_another(client, other):
    future = client.submit(lambda: [1, 2, 3])
    total = other.submit(sum, future)
    both = other.submit(lambda values: [sum(each) for each in values], [future, future])
    later = other.compute(delayed(sum)(future))
    assert delayed(sum)(future).compute(scheduler=other) == 6
    future.release()
    client.close()
    assert (total.result(), both.result(), later.result()) == (6, [6, 6], 6)


def test_a_failed_future_fails_elsewhere_with_the_same(client, other):
    failed = client.submit(lambda: {}["missing"])
    wait(failed)
    with other.as_current():
        taken = pickle.loads(pickle.dumps(failed))
    with pytest.raises(KeyError, match="missing"):
        taken.result()
    with pytest.raises(KeyError, match="missing"):
        other.submit(abs, failed).result()


def test_a_pending_future_is_waited_for_elsewhere(client, other):
    future = client.submit(lambda: time.sleep(0.1) or 7)
    with other.as_current():
        taken = pickle.loads(pickle.dumps(future))
    assert taken.result(timeout=30) == 7


def test_futures_in_objects_are_futures_in_tasks(client):
    def reads(box):
        return type(box.future).__name__, box.future.result()

    assert client.submit(reads, Box(client.submit(abs, -3))).result() == ("Future", 3)
    # Nobody here holds it when the task reads it.
    assert client.gather(client.map(reads, [Box(client.submit(abs, -n)) for n in range(5)])) == [
        ("Future", n) for n in range(5)
    ]


def test_a_task_may_return_futures(client):
    def makes():
        return get_client().map(abs, [-1, -2])

    assert client.gather(client.submit(makes).result()) == [1, 2]
    futures = client.submit(makes)
    assert client.submit(lambda futures: [each.result() for each in futures], futures).result() == [1, 2]


def test_a_future_in_a_closure(client):
    future = client.submit(abs, -9)
    assert client.submit(lambda: future.result() + 1).result() == 10


def test_a_released_future_is_a_cancelled_one_elsewhere(client, other):
    future = client.submit(abs, -1)
    pickled = pickle.dumps(future)
    future.result()
    future.release()
    assert pickle.loads(pickle.dumps(future)).status == "cancelled"
    client.close()
    deadline = time.monotonic() + 30
    with other.as_current():
        # The scheduler may not have heard yet that it was released.
        while (taken := pickle.loads(pickled)).status != "cancelled":
            assert time.monotonic() < deadline
            del taken
    with pytest.raises(CancelledError):
        taken.result()


def test_a_future_where_there_is_no_client(client, tmp_path):
    future = client.submit(abs, -6)
    (tmp_path / "future").write_bytes(pickle.dumps(future))
    program = """
import pickle, sys
from raskt.distributed import Client, Security
future = pickle.load(open(sys.argv[1], "rb"))
assert future.status == "pending" and future.client is None
assert pickle.loads(pickle.dumps(future)).key == future.key
try:
    future.result()
except RuntimeError as error:
    assert "bind_client" in str(error), error
with Client(sys.argv[2], security=Security(token_file=sys.argv[3])) as client:
    future.bind_client(client)
    future.bind_client(client)
    print(future.result(), future.client is client, future.status)
"""
    token = client.cluster.security.token_file
    arguments = [str(tmp_path / "future"), client._address, str(token)]
    ran = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ("6 True finished\n", "")


def test_a_future_of_another_cluster_is_not_bound(client):
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False) as cluster:
        with Client(cluster, set_as_default=False) as stranger:
            future = stranger.submit(abs, -2)
            future.result()
            pickled = pickle.dumps(future)
            # It is fetched, and sent.
            assert client.submit(abs, future).result() == 2
    taken = pickle.loads(pickled)
    with pytest.raises(RuntimeError, match="no client of its cluster"):
        taken.result()
    with pytest.raises(ValueError, match="another cluster"):
        taken.bind_client(client)


def test_what_a_future_says_of_itself(client):
    future = client.submit(dict, a=1)
    wait(future)
    assert future.type is dict
    assert future.client is client and future.executor is client
    failed = client.submit(lambda: 1 / 0)
    wait(failed)
    assert failed.type is None
