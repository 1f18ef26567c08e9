"""All settings in force as a mapping, which changes with them."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from .layers import Layer, canonical, checked, is_within, state


class Settings(MutableMapping[str, Any]):
    """The settings in force, or a group of them. What is put in is set from then on, and checked as `set` does.

    Parameters
    ----------
    group : tuple of str
        The group; none is everything.
    """

    def __init__(self, group: tuple[str, ...] = ()) -> None:
        self._group = group

    def __getitem__(self, name: str) -> Any:
        key = self._key(name)
        entries = state.current()
        if key in entries:
            return entries[key][1]
        for parts in (parts for other, (parts, _) in entries.items() if is_within(other, key)):
            return Settings(parts[: len(self._group) + 1])
        raise KeyError(name)

    def __setitem__(self, name: str, value: Any) -> None:
        layer = Layer(checked({".".join((*self._group, name)): value}))
        layer.owned = False
        state.add(layer)

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        state.take_out(self._key(name))

    def __iter__(self) -> Iterator[str]:
        depth = len(self._group)
        within = canonical(".".join(self._group))
        entries = state.current().items()
        names = (parts[depth] for key, (parts, _) in entries if not depth or key.startswith(within + "."))
        return iter(dict.fromkeys(names))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """What is in force now, as nested dictionaries."""
        return {name: value.as_dict() if isinstance(value, Settings) else value for name, value in self.items()}

    def clear(self) -> None:
        """Take out everything; settings of raskt's have their defaults again."""
        for name in list(self):
            del self[name]

    def _key(self, name: str) -> str:
        return canonical(".".join((*self._group, canonical(name))))


settings = Settings()
