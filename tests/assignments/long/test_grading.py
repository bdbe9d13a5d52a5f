"""make assignments and make grade, on one assignment.

``long/`` does the same for all of them; here are the submissions that nobody plans for.
"""

import functools
import html
import json
import re
import shutil
import socket
import zipfile
from datetime import datetime
from pathlib import Path

import nbformat
import psutil
import pytest

pytest.importorskip("nbgrader", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

import grade
import release
from course import NAMES, SEED, purpose, read
from sandbox import bubblewrap, nobody
from sheets import find, handed_in, kind, sheet, worth
from tables import Roster, read_table

NAME = "1_roles"
pytestmark = pytest.mark.long(part="assignments")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    release.make(NAME, SEED, folder, with_key=False)
    return folder


def released(course):
    return nbformat.read(course / "release" / NAME / f"{NAME}.ipynb", as_version=4)


def solved(course, **changed):
    """Return the sheet of one who has all right, but for the texts of some cells."""
    code, _ = sheet(NAME, SEED)
    tests = worth(NAME, SEED)[0]
    answers = {cell: text for cell, text in code.items() if cell not in tests}
    answers |= {"advice": "Dear council, we measured."} | changed
    return handed_in(released(course), answers)


def submit(folder, student, notebook, name=NAME):
    """Hand in a notebook, or a text in its place."""
    text = notebook if isinstance(notebook, str) else json.dumps(notebook)
    (folder / student).mkdir(parents=True)
    (folder / student / f"{name}.ipynb").write_text(text, encoding="utf-8")


def regraded(course, folder=None, sandbox="none", **settings):
    """Grade, or enter marks alone; return the rows by student, and what is odd."""
    rows, odd = grade.grade(folder, course, sandbox, progress=False, **settings)
    return {row["student"]: row for row in rows}, odd


def page(course, student):
    """Return the page that a student gets, as it is read."""
    text = (course / "feedback" / student / f"{NAME}.html").read_text(encoding="utf-8")
    return html.unescape(text)


@pytest.fixture(scope="module")
def graded(course, tmp_path_factory):
    """The rows of all students, by name, of a class in which everything goes wrong once."""
    folder = tmp_path_factory.mktemp("submissions")
    code = sheet(NAME, SEED)[0]["adversary"]
    syntax = solved(course, adversary=code.replace("theta):", "theta)", 1))
    syntax.cells.insert(0, nbformat.v4.new_code_cell("%no_such_magic"))
    edited = released(course)
    find(edited, "test_share").source = "pass"
    find(edited, "test_error").metadata["nbgrader"]["points"] = 100
    gone = "case", "test_epsilon", "adversary"
    edited.cells = [cell for cell in edited.cells if kind(cell).get("grade_id") not in gone]
    other = solved(course)
    other.metadata["ppdm"]["release"] = "0" * 12
    loops = "def estimate_share(reports, theta):\n    while True:\n        pass"
    for student, notebook in {
        "right": solved(course),
        "blank": released(course),
        "endless": solved(course, standard_error="while True:\n    pass"),
        "loops": solved(course, estimate_share=loops),
        "import": solved(course, adversary=f"import no_such_module\n{code}"),
        "syntax": syntax,
        "exits": solved(course, promise="import os\nos._exit(1)"),
        "edited": edited,
        "other seed [2]": other,
        "broken": '{"cells": [',
    }.items():
        submit(folder, student, notebook)
    submit(folder, "wrong name", "{}", "homework")
    (folder / "empty").mkdir()
    # no cell takes a second, but for those that never end
    return regraded(course, folder, timeout=10)


@pytest.mark.parametrize(
    ("student", "points", "notes"),
    [
        ("right", 16, []),
        ("blank", 0, []),
        # an endless loop and an import that fails cost their questions only
        ("endless", 13, ["standard_error did not end in time"]),
        ("syntax", 12, ["a cell stopped with UsageError: Line magic function `%no_such_magic` not "
                        "found.; ", "adversary stopped with SyntaxError, line 1: expected ':'"]),
        # nor does a function that never returns: the questions behind it are asked
        ("loops", 13, []),
        ("import", 12, ["adversary stopped with ModuleNotFoundError, line 1: No module named "
                        "'no_such_module'"]),
        # edited and deleted cells are put back
        ("edited", 0, ["test_share was edited", "test_epsilon was deleted", "case was deleted",
                       "adversary was deleted"]),
        # what was right before the kernel died counts
        ("exits", 10, ["its kernel died"]),
        ("broken", 0, ["is no notebook"]),
        ("other seed [2]", 16, ["another seed"]),
    ],
)  # fmt: skip
def test_points_and_notes(graded, student, points, notes):
    row = graded[0][student]
    assert row["automatic"] == points
    assert all(note in row["notes"] for note in notes)
    # none where nothing is wrong, and of one mistake one
    if student in ("right", "endless", "loops", "import", "syntax", "exits"):
        assert row["notes"] == "".join(notes)
    assert row["of"] == 20


def test_what_is_to_read_and_what_is_odd(graded):
    rows, odd = graded
    assert rows["right"]["to read"] == 1
    assert rows["blank"]["points"] == rows["blank"]["to read"] == 0
    assert any("homework.ipynb: skipped, it is none of the assignments" in line for line in odd)
    assert sum("no notebook of an assignment" in line for line in odd) == 2
    said = {line.split()[0]: line for line in grade.summary([*rows.values()], odd)}
    assert "graded 1, 16 of 20 points" in said["right"]
    assert "graded 0, refused 1, 0 of 20 points" in said["broken"]
    assert said["broken"].endswith("refused, it cannot be read")


def test_feedback_says_what_is_wrong(course, graded):
    page_of = functools.partial(page, course)
    assert "not read yet" in page_of("right")
    assert "<b>other seed [2]</b>" in page_of("other seed %5B2%5D")
    # below its question and by no name that students do not see; on top what is of no question
    top, _, rest = page_of("syntax").partition("<h2>")
    assert "a cell that you added stopped with UsageError: Line magic" in top
    assert top.count("stopped") == rest.count("stopped") == 1
    question = rest.partition("<h2>What one report tells ")[2].partition("<h2>")[0]
    assert "your cell stopped with SyntaxError, line 1: expected ':'" in question
    assert question.index("SyntaxError") < question.index("epsilon is not there")
    assert "your cell stopped with ModuleNotFoundError, line 1: No module" in page_of("import")
    assert "your cell did not end in time" in page_of("endless")
    assert not any("adversary" in page_of(student).partition("<h2>")[0]
                   for student in ("syntax", "import"))  # fmt: skip
    # a box for each cell of a question to which something was written
    boxes = {student: page_of(student).count("What you handed in")
             for student in ("right", "blank", "broken")}  # fmt: skip
    assert boxes == {"right": 5, "blank": 0, "broken": 0}
    assert "Traceback" not in page_of("endless")
    assert "it did not end in time" in page_of("loops")
    assert "nothing was handed in for this" in page_of("blank")
    assert all(len(page_of(path.name)) < 1_000_000 for path in (course / "feedback").iterdir())


@pytest.fixture
def copied(course, graded, tmp_path):
    """A copy of the graded course for each test that changes it: they run in any order."""
    return shutil.copytree(course, tmp_path / "copied" / course.name)


def mark(course, student="right", delimiter=",", start="", **given):
    """Fill in by_hand.csv for a student, as a spreadsheet might."""
    table, _ = read_table(course / "by_hand.csv")
    for column, value in given.items():
        table.loc[table["student"] == student, column] = value
    text = start + table.to_csv(sep=delimiter, index=False)
    (course / "by_hand.csv").write_text(text, encoding="utf-8")


def test_marks_of_a_spreadsheet_are_entered_and_nothing_is_run_again(copied, graded, monkeypatch):
    monkeypatch.setattr(grade, "run", None)
    mark(copied, delimiter=";", start="\ufeff", points="2,5", comment="The limit is missing.")
    rows, _ = regraded(copied)
    right = rows["right"]
    assert (right["by hand"], right["points"], right["to read"]) == (2.5, 18.5, 0)
    assert len(rows) == len(graded[0])  # no row is lost
    assert "The limit is missing." in page(copied, "right")
    assert "not read yet" not in page(copied, "right")
    assert list((copied / "backups").iterdir())


def test_marks_that_cannot_be_are_refused_before_anything_is_done(copied, graded):
    before = (copied / "gradebook.json").read_bytes()
    mark(copied, points="4.5")
    with pytest.raises(ValueError, match=r"row \d+, points: '4.5'; a number from 0 to 4"):
        regraded(copied)
    assert (copied / "gradebook.json").read_bytes() == before


def test_a_roster_is_filled_in_and_days_late_change_no_point(copied, graded, tmp_path):
    before = {student: row["points"] for student, row in regraded(copied)[0].items()}
    path = tmp_path / f"Grades-{NAME}.csv"
    path.write_text(
        "Identifier,Full name,Grade,Last modified (submission),Feedback comments\n"
        'Participant 1,right,,"Saturday, 3 April 2027, 12:05 AM",\n'
        'Participant 2,blank,,"Friday, 2 April 2027, 11:00 PM",\n', encoding="utf-8")  # fmt: skip
    due = datetime(2027, 4, 2, 23, 59)
    other = shutil.copy(path, tmp_path / "Grades-2_reconstruction.csv")  # its days are not these
    rows, _ = regraded(copied, roster=Roster(other), due=due)
    assert {row["days late"] for row in rows.values()} == {""}
    rows, odd = regraded(copied, roster=Roster(path), due=due)
    assert {student: row["points"] for student, row in rows.items()} == before
    late = {student: row["days late"] for student, row in rows.items()}
    assert (late["right"], late["blank"], late["endless"]) == (1, 0, "")
    filled, _ = read_table(copied / f"Grades-{NAME}-graded.csv")
    assert filled["Grade"].astype(float).tolist() == [before["right"], before["blank"]]
    assert any(line == f"endless: is not in {path.name}" for line in odd)
    old = f"Grades-{NAME}-graded.csv: has the marks of an earlier grading, give ROSTER= again"
    assert old not in odd  # this one is new
    assert old in regraded(copied)[1]


def test_another_folder_and_what_is_no_notebook_keep_earlier_rows(copied, graded, tmp_path):
    submit(tmp_path / "class", "latecomer", solved(copied))
    for student in ("right", "edited"):
        submit(tmp_path / "class", student, '{"cells": [')
    rows, _ = regraded(copied, tmp_path / "class")
    assert {*rows} == {*graded[0], "latecomer"}
    assert rows["latecomer"]["automatic"] == 16
    for student in ("right", "edited"):
        assert rows[student]["automatic"] == graded[0][student]["automatic"]
        assert "what was handed in is no notebook" in rows[student]["notes"]
        assert graded[0][student]["notes"] in rows[student]["notes"]


def test_marks_written_while_a_grading_runs_are_kept(copied, tmp_path, monkeypatch):
    def someone_marks(*_):
        mark(copied, points="3")
        return {}, []

    monkeypatch.setattr(grade, "run", someone_marks)
    submit(tmp_path / "class", "latecomer", solved(copied))
    # without a sandbox what is changed meanwhile is put back
    rows, _ = regraded(copied, tmp_path / "class", "bwrap")
    assert rows["right"]["by hand"] == 3
    assert "latecomer" in rows


def test_a_comment_is_kept_and_a_mark_can_be_withdrawn(copied):
    for points, comment, to_read in (("", "Read it again.", 1), ("4", "Good.", 0), ("", "No.", 1)):
        mark(copied, points=points, comment=comment)
        rows, _ = regraded(copied)
        assert rows["right"]["to read"] == to_read
        table, _ = read_table(copied / "by_hand.csv")
        assert table.query("student == 'right'")["comment"].tolist() == [comment]


@pytest.mark.parametrize("points", ["4", "0"])
def test_an_answer_that_changed_after_it_was_read_is_noted(copied, tmp_path, points):
    mark(copied, points=points)
    had = regraded(copied)[0]["right"]["points"]
    # no line of the table ends there
    submit(tmp_path / "class", "right", solved(copied, advice="Something else.\rAnd more."))
    for _ in range(2):
        rows, _ = regraded(copied, tmp_path / "class")
        assert rows["right"]["by hand"] == float(points)
        replaced = f"replaces an earlier hand-in of {had:g} points"
        assert rows["right"]["notes"] == f"advice was changed after it was read; {replaced}"


def test_a_corrected_test_is_run_on_what_was_handed_in_before(copied, tmp_path, monkeypatch):
    submit(tmp_path / "class", "right", solved(copied))
    ran = []
    monkeypatch.setattr(grade, "run", lambda *a: ran.append(1) or ({}, []))
    path = copied / "source" / NAME / f"{NAME}.ipynb"
    for change in ("", " ", ""):
        path.write_text(path.read_text(encoding="utf-8") + change, encoding="utf-8")
        rows, _ = regraded(copied, tmp_path / "class")
    assert len(ran) == 1
    assert not any("replaces" in row["notes"] for row in rows.values())


def test_whatever_a_notebook_holds_the_others_are_graded(copied, graded, tmp_path, capfd):
    half = "print('\\ud800')"
    odd = {"half": lambda n: find(n, "advice").update(source="half a character: \ud800"),
           "forged": lambda n: n.cells.insert(0, nbformat.v4.new_code_cell(
               "k = get_ipython().kernel\nk.session.send(k.iopub_socket, 'error', {}, "
               "parent=k.get_parent())")),
           "raises": lambda n: find(n, "estimate_share").update(
               source="def estimate_share(*a):\n    raise ValueError('\\ud800')"),
           "prints": lambda n: n.cells.insert(0, nbformat.v4.new_code_cell(half)),
           "null": lambda n: n.metadata.update(ppdm=None),
           "text": lambda n: n.metadata.update(ppdm="mine"),
           "heading": lambda n: n.cells.append(nbformat.v4.new_code_cell("## <b>hello</b>")),
           "ขจรศักดิ์ ศรีสวัสดิ์ธนากุลวัฒนชัย": lambda n: None}  # fmt: skip
    for student, change in odd.items():
        notebook = solved(copied)
        change(notebook)
        submit(tmp_path / "class", student, notebook)
    rows, said = regraded(copied, tmp_path / "class", timeout=20)
    assert not said
    assert "surrogates not allowed" not in capfd.readouterr().err  # such a kernel may fall silent
    assert set(rows) == {*graded[0], *odd}
    points = {student: rows[student]["automatic"] for student in odd}
    assert points == dict.fromkeys(odd, 16) | {"raises": 13, "text": 0, "forged": points["forged"]}
    assert rows["right"]["automatic"] == 16
    text = (copied / "feedback" / "heading" / f"{NAME}.html").read_text(encoding="utf-8")
    assert "<h1>" in text
    assert "<b>hello" not in text
    assert text.count("hello") == 1  # a cell below the question is shown with it, as a text


ATTACKS = {
    # drops every assert that is compiled in the kernel from now on
    "transformer": """import ast
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
get_ipython().ast_transformers.append(Drop())
def estimate_share(reports, theta): pass""",
    # makes all comparisons true
    "patched": """import builtins, numpy as np
np.isclose = np.allclose = builtins.abs = lambda *a, **k: True
class Yes(float):
    __lt__ = __gt__ = __eq__ = lambda *_: True
def estimate_share(reports, theta): return Yes()""",
    "gradebook": """import json
book = json.load(open({gradebook!r}))
for name, record in book["a_right"].items():
    record["failed"] = dict.fromkeys(["test_share", "test_error", "test_epsilon"], "no")
json.dump(book, open({gradebook!r}, "w"))""",
    "solutions": """import json
for cell in json.load(open({source!r}))["cells"]:
    if cell["metadata"].get("nbgrader", {{}}).get("solution") and cell["cell_type"] == "code":
        exec("".join(cell["source"]), globals())""",
    "network": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 3).sendall(b'here')",
    "process": "import subprocess\nsubprocess.Popen(['sleep', '4242'], start_new_session=True)",
    "many": "import subprocess\nfor _ in range(300):\n    subprocess.Popen(['sleep', '4242'])",
    "memory": "x = bytearray(10 << 30)",
    "printed": "for _ in range(1000):\n    print('x' * 100_000)",
    "files": "open({notebook!r}, 'w').write('mine')",
}


@pytest.fixture(scope="module", params=["bwrap", "none"])
def attacked(request, course, tmp_path_factory):
    if request.param == "bwrap" and not bubblewrap():
        pytest.skip("bubblewrap does not work here")
    folder, home = tmp_path_factory.mktemp("attacks"), tmp_path_factory.mktemp("course")
    release.make(NAME, SEED, home, with_key=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        where = {"gradebook": str(home / "gradebook.json"),
                 "notebook": str(home / "submitted" / "a_right" / NAME / f"{NAME}.ipynb"),
                 "source": str(home / "source" / NAME / f"{NAME}.ipynb"),
                 "port": server.getsockname()[1]}  # fmt: skip
        submit(folder, "a_right", solved(course))  # graded first
        for name, code in ATTACKS.items():
            code = code.format(**where) if "{" in code else code
            submit(folder, f"b_{name}", handed_in(released(course), {"estimate_share": code}))
        rows, _ = regraded(home, folder, request.param, timeout=20)
        try:
            server.accept()[0].close()
            heard = True
        except TimeoutError:
            heard = False
    return request.param, home, rows, heard


def test_no_attack_changes_another_mark_or_survives(attacked):
    sandbox, home, rows, heard = attacked
    assert rows["a_right"]["automatic"] == 16
    earned = {name: rows[f"b_{name}"]["automatic"] for name in ATTACKS}
    free = {"solutions"} if sandbox == "none" else set()  # the page says so
    assert {name for name, points in earned.items() if points} <= free
    assert "used more" in rows["b_memory"]["notes"] or "MemoryError" in rows["b_memory"]["notes"]
    assert "processes" in rows["b_many"]["notes"] or "BlockingIOError" in rows["b_many"]["notes"]
    told = [name for name in ATTACKS if "TAMPERED" in rows[f"b_{name}"]["notes"]]
    if sandbox == "bwrap":
        assert not heard
        assert not told
    elif nobody() == []:  # it runs as we do
        assert told == ["gradebook", "files"]
    alive = [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "4242"]]
    assert alive == []
    assert (home / "feedback" / "b_printed" / f"{NAME}.html").stat().st_size < 1_000_000


REGION = r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END"


def secret_and_shown(name):
    """Return each line that students must not see, in solutions and hidden tests, and the rest."""
    secret, shown = [], []
    for cell in read(name).cells:
        if purpose(cell) in ("by-hand", "data"):
            secret.append(cell.source)
        else:
            secret += re.findall(REGION, cell.source, re.DOTALL)
            shown.append(re.sub(REGION, "", cell.source, flags=re.DOTALL))
    lines = {line.strip() for text in secret for line in text.splitlines()}
    return {line for line in lines if len(line) > 20}, "\n".join(shown)


@pytest.mark.parametrize("name", NAMES)
def test_a_release_holds_no_solution_and_no_hidden_test(name, tmp_path):
    release.make(name, SEED, tmp_path, with_key=False)
    with zipfile.ZipFile(tmp_path / f"{name}.zip") as archive:
        files = {Path(one.filename).name: archive.read(one) for one in archive.infolist()
                 if not one.is_dir()}  # fmt: skip
    assert set(files) == {f"{name}.ipynb", "case.npz"}
    notebook = json.loads(files[f"{name}.ipynb"])
    everything = json.dumps(notebook, ensure_ascii=False)
    lines, shown = secret_and_shown(name)
    secret = {line for line in lines if line not in shown}
    assert len(secret) > 20
    for line in secret:
        assert json.dumps(line, ensure_ascii=False)[1:-1] not in everything, line
    for word in ("HIDDEN", "SOLUTION", "Rubric", str(SEED)):
        assert word not in everything
    for cell in notebook["cells"]:
        assert set(cell["metadata"]) <= {"nbgrader", "deletable", "editable"}
        assert not cell.get("outputs")
    assert set(notebook["metadata"]) == {"kernelspec", "ppdm"}


def test_a_solution_that_fails_leaves_nothing_to_hand_out(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "run", lambda *_, **__: ({"test_share": "wrong"}, []))
    with pytest.raises(RuntimeError, match="its own solution fails"):
        release.make(NAME, SEED, tmp_path)
    assert not (tmp_path / "release").exists()


def test_the_same_seed_makes_the_same_release_and_another_another(course, tmp_path):
    def files(home):
        return {path.name: path.read_bytes() for path in (home / "release" / NAME).iterdir()}

    release.make(NAME, SEED, tmp_path / "again", with_key=False)
    assert files(tmp_path / "again") == files(course)
    release.make(NAME, SEED + 1, tmp_path / "next", with_key=False)
    assert files(tmp_path / "next")["case.npz"] != files(course)["case.npz"]
