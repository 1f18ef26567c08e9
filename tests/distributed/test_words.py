"""What tasks print and warn of, for clients elsewhere."""

from __future__ import annotations

import io
import sys
import time
import warnings

import raskt.distributed as distributed
from raskt.distributed import Client


def await_events(client, topic, count):
    deadline = time.monotonic() + 30
    while len(events := client.get_events(topic)) < count:
        assert time.monotonic() < deadline, events
        time.sleep(0.001)
    return [told for _, told in events[-count:]]


def test_what_tasks_print_is_shown_by_clients_elsewhere(client, capfd):
    def prints():
        distributed.print("one", 2, sep="-", end="!\n")
        distributed.print("three", file=sys.stderr)
        distributed.print("nowhere", file=io.StringIO())

    with Client(client._address, security=client.cluster.security, set_as_default=False) as far:
        far.submit(prints).result()
        told = await_events(client, "print", 2)
        assert [(each["text"], each["file"]) for each in told] == [("one-2!\n", "stdout"), ("three\n", "stderr")]
        deadline, out, err = time.monotonic() + 30, "", ""
        # The workers began before this was captured.
        while "one-2!" not in out or "three" not in err:
            assert time.monotonic() < deadline, (out, err)
            more_out, more_err = capfd.readouterr()
            out, err = out + more_out, err + more_err
            time.sleep(0.001)
    assert "nowhere" not in out + err


def test_what_tasks_warn_of(client):
    def warns():
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            distributed.warn("be careful", RuntimeWarning)
        return [str(each.message) for each in seen]

    assert client.submit(warns).result() == ["be careful"]
    (told,) = await_events(client, "warn", 1)
    assert (told["message"], told["category"]) == ("be careful", RuntimeWarning)


def test_elsewhere_it_is_what_python_does(capsys):
    distributed.print("here", flush=True)
    assert capsys.readouterr().out == "here\n"
