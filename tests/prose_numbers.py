"""Which numbers stand in a chapter's prose, and where each of them comes from.

A measured number is tied by a comment that no page shows: ``.844<!--repairs.3-->`` is the third
number that the cell named ``repairs`` prints. ``book/WRITING.md`` has the rules;
``test_prose_numbers.py`` compares, and proposes a tie where there is none. A glued number would
show its markup in Jupyter; to ask only whether a number is printed somewhere would let others pass.
Pages and assignments are compared by ``test_pages.py``; ``12.left.3`` is of chapter 12, and
``voting.1`` of ``page_facts.py``.
"""

import ast
import doctest
import functools
import re
from dataclasses import dataclass

from by_path import NOTEBOOKS, load, notebook
from page_facts import FACTS
from sums_by_hand import computed

NUMERAL = re.compile(
    r"(?<![\w.])(?P<sign>(?<![\w)\]}])[-−])?(?P<digits>\d+(?:\{?,\}?\d{3})*(?:\.\d+)?|\.\d+)"
    r"(?P<power>e[+-]?\d+)?(?!\w)"
)
# what Jupyter or the book shows as it stands: a comment goes behind it
SPAN = re.compile(
    r"^(`{3,})[^\n]*\n.*?^\1(?=\s*$)|\$\$.*?\$\$(?: \(eq-[\w-]+\))?|(?<!\\)\$[^$]+\$|"
    r"(?<!`)`[^`]+`(?!`)",
    re.DOTALL | re.MULTILINE,
)
MARKER = re.compile(r"<!--(.*?)-->", re.DOTALL)
REFERENCE = re.compile(r"(?:\b\d\d\.)?\b[a-z_]\w*\.\d+")
ASSERTED = re.compile(r"[a-z_]\w*!")
FREE = ("given", "paper")
ABOUT = re.compile(r"\b(about|some|nearly|roughly|almost|around)\s+[$(]*$", re.IGNORECASE)
PERCENT = re.compile(
    r"\$?(?:<!--[^>]*-->)?[\s-]*"
    r"(?:\\?%|per ?cent\b|points?\b|(?:times\s+)?(?:in|of)\s+(?:a\s+hundred|100)\b)"
)
SMALL = 12

# A number in words counts where a comment stands right behind it.
SHARES = {"never": 0, "nobody": 0, "none": 0, "all": 1, "always": 1, "everybody": 1}
UNITS = SHARES | {
    "no": 0, "one": 1, "once": 1, "two": 2, "twice": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15, "sixteen": 16, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "hundred": 100, "half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4,
    "fifth": 1 / 5, "tenth": 1 / 10,
}  # fmt: skip
_WORD = "|".join(UNITS)
IN_WORDS = re.compile(
    rf"\b(?:(?P<whole>{_WORD})(?: and a |[ -]))?(?P<word>{_WORD}|halves)s?(?: times)?(?=<!--)",
    re.IGNORECASE,
)
# A word that judges, with a comment behind it: `worth less<!--read.2 < party.1-->`, or
# `does not hold<!--claim KEY-->` with the key of a row of a claims table, or its beginning.
JUDGEMENT = re.compile(r"claim (?P<key>.+)|(?P<left>[^<>]+) (?P<sign>[<>]) (?P<right>[^<>]+)")
SENSES = {
    "<": r"less|fewer|worse|lower|below|smaller|behind|under|narrower|cheaper|"
    r"closer|slower|weaker|lowest|least|worst|smallest|hardly|nearly|loses?|falls?",
    ">": r"more|better|higher|above|larger|ahead|over|wider|dearer|"
    r"farther|faster|stronger|highest|most|best|largest|gains?|rises?|beats?|exceeds?",
    "claim": r"holds?|true|reproduced|right|kept|keeps?",
}
NOT = re.compile(r"\b(?:not|neither|nor|no|none|never|nothing|false|hardly)\b", re.IGNORECASE)

WORDS = "section|chapter|table|figure|theorem|lemma|equation|exercise|objective|function|step|page"
# What is not prose (its length is kept, so that positions stay): comments, code, directives and
# their options, headings, roles, links, list numbers, and the lines of objectives and of time.
NOT_PROSE = [
    MARKER,
    re.compile(r"\A---\n.*?\n---\n", re.DOTALL),  # what a page says of itself
    re.compile(r"^`{3,}\{.*$|^:[a-z]+:.*$|^#+ .*$|^\s*\d+\. ", re.MULTILINE),
    re.compile(r"\{doc\}`(\d\d) </notebooks/\1_\w+>`"),  # a chapter by its number
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


def _code(text):
    """Return the parts of a text between fences of code; a bare fence may close a directive."""
    parts, opened, begun = [], [], None
    for line in re.finditer(r"^(`{3,})(.*)$", text, re.MULTILINE):
        fence, info = line[1], line[2].strip()
        if begun is None and (info or fence not in opened):
            opened.append(fence)
            if re.fullmatch(r"[a-z]*|\{(?:code|raw|literal).*", info):
                begun = line.start()
        elif not info and opened and fence == opened[-1]:
            opened.pop()
            if begun is not None:
                parts.append((begun, line.end()))
            begun = None
    return parts


def numerals(text):
    """Return the numerals of a Markdown text that are neither references nor code blocks."""
    masked = text
    for first, last in _code(text):
        masked = masked[:first] + re.sub(r"[^\n]", " ", masked[first:last]) + masked[last:]
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


def in_words(text):
    """Return the numbers in words of a text that have a comment right behind them."""
    found = []
    for match in IN_WORDS.finditer(text):
        word, whole = match["word"].lower().replace("halves", "half"), match["whole"]
        value = UNITS[word]
        if whole and " and a " in match.group():
            value += UNITS[whole.lower()]
        elif whole and (value < 1 or value == 100):
            value *= UNITS[whole.lower()]
        elif whole:
            value += UNITS[whole.lower()] if UNITS[whole.lower()] >= 20 else 0
        exact = value == round(value) and value <= 20
        half = 0.0 if word in SHARES else 0.5 if exact else 0.1 * value
        found.append(Numeral(match.group(), value, value, half, False, False, *match.span()))
    return found


def printed(cell):
    """Return what a code cell prints, as numerals in order."""
    return [_numeral(m, text) for text in printed_texts(cell) for m in NUMERAL.finditer(text)]


def printed_texts(cell):
    """Return the texts that a code cell prints; a picture prints none."""
    outputs = [(output, output.get("data", {})) for output in cell.get("outputs", [])]
    return [output.get("text") or data.get("text/plain", "")
            for output, data in outputs if "image/png" not in data]  # fmt: skip


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
        self.unnamed = {f"the unnamed cell `{cell.source.partition(chr(10))[0]}`": printed(cell)
                        for cell in code if "name" not in cell.metadata}  # fmt: skip
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

    def proposed(self, numeral):
        """Return the ties that a numeral could have."""
        return [f"{name}.{k}" for name, numbers in (self.printed | self.unnamed).items()
                for k, number in enumerate(numbers, start=1)
                if numeral.says(number.value, number.percent)]  # fmt: skip

    def _numbers(self, name):
        number, _, cell = name.rpartition(".")
        printed = (chapter_of(number) if number else self).printed
        if cell in printed:
            return printed[cell]
        if not number and cell in FACTS:
            return fact(cell)
        raise KeyError(f"no cell is named {name!r}")

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
            numbers = self._numbers(name)
            if not 1 <= int(k) <= len(numbers):
                raise KeyError(f"{name!r} prints {len(numbers)} numbers")
            number = numbers[int(k) - 1]
            percent = number.percent and match.group() == entry
            return f"({number.value!r})"

        formula, references = REFERENCE.subn(look_up, entry)
        if not references or not re.fullmatch(r"[\d.e+*/() -]+", formula):
            raise SyntaxError(f"not a tie: {entry!r}")
        return eval(formula, {"__builtins__": {}}), percent


class Page(Chapter):
    """A page: its ``>>>`` lines are a cell ``doctest``; else it points at chapters and facts."""

    def __init__(self, name, text):
        lines = doctest.DocTestParser().get_examples(text)
        wanted = " ".join(line.want for line in lines)
        self.name, self.asserted, self.unnamed = name, {}, {}
        self.printed = {"doctest": [_numeral(match, wanted) for match in NUMERAL.finditer(wanted)]}
        self.set = _constants(ast.walk(ast.parse("".join(line.source for line in lines))))


@functools.cache
def fact(name):
    """Return the numbers of a fact."""
    if (values := FACTS[name]()) is None:
        raise KeyError("needs PPDM_DATA")
    text = " ".join(str(value) for value in values)
    return [_numeral(match, text) for match in NUMERAL.finditer(text)]


@functools.cache
def chapter_of(number):
    """Return the chapter with this number."""
    (path,) = [path for path in NOTEBOOKS if path.stem.startswith(f"{number}_")]
    return Chapter(path.stem, notebook(path))


@functools.cache
def verdicts():
    """Return ``{key: verdict}`` of the rows of all claims tables."""
    claims_of = load("book/_ext/claims_summary.py").claims_of
    return {row.key: row.verdict for path in NOTEBOOKS for row in claims_of(notebook(path))}


def misjudged(chapter, text):
    """Return what is wrong with the words that judge and are tied, a line for each."""
    wrong = []
    for marker in MARKER.finditer(text):
        if not (tie := JUDGEMENT.fullmatch(marker[1])):
            continue
        before = MARKER.sub("", text[: marker.start()])
        clause = re.split(r"[:;!?|]|\. |\n\n", before)[-1][-80:]
        said = None
        for sense, words in SENSES.items():
            for word in re.finditer(rf"\b(?:{words})\b", clause, re.IGNORECASE):
                if (sense == "claim") == bool(tie["key"]) and (not said or word.end() > said[0]):
                    said = word.end(), sense, bool(NOT.search(clause[: word.start()][-25:]))
        try:
            right = said and _is_so(chapter, tie, *said[1:])
        except (KeyError, SyntaxError, ZeroDivisionError) as error:
            right, clause = False, f"{clause} ({error.args[0]})"
        if not right:
            wrong.append(f"{chapter.name}: '…{' '.join(clause.split())}…' is not {marker[1]}")
    return wrong


def _is_so(chapter, tie, sense, negated):
    if tie["key"]:
        found = {v for key, v in verdicts().items() if key.startswith(tie["key"])}
        return found == {"not"} if negated else found and "not" not in found
    left, right = (
        chapter.value(side)[0] if REFERENCE.search(side) else float(side)
        for side in (tie["left"], tie["right"])
    )
    holds = left < right if tie["sign"] == "<" else left > right
    return holds and (sense == tie["sign"]) != negated


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
    found = sorted(numerals(text) + in_words(text), key=lambda numeral: numeral.start)
    entry_of, wrong, start = {}, [], 0
    spans = [match.span() for match in SPAN.finditer(text)]
    for marker in MARKER.finditer(text):
        if any(first < marker.start() < last for first, last in spans):
            wrong.append(f"{marker.group()} is shown: put it behind the formula or the directive")
        if JUDGEMENT.fullmatch(marker[1]) or marker[1].startswith(" "):  # a plain comment
            continue
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
    wrong = [f"{chapter.name}: {problem}" for problem in [*wrong, *computed(text)[1]]]
    wrong += misjudged(chapter, text)
    for numeral, entry in pairs:
        where = f"{chapter.name}: {numeral.text} in '…{_around(text, numeral)}…'"
        if entry is None:
            if not chapter.is_literal(numeral):
                printers = ", ".join(chapter.proposed(numeral)) or "none prints it"
                wrong.append(f"{where} is tied to no cell ({printers})")
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
