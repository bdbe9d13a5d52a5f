"""What the server acknowledged, it has: through SIGKILL and through the database's own crash."""

import contextlib
import os
import sqlite3
import subprocess
import time
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
import sqlalchemy as sa
from coin_site import HALF, channel_of, send_all
from survey_crowd import Crowd
from survey_server import MadClock, Server

from ppdm.guidance import Guidance
from ppdm_survey import (
    BusyError,
    CoinChannel,
    CoinCollector,
    Collector,
    DatabaseInUseError,
    guidance_hash,
    voting_survey,
)
from ppdm_survey.__main__ import main
from ppdm_survey._coin import grouped

pytestmark = pytest.mark.long(part="survey")

SURVEY = voting_survey()
N_BITS = SURVEY.n_bits
BATCH = 50
MU = 0.15
KILLS = 15
COIN = voting_survey("coin")
EPSILON, ASKED = 8.0, 4
OPTIONS = {"guided": ["--mu", str(MU)],
           "coin": ["--scheme", "coin", "--epsilon", str(EPSILON), "--asked", str(ASKED)]}
START = 16  # random tuples that A* begins with where the command is told nothing else


def asked(database, query):
    """Ask the database itself, not through the store's code."""
    engine = sa.create_engine(database)
    with engine.connect() as connection:
        rows = connection.execute(sa.text(query)).all()
    engine.dispose()
    return rows


def rows_of(database):
    """Read the submissions in the order in which they are stored."""
    return asked(database, "SELECT position, token, epoch, label, bits FROM submission "
                           "ORDER BY position")


def start_of(database):
    """Return A* of the random start, as the store has it."""
    [(start,)] = asked(database, "SELECT start FROM survey")
    guidance = Guidance.from_bytes(start)
    assert guidance.n_tuples.sum() == START
    return guidance


def bits_of(rows):
    R = np.array([np.unpackbits(np.frombuffer(row.bits, np.uint8))[:N_BITS] for row in rows])
    return R.astype(np.int64).reshape(-1, N_BITS), np.array([row.label for row in rows])


def sums(R, y):
    """Return A0* and A1*: how often bits i and j are set together, of each class."""
    return [R[y == c].T @ R[y == c] for c in (0, 1)]


def check_rows(rows, books):
    """Everything acknowledged, once; nothing that was not sent; no gap in the order."""
    tokens = [bytes(row.token) for row in rows]
    assert len(set(tokens)) == len(tokens)
    assert set(tokens) == books.acknowledged  # each respondent went on until it was
    assert [row.position for row in rows] == list(range(1, len(rows) + 1))
    for token, row in zip(tokens, rows, strict=True):
        assert (row.epoch, row.label, bytes(row.bits)) == books.sent[token]


def check_epochs(epochs, rows, books, start):
    """Each guidance is what A* gave at that moment, the moment is a whole number of batches."""
    R, y = bits_of(rows)
    assert [epoch["epoch"] for epoch in epochs] == list(range(len(rows) // BATCH + 1))
    assert {epoch["epoch"]: epoch["hash"] for epoch in epochs}.items() >= books.hashes.items()
    for epoch in epochs:
        n = epoch["epoch"] * BATCH
        assert epoch["n_received"] == n
        guidance, (A0, A1) = Guidance(N_BITS), sums(R[:n], y[:n])
        guidance.A0, guidance.A1 = start.A0 + A0, start.A1 + A1
        guidance.n_tuples = start.n_tuples + np.bincount(y[:n], minlength=2)
        k = guidance.disclosure_level(MU)
        assert epoch["k"] == k
        assert epoch["hash"] == guidance_hash(epoch["epoch"], guidance.vectors(k) + 0.0)


def check_everything(server, books, scheme="guided"):
    """Compare the running server and the store with the books; stops the server."""
    assert books.wrong == []
    results = server.get("miner/api/results")
    epochs = server.get("api/epochs") if scheme == "guided" else None
    assert server.stop() == 0
    rows = rows_of(server.database)
    assert len(rows) > 4 * BATCH, "too few submissions to say anything"
    assert books.again > 5
    assert books.refused > 5
    check_rows(rows, books)
    (check_guided if scheme == "guided" else check_coin)(server, rows, books, results, epochs)


def check_coin(server, rows, books, results, _):
    """The shares are those of the whole batches, here estimated one question at a time."""
    channel = CoinChannel.choose(COIN, EPSILON, asked=ASKED)
    assert results["hash"] == channel.hash
    n = len(rows) // BATCH * BATCH
    assert results["n_reports"] == n
    marks = np.unpackbits(np.array([np.frombuffer(row.bits, np.uint8) for row in rows[:n]]), axis=1)
    for at, column, one in zip(channel.starts, channel.columns, results["questions"], strict=False):
        p, q = column.chances
        asked_it = marks[:, at] == 1
        told = marks[asked_it, at + 1 : at + 1 + column.n_values].mean(axis=0)
        shares = [value["share"] for value in one["values"]]
        np.testing.assert_allclose(shares, (told - q) / (p - q), atol=1e-12)
        assert one["n"] == asked_it.sum()
    with CoinCollector(COIN, server.database, channel=channel, batch_size=BATCH) as collector:
        assert collector.results() == results
        assert collector.n_received == len(rows)


def check_guided(server, rows, books, results, epochs):
    """Guidance, classifier and A* are what the stored tuples give, in their order."""
    start = start_of(server.database)
    check_epochs(epochs, rows, books, start)
    R, y = bits_of(rows[: len(rows) // BATCH * BATCH])  # the classifier counts whole epochs
    assert results["n_received"] == len(R)
    assert results["classifier"]["class_count"] == [int((y == c).sum()) for c in (0, 1)]
    assert results["classifier"]["bit_count"] == [R[y == c].sum(axis=0).tolist() for c in (0, 1)]
    with Collector(SURVEY, server.database, mu=MU, batch_size=BATCH,
                   random_start=START) as collector:
        guidance = collector._miner.guidance
        A0, A1 = sums(R, y)
        np.testing.assert_array_equal(guidance.A0, start.A0 + A0)
        np.testing.assert_array_equal(guidance.A1, start.A1 + A1)
        assert collector.epochs == epochs
        assert collector.results() == results


def see_epochs(server, books, scheme="guided"):
    if scheme == "coin":
        return books.saw_hash(0, server.get("api/channel")["hash"])
    for epoch in server.get("api/epochs"):
        books.saw_hash(epoch["epoch"], epoch["hash"])


def new_server(database, scheme="guided", kind=Server):
    return kind(database, "--batch-size", str(BATCH), *OPTIONS[scheme])


@contextlib.contextmanager
def crowded(database, scheme, kind=Server, **crowd):
    """Serve a survey that a crowd answers; at the end all that is kept must be right."""
    with new_server(database, scheme, kind) as server:
        with Crowd(server.port, N_BITS, scheme, **crowd) as books:
            yield server, books
        check_everything(server, books, scheme)


def assert_in_use(database):
    with pytest.raises(DatabaseInUseError, match="in use by a server: stop that one first"):
        Collector(SURVEY, database, mu=MU, batch_size=BATCH)


def test_of_sixty_four_clients_nobody_is_lost_or_doubled(database, scheme):
    with crowded(database, scheme, n_threads=64) as (_, books):
        books.wait_for_more(2_000)


def test_killed_at_random_moments(database, scheme):
    rng = np.random.default_rng(20050824)
    with crowded(database, scheme) as (server, books):
        for _ in range(KILLS):
            books.wait_for_more(rng.integers(0, 50))
            time.sleep(rng.uniform(0.0, 0.02))
            server.kill()
            while rng.random() < 0.2:  # some are killed again before they have come up
                server.start(wait=False)
                time.sleep(rng.uniform(0.0, 0.5))
                server.kill()
            server.start()
            see_epochs(server, books, scheme)
        books.wait_for_more(50)


def test_second_server_is_refused(database):
    with new_server(database) as server:
        assert_in_use(database)
        server.kill()
        server.start()  # what was killed holds nothing back
        second = new_server(database)
        second.start(wait=False)
        assert second.ended() == 2
        assert "in use by a server: stop that one first" in second.said()
        assert server.get("miner/api/status")["n_received"] == 0


def test_postgresql_crashes_under_load(cluster, scheme):
    rng = np.random.default_rng(15)
    database = cluster.new_database()
    with crowded(database, scheme) as (server, books):
        for killed in (False, True, False, False):
            books.wait_for_more(rng.integers(60, 120))
            cluster.restart()
            if killed:
                server.kill()
                server.start()
            time.sleep(rng.uniform(0.0, 0.5))
            see_epochs(server, books, scheme)
        books.wait_for_more(100)  # it has recovered by itself
        assert_in_use(database)  # and holds the lock anew, which the crash had opened


def test_server_that_lost_the_lock_writes_nothing(cluster):
    """PostgreSQL's crash opens the lock; who takes it then is the server, and the only one."""
    database = cluster.new_database()
    with Collector(SURVEY, database) as first:
        guide, token = first.ready(0)
        cluster.restart()
        with Collector(SURVEY, database) as second:
            for _ in range(2):
                with pytest.raises(BusyError):
                    first.submit(token, guide.epoch, 0, [1]).result(60)
            assert second.n_received == 0
        first.submit(token, guide.epoch, 0, [1]).result(60)  # it is free again
        assert_in_use(database)
    assert [bits_of([row])[0].nonzero()[1].tolist() for row in rows_of(database)] == [[1]]


def test_sqlite_is_locked_by_another_program(tmp_path, scheme):
    """A backup that holds the file for longer than SQLite waits: busy, then on as before."""
    database = f"sqlite:///{tmp_path}/survey.sqlite"
    with crowded(database, scheme) as (server, books):
        books.wait_for_more(100)
        with closing(sqlite3.connect(tmp_path / "survey.sqlite")) as other:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(8)
            other.rollback()
        books.wait_for_more(150)
        assert "database is locked" in server.said()


def test_a_survey_with_open_questions_goes_on_after_its_server_and_is_exported(database, tmp_path):
    codes = np.random.default_rng(4).integers(0, HALF.n_values, (120, 4))
    found = channel_of(HALF, 4.0, 2)
    for seed, rows in enumerate(np.array_split(codes, 2)):
        with CoinCollector(HALF, database, channel=found, batch_size=20) as collector:
            assert collector.n_received == 60 * seed
            send_all(collector, rows, seed)
            expected = grouped(HALF, collector._tally, 0.05)
    main(["close", "--database", database])
    assert main(["export", str(tmp_path / "out"), "--database", database]) == 0
    shares = pd.read_csv(tmp_path / "out" / "shares.csv").fillna({"group": ""})
    assert {*shares.group} == {"", *(name for name, own in expected.items() if own)}
    for name, group in expected.items():
        told = shares[shares.group == name]
        assert told.share.tolist() == pytest.approx(
            [value["share"] for one in group for value in one["values"]])
    told = pd.read_csv(tmp_path / "out" / "reports.csv")
    of_open = [told[one.name].value_counts().to_dict() for one in HALF.attributes if one.open]
    assert of_open == [dict(zip(*np.unique(codes[:, j], return_counts=True), strict=True))
                       for j in (1, 3)]  # as they were given, each


@contextlib.contextmanager
def small_disk(folder):
    """Mount a disk of 16 MiB; only root may."""
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder],
                          capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no disk can be mounted here: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.skipif(os.name != "posix", reason="mounts as Linux does")
def test_disk_is_full(tmp_path, scheme):
    """Busy while nothing fits; then on as before, and health says which it is."""
    database = f"sqlite:///{tmp_path}/survey.sqlite"
    with small_disk(tmp_path), crowded(database, scheme) as (server, books):
        books.wait_for_more(150)
        for _ in range(3):
            # what a refused transaction had taken is free again, and may hold some more
            for _ in range(5):
                fill(tmp_path / "filler")
                wait_for_health(server, "busy")
                acknowledged = len(books.acknowledged)
                time.sleep(1)
                if len(books.acknowledged) <= acknowledged + 6:  # one on its way for each
                    break
            else:
                raise AssertionError("reports are acknowledged on a disk that is full")
            (tmp_path / "filler").unlink()
            books.wait_for_more(60)
            wait_for_health(server, None)
        assert "disk is full" in server.said()
        assert len(server.said()) < 200_000  # the log does not fill the disk, either


def fill(path):
    """Take what is left of a disk, to the last byte."""
    with path.open("ab", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(b" " * 4096)


def wait_for_health(server, error):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if health(server) == error:
            return
        time.sleep(0.02)
    raise AssertionError(f"health has not been {error} for a minute")


def health(server):
    try:
        return server.get("api/health")["error"]
    except ValueError:  # 204 has no body
        return None


def test_clock_jumps(database, scheme):
    """Nothing in the server is decided by the time of day."""
    with crowded(database, scheme, MadClock) as (server, books):
        for _ in range(3):
            books.wait_for_more(60)
            server.kill()
            server.start()
        books.wait_for_more(60)


def test_told_to_stop_under_load(database, scheme):
    """Each stop takes some seconds at most, and what it did not answer comes again."""
    with crowded(database, scheme) as (server, books):
        for _ in range(4):
            books.wait_for_more(50)
            began = time.monotonic()
            assert server.stop() == 0
            assert time.monotonic() - began < 15
            server.start()
        books.wait_for_more(60)


def test_a_table_that_another_session_holds_does_not_hold_up_the_writer(cluster):
    """Without an end to its patience neither a submission nor the shutdown would ever be done."""
    database = cluster.new_database()
    with Collector(voting_survey(), database) as collector:
        token = collector.ready(0)[1]
        with sa.create_engine(database, poolclass=sa.NullPool).begin() as other:
            other.execute(sa.text("LOCK TABLE submission IN ACCESS EXCLUSIVE MODE"))
            with pytest.raises(BusyError):
                collector.submit(token, 0, 0, [1]).result(60)
        collector.submit(token, 0, 0, [1]).result(60)
        assert collector.n_received == 1
