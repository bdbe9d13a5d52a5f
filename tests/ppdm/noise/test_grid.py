"""What noise with an epsilon releases lies on a public grid: the promise, in floating point, too.

Released once was a float, x + noise. Of the releases of 0 by Laplace noise of epsilon 1 on [0, 1]
43% were floats that no noise makes of 1: an epsilon of 1 told the truth for certain.
"""

import ctypes
from contextlib import nullcontext
from fractions import Fraction

import numpy as np
import pytest

from ppdm.noise import AdditiveNoise, Piecewise, SquareWave

#: Every noise with an epsilon.
SCHEMES = {
    "Laplace": lambda epsilon, domain, rng: AdditiveNoise(
        "laplace", domain=domain, epsilon=epsilon, random_state=rng),
    "Square Wave": SquareWave,
    "Piecewise": Piecewise,
}  # fmt: skip
DOMAINS = [(0, 1), (20_000, 150_000), (-0.3, 0.1), (1e9, 1e9 + 1), (-1e-6, 3e5)]
EPSILONS = [0.1, 1.0, 2.5, 10.0, 20.0]
TAIL = 7.69711747013104972  # where the ziggurat of the exponential begins anew
N = 20_000


def released(name, epsilon, domain, truths, seed=0, n=N):
    scheme = SCHEMES[name](epsilon, [domain], np.random.default_rng(seed))
    X = np.repeat(np.asarray(truths, dtype=float), n)[:, np.newaxis]
    return scheme.transform(X).reshape(len(truths), n)


def law(name, epsilon, domain):
    """Return b of Laplace noise, or half the width, the share replaced and the stretch."""
    width = Fraction(domain[1]) - Fraction(domain[0])
    if name == "Laplace":
        return float(width) / epsilon, None, 1.0
    half, replaced, stretch = SCHEMES[name](epsilon, [domain])._law()
    return half * float(width), replaced, stretch


def cells_of(name, epsilon, domain, y):
    """Return the number of each release's cell, from public numbers alone; refuse other floats."""
    low, high = map(float, domain)
    scale, _, stretch = law(name, epsilon, domain)
    h = 2.0 ** (round(np.log2(scale)) - 10)
    middle = (low + high) / 2
    k = np.rint(((middle + (y - middle) / stretch) - low) / h - 0.5)
    again = low + (k + 0.5) * h
    if name != "Laplace":
        again = middle + stretch * (again - middle)
    np.testing.assert_array_equal(again, y)  # not nearly: bit for bit
    return k, h, scale


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_release_is_a_cell_that_every_truth_may_release(name, epsilon, domain):
    """The attack on the last bits: of all releases of three truths none is one's alone.

    It catches noise that is not put into cells, cells that depend on the truth, the nearest edge
    for the middle, cells of half a range, and cells counted from zero.
    """
    low, high = domain
    scale = law(name, epsilon, domain)[0]
    y = released(name, epsilon, domain, [low, low + (high - low) / 3, high])
    k, h, _ = cells_of(name, epsilon, domain, y)
    width = high - low
    if name != "Laplace":
        # every cell of the grid is drawn from the whole range, by whom it may be
        assert np.ceil(-scale / h) <= k.min()
        assert k.max() < np.floor((width + scale) / h)
        return
    # from the other end the noise must have this size; up to 37 b every cell has a draw (below),
    # and of 20,000 releases at epsilon 20 one is beyond in a thousandth of the runs
    for releases, other in ((k[0], width), (k[2], 0.0)):
        needed = np.abs((releases + 0.5) * h - other) / scale
        assert (needed > 37).mean() <= 2e-16 * np.exp(epsilon)


# the sampler's bits

_STATE = ctypes.c_void_p
_U64 = ctypes.CFUNCTYPE(ctypes.c_uint64, _STATE)
_U32 = ctypes.CFUNCTYPE(ctypes.c_uint32, _STATE)
_DOUBLE = ctypes.CFUNCTYPE(ctypes.c_double, _STATE)


class _BitGen(ctypes.Structure):
    """NumPy's ``bitgen_t`` (numpy/random/bitgen.h)."""

    _fields_ = [("state", _STATE), ("next_uint64", _U64), ("next_uint32", _U32),
                ("next_double", _DOUBLE), ("next_raw", _U64)]  # fmt: skip


class ScriptedBits:
    """A bit generator of NumPy's that gives these words of 64 bits, one after the other."""

    def __init__(self, *words):
        self._words = iter(words)
        word = _U64(lambda _: next(self._words))
        self._gen = _BitGen(
            None, word, _U32(lambda _: next(self._words) >> 32),
            _DOUBLE(lambda _: (next(self._words) >> 11) * 2.0**-53), word,
        )  # fmt: skip
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [_STATE, ctypes.c_char_p, _STATE]
        self.capsule = new(ctypes.addressof(self._gen), b"BitGenerator", None)
        self.lock = nullcontext()

    def generator(self):
        """Return a Generator of these bits, which lives as long as they do."""
        return np.random.Generator(self)


def word(layer, position):
    """Return the bits that the ziggurat reads a layer and a place in it from."""
    return ((position << 8) | layer) << 3


@pytest.mark.parametrize("k", [1, 2, 1000, 2**52])
def test_the_tail_of_laplace_noise_is_drawn_anew(k):
    """Beyond 7.7 a new number of 53 bits; ``rng.laplace`` ends at 36.7 and has holes from 30 on."""
    for sign, bit in ((1, 0), (-1, 2**32)):
        bits = ScriptedBits(word(0, 2**53 - 1), (2**53 - k) << 11, bit)
        noise = AdditiveNoise("laplace", scale=1.0, random_state=bits.generator())
        y = noise.transform([[0.0]])[0, 0]
        exact = sign * (TAIL + 53 * np.log(2) - np.log(k))
        assert abs(y - exact) <= 2.0**-11
        assert (y - 2.0**-11) % 2.0**-10 == 0


def test_what_the_bits_leave_is_the_stated_delta():
    """Enumerated: the mass of each cell by the ziggurat, of the truth and of one epsilon away.

    Epsilon may grow by 1e-9: to that the body of the law, and the sums, are exact (a cell of b /
    1448 has 8e11 points of a layer at least; sums are rounded to 2^-53 of at most 64 b).
    """
    def mass(edges):
        a, b = edges[:-1], edges[1:]
        body = np.exp(-np.minimum(a, TAIL)) - np.exp(-np.minimum(b, TAIL))
        points = np.floor(2.0**53 * np.exp(-(np.maximum(edges, TAIL) - TAIL)))
        return (body + np.exp(-TAIL) * 2.0**-53 * -np.diff(points)) / 2

    for finest in (725, 1024, 1448):  # cells a scale: a power of two near 1024
        for epsilon in (0.1, 1.0, 5.0, 10.0, 20.0):
            for phase in (0.1, 0.45, 0.8):
                edges = (np.arange(60 * finest) + phase) / finest
                here, there = mass(edges), mass(edges + epsilon)
                beyond = np.maximum(here - np.exp(epsilon + 1e-9) * there, 0).sum()
                assert 2e-17 < beyond / np.exp(epsilon) < 2e-16
                # and no cell within reach of 37 is without a point
                assert mass(edges[edges < 37]).min() > 0


# Square Wave and Piecewise: the law of the cells


def chances(name, epsilon, domain, x):
    """Return P[cell | x], (cells,), in exact arithmetic on the public numbers."""
    scale, replaced, _ = law(name, epsilon, domain)
    h = Fraction(2) ** (round(np.log2(scale)) - 10)
    low, high, s, r = map(Fraction, (*domain, scale, replaced))
    start, end = -(s // h), (high - low + s) // h
    left, right = (Fraction(x) - low - s) / h, (Fraction(x) - low + s) / h
    near = [max(min(right, k + 1) - max(left, k), 0) / (right - left) for k in range(start, end)]
    inside = (1 - r) * sum(near)
    return [(1 - r) * part + (1 - inside) / (end - start) for part in near]


@pytest.mark.parametrize("name", ["Square Wave", "Piecewise"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.5])
@pytest.mark.parametrize("domain", [(0, 1), (-0.3, 0.1)])
def test_cells_have_epsilon_to_the_last_bit(name, epsilon, domain):
    """With noise of real numbers exactly; NumPy's 53 bits add less than 1e-11."""
    low, high = map(Fraction, domain)
    laws = [chances(name, epsilon, domain, low + share * (high - low))
            for share in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1))]  # fmt: skip
    assert all(sum(each) == 1 for each in laws)
    ratio = max(max(cell) / min(cell) for cell in zip(*laws, strict=True))
    assert epsilon * (1 - 1e-2) < np.log(float(ratio)) < epsilon + 1e-12


@pytest.mark.parametrize("name", ["Square Wave", "Piecewise"])
def test_what_falls_between_the_cells_is_drawn_anew_and_not_moved_to_the_last(name):
    """Moved there, the end cell would have twice the mass of noise, and more than epsilon."""
    ends = [(0.0, 1.0 + i / 7) for i in range(60)]
    scales = [law(name, 2.5, domain)[0] for domain in ends]
    reach = [scale / 2.0 ** (round(np.log2(scale)) - 10) for scale in scales]
    domain = ends[int(np.argmax(np.mod(reach, 1)))]  # almost a cell is cut off
    n = 1_000_000
    y = released(name, 2.5, domain, [domain[0]], n=n)
    k = cells_of(name, 2.5, domain, y)[0][0]
    exact = n * np.array([float(p) for p in chances(name, 2.5, domain, domain[0])])
    first = int(k.min())
    for cells in (slice(0, 1), slice(0, 10), slice(-1, None), slice(-10, None)):
        found = np.bincount((k - first).astype(int), minlength=len(exact))[cells].sum()
        # five standard deviations of a Poisson count
        assert abs(found - exact[cells].sum()) < 5 * np.sqrt(exact[cells].sum())
    assert exact[0] - exact[-1] > 10 * np.sqrt(exact[0])  # twice that would be seen


def test_noise_without_a_promise_is_what_it_was():
    """AS00's own noises have no epsilon, and their draws stay, bit for bit."""
    X = np.array([[0.3], [0.9]])
    for name, draw in (("uniform", lambda rng: rng.uniform(-1, 1, (2, 1))),
                       ("gaussian", lambda rng: rng.standard_normal((2, 1)))):  # fmt: skip
        noise = AdditiveNoise(name, scale=0.7, random_state=np.random.default_rng(3))
        same = 0.7 * draw(np.random.default_rng(3)) + X
        np.testing.assert_array_equal(noise.transform(X), same)
