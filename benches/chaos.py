"""What a cluster of processes survives, and how fast: the long form of tests/distributed/test_faults.py.

python benches/chaos.py [--runs 50] [--only killed] [--minutes 30]

Each fault is met in fresh clusters `--runs` times (fewer where a run is long), and what comes is compared with what is
right. Prints a table in Markdown; the exit status says whether all was right.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import raskt.array as ra
from raskt.distributed import Client, KilledWorker, LocalCluster

sys.path.append(str(Path(__file__).parent.parent / "tests" / "distributed"))
from killed_scheduler import Place
from namespaces import link_down, missing

LEAVES = 256
MARKED = 1000
LEAF_SECONDS = 0.2
INNOCENT = 100


def slow(number: int, seconds: float = LEAF_SECONDS) -> int:
    time.sleep(seconds)
    return number


def add(*numbers: int) -> int:
    return sum(numbers)


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class Tally:
    """What came of the runs of a fault."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    remark: str = ""

    def count(self, is_right: bool, seconds: float, what: str) -> None:
        self.seconds.append(seconds)
        if is_right:
            self.right += 1
        else:
            self.wrong.append(what)

    def row(self, name: str) -> str:
        runs = self.right + len(self.wrong)
        longest, median = max(self.seconds, default=0.0), statistics.median(self.seconds or [0.0])
        remark = "; ".join(filter(None, [self.remark, *self.wrong[:2]]))
        return f"| {name} | {self.right} of {runs} | {median:.1f} s | {longest:.1f} s | {remark} |"


@contextmanager
def killing(cluster: LocalCluster, every: float, seed: int) -> Iterator[list[int]]:
    """Kills whichever worker every few seconds."""
    ended, killed, chance = threading.Event(), [], random.Random(seed)

    def kill() -> None:
        while not ended.wait(every):
            there = [pid for pid in children() if pid != os.getpid()]
            if there:
                killed.append(chance.choice(there))
                with suppress(ProcessLookupError):
                    os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


def children() -> list[int]:
    """The worker processes of this one."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError, IndexError):
            process = Path("/proc", name)
            status = process.joinpath("stat").read_text().rsplit(")", 1)[1].split()
            command = process.joinpath("cmdline").read_text()
            if status[1] == str(os.getpid()) and status[0] != "Z" and "_worker" in command:
                found.append(int(name))
    return found


def tree(client: Client) -> int:
    """256 calls of 0.2 s, and their sum by pairs."""
    level = client.map(slow, range(LEAVES))
    while len(level) > 1:
        level = [client.submit(add, *level[at : at + 2]) for at in range(0, len(level), 2)]
    return level[0].result()


def killed(runs: int) -> Tally:
    tally, right = Tally(), sum(range(LEAVES))
    with LocalCluster(n_workers=4, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(4)
        began = time.monotonic()
        assert tree(client) == right
        calm = time.monotonic() - began
    for seed in range(runs):
        with LocalCluster(n_workers=4, threads_per_worker=1) as cluster, Client(cluster) as client:
            client.wait_for_workers(4)
            began = time.monotonic()
            with killing(cluster, 2.0, seed) as victims:
                total = tree(client)
            tally.count(total == right, time.monotonic() - began, f"{total} instead of {right}, {len(victims)} killed")
    tally.remark = f"without faults {calm:.1f} s: {statistics.median(tally.seconds) / calm:.2f} ×"
    return tally


def frozen(runs: int) -> Tally:
    tally = Tally()
    for _ in range(max(1, runs * 2 // 5)):
        with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
            client.wait_for_workers(2)
            victim = children()[0]
            futures = client.map(slow, range(20))
            time.sleep(0.3)
            os.kill(victim, signal.SIGSTOP)
            began = time.monotonic()
            try:
                results = client.gather(futures)
            finally:
                os.kill(victim, signal.SIGCONT)
            tally.count(results == list(range(20)), time.monotonic() - began, "other results came")
    return tally


def poison(workers: int) -> Callable[[int], Tally]:
    def run(runs: int) -> Tally:
        tally, lost = Tally(), 0
        for _ in range(max(1, runs // 10)):
            with LocalCluster(n_workers=workers, threads_per_worker=1) as cluster, Client(cluster) as client:
                client.wait_for_workers(workers)
                innocent = client.map(slow, range(INNOCENT), seconds=0.05)
                began = time.monotonic()
                future = client.submit(dies)
                try:
                    error = future.exception(timeout=120)
                except TimeoutError as late:
                    error = late
                seconds = time.monotonic() - began
                results = client.gather(innocent, errors="skip")
                lost += INNOCENT - len(results)
                is_right = isinstance(error, KilledWorker) and results == list(range(INNOCENT))
                tally.count(is_right, seconds, f"{error!r}, {len(results)} innocent came")
        tally.remark = f"{lost} innocent lost"
        return tally

    return run


def lost_results(runs: int) -> Tally:
    tally, right = Tally(), sum(range(10**6))
    for _ in range(max(1, runs // 5)):
        with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
            client.wait_for_workers(2)
            kept = client.persist(ra.arange(10**6, chunks=10**4))
            kept.sum().compute()
            for pid in children():
                os.kill(pid, signal.SIGKILL)
            began = time.monotonic()
            total = int(kept.sum().compute())
            tally.count(total == right, time.monotonic() - began, f"{total} instead of {right}")
    return tally


def unlinked(seconds: float, which: tuple[int, ...]) -> Callable[[int], Tally]:
    """The network of one worker of two, or of both, is down for so long."""

    def run(runs: int) -> Tally:
        tally, redone, back = Tally(), 0, 0.0
        if why := missing():
            tally.remark = f"not tried: {why}"
            return tally
        for _ in range(max(1, runs // 10)):
            with tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                healed = link_down(Path(folder), 2, seconds, which)
            right = [number * number for number in range(len(healed.results))]
            is_right = healed.results == right and healed.back_seconds <= 15 and not (seconds <= 60 and healed.redone)
            what = f"{healed.redone} of {healed.finished} redone, back after {healed.back_seconds:.1f} s"
            tally.count(is_right, time.monotonic() - began, what)
            redone, back = redone + healed.redone, max(back, healed.back_seconds)
        tally.remark = f"{redone} finished ones redone, back at most {back:.1f} s after it healed"
        return tally

    return run


def marked(number: int, marks: str) -> int:
    """Says in a file that it is done."""
    time.sleep(0.01)
    with open(marks, "a") as file:
        file.write(f"{number}\n")
    return number * number


def restarted(runs: int) -> Tally:
    """The scheduler is killed in the middle of a map, and started again."""
    tally, redone, ready, chance = Tally(), 0, 0.0, random.Random(3)
    for _ in range(max(1, runs * 2 // 5)):
        with tempfile.TemporaryDirectory() as folder:
            marks, place = Path(folder, "marks"), Place(Path(folder))
            with closing(place), Client(scheduler_file=place.file) as client:
                client.wait_for_workers(2, timeout=30)
                began = time.monotonic()
                futures = client.map(marked, range(MARKED), marks=str(marks))
                time.sleep(chance.uniform(0.2, 4.0))
                place.kill()
                killed = time.monotonic()
                place.start()
                assert client.submit(add, 1, 2).result() == 3
                serves = time.monotonic() - killed
                results = client.gather(futures)
                seconds = time.monotonic() - began
            twice = len(marks.read_text().split()) - MARKED
        is_right = results == [number * number for number in range(MARKED)]
        is_right &= serves <= 5 and twice <= MARKED // 100
        tally.count(is_right, seconds, f"{twice} redone, served after {serves:.1f} s")
        redone, ready = redone + twice, max(ready, serves)
    tally.remark = (
        f"{redone} of {len(tally.seconds) * MARKED} done twice; the next call was answered within {ready:.1f} s"
    )
    return tally


def mixed(minutes: float) -> Tally:
    """Calls, arrays, scattered data and deaths for so long: what the processes hold must not grow."""
    tally, chance, began = Tally(), random.Random(1), time.monotonic()
    with LocalCluster(n_workers=3, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(3)
        marks: list[tuple[int, int, int]] = []
        with killing(cluster, 20.0, 1):
            while time.monotonic() - began < 60 * minutes:
                count, start = chance.randrange(1, 2000), time.monotonic()
                given = client.scatter(list(range(5)))
                total = sum(client.gather(client.map(add, range(count)))) + client.submit(add, *given).result()
                total += int(ra.ones(10**6, chunks=10**5).sum().compute())
                right = count * (count - 1) // 2 + 10 + 10**6
                tally.count(total == right, time.monotonic() - start, f"{total} instead of {right}")
                marks.append(held())
    early, late = marks[len(marks) // 4], marks[-1]
    tally.remark = "of this process, after a quarter and at the end: " + ", ".join(
        f"{name} {a} → {b}" for name, a, b in zip(("RSS MiB", "descriptors", "threads"), early, late)
    )
    return tally


def held() -> tuple[int, int, int]:
    """Memory in MiB, open descriptors and threads of this process."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    memory = pages * resource.getpagesize() >> 20
    return memory, len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


FAULTS: dict[str, tuple[str, Callable[[int], Tally]]] = {
    "killed": ("kill -9 every 2 s, 4 workers, 256 × 0.2 s and a tree sum", killed),
    "frozen": ("SIGSTOP of one of two workers", frozen),
    "poison-1": (f"a poison task beside {INNOCENT}, 1 worker", poison(1)),
    "poison-2": (f"a poison task beside {INNOCENT}, 2 workers", poison(2)),
    "poison-4": (f"a poison task beside {INNOCENT}, 4 workers", poison(4)),
    **{
        f"link-{name}-{seconds}": (
            f"the network of {name} of two workers down for {seconds} s",
            unlinked(seconds, which),
        )
        for seconds in (5, 20, 45, 120)
        for name, which in (("one", (0,)), ("both", (0, 1)))
    },
    "restarted": (f"kill -9 and restart of the scheduler while {MARKED} calls are made", restarted),
    "lost": ("all workers killed that hold what was persisted", lost_results),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=50, help="of each fault; 0 for none, to have the mixed load alone")
    parser.add_argument("--only", action="append", choices=FAULTS)
    parser.add_argument("--minutes", type=float, default=0.0, help="minutes of mixed load with deaths, at the end")
    options = parser.parse_args()
    print("| fault | right | median | longest | |\n|---|---|---|---|---|", flush=True)
    is_right = True
    for name in (options.only or FAULTS) if options.runs else ():
        tally = FAULTS[name][1](options.runs)
        print(tally.row(FAULTS[name][0]), flush=True)
        is_right &= not tally.wrong
    if options.minutes:
        tally = mixed(options.minutes)
        print(tally.row(f"{options.minutes:g} minutes of mixed load, a worker killed every 20 s"), flush=True)
        is_right &= not tally.wrong
    sys.exit(not is_right)


if __name__ == "__main__":
    main()
