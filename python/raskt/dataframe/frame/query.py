"""Expressions in text: `df.query("x > 1 and s == 'a'")`."""

from __future__ import annotations

import ast
import re
import sys
from typing import Any

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
    names = set(re.findall(r"@([A-Za-z_]\w*)", text))
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
    if re.search(r"[`'\"].*[@&|].*|`|[^=!<>]=[^=]", text):
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
