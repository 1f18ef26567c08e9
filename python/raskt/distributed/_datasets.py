"""Datasets: what is published under a name, and stays when whoever published it has left."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, MutableMapping
from typing import Any

from raskt.distributed._names import read, written
from raskt.distributed._session import Session
from raskt.distributed._values import dump, load

NO_DEFAULT = "__no_default__"
"""As Dask says that there is no default."""


def publish(session: Session, args: tuple[Any, ...], name: Any, override: bool, named: Mapping[str, Any]) -> None:
    """Publishes what is named."""
    datasets: dict[Any, Any] = dict(named)
    if name is not None:
        if not args:
            raise ValueError("publish_dataset(name=...) names what else it is given, and that is nothing")
        datasets[name] = args[0] if len(args) == 1 else args
    elif args:
        if len(args) != 1 or not isinstance(args[0], Mapping):
            raise ValueError("what is published has a name: publish_dataset(x=..., y=...), or a dict, or name=...")
        datasets.update(args[0])
    native = session.native
    known = set() if override else set(native.datasets())
    for each in datasets:
        if written(each) in known:
            raise KeyError(f"dataset {each!r} already exists; override=True replaces it")
    for each, value in datasets.items():
        data, references = dump(session, value)
        native.publish(written(each), data, references, override)


def get(session: Session, name: Any, default: Any = NO_DEFAULT) -> Any:
    """A dataset, or several by a list of names."""
    if isinstance(name, list):
        return [_get(session, each, default) for each in name]
    return _get(session, name, default)


def _get(session: Session, name: Any, default: Any) -> Any:
    try:
        values = session.native.dataset(written(name))
    except KeyError:
        values = None
    if values is not None:
        return load(session, values)[0]
    if isinstance(default, str) and default == NO_DEFAULT:
        raise KeyError(f"Dataset {name!r} not found")
    return default


def names(session: Session) -> list[Any]:
    """All names, in order of the texts that stand for them."""
    return [read(name) for name in session.native.datasets()]


def unpublish(session: Session, name: Any) -> None:
    """Has everybody forget a dataset, or several; those that aren't there are no error."""
    for each in name if isinstance(name, list) else [name]:
        session.native.unpublish(written(each))


class Datasets(MutableMapping[Any, Any]):
    """The datasets of a cluster as a mapping: ``client.datasets``."""

    __slots__ = ("_client",)

    def __init__(self, client: Any) -> None:
        self._client = client

    def _refuse_async(self, instead: str) -> None:
        if self._client.asynchronous:
            raise TypeError(f"the client is asynchronous: write {instead}")

    def __getitem__(self, key: Any) -> Any:
        return self._client.get_dataset(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._refuse_async("`await client.publish_dataset(value, name=...)`")
        self._client.publish_dataset(value, name=key)

    def __delitem__(self, key: Any) -> None:
        self._refuse_async("`await client.unpublish_dataset(name)`")
        self._client.unpublish_dataset(key)

    def __contains__(self, key: Any) -> bool:
        self._refuse_async("`name in await client.list_datasets()`")
        return key in self._client.list_datasets()

    def __iter__(self) -> Iterator[Any]:
        self._refuse_async("`async for`")
        return iter(self._client.list_datasets())

    async def __aiter__(self) -> AsyncIterator[Any]:
        if not self._client.asynchronous:
            raise TypeError("the client isn't asynchronous: write `for`")
        for name in await self._client.list_datasets():
            yield name

    def __len__(self) -> int:
        self._refuse_async("`len(await client.list_datasets())`")
        return len(self._client.list_datasets())
