"""One thread that writes; what arrives meanwhile shares the next transaction."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
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
        self._waiting: deque[Job] = deque()
        self._door = threading.Lock()  # nothing comes in behind the last
        self._thread = ThreadPoolExecutor(1, "ppdm-writer")

    def put(self, row: Asked) -> Future[Any]:
        """Queue a row; the future is done once it is stored or refused.

        Raises
        ------
        BusyError
            If too many rows are waiting, or the writer is closed.
        """
        done: Future[Any] = Future()
        with self._door:
            if len(self._waiting) >= _WAITING:
                raise BusyError("too many submissions are waiting: send the same again")
            try:
                self._thread.submit(self._write)
            except RuntimeError:
                raise BusyError("the survey is closing: send the same again later") from None
            self._waiting.append((row, done))
        return done

    def close(self) -> None:
        """Store what is waiting, then stop."""
        self._thread.shutdown()

    def _write(self) -> None:
        time.sleep(_PAUSE if len(self._waiting) > 1 else 0)
        with self._door:
            jobs = [self._waiting.popleft() for _ in range(min(len(self._waiting), _TOGETHER))]
        if jobs:  # an earlier call may have had this one's row
            self._answer(jobs)

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
