"""Disasters but for kills: no room on the disk, a clock that jumps, a stop under load."""

import contextlib
import os
import subprocess
import time

import pytest
import sqlalchemy as sa
from survey_clock import MadClock
from survey_crowd import Crowd
from test_durability import BATCH, N_BITS, OPTIONS, check_everything, new_server

from ppdm_survey import BusyError, Collector, voting_survey

pytestmark = pytest.mark.long(part="survey")


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
    with small_disk(tmp_path), new_server(
            f"sqlite:///{tmp_path}/survey.sqlite", scheme) as server:
        with Crowd(server.port, N_BITS, scheme) as books:
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
        check_everything(server, books, scheme)


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
    with MadClock(database, "--batch-size", str(BATCH), *OPTIONS[scheme]) as server:
        with Crowd(server.port, N_BITS, scheme) as books:
            for _ in range(3):
                books.wait_for_more(60)
                server.kill()
                server.start()
                server.wait()
            books.wait_for_more(60)
        check_everything(server, books, scheme)


def test_told_to_stop_under_load(database, scheme):
    """Each stop takes some seconds at most, and what it did not answer comes again."""
    with new_server(database, scheme) as server:
        with Crowd(server.port, N_BITS, scheme) as books:
            for _ in range(4):
                books.wait_for_more(50)
                began = time.monotonic()
                assert server.stop() == 0
                assert time.monotonic() - began < 15
                server.start()
                server.wait()
            books.wait_for_more(60)
        check_everything(server, books, scheme)


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
