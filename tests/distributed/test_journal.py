"""A scheduler with a journal is killed and started again: clients, futures and workers go on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from killed_scheduler import RASKT, Place, await_marks

from processes_seen import until
from raskt.distributed import (
    Actor,
    Client,
    Event,
    Future,
    Lock,
    MultiLock,
    Queue,
    Semaphore,
    Variable,
    WorkerPlugin,
    get_worker,
)


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Ends the workers and schedulers of tests that have failed."""
    yield
    while Place.places:
        place = Place.places.pop()
        for process in (place.workers, place.scheduler):
            if process.poll() is None:
                process.terminate()
                process.wait(30)


def slow(number: int, marks: str) -> int:
    """Says in a file that it runs."""
    with open(marks, "a") as file:
        file.write(f"{number}\n")
    time.sleep(0.01)
    return number * number


def fail(number: int) -> int:
    raise ArithmeticError(f"not {number}")


def test_a_scheduler_that_is_killed_goes_on(tmp_path: Path) -> None:
    marks, place = tmp_path / "marks", Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        early = client.submit(pow, 3, 4)
        failed = client.submit(fail, 5)
        assert early.result() == 81
        with pytest.raises(ArithmeticError, match="not 5"):
            failed.result()
        futures = client.map(slow, range(300), marks=str(marks))
        scattered = client.scatter([b"x" * 100_000])
        await_marks(marks, 100)
        place.kill()
        between = client.submit(sum, [1, 2, 3])
        place.start()
        assert client.gather(futures) == [number * number for number in range(300)]
        assert between.result() == 6 and early.result() == 81
        assert client.submit(len, scattered[0]).result() == 100_000
        with pytest.raises(ArithmeticError, match="not 5"):
            failed.result()
        runs = Counter(marks.read_text().split())
        assert len(runs) == 300
        assert sum(1 for count in runs.values() if count > 1) <= 3, "what was done isn't done again"
        assert len(client.nthreads()) == 2
    place.close()


class Counted(WorkerPlugin):
    """Counts how often it begins at a worker."""

    name = "counted"

    def setup(self, worker):
        worker.begun = getattr(worker, "begun", 0) + 1


def begun() -> tuple[int, str]:
    return get_worker().begun, ",".join(get_worker().plugins)


def wait_long(marks: str) -> None:
    with open(marks, "a") as file:
        file.write("here\n")
    time.sleep(60)


def test_what_is_not_work_is_kept_or_ends_with_a_sentence(tmp_path: Path) -> None:
    marks, place = tmp_path / "marks", Place(tmp_path)
    with (
        Client(scheduler_file=place.file) as client,
        Client(scheduler_file=place.file, set_as_default=False) as other,
    ):
        client.wait_for_workers(2, timeout=30)
        client.register_plugin(Counted())
        assert set(client.run(begun).values()) == {(1, "counted")}
        lock, variable = Lock("x"), Variable("v")
        assert lock.acquire()
        theirs = other.submit(pow, 2, 5)
        variable.set(theirs)
        ours = variable.get()
        assert isinstance(ours, Future) and ours.result() == 32
        with ThreadPoolExecutor(2) as pool:
            errand = pool.submit(client.run, wait_long, str(marks))
            await_marks(marks, 2)
            waits = pool.submit(Lock("x").acquire)
            # The one that waits has been heard when this has.
            assert not Lock("x").acquire(timeout=0.1)
            place.kill()
            place.start()
            for ends in (errand, waits):
                with pytest.raises(Exception, match="has begun anew"):
                    ends.result(timeout=30)
        client.wait_for_workers(2, timeout=30)
        assert set(client.run(begun).values()) == {(1, "counted")}
        assert ours.result() == 32 and client.submit(int, ours).result() == 32
        with pytest.raises(RuntimeError, match="lock `x` was lost before it was released, and others .*begun anew"):
            lock.release()
        assert lock.acquire(timeout=10)
        lock.release()
        assert variable.get(timeout=10).result() == 32
        client.unregister_worker_plugin("counted")
        assert client.run(lambda: "counted" in get_worker().plugins) == dict.fromkeys(client.nthreads(), False)
    place.close()


def test_who_only_looks_is_answered_by_the_next_scheduler(tmp_path: Path) -> None:
    place = Place(tmp_path)
    # Should it fail, what waits ends with the client.
    with ThreadPoolExecutor(4) as pool, Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        event, variable = Event("e"), Variable("v")
        for _ in range(3):
            waits = [pool.submit(event.wait, timeout) for timeout in (None, 60)]
            gets = [pool.submit(variable.get, timeout=timeout) for timeout in (None, 60)]
            time.sleep(0.1)
            place.kill()
            place.start()
            until(lambda: len(client.scheduler_info()["workers"]) == 2)
            event.set()
            variable.set(7)
            assert all(wait.result(timeout=30) for wait in waits)
            assert [get.result(timeout=30) for get in gets] == [7, 7]
            event.clear()
            variable.delete()
    place.close()


class Tally:
    """Counts its calls."""

    count = 0

    def add(self) -> int:
        self.count += 1
        return self.count


def is_called(tally: Actor) -> bool:
    # A client that hasn't seen yet that the scheduler is gone can't say whether a call was heard, and so doesn't repeat
    # it. It has seen so by the next one.
    with suppress(ConnectionError):
        return tally.add().result(timeout=30) >= 1
    return tally.add().result(timeout=30) >= 1


def test_who_has_lost_a_place_with_the_scheduler_is_told(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        for make in (lambda: Lock("x"), lambda: MultiLock(["x", "y"]), lambda: Semaphore(1, "z")):
            with pytest.raises(RuntimeError, match="lost|isn't held"), make():
                place.kill()
                place.start()
                # Another one has it meanwhile.
                other = make()
                assert other.acquire(timeout=30)
                other.release()
        asked = Semaphore(1, "z")
        asked.acquire()
        place.kill()
        place.start()
        with suppress(ConnectionError):
            # A question that is on its way just then may not come to the new one.
            asked.get_value()
        assert asked.release() is False
    place.close()


def test_who_asks_of_workers_right_after_a_restart_sees_all_of_them(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        tally = client.submit(Tally, actor=True).result(timeout=30)
        kept = client.map(pow, range(8), range(8))
        client.gather(kept)
        client.replicate(kept)
        two = sorted(client.nthreads())
        questions = (
            lambda: list(map(sorted, client.who_has(kept).values())) == [two] * len(kept),
            lambda: all(len(keys) >= len(kept) for keys in client.has_what().values()),
            lambda: sorted(client.run(os.getpid)) == two,
            lambda: sorted(client.scheduler_info()["workers"]) == two,
            lambda: is_called(tally),
        )
        # Each is the first one that is asked after a restart. On a slow machine workers may be back too late, and it is
        # asked once more.
        for at, question in enumerate(questions):
            for _ in range(3):
                place.kill()
                place.start()
                with suppress(OSError):
                    if question():
                        break
            else:
                pytest.fail(f"question {at} sees workers that aren't there, or doesn't see those that are")
    place.close()


def test_times_are_kept_where_the_scheduler_stands_still(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        lock, queue = Lock("l"), Queue("q")
        place.scheduler.send_signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            assert not Event("e").wait(timeout=0.1)
            assert not lock.acquire(timeout=0.1)
            with pytest.raises(TimeoutError):
                queue.get(timeout=0.1)
            assert time.monotonic() - began < 20
        finally:
            place.scheduler.send_signal(signal.SIGCONT)
        # What was given up isn't held, nor taken.
        queue.put(1)
        assert lock.acquire(timeout=30) and queue.get(timeout=30) == 1
    place.close()


def test_two_schedulers_have_no_journal_in_common(tmp_path: Path) -> None:
    place = Place(tmp_path)
    second = subprocess.run(
        [
            *RASKT,
            "scheduler",
            "--port",
            "0",
            "--journal",
            str(tmp_path / "journal"),
            "--token-file",
            str(tmp_path / "token"),
        ],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert second.returncode != 0 and "another scheduler's that runs" in second.stderr
    # Who is told to end while it starts ends as any process does.
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
    place.close()


def test_a_damaged_journal_is_told(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        kept = client.submit(abs, -1)
        assert kept.result() == 1
        place.kill()
        journal = tmp_path / "journal" / "journal"
        content = bytearray(journal.read_bytes())
        content[len(content) // 2] ^= 1
        journal.write_bytes(content)
        arguments = ["--port", "0", "--journal", str(journal.parent), "--token-file", str(tmp_path / "token")]
        told = subprocess.run([*RASKT, "scheduler", *arguments], capture_output=True, text=True, timeout=30)
        assert told.returncode != 0 and "is damaged at byte" in told.stderr and "truncate --size" in told.stderr
    place.workers.send_signal(signal.SIGTERM)
    assert place.workers.wait(30) == 0
    assert os.stat(journal).st_mode & 0o077 == 0


def test_what_waits_for_data_and_is_held_by_nobody_outlives_the_scheduler(tmp_path: Path) -> None:
    """Nothing is made before the data comes, and what is between the data and the result is let go of at once."""
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        place.workers.send_signal(signal.SIGTERM)
        assert place.workers.wait(30) == 0
        early = client.submit(sum, client.map(abs, client.scatter([-1, -2, -3])))
        time.sleep(1.5)
        late = client.submit(sum, client.map(abs, client.scatter([-4, -5, -6])))
        place.kill()
        place.start()
        between = client.submit(sum, client.map(abs, client.scatter([-7, -8])))
        place.start_workers()
        assert client.gather([early, late, between]) == [6, 15, 15]
    place.close()


@pytest.mark.parametrize("by", ["queue", "variable"])
def test_what_reads_what_a_name_gave_outlives_the_scheduler(tmp_path: Path, by: str) -> None:
    """What stood for the result was let go of, and what was submitted with its reader has nothing to do with that."""
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        readers, others = [], []
        for number in range(2):
            given = client.submit(abs, -number)
            if by == "queue":
                Queue("q", client=client).put(given)
                taken = Queue("q", client=client).get(timeout=30)
            else:
                Variable("v", client).set(given)
                taken = Variable("v", client).get(timeout=30)
            del given
            readers.append(client.submit(sum, [taken, 10]))
            del taken
            others.append(client.submit(sum, [client.submit(abs, -5 - number), 100]))
        assert readers[0].result(30) == 10
        place.kill()
        place.start()
        assert client.gather(readers + others) == [10, 11, 105, 106]
    place.close()


def test_what_is_shared_by_name_outlives_the_scheduler(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        total = client.submit(sum, [1, 2])
        assert total.result(30) == 3
        client.publish_dataset(numbers=total, five=5)
        variable, queue, event = Variable("v", client), Queue("q", client=client, maxsize=2), Event("e", client)
        variable.set(total)
        queue.put(1)
        queue.put(total)
        event.set()
        client.set_metadata(["a", "b"], 7)
        client.log_event("topic", 1)
        assert [message for _, message in client.get_events("topic")] == [1]
        gone = Variable("gone", client)
        gone.set(1)
        gone.delete()
    with Client(scheduler_file=place.file) as client:
        waits = Queue("q", client=client)
        place.kill()
        place.start()
        assert client.submit(abs, -1).result(30) == 1
        assert waits.get(timeout=30) == 1
    place.kill()
    place.start()
    with Client(scheduler_file=place.file) as client:
        assert sorted(client.list_datasets()) == ["five", "numbers"]
        assert (client.get_dataset("five"), client.get_dataset("numbers").result(30)) == (5, 3)
        assert Variable("v", client).get(timeout=30).result(30) == 3
        queue = Queue("q", client=client)
        assert queue.get(timeout=30).result(30) == 3 and queue.qsize() == 0
        assert Event("e", client).is_set()
        assert client.get_metadata(["a", "b"]) == 7
        with pytest.warns(RuntimeWarning, match="has begun anew at .*: events that were logged before are gone"):
            assert client.get_events("topic") == ()
        client.log_event("topic", 2)
        assert [message for _, message in client.get_events()["topic"]] == [2], "which is said once"
        with pytest.raises(TimeoutError):
            Variable("gone", client).get(timeout=0.1)
    place.close()


def test_a_cluster_that_is_ended_leaves_no_names(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        client.publish_dataset(five=5)
        assert list(client.list_datasets()) == ["five"]
        client.shutdown()
    assert place.scheduler.wait(30) == 0
    assert place.workers.wait(30) == 0
    place.start()
    place.start_workers()
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        assert list(client.list_datasets()) == []
    place.close()
