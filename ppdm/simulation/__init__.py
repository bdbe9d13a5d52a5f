"""Which scheme, and for how many people, or none: by trying on a pilot table.

:func:`simulate_schemes` disguises the table by one scheme after the other, many times, as
providers, miner and adversary would, and says how far the estimated shares are off, how well a
classifier learnt from the release predicts clear records, and what an attack gains beyond a guess.
Who has no table yet asks :mod:`ppdm.compare`, which answers the same question by formulas.
"""

from ppdm.simulation._simulate import Simulation, simulate_schemes

__all__ = ["Simulation", "simulate_schemes"]
