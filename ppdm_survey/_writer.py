"""One thread that writes; what arrives meanwhile shares the next transaction."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from ppdm_survey._errors import BusyError
from ppdm_survey._store import Exchange, Row

_WAITING = 1024  # rows that may wait for the disk; more are told to come again
_TOGETHER = 256  # rows handed over at once
_PAUSE = 0.002  # seconds for others to join, where a row is not alone: fewer transactions

_log = logging.getLogger("ppdm_survey")

Asked = Row | Exchange
Answer = Exception | bytes | None
Job = tuple[Asked, "Future[Any]"]


class Writer:
    """Hand rows to a function, in order, from one thread.

    Parameters
    ----------
    record : callable
        Takes a list of rows and returns an answer for each: what the future gives, or the
        error that it raises. What it raises means that nothing is known to be stored.

    Attributes
    ----------
    n_failures : int
        How often it raised.
    healthy : bool
        Whether it did not, the last time.
    """

    def __init__(self, record: Callable[[Sequence[Asked]], Sequence[Answer]]) -> None:
        self._record = record
        self.n_failures, self.healthy = 0, True
        self._queue: queue.Queue[Job | None] = queue.Queue()
        self._open = True
        self._door = threading.Lock()  # nothing comes in behind the last
        self._thread = threading.Thread(target=self._run, name="ppdm-writer", daemon=True)
        self._thread.start()

    def put(self, row: Asked) -> Future[Any]:
        """Queue a row; the future is done once it is stored or refused.

        Raises
        ------
        BusyError
            If too many rows are waiting, or the writer is closed.
        """
        done: Future[Any] = Future()
        with self._door:
            if not self._open:
                raise BusyError("the survey is closing: send the same again later")
            if self._queue.qsize() >= _WAITING:
                raise BusyError("too many submissions are waiting: send the same again")
            self._queue.put((row, done))
        return done

    def close(self) -> None:
        """Store what is waiting, then stop."""
        with self._door:
            if self._open:
                self._queue.put(None)
            self._open = False
        self._thread.join()

    def _run(self) -> None:
        jobs: list[Job | None] = []
        while None not in jobs[-1:]:  # that is the last
            jobs = [self._queue.get()]
            time.sleep(0 if self._queue.empty() else _PAUSE)
            while len(jobs) < _TOGETHER and not self._queue.empty():
                jobs.append(self._queue.get())
            self._answer([job for job in jobs if job is not None])

    def _answer(self, jobs: Sequence[Job]) -> None:
        try:
            answers = self._record([row for row, _ in jobs])
            self.healthy = True
        except Exception:
            self.n_failures, self.healthy = self.n_failures + 1, False
            _log.exception("submissions could not be stored")
            again = "the submission could not be stored: send the same again"
            answers = [BusyError(again) for _ in jobs]
        for (_, done), answer in zip(jobs, answers, strict=True):
            if not done.set_running_or_notify_cancel():
                continue  # whoever asked has gone; the row is stored all the same
            if isinstance(answer, Exception):
                done.set_exception(answer)
            else:
                done.set_result(answer)
