"""How a provider hides a number: value distortion and classes (AS00, section 2), and successors."""

from ppdm.noise._additive import AdditiveNoise
from ppdm.noise._distributions import privacy_interval
from ppdm.noise._intervals import IntervalChannel
from ppdm.noise._replaced import ReplacedChannel
from ppdm.noise._square_wave import Piecewise, SquareWave
from ppdm.noise._value_classes import ClassChannel, ValueClassMembership

__all__ = [
    "AdditiveNoise",
    "ClassChannel",
    "IntervalChannel",
    "Piecewise",
    "ReplacedChannel",
    "SquareWave",
    "ValueClassMembership",
    "privacy_interval",
]
