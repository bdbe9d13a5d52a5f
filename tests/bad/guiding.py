"""One valid call of every function of guidance and protocol."""

import numpy as np
from bad.given import (
    CODES,
    RANDOM,
    TUPLES,
    Call,
    V,
    Y,
    directions,
    guided,
    miner,
    sizes,
)
from bad.kinds import (
    anything,
    array,
    bits,
    flag,
    integer,
    nothing,
    number,
    option,
    optional,
)

from ppdm import (
    guidance,
    protocol,
)

CALLS = [
    Call(
        "one_hot",
        guidance.one_hot,
        {
            "X": (CODES, lambda v: array(2, (None, 2), 0, 2, whole=True, objects=True)(v)),
            "n_values": ([2, 3], sizes(n=2)),
            "cuts": (
                [None, [0.5, 1.5]],
                optional(lambda v: isinstance(v, list | np.ndarray) and len(v) == 2),
            ),
        },
    ),
    Call(
        "bit_probabilities",
        guidance.bit_probabilities,
        {"T": (TUPLES, bits((1, 2))), "V": (V, directions(5))},
    ),
    Call(
        "perturb",
        guidance.perturb,
        {"T": (TUPLES, bits((1, 2))), "V": (V, directions(5)), **RANDOM},
    ),
    Call(
        "certain_bits",
        guidance.certain_bits,
        {"V": (V, directions(None)), "tolerance": (1e-6, number(0, 1))},
    ),
    Call(
        "answers_read",
        guidance.answers_read,
        {
            "V": (V, directions(5)),
            "n_values": ([2, 3], sizes()),
            "record": ([1, 0, 0, 1, 0], optional(bits((1,)))),
            "n_draws": (50, optional(integer(1, 10**6))),
            **RANDOM,
        },
    ),
    Call(
        "check_guidance",
        guidance.check_guidance,
        {
            "V": (V, directions(5)),
            "k": (2, integer(2, 2)),
            "max_level": (3, integer(2)),
            "n_bits": (5, optional(integer(1))),
            "tolerance": (1e-6, number(0)),
        },
    ),
    Call(
        "Guidance",
        guidance.Guidance,
        {"n_bits": (5, integer(1, 10**5)), "order": ("signed", option("signed", "magnitude"))},
    ),
    Call(
        "Guidance.update",
        lambda **kw: guidance.Guidance(5).update(**kw),
        {"R": (TUPLES, bits((1, 2))), "y": (Y, bits((0, 1)))},
    ),
    Call("Guidance.merge", lambda **kw: guided().merge(**kw), {"other": (guided(), nothing)}),
    Call(
        "Guidance.disclosure_level",
        lambda **kw: guided().disclosure_level(**kw),
        {"mu": (0.15, number(0, 1))},
    ),
    Call("Guidance.vectors", lambda **kw: guided().vectors(**kw), {"k": (2, integer(1, 5))}),
    Call(
        "Guidance.from_bytes",
        guidance.Guidance.from_bytes,
        {
            "data": (guided().to_bytes(), nothing),
            "order": ("signed", option("signed", "magnitude")),
        },
    ),
    Call(
        "DataMiner",
        protocol.DataMiner,
        {
            "n_values": ([2, 3], sizes()),
            "mu": (0.15, number(0, 1)),
            "order": ("signed", option("signed", "magnitude")),
            "batch_size": (3, integer(1)),
            "keep": (True, flag),
        },
    ),
    Call(
        "DataMiner.bootstrap",
        lambda **kw: protocol.DataMiner([2, 3]).bootstrap(**kw),
        {"T": (TUPLES, bits((1, 2))), "y": (Y, bits((0, 1)))},
        also={"T": "R"},
    ),
    Call(
        "DataMiner.bootstrap_random",
        lambda **kw: protocol.DataMiner([2, 3]).bootstrap_random(**kw),
        {"m0": (4, integer(1, 10**9)), **RANDOM},
    ),
    Call("DataMiner.adopt", lambda **kw: miner().adopt(**kw), {"V": (V, directions(5))}),
    Call("DataMiner.ready", lambda **kw: miner().ready(**kw), {"epoch": (0, integer(0, 0))}),
    Call(
        "DataMiner.receive",
        lambda **kw: miner().receive(**kw),
        {"R": (TUPLES[:3], bits((1, 2))), "y": (Y[:3], bits((0, 1)))},
    ),
    Call(
        "DataMiner.submit",
        lambda sender=1, epoch=0, label=1, R=TUPLES[0]: miner().submit(
            protocol.Submission(sender, epoch, label, R)
        ),
        {
            "sender": (1, lambda v: hasattr(v, "__hash__") and v.__hash__ is not None),
            "epoch": (0, integer(0, 0)),
            "label": (1, integer(0, 1)),
            "R": (TUPLES[0], bits(1, (5,))),
        },
    ),
    Call(
        "DataMiner.submit itself",
        lambda **kw: miner().submit(**kw),
        {"message": (protocol.Submission(1, 0, 1, TUPLES[0]), nothing)},
    ),
    Call(
        "DataProvider",
        protocol.DataProvider,
        {
            "t": (TUPLES[0], bits(1)),
            "label": (1, integer(0, 1)),
            "max_level": (3, integer(1, 5)),
            "sender": (7, anything),
            **RANDOM,
        },
    ),
    Call(
        "DataProvider.accepts",
        lambda **kw: protocol.DataProvider(TUPLES[0], 1, 5, sender=7).accepts(**kw),
        {"announcement": (protocol.Announcement(0, 2), nothing)},
    ),
    Call(
        "DataProvider.attempt",
        lambda **kw: protocol.DataProvider(TUPLES[0], 1, 5, sender=7).attempt(**kw),
        {"miner": (miner(), nothing)},
    ),
    Call(
        "DataProvider.respond",
        lambda **kw: protocol.DataProvider(TUPLES[0], 1, 5, sender=7).respond(**kw),
        {
            "announcement": (protocol.Announcement(0, 2), nothing),
            "message": (protocol.GuidanceMessage(0, 2, V), nothing),
        },
    ),
    Call(
        "collect",
        lambda miner="a miner", **kw: protocol.collect(
            globals()["miner"]() if isinstance(miner, str) and miner == "a miner" else miner, **kw
        ),
        {
            "miner": ("a miner", nothing),
            "T": (TUPLES, bits((1, 2))),
            "y": (Y, bits((0, 1))),
            "max_levels": ([5, 5, 5, 5, 5, 1], array((0, 1), None, 1, whole=True)),
            **RANDOM,
        },
        also={"T": "R"},
    ),
    Call(
        "draw_levels",
        protocol.draw_levels,
        {"n": (4, integer(1, 10**9)), "n_bits": (8, integer(6)), **RANDOM},
    ),
]
