"""What a client shares with others by name: metadata, datasets and topics."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection
from typing import Any

from raskt.distributed import _datasets, _metadata, _topics
from raskt.distributed._datasets import NO_DEFAULT, Datasets
from raskt.distributed._session import Session

_listeners: weakref.WeakKeyDictionary[Any, dict[Any, _topics.Listener]] = weakref.WeakKeyDictionary()
"""Those of each client, by topic."""


class Sharing:
    """What a client shares with others by name."""

    @property
    def asynchronous(self) -> bool:
        """As `Client.asynchronous`."""
        raise NotImplementedError

    def sync(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """As `Client.sync`."""
        raise NotImplementedError

    # --- metadata -------------------------------------------------------------------------------------------------

    def set_metadata(self, key: Any, value: Any) -> Any:
        """Has the scheduler keep something small for everybody.

        Parameters
        ----------
        key : str, or list of them
            Where; a list is a key and keys within it, whose dictionaries are made as needed. A tuple is one key.
        value : object
            What can be pickled. It takes the place of all that was there.

        Examples
        --------
        >>> from raskt.distributed import Client
        >>> with Client(n_workers=1, threads_per_worker=1) as client:
        ...     client.set_metadata(["x", "y"], 1)
        ...     client.get_metadata("x")
        {'y': 1}
        """
        return self.sync(_metadata.set_metadata, Session(self), key if isinstance(key, list) else [key], value)

    def get_metadata(self, keys: Any, default: Any = NO_DEFAULT) -> Any:
        """What `set_metadata` has put there.

        Parameters
        ----------
        keys : str, or list or tuple of them
            Where; nothing is everything. A tuple under which there is nothing is looked for as one key.
        default : object, optional
            What is given if there is nothing. Default: to raise.

        Raises
        ------
        KeyError
            If there is nothing, and no default.
        """
        keys = keys if isinstance(keys, (list, tuple)) else [keys]
        return self.sync(_got, Session(self), keys, default)

    # --- datasets -------------------------------------------------------------------------------------------------

    @property
    def datasets(self) -> Datasets:
        """The datasets of the cluster as a mapping."""
        return Datasets(self)

    def publish_dataset(self, *args: Any, name: Any = None, override: bool = False, **kwargs: Any) -> Any:
        """Publishes objects and collections under names: other clients have them, also when this one has left.

        Persisted collections and futures stay with the workers; other collections are kept as they are, uncomputed.

        Parameters
        ----------
        *args : object, or dict
            What is published as `name`, or a dict of names.
        name : str, optional
            The name.
        override : bool, default False
            Whether to take the place of what is published already.
        **kwargs
            Names, and what is published under them.

        Raises
        ------
        KeyError
            If there is one of that name.

        Examples
        --------
        >>> from raskt.distributed import Client
        >>> import raskt.array as ra
        >>> with Client(n_workers=1, threads_per_worker=1) as client:
        ...     client.publish_dataset(x=client.persist(ra.arange(4, chunks=2)))
        ...     client.list_datasets(), client.get_dataset("x").sum().compute()
        (['x'], np.int64(6))
        """
        return self.sync(_datasets.publish, Session(self), args, name, override, kwargs)

    def get_dataset(self, name: Any, default: Any = NO_DEFAULT) -> Any:
        """What is published under a name.

        Parameters
        ----------
        name : str, or list of them
            A list gives a list.
        default : object, optional
            What is given if there is none. Default: to raise.

        Raises
        ------
        KeyError
            If there is none, and no default.
        """
        return self.sync(_datasets.get, Session(self), name, default)

    def list_datasets(self) -> Any:
        """The names of all that is published."""
        return self.sync(_datasets.names, Session(self))

    def unpublish_dataset(self, name: Any) -> Any:
        """Takes back what is published under a name, or under each of a list; who has got it keeps it."""
        return self.sync(_datasets.unpublish, Session(self), name)

    # --- topics ---------------------------------------------------------------------------------------------------

    def log_event(self, topic: str | Collection[str], msg: Any) -> Any:
        """Logs an event under a topic; the scheduler keeps the latest of each.

        Parameters
        ----------
        topic : str, or list of them
            Under what.
        msg : object
            What can be pickled.

        Examples
        --------
        >>> from raskt.distributed import Client
        >>> with Client(n_workers=1, threads_per_worker=1) as client:
        ...     client.log_event("x", {"a": 1})
        ...     [msg for time, msg in client.get_events("x")]
        [{'a': 1}]
        """
        return self.sync(_topics.log, Session(self), topic, msg)

    def get_events(self, topic: str | None = None) -> Any:
        """The events of a topic that are kept: pairs of a time, in seconds since 1970, and what was logged.

        They go with the scheduler, also if it has a journal: who asks the next one hears once, by a
        `RuntimeWarning`, since when it has events.

        Parameters
        ----------
        topic : str, optional
            Which. Default: a dict of all.
        """
        return self.sync(_topics.events, Session(self), topic)

    def subscribe_topic(self, topic: str, handler: Callable[[tuple[float, Any]], Any]) -> None:
        """Has a function called with each event that is logged under a topic from here on.

        Parameters
        ----------
        topic : str
            Which.
        handler : callable, or coroutine function
            Called with a pair of a time and what was logged, in a thread of the client; if the client is
            asynchronous, in its loop. It takes the place of an earlier one.
        """
        if not callable(handler):
            raise TypeError(f"handler is {handler!r}; it is called with each event")
        own = _listeners.setdefault(self, {})
        known = own.get(topic)
        if known is not None:
            known.handler = handler
            return
        own[topic] = _topics.Listener(self, topic, handler)

    def unsubscribe_topic(self, topic: str) -> None:
        """Ends that.

        Raises
        ------
        ValueError
            If nobody listens to the topic here.
        """
        known = _listeners.get(self, {}).pop(topic, None)
        if known is None:
            raise ValueError(f"nobody listens to topic {topic!r} here")
        known.end()


def _got(session: Session, keys: Any, default: Any) -> Any:
    try:
        return _metadata.get_metadata(session, keys)
    except KeyError:
        # A tuple may be one key: `set_metadata` takes it for that.
        if isinstance(keys, tuple):
            return _got(session, [keys], default)
        if isinstance(default, str) and default == NO_DEFAULT:
            raise KeyError(".".join(map(str, keys))) from None
        return default
