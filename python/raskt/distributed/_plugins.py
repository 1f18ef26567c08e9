"""Plugins: what every worker is to have, those that come later too."""

from __future__ import annotations

import os
import pickle
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from raskt import _core
from raskt._process import codec
from raskt.distributed import _arguments, _errands, _plugged
from raskt.distributed._leaving import has_left
from raskt.distributed._plugin_kinds import NannyPlugin, SchedulerPlugin, UploadFile, WorkerPlugin

PATIENCE_SECONDS = 60.0
"""How long the scheduler has to take a plugin in."""
DEATHS = 4
"""So often all workers end while they set a plugin up, before that is taken for the reason."""


class Plugins:
    """What of a client has to do with plugins."""

    _raskt_cluster_client: _core.ClusterClient

    def sync(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """As `Client.sync`."""
        raise NotImplementedError

    def register_plugin(
        self,
        plugin: WorkerPlugin | NannyPlugin | SchedulerPlugin,
        name: str | None = None,
        idempotent: bool | None = None,
    ) -> dict[str, Any]:
        """Sets up a plugin on all workers, and on those that come later before their first task.

        Parameters
        ----------
        plugin : WorkerPlugin
            What is set up.
        name : str, optional
            What it is called; it takes the place of another one of that name, unless it is `idempotent`.
        idempotent : bool, optional
            What the plugin's own `idempotent` is from now on. Default: what it says.

        Returns
        -------
        dict
            ``{"status": "OK"}`` for each worker, by name.

        Raises
        ------
        Exception
            What `setup` raised on a worker; the plugin is taken back then.
        RuntimeError
            If all workers ended while they set it up, again and again; it is taken back then as well.

        Examples
        --------
        >>> from raskt.distributed import Client, WorkerPlugin, get_worker
        >>> class Greeting(WorkerPlugin):
        ...     name = "greeting"
        ...     def setup(self, worker):
        ...         worker.greeting = "hello"
        >>> with Client(n_workers=1, threads_per_worker=1) as client:
        ...     told = client.register_plugin(Greeting())
        ...     client.submit(lambda: get_worker().greeting).result()
        'hello'
        """
        if isinstance(plugin, SchedulerPlugin):
            raise NotImplementedError(
                "the scheduler runs no code of users: client.story() and get_task_stream() say what it does, and what "
                "is to be there for tasks is a WorkerPlugin"
            )
        if isinstance(plugin, NannyPlugin):
            raise NotImplementedError(
                "what looks after workers runs no code of users: a WorkerPlugin runs in the workers, before their "
                "first task"
            )
        if not isinstance(plugin, WorkerPlugin):
            raise TypeError(f"a plugin is a raskt.distributed.WorkerPlugin, and not {plugin!r}")
        if type(plugin).transition is not WorkerPlugin.transition:
            raise NotImplementedError(
                f"{type(plugin).__name__} has a method transition(), and workers don't tell plugins of the states of "
                "tasks: callbacks of raskt.diagnostics see tasks begin and end"
            )
        if name is not None and not (isinstance(name, str) and name):
            raise ValueError(f"name is {name!r}; the name of a plugin is a text, and has a letter at least")
        if idempotent is not None:
            plugin.idempotent = _arguments.flag("idempotent", idempotent)
        name = name or getattr(plugin, "name", None) or f"{type(plugin).__name__}-{uuid.uuid4()}"
        return self.sync(self._register, str(name), plugin)  # type: ignore[no-any-return]

    def _register(self, name: str, plugin: WorkerPlugin) -> dict[str, Any]:
        version = uuid.uuid4().hex
        written = codec.dump_by_name(plugin)
        data = pickle.dumps((version, codec.dump_by_value(plugin) if written is None else written))
        native = self._raskt_cluster_client
        native.plugin(name, data, PATIENCE_SECONDS)
        try:
            return self._state(name, version)
        except _plugged.Replaced:
            raise
        except BaseException:
            self._take_back(name, version)
            raise

    def _take_back(self, name: str, version: str) -> None:
        """A plugin goes, unless another one has taken its place; and the one that worked until then comes back."""
        native = self._raskt_cluster_client
        try:
            told = _errands.all_of(native, list(_errands.numbers(native, None)), _plugged.former, (name, version))
        except Exception:
            told = {}
        are_there = [is_there for is_there, _ in told.values()]
        if False in are_there and True not in are_there:
            return
        native.plugin(name, None, PATIENCE_SECONDS)
        former = next((data for _, data in told.values() if data is not None), None)
        if former is not None:
            native.plugin(name, former, PATIENCE_SECONDS)

    def _state(self, name: str, version: str) -> dict[str, Any]:
        native = self._raskt_cluster_client
        for times in range(DEATHS):
            names = _errands.numbers(native, None)
            states = self._states_of(names, name, version)
            if states or not (names or times):
                return states
            # All have left: those that are started in their place set it up next.
            try:
                native.wait_for_workers(1, PATIENCE_SECONDS)
            except TimeoutError:
                return {}
        raise RuntimeError(f"all workers ended while they set plugin {name!r} up, {DEATHS} times: it was taken back")

    def _states_of(self, names: dict[int, str], name: str, version: str) -> dict[str, Any]:
        """How the plugin stands on these workers; one that leaves meanwhile has none."""
        errand = _errands.send(self._raskt_cluster_client, list(names), _plugged.state, (name, version))
        states = {}
        for worker, state, error in _errands.given(errand):
            if has_left(error):
                continue
            if error is not None:
                raise error
            states[names[worker]] = state
        return states

    def unregister_worker_plugin(self, name: str, nanny: bool | None = None) -> dict[str, Any]:
        """Tears a plugin down on all workers; those that come later don't have it.

        Parameters
        ----------
        name : str
            What it is called.
        nanny : bool, optional
            There are no plugins of what looks after workers.

        Raises
        ------
        ValueError
            If there is none of that name.
        """
        if nanny:
            raise NotImplementedError("what looks after workers has no plugins")
        return self.sync(self._unregister, name)  # type: ignore[no-any-return]

    def _unregister(self, name: str) -> dict[str, Any]:
        try:
            self._raskt_cluster_client.plugin(name, None, PATIENCE_SECONDS)
        except RuntimeError as error:
            raise ValueError(str(error)) from None
        return self._states_of(_errands.numbers(self._raskt_cluster_client, None), name, "")

    def unregister_scheduler_plugin(self, name: str) -> None:
        """Refused: the scheduler has no plugins."""
        raise NotImplementedError("the scheduler runs no code of users, and has no plugins")

    def register_worker_callbacks(self, setup: Callable[..., Any] | None = None) -> dict[str, Any]:
        """Calls a function on all workers, and on those that come later before their first task.

        Parameters
        ----------
        setup : callable
            What is called; an argument `dask_worker` gets the worker.
        """
        if setup is None:
            raise TypeError("register_worker_callbacks() needs a function: setup=...")
        return self.register_plugin(_Callback(setup))

    def upload_file(self, filename: str | os.PathLike[str], load: bool = True) -> dict[str, Any]:
        """Sends a file to all workers, and to those that come later.

        Parameters
        ----------
        filename : path
            A module (``.py``), an archive of modules (``.zip``, ``.egg``), or any other file.
        load : bool, default True
            Whether modules are imported at once.
        """
        return self.register_plugin(UploadFile(filename, load=load), name=f"upload-file-{Path(filename).name}")

    def run_on_scheduler(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Refused: the scheduler runs no code of users."""
        raise NotImplementedError(
            "the scheduler runs no code of users, so that none can hold it up or end it: client.run() calls functions "
            "on workers, and scheduler_info(), who_has() and story() say what the scheduler knows"
        )


class _Callback(WorkerPlugin):
    """A function as a plugin."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = f"callback-{getattr(function, '__name__', 'function')}-{uuid.uuid4()}"

    def setup(self, worker: Any) -> Any:
        """Calls it."""
        return self.function(**_plugged.with_worker(self.function, worker, {}))
