"""Tables as spreadsheets and learning platforms write them; nothing is run."""

import csv
import json
from datetime import datetime

import pandas as pd
import pytest

pytest.importorskip("nbgrader", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

from grade import Course
from tables import MOODLE as WORDS
from tables import Roster, moment, read_table, safe, unsafe

SEED, ROLES = "202792123456", {"1_roles": {"marks": {}}}
PEOPLE = ["007", "Björn Ö", "Bjo\u0308rn K", "Zoë 'Z'", "ขจร", "=cmd()", "- Anna",
          "12345678901234567"]  # fmt: skip


@pytest.fixture
def course(tmp_path):
    """A course of one question, with a table as it is written, and what was read of it."""
    home = tmp_path / SEED
    (home / "source" / "1_roles").mkdir(parents=True)
    cell = {"cell_type": "markdown", "source": "", "metadata": {"nbgrader": {
        "grade_id": "advice", "grade": True, "solution": True, "points": 4}}}  # fmt: skip
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (home / "source" / "1_roles" / "1_roles.ipynb").write_text(json.dumps(notebook))
    made = Course(home)
    made.book = {student: ROLES for student in PEOPLE}
    return made


def rows(course, points="3", comment="Gut, aber: Größe?"):
    """Return the table of the course, a row each, as ``Course.write`` makes it."""
    return [{"key": key, "seed": SEED, "student": safe(where[1]), "assignment": "1_roles",
             "question": "advice", "of": "4", "points": points, "comment": comment,
             "answer": "a\nb"}
            for key, where in course.answers().items()]  # fmt: skip


def csv_of(table, delimiter=",", end="\r\n", columns=None):
    lines = pd.DataFrame(table, columns=columns).to_csv(index=False, sep=delimiter)
    return lines.replace("\n", end)


def renamed(table, names, **others):
    """Return a table with other names of some students."""
    return [row | {"student": names.get(row["student"], row["student"])} | others for row in table]


OLD = ["seed", "student", "assignment", "question", "of", "points", "comment", "answer"]
#: What spreadsheets and hands do to the table and leaves every mark where it belongs: its bytes.
KEPT = {
    "as it was written": lambda table: csv_of(table).encode("utf-8-sig"),
    "without the mark": lambda table: csv_of(table).encode(),
    "Excel, CSV UTF-8": lambda table: csv_of(table, ";").encode("utf-8-sig"),
    "Excel, CSV in Germany": lambda table: csv_of(table, ";").encode("cp1252", "replace"),
    "Excel, Unicode text": lambda table: csv_of(table, "\t").encode("utf-16"),
    "ends of a Mac": lambda table: csv_of(table, end="\r").encode(),
    "empty last rows": lambda table: (csv_of(table, ";") + 3 * ";;;;;;;;\r\n").encode(),
    "empty columns": lambda table: csv_of(table, ";").replace("\r\n", ";;\r\n").encode(),
    "numbers for names": lambda table: csv_of(renamed(
        table, {"007": "7", "12345678901234567": "1,23457E+16"}, seed="2.02792E+11")).encode(),
    "names in the other Unicode form": lambda table: csv_of(renamed(
        table, {"Björn Ö": "Bjo\u0308rn O\u0308", "Bjo\u0308rn K": "Björn K"})).encode(),
    "sorted by points and name": lambda table: csv_of(
        sorted(table, key=lambda row: row["student"], reverse=True)).encode(),
    "columns in another order": lambda table: csv_of(
        table, columns=["points", "student", *OLD[2:5], "seed", "comment", "key"]).encode(),
    "no column but key, points and comment": lambda table: csv_of(
        table, columns=["key", "points", "comment"]).encode(),
    "points 3,0": lambda table: csv_of(renamed(table, {}, points="3,0"), ";").encode(),
    "points with a blank": lambda table: csv_of(renamed(table, {}, points="3\xa0")).encode(),
    "today's columns": lambda table: csv_of(table, columns=OLD).encode(),
    "today's columns, numbers for names": lambda table: csv_of(renamed(
        table, {"007": "7", "12345678901234567": "1.23457E+16"}, seed="2,02792E+11"), ";",
        columns=OLD).encode(),
    "today's columns, Excel in Germany": lambda table: csv_of(
        table, ";", columns=OLD).encode("cp1252", "replace"),
}  # fmt: skip


@pytest.mark.parametrize("what", KEPT)
def test_a_table_comes_back_from_a_spreadsheet(course, what):
    (course.folder / "by_hand.csv").write_bytes(KEPT[what](rows(course)))
    marks = course.marks()
    assert marks == {(who, "1_roles", "advice"): (3, "Gut, aber: Größe?") for who in PEOPLE}


@pytest.mark.parametrize(
    "comment", ["- zu kurz", "=3+1?", "'t Hooft", "+1", "@Anna: gut", "gut\nso"]
)
def test_a_comment_that_looks_like_a_formula_stays_a_comment(course, comment):
    for _ in range(2):  # and does not grow
        table = [row | {"comment": safe(comment)} for row in rows(course)]
        (course.folder / "by_hand.csv").write_text(csv_of(table, end="\n"), encoding="utf-8")
        assert {said for _, said in course.marks().values()} == {comment}
    assert unsafe(safe(comment)) == comment
    assert safe(comment)[0] not in "=+-@"


def changed(line, **what):
    """Return what changes a row."""
    return lambda table: csv_of([*table[:line], table[line] | what, *table[line + 1 :]]).encode()


#: What is refused, and what is said of it.
REFUSED = {
    "a date for points": (changed(1, points="02. Mai"), "row 3, points: '02. Mai'; a number"),
    "a word for points": (changed(0, points="good"), "row 2, points: 'good'"),
    "no number for points": (changed(0, points="nan"), "row 2, points: 'nan'"),
    "half a point too much": (changed(0, points="4.5"), "row 2, points: '4.5'; a number from 0"),
    "less than none": (changed(0, points="-1"), "row 2, points: '-1'; a number from 0 to 4"),
    "of another question": (changed(0, question="advise"), "row 2, question: 'advise'"),
    "of another assignment": (changed(0, assignment="9_none"), "row 2, assignment: '9_none'"),
    "a key of nobody": (changed(0, key="key-1"), "row 2, key: 'key-1'; no answer of this course"),
    "names sorted without the rest": (
        lambda table: csv_of([a | {"student": b["student"]} for a, b in zip(
            table, table[::-1], strict=True)]).encode(), "row 2, student: '12345678901234567'"),
    "another course's": (changed(0, key="", seed="2026"), "row 2, seed: '2026'; this is the"),
    "a stranger": (changed(0, key="", student="Eve"), "row 2, student: 'Eve'"),
    "a row twice": (lambda table: csv_of([*table, table[0]]).encode(),
                    "row 10, question: 'advice'; it stands in two rows"),
    "after empty rows": (lambda table: csv_of(table).replace("\r\n", "\r\n;\r\n".replace(
        ";", 8 * ","), 1).replace(",3,", ",9,", 1).encode(), "row 3, points: '9'"),
    "a comma in a comment": (lambda table: csv_of(table).replace('"Gut, aber: Größe?"', "a,b", 1)
                             .encode(), "row 2 has more cells than the table has columns"),
    "a workbook": (lambda table: b"PK\x03\x04", "there is no table in it; save it as CSV UTF-8"),
    "nothing": (lambda table: b"\r\n\r\n", "there is no table in it"),
    "no points": (lambda table: csv_of(table, columns=["key", "comment"]).encode(),
                  "it has no column 'points'"),
    "neither key nor seed": (lambda table: csv_of(table, columns=OLD[1:]).encode(),
                             "it has no column 'seed'"),
    "another encoding": (lambda table: b"key,points\r\n\x81\x8d,\x8f\r\n",
                  "neither UTF-8 nor Windows-1252: save it as CSV UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_is_named_by_its_file_and_row(course, what):
    change, says = REFUSED[what]
    (course.folder / "by_hand.csv").write_bytes(change(rows(course)))
    with pytest.raises(ValueError, match=r"by_hand\.csv: ") as error:
        course.marks()
    assert says in str(error.value)


def test_two_that_a_spreadsheet_made_alike_need_their_key(course):
    course.book["07"] = ROLES
    table = [row | {"student": "7"} for row in rows(course) if row["student"] in ("007", "07")]
    (course.folder / "by_hand.csv").write_text(csv_of(table))
    assert len(course.marks()) == 2
    (course.folder / "by_hand.csv").write_text(csv_of(table, columns=OLD))
    with pytest.raises(ValueError, match="row 2, student: '7'"):
        course.marks()


#: Dates of Moodle's lists and of spreadsheets, and what they say; None: it must be asked.
DATES = {
    "Friday, 2 April 2027, 11:58 PM": "2027-04-02 23:58",
    "Friday, April 2, 2027, 12:05 AM": "2027-04-02 00:05",
    "Friday, 2 April 2027, 11:58\u202fpm": "2027-04-02 23:58",
    "Freitag, 2. April 2027, 23:58": "2027-04-02 23:58",
    "Dienstag, 2. März 2027, 00:05": "2027-03-02 00:05",
    "vendredi 2 avril 2027, 23:58": "2027-04-02 23:58",
    "mardi 1er juin 2027, 09:05": "2027-06-01 09:05",
    "jeudi 1 juillet 2027, 9:05": "2027-07-01 09:05",
    "dimanche 1 août 2027, 9:05": "2027-08-01 09:05",
    "viernes, 2 de abril de 2027, 23:58": "2027-04-02 23:58",
    "martes, 5 de enero de 2027, 10:00": "2027-01-05 10:00",
    "venerdì, 2 luglio 2027, 23:58": "2027-07-02 23:58",
    "sexta-feira, 2 abr. 2027, 23:58": "2027-04-02 23:58",
    "maandag, 3 mei 2027, 23:58": "2027-05-03 23:58",
    "02.04.2027 23:58": "2027-04-02 23:58",
    "2.4.27 23:58:59": "2027-04-02 23:58",
    "2027-04-02 23:58": "2027-04-02 23:58",
    "2027-04-02T23:58:00": "2027-04-02 23:58",
    "02/05/27 10:00": None,
    "5-2-2027 10:00 pm": None,
}


@pytest.mark.parametrize("text", DATES)
def test_a_date_is_read_in_the_common_languages(text):
    if DATES[text]:
        assert f"{moment(text):%Y-%m-%d %H:%M}" == DATES[text]
    else:
        with pytest.raises(LookupError, match="DATES=day or DATES=month"):
            moment(text)
        assert moment(text, "day") != moment(text, "month")
    with pytest.raises(ValueError, match="it is no date"):
        moment(text.replace("2", "x"))


def grades(**points):
    return [
        {"student": who, "assignment": "1_roles", "points": value, "notes": f"of {value}"}
        for who, value in points.items()
    ]


LATE = ("Friday, 2 April 2027, 11:58 PM", "Saturday, 3 April 2027, 12:05 AM")
#: Moodle's list in other languages: columns, how it calls people, two times, one in time.
LISTS = {
    "English": (0, "Participant ", *LATE),
    "German": (
        1, "Teilnehmer/in", "Freitag, 2. April 2027, 23:58", "Samstag, 3. April 2027, 00:05"),
    "French": (2, "Participant", "vendredi 2 avril 2027, 23:58", "samedi 3 avril 2027, 00:05"),
    "Spanish": (
        3, "Participante ", "viernes, 2 de abril de 2027, 23:58",
        "sábado, 3 de abril de 2027, 00:05"),
    "a German spreadsheet": (1, "Teilnehmer/in", "02.04.2027 23:58", "03.04.2027 00:05"),
    "slashes that leave no choice": (0, "Participant ", "02/04/27 23:58", "13/04/27 00:05"),
}  # fmt: skip


def of_moodle(language, encoding="utf-8-sig", delimiter=","):
    """Return a list of four: two of one name, one who handed in nothing, and one more."""
    place, person, *times = LISTS[language]
    head = [words[place] for words in WORDS["columns"].values()]
    people = zip((77, 177, 79, 80), ("Dora_Ö", "Dora_Ö", "Nobody", "Zoë"), [*times, "-", times[1]],
                 strict=True)  # fmt: skip
    lines = [[f"{person}{n}", name, "", time, ""] for n, name, time in people]
    return pd.DataFrame(lines, columns=head).to_csv(index=False, sep=delimiter).encode(encoding)


@pytest.mark.parametrize("language", LISTS)
@pytest.mark.parametrize(("encoding", "delimiter"), [("utf-8-sig", ","), ("cp1252", ";")])
def test_moodles_list_is_read_and_filled_in_its_language(tmp_path, language, encoding, delimiter):
    path = tmp_path / "Bewertungen-1_roles-31.csv"
    path.write_bytes(of_moodle(language, encoding, delimiter))
    roster, due = Roster(path), datetime(2027, 4, 2, 23, 59)
    assert roster.days_late("Dora_Ö_77", due) == 0
    # six minutes begin a day
    assert roster.days_late("Dora_Ö_177", due) == (11 if "slashes" in language else 1)
    assert roster.days_late("Nobody_79", due) is None
    # by the number, or by a name that is one person's in whichever form of Unicode
    points = {"Dora_Ö_77": 17.5, "Zoe\u0308": 3, "Dora_Ö": 4, "ghost_5": 1}
    before, _ = read_table(path)
    out, unknown = roster.fill(grades(**points), tmp_path)
    after, _ = read_table(out)
    assert unknown == ["Dora_Ö", "ghost_5"]
    assert list(after.columns) == list(before.columns)
    assert after[roster.column["grade"]].tolist() == ["17.5", "", "", "3"]
    assert after[roster.column["feedback"]].tolist() == ["of 17.5", "", "", "of 3"]


def test_an_order_of_dates_is_asked_for_before_anything_runs(tmp_path):
    path = tmp_path / "Grades-1_roles.csv"
    text = of_moodle("English").decode("utf-8-sig")
    path.write_text(text.replace(LATE[0], "02/05/27 10:00").replace(LATE[1], "03/05/27 10:00"))
    due = datetime(2027, 5, 1, 23, 59)
    with pytest.raises(ValueError, match=r"row 2, .*'02/05/27 10:00'; does day or month come"):
        Roster(path).days_late("", due)
    assert [Roster(path, "day").days_late(f"D_{n}", due) for n in (77, 177)] == [1, 2]
    assert [Roster(path, "month").days_late(f"D_{n}", due) for n in (77, 177)] == [0, 0]
    path.write_text(text.replace(LATE[0], "yesterday at 5"))
    with pytest.raises(ValueError, match=r"row 2, .*'yesterday at 5'; it is no date"):
        Roster(path).days_late("", due)


CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,1_roles (998),2_reconstruction (999)
    Points Possible,,,,,20,20
"Fritz",9,,,A,,5
"""


def test_canvas_gradebook_is_filled_in_one_column(tmp_path):
    path = tmp_path / "gradebook.csv"
    path.write_text(CANVAS, encoding="utf-8")
    out, unknown = Roster(path).fill(grades(fritz_9=12), tmp_path)
    assert unknown == []
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[2][5:] == ["12", "5"]
    assert rows[1][5:] == ["20", "20"]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [("people.csv", "name,mark\n", "no roster"),
     ("Grades.csv", "Identifier,Grade\n", "its name must hold")],
)  # fmt: skip
def test_another_table_is_no_roster(tmp_path, name, text, says):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=says):
        Roster(tmp_path / name)
