"""Tokens: hashes of objects by what they are, equal in every process.

What the interpreter builds in is hashed natively; other objects are put into such terms first, by `normalize`.
"""

from __future__ import annotations

from typing import Any

from raskt._core import TokenizationError, token

from . import _functions, _libraries  # noqa: F401  (they register what they know)
from ._normalize import normalize, normalize_token

__all__ = ["TokenizationError", "normalize", "normalize_token", "tokenize"]


def tokenize(*args: Any, ensure_deterministic: bool | None = None, **kwargs: Any) -> str:
    """A hash of the arguments: equal arguments have equal tokens, in every process and on every machine.

    Arrays and frames of NumPy, pandas, Arrow and Polars go by their content, dicts and sets whatever their order,
    functions by their code and by what they close over. Classes say what tells their objects apart by a method
    `__raskt_tokenize__` (or `__dask_tokenize__`), or somebody says it for them: `raskt.normalize_token.register`.

    Parameters
    ----------
    *args, **kwargs
        What is to be hashed.
    ensure_deterministic
        Whether an object that nothing is known of is refused; else it gets a random token.

    Returns
    -------
    str
        32 hexadecimal digits.

    Raises
    ------
    TokenizationError
        If `ensure_deterministic`, and an object has no token that is the same in every process.

    Examples
    --------
    >>> from raskt import tokenize
    >>> tokenize({"a": 1, "b": [2]}) == tokenize({"b": [2], "a": 1})
    True
    >>> tokenize(1) == tokenize(1.0)
    False
    """
    return token(args, kwargs or None, bool(ensure_deterministic))
