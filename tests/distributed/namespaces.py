"""Workers in network namespaces of their own, whose links to all others can be taken down.

A bridge of this namespace has an address, and each worker's namespace an end of a pair of virtual interfaces whose
other end is a port of the bridge. It needs root and `ip` (iproute2).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from processes_seen import until
from raskt.distributed import Client, Future, Security

RASKT = [sys.executable, "-m", "raskt"]
READY_SECONDS = 60


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@cache
def missing() -> str:
    """Why there can be none on this machine; empty if there can."""
    if shutil.which("ip") is None:
        return "network namespaces need `ip` (iproute2)"
    if os.geteuid() != 0:
        return "network namespaces need root"
    name, bridge = f"raskt-try-{os.getpid()}", f"rt{os.getpid()}b"
    try:
        ip("link", "add", bridge, "type", "bridge")
        ip("netns", "add", name)
        ip("link", "add", f"rt{os.getpid()}", "type", "veth", "peer", "name", "eth0", "netns", name)
    except subprocess.CalledProcessError as error:
        return f"the machine has no network namespaces with virtual links: {error.stderr.strip()}"
    finally:
        for left in (("netns", "del", name), ("link", "del", bridge)):
            with suppress(subprocess.CalledProcessError):
                ip(*left)
    return ""


@dataclass
class Links:
    """The bridge, and the ports of it by worker."""

    bridge: str
    address: str
    namespaces: list[str]
    ports: list[str]

    def take_down(self, *workers: int) -> None:
        for worker in workers or range(len(self.ports)):
            ip("link", "set", self.ports[worker], "down")

    def bring_up(self, *workers: int) -> None:
        for worker in workers or range(len(self.ports)):
            ip("link", "set", self.ports[worker], "up")


@contextmanager
def linked(workers: int) -> Iterator[Links]:
    """Namespaces for so many workers, which reach each other and this one."""
    own = os.getpid()
    # Of the block for tests of networks: nobody else is there.
    net = f"198.18.{own % 250}"
    links = Links(f"rb{own}", f"{net}.1", [], [])
    with ExitStack() as undo:
        ip("link", "add", links.bridge, "type", "bridge")
        undo.callback(ip, "link", "del", links.bridge)
        ip("addr", "add", f"{links.address}/24", "dev", links.bridge)
        ip("link", "set", links.bridge, "up")
        for worker in range(workers):
            name, port = f"raskt-{own}-{worker}", f"rp{own}-{worker}"
            ip("netns", "add", name)
            undo.callback(ip, "netns", "del", name)
            ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
            # The kernel clears a namespace away when it likes, and its links would stay until then.
            undo.callback(ip, "link", "del", port)
            ip("link", "set", port, "master", links.bridge, "up")
            ip("-n", name, "addr", "add", f"{net}.{worker + 2}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
            links.namespaces.append(name)
            links.ports.append(port)
        yield links


@contextmanager
def process(*command: str, log: Path) -> Iterator[subprocess.Popen[str]]:
    # Workers import this module.
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    with log.open("w") as errors:
        started = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True, env=environment
        )
    try:
        yield started
    finally:
        started.terminate()
        try:
            started.wait(20)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()
        assert started.stdout is not None
        started.stdout.close()


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[Client, Links]]:
    """A scheduler here, and workers of one thread, each in a namespace of its own."""
    certs = folder / "certs"
    subprocess.run([*RASKT, "certs", str(certs)], check=True, capture_output=True)

    def tls(role: str) -> list[str]:
        files = ("--tls-ca-file", certs / "ca.pem"), ("--tls-cert", certs / f"{role}.pem")
        return [str(word) for pair in (*files, ("--tls-key", certs / f"{role}-key.pem")) for word in pair]

    with ExitStack() as stack:
        links = stack.enter_context(linked(workers))
        command = [*RASKT, "scheduler", "--host", links.address, "--port", "0", *tls("scheduler")]
        scheduler = stack.enter_context(process(*command, log=folder / "scheduler.log"))
        address = ""
        assert scheduler.stdout is not None
        for line in scheduler.stdout:
            if line.startswith("scheduler: "):
                address = line.split()[1]
            if line.startswith("ready"):
                break
        assert address, (folder / "scheduler.log").read_text()
        for worker, namespace in enumerate(links.namespaces):
            host = links.address.removesuffix(".1") + f".{worker + 2}"
            command = ["ip", "netns", "exec", namespace, *RASKT, "worker", address, "--host", host, "--nthreads", "1"]
            command += ["--name", f"w{worker}", "--local-directory", str(folder), *tls("worker")]
            stack.enter_context(process(*command, log=folder / f"worker-{worker}.log"))
        ca, cert, key = (certs / name for name in ("ca.pem", "client.pem", "client-key.pem"))
        security = Security(tls_ca_file=ca, tls_cert=cert, tls_key=key)
        with Client(address, security=security) as client:
            client.wait_for_workers(workers, READY_SECONDS)
            yield client, links


def noted(folder: str, number: int, seconds: float) -> int:
    """A call that takes a while, and leaves word that it was made."""
    time.sleep(seconds)
    with open(os.path.join(folder, "made"), "a") as file:
        file.write(f"{number}\n")
    return number * number


@dataclass
class Healed:
    """What came of a link that was down."""

    results: list[int]
    finished: int
    redone: int
    """Of the calls that had ended before, how many were made again."""
    back_seconds: float
    """So long after it healed all workers were there."""


def link_down(folder: Path, workers: int, down: float, which: tuple[int, ...], calls: int = 40) -> Healed:
    """Takes links down in the middle of calls, each of which takes long enough that some are left when it heals."""
    with cluster(folder, workers) as (client, links):
        seconds = max(0.1, 2.0 * workers / calls)
        futures: list[Future] = client.map(noted, [str(folder)] * calls, range(calls), [seconds] * calls)
        until(lambda: sum(future.done() for future in futures) >= calls // 4, READY_SECONDS)
        before = [number for number, future in enumerate(futures) if future.done()]
        links.take_down(*which)
        time.sleep(down)
        links.bring_up(*which)
        began = time.monotonic()
        until(lambda: len(client.nthreads()) >= workers, READY_SECONDS)
        back = time.monotonic() - began
        results = client.gather(futures)
        made = Counter(map(int, (folder / "made").read_text().split()))
    redone = sum(made[number] > 1 for number in before)
    return Healed(results, len(before), redone, back)
