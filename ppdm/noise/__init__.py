"""Value distortion and value-class membership: how a provider hides a number (AS00, section 2)."""

from ppdm.noise._additive import AdditiveNoise
from ppdm.noise._distributions import privacy_interval
from ppdm.noise._intervals import IntervalChannel
from ppdm.noise._value_classes import ClassChannel, ValueClassMembership

__all__ = [
    "AdditiveNoise",
    "ClassChannel",
    "IntervalChannel",
    "ValueClassMembership",
    "privacy_interval",
]
