"""Callbacks of futures: they may wait for whatever they like, and fail."""

from __future__ import annotations

import logging
import threading

from raskt.distributed import Client, wait

PATIENCE = 60


class Counter:
    n = 0

    def increment(self):
        self.n += 1
        return self.n


def come(call):
    """What `call(done)` hands to `done`."""
    over, came = threading.Event(), []

    def done(result):
        came.append(result)
        over.set()

    call(done)
    assert over.wait(PATIENCE)
    return came[0]


def test_callbacks_may_wait_for_other_futures_actors_and_executors(client: Client):
    first = client.submit(abs, -1)
    others = client.map(abs, range(5))
    counter = client.submit(Counter, actor=True).result()

    def asks(done, ask):
        first.add_done_callback(lambda _: done(ask()))

    assert come(lambda done: asks(done, lambda: client.gather(others))) == [0, 1, 2, 3, 4]
    assert come(lambda done: asks(done, lambda: client.submit(pow, 2, 5).result(PATIENCE))) == 32
    assert come(lambda done: asks(done, lambda: counter.increment().result(PATIENCE))) == 1
    assert come(lambda done: asks(done, lambda: counter.n)) == 1
    with client.get_executor() as executor:
        assert come(lambda done: asks(done, lambda: executor.submit(pow, 3, 2).result(PATIENCE))) == 9
    assert come(lambda done: asks(done, lambda: len(client.nthreads()))) == 2
    assert come(lambda done: asks(done, lambda: len(wait(others).done))) == 5


def test_one_that_waits_for_ever_keeps_nothing_else_from_going_on(client: Client):
    let_go = threading.Event()
    stuck = [client.submit(abs, -number) for number in range(5)]
    for future in stuck:
        future.add_done_callback(lambda _: let_go.wait())
    try:
        assert come(lambda done: client.submit(abs, -7).add_done_callback(lambda f: done(f.result()))) == 7
        assert client.gather(client.map(abs, range(100))) == list(range(100))
        gone = client.submit(abs, -8)
        wait(gone)
        assert len(client.who_has(gone)[gone.key]) == 1
        name = gone._place(client._raskt_cluster_client)
        del gone
        # What nobody wants goes all the same: the thread that says so isn't the one that calls.
        assert name is not None
        held = client.submit(abs, -9)
        assert held.result() == 9
    finally:
        let_go.set()


def test_those_of_one_future_are_called_in_order(client: Client):
    future, called = client.submit(abs, -1), []
    for number in range(50):
        future.add_done_callback(lambda _, number=number: called.append(number))
    come(lambda done: future.add_done_callback(lambda _: done(None)))
    assert called == list(range(50))


def test_what_a_callback_raises_is_logged(client: Client, caplog):
    def fails(_):
        raise LookupError("no such thing")

    future = client.submit(abs, -1)
    with caplog.at_level(logging.ERROR, "raskt.distributed"):
        future.add_done_callback(fails)
        come(lambda done: future.add_done_callback(lambda _: done(None)))
    (record,) = [record for record in caplog.records if record.name == "raskt.distributed"]
    assert "fails" in record.getMessage() and record.exc_info[0] is LookupError
