"""One valid call of every function of guidance and protocol."""

import numpy as np
from bad.kinds import anything, array, bits, directions, integer, nothing, optional, sizes
from bad.words import CODES, FIVE_BITS, TUPLES, V, Y, call, fit, guided, method, miner

from ppdm import guidance, protocol

SENT = {"y": (Y, bits((0, 1)))}
FIRST = {"R": (TUPLES[:3], bits((1, 2))), "y": (Y[:3], bits((0, 1)))}


def provider():
    return protocol.DataProvider(TUPLES[0], 1, 5, sender=7)


def new():
    return protocol.DataMiner([2, 3])


def submit(sender, epoch, label, R):
    return miner().submit(protocol.Submission(sender, epoch, label, R))


def collect(miner, **given):
    """A miner is made anew, since it remembers; what stands for it is text."""
    return protocol.collect(MINERS.get(str(miner), lambda: miner)(), **given)


MINERS = {"a miner": miner}
CALLS = [
    call(guidance.one_hot, X=(CODES, array(2, (None, 2), 0, 2, whole=True, objects=True)),
         n_values=([2, 3], sizes(n=2)),
         cuts=([None, [0.5, 1.5]],
               optional(lambda v: isinstance(v, list | np.ndarray) and len(v) == 2))),
    call(guidance.bit_probabilities, "T V"),
    call(guidance.perturb, "T V random_state"),
    call(guidance.certain_bits, V=(V, directions(None))),
    call(guidance.answers_read, "V n_values n_draws random_state",
         record=([1, 0, 0, 1, 0], optional(bits((1,))))),
    call(guidance.check_guidance, "V n_bits", k=(2, integer(2, 2)),
         max_level=(3, integer(2))),
    call(guidance.log_likelihood, "T V", R=(TUPLES, bits(2, (None, 5)))),
    call(guidance.Guidance, "n_bits order"),
    method(lambda: guidance.Guidance(5), "update", "R", **SENT),
    method(guided, "merge", other=(guided(), nothing)),
    method(guided, "disclosure_level", "mu"),
    method(guided, "error_bound", "mu"),
    method(guided, "vectors", k=(2, integer(1, 5))),
    call(guidance.Guidance.from_bytes, "order", owner=guidance.Guidance,
         data=(guided().to_bytes(), nothing)),
    call(protocol.DataMiner, "n_values mu order batch_size keep"),
    method(new, "bootstrap", "T", **SENT, also={"T": "R"}),
    method(new, "bootstrap_random", "m0 random_state"),
    method(miner, "adopt", "V"),
    method(miner, "ready", epoch=(0, integer(0, 0))),
    method(miner, "receive", **FIRST),
    call(submit, "label", owner=protocol.DataMiner, epoch=(0, integer(0, 0)),
         sender=(1, lambda v: hasattr(v, "__hash__") and v.__hash__ is not None),
         R=(TUPLES[0], bits(1, (5,)))),
    method(miner, "submit", message=(protocol.Submission(1, 0, 1, TUPLES[0]), nothing)),
    call(protocol.DataProvider, "t label random_state", max_level=(3, integer(1, 5)),
         sender=(7, anything)),
    method(provider, "accepts", announcement=(protocol.Announcement(0, 2), nothing)),
    method(provider, "attempt", miner=(miner(), nothing)),
    method(provider, "respond", announcement=(protocol.Announcement(0, 2), nothing),
           message=(protocol.GuidanceMessage(0, 2, V), nothing)),
    call(collect, "T random_state", miner=("a miner", nothing), **SENT,
         max_levels=([5, 5, 5, 5, 5, 1], array((0, 1), None, 1, whole=True)), also={"T": "R"}),
    fit(protocol.GuidedPerturbation, "n_values mu batch_size random_state", "X y", "disguise",
        max_level=(5, integer(1, 5)), n_volunteers=(2, integer(1, 5)), X=FIVE_BITS,
        y=(Y, bits(1, (6,))), also={"n_values": "X", "X": "T"}),
    call(protocol.draw_levels, "n random_state", n_bits=8),
]  # fmt: skip
