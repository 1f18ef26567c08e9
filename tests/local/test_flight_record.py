"""Flight records: what happened to a scheduler, in a file."""

from __future__ import annotations

import numpy as np
import pytest

import raskt
import raskt.array as ra


def test_a_computation_leaves_a_record(tmp_path):
    with raskt.config.set({"flight-record": str(tmp_path)}):
        assert raskt.delayed(sum)([raskt.delayed(abs)(-i) for i in range(10)]).compute() == 45
        [record] = tmp_path.glob("*.flight")
        after_calls = record.read_bytes()
        assert after_calls.startswith(b"raskt flight ")
        # Native work that is small is usually done apart; here it is recorded like all else.
        assert (ra.asarray(np.ones(8), chunks=4) + 1).sum().compute() == 16
        assert record.read_bytes().startswith(after_calls)
        assert len(record.read_bytes()) > len(after_calls)


def test_without_the_setting_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert raskt.delayed(abs)(-1).compute() == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_an_error_of_the_call(tmp_path):
    missing = tmp_path / "missing"
    with raskt.config.set({"flight-record": str(missing)}), pytest.raises(OSError, match="missing"):
        raskt.delayed(abs)(-1).compute()
    assert raskt.delayed(abs)(-1).compute() == 1
