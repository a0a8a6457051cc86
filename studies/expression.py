# SPDX-License-Identifier: Apache-2.0
"""Expressions of study files: arithmetic over names, figures of measures and cells of the table.

    area('timing.delay_ps') / 1000          a figure of measure `area` of this point
    ceil((fo4 - edge) / (period - edge))    columns and values of this point
    at('nand2', series='serial', lanes=32)  column nand2 of the one row with these values
    total('um2', system='HAWS')             its sum over the rows with these values

A value that is absent (a point without the measure, a run that failed) makes what is computed from it
absent. An expression is read once, and refused where it holds anything but this.
"""
import ast
import dataclasses
import math

from trouble import Trouble

OPERATORS = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a ** b,
}
FUNCTIONS = {"ceil": math.ceil, "max": max, "min": min, "log2": math.log2}
OF_TABLE = ("at", "total")


class Absent(Exception):
    """A value is not there; it has been said why, or the point does without it."""


@dataclasses.dataclass(frozen=True)
class Expression:
    text: str
    tree: ast.expr = dataclasses.field(compare=False, hash=False)


def parse(where, text):
    try:
        return Expression(text, ast.parse(text.strip(), mode="eval").body)
    except SyntaxError:
        raise Trouble(f"{where}: '{text}' is no expression") from None


def hold(where, expression, names, measures, columns):
    """Refuses whatever evaluate() would not know."""
    def bad(what):
        raise Trouble(f"{where}: '{expression.text}': {what}")

    def walk(node):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float, str):
            return
        if isinstance(node, ast.Name):
            if node.id not in names:
                bad(f"there is no value or column '{node.id}' before it")
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            walk(node.left), walk(node.right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            walk(node.operand)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name, args = node.func.id, node.args
            text = [a.value if isinstance(a, ast.Constant) else None for a in args]
            if name in measures or name in OF_TABLE:
                if len(args) != 1 or not isinstance(text[0], str):
                    bad(f"{name} wants one text")
                if name in OF_TABLE and text[0] not in columns:
                    bad(f"there is no column '{text[0]}'")
                for key in node.keywords:
                    if key.arg not in names | columns:
                        bad(f"there is no value or column '{key.arg}'")
                if name in measures and node.keywords:
                    bad(f"{name} is a measure and takes no values")
            elif name not in FUNCTIONS or node.keywords or not args:
                bad(f"there is no function or measure '{name}'")
            for arg in [*args, *(k.value for k in node.keywords)]:
                walk(arg)
        else:
            bad("this is not taken: numbers, texts, names, + - * / ** and calls are")

    walk(expression.tree)


def evaluate(expression, names, measures, table):
    """The value; None where something it needs is absent. `measures` are functions from a path to a
    figure, `table` one from (column, values) to the cells."""
    def value(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if names.get(node.id) is None:
                raise Absent
            return names[node.id]
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        name, args = node.func.id, [value(a) for a in node.args]
        if name in OF_TABLE:
            cells = table(args[0], {k.arg: value(k.value) for k in node.keywords})
            if not cells or None in cells:
                raise Absent
            if name == "at" and len(cells) > 1:
                raise Trouble(f"'{expression.text}': {len(cells)} rows have these values, one is wanted")
            return sum(cells) if name == "total" else cells[0]
        found = measures[name](args[0]) if name in measures else FUNCTIONS[name](*args)
        if found is None:
            raise Absent
        return found

    try:
        return value(expression.tree)
    except Absent:
        return None
    except (TypeError, ZeroDivisionError, OverflowError, ValueError) as error:
        raise Trouble(f"'{expression.text}': {error}") from None
