"""Workers whose network goes away for a while. Longer: `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest
from namespaces import link_down, missing

DOWN_SECONDS = 5.0
BACK_SECONDS = 15.0


@pytest.mark.parametrize("which", [(0,), (0, 1)], ids=["one", "all"])
def test_a_link_that_is_down_for_a_while(tmp_path: Path, which: tuple[int, ...]) -> None:
    if why := missing():
        pytest.skip(why)
    healed = link_down(tmp_path, 2, DOWN_SECONDS, which)
    assert healed.results == [number * number for number in range(len(healed.results))]
    assert healed.finished and healed.redone == 0
    assert healed.back_seconds <= BACK_SECONDS
