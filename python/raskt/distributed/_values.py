"""Values that processes share: pickles, and results of the cluster that they refer to.

Futures in a value, and results of persisted collections, stay where they are: the value says which they are, and keeps
them alive. What is too large for a scheduler to keep is given to the workers first.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from raskt import _core
from raskt._process import codec
from raskt.distributed._session import Session

LARGE_BYTES = 1 << 20
"""A pickle of more bytes goes to the workers, and the scheduler keeps what refers to it."""

PICKLED, GIVEN = b"p", b"g"
"""What the bytes of a value begin with: its pickle follows, or that of a future of it."""


def dump(session: Session, value: Any) -> tuple[bytes, _core.ClusterReferences | None]:
    """The bytes of a value, and the results that it refers to."""
    data, references = _dump(session, value)
    client = session.any_client() if len(data) > LARGE_BYTES else None
    if client is None:
        return PICKLED + data, references
    # The pickle refers to results as well: they are the value's, as the future is.
    future = client.give([data], True)[0]
    references = references if references is not None else _core.ClusterReferences(client)
    small = pickle.dumps((references.refer(future), future.key), protocol=5)
    references.await_data()
    return GIVEN + small, references


def load(session: Session, values: _core.ClusterValues) -> list[Any]:
    """The values, which have arrived then; whoever is interrupted meanwhile leaves them where they were."""
    found = unpacked(session, values)
    values.taken()
    return found


def unpacked(session: Session, values: _core.ClusterValues) -> list[Any]:
    """The values; it is still to be said that they have arrived. Who can't read them has had them."""
    try:
        references = values.references(session.results_client()) if values.refers() else None
    except BaseException:
        # Another may have a client that takes them up.
        values.give_back()
        raise
    try:
        return [_load(values.pickle(index), references) for index in range(len(values))]
    except Exception:
        values.taken()
        raise
    except BaseException:
        values.give_back()
        raise


def _load(data: bytes, references: _core.ClusterReferences | None) -> Any:
    kind, data = data[:1], data[1:]
    if kind == GIVEN:
        if references is None:
            raise ValueError("a value names a result that it doesn't refer to: it isn't one of raskt")
        (run, layer, index), key = pickle.loads(data)
        data = references.future(run, layer, index, key).result()
    elif kind != PICKLED:
        raise ValueError("what another process has shared isn't a value of raskt")
    if references is None:
        return pickle.loads(data)
    reader = _Reader(io.BytesIO(data), references)
    with references:
        try:
            return reader.load()
        finally:
            reader.forget()


def _dump(session: Session, value: Any) -> tuple[bytes, _core.ClusterReferences | None]:
    references: list[_core.ClusterReferences] = []

    def refer(future: _core.ClusterFuture) -> tuple[int, int, int]:
        if not references:
            references.append(_core.ClusterReferences(session.results_client()))
        return references[0].refer(future)

    client = session.client
    if client is None:
        data = codec.dump_sharing(value, refer)
        return data, references[0] if references else None
    written = _core.ClusterReferences(client._raskt_cluster_client)
    with written:
        data = codec.dump_sharing(value, written.refer)
    written.await_data()
    return data, written if len(written) else None


class _Reader(pickle.Unpickler):
    """Finds the futures to which a pickle refers."""

    def __init__(self, file: io.BytesIO, references: _core.ClusterReferences) -> None:
        super().__init__(file)
        self._references = references

    def forget(self) -> None:
        """It refers to itself, and would have the results until garbage is collected."""
        del self._references

    def persistent_load(self, said: Any) -> Any:
        tag, (run, layer, index), key = said
        if tag != codec.SHARED_FUTURE:
            raise pickle.UnpicklingError(f"{tag!r} is nothing that a value of raskt refers to")
        return self._references.future(run, layer, index, key)
