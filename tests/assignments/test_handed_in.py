"""What learning platforms give and take, as files; nothing is run."""

import csv
import io
import json
import zipfile
from datetime import datetime

import pytest

pytest.importorskip("nbgrader", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

from handed_in import Roster, handed_in, read_table


def notebook(assignment=None, says=""):
    known = {"ppdm": {"assignment": assignment}} if assignment else {}
    return json.dumps(
        {"cells": [], "metadata": known, "nbformat": 4, "nbformat_minor": 5, "says": says}
    )


def lay(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


SHAPES = {
    "Anna B/1_roles.ipynb": ("Anna B", "1_roles", False),
    "Anna_B/handed in/homework.ipynb": ("Anna_B", "1_roles", False),
    "Carl/1_roles (1).ipynb": ("Carl", "1_roles", False),
    "Dora_E_77_assignsubmission_file/anything.ipynb": ("Dora_E_77", "1_roles", False),
    "Dora_E_78_assignsubmission_file_1_roles.ipynb": ("Dora_E_78", "1_roles", False),
    "fritz_9_345_1_roles.ipynb": ("fritz_9", "1_roles", False),
    "gina_LATE_10_346_1_roles-2.ipynb": ("gina_10", "1_roles", True),
}


@pytest.mark.parametrize("zipped", [False, True])
def test_each_shape_is_taken_and_people_stay_apart(tmp_path, zipped):
    lay(tmp_path / "class", {name: notebook("1_roles") for name in SHAPES})
    where = tmp_path / "class"
    if zipped:
        where = tmp_path / "class.zip"
        with zipfile.ZipFile(where, "w") as archive:
            for name in SHAPES:
                archive.write(tmp_path / "class" / name, name)
    found, odd = handed_in(where)
    assert sorted((*one[:2], one.late) for one in found) == sorted(SHAPES.values())
    assert odd == []


def test_a_zip_in_a_students_folder_is_opened(tmp_path):
    (tmp_path / "Anna").mkdir()
    with zipfile.ZipFile(tmp_path / "Anna" / "mine.zip", "w") as archive:
        archive.writestr("1_roles/1_roles.ipynb", notebook("1_roles"))
        archive.writestr("../../2_reconstruction.ipynb", notebook())
    found, _ = handed_in(tmp_path)
    assert {one[:2] for one in found} == {("Anna", "1_roles"), ("Anna", "2_reconstruction")}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Anna"]


def test_a_zip_that_cannot_be_read_stops_nothing(tmp_path):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("1_roles.ipynb", notebook("1_roles"))
    damaged = bytearray(whole.getvalue())
    damaged[60] ^= 1  # its content is not what its checksum says
    locked = bytearray(whole.getvalue())
    for record, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(record) + flags] |= 1  # encrypted
    strange = bytearray(whole.getvalue())
    strange[strange.index(b"PK\x01\x02") + 6] = 99  # of a version that nobody reads
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for student, its in (("Anna", damaged), ("Bob", locked), ("Carl", whole.getvalue())):
            archive.writestr(f"{student}/mine.zip", bytes(its))
        archive.writestr("Dora/1_roles.ipynb", notebook("1_roles"))
        archive.writestr("Emil/" + 40 * "deep/" + "1_roles.ipynb", notebook("1_roles"))
        archive.writestr("Fritz/version.zip", bytes(strange))
        archive.writestr("../1_roles.ipynb", notebook("1_roles"))  # of nobody, beside the folder
    found, odd = handed_in(tmp_path / "class.zip")
    assert [one.student for one in found] == ["Carl", "Dora"]
    of = [line.partition("/")[0] for line in odd]
    assert of == ["Anna", "Bob", "Emil", "Fritz"]
    assert all("locked or damaged" in line for line in odd[:3])
    assert "no notebook" in odd[3]


def test_metadata_says_what_a_notebook_is_and_the_name_only_without(tmp_path):
    lay(
        tmp_path,
        {"Anna/1_roles.ipynb": notebook("3_trees"), "Bob/my 2_reconstruction.ipynb": notebook()},
    )
    found, _ = handed_in(tmp_path)
    assert {one[:2] for one in found} == {("Anna", "3_trees"), ("Bob", "2_reconstruction")}


def test_a_file_cannot_be_given_in_under_another_name(tmp_path):
    flat = "Anna_77_assignsubmission_file_Bob_99_assignsubmission_file_1_roles.ipynb"
    nested = "Carl/anna_1234_567_1_roles.ipynb"
    lay(tmp_path, {name: notebook("1_roles") for name in (flat, nested)})
    assert sorted(one.student for one in handed_in(tmp_path)[0]) == ["Anna_77", "Carl"]


def test_a_copy_that_can_be_read_is_taken(tmp_path):
    lay(tmp_path, {"Anna/1_roles.ipynb": notebook("1_roles", "good"),
                   "Anna/1_roles (1).ipynb": "{no json"})  # fmt: skip
    found, odd = handed_in(tmp_path)
    assert found[0].notebook["says"] == "good"
    assert len(odd) == 1


def test_whatever_is_skipped_is_reported(tmp_path):
    lay(tmp_path, {"Anna/1_roles.ipynb": notebook("1_roles", "first"),
                   "Anna/1_roles (2).ipynb": notebook("1_roles", "last"),
                   "Anna/1_roles (1).ipynb": notebook("1_roles", "second"),
                   "Anna/essay.docx": "", "Anna/half.zip": "PK", "Bob/homework.ipynb": notebook(),
                   "loose.ipynb": notebook("1_roles"),
                   "Carl/1_roles.ipynb": "{no json",
                   "Dora/1_roles.ipynb": 100_000 * "["})  # fmt: skip
    found, odd = handed_in(tmp_path)
    said = {line.partition(":")[0] for line in odd}
    assert said == {"Anna/1_roles.ipynb", "Anna/1_roles (1).ipynb", "Anna/essay.docx",
                    "Anna/half.zip", "Bob/homework.ipynb",
                    "loose.ipynb", "Bob"}  # fmt: skip
    by = {one.student: one.notebook for one in found}
    assert by["Anna"]["says"] == "last"
    assert by["Carl"] is by["Dora"] is None  # graded as no notebook


def grades(**points):
    return [
        {"student": who, "assignment": "1_roles", "points": value, "notes": ""}
        for who, value in points.items()
    ]


MOODLE = """Identifier,Full name,Status,Grade,Last modified (submission),Feedback comments
Participant 77,Dora E,Submitted,,"Friday, 2 April 2027, 11:58 PM",
Participant 78,Dora E,Submitted,,"Saturday, 3 April 2027, 12:05 AM",
Participant 79,Nobody,No submission,,-,
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,1_roles (998),2_reconstruction (999)
    Points Possible,,,,,20,20
"Fritz",9,,,A,,5
"""


def test_moodles_worksheet_is_filled_in_and_knows_late_days(tmp_path):
    path = tmp_path / "Grades-privacy-1_roles-31.csv"
    path.write_text(MOODLE, encoding="utf-8-sig")
    roster, due = Roster(path), datetime(2027, 4, 2, 23, 59)
    assert roster.days_late("Dora_E_77", due) == 0
    assert roster.days_late("Dora_E_78", due) == 1  # six minutes begin a day
    assert roster.days_late("Nobody_79", due) is None
    out, unknown = roster.fill(grades(Dora_E_77=17.5, Dora_E_78=3, ghost_5=1), tmp_path)
    assert unknown == ["ghost_5"]
    table, _ = read_table(out)
    assert list(table.columns) == MOODLE.splitlines()[0].split(",")
    assert table["Grade"].tolist() == ["17.5", "3", ""]


def test_canvas_gradebook_is_filled_in_one_column(tmp_path):
    path = tmp_path / "gradebook.csv"
    path.write_text(CANVAS, encoding="utf-8")
    out, unknown = Roster(path).fill(grades(fritz_9=12), tmp_path)
    assert unknown == []
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[2][5:] == ["12", "5"]
    assert rows[1][5:] == ["20", "20"]


@pytest.mark.parametrize(("name", "text", "says"), [
    ("people.csv", "name,mark\n", "no roster"),
    ("Grades.csv", MOODLE, "its name must hold"),
])  # fmt: skip
def test_another_table_is_no_roster(tmp_path, name, text, says):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=says):
        Roster(tmp_path / name)
