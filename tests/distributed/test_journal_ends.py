"""How a scheduler with a journal ends, and what has a name beyond that."""

from __future__ import annotations

import pickle
import signal
import time
from pathlib import Path
from typing import Any

from killed_scheduler import Place, await_marks
from test_journal import nothing_is_left

from raskt.distributed import Client

__all__ = ["nothing_is_left"]


def by_value() -> tuple[Any, Any, Any]:
    """What travels by value: workers don't find the modules of these tests."""

    class Box:
        """Something that has a future."""

        def __init__(self, future: Any) -> None:
            self.future = future

    def opened(box: Any) -> int:
        return int(box.future.result(timeout=30) + 1)

    def slow(number: int, marks: str) -> int:
        with open(marks, "a") as file:
            file.write(f"{number}\n")
        time.sleep(0.01)
        return number * number

    return Box, opened, slow


Box, opened, slow = by_value()


def test_futures_have_their_names_beyond_the_scheduler(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        future = client.submit(pow, 2, 5)
        assert client.submit(opened, Box(future)).result(timeout=30) == 33
        before = pickle.dumps(future)
        place.kill()
        queued = client.submit(opened, Box(future), pure=False)
        place.start()
        assert queued.result(timeout=30) == 33
        assert pickle.loads(before).result(timeout=30) == 32
        assert client.submit(opened, Box(pickle.loads(before)), pure=False).result(timeout=30) == 33
    place.close()


def test_a_scheduler_that_is_terminated_leaves_to_the_next(tmp_path: Path) -> None:
    marks, place = tmp_path / "marks", Place(tmp_path)
    with Client(scheduler_file=place.file) as client:
        client.wait_for_workers(2, timeout=30)
        futures = client.map(slow, range(200), marks=str(marks))
        await_marks(marks, 20)
        for wish in (signal.SIGTERM, signal.SIGINT):
            place.scheduler.send_signal(wish)
            assert place.scheduler.wait(30) == 0
            place.start()
        assert client.gather(futures) == [number * number for number in range(200)]
        ran = len(marks.read_text().split())
        assert ran <= 206, "what was done isn't done again"
    place.close()


def test_what_a_client_shuts_down_is_not_begun_again(tmp_path: Path) -> None:
    marks, place = tmp_path / "marks", Place(tmp_path)
    client = Client(scheduler_file=place.file)
    client.wait_for_workers(2, timeout=30)
    futures = client.map(slow, range(2000), marks=str(marks))
    await_marks(marks, 1)
    client.shutdown()
    assert place.scheduler.wait(30) == 0 and place.workers.wait(30) is not None
    ran = len(marks.read_text().split())
    assert ran < 2000
    Place.places.remove(place)
    again = Place(tmp_path)
    with Client(scheduler_file=again.file) as other:
        other.wait_for_workers(2, timeout=30)
        assert other.submit(pow, 2, 5).result(timeout=30) == 32
    again.close()
    assert len(marks.read_text().split()) == ran, "nothing of before has run"
    del futures
