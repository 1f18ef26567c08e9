"""Lists of what tests find and is still to be mended. They only shrink: new lines fail, and lines that are done."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "to_mend"


def check_list(name: str, found: list[str]) -> None:
    """Compare what is found with the list; `SHRINK_LISTS=1` strikes out what is done."""
    path = FOLDER / f"{name.replace(' ', '_')}.txt"
    listed = path.read_text("utf-8").splitlines() if path.exists() else []
    new = [line for line in found if line not in set(listed)]
    assert not new, f"{len(new)} not in {path.name}:\n" + "\n".join(new[:50])
    done = [line for line in listed if line not in set(found)]
    if done and os.environ.get("SHRINK_LISTS"):
        path.write_text("".join(f"{line}\n" for line in listed if line in set(found)), "utf-8")
    else:
        assert not done, f"strike out of {path.name} (SHRINK_LISTS=1 does it):\n" + "\n".join(done[:50])
