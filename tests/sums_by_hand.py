"""Sums in a chapter's formulas, computed: the sides of an equation that are numbers alone agree."""

import itertools
import math
import re

FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<!\\)\$([^$]+)\$", re.DOTALL)
# LaTeX as Python reads it, in this order
LATEX = [
    (r"\{,\}", ""),
    (r"\\(?:left|right|[,;! ])|~|&|\s+", " "),
    (r"\\[td]?frac\s?(\d)\s?(\d)", r"(\1/\2)"),
    (r"\\[td]?frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))"),
    (r"\\(?:cdot|times)(?![a-z])", "*"),
    (r"(?<![\\a-z])e\^", "E^"),
    (r"\\log_2\s*(\([^()]*\)|[\d.]+)", r" ld(\1)"),
    (r"\\(?:ln|log)\s*(\([^()]*\)|[\d.]+)", r" ln(\1)"),
    (r"\\sqrt\s?(\d)", r" sqrt(\1)"),
    (r"\\sqrt\{", " sqrt("),
    (r"\^", "**"),
    (r"\{", "("),
    (r"\}", ")"),
    (r"(?<=[\d)]) *(?=[(E]|ld|ln|sqrt)|(?<=\)) *(?=\d)", "*"),
]
KNOWN = {"__builtins__": {}, "E": math.e, "sqrt": math.sqrt, "ln": math.log, "ld": math.log2}
NUMBERS = re.compile(r"(?:[\d.+*/() -]|E|sqrt|ln|ld)+")
PLAIN = re.compile(r"-? ?\d*\.?\d+")


def sides(formula):
    """Return value and text of each side of a formula that is numbers alone."""
    found = []
    for side in re.split(r"=|\\approx", formula):
        for latex, python in LATEX:
            side = re.sub(latex, python, side)
        side = side.strip(" .,")
        if NUMBERS.fullmatch(side):
            try:
                found.append((float(eval(side, KNOWN)), side))
            except (SyntaxError, TypeError):
                continue  # numbers, but no sum: (1, 0)
    return found


def computed(text):
    """Return where the formulas of a text stand that have two such sides, and which disagree.

    They agree within a unit of the last digit of a result, half of one where it is whole, or, where
    a sum goes on with numbers that were rounded, within half of a hundredth.
    """
    places, wrong = [], []
    for match in FORMULA.finditer(text):
        found = sides(match[1] or match[2])
        if len(found) > 1:
            places.append(match.span())
        for (one, left), (other, right) in itertools.pairwise(found):
            plain = [each.partition(".") for each in (left, right) if PLAIN.fullmatch(each)]
            units = [1.001 * 10.0 ** -len(n) if n else 0.501 for *_, n in plain]
            if abs(one - other) > max(units, default=0.005 * abs(other)):
                wrong.append(f"{match.group()} says that {one:.6g} is {other:.6g}")
    return places, wrong
