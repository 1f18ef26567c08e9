"""Expressions in text: `df.query("x > 1 and s == 'a'")`."""

from __future__ import annotations

import ast
import re
import sys
from typing import Any

from ..base.whole import has_rows
from ..generic.levels import level_names

#: What stands for the `@` of local variables while Python parses the text.
LOCAL = "__raskt_local_"

OPERATIONS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le",
    ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip


class NoNativeForm(Exception):
    """The text has something in it that only pandas understands."""


def locals_of_caller(text: str, depth: int) -> dict[str, Any]:
    """The variables that the text names with `@`, looked up in the frame of the caller `depth` calls up."""
    names = set(re.findall(r"@([A-Za-z_]\w*)", re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "", text)))
    if not names:
        return {}
    caller = sys._getframe(depth)
    scope = {**caller.f_globals, **caller.f_locals}
    missing = sorted(names - scope.keys())
    if missing:
        raise NameError(f"local variable {missing[0]!r} of the query is not defined")
    return {name: scope[name] for name in names}


def native_mask(frame: Any, text: str, names: dict[str, Any]) -> Any:
    """The lazy series that the text means; NoNativeForm where only pandas can tell."""
    if re.search(r"[`'\"].*[@&|~].*|`|[^=!<>]=[^=]", text):
        raise NoNativeForm(text)
    plain = re.sub(r"@([A-Za-z_]\w*)", rf"{LOCAL}\1", text.strip())
    # pandas gives & and | the precedence of `and` and `or`.
    plain = plain.replace("&", " and ").replace("|", " or ").replace("~", " not ")
    try:
        tree = ast.parse(plain, mode="eval").body
    except SyntaxError:
        raise NoNativeForm(text) from None
    result = Translation(frame, names).visit(tree)
    if not hasattr(result, "_expr"):
        raise NoNativeForm(text)
    return result


#: Functions and methods that give a row for each row, by itself.
BY_ROW = {
    "sin", "cos", "tan", "exp", "log", "expm1", "log1p", "sqrt", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan",
    "arccosh", "arcsinh", "arctanh", "abs", "log10", "floor", "ceil", "arctan2", "isna", "isnull", "notna", "notnull",
    "isin", "between", "astype", "fillna", "round", "clip",
}  # fmt: skip
#: Those that look at other rows, among the methods of text and of times.
ACROSS_ROWS = {"cat", "get_dummies", "to_period"}


def goes_by_row(text: str, names: dict[str, Any]) -> bool:
    """Whether what a text means is computed of each row alone, as far as it can be told: pandas may be asked for each
    partition then. What names no column is one value for all rows.

    >>> goes_by_row("c = a + sqrt(b)", {}), goes_by_row("s.str.len() > 2", {}), goes_by_row("a > a.mean()", {})
    (True, True, False)
    """
    if any(has_rows(value) and not is_list(value) for value in names.values()):
        return False
    plain = re.sub(r"@([A-Za-z_]\w*)", rf"{LOCAL}\1", re.sub(r"`[^`]*`", "quoted", text))
    try:
        lines = ast.parse("\n".join(line.strip() for line in plain.strip().splitlines()))
    except SyntaxError:
        return False
    nodes = list(ast.walk(lines))
    has_columns = any(isinstance(node, ast.Name) and not node.id.startswith(LOCAL) for node in nodes)
    return has_columns and all(map(is_by_row, nodes))


def names_labels(text: str, frame: Any) -> bool:
    """Whether a text may name the labels of rows: as `index` or `ilevel_0`, or by their own names."""
    names = [str(name) for name in level_names(frame) if name is not None]
    return any(name in text for name in ("index", "ilevel_", *names))


def is_by_row(node: ast.AST) -> bool:
    """Whether a node of a syntax tree looks at no other rows; those below it are asked by themselves."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) or (isinstance(node.func, ast.Name) and node.func.id in BY_ROW)
    if isinstance(node, ast.Attribute):
        owner = node.value.attr if isinstance(node.value, ast.Attribute) else None
        if owner in ("str", "dt"):
            return node.attr not in ACROSS_ROWS
        return node.attr in ("str", "dt") or node.attr in BY_ROW
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "str"
    return True


def is_list(value: Any) -> bool:
    """Whether a value is a list or the like, in which values are looked for."""
    return isinstance(value, list | tuple | set)


class Translation(ast.NodeVisitor):
    """Turns a syntax tree into operations on lazy columns."""

    def __init__(self, frame: Any, names: dict[str, Any]) -> None:
        self.frame = frame
        self.names = names

    def generic_visit(self, node: ast.AST) -> Any:
        raise NoNativeForm(type(node).__name__)

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id.startswith(LOCAL):
            return self.names[node.id.removeprefix(LOCAL)]
        if node.id in self.frame:
            return self.frame[node.id]
        raise NoNativeForm(node.id)

    def visit_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def visit_List(self, node: ast.List) -> Any:
        return [self.visit(item) for item in node.elts]

    visit_Tuple = visit_List  # type: ignore[assignment]

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        return self._apply(node.op, self.visit(node.left), self.visit(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return ~operand
        if isinstance(node.op, ast.USub):
            return -operand
        raise NoNativeForm(type(node.op).__name__)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        first, *rest = (self.visit(value) for value in node.values)
        for other in rest:
            first = first & other if isinstance(node.op, ast.And) else first | other
        return first

    def visit_Compare(self, node: ast.Compare) -> Any:
        left, result = self.visit(node.left), None
        for operation, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.visit(comparator)
            one = self._compare(operation, left, right)
            result = one if result is None else result & one
            left = right
        return result

    def _compare(self, operation: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(operation, ast.In | ast.NotIn):
            if not hasattr(left, "isin"):
                raise NoNativeForm("in")
            found = left.isin(right)
            return ~found if isinstance(operation, ast.NotIn) else found
        if isinstance(left, list) or isinstance(right, list):
            raise NoNativeForm("comparison with a list")
        return self._apply(operation, left, right)

    def _apply(self, operation: ast.AST, left: Any, right: Any) -> Any:
        name = OPERATIONS.get(type(operation))
        if name is None:
            raise NoNativeForm(type(operation).__name__)
        if hasattr(left, "_expr"):
            return left._binary(name, right)
        if hasattr(right, "_expr"):
            return right._binary(name, left, True)
        raise NoNativeForm("an expression of constants")
