"""Value distortion and value-class membership: how a provider hides a number (AS00, section 2)."""

from ppdm.noise._additive import AdditiveNoise
from ppdm.noise._privacy_interval import privacy_interval
from ppdm.noise._value_classes import ValueClassMembership

__all__ = ["AdditiveNoise", "ValueClassMembership", "privacy_interval"]
