"""Plugins as people write them, and those that are ready."""

from __future__ import annotations

import fcntl
import hashlib
import importlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import uuid
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from raskt.distributed._secrets import hidden

SKIPPED = (".git", ".github", ".pytest_cache", "tests", "docs")
"""Folders that aren't sent along with the one that they are in."""

_loading = threading.Lock()


class WorkerPlugin:
    """What every worker is to have. Derive from it, and pass an instance to `Client.register_plugin`.

    It is pickled, and each worker has a copy of its own. `setup` runs before any task that comes later; only if it asks
    the cluster for something itself, or takes ten minutes, tasks don't wait for its end.

    Examples
    --------
    >>> from raskt.distributed import WorkerPlugin
    >>> class Connection(WorkerPlugin):
    ...     def setup(self, worker):
    ...         worker.connection = object()
    ...     def teardown(self, worker):
    ...         del worker.connection
    """

    name: str
    idempotent: bool = False
    """Whether one of this name that is there already stays."""

    def setup(self, worker: Any) -> Any:
        """Runs when the plugin comes to a worker."""

    def teardown(self, worker: Any) -> Any:
        """Runs when it is taken away, or the worker is closed in order."""

    def transition(self, key: Any, start: Any, finish: Any, **kwargs: Any) -> None:
        """Not called: a plugin that has a method of its own for it is refused."""


class SchedulerPlugin:
    """A plugin of a scheduler, which runs no code of users: registering one is refused."""

    name: str
    idempotent: bool = False


class NannyPlugin:
    """A plugin of what looks after workers, which runs no code of users: registering one is refused."""

    name: str
    idempotent: bool = False
    restart: bool = False


class Environ(WorkerPlugin):
    """Variables of the environment of all workers.

    They are there for what tasks look up and start; what a library has read when it was imported stays.

    Parameters
    ----------
    environ : mapping
        The variables; None takes one away.
    """

    def __init__(self, environ: dict[str, Any] | None = None) -> None:
        self.name = f"environ-{uuid.uuid4()}"
        self.environ = {name: None if value is None else str(value) for name, value in (environ or {}).items()}

    def setup(self, worker: Any) -> None:
        """Sets them."""
        for name, value in self.environ.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class UploadFile(WorkerPlugin):
    """A file that every worker is to have, in its `local_directory`.

    Parameters
    ----------
    filepath : path
        A module (``.py``), an archive of modules (``.zip``, ``.egg``), or any other file.
    load : bool, default True
        Whether modules are imported at once; those that are there already are read anew.
    """

    def __init__(self, filepath: str | os.PathLike[str], load: bool = True) -> None:
        path = Path(filepath)
        self.name = f"upload-file-{path.name}"
        self.filename = path.name
        self.load = load
        self.data = path.read_bytes()

    def setup(self, worker: Any) -> None:
        """Writes the file, and imports it."""
        path = Path(worker.local_directory) / self.filename
        path.write_bytes(self.data)
        if self.load and path.suffix in (".py", ".zip", ".egg"):
            _load(path)


class UploadDirectory(WorkerPlugin):
    """A folder that every worker is to have, in its `local_directory`.

    Parameters
    ----------
    path : path
        The folder.
    restart_workers : bool, default False
        Workers can't be started again for it.
    update_path : bool, default False
        Whether modules in it can be imported.
    skip_words : iterable of str
        Files aren't sent if a part of their path, within the folder, is one of these.
    skip : iterable of callable
        Files aren't sent if one of these says so of their path.
    mode : {"workers"}
        Who gets it.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        restart_workers: bool = False,
        update_path: bool = False,
        skip_words: Iterable[str] = SKIPPED,
        skip: Iterable[Callable[[str], bool]] = (lambda name: os.path.splitext(name)[1] == ".pyc",),
        mode: Literal["workers"] = "workers",
    ) -> None:
        _no_restart(restart_workers)
        if mode != "workers":
            raise NotImplementedError(
                f"mode is {mode!r}: the scheduler runs no code of users and needs no files; 'workers' is known"
            )
        folder = Path(path).resolve()
        if not folder.is_dir():
            raise NotADirectoryError(f"{os.fspath(path)!r} is no folder")
        self.folder = folder.name
        self.name = f"upload-directory-{folder.name}"
        self.update_path = update_path
        self.data = _packed(folder, frozenset(skip_words), list(skip))

    def setup(self, worker: Any) -> None:
        """Unpacks it."""
        with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
            archive.extractall(worker.local_directory)
        if self.update_path:
            _importable(Path(worker.local_directory) / self.folder)


class InstallPlugin(WorkerPlugin):
    """Installs something on every host of workers.

    Parameters
    ----------
    install_fn : callable
        What installs it. On one host it runs for one worker at a time.
    restart_workers : bool, default False
        Workers can't be started again for it.
    """

    idempotent = True

    def __init__(self, install_fn: Callable[[], Any], restart_workers: bool = False) -> None:
        _no_restart(restart_workers)
        self.name = f"{type(self).__name__}-{uuid.uuid4()}"
        self.install_fn = install_fn

    def setup(self, worker: Any) -> None:
        """Installs it."""
        digest = hashlib.sha256(sys.prefix.encode()).hexdigest()[:16]
        with open(Path(tempfile.gettempdir()) / f"raskt-install-{os.getuid()}-{digest}", "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.install_fn()
        importlib.invalidate_caches()


class PipInstall(InstallPlugin):
    """Has pip install packages for every worker.

    Parameters
    ----------
    packages : list of str
        As pip names them.
    pip_options : list of str, optional
        Further arguments of ``pip install``.
    restart_workers : bool, default False
        Workers can't be started again for it: what was imported before stays as it is.
    """

    def __init__(
        self, packages: list[str], pip_options: list[str] | None = None, restart_workers: bool = False
    ) -> None:
        self.packages = list(packages)
        super().__init__(
            _Command([sys.executable, "-m", "pip", "install", *(pip_options or []), *self.packages]), restart_workers
        )


class CondaInstall(InstallPlugin):
    """Has conda install packages for every worker.

    Parameters
    ----------
    packages : list of str
        As conda names them.
    conda_options : list of str, optional
        Further arguments of ``conda install``.
    restart_workers : bool, default False
        Workers can't be started again for it: what was imported before stays as it is.
    """

    def __init__(
        self, packages: list[str], conda_options: list[str] | None = None, restart_workers: bool = False
    ) -> None:
        self.packages = list(packages)
        super().__init__(
            _Command(["conda", "install", "--yes", *(conda_options or []), *self.packages]), restart_workers
        )


class _Command:
    """Runs a command; an error says what it wrote."""

    def __init__(self, command: list[str]) -> None:
        self.command = command

    def __call__(self) -> None:
        # The interpreter of the worker, which may be another one.
        command = [
            sys.executable if at == 0 and "python" in Path(word).name else word for at, word in enumerate(self.command)
        ]
        try:
            ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise RuntimeError(f"`{hidden(' '.join(command))}` can't run: {error.strerror}") from None
        if ran.returncode != 0:
            # Where it is cut, half of a password may be left.
            written = hidden(ran.stdout.decode(errors="replace"))[-4000:]
            raise RuntimeError(f"`{hidden(' '.join(command))}` ended with status {ran.returncode}:\n{written}")


def _no_restart(restart_workers: bool) -> None:
    if restart_workers:
        raise NotImplementedError(
            "workers aren't started again for a plugin: register it before work that needs it, or call client.restart()"
        )


def _packed(folder: Path, skip_words: frozenset[str], skip: list[Callable[[str], bool]]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            within = path.relative_to(folder)
            if (
                path.is_file()
                and not skip_words.intersection(within.parts)
                and not any(leave(str(path)) for leave in skip)
            ):
                archive.write(path, Path(folder.name) / within)
    return written.getvalue()


def _importable(folder: Path) -> None:
    """Modules of a folder or an archive come before others."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()


def _load(path: Path) -> None:
    """Imports a module, or those of an archive."""
    with _loading:
        if path.suffix == ".py":
            _importable(path.parent)
            # Compiled by the time of the file in seconds, one that was changed soon after would be the old one.
            shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
            names = [path.stem]
        else:
            _importable(path)
            with zipfile.ZipFile(path) as archive:
                tops = {Path(name).parts[0] for name in archive.namelist() if name.endswith(".py")}
            names = sorted({top.removesuffix(".py") for top in tops} - {"setup", "__main__"})
        for name in names:
            known = sys.modules.get(name)
            if known is None:
                importlib.import_module(name)
            else:
                importlib.reload(known)
