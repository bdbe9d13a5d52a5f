"""What make grade refuses before it reads or runs anything: a sentence, no traceback."""

import sys
import time
import zipfile

import pytest

pytest.importorskip("nbclient", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

import grade


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Return what the command says to some arguments in a folder of courses, when it refuses."""
    (tmp_path / "1" / "source").mkdir(parents=True)
    (tmp_path / "2").mkdir()
    (tmp_path / "4" / "source").mkdir(parents=True)
    (tmp_path / "4" / "by_hand.csv").write_text("key,comment\nkey-1,good\n")
    (tmp_path / "2" / "gradebook.db").touch()
    (tmp_path / "essay.docx").write_text("Dear council")
    (tmp_path / "list.csv").write_text("Name,Mark\nAnna,\n")
    with zipfile.ZipFile(tmp_path / "class.zip", "w"):
        pass
    monkeypatch.setattr(grade, "COURSES", tmp_path)
    monkeypatch.setattr(grade, "bubblewrap", lambda: False)
    monkeypatch.chdir(tmp_path)

    def say(*arguments):
        monkeypatch.setattr(sys, "argv", ["grade", *arguments])
        with pytest.raises(SystemExit) as ended:
            grade.main()
        assert not [*tmp_path.glob("*/backups")]
        told = capsys.readouterr().err
        return told or ended.value.code  # which Python prints

    return say


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("2027-05-01T23:59", "2027-05-01 23:59"),
        ("2027-05-01 23:59", "2027-05-01 23:59"),
        ("2027-05-01", "2027-05-02 00:00"),  # all of that day is in time
        ("2027-05-01T23:59+02:00", "2027-05-01 17:59"),  # four hours behind Greenwich
        ("2027-05-01T21:59Z", "2027-05-01 17:59"),
    ],
)
def test_a_due_date_is_of_this_computers_time(monkeypatch, text, local):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert f"{grade.due_at(text):%Y-%m-%d %H:%M}" == local
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seed", "3"], "no release of this seed: make assignments SEED=3 first"),
        (["--seed", "2"], "was begun with version 0.1: finish it with that version"),
        (["--seed", "1", "nowhere"], "nowhere: there is no such folder or zip"),
        (["--seed", "1", "essay.docx"], "essay.docx: there is no such folder or zip"),
        (["--seed", "1", "class.zip"], "bubblewrap does not work here"),
        (["--seed", "1", "--roster", "list.csv"], "list.csv: no roster. Moodle's grading"),
        (["--seed", "1", "--roster", "none.csv"], "none.csv"),
        (["--seed", "4"], "by_hand.csv: it has no column 'points', but ['key', 'comment']"),
        (["--seed", "1", "--due", "tomorrow"], "'tomorrow' is no date: 2027-05-01T23:59"),
        (["--seed", "1", "--due", "2027-05-01"], "DUE needs ROSTER"),
        (["--seed", "1", "--dates", "year"], "invalid choice: 'year'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(said, arguments, says):
    told = " ".join(said(*arguments).split())
    assert says in told
    # who typed make has written no arguments
    assert told.startswith("usage: ") == bool({"--due", "--dates"} & {*arguments})
