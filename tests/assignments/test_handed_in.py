"""What learning platforms give and take, as files; nothing is run."""

import io
import json
import zipfile

import pytest

pytest.importorskip("nbgrader", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

from handed_in import handed_in


def notebook(assignment=None, says="", cells=()):
    known = {"ppdm": {"assignment": assignment}} if assignment else {}
    return json.dumps({"cells": cells, "metadata": known, "nbformat": 4, "nbformat_minor": 5,
                       "says": says})  # fmt: skip


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


ROLES, RECONSTRUCTION = notebook("1_roles"), notebook("2_reconstruction")
LOUD = notebook("1_roles", cells=[{"cell_type": "code", "source": "", "metadata": {},
                                   "outputs": [{"text": 21_000_000 * "x"}]}])  # fmt: skip
BOTH = {"Anna/1_roles.ipynb": ROLES, "Anna/2_reconstruction.ipynb": RECONSTRUCTION}


def spoilt(*places):
    """Return a zip of a notebook with other bits, so many bytes behind the marks of records."""
    made = bytearray(archive({"1_roles.ipynb": ROLES}))
    for mark, offset, bits in places:
        made[made.index(mark) + offset] ^= bits
    return bytes(made)


FILE, ENTRY = b"PK\x03\x04", b"PK\x01\x02"  # of a zip: before a file, and in its table of contents
ONE, TWO, UNREAD = "1_roles", "1_roles 2_reconstruction", "it cannot be read"
#: What systems, browsers, platforms and hands do to a class's files, or its zip: what is then
#: whose, or why it is not; and lines that are said.
FILES = {
    "in capitals": ({"Anna/1_ROLES.IPYNB": ROLES}, {"Anna": ONE}),
    "as Safari saves it": ({"Anna/1_roles.ipynb.txt": ROLES}, {"Anna": ONE}),
    "as Firefox saves it": ({"Anna/1_roles.ipynb.json": ROLES}, {"Anna": ONE}),
    "a zip in capitals": ({"Anna/MINE.ZIP": archive({"1_roles.ipynb": ROLES})}, {"Anna": ONE}),
    "a zip of each student": (
        {f"{who}.zip": archive({"1_roles.ipynb": ROLES}) for who in ("Anna", "Bob")},
        {"Anna": ONE, "Bob": ONE}),
    "a zip with backslashes": (
        {"class.zip": archive({"Anna\\1_roles.ipynb": ROLES, "Bob\\1_roles.ipynb": ROLES})},
        {"Anna": ONE, "Bob": ONE}),
    "a zip of folders, one of which leads out": (
        {"Anna/mine.zip": archive({"1_roles/1_roles.ipynb": ROLES,
                                   "../../2_reconstruction.ipynb": notebook()})}, {"Anna": TWO}),
    "zips that cannot be read": (
        archive({
            "Anna/mine.zip": spoilt((FILE, 60, 1)),  # its content is not what its checksum says
            "Bob/mine.zip": spoilt((FILE, 6, 1), (ENTRY, 8, 1)),  # encrypted
            "Carl/mine.zip": spoilt(), "Dora/1_roles.ipynb": ROLES,
            "Emil/" + 40 * "deep/" + "1_roles.ipynb": ROLES,
            "Fritz/version.zip": spoilt((ENTRY, 6, 99)),  # which nobody reads
            "../1_roles.ipynb": ROLES,  # of nobody, beside the folder
        }),
        {"Anna": "locked or damaged", "Bob": "locked or damaged", "Carl": ONE, "Dora": ONE},
        "Anna/1_roles.ipynb: refused, locked or damaged",
        "Bob/1_roles.ipynb: refused, locked or damaged",
        "Emil/" + 19 * "deep/" + "deep: skipped, locked or damaged",
        "Emil: no notebook of an assignment",
        "Fritz/version.zip: skipped, locked or damaged", "Fritz: no notebook of an assignment"),
    "a byte-order mark": ({"Anna/1_roles.ipynb": ROLES.encode("utf-8-sig")}, {"Anna": ONE}),
    "UTF-16": ({"Anna/1_roles.ipynb": ROLES.encode("utf-16")}, {"Anna": ONE}),
    "Windows-1252": (
        {"Anna/1_roles.ipynb": json.dumps(json.loads(notebook("1_roles", "ö")), ensure_ascii=False)
         .encode("cp1252")}, {"Anna": ONE}),
    "21 MB of outputs": ({"Anna/1_roles.ipynb": LOUD}, {"Anna": ONE}),
    "21 MB without outputs": (
        {"Anna/1_roles.ipynb": notebook("1_roles", 21_000_000 * "x")},
        {"Anna": "too large, also without its outputs"},
        "Anna/1_roles.ipynb: refused, too large, also without its outputs"),
    "a page": ({"Anna/1_roles.html": "<html>"}, {"Anna": "no notebook"},
               "Anna/1_roles.html: refused, no notebook"),
    "an essay": ({"Anna/essay.docx": ""}, {}, "Anna/essay.docx: skipped, no notebook",
                 "Anna: no notebook of an assignment"),
    "an empty folder": (
        {"class.zip": archive({"Anna/": "", "Bob/a.ipynb": ROLES, "Eve/1_roles.ipynb": ROLES})},
        {"Bob": ONE, "Eve": ONE}, "Anna: no notebook of an assignment"),
    "a Mac's litter": ({"Anna/1_roles.ipynb": ROLES, "Anna/__MACOSX/._1_roles.ipynb": "x",
                        "__MACOSX/Anna/._1_roles.ipynb": "x", "Anna/.DS_Store": "x"},
                       {"Anna": ONE}),
    "Windows' litter": ({"Anna/1_roles.ipynb": ROLES, "Anna/desktop.ini": "", "Thumbs.db": ""},
                        {"Anna": ONE}),
    "two forms of one name": (
        {"Bj\u00f6rn/1_roles.ipynb": ROLES, "Bjo\u0308rn/2_reconstruction.ipynb": RECONSTRUCTION},
        {"Bj\u00f6rn": TWO}),
    "names in Windows' encoding": (
        {b"J\xf6rg/1_roles.ipynb".decode(errors="surrogateescape"): ROLES,
         b"\x81\xff/1_roles.ipynb".decode(errors="surrogateescape"): ROLES},
        {"Jörg": ONE, "\ufffd\ufffd": ONE}),
    "Moodle in German": (
        {"Anna Bö_77_assignsubmission_file_/1_roles.ipynb": ROLES,
         "Teilnehmer_in 78_78_assignsubmission_file/1_roles.ipynb": ROLES},
        {"Anna Bö_77": ONE, "Teilnehmer_in 78_78": ONE}),
    "under another's name": (
        {"Anna_77_assignsubmission_file_Bob_99_assignsubmission_file_1_roles.ipynb": ROLES,
         "Carl/anna_1234_567_1_roles.ipynb": ROLES}, {"Anna_77": ONE, "Carl": ONE}),
    "metadata says what it is, and the name only without": (
        {"Anna/1_roles.ipynb": notebook("3_trees"), "Bob/my 2_reconstruction.ipynb": notebook()},
        {"Anna": "3_trees", "Bob": "2_reconstruction"}),
    "the class's folders in one": (
        {"class/Anna/1_roles.ipynb": ROLES, "class/Bob/1_roles.ipynb": ROLES},
        {"Anna": ONE, "Bob": ONE}, "class: the folders in it are taken for the students"),
    "in two": (
        {"all/class/Anna/1_roles.ipynb": ROLES, "all/class/Bob/1_roles.ipynb": ROLES},
        {"Anna": ONE, "Bob": ONE}, "all: the folders in it are taken for the students"),
    "flat files in one": (
        {f"class/{who}_{n}_assignsubmission_file_1_roles.ipynb": ROLES
         for who, n in (("Anna", 7), ("Bob", 8))}, {"Anna_7": ONE, "Bob_8": ONE}),
    "one student": (BOTH, {"Anna": TWO}, "Anna: taken for one student"),
    "one student, a folder each": (
        {"Anna/1_roles/1_roles.ipynb": ROLES, "Anna/2_reconstruction/a.ipynb": RECONSTRUCTION},
        {"Anna": TWO}, "Anna: taken for one student"),
    "a student with an old copy below, and another": (
        {"Anna/old/1_roles.ipynb": ROLES, "Anna/1_roles.ipynb": ROLES, "Bob/1_roles.ipynb": ROLES},
        {"Anna": ONE, "Bob": ONE},
        "Anna/old/1_roles.ipynb: skipped, Anna/1_roles.ipynb was handed in, too"),
    "a copy that can be read": (
        {"Anna/1_roles.ipynb": "{no json", "Anna/mine.ipynb": ROLES}, {"Anna": ONE},
        "Anna: taken for one student", "Anna/1_roles.ipynb: skipped, it cannot be read"),
    "a folder for each assignment": (
        {"1_roles/Anna/a.ipynb": ROLES, "1_roles/Bob/b.ipynb": ROLES,
         "2_reconstruction/Anna/a.ipynb": RECONSTRUCTION}, {"Anna": TWO, "Bob": ONE}),
    "Moodle's zip for each assignment": (
        {"Course-1_roles-31.zip": archive({"Anna_7_assignsubmission_file/1_roles.ipynb": ROLES}),
         "Course-2_reconstruction-32.zip": archive(
             {"Anna_7_assignsubmission_file/a.ipynb": RECONSTRUCTION})}, {"Anna_7": TWO}),
    "all that is skipped": (
        {"Anna/1_roles.ipynb": ROLES, "Anna/essay.docx": "", "Anna/half.zip": "PK",
         "Bob/homework.ipynb": notebook(), "loose.ipynb": ROLES, "Carl/1_roles.ipynb": "{no json",
         "Dora/1_roles.ipynb": 100_000 * "["}, {"Anna": ONE, "Carl": UNREAD, "Dora": UNREAD},
        "Anna/essay.docx: skipped, no notebook", "Anna/half.zip: skipped, locked or damaged",
        "Bob/homework.ipynb: skipped, it is none of the assignments",
        "loose.ipynb: skipped, its name does not say whose it is",
        "Carl/1_roles.ipynb: refused, it cannot be read",
        "Dora/1_roles.ipynb: refused, it cannot be read", "Bob: no notebook of an assignment"),
}  # fmt: skip


@pytest.mark.parametrize("what", FILES)
def test_a_class_is_read_as_it_comes(tmp_path, what):
    files, gave, *lines = FILES[what]
    place, packed = tmp_path / "class", isinstance(files, bytes)
    lay(place, {"class.zip": files} if packed else files)
    before = sorted(place.rglob("*"))
    found, odd = handed_in(place / "class.zip" if packed else place)
    named = {}
    for one in found:
        assert bool(one.notebook) != bool(one.why)
        named.setdefault(one.student, set()).add(one.why or one.assignment)
    assert {student: " ".join(sorted(its)) for student, its in named.items()} == gave
    # a row for everybody: who has no notebook of an assignment is named
    assert {*lines} <= {*odd}
    assert [line for line in odd if "taken for" not in line and line not in lines] == []
    nobodys = ("are taken for the students", "taken for one student", "whose it is")
    assert all(line.startswith(who) and bool(who) != line.endswith(nobodys)
               for line, who in odd.items())  # fmt: skip
    assert sorted(place.rglob("*")) == before  # nothing is unpacked


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
