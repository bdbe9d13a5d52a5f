"""Answer a survey that is being served as many people would, through its HTTP interface.

The survey of the 16 votes is answered by the 435 members of Congress in the order of the
file, or by N drawn from them with replacement; each missing vote is a fair coin. Any other
survey is answered by N people (100 by default) whose values and classes are independent,
all equally probable: the classifier then has nothing to learn.

Each person accepts a disclosure level drawn as ppdm.protocol.draw_levels does: 17% the
levels 1 or 2, 56% those from 3 to 6, 27% every level. Who does not accept k* comes back in
the next round. It ends when all have submitted, or when nobody could in a whole round.

They come one after the other, and a seed repeats the run exactly.
"""

import time
from contextlib import nullcontext
from typing import Any

import httpx
import numpy as np
from numpy.typing import ArrayLike
from tqdm import tqdm

from ppdm.datasets import load_voting
from ppdm.guidance import one_hot
from ppdm.protocol import Collection, DataProvider, draw_levels
from ppdm.typing import IntArray, RandomState
from ppdm_survey._client import HttpMiner
from ppdm_survey._coin import WHOLE
from ppdm_survey._errors import demand
from ppdm_survey._schema import voting_survey

__all__ = ["answer", "draw_people", "simulate"]


def simulate(
    survey: str | httpx.Client, T: ArrayLike, y: ArrayLike, max_levels: ArrayLike, *,
    random_state: RandomState = None, rate: float | None = None, progress: bool = False,
) -> Collection:
    """Let providers answer a survey over HTTP, as ``collect`` does without a network.

    What the miner then has is what it has after ``collect(miner, T, y, max_levels,
    random_state=rng)``, where ``rng`` is a Generator in the same state.

    Parameters
    ----------
    survey : str or httpx.Client
        The server's address, or connections whose ``base_url`` it is.
    T : array-like of shape (n, n_bits)
        The providers' private tuples, in order of arrival. They stay here.
    y : array-like of shape (n,)
        Their classes, 0 or 1.
    max_levels : int, or array-like of shape (n,)
        The levels k_i they accept, in [1, n_bits].
    random_state : None, int or numpy.random.Generator, default=None
        Where all providers draw R(t) from; an int is a stream of its own, whatever else was
        drawn with the same number.
    rate : float > 0, optional
        Submissions a second, at most.
    progress : bool, default=False
        Show a progress bar on stderr.

    Returns
    -------
    Collection

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range or the server refuses a message.
    ConnectionError
        If the server does not answer.

    Examples
    --------
    >>> from ppdm_survey.simulate import simulate
    >>> simulate("http://127.0.0.1:8008", T, y, 32, random_state=0)  # doctest: +SKIP
    """
    gap = _gap(rate)
    own = (nullcontext(survey) if isinstance(survey, httpx.Client)
           else httpx.Client(base_url=survey, timeout=30.0))
    with own as client:
        whole = isinstance(random_state, int | np.integer)
        seed = [random_state, *b"simulate"] if whole else random_state
        people = _people(T, y, max_levels, np.random.default_rng(seed))
        waiting, before = [(one, HttpMiner(str(client.base_url), client)) for one in people], 0
        with tqdm(total=len(people), unit=" tuples", disable=not progress) as bar:
            while len(waiting) != before:
                coming, waiting, before = waiting, [], len(waiting)
                for person, miner in coming:
                    if person.attempt(miner):
                        bar.update()
                        time.sleep(gap)
                    else:
                        waiting.append((person, miner))
    epochs = np.array([-1 if p.submission is None else p.submission.epoch for p in people])
    return Collection(epoch=epochs, n_inquiries=np.array([p.n_inquiries for p in people]))


def draw_people(
    schema: dict[str, Any], n: int | None = None, *, random_state: RandomState = None
) -> tuple[IntArray, IntArray]:
    """Draw people who could answer a survey.

    Parameters
    ----------
    schema : dict
        As ``HttpMiner.schema`` returns it.
    n : int >= 1, optional
        How many. For the survey of the votes None is the 435 members themselves, and a
        number as many members drawn with replacement; for any other survey None is 100.
    random_state : None, int or numpy.random.Generator, default=None

    Returns
    -------
    T : ndarray of int, shape (n, n_bits)
        Their tuples. Of another survey than the votes, each value is equally probable.
    y : ndarray of int64, shape (n,)
        Their classes.

    Raises
    ------
    ValueError, TypeError
        If n is no whole number >= 1.

    Examples
    --------
    >>> schema = {"attributes": [{"name": "smokes", "values": ["no", "yes"]}],
    ...           "class": {"name": "ill", "values": ["no", "yes"]}}
    >>> draw_people(schema, 3, random_state=0)
    (array([[0, 1],
           [0, 1],
           [0, 1]]), array([0, 0, 0]))
    """
    rng = np.random.default_rng(random_state)
    demand(n is None or n >= 1, "n must be at least 1", n)
    sizes = [len(attribute["values"]) for attribute in schema["attributes"]]
    if _asked(schema) != _asked(voting_survey().to_dict()):
        n = n or 100
        return one_hot(rng.integers(0, sizes, (n, len(sizes))), sizes), rng.integers(0, 2, n)
    votes = load_voting(random_state=rng)
    rows = np.arange(len(votes.target)) if n is None else rng.integers(0, len(votes.target), n)
    return one_hot(votes.data[rows], sizes), votes.target[rows].astype(np.int64)


def answer(url: str, n: int | None = None, *, seed: int = 0, rate: float | None = None) -> str:
    """Let people answer whatever open survey is served at an address.

    Parameters
    ----------
    url : str
    n : int >= 1, optional
        How many; as ``draw_people`` has it, of the coin 100.
    seed : int, default=0
        Of all that is drawn.
    rate
        As in ``simulate``.

    Returns
    -------
    str
        How many did and, of guided perturbation, who still waits.
    """
    rng = np.random.default_rng(seed)
    with HttpMiner(url, n_attempts=4) as miner:
        schema = miner.schema()
        if "class" not in schema:
            return _report_coin(miner, n or 100, rng, _gap(rate))
        T, y = draw_people(schema, n, random_state=rng)
        levels = draw_levels(len(T), T.shape[1], random_state=rng)
        result = simulate(url, T, y, levels, random_state=rng, rate=rate, progress=True)
        return _report(result, levels, miner.inquire().k)


def _gap(rate: float | None) -> float:
    """Return the seconds from one submission to the next."""
    demand(rate is None or rate > 0, "rate must be a number > 0", rate)
    return 0.0 if rate is None else 1.0 / rate


def _report_coin(miner: HttpMiner, n: int, rng: np.random.Generator, gap: float) -> str:
    """Let n people answer a coin survey, each answer equally probable; say how many did."""
    channel = miner.channel()
    sizes = [one.n_values for one in channel.columns]
    codes = rng.integers(0, sizes, (n, len(sizes)))
    for row in tqdm(channel.report(codes, rng.integers(0, WHOLE, (n, channel.n_words)))):
        miner.report(channel, channel.answers(row))
        time.sleep(gap)
    return f"{n} of {n} reported."


def _report(result: Collection, levels: IntArray, k: int) -> str:
    """Say in one line how many submitted, and who still waits."""
    waits = levels[result.epoch < 0]
    line = f"{len(levels) - len(waits)} of {len(levels)} submitted"
    if waits.size:
        counts = zip(*np.unique(waits, return_counts=True), strict=True)
        each = ", ".join(f"{level} ({n})" for level, n in counts)
        line += f"; {len(waits)} still wait for k* = {k} to fall, at level {each}"
    return line + "."


def _people(
    T: ArrayLike, y: ArrayLike, max_levels: ArrayLike, rng: np.random.Generator
) -> list[DataProvider]:
    """Return a provider for each tuple."""
    rows, labels = np.asarray(T), np.asarray(y).tolist()
    demand(len(labels) == len(rows), f"y must have one label for each of {len(rows)}", len(labels))
    levels = np.broadcast_to(np.asarray(max_levels), len(rows)).tolist()
    people = zip(rows, labels, levels, strict=True)
    return [DataProvider(t, label, level, sender=i, random_state=rng)
            for i, (t, label, level) in enumerate(people)]


def _asked(schema: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """Return what a survey's bits and its classes stand for, in their order."""
    bits = [(attribute["name"], attribute["values"]) for attribute in schema["attributes"]]
    return bits, schema["class"]["values"]
