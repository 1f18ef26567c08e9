"""Data that workers can't read, results that can't be sent, and results that can't be read here."""

from __future__ import annotations

import os
import threading

import pytest

from raskt.distributed import Client, KilledWorker

PATIENCE = 60


def raises(why):
    raise ZeroDivisionError(why)


class Unreadable:
    """Raises wherever it is read."""

    def __reduce__(self):
        return raises, ("it can't be read",)


class Deadly:
    """Ends the process that reads it."""

    def __reduce__(self):
        return os._exit, (3,)


class UnreadableElsewhere:
    """Raises in any process but that which made it."""

    def __reduce__(self):
        return unless_here, (os.getpid(),)


def unless_here(process):
    if os.getpid() != process:
        raise ZeroDivisionError("not here")
    return process


@pytest.fixture(params=[1, 2])
def client(request):
    with Client(n_workers=request.param, threads_per_worker=1, set_as_default=False) as client:
        yield client


@pytest.mark.parametrize("bad", [{5, 30}, {0}, {39}, set(range(0, 40, 2)), set(range(40))])
def test_what_is_given_beside_it_comes(client, bad):
    given = client.scatter([Unreadable() if at in bad else at for at in range(40)])
    for at, reader in enumerate(client.map(lambda value: value, given)):
        if at in bad:
            with pytest.raises(RuntimeError, match="couldn't be fetched.*it can't be read"):
                reader.result(PATIENCE)
        else:
            assert reader.result(PATIENCE) == at


def test_what_workers_cannot_read_is_told_to_whoever_reads_it(client):
    for _ in range(20):
        with pytest.raises(RuntimeError, match="couldn't be fetched.*it can't be read"):
            client.submit(type, client.scatter(Unreadable())).result(PATIENCE)
    kept = client.scatter(Unreadable())
    readers = client.map(lambda value, at: at, [kept] * 3, range(3))
    later = client.submit(len, readers)
    for future in (kept, *readers, later, client.submit(type, kept)):
        with pytest.raises(RuntimeError, match="couldn't be fetched"):
            future.result(PATIENCE)
        assert future.status == "error"
    for again in (later, readers[0], kept):
        again.retry()
        for future in (again, *readers, kept):
            with pytest.raises(RuntimeError, match="couldn't be fetched"):
                future.result(PATIENCE)
    client.retry([later, *readers])
    with pytest.raises(RuntimeError, match="couldn't be fetched"):
        client.gather(readers)
    good = client.scatter([1, 2, 3])
    assert client.gather(client.map(abs, good)) == [1, 2, 3]


def test_data_that_ends_workers_is_given_to_no_more_of_them(client):
    with pytest.raises(KilledWorker, match="died"):
        client.submit(type, client.scatter(Deadly())).result(PATIENCE)
    assert client.submit(abs, -1).result(PATIENCE) == 1


def test_the_one_of_many_results_that_cannot_be_sent_is_named(client):
    futures = client.map(abs, range(200))
    bad = client.submit(threading.Lock, key="a-lock")
    with pytest.raises(TypeError, match="can't be sent") as told:
        client.gather([*futures[:100], bad, *futures[100:]])
    assert any("a-lock" in note for note in told.value.__notes__)
    came = client.gather([*futures[:100], bad, *futures[100:]], errors="skip")
    assert came == list(range(200))


def test_what_cannot_be_read_here_is_told_so_and_can_be_left_out(client):
    good, bad = client.map(abs, range(5)), client.submit(UnreadableElsewhere, key="elsewhere")
    for ask in (bad.result, lambda: client.gather([*good, bad])):
        with pytest.raises(TypeError, match="can't be read here.*not here") as told:
            ask()
        assert any("elsewhere" in note for note in told.value.__notes__)
    assert client.gather({"a": [bad, *good]}, errors="skip") == {"a": list(range(5))}
