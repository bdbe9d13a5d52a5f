"""Privacy-preserving data mining: the package of the executable textbook.

Three people meet here. The **data provider** holds one record and disguises it (the
channels: :mod:`ppdm.randomized_response` and those that follow it). The **data miner**
sees only disguised records and estimates aggregates. The **adversary** sees what the
miner sees. Modules are imported one by one, ``from ppdm.randomized_response import
RandomizedResponse``; importing ``ppdm`` alone loads no heavy library.
"""

from importlib.metadata import version

__version__ = version("ppdm")
__all__ = ["__version__"]
