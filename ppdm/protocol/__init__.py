"""The two sides of guided perturbation, talking: Algorithm 1 of ZWZ05, section 3.

A data provider asks for the current disclosure level k* (an inquiry that carries
nothing), waits while it is above what it accepts, asks for the guidance V_k*, checks it,
and submits R(t) with its class label. Messages are plain tuples, so that a network can
stand between the two::

    provider                       miner
       | -- inquire() -----------> |
       | <-------- Announcement -- |   epoch, k*
       | -- ready(epoch) --------> |   only where k* <= k_i
       | <----- GuidanceMessage -- |   epoch, k, V
       | -- Submission ----------> |   sender, epoch, label, R(t)
"""

from ppdm.protocol._algorithm import (
    Announcement,
    DataMiner,
    DataProvider,
    GuidanceMessage,
    Submission,
)
from ppdm.protocol._collect import Collection, GuidedPerturbation, collect, draw_levels

__all__ = [
    "Announcement",
    "Collection",
    "DataMiner",
    "DataProvider",
    "GuidanceMessage",
    "GuidedPerturbation",
    "Submission",
    "collect",
    "draw_levels",
]
