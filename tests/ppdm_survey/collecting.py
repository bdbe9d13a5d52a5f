"""Ways into a collector that the tests share: a submission, a token for an invitation."""

import sqlite3
from contextlib import closing

from blinding import Blinded

from ppdm_survey import Attribute, Survey

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
