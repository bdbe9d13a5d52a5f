"""What learning platforms give and take, as files; nothing is run."""

import io
import json
import zipfile

import pytest

pytest.importorskip("nbgrader", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

from handed_in import handed_in


def notebook(assignment=None, says=""):
    known = {"ppdm": {"assignment": assignment}} if assignment else {}
    return json.dumps(
        {"cells": [], "metadata": known, "nbformat": 4, "nbformat_minor": 5, "says": says}
    )


def lay(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def archive(files):
    """Return the bytes of a zip."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return made.getvalue()


ROLES = notebook("1_roles")
LOUD = json.dumps(
    json.loads(ROLES)
    | {
        "cells": [
            {
                "cell_type": "code",
                "source": "",
                "outputs": [{"text": 21_000_000 * "x"}],
                "metadata": {},
            }
        ]
    }
)
LONG = notebook("1_roles", 21_000_000 * "x")
BOTH = {"Anna/1_roles.ipynb": ROLES, "Anna/2_reconstruction.ipynb": notebook("2_reconstruction")}
#: What systems, browsers, platforms and hands do to a class's files: whose notebook each then is,
#: or why there is none; and, where it matters, a line that is said.
FILES = {
    "in capitals": ({"Anna/1_ROLES.IPYNB": ROLES}, {"Anna": ""}, None),
    "as Safari saves it": ({"Anna/1_roles.ipynb.txt": ROLES}, {"Anna": ""}, None),
    "as Firefox saves it": ({"Anna/1_roles.ipynb.json": ROLES}, {"Anna": ""}, None),
    "a zip in capitals": ({"Anna/MINE.ZIP": archive({"1_roles.ipynb": ROLES})}, {"Anna": ""}, None),
    "a zip with backslashes": (
        {"class.zip": archive({"Anna\\1_roles.ipynb": ROLES, "Bob\\1_roles.ipynb": ROLES})},
        {"Anna": "", "Bob": ""}, None),
    "a byte-order mark": ({"Anna/1_roles.ipynb": ROLES.encode("utf-8-sig")}, {"Anna": ""}, None),
    "UTF-16": ({"Anna/1_roles.ipynb": ROLES.encode("utf-16")}, {"Anna": ""}, None),
    "Windows-1252": (
        {"Anna/1_roles.ipynb": json.dumps(json.loads(notebook("1_roles", "ö")), ensure_ascii=False)
         .encode("cp1252")}, {"Anna": ""}, None),
    "21 MB of outputs": ({"Anna/1_roles.ipynb": LOUD}, {"Anna": ""}, None),
    "21 MB without outputs": (
        {"Anna/1_roles.ipynb": LONG}, {"Anna": "too large, also without its outputs"},
        "Anna/1_roles.ipynb: refused, too large, also without its outputs"),
    "a page": ({"Anna/1_roles.html": "<html>"}, {"Anna": "no notebook"},
               "Anna/1_roles.html: refused, no notebook"),
    "an essay": ({"Anna/essay.docx": ""}, {}, "Anna: no notebook of an assignment"),
    "an empty folder": (
        {"class.zip": archive({"Anna/": "", "Bob/a.ipynb": ROLES, "Eve/1_roles.ipynb": ROLES})},
        {"Bob": "", "Eve": ""}, "Anna: no notebook of an assignment"),
    "a Mac's litter": ({"Anna/1_roles.ipynb": ROLES, "Anna/__MACOSX/._1_roles.ipynb": "x",
                        "__MACOSX/Anna/._1_roles.ipynb": "x", "Anna/.DS_Store": "x"},
                       {"Anna": ""}, None),
    "Windows' litter": ({"Anna/1_roles.ipynb": ROLES, "Anna/desktop.ini": "", "Thumbs.db": ""},
                        {"Anna": ""}, None),
    "two forms of one name": (
        {"Bj\u00f6rn/1_roles.ipynb": ROLES, "Bjo\u0308rn/2_reconstruction.ipynb": BOTH[
            "Anna/2_reconstruction.ipynb"]}, {"Bj\u00f6rn": ""}, None),
    "names in Windows' encoding": (
        {b"J\xf6rg/1_roles.ipynb".decode(errors="surrogateescape"): ROLES,
         b"\x81\xff/1_roles.ipynb".decode(errors="surrogateescape"): ROLES},
        {"Jörg": "", "\ufffd\ufffd": ""}, None),
    "Moodle in German": (
        {"Anna Bö_77_assignsubmission_file_/1_roles.ipynb": ROLES,
         "Teilnehmer_in 78_78_assignsubmission_file/1_roles.ipynb": ROLES},
        {"Anna Bö_77": "", "Teilnehmer_in 78_78": ""}, None),
    "the class's folders in one": (
        {"class/Anna/1_roles.ipynb": ROLES, "class/Bob/1_roles.ipynb": ROLES},
        {"Anna": "", "Bob": ""}, "class: the folders in it are taken for the students"),
    "in two": (
        {"all/class/Anna/1_roles.ipynb": ROLES, "all/class/Bob/1_roles.ipynb": ROLES},
        {"Anna": "", "Bob": ""}, "all: the folders in it are taken for the students"),
    "flat files in one": (
        {f"class/{who}_{n}_assignsubmission_file_1_roles.ipynb": ROLES
         for who, n in (("Anna", 7), ("Bob", 8))}, {"Anna_7": "", "Bob_8": ""}, None),
    "one student": (BOTH, {"Anna": ""}, "Anna: taken for one student"),
    "one student, a folder each": (
        {"Anna/1_roles/1_roles.ipynb": ROLES,
         "Anna/2_reconstruction/a.ipynb": BOTH["Anna/2_reconstruction.ipynb"]},
        {"Anna": ""}, "Anna: taken for one student"),
    "a student with an old copy below, and another": (
        {"Anna/old/1_roles.ipynb": ROLES, "Anna/1_roles.ipynb": ROLES, "Bob/1_roles.ipynb": ROLES},
        {"Anna": "", "Bob": ""},
        "Anna/old/1_roles.ipynb: skipped, Anna/1_roles.ipynb was handed in, too"),
    "a folder for each assignment": (
        {"1_roles/Anna/a.ipynb": ROLES, "1_roles/Bob/b.ipynb": ROLES,
         "2_reconstruction/Anna/a.ipynb": BOTH["Anna/2_reconstruction.ipynb"]},
        {"Anna": "", "Bob": ""}, None),
    "Moodle's zip for each assignment": (
        {"Course-1_roles-31.zip": archive({"Anna_7_assignsubmission_file/1_roles.ipynb": ROLES}),
         "Course-2_reconstruction-32.zip": archive(
             {"Anna_7_assignsubmission_file/a.ipynb": BOTH["Anna/2_reconstruction.ipynb"]})},
        {"Anna_7": ""}, None),
}  # fmt: skip


@pytest.mark.parametrize("what", FILES)
def test_a_class_is_read_as_it_comes(tmp_path, what):
    files, gave, line = FILES[what]
    lay(tmp_path, files)
    found, odd = handed_in(tmp_path)
    assert {one.student: one.why for one in found} == gave
    assert line in odd if line else all("taken for" in said for said in odd if gave), list(odd)
    # a row for everybody: who has no notebook of an assignment is named
    assert all(one.notebook for one in found if not one.why)


#: Of these names of one student's copies, the first is graded.
COPIES = [
    ["1_roles.ipynb", "1_roles_old.ipynb"],
    ["1_roles.ipynb", "1_roles (1).ipynb"],
    ["1_roles.ipynb", "1_roles-Copy1.ipynb"],
    ["1_roles.ipynb", "1_roles - Copy.ipynb", "Copy of 1_roles.ipynb"],
    ["1_ROLES.ipynb", "0_1_roles.ipynb"],
    ["1_roles (10).ipynb", "1_roles (9).ipynb", "1_roles_old.ipynb"],
    ["1_roles-2.ipynb", "1_roles-1.ipynb", "1_roles_final.ipynb"],
    ["1_roles.ipynb", "backup/1_roles.ipynb"],
    ["1_roles_old.ipynb", "1_roles.pdf"],
]


@pytest.mark.parametrize("names", COPIES, ids=lambda names: names[0] + ", " + names[1])
def test_of_copies_the_plain_name_is_graded_then_the_highest_number(tmp_path, names):
    for order in (names, names[::-1]):  # a file's time is of no account
        folder = tmp_path / order[0].replace("/", "-") / "class"
        lay(folder, {f"Anna/{name}": notebook("1_roles", name) for name in order})
        lay(folder, {"Bob/1_roles.ipynb": ROLES})
        found, odd = handed_in(folder)
        [anna] = [one for one in found if one.student == "Anna"]
        assert anna.where == f"Anna/{names[0]}"
        books = [name for name in names[1:] if name.endswith("ipynb")]
        assert sorted(anna.others) == sorted(f"Anna/{name}" for name in books)
        assert {line.partition(":")[0] for line in odd} == {f"Anna/{name}" for name in names[1:]}


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
    assert not odd


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
    assert [one.student for one in found if one.notebook] == ["Carl", "Dora"]
    assert {one.student: one.why for one in found if not one.notebook} == dict.fromkeys(
        ("Anna", "Bob"), "locked or damaged")  # fmt: skip
    assert set(odd.values()) == {"Anna", "Bob", "Emil", "Fritz"}
    assert "Emil: no notebook of an assignment" in odd


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
    assert list(odd.values()) == ["", "Anna"]


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
    assert said == {"Anna/1_roles (2).ipynb", "Anna/1_roles (1).ipynb", "Anna/essay.docx",
                    "Anna/half.zip", "Bob/homework.ipynb", "Carl/1_roles.ipynb",
                    "Dora/1_roles.ipynb", "loose.ipynb", "Bob"}  # fmt: skip
    by = {one.student: one.notebook for one in found}
    assert by["Anna"]["says"] == "first"
    assert by["Carl"] is by["Dora"] is None  # graded as no notebook
