"""What the processes of a cluster prove themselves by, in a folder of this user's alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

from raskt import _core
from raskt.distributed._folders import Folder
from raskt.distributed._security import Security

Role = Literal["scheduler", "worker", "client"]

CERTIFICATES_SECONDS = 60.0
"""How long making certificates may take."""


class Keys:
    """A token for a cluster within this host, certificates for one beyond it, or what the user has.

    Each process is given what its role needs and nothing else: a worker can't be a scheduler, and nobody but this
    process has the key of the authority.
    """

    def __init__(self, given: Security | None = None, is_tls: bool = False) -> None:
        self._folder = Folder()
        self.folder = self._folder.path
        self._given, self.is_tls = given, is_tls
        if given is None:
            try:
                self._make()
            except BaseException:
                self.close()
                raise

    def _make(self) -> None:
        if not self.is_tls:
            _core.cluster_token(self.folder / "token")
            return
        made = subprocess.run(
            [sys.executable, "-m", "raskt", "certs", str(self.folder / "certs")],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=CERTIFICATES_SECONDS,
        )
        if made.returncode:
            raise RuntimeError(f"no certificates can be made: {made.stderr.strip()}")

    def security(self, role: Role) -> Security:
        """By what a process of that role is known."""
        if self._given is not None:
            return self._given
        if not self.is_tls:
            return Security(token_file=self.folder / "token")
        certificates = self.folder / "certs"
        return Security(
            tls_ca_file=certificates / "ca.pem",
            tls_cert=certificates / f"{role}.pem",
            tls_key=certificates / f"{role}-key.pem",
        )

    def of_tasks(self) -> dict[str, Path | None] | None:
        """By what tasks of workers within this host are known as clients; None if by what their workers are known by.

        Such a worker could read it anyway: what is in this folder is this user's.
        """
        return self.security("client").credentials() if self._given is None and self.is_tls else None

    def files(self, role: Role) -> dict[str, str]:
        """The same as texts by their kind, for a process that has no part in this host's files."""
        named = self.security(role).credentials()
        return {kind: path.read_text() for kind, path in named.items() if path is not None}

    def close(self) -> None:
        """Takes the folder away."""
        self._folder.remove()


def write_files(files: dict[str, str], folder: Path) -> Security:
    """Writes what `Keys.files` gave into a folder, where nobody else can read it."""
    known = {}
    for kind, text in files.items():
        known[kind] = folder / kind
        descriptor = os.open(known[kind], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
    return Security(**known)
