"""Valid calls of ``ppdm.dask``.

An array or frame is handed over as one of Dask's, in two blocks, whatever is wrong with it; what is
neither stays as it is. Dask is imported where it is needed, for it is an extra.
"""

from functools import wraps
from importlib import import_module

import numpy as np
import pandas as pd
from bad.counting import three_released
from bad.kinds import array, bits, labels, nothing, optional, public_classes
from bad.words import BITS, CHANNEL, CODED, CODES, Y, call, coin

from ppdm import dask as far
from ppdm.guidance import Guidance
from ppdm.naive_bayes import CountNB
from ppdm.randomized_response import RandomizedResponse


def in_blocks(given):
    """Return an array or a frame as one of Dask's."""
    if isinstance(given, pd.DataFrame | pd.Series):
        return import_module("dask.dataframe").from_pandas(given, npartitions=2)
    if isinstance(given, np.ndarray) and given.ndim and given is not np.ma.masked:
        sizes = (3, *(-1,) * (given.ndim - 1))
        return import_module("dask.array").from_array(given, chunks=sizes)
    return given


def of_blocks(function, *names):
    """Return a function of arrays that gives some of its arguments to another one in blocks."""

    @wraps(function)
    def called(**given):
        theirs = {name: in_blocks(given[name]) for name in names if name in given}
        found = function(**given | theirs)
        parts = found if isinstance(found, tuple) else (found,)
        return [part.compute() for part in parts if hasattr(part, "compute")]

    return called


PUBLIC = RandomizedResponse(0.8, random_state=0).fit(BITS)
FIRST_BITS = {"X": (BITS, bits(2, (6, 3)))}
DISGUISE, COUNT, FIT = (
    of_blocks(far.disguise, "X", "y"),
    of_blocks(far.count, "released", "labels"),
    of_blocks(far.fit, "X", "y"),
)
AS_CODES = CODES, lambda v: CODED[1](v) and array(2, (6, 2), 0, 2)(v)
FRAME = "dask.dataframe"
CALLS = [
    call(DISGUISE, "random_state", scheme=(PUBLIC, nothing), X=(BITS, bits(2, (None, 3))),
         needs=FRAME),
    call(DISGUISE, "random_state", "with the class", scheme=(coin(), nothing), **FIRST_BITS,
         y=(Y, optional(labels(6))), needs=FRAME),
    call(COUNT, "labels n_labels", channel=(CHANNEL, three_released),
         released=(Y, array((1, 2), None, 0, 2, whole=True)), needs=FRAME),
    call(FIT, "y", learner=(CountNB([3, 3]), nothing), X=AS_CODES, needs=FRAME,
         classes=(np.array([0, 1]), public_classes), also={"X": "n_values"}),  # the learner's own
    call(FIT, title="of a Guidance", learner=(Guidance(3), nothing), **FIRST_BITS,
         y=(Y, bits(1, (6,))), also={"X": "R"}, needs=FRAME),
]  # fmt: skip
