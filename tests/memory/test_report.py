"""The table of what holds memory."""

from __future__ import annotations

import gc

import raskt
import raskt.array as ra
from raskt.diagnostics import memory


def test_it_tells_what_holds_memory_and_forgets_what_goes() -> None:
    before = memory()
    x = ra.random.default_rng(1).random((1000, 1000), chunks=(250, 1000)).persist()
    found = memory()
    assert found.held - before.held >= x.nbytes
    holder = next(holder for holder in found.holders if "random" in holder.name)
    assert holder.results >= 4 and holder.place == "memory"
    assert "random" in str(found) and "random" in found._repr_html_()
    del x
    gc.collect()
    assert memory().held <= before.held


def test_it_is_plain_data() -> None:
    found = memory().to_dict()
    assert found["limit"] > found["available"] > 0
    assert isinstance(found["holders"], list) and found["disk_limit"] is None


def test_the_settings_show() -> None:
    with raskt.config.set({"memory.limit": "4GiB", "memory.disk-limit": "1GiB"}):
        found = memory()
    assert (found.limit, found.disk_limit) == (2**32, 2**30)
    assert found.limit - found.available >= found.baseline > 0


def test_names_are_escaped_in_notebooks() -> None:
    holder = raskt.diagnostics.Holder("<lambda>", 1, 10, 0, "memory")
    found = raskt.diagnostics.Memory(100, 1, 1, 90, 10, 0, 10, 0, None, "full & broken", 0, 0, 0, [holder], [])
    assert "&lt;lambda&gt;" in found._repr_html_() and "full &amp; broken" in found._repr_html_()
    assert "full & broken" in str(found)
