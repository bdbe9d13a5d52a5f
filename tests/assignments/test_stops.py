"""What a student is told of an error, of a cell and of a function that a test calls."""

import nbformat
import pytest

pytest.importorskip("nbclient", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

from running import run
from stops import told, why

#: A cell, and why it stopped.
CELLS = {
    "x = 1": "",
    "def f(x)\n    return x": "stopped with SyntaxError, line 1: expected ':'",
    "for i in range(3):\nprint(i)": "stopped with IndentationError, line 2: expected an indented "
    "block after 'for' statement on line 1",
    "\nimport no_such_module": "stopped with ModuleNotFoundError, line 2: No module named "
    "'no_such_module'",
    # the line of the cell itself, not that of a library or of another cell
    "def g(x):\n    return x / 0\n\ng(2)": "stopped with ZeroDivisionError, line 2: division by "
    "zero",
    "y = 1\n\ny = g(3)": "stopped with ZeroDivisionError, line 3: division by zero",
    "import numpy as np\nnp.linalg.inv(np.zeros((2, 2)))": "stopped with LinAlgError, line 2: "
    "Singular matrix",
    "try:\n    g(1)\nexcept ZeroDivisionError:\n    raise KeyError('a')": "stopped with KeyError, "
    "line 4: 'a'",
    "assert x == 2": "stopped with AssertionError, line 1",
    "raise ValueError('one\\ntwo')": "stopped with ValueError, line 1: one",
    "open('/home/anna b/case.csv')": "stopped with FileNotFoundError, line 1: [Errno 2] No such "
    "file or directory: '…/case.csv'",
    "print('UsageError: no')": "",
    "%no_such": "stopped with UsageError: Line magic function `%no_such` not found.",
    "raise ValueError(1000 * 'x')": "stopped with ValueError, line 1: " + (240 - 20) * "x",
    "while True:\n    pass": "did not end in time",
}
#: A cell, a test that calls it, and what the test says.
CALLS = {
    "right": ("def one(): return 1", "assert one() == 1", None),
    "nothing": ("def two(): raise NotImplementedError()", "two()", "nothing was handed in for"),
    "missing": ("", "three()", "three is not there: was its cell left open, or did it stop?"),
    "typo": ("def four(x):\n    return y_\n", "four(1)",
             "your code stopped with NameError, line 2 of four: name 'y_' is not defined"),
    "in a helper": ("def half(x):\n    return x / 0\n\ndef five(x):\n    return half(x)",
                    "five(1)", "your code stopped with ZeroDivisionError, line 2 of half: divi"),
    "in a comprehension": ("\ndef ten(x):\n    return [1 / y for y in x]", "ten([0])",
                           "your code stopped with ZeroDivisionError, line 2 of ten"),
    "a lambda": ("eleven = lambda: {}[1]", "eleven()", "your code stopped with KeyError: 1"),
    "a method": ("class Twelve:\n    def of(self):\n        return self.x_\nt = Twelve()",
                 "t.of()", "your code stopped with AttributeError, line 2 of of: 'Twelve' object"),
    "in a library": ("import numpy as np\ndef six():\n    return np.linalg.inv(np.zeros((2, 2)))",
                     "six()", "your code stopped with LinAlgError, line 2 of six: Singular matrix"),
    "two lines": ("def seven():\n    raise ValueError('one\\ntwo')", "seven()",
                  "your code stopped with ValueError, line 2 of seven: one"),
    "of the test": ("def eight(): return None", "1 + eight()",
                    "your code stopped with TypeError: unsupported operand type(s) for +: 'int'"),
    "as it should": (
        "def nine(x):\n    raise ValueError('no')",
        "try:\n    nine(1)\nexcept ValueError as wrong:\n    assert 'no' == str(wrong)", None),
}  # fmt: skip


@pytest.fixture(scope="module")
def ran():
    """Return the cells as they were run, in one kernel, and what each test said."""
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    for name, (code, asks, _) in CALLS.items():
        cells += [nbformat.v4.new_code_cell(code), nbformat.v4.new_code_cell(asks)]
        cells[-1].metadata["nbgrader"] = {"grade_id": name}
    notebook = nbformat.v4.new_notebook(cells=cells)
    failed, notes = run(notebook, {name: asks for name, (_, asks, _) in CALLS.items()}, [],
                        timeout=5)  # fmt: skip
    assert not notes
    return dict(zip(CELLS, notebook.cells, strict=False)), failed


@pytest.mark.parametrize("code", CELLS)
def test_a_cell_that_stops_says_what_and_where(ran, code):
    assert why(ran[0][code]) == CELLS[code]


@pytest.mark.parametrize("name", CALLS)
def test_a_function_that_stops_says_what_and_where(ran, name):
    said, expected = ran[1].get(name), CALLS[name][-1]
    assert said is None if expected is None else said.startswith(expected), said


@pytest.mark.parametrize(
    ("says", "left"),
    [
        ("cannot import name 'x' from 'numpy' (/usr/lib/numpy/__init__.py)",
         "cannot import name 'x' from 'numpy' (…/__init__.py)"),
        ("no such file: C:\\Users\\anna\\case.csv", "no such file: …/case.csv"),
        ("'C:\\\\Users\\\\anna b\\\\case.csv'", "'…/case.csv'"),
        ("'/a b/c' -> '/d/e f'", "'…/c' -> '…/e f'"),
        # no path is a quotient, an operator, a date, or an escape
        ("unsupported operand type(s) for /: 'int' and 'str'",) * 2,
        ("unsupported operand type(s) for //: 'int' and 'str'",) * 2,
        ("a/b, 1/2/3, bad escape \\d, '/'",) * 2,
    ],
)  # fmt: skip
def test_of_a_path_its_name_is_left(says, left):
    assert told("E", "", says) == f"E: {left}"
