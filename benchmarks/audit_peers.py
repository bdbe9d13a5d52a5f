"""Clients of multi_freq_ldpy against the epsilon that they are given.

``python benchmarks/audit_peers.py`` (four minutes) audits each and writes
``audit_peers.csv`` among the stored tables. The peer is no dependency: ``peers-ldp.txt`` pins
it for an environment of its own. A client is asked for one release at a time, as a provider would.

The exact epsilon is that of the two records, from the protocol as its paper gives it (Arcolezi,
Couchot, Al Bouna and Xiao, 2021, Random sampling plus fake data, CIKM): one attribute, drawn at
random, is answered at epsilon' = ln(d (e^epsilon - 1) + 1), and every other is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numba
import numpy as np
from _stored import store
from multi_freq_ldpy.mdim_freq_est.RSpFD_solution import RSpFD_GRR_Client
from multi_freq_ldpy.mdim_freq_est.SMP_solution import SMP_GRR_Client
from multi_freq_ldpy.mdim_freq_est.SPL_solution import SPL_GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

from ppdm.privacy import audit_epsilon

EPSILON, N_VALUES, N_DRAWS, SEED = 1.0, 2, 200_000, 0

Records = tuple[list[int], list[int]]


def random_sampling_plus_fake_data(first: list[int], second: list[int]) -> float:
    """Return the exact epsilon of two records of bits: the largest ratio of all releases."""
    d = len(first)
    top = d * np.expm1(EPSILON) + 1  # e^epsilon'
    theta = top / (top + N_VALUES - 1)
    releases = np.array(list(product(range(N_VALUES), repeat=d)))

    def chance(record: list[int]) -> Any:
        same = releases == record
        return np.where(same, theta, (1 - theta) / (N_VALUES - 1)).mean(axis=1)

    return float(np.abs(np.log(chance(first) / chance(second))).max())


def cases() -> Iterator[tuple[str, int, str, Records, Callable[..., Any], float]]:
    """Yield name, attributes, what changes, two records, the client and the exact epsilon."""
    one: Records = ([0], [3])
    yield "GRR", 1, "record", one, lambda t: GRR_Client(t[0], 4, EPSILON), EPSILON
    yield "OUE", 1, "record", one, lambda t: UE_Client(t[0], 4, EPSILON, True), EPSILON
    yield "SUE", 1, "record", one, lambda t: UE_Client(t[0], 4, EPSILON, False), EPSILON
    for d in (4, 8):
        all_change: Records = ([0] * d, [1] * d)
        one_changes: Records = ([0] * d, [1] + [0] * (d - 1))
        asked = {"lst_k": [N_VALUES] * d, "d": d, "epsilon": EPSILON}
        yield "SPL_GRR", d, "record", all_change, partial(SPL_GRR_Client, **asked), EPSILON
        yield "SMP_GRR", d, "record", all_change, partial(SMP_GRR_Client, **asked), EPSILON
        for changes, pair in (("attribute", one_changes), ("record", all_change)):
            exact = random_sampling_plus_fake_data(*pair)
            yield "RSpFD_GRR", d, changes, pair, partial(RSpFD_GRR_Client, **asked), exact


@numba.njit
def seed_compiled(seed: int) -> None:
    """Seed the generator of compiled functions, which is another than NumPy's."""
    np.random.seed(seed)  # noqa: NPY002


def main() -> None:
    rows = []
    for name, d, changes, (first, second), client, exact in cases():
        np.random.seed(SEED)  # noqa: NPY002  # the peer draws from the global generators
        seed_compiled(SEED)
        found = audit_epsilon(
            lambda record, rng, client=client: client(record),
            first, second, n_draws=N_DRAWS, random_state=SEED,
        )  # fmt: skip
        rows.append({
            "client": name, "n_attributes": d, "changes": changes, "claimed": EPSILON,
            "exact": round(exact, 4), "lower_bound": round(found.lower_bound, 4),
            "right": found.right, "wrong": found.wrong, "n_draws": N_DRAWS,
            "confidence": found.confidence, "seed": SEED,
        })  # fmt: skip
        print(rows[-1], flush=True)
    store("audit_peers", rows, ("multi-freq-ldpy", "numba", "numpy"))


if __name__ == "__main__":
    main()
