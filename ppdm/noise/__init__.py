"""How a provider hides a number: value distortion and classes (AS00, section 2), and successors.

What ``noise.on(edges)`` gives, the channel between intervals, is a :class:`ppdm.channel.Channel`
that also has ``edges``, ``cells`` and, but for value classes, ``midpoint_likelihood``.
"""

from ppdm.noise._additive import AdditiveNoise
from ppdm.noise._laws import privacy_interval
from ppdm.noise._square_wave import Piecewise, SquareWave
from ppdm.noise._value_classes import ValueClassMembership

__all__ = ["AdditiveNoise", "Piecewise", "SquareWave", "ValueClassMembership", "privacy_interval"]
