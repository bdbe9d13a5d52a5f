"""Valid calls of what reads files and Dask's blocks: ``ppdm.dask`` and ``ParquetChunks``.

An array or frame is handed over as one of Dask's, in two blocks, whatever is wrong with it; what is
neither stays as it is. Dask and pyarrow are imported where they are needed, for they are extras.
"""

from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
from bad.counting import three_released
from bad.kinds import array, bits, integer, labels, nothing, optional, public_classes
from bad.words import BITS, CHANNEL, CODED, CODES, Y, call, coin

from ppdm import dask as far
from ppdm.chunks import ParquetChunks
from ppdm.guidance import Guidance
from ppdm.naive_bayes import CountNB
from ppdm.randomized_response import RandomizedResponse

COLUMNS = ["cough", "fever", "ill"]
#: Stands for the path of a file that is written when it is needed.
STORED = "records.parquet"


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


@cache
def stored():
    """Write a file of three columns; return its path."""
    import pyarrow
    from pyarrow import parquet

    path = Path(mkdtemp()) / STORED
    parquet.write_table(pyarrow.table(dict(zip(COLUMNS, BITS.T, strict=True))), path)
    return path


def read(path, **options):
    known = isinstance(path, str) and path == STORED
    return list(ParquetChunks(stored() if known else path, **options))


def name_of_column(v):
    return isinstance(v, str) and v in COLUMNS


def names_of_columns(v):
    is_list = isinstance(v, list | tuple) or (isinstance(v, np.ndarray) and v.ndim == 1)
    return is_list and not np.ma.is_masked(v) and len(v) > 0 and all(map(name_of_column, v))


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
    call(read, path=(STORED, nothing), features=(["cough", "fever"], optional(names_of_columns)),
         target=("ill", optional(name_of_column)), batch_size=(2, integer(1, 10**9)),
         title="ParquetChunks", needs="pyarrow"),
]  # fmt: skip
