"""``python -m ppdm_survey export | close | delete | backup``, and the store they work on."""

import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing

import joblib
import numpy as np
import pytest
from collecting import TWO_QUESTIONS as SURVEY
from collecting import asked, command, refusal, rows_in, send, submission

from ppdm.classifiers import GuidedNB
from ppdm_survey import Collector, DatabaseInUseError
from ppdm_survey.__main__ import _parser

BATCH = 4
GUIDED = ["--scheme", "guided", "--port", "0"]  # 8008 may be taken
NAMES = ["a=n", "a=y", "b=n", "b=m", "b=y"]


def answer(collector, n, first=0):
    """Store n submissions; return what was sent."""
    sent = []
    for i in range(first, first + n):
        ones = [j for j in range(5) if (7 * i + j) % 3 == 0]
        sent.append(send(collector, i % 2, ones)[1:])
    return sent


@pytest.fixture
def sent(database):
    """Two whole epochs and one tuple more."""
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        return answer(collector, 2 * BATCH + 1)


def read(folder):
    return rows_in(folder / "responses.csv")


def card_in(folder):
    return " ".join((folder / "MODEL_CARD.md").read_text(encoding="utf-8").split())


# What is exported

def test_export_has_every_tuple_of_whole_epochs_and_no_order(sent, exported):
    folder = exported()
    rows = read(folder)
    got = [(int(row["epoch"]), int(row["class"]), [j for j in range(5) if row[NAMES[j]] == "1"])
           for row in rows]
    whole = sent[: 2 * BATCH]
    assert sorted(got) == sorted(whole)
    assert got != whole  # the order in which they came
    packed = [(e, c, [int(j in ones) for j in range(5)]) for e, c, ones in got]
    assert all(packed[i : i + BATCH] == sorted(packed[i : i + BATCH]) for i in (0, BATCH))
    assert list(rows[0]) == ["epoch", "k", "class", *NAMES]
    assert {row["k"] for row in rows if row["epoch"] == "0"} == {"5"}  # the clear ones
    classifier = joblib.load(folder / "classifier.joblib")
    _, y, R = zip(*packed, strict=True)
    expected = GuidedNB([2, 3]).fit(R, y)
    np.testing.assert_array_equal(classifier.bit_count_, expected.bit_count_)
    np.testing.assert_array_equal(classifier.predict_proba(R), expected.predict_proba(R))
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        rights = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        assert rights == dict.fromkeys(
            ["responses.csv", "classifier.joblib", "MODEL_CARD.md"], 0o600)


@pytest.mark.parametrize(("value", "cell"), [
    ("=1+1", "'=1+1"), ("@a", "'@a"), ("\t=1", "'\t=1"), ("+1+a()", "'+1+a()"), ("-a()", "'-a()"),
    ("-1", "-1"), ("+", "+"), ("+1.5", "+1.5"), ("a=1", "a=1"),
])
def test_a_cell_that_a_spreadsheet_would_run_is_shown_instead(database, value, cell, exported):
    survey = SURVEY.model_copy(update={"question": SURVEY.question.model_copy(
        update={"values": ("other", value)})})
    with Collector(survey, database, batch_size=BATCH) as collector:
        answer(collector, BATCH)
    assert {row["class"] for row in read(exported())} == {"other", cell}


def test_what_is_learnt_is_of_whole_epochs_though_the_survey_is_closed(sent, database, exported):
    # or the last one could be read: the classifier less the counts that are public
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        public = collector.results()["classifier"]["bit_count"]
    folder = exported(closed=True)
    assert len(read(folder)) == len(sent)
    learnt = joblib.load(folder / "classifier.joblib")
    np.testing.assert_array_equal(learnt.bit_count_, public)
    card = card_in(folder)
    assert f"{2 * BATCH} tuples R(t) of 2 whole epochs" in card
    assert "1 more of an epoch that did not end" in card
    assert f"| 2 | {len(sent) - 2 * BATCH} |" not in card


def test_what_never_had_a_whole_epoch_has_no_classifier(database, exported):
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        answer(collector, 2)
    folder = exported(closed=True)
    assert len(read(folder)) == 2
    assert not (folder / "classifier.joblib").exists()
    assert "No classifier" in card_in(folder)


def test_model_card_says_what_it_learnt_from(sent, database, exported):
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        accuracy = collector.results()["accuracy"]
        k = collector.epochs[1]["k"]
    card = card_in(exported())
    assert f"{2 * BATCH} tuples R(t) of 2 whole epochs" in card
    assert f"epoch by epoch: 5, {k} of 5" in card
    assert "In 1 of these epochs k is 5: their tuples are the answers themselves, **not dis" in card
    assert "Nobody checked who answered, or how often" in card
    for one in accuracy:
        assert f"| {one['epoch']} | {BATCH} | {one['correct']} | {one['majority']} |" in card
    assert "mu = 0.15, " in card
    assert f"batch_size = {BATCH}" in card
    assert "{" not in card


def test_export_as_parquet(sent, database, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra ppdm[parquet]")
    for kind in ("csv", "parquet"):
        command("export", tmp_path / kind, "--database", database, "--format", kind)
    table = parquet.read_table(tmp_path / "parquet" / "responses.parquet").to_pylist()
    as_text = [{key: str(value) for key, value in row.items()} for row in table]
    assert as_text == read(tmp_path / "csv")
    assert isinstance(table[0]["a=n"], int)


def test_what_cannot_be_exported(database, sent, tmp_path, capsys):
    assert "none at" in refusal(capsys, "export", tmp_path / "x", "--database", f"{database}2")
    (tmp_path / "there").mkdir()
    said = refusal(capsys, "export", tmp_path / "there", "--database", database)
    assert f"{tmp_path / 'there'} is there already: name a new folder" in said
    assert not list((tmp_path / "there").iterdir())
    (tmp_path / "empty.sqlite").touch()
    empty = f"sqlite:///{tmp_path}/empty.sqlite"
    assert "hold a survey" in refusal(capsys, "export", tmp_path / "x", "--database", empty)
    with Collector(SURVEY, f"{database}3", batch_size=BATCH):
        pass
    assert "whole batch" in refusal(capsys, "export", tmp_path / "x", "--database", f"{database}3")
    assert not (tmp_path / "x").exists()


# The end of a survey

def test_closed_survey_takes_nothing_and_has_forgotten_tokens_and_order(sent, database, tmp_path,
        capsys):
    file = tmp_path / "survey.sqlite"
    kept = [row[0] for row in asked(file, "SELECT token FROM submission")]
    kept += asked(file, "SELECT secret FROM survey")[0]
    command("close", "--database", database)
    left = file.read_bytes()
    assert not any(one in left for one in kept)
    rows = asked(file, "SELECT epoch, label, bits FROM submission ORDER BY position")
    for i in range(0, len(rows), BATCH):
        assert rows[i : i + BATCH] == sorted(rows[i : i + BATCH])
    assert sorted(row[:2] for row in rows) == sorted(one[:2] for one in sent)
    with pytest.raises(DatabaseInUseError, match="is closed"):
        Collector(SURVEY, database, batch_size=BATCH)
    assert "is closed" in refusal(capsys, *GUIDED, "--database", database)
    command("close", "--database", database)  # once more changes nothing


def test_a_closed_file_has_no_old_token_anywhere(database, tmp_path):
    # a page that was split keeps copies behind its rows
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        for i in range(1500):
            sent = collector.submit(*submission(collector, 0, []))
            if i % 100 == 99:
                sent.result(60)
    tokens = [row[0] for row in asked(tmp_path / "survey.sqlite", "SELECT token FROM submission")]
    assert len(tokens) == 1500
    command("close", "--database", database)
    left = (tmp_path / "survey.sqlite").read_bytes()
    assert not [token for token in tokens if token in left]


@pytest.mark.parametrize("arguments", [["close"], ["delete", "--yes"]])
def test_survey_that_is_served_is_left_alone(database, arguments, capsys):
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        answer(collector, 1)
        said = refusal(capsys, *arguments, "--database", database)
        assert "is in use by a server: stop that one first (Ctrl-C)" in said
        answer(collector, 1)


def test_delete_leaves_nothing(sent, database, tmp_path, capsys):
    assert "--yes" in refusal(capsys, "delete", "--database", database)
    assert (tmp_path / "survey.sqlite").exists()
    command("delete", "--yes", "--database", database)
    assert list(tmp_path.iterdir()) == []


# Copies

def test_export_and_backup_while_a_server_is_at_work_are_new_and_private(
        database, tmp_path, capsys, exported):
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        answer(collector, 6)
        to = ["backup", tmp_path / "backup.sqlite", "--database", database]
        command(*to)
        if os.name == "posix":
            assert stat.S_IMODE((tmp_path / "backup.sqlite").stat().st_mode) == 0o600
        assert f"{tmp_path / 'backup.sqlite'} is there already: name a new file" in refusal(
            capsys, *to)
        assert len(read(exported())) == BATCH
        answer(collector, 1, first=6)
        assert collector.n_received == 7
    with Collector(SURVEY, f"sqlite:///{tmp_path}/backup.sqlite", batch_size=BATCH) as collector:
        assert collector.n_received == 6
        answer(collector, 1)  # it can go on


def test_file_in_the_middle_of_a_write_is_whole_through_backup_alone(database, tmp_path):
    """A plain copy then has some pages from before and some from after: the journal undoes them."""
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        answer(collector, 2 * BATCH)
    file = tmp_path / "survey.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as late:
        late.execute("PRAGMA cache_size = 1")  # so pages go to the file before the end
        late.execute("BEGIN IMMEDIATE")
        late.execute("CREATE TABLE more AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                     "SELECT i + 1 FROM n WHERE i < 50) SELECT randomblob(4096) FROM n")
        for suffix in ("", "-journal"):  # what a kill at this moment leaves
            shutil.copy(f"{file}{suffix}", f"{tmp_path}/killed.sqlite{suffix}")
        late.execute("ROLLBACK")
    assert (tmp_path / "killed.sqlite").stat().st_size > file.stat().st_size
    command("backup", tmp_path / "backup", "--database", f"sqlite:///{tmp_path}/killed.sqlite")
    count = "SELECT count(*) FROM submission", "SELECT count(*) FROM sqlite_master"
    for query in count:
        assert asked(tmp_path / "backup", query) == asked(file, query)


def test_file_with_a_write_ahead_log_is_taken_over(sent, tmp_path):
    """As versions before this one left it: whole after a kill, and the log is gone."""
    file = tmp_path / "survey.sqlite"
    with closing(sqlite3.connect(file)) as old:
        old.execute("PRAGMA journal_mode = WAL")
        with old:
            old.execute("UPDATE submission SET label = 1 - label WHERE position = 1")
        for suffix in ("", "-wal"):
            shutil.copy(f"{file}{suffix}", f"{tmp_path}/killed.sqlite{suffix}")
    with Collector(SURVEY, f"sqlite:///{tmp_path}/killed.sqlite", batch_size=BATCH) as collector:
        assert collector.n_received == len(sent)
        assert not (tmp_path / "killed.sqlite-wal").exists()
    first = "SELECT label FROM submission WHERE position = 1"
    assert asked(tmp_path / "killed.sqlite", first) == [(1 - sent[0][1],)]


def test_postgresql_is_told_how(capsys, tmp_path):
    url = "postgresql+psycopg://anna:secret@db/survey"
    said = refusal(capsys, "backup", tmp_path / "copy", "--database", url)
    assert f"pg_dump -Fc -f {tmp_path / 'copy'}" in said
    assert "secret" not in said


# The files

@pytest.mark.skipif(os.name != "posix", reason="rights of files as POSIX has them")
def test_files_are_their_owners_alone(database, tmp_path):
    """They hold the secret that signs tokens, and the clear records of the first epoch."""
    before = os.umask(0o022)
    try:
        with Collector(SURVEY, database, batch_size=BATCH) as collector:
            answer(collector, 1)
            rights = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert rights.keys() >= {"survey.sqlite", "survey.sqlite-lock"}
    assert set(rights.values()) == {0o600}


def test_second_server_under_a_hard_link_is_refused(database, tmp_path):
    """Lock and journal stand beside the name: the second one would see neither."""
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        answer(collector, 1)
        (tmp_path / "other.sqlite").hardlink_to(tmp_path / "survey.sqlite")
        with pytest.raises(DatabaseInUseError, match="hard link"):
            Collector(SURVEY, f"sqlite:///{tmp_path}/other.sqlite", batch_size=BATCH)
        answer(collector, 1)
    (tmp_path / "other.sqlite").unlink()
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        assert collector.n_received == 2


def test_store_of_the_first_version_goes_on_where_it_was(sent, database, tmp_path, exported):
    """It wrote no access where anybody may answer, no number of its layout, and not who asks."""
    file = tmp_path / "survey.sqlite"
    [(schema, settings)] = asked(file, "SELECT schema, settings FROM survey")
    old, told = json.loads(schema), json.loads(settings)
    for key in ("operator", "purpose", "retention", "language"):
        del old[key]
    for one in old["attributes"]:
        del one["optional"]
    del told["access"]
    asked(file, "UPDATE survey SET schema = ?, settings = ?", json.dumps(old), json.dumps(told))
    asked(file, "DROP TABLE store")
    for more in range(2):
        with Collector(SURVEY, database, batch_size=BATCH) as collector:
            assert collector.n_received == len(sent) + more
            answer(collector, 1)
    assert "access = open" in card_in(exported())
    assert asked(file, "SELECT layout FROM store") == [(1,)]


@pytest.mark.parametrize("other", [GUIDED, ["--epsilon", "2", "--asked", "1"]])
def test_store_that_was_begun_otherwise_names_the_options_that_open_it(
        database, tmp_path, capsys, other):
    begun = {"batch_size": 60, "mu": 0.2, "random_start": 3}
    with Collector(SURVEY, database, **begun) as collector:
        answer(collector, 1)
    (tmp_path / "survey.json").write_text(json.dumps(SURVEY.to_dict()), encoding="utf-8")
    asked_for = ["--database", database, "--survey", tmp_path / "survey.json"]
    said = refusal(capsys, *asked_for, *other, "--access", "invitation")
    named = said.partition("begun with ")[2].partition(": start with that")[0]
    options = _parser().parse_args([*GUIDED, *named.split()])
    assert ("--scheme guided" in named) == (other != GUIDED)
    assert {name: getattr(options, name) for name in begun} == begun
    with Collector(SURVEY, database, access=options.access, **begun) as collector:
        assert collector.n_received == 1


@pytest.mark.parametrize("options", [GUIDED, ["export", "out"], ["close"], ["delete", "--yes"]])
def test_store_of_another_version_is_refused_and_not_touched(sent, database, tmp_path, options,
        capsys):
    asked(tmp_path / "survey.sqlite", "UPDATE store SET layout = 99")
    before = (tmp_path / "survey.sqlite").read_bytes()
    assert "layout 1, got 99" in refusal(capsys, *options, "--database", database)
    assert (tmp_path / "survey.sqlite").read_bytes() == before
