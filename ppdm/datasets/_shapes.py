"""The two distributions whose reconstruction AS00 shows (section 3, figure 2)."""

from __future__ import annotations

from ppdm import _validation as check
from ppdm.typing import FloatArray, RandomState


def make_plateau(n_samples: int = 100_000, *, random_state: RandomState = None) -> FloatArray:
    """Draw from the plateau: uniform on [0.25, 0.75], inside the domain [0, 1].

    Parameters
    ----------
    n_samples : int >= 1
        Number of values.
    random_state : None, int or numpy.random.Generator
        Source of the draws; an int gives the same values at every call.

    Returns
    -------
    ndarray of shape (n_samples, 1)
        One attribute, as a transformer wants it.

    Raises
    ------
    ValueError
        If ``n_samples`` is below 1.

    Examples
    --------
    >>> make_plateau(3, random_state=0).round(3)
    array([[0.568],
           [0.385],
           [0.27 ]])
    """
    n_samples = check.integer(n_samples, "n_samples", low=1, most=check.MOST_DRAWS)
    return check.random_state(random_state).uniform(0.25, 0.75, (n_samples, 1))


def make_triangles(n_samples: int = 100_000, *, random_state: RandomState = None) -> FloatArray:
    """Draw from two equal triangles, on [0, 0.5] and [0.5, 1], with peaks in their middles.

    Parameters
    ----------
    n_samples, random_state
        As in :func:`make_plateau`, and so are the errors.

    Returns
    -------
    ndarray of shape (n_samples, 1)

    Examples
    --------
    >>> make_triangles(3, random_state=0).round(3)
    array([[0.287],
           [0.184],
           [0.072]])
    """
    n_samples = check.integer(n_samples, "n_samples", low=1, most=check.MOST_DRAWS)
    rng = check.random_state(random_state)
    triangle = rng.triangular(0.0, 0.25, 0.5, (n_samples, 1))
    return triangle + 0.5 * rng.integers(0, 2, (n_samples, 1))
