"""Which numbers stand in a chapter's prose, and where each of them comes from.

A measured number is tied by a comment that no page shows: ``.844<!--repairs.3-->`` is the third
number that the cell named ``repairs`` prints. ``CONTRIBUTING.md`` has the rules; ``tie_numbers.py``
writes the comments, ``test_prose_numbers.py`` compares them. A glued number would
show its markup in Jupyter; to ask only whether a number is printed somewhere would let others pass.
"""

import ast
import re
from dataclasses import dataclass

NUMERAL = re.compile(
    r"(?<![\w.])(?P<sign>(?<![\w)\]}])[-−])?(?P<digits>\d+(?:\{?,\}?\d{3})*(?:\.\d+)?|\.\d+)"
    r"(?P<power>e[+-]?\d+)?(?!\w)"
)
# what Jupyter or the book shows as it stands: a comment goes behind it
SPAN = re.compile(
    r"^(`{3,})\{[^\n]*\n.*?^\1(?=\s*$)|\$\$.*?\$\$(?: \(eq-[\w-]+\))?|\$[^$]+\$|(?<!`)`[^`]+`(?!`)",
    re.DOTALL | re.MULTILINE,
)
MARKER = re.compile(r"<!--(.*?)-->", re.DOTALL)
REFERENCE = re.compile(r"[a-z_]\w*\.\d+")
ASSERTED = re.compile(r"[a-z_]\w*!")
FREE = ("given", "paper")
ABOUT = re.compile(r"\b(about|some|nearly|roughly|almost|around)\s+[$(]*$", re.IGNORECASE)
PERCENT = re.compile(
    r"\$?(?:<!--[^>]*-->)?[\s-]*"
    r"(?:\\?%|per ?cent\b|points?\b|(?:times\s+)?(?:in|of)\s+(?:a\s+hundred|100)\b)"
)
SMALL = 12

WORDS = "section|chapter|table|figure|theorem|lemma|equation|exercise|objective|function|step|page"
# What is not prose (its length is kept, so that positions stay): comments, code, directives and
# their options, headings, roles, links, list numbers, and the lines of objectives and of time.
NOT_PROSE = [
    MARKER,
    re.compile(r"^(`{3,})(?:[a-z]*|\{code-block\}.*)\n.*?^\1 *$", re.DOTALL | re.MULTILINE),
    re.compile(r"^`{3,}\{.*$|^:[a-z]+:.*$|^#+ .*$|^\s*\d+\. ", re.MULTILINE),
    # of a role only its text is prose: {ref}`the text <target>`
    re.compile(r"\{[a-z:]+\}`[^`<]*`|\{[a-z:]+\}`|<[^`<>]*>`"),
    re.compile(r"\]\([^)]*\)|https?://\S+|\(eq-[\w-]+\)"),
    re.compile(r"^\*Objectives?.*$|^\*\*Time\.\*\*.*(?:\n.+)*", re.MULTILINE),
    re.compile(
        rf"\b(?:{WORDS.replace('|', 's|')}s|eqs\.)\s+\d+(?:\.\d+)*"
        r"(?:(?:,| and| to| or|, and|–)\s\d+(?:\.\d+)*)*(?![.,]?\d)",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:{WORDS}|eq\.)\s+\(?\d+(?:\.\d+)*\)?(?![.,]?\d)", re.IGNORECASE),
    re.compile(r"[_^](?:\{-?\d+\}|\d)"),  # an index or a power
]
YEAR = re.compile(r"1[89]\d\d|20\d\d")


@dataclass(frozen=True)
class Numeral:
    """A number as it stands in a text: half a unit of its last digit is what it leaves open."""

    text: str
    value: float
    digits: float  # without "thousand" or "million"
    half: float
    percent: bool
    signed: bool
    start: int
    end: int

    def says(self, value, percent=False):
        """Whether this is `value`, rounded to as many digits (a share may be told in percent)."""
        wanted = {value}
        if self.percent:
            wanted.add(100 * value)
        elif percent:
            wanted.add(value / 100)
        return any(self._close(number) for number in wanted)

    def _close(self, number):
        if not self.signed:
            number = abs(number)
        off = abs(self.value - number)
        # without the second half a 1 would say .844
        fine = self.half <= 0.005 or off <= 0.15 * abs(number)
        return off <= self.half + 1e-9 * abs(number) and fine


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def numerals(text):
    """Return the numerals of a Markdown text that are neither references nor code blocks."""
    masked = text
    for pattern in NOT_PROSE:
        masked = pattern.sub(_blank, masked)
    masked = re.sub(r"\\frac(\d)(\d)", r"    \1 \2", masked)
    masked = re.sub(r"\\[a-zA-Z]+", _blank, masked)
    return [_numeral(match, text) for match in NUMERAL.finditer(masked)]


def _numeral(match, text):
    digits = re.sub(r"[{},]", "", match["digits"])
    unit = 10.0 ** -len(digits.partition(".")[2])
    if ABOUT.search(text[: match.start()]) and digits.endswith("0") and "." not in digits:
        unit = 10.0 ** (len(digits) - len(digits.rstrip("0")))
    after = text[match.end() :]
    scale = float("1" + (match["power"] or ""))
    if million := re.match(r"(?:<!--[^>]*-->)?[\s-]+(million|thousand)\b", after):
        scale *= {"million": 1e6, "thousand": 1e3}[million[1]]
    percent = PERCENT.match(after)
    return Numeral(
        text=match.group(),
        value=float(digits) * scale * (-1 if match["sign"] else 1),
        digits=float(digits),
        half=unit * scale / 2,
        percent=bool(percent),
        signed=bool(match["sign"]),
        start=match.start(),
        end=match.end(),
    )


def printed(cell):
    """Return what a code cell prints, as numerals in order; a picture prints none."""
    texts = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" not in data:
            texts.append(output.get("text") or data.get("text/plain", ""))
    return [_numeral(m, text) for text in texts for m in NUMERAL.finditer(text)]


def _constants(nodes):
    return {
        abs(float(node.value))
        for node in nodes
        if isinstance(node, ast.Constant) and type(node.value) in (int, float)
    }


class Chapter:
    """The cells of a notebook, and what a tie may point at."""

    def __init__(self, name, notebook):
        self.name, self.cells = name, notebook.cells
        code = [cell for cell in self.cells if cell.cell_type == "code"]
        self.names = [cell.metadata["name"] for cell in code if "name" in cell.metadata]
        named = {cell.metadata["name"]: cell for cell in code if "name" in cell.metadata}
        self.printed = {name: printed(cell) for name, cell in named.items()}
        self.asserted, self.set = {}, set()
        for cell in code:
            nodes = list(ast.walk(ast.parse(cell.source)))
            asserts = [n for node in nodes if isinstance(node, ast.Assert) for n in ast.walk(node)]
            inside = {id(node) for node in asserts}
            self.asserted[cell.metadata.get("name")] = _constants(asserts)
            self.set |= _constants(node for node in nodes if id(node) not in inside)

    def is_literal(self, numeral):
        """Whether a number may stand untied: small, a year, or a number that the code was given."""
        whole, value = "." not in numeral.text, abs(numeral.value)
        if whole and (value <= SMALL or YEAR.fullmatch(numeral.text)):
            return True
        same = {value, numeral.digits} | ({round(value / 100, 9)} if numeral.percent else set())
        return bool(same & self.set)

    def says(self, numeral, entry):
        """Return None if `entry` of a marker gives this numeral, else what it gives instead."""
        if entry in FREE:
            return None
        if ASSERTED.fullmatch(entry):
            return self._says_asserted(numeral, entry[:-1])
        try:
            value, percent = self.value(entry)
        except (KeyError, SyntaxError, ZeroDivisionError) as error:
            return str(error.args[0])
        return None if numeral.says(value, percent) else f"{value:.6g}"

    def _says_asserted(self, numeral, name):
        constants = self.asserted.get(name)
        if constants is None:
            return f"no cell is named {name!r}"
        value = abs(numeral.value)
        same = {value, round(value / 100, 9)} if numeral.percent else {value}
        return None if same & constants else f"no such number in an assert of {name!r}"

    def value(self, entry):
        """Return the value of a tie such as ``a.1``, ``1 - a.2`` or ``100 * a.1 / b.3``."""
        percent = False

        def look_up(match):
            nonlocal percent
            name, _, k = match.group().rpartition(".")
            if name not in self.printed:
                raise KeyError(f"no cell is named {name!r}")
            if not 1 <= int(k) <= len(self.printed[name]):
                raise KeyError(f"{name!r} prints {len(self.printed[name])} numbers")
            number = self.printed[name][int(k) - 1]
            percent = number.percent and match.group() == entry
            return f"({number.value!r})"

        formula, references = REFERENCE.subn(look_up, entry)
        if not references or not re.fullmatch(r"[\d.e+*/() -]+", formula):
            raise SyntaxError(f"not a tie: {entry!r}")
        return eval(formula, {"__builtins__": {}}), percent


def ties(text):
    """Pair the numerals of a text with the entries of its markers.

    A marker with k entries speaks of the last k numerals before it in its paragraph, item or row;
    behind a formula, a piece of code or a directive, a leading ``given`` or ``paper`` speaks of
    the rest of it.

    Returns
    -------
    pairs : list of (Numeral, str or None)
        None where no marker speaks of the numeral.
    wrong : list of str
        What is wrong with a marker itself.
    """
    found, entry_of, wrong, start = numerals(text), {}, [], 0
    spans = [match.span() for match in SPAN.finditer(text)]
    for marker in MARKER.finditer(text):
        if any(first < marker.start() < last for first, last in spans):
            wrong.append(f"{marker.group()} is shown: put it behind the formula or the directive")
        entries = [entry.strip() for entry in marker[1].split(",")]
        behind = len(text[: marker.start()].rstrip())
        opened = next((first for first, last in spans if last == behind), behind)
        block = max(start, min(opened, text.rfind("\n\n", 0, marker.start())))
        before = [n for n in found if block <= n.start and n.end <= marker.start()]
        start = marker.end()
        if entries[0] in FREE:
            inside = sum(n.start > opened for n in before)
            entries = [entries[0]] * (inside - len(entries)) + entries
        if len(entries) > len(before):
            wrong.append(f"{marker.group()} stands behind too few numbers")
        else:
            entry_of |= dict(zip(before[len(before) - len(entries) :], entries, strict=True))
    return [(numeral, entry_of.get(numeral)) for numeral in found], wrong


def check_text(chapter, text):
    """Return what is wrong with the numbers of one text, a line for each."""
    pairs, wrong = ties(text)
    wrong = [f"{chapter.name}: {problem}" for problem in wrong]
    for numeral, entry in pairs:
        where = f"{chapter.name}: {numeral.text} in '…{_around(text, numeral)}…'"
        if entry is None:
            if not chapter.is_literal(numeral):
                wrong.append(f"{where} is tied to no cell")
        elif (other := chapter.says(numeral, entry)) is not None:
            wrong.append(f"{where} is tied to {entry}: {other}")
    return wrong


def _around(text, numeral):
    piece = text[max(0, numeral.start - 40) : numeral.end] + text[numeral.end :][:20]
    return " ".join(MARKER.sub("", piece).split())


def texts(cell):
    """Return the prose of a cell: its text, or the caption and the alt text of its figure."""
    if cell.cell_type == "markdown":
        return [cell.source]
    options = cell.metadata.get("mystnb", {})
    caption = options.get("figure", {}).get("caption", "")
    # an attribute cannot hold a comment, so the last marker of the caption speaks of it
    alt = options.get("image", {}).get("alt", "")
    caption, sign, marker = caption.partition("<!--alt ")
    return [text for text in (caption, alt + (sign and "<!--" + marker)) if text]


def check(chapter):
    """Return what is wrong with the numbers of a chapter's prose."""
    twice = {name for name in chapter.names if chapter.names.count(name) > 1}
    wrong = [f"{chapter.name}: two cells are named {name!r}" for name in sorted(twice)]
    for cell in chapter.cells:
        for text in texts(cell):
            wrong += check_text(chapter, text)
    return wrong
