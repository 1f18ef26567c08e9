"""What is done with futures is done with persisted collections, too."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from processes_seen import until
from raskt import futures as local
from raskt.distributed import Client, as_completed, fire_and_forget, futures_of, progress, wait

PATIENCE = 30


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Path]:
    yield (path := tmp_path / "gate")
    path.touch()


def behind(gate: Path) -> Callable[..., Any]:
    """What waits until a file is there, and gives its argument."""

    def held_up(value: Any) -> Any:
        import time

        while not gate.exists():
            time.sleep(0.01)
        return value

    return held_up


def kept_waiting(client: Client, gate: Path) -> list[Any]:
    """A call and an array that are persisted and not there yet, as long as there is no gate."""
    array = ra.ones(6, chunks=2).map_blocks(behind(gate), dtype=float)
    persisted: list[Any] = client.persist([raskt.delayed(behind(gate))(1), array])
    return persisted


def test_what_is_not_there_yet_is_not_done(client: Client, gate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call, array = kept_waiting(client, gate)
    for object, count in ((call, 1), (array, 3), ([call, {"a": (array,)}], 4), (iter([array]), 3)):
        found = futures_of(object)
        assert len(found) == len(set(found)) == len({future.key for future in found}) == count
        assert {future.status for future in found} == {"pending"}
    assert client.futures_of(array) == futures_of(array) == local.futures_of(array)
    for object in (call, array, [call], {"a": array}):
        with pytest.raises(TimeoutError, match="aren't done"):
            wait(object, timeout=0.01)
    with pytest.raises(TimeoutError, match="aren't done"):
        local.wait(array, timeout=0.01)
    assert as_completed([array, call]).count() == 4
    gate.touch()
    assert len(wait([call, array], timeout=PATIENCE).done) == 4
    assert {future.status for future in futures_of([call, array])} == {"finished"}
    progress(call, [array])
    assert "4 of 4 done" in capsys.readouterr().out
    # What took long to make may be held by a second worker, too.
    assert [bool(holders) for holders in client.who_has(array).values()] == [True] * 3
    assert call.compute() == 1 and array.sum().compute() == 6
    # What is computed of it has its futures, too.
    assert set(futures_of(array + 1)) == set(futures_of(array))
    assert client.gather([call, array])[1] is array


def test_cancelling_failing_and_trying_again(client: Client, tmp_path: Path, gate: Path) -> None:
    call, array = kept_waiting(client, gate)
    client.cancel([call, array])
    gate.touch()
    assert {future.status for future in futures_of(array)} <= {"cancelled"}
    with pytest.raises(CancelledError):
        call.compute()
    with pytest.raises(CancelledError):
        array.compute()

    def reads() -> str:
        return (tmp_path / "told").read_text()

    call = client.persist(raskt.delayed(reads)())
    wait(call, timeout=PATIENCE)
    assert [future.status for future in futures_of(call)] == ["error"]
    (tmp_path / "told").write_text("it is here")
    client.retry(call)
    wait(call, timeout=PATIENCE)
    assert call.compute() == "it is here"


def test_what_is_forgotten_is_done_all_the_same(client: Client, tmp_path: Path, gate: Path) -> None:
    def writes(value: int) -> None:
        (tmp_path / "written").write_text(str(value))

    fire_and_forget(client.persist(raskt.delayed(writes)(raskt.delayed(behind(gate))(5))))
    gate.touch()
    until(lambda: (tmp_path / "written").exists() and (tmp_path / "written").read_text() == "5")


def test_who_asks_for_what_nobody_has_asked_for_is_told(client: Client) -> None:
    frame = rd.from_pandas(pd.DataFrame({"a": range(6)}), npartitions=2)
    lazy: list[Any] = [raskt.delayed(os.getpid)(), ra.ones(4, chunks=2) + 1, frame["a"] + 1]
    asks: list[Callable[..., Any]] = [
        wait,
        progress,
        fire_and_forget,
        client.cancel,
        client.retry,
        client.replicate,
        client.who_has,
    ]
    # Its futures are those of what it reads, of which nothing is said or done.
    lazy += [more := client.persist(ra.ones(4, chunks=2)) + 1, more[1:3], client.persist(raskt.delayed(abs)(-1)).real]
    of_others = [*futures_of(more), *futures_of(lazy[-1])]
    wait(of_others, timeout=PATIENCE)
    assert len(of_others) == 3
    for collection in lazy:
        assert set(futures_of(collection)) <= set(of_others)
        for ask in asks:
            for object in (collection, [collection]):
                with pytest.raises(TypeError, match=r"persist\(\)"):
                    ask(object)
        with pytest.raises(TypeError, match=r"persist\(\)"):
            as_completed([[collection]])
    assert {future.status for future in of_others} == {"finished"}, "nobody has cancelled it"


def test_what_is_here_is_done(client: Client) -> None:
    """Frames come here when they are persisted."""
    frame = client.persist(rd.from_pandas(pd.DataFrame({"a": range(6)}), npartitions=2) + 1)
    here = raskt.persist(ra.ones(4, chunks=2), scheduler="threads")[0]
    for object in (frame, frame["a"].persist(), here, ra.from_array(np.ones(4), chunks=2)):
        assert futures_of([object]) == []
        assert wait(object, timeout=PATIENCE) == (set(), set())


def test_blocks_are_results_of_their_futures(client: Client) -> None:
    array = client.persist(ra.arange(5, chunks=2) * 2)
    functions = client.persist(ra.ones(4, chunks=2).map_blocks(lambda block: block + 1, dtype=float))
    for persisted, blocks in ((array, [[0, 2], [4, 6], [8]]), (functions, [[2.0, 2.0]] * 2)):
        futures = futures_of(persisted)
        for found in ([future.result(PATIENCE) for future in futures], client.gather(futures)):
            assert all(type(block) is np.ndarray for block in found)
            assert [block.tolist() for block in found] == blocks
    first = futures_of(array)[0]
    assert client.submit(lambda block: (type(block), block.sum()), first).result(PATIENCE) == (np.ndarray, 2)
    first.result(PATIENCE)[:] = 9
    assert array.compute().tolist() == [0, 2, 4, 6, 8]
