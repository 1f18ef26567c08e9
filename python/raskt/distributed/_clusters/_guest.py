"""A scheduler or a worker of raskt as a guest: in a process that belongs to another engine.

It speaks by TLS, since its host may be any, and brings what it proves itself by along.
"""

from __future__ import annotations

import importlib
from typing import Any

from raskt import _core
from raskt._cli import preload as run_module
from raskt.distributed._addresses import listening
from raskt.distributed._clusters import _options
from raskt.distributed._clusters._keys import write_files
from raskt.distributed._clusters._places import address_of, reachable
from raskt.distributed._folders import Folder
from raskt.distributed._security import Security

GRACE_SECONDS = 1.0
"""How long what runs may go on when a guest is to leave, unless somebody says otherwise."""

TOLD_TO_LEAVE = "the scheduler has ended it"
"""Why a worker is over that isn't wanted any more; any other reason is a loss."""


class GuestScheduler:
    """A scheduler in this process."""

    def __init__(self, host: str, files: dict[str, str], port: int = 0) -> None:
        self._belongings = Belongings(files)
        credentials = self._belongings.security.credentials()
        protocol = "tls" if "tls_ca_file" in files else "tcp"
        self._server = _core.ClusterScheduler(address_of(protocol, host, port), credentials)
        # All of it was read, and isn't needed any more.
        self._belongings.remove()
        self.address = reachable(self._server.address)

    def leave(self, grace: float = GRACE_SECONDS) -> None:
        """Tells workers to leave, and is gone."""
        self._server.shut_down(grace)


class GuestWorker:
    """A worker in this process."""

    def __init__(self, scheduler: str, files: dict[str, str], options: dict[str, Any]) -> None:
        # Imported before there are threads: some modules come out half when two threads import them at once.
        importlib.import_module("numpy")
        for module in options["preload"]:
            run_module(module)
        self._belongings = Belongings(files)
        threads = options["nthreads"]
        listen = listening(scheduler, str(self._belongings.folder))
        self._server = _core.ClusterWorker(
            scheduler,
            listen,
            self._belongings.security.credentials(),
            name=options["name"],
            threads=threads,
            memory_limit=_options.memory_of(options["memory_limit"], threads) or int(_core.memory_report()["limit"]),
        )
        if not listen.startswith("unix://"):
            # All of it was read, and isn't needed any more: whoever ends this process leaves nothing behind.
            self._belongings.remove()

    def wait(self, patience: float) -> str | None:
        """Waits until it is over, `patience` seconds at most; gives why it is, or None if it isn't."""
        return self._server.wait(patience)

    def leave(self, grace: float = GRACE_SECONDS) -> None:
        """Leaves; what runs has `grace` seconds to end."""
        self._server.shut_down(grace)
        self._belongings.remove()


class Belongings:
    """The folder of a guest: what he proves himself by, until it was read, and his socket if he has one."""

    def __init__(self, files: dict[str, str]) -> None:
        self._folder = Folder()
        self.folder, self.remove = self._folder.path, self._folder.remove
        self.security: Security = write_files(files, self.folder)
