"""Tables as people and programs hand them back, and what spreadsheets do to what stands in them.

A table is read in UTF-8 with or without its mark, in UTF-16 with it, and in Windows-1252, with
commas, semicolons or tabs between its cells. A learning platform's own list is filled in for it to
read back: Moodle's grading worksheet in the languages of ``moodle.toml``, Canvas's gradebook.
"""

import csv
import functools
import io
import math
import re
import tomllib
import unicodedata
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd
from course import NAMES, TEXTS

MOODLE = tomllib.loads((TEXTS / "moodle.toml").read_text(encoding="utf-8"))
MONTHS = {word: int(month) for month, words in MOODLE["months"].items() for word in words}
#: What a spreadsheet takes for a formula.
FORMULA = re.compile(r"[=+\-@\t\r]")
IN_WORDS = re.compile(
    r"(?P<day>\d+)(?:er|º)?\W+(?:de )?(?P<month>[^\W\d]{3,})\W+(?:de )?(?P<year>\d{4})|"
    r"(?P<MONTH>[^\W\d]{3,})\W+(?P<DAY>\d+), (?P<YEAR>\d{4})"
)
IN_FIGURES = re.compile(r"(?<!\d)(\d{1,4})([./-]) ?(\d\d?)\2 ?(\d{2,4})(?!\d)")
TIME = re.compile(r"(\d\d?)[:.h](\d\d)(?:[:.]\d\d)?(?:\s?([ap])\.?\s?m)?", re.IGNORECASE)


def decoded(content):
    """Return the text of some bytes; raise ValueError where they are in no encoding of ours."""
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ValueError("neither UTF-8 nor Windows-1252: save it as CSV UTF-8")


def legible(name):
    """Return a file's name as text, also where it was packed in another encoding."""
    content = name.encode("utf-8", "surrogateescape")
    try:
        return decoded(content)
    except ValueError:
        return content.decode("utf-8", "replace")


def read_table(path):
    """Return a table as texts, its index the rows of the spreadsheet, and its delimiter."""
    content = Path(path).read_bytes()
    try:
        text = decoded(content) if content[:2] != b"PK" else ""  # a workbook
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    csv.field_size_limit(1 << 30)
    rows = enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), start=1)
    rows = {line: row for line, row in rows if any(map(str.strip, row))}  # but empty ones
    if not rows:
        raise ValueError(f"{path}: there is no table in it; save it as CSV UTF-8")
    head = [plain(name) for name in rows.pop(min(rows))]
    if wide := [line for line, row in rows.items() if any(map(str.strip, row[len(head) :]))]:
        raise ValueError(f"{path}: row {wide[0]} has more cells than the table has columns")
    cells = [(row + [""] * len(head))[: len(head)] for row in rows.values()]
    table = pd.DataFrame(cells, index=list(rows), columns=head, dtype=str)
    return table.loc[:, [name != "" for name in head]], delimiter


def plain(name):
    """Return a name as it is compared: in one Unicode form, without what ``safe`` has added."""
    return " ".join(unicodedata.normalize("NFC", name.removeprefix("'")).split())


def folded(text):
    """Return a word without capitals, accents and blanks."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if c.isalnum())


def number(text):
    """Return a number, written with a point or a comma."""
    return float(text.strip().replace(",", "."))


def alike(text, known):
    """Return whether a spreadsheet may have made one text of another.

    It takes zeros, shows 202792123456 as 2.02792E+11, and in a narrow encoding loses letters.
    """
    figures = re.sub(r"[Ee].*|\D", "", text)[:15]  # it keeps 15
    try:
        return number(text) == float(f"{int(known):.{len(figures) - 1}e}")
    except ValueError:
        return re.sub("[^A-Za-z0-9]", "", text) == re.sub("[^A-Za-z0-9]", "", known)


def safe(text):
    """Return a text that no spreadsheet runs."""
    return f"'{text}" if FORMULA.match(text) else text


def unsafe(text):
    """Return a text without what ``safe`` has added."""
    return text[1:] if text.startswith("'") and FORMULA.match(text[1:]) else text


def moment(text, order=None):
    """Return a date with its time; ``order`` says what comes first in 02/05/27: day or month.

    Raise LookupError where that is not known, ValueError where it is no date.
    """
    found = IN_WORDS.search(text) or IN_FIGURES.search(text)
    if not found:
        raise ValueError("it is no date")
    if found.re is IN_WORDS:
        day, word, year = (found[key] or found[key.upper()] for key in ("day", "month", "year"))
        month = MONTHS.get(folded(word)[:4]) or MONTHS.get(folded(word)[:3], 0)
    else:
        day, separator, month, year = found.groups()
        if len(day) > 2:  # 2027-05-02
            day, year = year, day
        elif separator != "." and order is None:
            raise LookupError("does day or month come first? Say DATES=day or DATES=month")
        elif separator != "." and order == "month":
            day, month = month, day
    time = TIME.search(text, found.end())
    hour, minute, half = time.groups() if time else (0, 0, None)
    hour = int(hour) % 12 + 12 * (half in "pP") if half else int(hour)  # 12 AM is midnight
    return datetime(int(year) + 2000 * (len(year) < 3), int(month), int(day), hour, int(minute))


def order_of(texts):
    """Return what comes first in dates such as 02/05/27, where one of them leaves no choice."""
    found = [IN_FIGURES.search(text) for text in texts]
    found = [one for one in found if one and one[2] != "." and len(one[1]) < 3]
    ways = {"day" for one in found if int(one[1]) > 12}
    ways |= {"month" for one in found if int(one[3]) > 12}
    return ways.pop() if len(ways) == 1 else None


class Roster:
    """The list of a platform: of Moodle for one assignment, of Canvas for all.

    ``order`` says what comes first in its dates, "day" or "month", where they leave a choice.
    """

    def __init__(self, path, order=None):
        self.path, self.order = Path(path), order
        self.table, self.delimiter = read_table(path)
        columns = list(self.table.columns)
        self.moodle = not {"Student", "ID"} <= set(columns)
        self.column = {"identifier": "ID", "name": "Student"}
        if self.moodle:
            of = {folded(n): what for what, names in MOODLE["columns"].items() for n in names}
            self.column = {of.get(folded(name)): name for name in reversed(columns)}
            if not {"identifier", "grade"} <= set(self.column):
                raise ValueError(
                    f"{path}: no roster. Moodle's grading worksheet has the columns Identifier and "
                    "Grade, in English, German, French, Spanish, Italian, Portuguese or Dutch; "
                    f"Canvas's gradebook has Student and ID; this has {columns}")  # fmt: skip
        # Moodle's worksheet is of one assignment, which its name says
        self.assignment = next((n for n in NAMES if n in self.path.name.casefold()), None)
        if self.moodle and self.assignment is None:
            raise ValueError(f"{path}: its name must hold that of an assignment, one of {NAMES}")

    def rows(self, student):
        """Return which rows are a student's: by the platform's number, else by the name alone."""
        last = student.rpartition("_")[2]
        if last.isdigit() and last != student:
            return self.table[self.column["identifier"]].str.fullmatch(rf"\D*{last}\s*")
        names = self.table.get(self.column.get("name"), pd.Series("", self.table.index))
        mine = names.map(plain) == plain(student)
        return mine & (mine.sum() == 1)  # two of one name: neither gets the other's points

    @functools.cached_property
    def times(self):
        """Return when each row's hand-in was changed last, where the row says a time."""
        column, found = self.column.get("modified"), {}
        texts = self.table.get(column, pd.Series(dtype=str))
        texts = texts[texts.str.contains(r"\d")]
        order = self.order or order_of(texts)
        for row, text in texts.items():
            try:
                found[row] = moment(text, order)
            except (LookupError, ValueError) as error:
                why = f"row {row}, {column}: {text!r}; {error.args[0]}"
                raise ValueError(f"{self.path}: {why}") from None
        return found

    def days_late(self, student, due):
        """Return the days of 24 hours begun since it was due; None where it says no time."""
        times, mine = self.times, self.table.index[self.rows(student)]
        when = next((times[row] for row in mine if row in times), None)
        return when and max(0, math.ceil((when - due) / timedelta(days=1)))

    def fill(self, grades, folder):
        """Write the roster with points and notes; return its path and whom it does not know."""
        unknown = []
        for grade in grades:
            name = grade["assignment"]
            fits = [c for c in self.table.columns if name and c.startswith(name)]
            if self.moodle:
                fits = [self.column["grade"]] if name == self.assignment else []
            if fits and not (mine := self.rows(grade["student"])).any():
                unknown.append(grade["student"])
            elif fits:
                self.table.loc[mine, fits[0]] = f"{grade['points']:g}"
                if "feedback" in self.column:
                    self.table.loc[mine, self.column["feedback"]] = grade["notes"]
        path = Path(folder) / f"{self.path.stem}-graded.csv"
        self.table.to_csv(path, sep=self.delimiter, index=False)
        return path, unknown
