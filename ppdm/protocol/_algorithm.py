"""Algorithm 1 of ZWZ05, section 3: a data provider, the data miner, and the messages between them.

The messages are plain tuples, so that a network can stand between the two.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ppdm import _validation as check
from ppdm._coding import set_bits
from ppdm.exceptions import EpochOverError
from ppdm.guidance import Guidance, check_guidance
from ppdm.guidance._perturbation import draw_bits
from ppdm.typing import ArrayLike, Bits, FloatArray, IntArray, Order, RandomState


class Announcement(NamedTuple):
    """The miner's answer to an inquiry."""

    epoch: int
    """Counts the refreshes of the guidance, from 0."""
    k: int
    """The system disclosure level k*."""


class GuidanceMessage(NamedTuple):
    """The miner's answer to a provider that is ready."""

    epoch: int
    k: int
    V: FloatArray
    """V_k*, shape (n_bits, k)."""


class Submission(NamedTuple):
    """What leaves the provider."""

    sender: Hashable
    """Whatever tells providers apart; each may submit once."""
    epoch: int
    """The epoch of the guidance that R was drawn under: an earlier one is legal."""
    label: int
    """The class, 0 or 1; it is not disguised."""
    R: IntArray
    """R(t), shape (n_bits,)."""


class DataProvider:
    """A data provider: one private tuple, and a level of disclosure it accepts.

    It trusts no message. R(t) is drawn once; the tuple is then forgotten, and whatever
    is sent again is the same R(t).

    Parameters
    ----------
    t : array-like of shape (n_bits,)
        The private tuple as bits, see ``one_hot``.
    label : int
        Its class, 0 or 1; public.
    max_level : int in [1, n_bits]
        The maximum acceptable disclosure level, k_i. It is never sent.
    sender : hashable
        What the miner may know the provider by.
    random_state : None, int or numpy.random.Generator, default=None
        Where R(t) is drawn from. Providers of one simulation share a Generator; two with
        the same int would draw alike.

    Attributes
    ----------
    n_inquiries : int
        How often it asked for k*.
    submission : Submission or None
        What it sends, once drawn.

    Raises
    ------
    ValueError, TypeError
        If t is not bits, the label is neither 0 nor 1, or the level is out of range.

    Examples
    --------
    >>> from ppdm.protocol import Announcement, DataProvider
    >>> provider = DataProvider([1, 0, 0, 1], label=0, max_level=1, sender="anna")
    >>> provider.accepts(Announcement(epoch=0, k=2))
    False
    """

    def __init__(
        self,
        t: ArrayLike,
        label: int,
        max_level: int,
        *,
        sender: Hashable,
        random_state: RandomState = None,
    ) -> None:
        self._t: Bits = check.bits(t, "t", ndim=1).copy()
        self.n_bits: int = self._t.size
        self.label: int = check.given("label", label)
        self._max_level = check.given("max_level", max_level, high=self.n_bits)
        self.sender = sender
        self._rng = check.stream(random_state, "guided perturbation")
        self.n_inquiries: int = 0
        self.submission: Submission | None = None

    def attempt(self, miner: DataMiner | Any) -> bool:
        """Go through Algorithm 1 once.

        Parameters
        ----------
        miner : DataMiner
            Or anything that answers ``inquire``, ``ready`` and ``submit``, honestly or not.

        Returns
        -------
        bool
            True if R(t) was submitted; False if k* is not acceptable yet or the epoch
            ended in between: try again later.

        Raises
        ------
        ValueError, TypeError
            If the guidance fails the check: nothing has then been sent. What the miner
            raises when it refuses a submission passes through.
        """
        if self.submission is None:
            announcement = miner.inquire()
            if not self.accepts(announcement):
                return False
            try:
                message = miner.ready(announcement.epoch)
            except EpochOverError:
                return False
            self.submission = self.respond(announcement, message)
        miner.submit(self.submission)
        return True

    def accepts(self, announcement: Announcement) -> bool:
        """Say whether an announced k* is at most k_i (lines 1 and 2).

        Parameters
        ----------
        announcement : Announcement

        Returns
        -------
        bool
        """
        self.n_inquiries += 1
        return bool(check.given("k", announcement.k) <= self._max_level)

    def respond(self, announcement: Announcement, message: GuidanceMessage) -> Submission:
        """Check a guidance against what was announced and draw R(t) (line 7).

        Parameters
        ----------
        announcement : Announcement
            The one that was accepted.
        message : GuidanceMessage
            What came for it.

        Returns
        -------
        Submission
            The first one drawn, whatever comes later.

        Raises
        ------
        ValueError, TypeError
            If the guidance is of another epoch or fails ``check_guidance``.
        """
        if self.submission is None:
            rule = f"epoch must be the announced {announcement.epoch}"
            check.demand(message.epoch == announcement.epoch, rule, message.epoch)
            V = check_guidance(message.V, announcement.k, self._max_level, n_bits=self.n_bits)
            R = draw_bits(self._t, V, self._rng)
            self.submission = Submission(self.sender, announcement.epoch, self.label, R)
            del self._t
        return self.submission


class Refresh(NamedTuple):
    """One entry of the miner's history."""

    epoch: int
    n_received: int
    """Submissions received before it, bootstrap tuples not counted."""
    k: int


class DataMiner:
    """The data miner: announces k*, hands out V_k*, collects R(t) and refreshes both.

    k* and V_k* stay the same within an epoch, until ``batch_size`` tuples have come in.
    A* is fed with R(t), never with t; the one exception are bootstrap tuples.

    Parameters
    ----------
    n_values : sequence of int >= 2
        How many values each attribute has.
    mu : float in (0, 1), default=0.15
        The share of the first eigenvalue that k* is computed with (Eq. 6).
    order : {"magnitude", "signed"}, default="magnitude"
        How eigenvalues are sorted, see ``Guidance``.
    batch_size : int >= 1, default=100
        Tuples of an epoch.
    keep : bool, default=True
        Whether to keep every R(t) and every epoch's V in memory. Without, there is no
        training set, and what grows with the number of tuples is the list of senders
        (which ``receive`` does without) and one line of history an epoch.

    Attributes
    ----------
    n_bits : int
        Bits of a tuple.
    guidance : Guidance
        A0* and A1*.
    n_received : int
        Submissions received so far.
    history : list of Refresh
        One entry for each epoch: k* over the number of tuples.
    guides : list of ndarray
        V of each epoch, where ``keep``.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range.

    See Also
    --------
    collect : A whole collection at once, for simulations.

    Examples
    --------
    >>> from ppdm.protocol import DataMiner, DataProvider
    >>> miner = DataMiner([2, 2, 2], batch_size=2)
    >>> miner.bootstrap([[1, 0, 1, 0, 0, 1], [0, 1, 1, 0, 1, 0]], [0, 1])
    >>> provider = DataProvider([1, 0, 0, 1, 0, 1], label=0, max_level=6,
    ...                         sender="anna", random_state=0)
    >>> provider.attempt(miner), miner.n_received
    (True, 1)
    """

    def __init__(
        self,
        n_values: Sequence[int],
        *,
        mu: float = 0.15,
        order: Order = "magnitude",
        batch_size: int = 100,
        keep: bool = True,
    ) -> None:
        self.n_values: list[int] = check.n_values(check.sequence(n_values, "n_values", "integers"))
        self.mu: float = check.given("mu", mu)
        self.batch_size: int = check.given("batch_size", batch_size)
        self.keep: bool = check.given("keep", keep)
        self.guidance: Guidance = Guidance(sum(self.n_values), order)
        self.n_bits: int = self.guidance.n_bits
        self.n_received: int = 0
        self.history: list[Refresh] = []
        self.guides: list[FloatArray] = []
        self._senders: set[Hashable] = set()
        self._tuples: list[tuple[Bits, Bits]] = []

    @property
    def room(self) -> int:
        """How many tuples the current epoch still takes."""
        return self.batch_size - self.n_received % self.batch_size

    def bootstrap(self, T: ArrayLike, y: ArrayLike) -> None:
        """Begin with tuples given in the clear: they enter A* and the training set.

        Parameters
        ----------
        T : array-like of shape (n, n_bits)
            Undisguised tuples of providers who do not mind.
        y : array-like of shape (n,)
            Their classes.

        Raises
        ------
        ValueError, TypeError
            If T does not hold bits, a label is neither 0 nor 1, or the collection has
            begun.
        """
        self._refuse_late_bootstrap()
        self._take(*check.tuples(T, y, self.n_bits, "T"))

    def bootstrap_random(self, m0: int, *, random_state: RandomState = None) -> None:
        """Begin with random tuples: they enter A* only.

        Parameters
        ----------
        m0 : int >= 1
            How many. Each has a random value of each attribute and a random class, all
            equally probable.
        random_state : None, int or numpy.random.Generator, default=None

        Raises
        ------
        ValueError, TypeError
            If m0 is no whole number >= 1 or the collection has begun.
        """
        m0 = check.given("m0", m0)
        rng = check.random_state(random_state)
        values = rng.integers(0, self.n_values, size=(m0, len(self.n_values)))
        T, y = set_bits(values, self.n_values), rng.integers(0, 2, size=m0)
        self._refuse_late_bootstrap()
        self.guidance._add(T, y.astype(np.int8))

    def adopt(self, V: ArrayLike) -> None:
        """Take V for the guidance of the current epoch: what was handed out before a restart.

        An eigenvector computed anew, by another library, may differ in the last digits.

        Parameters
        ----------
        V : array-like of shape (n_bits, k)

        Raises
        ------
        ValueError, TypeError
            If V is no guidance, or not for as many bits.
        """
        given = check.numbers(V, "V", ndim=2)
        vectors = check_guidance(given, given.shape[1], self.n_bits, n_bits=self.n_bits)
        self.inquire()
        self.history[-1] = self.history[-1]._replace(k=vectors.shape[1])
        self._V = vectors
        if self.keep:
            self.guides[-1] = vectors

    def inquire(self) -> Announcement:
        """Announce the current epoch and its disclosure level k*.

        Returns
        -------
        Announcement
        """
        if not self.history:
            self._refresh()
        return Announcement(self.history[-1].epoch, self.history[-1].k)

    def ready(self, epoch: int) -> GuidanceMessage:
        """Hand out the guidance of an epoch to a provider that accepts its level.

        Parameters
        ----------
        epoch : int
            As announced.

        Returns
        -------
        GuidanceMessage

        Raises
        ------
        EpochOverError
            If the epoch is over.
        ValueError, TypeError
            If it never was announced or is no whole number.
        """
        now, k = self.inquire()
        if check.given("epoch", epoch, high=now) < now:
            raise EpochOverError(f"epoch {epoch} is over, the current one is {now}: inquire again")
        return GuidanceMessage(now, k, self._V.copy())

    def submit(self, message: Submission) -> None:
        """Take a provider's R(t); refuse a second one of the same sender.

        Parameters
        ----------
        message : Submission

        Raises
        ------
        ValueError, TypeError
            If the sender has submitted before, the epoch never was, the label is neither
            0 nor 1, or R is not bits or not as many as there should be. The miner's
            state is then unchanged.
        """
        check.given("epoch", message.epoch, high=self.inquire().epoch)
        with check.naming("sender", "hashable"):
            hash(message.sender)  # a set is found in a set of sets, though it has no hash
        new = message.sender not in self._senders
        check.demand(new, "sender must not have submitted before: once is enough", message.sender)
        label = check.given("label", message.label)
        self._receive(*check.tuples(message.R, label, self.n_bits))
        self._senders.add(message.sender)

    def receive(self, R: ArrayLike, y: ArrayLike) -> None:
        """Take tuples whose senders have been checked, as many as have room in the epoch.

        Parameters
        ----------
        R : array-like of shape (n_bits,) or (n, n_bits)
            Disguised tuples.
        y : int, or array-like of shape (n,)
            Their classes.

        Raises
        ------
        ValueError, TypeError
            If R does not hold bits, a label is neither 0 nor 1, or the epoch has no room
            for so many. The miner's state is then unchanged.
        """
        self._receive(*check.tuples(R, y, self.n_bits))

    def _receive(self, bits: Bits, labels: Bits) -> None:
        self.inquire()  # the first epoch begins before its first tuple
        rule = f"R must have at most {self.room} tuples"
        check.demand(len(bits) <= self.room, rule, len(bits))
        self._take(bits, labels)
        self.n_received += len(bits)
        if self.n_received % self.batch_size == 0:
            self._refresh()

    def training_set(self) -> tuple[IntArray, IntArray]:
        """Return every tuple a classifier may be built on: submissions and clear bootstrap.

        Returns
        -------
        R : ndarray of int, shape (n, n_bits)
        y : ndarray of int, shape (n,)

        Raises
        ------
        ValueError
            If the miner keeps no tuples or has none.
        """
        if not self._tuples:
            reason = "none have come in" if self.keep else "keep is False"
            raise ValueError(f"there is no training set: {reason}")
        bits, labels = zip(*self._tuples, strict=True)
        return np.concatenate(bits, dtype=np.intp), np.concatenate(labels, dtype=np.intp)

    def _refresh(self) -> None:
        """Begin an epoch: k* and V_k* from the A* of this moment, frozen until the next."""
        k = self.guidance.disclosure_level(self.mu)
        self._V = self.guidance.vectors(k)
        self.history.append(Refresh(len(self.history), self.n_received, k))
        if self.keep:
            self.guides.append(self._V)

    def _take(self, bits: Bits, labels: Bits) -> None:
        self.guidance._add(bits, labels)
        if self.keep:
            self._tuples.append((bits.copy(), labels.copy()))

    def _refuse_late_bootstrap(self) -> None:
        if self.history:
            raise ValueError("bootstrap tuples must come before the first inquiry")
