"""The survey's server as a process of its own, and a PostgreSQL cluster for it."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from ppdm_survey.__main__ import main

#: Forks processes that have the server's modules already: a start takes a tenth of a second.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["ppdm_survey.__main__"])


class Server:
    """``python -m ppdm_survey`` on a free port; the port stays the same when it is started anew.

    It is guided perturbation unless the options say ``--scheme coin``.
    """

    def __init__(self, database: str, *options: str) -> None:
        self.port = free_port()
        self.database = database
        descriptor, self._log = tempfile.mkstemp(prefix="ppdm-survey-", suffix=".log")
        os.close(descriptor)
        weakref.finalize(self, Path(self._log).unlink, missing_ok=True)
        self._arguments = ["--port", str(self.port), "--database", database, *options]
        self._process = self._new_process()

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def start(self, wait: bool = True) -> None:
        """Start it, and wait until it answers."""
        self._process = self._new_process()
        self._process.start()
        if wait:
            self.wait()

    def wait(self, seconds: float = 60) -> None:
        """Wait until it answers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._process.is_alive():
            try:
                self.get("api/schema")
            except (URLError, ConnectionError, TimeoutError):
                time.sleep(0.01)
            else:
                return
        raise RuntimeError(f"the server does not answer:\n{self.said()}")

    def kill(self) -> None:
        """SIGKILL: no handler runs, nothing is flushed."""
        self._process.kill()
        self.ended()

    def stop(self) -> int:
        """Stop it as Ctrl-C does, and return its exit code."""
        os.kill(self.pid, signal.SIGINT)
        return self.ended()

    def ended(self) -> int:
        """Wait for its end and return its exit code."""
        self._process.join(60)
        code = self._process.exitcode
        if code is None:
            raise RuntimeError(f"the server does not end:\n{self.said()}")
        return code

    def _new_process(self) -> Any:
        return _FORKS.Process(target=_serve, args=(self._log, self._arguments), daemon=True)

    def said(self) -> str:
        """Return everything that it has printed."""
        return Path(self._log).read_text(encoding="utf-8")

    def get(self, path: str) -> Any:
        """Return the JSON of an answer; an error's, too."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=10) as answer:
                return json.load(answer)
        except HTTPError as error:
            return json.load(error)


def _serve(log: str, arguments: list[str]) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.exit(main(["--scheme", "guided", "--clear-volunteers", *arguments]))


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def postgresql_binaries() -> Path | None:
    """Return the folder of ``initdb`` and ``pg_ctl``, the newest one."""
    initdb = shutil.which("initdb")
    if initdb is not None:
        return Path(initdb).resolve().parent
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(versions, key=lambda path: int(path.parts[-3]), default=None)
    return None if newest is None else newest.parent


class Cluster:
    """A PostgreSQL of our own, on a Unix socket in a temporary folder."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries, self._folder = binaries, folder
        self._made = 0
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        self._run("initdb", "--auth=trust", "--username=postgres", "--no-sync")
        self._pg_ctl("start", "-o", f"-k {folder} -c listen_addresses=''")

    def new_database(self) -> str:
        """Return the address of a new, empty database."""
        self._made += 1
        name = f"survey{self._made}"
        self._run("createdb", "-h", str(self._folder), "-U", "postgres", name, data=False)
        return f"postgresql+psycopg://postgres@/{name}?host={self._folder}"

    def restart(self) -> None:
        """Restart as after a crash: every session is cut, nothing is written down."""
        self._pg_ctl("restart", "-m", "immediate")

    def stop(self) -> None:
        """Stop it; every session is cut."""
        self._pg_ctl("stop", "-m", "immediate")

    def _pg_ctl(self, *arguments: str) -> None:
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), *arguments)

    def _run(self, program: str, *arguments: str, data: bool = True) -> None:
        # PostgreSQL refuses to run as root
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        where = ["-D", str(self._folder / "data")] if data else []
        subprocess.run(
            [*user, str(self._binaries / program), *where, *arguments],
            check=True, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )


@contextmanager
def own_postgresql(binaries: Path) -> Iterator[Cluster]:
    """Run a cluster for as long as the block lasts."""
    # not below pytest's folder, which the user postgres may not enter
    with tempfile.TemporaryDirectory(prefix="ppdm-postgresql-") as name:
        cluster = Cluster(binaries, Path(name))
        try:
            yield cluster
        finally:
            cluster.stop()


DAY = 86_400


def _serve_by_a_mad_clock(log, arguments):
    real, jumps = time.time, itertools.cycle([0, -400 * DAY, 3 * DAY, -1, 50 * 365 * DAY, -3_600])
    time.time = lambda: real() + next(jumps)
    _serve(log, arguments)


class MadClock(Server):
    """A server for which the time of day jumps at every look."""

    def _new_process(self):
        arguments = (self._log, self._arguments)
        return _FORKS.Process(target=_serve_by_a_mad_clock, args=arguments, daemon=True)
