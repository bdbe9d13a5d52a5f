"""The server under a clock that jumps, as it does after a bad battery or a bad time server."""

import itertools
import time

from survey_server import _FORKS, Server, _serve

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
