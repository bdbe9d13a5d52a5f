"""Why a student's code stopped, in a sentence: the kind of error, its line, what it says.

All of it comes from the student's kernel: it is read as text, and cut.
"""

import re

from course import metadata

#: Characters of a sentence.
LONGEST = 240
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FRAME = re.compile(r"Cell In\[(\d+)\], line (\d+)")
#: What Python adds to a syntax error: the file that a kernel makes of a cell.
CELL = re.compile(r" \(\d+\.py, line \d+\)$")
# within quotes a path may have spaces; outside, one slash is a division
PATH = re.compile(
    r"(?<=['\"])(?:[A-Za-z]:|~)?[\\/][^'\"]*[\\/][^'\"]+(?=['\"])"
    r"|(?<![\w/\\.])(?:[A-Za-z]:|~)?(?:[\\/][\w.+@-]+){2,}"
)
AFTER = re.compile(r"[\\/]")
#: A wrong % leaves no other trace.
USAGE = re.compile(r"^UsageError: (.*)", re.MULTILINE)


def told(kind, where, says):
    """Return an error as ``SyntaxError, line 1: expected ':'``, without the folders of a path."""
    where = f", {where}" if where else ""
    first = CELL.sub("", str(says).strip().partition("\n")[0][: 2 * LONGEST])
    text = f"{kind}{where}: " + PATH.sub(lambda found: "…/" + AFTER.split(found[0])[-1], first)
    return text.removesuffix(": ")[:LONGEST]


def line_of(cell, traceback):
    """Return the line of a cell at which it stopped, or an empty text if a traceback names none.

    The first frame is the cell's own. A function in it may have called others, of libraries and of
    other cells: the last frame of the same cell counts.
    """
    frames = FRAME.findall(COLOUR.sub("", "\n".join(map(str, traceback))))
    lines = [int(line[:6]) for number, line in frames if number == frames[0][0]]
    above = cell.source[: -len(cell.source.lstrip()) or None].count("\n")  # IPython cuts them
    return f"line {lines[-1] + above}" if lines else ""


def why(cell):
    """Return in which way a code cell that was run stopped, or an empty text: it ran to its end."""
    found = ""
    for out in cell.outputs:
        if out.output_type == "error":
            if out.ename in ("CellTimeoutError", "KeyboardInterrupt"):
                return "did not end in time"
            found = told(out.ename, line_of(cell, out.traceback or ()), out.evalue)
        elif out.get("name") == "stderr" and (usage := USAGE.search(str(out.text))):
            found = told("UsageError", "", usage[1])
    return found and f"stopped with {found}"


def stopped(notebook, blank):
    """Return why each cell stopped that is worth no points, by the cell's id.

    What is as it was handed out, ``blank``, stops as it has to.
    """
    return {cell.id: said for cell in notebook.cells
            if cell.cell_type == "code" and not metadata(cell).get("grade")
            and blank.get(metadata(cell).get("grade_id")) != cell.source
            and (said := why(cell))}  # fmt: skip


def whose(cell):
    """Return what a page calls a code cell: students do not see names."""
    if not metadata(cell):
        return "a cell that you added"
    return "your cell" if metadata(cell).solution else "a cell that was given"
