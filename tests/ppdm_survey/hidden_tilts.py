"""Guidances that read chosen answers behind tilts: orthonormal, few columns, no bit certain.

A record sets one bit of each attribute, so the sum of all bits of some attributes is the same
for everybody. Added to what an answer adds, it makes the projection large for one answer and
nothing for the others. Tilts over all other bits keep every certainty away.
"""

import re
from pathlib import Path

import numpy as np

import ppdm_survey
from ppdm.guidance import Guidance, one_hot

SCRIPT = Path(ppdm_survey.__file__).parent.joinpath("static", "ppdm.js").read_text("utf-8")
#: From this share of right guesses on the client asks the person.
READ = float(re.search(r"const READ = ([\d.]+);", SCRIPT)[1])


def orthonormal(V):
    return np.linalg.qr(V)[0]


def contrast(n_values, attribute, value=0):
    """Return the column that weighs a value against the others of its attribute."""
    starts = np.cumsum(n_values) - n_values
    column = np.zeros(sum(n_values))
    column[starts[attribute] : starts[attribute] + n_values[attribute]] = -1 / (
        n_values[attribute] - 1
    )
    column[starts[attribute] + value] = 1
    return column


def one_column(n_values, attribute, *, tilt=0.1, strength=1.0, record=None, rng):
    """Read one answer with one column: ``strength`` 1 cancels the sum where it is not given."""
    # ones with random tilts; along a record they are -1 where it has no bit
    column = np.ones(sum(n_values)) if record is None else 2.0 * np.asarray(record) - 1
    column = column + tilt * rng.normal(size=column.size)
    mine = contrast(n_values, attribute)
    column[mine != 0] = 0
    # what the others add on average, or to the record's own projection
    sums = np.add.reduceat(column, np.cumsum(n_values) - n_values) / n_values
    typical = sums.sum() if record is None else column @ record
    column += strength * typical * mine
    return (column / np.linalg.norm(column))[:, None]


def worst_case(n_values, attribute, other, *, gap=1.0, rng):
    """Read one answer, and let one rare answer of another attribute break the certainty."""
    total = np.ones(sum(n_values)) + 0.01 * rng.normal(size=sum(n_values))
    total += gap * contrast(n_values, other)
    mine = contrast(n_values, attribute)
    total -= mine * (total @ mine) / (mine @ mine)
    return orthonormal(np.column_stack([mine, total]))


def many(n_values, attributes, *, tilt=0.1, strength=0.7, rng):
    """Read as many answers as there are columns; they share the sum of all the others."""
    columns = [one_column(n_values, a, tilt=tilt, strength=strength, rng=rng) for a in attributes]
    return orthonormal(np.hstack(columns))


def turned(n_values, attributes, *, tilt=0.1, rng):
    """Turn identity columns within their space, and a little out of it."""
    bits = [int(np.flatnonzero(contrast(n_values, a) == 1)[0]) for a in attributes]
    columns = np.eye(sum(n_values))[:, bits]
    turn = orthonormal(rng.normal(size=(len(bits),) * 2))
    return orthonormal(columns @ turn + tilt * rng.normal(size=columns.shape))


def mixed(honest, attack, angle):
    """Turn the last honest column towards an attack's first, by an angle in [0, pi/2]."""
    last = np.cos(angle) * honest[:, -1:] + np.sin(angle) * attack[:, :1]
    return orthonormal(np.hstack([honest[:, :-1], last]))


def beside(honest, attack):
    """Put an attack beside honest columns."""
    return orthonormal(np.hstack([honest, attack]))


def honest(n_values, k, rng, n=300):
    """Return V_k of a made population whose two classes answer differently."""
    y = rng.integers(0, 2, n)
    X = []
    for size in n_values:
        one, other = rng.dirichlet(np.full(size, 2.0), 2)
        X.append(np.where(y, rng.choice(size, n, p=one), rng.choice(size, n, p=other)))
    T = one_hot(np.array(X).T, n_values)
    return Guidance(T.shape[1]).update(T, y).vectors(k)


def family(n_values, rng):
    """Yield (name, V, attributes that it is after) of each kind, over its parameters."""
    n = len(n_values)
    for tilt in (0.0, 0.05, 0.1, 0.2, 0.4, 0.8):
        for strength in (1.0, 0.7, 0.4, 0.2):
            a = int(rng.integers(n))
            yield (f"one column, tilt {tilt}, strength {strength}",
                   one_column(n_values, a, tilt=tilt, strength=strength, rng=rng), [a])
    for gap in (0.5, 1.0, 2.0):
        a, b = rng.permutation(n)[:2].tolist()
        yield f"worst case, gap {gap}", worst_case(n_values, a, b, gap=gap, rng=rng), [a]
    for m in range(2, min(7, n)):
        for tilt in (0.02, 0.1, 0.2):
            chosen = rng.permutation(n)[:m].tolist()
            yield f"{m} answers, tilt {tilt}", many(n_values, chosen, tilt=tilt, rng=rng), chosen
            yield f"{m} turned, tilt {tilt}", turned(n_values, chosen, tilt=tilt, rng=rng), chosen
    for k in (1, 2, 3, 6):
        mine = honest(n_values, k, rng)
        for angle in (0.4, 0.8, 1.2):
            a = int(rng.integers(n))
            column = one_column(n_values, a, rng=rng)
            yield f"level {k}, turned by {angle}", mixed(mine, column, angle), [a]
        a = int(rng.integers(n))
        yield f"level {k} and a column", beside(mine, one_column(n_values, a, rng=rng)), [a]
