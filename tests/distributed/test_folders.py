"""What processes leave behind that were killed goes when the next one comes, and nothing else does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from raskt.distributed._folders import LOCK, Folder, sweep

KILLED = """
import os, signal
from raskt.distributed import Client, LocalCluster, SubprocessCluster
from raskt.distributed._this_worker import here
cluster = LocalCluster(n_workers=1, threads_per_worker=1)
client = Client(cluster)
assert client.submit(abs, -1).result(30) == 1
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # Paths of sockets are short.
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(folder)
        tempfile.tempdir = None


def test_what_was_killed_leaves_folders_to_the_next_one(place: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED], capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    left = list(place.glob("raskt-*"))
    # Keys, the scheduler's socket, and the client's.
    assert len(left) >= 3
    own = Folder()
    assert list(place.glob("raskt-*")) == [own.path]
    own.remove()
    assert not list(place.iterdir())


def test_nothing_of_others_is_taken_away(place: Path) -> None:
    own = Folder("mine-")
    (own.path / "token").touch()
    other, file, made = place / "raskt-other", place / "raskt-file", place / "raskt-just-made"
    other.mkdir()
    (other / "token").touch()
    made.mkdir()
    (made / f"{LOCK}-new").touch()
    file.touch()
    (place / "outside").mkdir()
    (place / "outside" / LOCK).touch()
    (place / "raskt-link").symlink_to(place / "outside")
    before = {path: sorted(path.iterdir()) if path.is_dir() else None for path in place.iterdir()}
    sweep()
    assert before == {path: sorted(path.iterdir()) if path.is_dir() else None for path in place.iterdir()}
    (other / LOCK).touch()
    sweep()
    assert not other.exists() and own.path.exists()


def test_a_fork_neither_takes_a_folder_nor_leaves_it(place: Path) -> None:
    own = Folder()
    child = os.fork()
    if child == 0:
        own.remove()
        os._exit(0 if own.path.exists() else 1)
    assert os.waitpid(child, 0)[1] == 0 and own.path.exists()
    own.remove()
    assert not own.path.exists()
