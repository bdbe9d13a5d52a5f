"""Past memory: reports that come in chunks, and their counts, which add up.

Whatever learns from counts needs no record twice. The naive Bayes classifiers and
:class:`ppdm.guidance.Guidance` count a chunk by ``partial_fit`` or ``update``, and two of them
add up with ``+``. :class:`ReleasedCounts` is the same for :mod:`ppdm.reconstruction`: how often
each value was released, of any channel. All are integers until they are undone, so that the
result is bit for bit that of all records in one piece, whatever the chunks and their order.

:class:`ParquetChunks` reads such chunks from a file. A progress bar is tqdm's:
``for X, y in tqdm(ParquetChunks(...))``.
"""

from ppdm.chunks._counts import ReleasedCounts
from ppdm.chunks._parquet import ParquetChunks

__all__ = ["ParquetChunks", "ReleasedCounts"]
