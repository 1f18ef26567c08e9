"""Rooms of the Python package: files that import one another in a circle are one file that looks like several."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import raskt

PACKAGE = Path(raskt.__file__).parent

#: Packages whose files must not import one another in circles.
ROOMS = ["array"]


@pytest.mark.parametrize("room", ROOMS)
def test_no_files_import_one_another_in_a_circle(room):
    imports = imports_of(PACKAGE / room, f"raskt.{room}")
    assert [sorted(circle) for circle in circles(imports)] == []


def imports_of(folder: Path, package: str) -> dict[str, set[str]]:
    """What each module of a package imports of it, at the top and within functions, but not for types alone.

    A package runs before its modules do; that is no import of theirs, so long as they ask for modules by their names.
    """
    files = {module_name(path, folder, package): path for path in folder.rglob("*.py")}
    return {name: set(imported(path, name, files)) - {name} for name, path in files.items()}


def module_name(path: Path, folder: Path, package: str) -> str:
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join([package, *(part for part in parts if part != "__init__")])


def imported(path: Path, name: str, modules: dict[str, Path]) -> list[str]:
    found = []
    for node in running(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, name, path.name == "__init__.py")
            # `from package import module` names a module; `from module import thing` does not.
            found += [f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules else base for alias in node.names]
    return [module for module in found if module in modules]


def running(node: ast.AST) -> list[ast.AST]:
    """The nodes that can run: all but those under `if TYPE_CHECKING`."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return [inner for child in node.orelse for inner in running(child)]
    return [node, *(inner for child in ast.iter_child_nodes(node) for inner in running(child))]


def absolute(node: ast.ImportFrom, name: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = name.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, node.module] if node.module else base)


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules that reach one another (Tarjan's strongly connected components of more than one)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        stack.append(module)
        for other in sorted(imports[module]):
            if other not in order:
                visit(other)
            if other in stack:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == order[module]:
            at = stack.index(module)
            group = set(stack[at:])
            del stack[at:]
            if len(group) > 1:
                found.append(group)

    for module in sorted(imports):
        if module not in order:
            visit(module)
    return found


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
