"""Files import downwards: no circle of imports, at the top of files or inside of functions."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "python" / "raskt"
#: Packages whose files, and whose folders, must not import each other in a circle.
PACKAGES = ["array", "dataframe"]

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


def test_imports_by_whole_names_count_and_those_for_types_do_not(tmp_path):
    room = tmp_path / "array"
    room.mkdir()
    (room / "one.py").write_text("from raskt.array.two import g\n")
    (room / "two.py").write_text("if TYPE_CHECKING:\n    from raskt.array.one import f\n")
    assert imports_of_files(room) == {"one": {"two"}, "two": set()}


def imports_of_files(folder: Path) -> Graph:
    """The files of a package, by their paths, and those that each of them imports, wherever in it."""
    files = {str(path.relative_to(folder).with_suffix("")): path for path in folder.rglob("*.py")}
    return {name: imported(name, path, set(files)) - {name} for name, path in files.items()}


def imported(name: str, path: Path, files: set[str]) -> set[str]:
    """The files among `files` that one imports."""
    found: set[str] = set()
    for node in running(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (base := base_of(node, name, path)) is not None:
            found |= {file for alias in node.names for file in targets(base, alias.name, files)}
    return found


def running(node: ast.AST) -> list[ast.AST]:
    """The nodes that can run, which those under `if TYPE_CHECKING` can't."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return [inner for child in node.orelse for inner in running(child)]
    return [node, *(inner for child in ast.iter_child_nodes(node) for inner in running(child))]


def base_of(node: ast.ImportFrom, name: str, path: Path) -> Path | None:
    """What `from base import ...` names, as a path in the package; nothing if it is elsewhere."""
    words = (node.module or ".").split(".")
    if 0 < node.level <= len(Path(name).parents):
        return Path(name).parents[node.level - 1].joinpath(*words)
    top = path.parents[len(Path(name).parents) - 1].name
    return Path(*words[2:]) if words[:2] == ["raskt", top] else None


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
