"""Files import downwards: no circle of imports, at the top of files or inside of functions."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "python" / "raskt"
#: Packages whose files, and whose folders, must not import each other in a circle.
PACKAGES = ["dataframe"]

Graph = dict[str, set[str]]


@pytest.mark.parametrize("package", PACKAGES)
def test_files_without_circles(package):
    assert circles(imports_of_files(ROOT / package)) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_without_circles(package):
    assert circles(by_folder(imports_of_files(ROOT / package))) == []


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_imports_inside_of_functions_count(tmp_path):
    for name in ("upper", "lower"):
        (tmp_path / name).mkdir()
    (tmp_path / "upper" / "one.py").write_text("from ..lower.two import g\n")
    (tmp_path / "lower" / "two.py").write_text("def g():\n    from ..upper import one\n")
    files = imports_of_files(tmp_path)
    assert circles(files) == [["lower/two", "upper/one"]]
    assert circles(by_folder(files)) == [["lower", "upper"]]


def imports_of_files(folder: Path) -> Graph:
    """The files of a package, by their paths, and those that each of them imports, wherever in it."""
    files = {str(path.relative_to(folder).with_suffix("")): path for path in folder.rglob("*.py")}
    return {name: imported(name, path, set(files)) - {name} for name, path in files.items()}


def imported(name: str, path: Path, files: set[str]) -> set[str]:
    """The files among `files` that one imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and 0 < node.level <= len(Path(name).parents):
            base = Path(name).parents[node.level - 1].joinpath(*(node.module or ".").split("."))
            found |= {file for alias in node.names for file in targets(base, alias.name, files)}
    return found


def targets(base: Path, name: str, files: set[str]) -> set[str]:
    """What `from base import name` means: a file, a file in the package `base`, or what its `__init__` offers."""
    candidates = [str(base), str(base / name), str(base / name / "__init__"), str(base / "__init__")]
    return {next((one for one in candidates if one in files), str(base))} & files


def by_folder(graph: Graph) -> Graph:
    """The same between the folders of a package; its own files, which stand above them, are left out."""
    result: Graph = {}
    for name, others in graph.items():
        if (folder := Path(name).parts[0]) != name:
            seen = {Path(other).parts[0] for other in others if len(Path(other).parts) > 1}
            result.setdefault(folder, set()).update(seen - {folder})
    return result


def circles(graph: Graph) -> list[list[str]]:
    """The groups of names that reach each other, by Tarjan's algorithm."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in order:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == order[name]:
            group = [stack.pop()]
            while group[-1] != name:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return sorted(found)
