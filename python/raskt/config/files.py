"""Files and variables as they are, unchecked: whoever keeps settings of its own there may read them so."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, overload

from .nested import assign, deserialize, interpret_value, look_up

__all__ = ["PATH", "collect_env", "collect_yaml", "ensure_file", "paths", "paths_containing_key"]

_PREFIX = "RASKT_"
_FILE = "RASKT_CONFIG"
_INHERITED = "RASKT_INTERNAL_INHERIT_CONFIG"


def usual_paths() -> list[str]:
    """Where settings are looked for: the later win."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    named = [os.environ[_FILE]] if _FILE in os.environ else []
    return ["/etc/raskt", os.path.join(home, "raskt"), *named]


paths: list[str] = usual_paths()
"""The files and folders that are read; the later win."""

PATH: str = paths[-1]
"""Where files of settings are put that aren't there yet."""

_PATHS_AT_FIRST = list(paths)


def changed_paths() -> list[str] | None:
    """The paths that are there, if somebody has changed the list; else the environment says them."""
    return None if paths == _PATHS_AT_FIRST else [path for path in paths if os.path.exists(path)]


@overload
def collect_yaml(paths: Sequence[str], *, return_paths: Literal[False] = False) -> Iterator[dict[str, Any]]: ...


@overload
def collect_yaml(
    paths: Sequence[str], *, return_paths: Literal[True]
) -> Iterator[tuple[pathlib.Path, dict[str, Any]]]: ...


def collect_yaml(
    paths: Sequence[str] = paths, *, return_paths: bool = False
) -> Iterator[dict[str, Any] | tuple[pathlib.Path, dict[str, Any]]]:
    """Read YAML and JSON files as they are, one after the other.

    Parameters
    ----------
    paths : sequence of str
        Files, and folders of files. Those that aren't there or can't be read are left out.
    return_paths : bool
        Whether each comes with its path.

    Raises
    ------
    ValueError
        For a file that is no mapping of names to values.
    ImportError
        For a YAML file where PyYAML isn't installed: `collect` reads raskt's own settings without it.

    Examples
    --------
    >>> import raskt
    >>> list(raskt.config.collect_yaml(["/nowhere"]))
    []
    """
    for file in _files(paths):
        content = _load(file)
        if content is not None:
            yield (pathlib.Path(file), content) if return_paths else content


def _files(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if os.path.isdir(path):
            try:
                names = sorted(os.path.join(path, name) for name in os.listdir(path))
            except OSError:
                continue
            yield from (name for name in names if os.path.splitext(name)[1].lower() in (".json", ".yaml", ".yml"))
        elif os.path.exists(path):
            yield path


def _load(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return None
    try:
        content = json.loads(text) if path.lower().endswith(".json") else _parse_yaml(path, text)
    except ImportError:
        raise
    except Exception as error:
        raise ValueError(f"{path}: not a file of settings: {error}") from None
    if content is not None and not isinstance(content, dict):
        raise ValueError(f"{path}: not a mapping of names to settings, but of type {type(content).__name__}")
    return content


def _parse_yaml(path: str, text: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise ImportError(f"to read {path} as it is takes PyYAML (`pip install pyyaml`)") from None
    return yaml.safe_load(text)


def collect_env(env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Read the variables that begin with ``RASKT_`` as they are: ``RASKT_A__B_C=1`` is ``{"a": {"b_c": 1}}``.

    Parameters
    ----------
    env : mapping, optional
        The variables; by default those of this process.

    Returns
    -------
    dict
        Nested dictionaries; what a parent process handed on by ``RASKT_INTERNAL_INHERIT_CONFIG`` is in it.

    Examples
    --------
    >>> import raskt
    >>> raskt.config.collect_env({"RASKT_MYPROJECT__COLOUR": "red", "HOME": "/"})
    {'myproject': {'colour': 'red'}}
    """
    env = os.environ if env is None else env
    given = {**inherited(env), **{key: interpret_value(env[name]) for name, key in variable_names(env).items()}}
    result: dict[str, Any] = {}
    for key, value in given.items():
        assign(key.split("."), value, result)
    return result


def variable_names(env: Mapping[str, str]) -> dict[str, str]:
    """Variables that say a setting, and its name."""
    names = (name for name in env if name.startswith(_PREFIX) and name not in (_FILE, _INHERITED))
    return {name: name[len(_PREFIX) :].lower().replace("__", ".") for name in names}


def inherited(env: Mapping[str, str]) -> dict[str, Any]:
    """What a parent process hands on."""
    given = deserialize(env[_INHERITED]) if _INHERITED in env else {}
    if not isinstance(given, dict):
        raise ValueError(f"{_INHERITED} holds {type(given).__name__}, and not a dictionary of settings")
    return given


def without_inherited(env: Mapping[str, str]) -> dict[str, str]:
    """The variables without the one by which a parent process hands on all at once."""
    return {name: value for name, value in env.items() if name != _INHERITED}


def paths_containing_key(key: str, paths: Sequence[str] = paths) -> Iterator[pathlib.Path]:
    """The files that say a setting.

    Parameters
    ----------
    key : str
        Its name.
    paths : sequence of str
        Files, and folders of files.

    Examples
    --------
    >>> import raskt
    >>> list(raskt.config.paths_containing_key("scheduler", ["/nowhere"]))
    []
    """
    for path, content in collect_yaml(list(paths), return_paths=True):
        if look_up(key, default := object(), content) is not default:
            yield path


def ensure_file(source: str, destination: str | None = None, comment: bool = True) -> None:
    """Copy a file of settings to where they are read from, unless there is one of that name.

    Parameters
    ----------
    source : str
        The file.
    destination : str, optional
        The folder; by default ``raskt.config.PATH``.
    comment : bool
        Whether its lines are comments there, so that it shows what can be set and sets nothing.

    Examples
    --------
    >>> import os, raskt, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source = os.path.join(folder, "mine.yaml")
    ...     _ = open(source, "w").write("a: 1")
    ...     raskt.config.ensure_file(source, os.path.join(folder, "there"))
    ...     open(os.path.join(folder, "there", "mine.yaml")).read()
    '# a: 1'
    """
    folder = PATH if destination is None else destination
    if os.path.isfile(folder):
        return
    target = os.path.join(folder, os.path.basename(source))
    try:
        if not os.path.exists(target):
            os.makedirs(folder, exist_ok=True)
            _copy(source, target, comment)
    except OSError:
        # It is there for people to look at: nothing depends on it.
        pass


def _copy(source: str, target: str, comment: bool) -> None:
    with open(source, encoding="utf-8") as file:
        lines = list(file)
    if comment:
        lines = [f"# {line}" if line.strip() and not line.startswith("#") else line for line in lines]
    # Whoever reads meanwhile finds all of it or nothing.
    beside = f"{target}.tmp.{os.getpid()}"
    with open(beside, "w", encoding="utf-8") as file:
        file.writelines(lines)
    try:
        os.rename(beside, target)
    except OSError:
        os.remove(beside)
