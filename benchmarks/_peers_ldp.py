"""What is timed of multi-freq-ldpy and pure-ldp, in their environment.

Each function gets the arrays of a row and returns the call. ``truth`` and ``reports`` are codes
0, 1, ..., in one column.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np


def client(truth: Any, k: Any, epsilon: Any) -> Callable[[], object]:
    """multi-freq-ldpy's k-ary client, compiled, once a person."""
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    return lambda: [GRR_Client(value, k, epsilon) for value in truth]


def unary_client(truth: Any, k: Any, epsilon: Any, optimal: Any = True) -> Callable[[], object]:
    """multi-freq-ldpy's client of unary encoding, optimised or not, compiled, once a person."""
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

    return lambda: [UE_Client(value, k, epsilon, optimal) for value in truth]


def matrix_inversion(reports: Any, k: Any, epsilon: Any) -> Callable[[], object]:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI

    return lambda: GRR_Aggregator_MI(reports, k, epsilon)


def unary_inversion(
    reports: Any, k: Any, epsilon: Any, optimal: Any = True
) -> Callable[[], object]:
    """Estimate from a list of vectors of floats, which is what its client gives."""
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI

    vectors = list(reports.astype(np.float64))
    return lambda: UE_Aggregator_MI(vectors, epsilon, optimal)


def iterative_update(reports: Any, k: Any, epsilon: Any) -> Callable[[], object]:
    """Until a step changes no share by 1e-12, or 10,000 steps: its defaults."""
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_IBU

    return lambda: GRR_Aggregator_IBU(reports, k, epsilon)


def update_of_counts(channel: Any, counts: Any, steps: Any) -> Callable[[], object]:
    """Make so many steps of the update alone; a limit of zero never stops it."""
    from multi_freq_ldpy.estimators.Histogram_estimator import IBU

    shares = counts / counts.sum()
    return lambda: IBU(len(channel), channel, shares, steps, 0.0, "max_abs")


def pure_ldp_client(truth: Any, k: Any, epsilon: Any) -> Callable[[], object]:
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    person = DEClient(epsilon, k, index_mapper=int)
    return lambda: [person.privatise(value) for value in truth]


def pure_ldp_unary_client(
    truth: Any, k: Any, epsilon: Any, optimal: Any = True
) -> Callable[[], object]:
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    person = UEClient(epsilon, k, use_oue=optimal, index_mapper=int)
    return lambda: [person.privatise(value) for value in truth]


def pure_ldp_server(reports: Any, k: Any, epsilon: Any) -> Callable[[], object]:
    from pure_ldp.frequency_oracles.direct_encoding import DEServer

    return _served(partial(DEServer, epsilon, k, index_mapper=int), reports, k)


def pure_ldp_unary_server(
    reports: Any, k: Any, epsilon: Any, optimal: Any = True
) -> Callable[[], object]:
    """Estimate from vectors of integers, which is what its client gives."""
    from pure_ldp.frequency_oracles.unary_encoding import UEServer

    vectors = list(reports.astype(np.int64))
    return _served(partial(UEServer, epsilon, k, use_oue=optimal, index_mapper=int), vectors, k)


def pure_ldp_hadamard_client(truth: Any, k: Any, epsilon: Any) -> Callable[[], object]:
    """Up to an epsilon of one its scheme is ours; above, its codes come in blocks."""
    from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient

    person = HadamardResponseClient(epsilon, k, None, index_mapper=int)
    return lambda: [person.privatise(value) for value in truth]


def pure_ldp_hadamard_server(reports: Any, k: Any, epsilon: Any) -> Callable[[], object]:
    """Estimate from integers of Python, which is what its client gives."""
    from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseServer

    server = partial(HadamardResponseServer, epsilon, k, index_mapper=int)
    return _served(server, reports.tolist(), k)


def _served(make: Callable[[], Any], reports: Any, k: Any) -> Callable[[], object]:
    def estimate() -> object:
        server = make()
        server.aggregate_all(reports)
        found = server.estimate_all(range(k), suppress_warnings=True)
        return np.asarray(found) / len(reports)

    return estimate
