"""Failures at the worst moment, made on purpose: nothing acknowledged is lost or doubled."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
import pytest
from collecting import TWO_QUESTIONS as SURVEY
from collecting import asked, send, submission
from sqlalchemy.exc import IntegrityError, OperationalError

from ppdm.guidance import Guidance
from ppdm_survey import BusyError, Collector, DatabaseInUseError
from ppdm_survey._store import Row, Store, pack, unpack
from ppdm_survey._writer import Writer

N_BITS = 5
BATCH = 4
LOST = OperationalError("COMMIT", {}, Exception("disk full, or connection lost"))


@pytest.fixture(params=["file", "memory"])
def anywhere(request, database):
    return database if request.param == "file" else "sqlite://"


def failing_once(function, when, error=LOST):
    """Return a function that fails before or after it has done its work, the first time."""
    failures = iter([True])

    def wrapped(self, *arguments):
        fails = next(failures, False)
        if fails and when == "before":
            raise error
        result = function(self, *arguments)
        if fails:
            raise error
        return result

    return wrapped


def stored(collector):
    R, y = unpack(next(collector._store.pages(10**6)), N_BITS)
    assert len(R) == collector.n_received
    return R.astype(np.int64), y


def check_in_step(collector, expected):
    """The store has the expected tuples in order, and A* is the literal sum of whole epochs."""
    R, y = stored(collector)
    assert [(int(c), np.flatnonzero(r).tolist()) for r, c in zip(R, y, strict=True)] == expected
    whole = len(R) // BATCH * BATCH
    guidance = collector._miner.guidance
    for c, A in enumerate((guidance.A0, guidance.A1)):
        ones = R[:whole][y[:whole] == c]
        np.testing.assert_array_equal(A, ones.T @ ones)
    n_received = [epoch["n_received"] for epoch in collector.epochs]
    assert n_received == [*range(0, len(expected) + 1, BATCH)]


def again(collector, body):
    return collector.submit(*body).result(30)


TUPLES = [(i % 2, [i % N_BITS]) for i in range(2 * BATCH + 1)]


# In an epoch of four tuples the fourth one's commit is followed by that of the new epoch.
@pytest.mark.parametrize("at", [1, BATCH - 1, BATCH])
@pytest.mark.parametrize(("owner", "name", "when"), [
    (Store, "add", "before"), (Store, "add", "after"), (Store, "find", "before"),
    (Store, "add_guidance", "before"), (Store, "add_guidance", "after"),
    (Store, "guidance", "before"), (Guidance, "_decompose", "before"),
])
def test_one_failure(anywhere, monkeypatch, owner, name, when, at):
    with Collector(SURVEY, anywhere, batch_size=BATCH) as collector:
        for label, ones in TUPLES[:at]:
            send(collector, label, ones)
        error = np.linalg.LinAlgError("did not converge") if owner is Guidance else LOST
        monkeypatch.setattr(owner, name, failing_once(getattr(owner, name), when, error))
        busy = 0
        for label, ones in TUPLES[at:]:
            body = submission(collector, label, ones)
            try:
                again(collector, body)
            except BusyError:
                busy += 1
                again(collector, body)  # the same again gets through
            again(collector, body)  # and once more is stored no second time
        assert busy == 1
        check_in_step(collector, TUPLES)


def test_crash_between_last_tuple_and_new_epoch(database, monkeypatch):
    """The store then has a full epoch and no guidance for the next one."""
    with Collector(SURVEY, database, batch_size=BATCH) as collector, monkeypatch.context() as patch:
        for label, ones in TUPLES[: BATCH - 1]:
            send(collector, label, ones)
        patch.setattr(Store, "add_guidance", failing_once(Store.add_guidance, "before"))
        body = submission(collector, *TUPLES[BATCH - 1])
        with pytest.raises(BusyError):
            again(collector, body)
        assert collector.inquire().epoch == 0  # unpublished, as it is not stored
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        assert (collector.n_received, collector.inquire().epoch) == (BATCH, 1)
        again(collector, body)
        check_in_step(collector, TUPLES[:BATCH])


def test_many_threads_share_few_tokens(anywhere):
    """Each token is stored once, whoever is first; every other body is told so."""
    with Collector(SURVEY, anywhere, batch_size=BATCH) as collector:
        tokens = [collector.ready(0)[1] for _ in range(2 * BATCH)]
        start = threading.Barrier(8)
        futures = []

        def hurry(label):
            start.wait()
            futures.extend((label, one, collector.submit(one, 0, label % 2, [label % N_BITS]))
                           for one in tokens)

        with ThreadPoolExecutor(8) as eight:
            list(eight.map(hurry, range(8)))
        wait([future for *_, future in futures], timeout=60)
        won = [one for _, one, future in futures if future.exception() is None]
        assert sorted(won) == sorted(tokens)
        R, y = stored(collector)
        check_in_step(collector, [(int(c), np.flatnonzero(r).tolist())
                                  for r, c in zip(R, y, strict=True)])


def test_second_server_would_collide(database):
    """Were the lock to fail, the position of a tuple would still be taken only once."""
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        send(collector, 0, [1])
        with pytest.raises(IntegrityError):
            collector._store.add([Row(b"n" * 16, 0, 0, b"\x00")], position=1)
        send(collector, 1, [2])
        check_in_step(collector, [(0, [1]), (1, [2])])


def test_database_under_another_name_is_the_same(database, tmp_path):
    (tmp_path / "link.sqlite").symlink_to(tmp_path / "survey.sqlite")
    with (Collector(SURVEY, database),
          pytest.raises(DatabaseInUseError, match="in use by a server: stop that one first")):
        Collector(SURVEY, f"sqlite:///{tmp_path}/link.sqlite")


def test_a_writer_that_comes_back_does_not_write_into_a_closed_survey(database):
    # its session was lost, and meanwhile the survey was closed
    with Collector(SURVEY, database, batch_size=BATCH) as collector:
        send(collector, 0, [1])
        late = submission(collector, 1, [2])
        store = collector._store
        find, store.find = store.find, failing_once(lambda _, tokens: find(tokens), "before")
        store.find = store.find.__get__(store)
        store.end(BATCH)  # as the command does; it holds the lock that was lost
        for _ in range(2):
            with pytest.raises(BusyError):
                collector.submit(*late).result()
        assert sum(map(len, store.pages(BATCH))) == 1


# one that SQLite opens under a name of its own would have another lock
@pytest.mark.parametrize("other", ["mysql://localhost/survey",
                                   "sqlite:///file:survey.sqlite?uri=true"])
def test_database_of_another_kind(other):
    with pytest.raises(ValueError, match=r"sqlite \(no options\) or postgresql, got (my|sqlite)"):
        Collector(SURVEY, other)


def test_nothing_keeps_the_database_open(database, tmp_path):
    """An open cursor would keep the journal beside the file, and the file from being moved."""
    for _ in range(2):  # the second time there is something to replay
        with Collector(SURVEY, database, batch_size=BATCH) as collector:
            for label, ones in TUPLES:
                send(collector, label, ones)
            asked(tmp_path / "survey.sqlite", "BEGIN EXCLUSIVE")  # nobody reads
            assert not (tmp_path / "survey.sqlite-journal").exists()


def test_log_holds_no_submission(database, caplog):
    """What SQLAlchemy says of an error ends with the values, unless it is told otherwise."""
    with Collector(SURVEY, database) as collector:
        send(collector, 0, [1])
        collector._n_whole = -1  # a collision
        body = submission(collector, 1, [2, 3])
        with caplog.at_level(logging.DEBUG), pytest.raises(BusyError):
            again(collector, body)
    assert "IntegrityError" in caplog.text
    assert repr(pack([2, 3], 5)) not in caplog.text
    assert "parameters hidden" in caplog.text


def test_writer_closes_behind_the_last_row():
    """Every row that was let in gets its answer, and none after that is let in."""
    rows = []
    started, go = threading.Event(), threading.Event()

    def record(batch):
        started.set()
        go.wait(30)
        rows.extend(batch)
        return [None] * len(batch)

    writer = Writer(record)
    futures = [writer.put(Row(b"0", 0, 0, b""))]
    started.wait(30)
    full = 0
    for _ in range(1100):  # more than may wait
        try:
            futures.append(writer.put(Row(b"1", 0, 0, b"")))
        except BusyError:
            full += 1
    assert full == 1100 + 1 - 1024 - 1
    assert futures[2].cancel()  # who has gone while her row waits is no failure
    closing = threading.Thread(target=writer.close)
    closing.start()
    go.set()
    closing.join(30)
    assert not closing.is_alive()
    assert not wait(futures, timeout=30).not_done
    assert len(rows) == len(futures)
    assert all(one.result() is None for one in futures if not one.cancelled())
    with pytest.raises(BusyError, match="closing"):
        writer.put(Row(b"2", 0, 0, b""))
