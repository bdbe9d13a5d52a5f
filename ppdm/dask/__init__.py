"""Past one machine: disguise, count and learn on Dask's arrays and data frames.

Counts add up, so a block of records is counted where it lies, and only counts travel. Dask decides
who counts what and when, and counts again what was lost with a worker; nothing here does. A tree
has blocks counted twice a level, and is refused a block that holds other records by then. What
comes out is bit for bit what one machine makes of the same records in one piece.

Dask comes with ``ppdm[dask]``. A ``distributed.Client`` is used where there is one, else threads
of this process. Where the workers that count a block die, once more than Dask's setting
``allowed-failures``, it raises ``distributed.KilledWorker``, and nothing is half-counted.
"""

from ppdm.dask._disguise import disguise
from ppdm.dask._learn import count, fit

__all__ = ["count", "disguise", "fit"]
