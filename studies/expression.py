# SPDX-License-Identifier: Apache-2.0
"""Expressions of study files: arithmetic over names, figures of measures and cells of the table.

    area('timing.delay_ps') / 1000          a figure of measure `area` of this point
    run('kernel.{kernel}.issued')           its path holds a value of the point
    ceil((fo4 - edge) / (period - edge))    columns and values of this point
    l1 > 5                                  1 where it holds, else 0
    stp(ipc_a / alone_a, ipc_b / alone_b)   a metric (metrics.py)
    at('nand2', series='serial', lanes=32)  column nand2 of the one row with these values
    total('um2', system='HAWS')             its sum over the rows with these values; also mean, gmean,
                                            median, least, largest and count
    argmax('warps', 'ipc', width=16)        column warps of the row, of these, where ipc is largest

A value that is absent (a point without the measure, a run that failed) makes what is computed from it
absent. An expression is read once, and refused where it holds anything but this.
"""
import ast
import dataclasses
import math
import statistics

import metrics
from trouble import Trouble


def power(a, b):
    """Of whole numbers exactly, where that ends in this life."""
    return a ** b if abs(a) < 1 << 64 and abs(b) < 1024 else float(a) ** b


OPERATORS = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Pow: power,
    ast.Lt: lambda a, b: int(a < b), ast.LtE: lambda a, b: int(a <= b), ast.Gt: lambda a, b: int(a > b),
    ast.GtE: lambda a, b: int(a >= b), ast.Eq: lambda a, b: int(a == b), ast.NotEq: lambda a, b: int(a != b),
}
FUNCTIONS = {"ceil": math.ceil, "max": max, "min": min, "log2": math.log2, "abs": abs, **metrics.FUNCTIONS}


def one(cells):
    if len(cells) > 1:
        raise ValueError(f"{len(cells)} rows have these values, one is wanted")
    return cells[0]


# Over cells of the rows that have the values behind them: of one column, or of two, the second one deciding.
OF_TABLE = {"at": one, "total": sum, "mean": lambda c: sum(c) / len(c), "gmean": lambda c: metrics.gmean(*c),
            "median": statistics.median, "least": min, "largest": max, "count": len}
OF_TWO = {"argmax": max, "argmin": min}


class Absent(Exception):
    """A value is not there; it has been said why, or the point does without it."""


@dataclasses.dataclass(frozen=True)
class Expression:
    text: str
    tree: ast.expr = dataclasses.field(compare=False, hash=False)


def parse(where, text):
    try:
        return Expression(text, ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two: nested too deeply
        raise Trouble(f"{where}: '{text:.80}' is no expression") from None


def of_table(node):
    """A call over rows. gmean is that with a text, and a metric with numbers."""
    name = node.func.id
    text = node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    return name in OF_TWO or (name in OF_TABLE and (name not in FUNCTIONS or bool(text)))


def paths(expression, measure):
    """The paths that are asked of a measure."""
    return {node.args[0].value for node in ast.walk(expression.tree)
            if isinstance(node, ast.Call) and node.func.id == measure}


def hold(where, expression, names, measures, columns):
    """Refuses whatever evaluate() would not know."""
    def bad(what):
        raise Trouble(f"{where}: '{expression.text}': {what}")

    def texts(node, count):
        texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if len(texts) != count or len(node.args) != count:
            bad(f"{node.func.id} wants {'one text' if count == 1 else f'{count} texts'}")
        return texts

    def call(node):
        name = node.func.id
        if name in measures:
            texts(node, 1)
            if node.keywords:
                bad(f"{name} is a measure and takes no values")
        elif of_table(node):
            for text in texts(node, 2 if name in OF_TWO else 1):
                if text not in columns:
                    bad(f"there is no column '{text}'")
            for key in node.keywords:
                if key.arg not in names | columns:
                    bad(f"there is no value or column '{key.arg}'")
        elif name not in FUNCTIONS or node.keywords or not node.args:
            bad(f"there is no function or measure '{name}'")
        for arg in [*node.args, *(k.value for k in node.keywords)]:
            walk(arg)

    def walk(node):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float, str):
            return
        if isinstance(node, ast.Name):
            if node.id not in names:
                bad(f"there is no value or column '{node.id}' before it")
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            walk(node.left), walk(node.right)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
            walk(node.left), walk(node.comparators[0])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            walk(node.operand)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            call(node)
        else:
            bad("this is not taken: numbers, texts, names, + - * / **, comparisons of two and calls are")

    walk(expression.tree)


def evaluate(expression, names, measures, table):
    """The value; None where something it needs is absent. `measures` are functions from a path to a
    figure, `table` one from (column, values) to the cells."""
    def over_rows(node, args):
        values = {k.arg: value(k.value) for k in node.keywords}
        cells = [table(name, values) for name in args]
        if not cells[0] or any(None in c for c in cells):
            raise Absent
        if node.func.id in OF_TWO:
            which = OF_TWO[node.func.id](cells[1])
            return cells[0][cells[1].index(which)]
        return OF_TABLE[node.func.id](cells[0])

    def value(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if names.get(node.id) is None:
                raise Absent
            return names[node.id]
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Compare):
            return OPERATORS[type(node.ops[0])](value(node.left), value(node.comparators[0]))
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        name, args = node.func.id, [value(a) for a in node.args]
        if name not in measures and of_table(node):
            return over_rows(node, args)
        found = measures[name](args[0]) if name in measures else FUNCTIONS[name](*args)
        if found is None:
            raise Absent
        return found

    try:
        found = value(expression.tree)
        if not isinstance(found, str) and not math.isfinite(found):
            raise ValueError("the value is not finite")
        return found
    except Absent:
        return None
    except (TypeError, ZeroDivisionError, OverflowError, ValueError) as error:
        raise Trouble(f"'{expression.text:.200}': {error}") from None
