"""Ways into a collector that the tests share: a submission, a token for an invitation."""

import csv
import sqlite3
from contextlib import closing

from blinding import Blinded

from ppdm_survey import Attribute, Survey
from ppdm_survey.__main__ import main

TWO_QUESTIONS = Survey(title="Two questions", attributes=[
    Attribute(name="a", label="A", values=["n", "y"]),
    Attribute(name="b", label="B", values=["n", "m", "y"]),
])


def submission(collector, label, ones):
    """Draw a token of the current epoch; return a submission as the collector takes it."""
    epoch = collector.inquire().epoch
    return collector.ready(epoch)[1], epoch, int(label), list(ones)


def send(collector, label, ones):
    """Submit something and wait until it is stored; return what was submitted."""
    body = submission(collector, label, ones)
    collector.submit(*body).result(timeout=30)
    return body


def exchanged(collector, invitation):
    """Return the token that an invitation is exchanged for."""
    mine = Blinded.draw(collector.key)
    return mine.token(collector.exchange(invitation, mine.message).result())


def asked(file, query, *values):
    """Ask SQLite's file itself, not through the store's code."""
    with closing(sqlite3.connect(file)) as store, store:
        return store.execute(query, values).fetchall()


def command(*arguments):
    """Run the command, which succeeds."""
    assert main([str(one) for one in arguments]) == 0


def refusal(capsys, *arguments):
    """Run the command, which refuses in one line; return that."""
    assert main([str(one) for one in arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith("python -m ppdm_survey: ")
    assert said.count("\n") == 1
    return said


def rows_in(path):
    """Read a table that was exported."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))
