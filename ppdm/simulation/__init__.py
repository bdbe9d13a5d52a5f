"""What schemes are worth on your own data: run as providers, miner and adversary would.

:func:`simulate_schemes` disguises a pilot table, or people drawn from stated shares, by one scheme
after the other, many times, and says how far the estimated shares are off, how well a classifier
learnt from the release predicts clear records, and what an attack gains beyond a guess.
"""

from ppdm.simulation._simulate import Simulation, simulate_schemes

__all__ = ["Simulation", "simulate_schemes"]
