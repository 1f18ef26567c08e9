"""Names of settings that have become others, or have gone."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

__all__ = ["check_deprecations", "deprecations"]

deprecations: dict[str, str | None] = {}
"""Old names, with hyphens, and what they are called now; None where they are gone. Libraries add their own."""


def check_deprecations(key: str, deprecations: Mapping[str, str | None] = deprecations) -> str:
    """The name that a setting has now.

    Parameters
    ----------
    key : str
        The name that somebody uses.
    deprecations : mapping
        Old names with new ones, or None.

    Warns
    -----
    FutureWarning
        If it has another name now.

    Raises
    ------
    ValueError
        If there is no such setting any more.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.check_deprecations("scheduler", {"old": "new"})
    'scheduler'
    """
    old = key.replace("_", "-")
    if old not in deprecations:
        return key
    new = deprecations[old]
    if not new:
        raise ValueError(f"the setting {key!r} has been removed")
    warnings.warn(f"the setting {key!r} is called {new!r} now", FutureWarning, stacklevel=3)
    return new
