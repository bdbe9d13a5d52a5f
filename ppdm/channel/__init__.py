"""The one idea of the book as an interface: a disguise that is known, and undone on counts.

A provider's true value goes in, a released value comes out, and everybody knows with which
probability. Whatever is a :class:`Channel` can be reconstructed from
(:mod:`ppdm.reconstruction`), learnt from (:mod:`ppdm.classifiers`), measured
(:mod:`ppdm.privacy`) and attacked (:mod:`ppdm.attacks`); these know no scheme by its name.
"""

from ppdm._scheme import Scheme
from ppdm._support import Support
from ppdm.channel._channel import Channel, RecordPart

__all__ = ["Channel", "RecordPart", "Scheme", "Support"]
