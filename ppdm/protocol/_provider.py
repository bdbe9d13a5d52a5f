"""A data provider of Algorithm 1 (ZWZ05, section 3), and the messages: plain tuples."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple, Protocol

from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.exceptions import EpochOverError
from ppdm.guidance import check_guidance, perturb
from ppdm.typing import Bits, FloatArray, IntArray, RandomState


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


class Miner(Protocol):
    """Whatever answers a provider's three messages, honestly or not."""

    def inquire(self) -> Announcement:
        """Announce the epoch and k*."""

    def ready(self, epoch: int) -> GuidanceMessage:
        """Hand out V_k*."""

    def submit(self, message: Submission) -> None:
        """Take R(t)."""


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
        self._t: Bits | None = check.bits(t, "t", ndim=1).copy()
        self.n_bits: int = self._t.size
        self.label: int = check.integer(label, "label", low=0, high=1)
        self._max_level = check.integer(max_level, "max_level", low=1, high=self.n_bits)
        self.sender = sender
        self._rng = check.random_state(random_state)
        self.n_inquiries: int = 0
        self.submission: Submission | None = None

    def attempt(self, miner: Miner) -> bool:
        """Go through Algorithm 1 once.

        Parameters
        ----------
        miner : DataMiner
            Or anything that answers ``inquire``, ``ready`` and ``submit``.

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
        check.having(miner, "miner", "inquire", "ready", "submit")
        if self.submission is None:
            announcement = miner.inquire()
            if not self.accepts(announcement):
                return False
            try:
                message = miner.ready(announcement.epoch)
            except EpochOverError:
                return False
            self.respond(announcement, message)
        assert self.submission is not None
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
        check.having(announcement, "announcement", "epoch", "k")
        self.n_inquiries += 1
        return check.integer(announcement.k, "k", low=1) <= self._max_level

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
        if self._t is not None:
            check.having(announcement, "announcement", "epoch", "k")
            check.having(message, "message", "epoch", "k", "V")
            if message.epoch != announcement.epoch:
                raise ValueError(
                    f"epoch must be the announced {announcement.epoch}, got {message.epoch!r}"
                )
            V = check_guidance(message.V, announcement.k, self._max_level, n_bits=self.n_bits)
            R = perturb(self._t, V, random_state=self._rng)
            self.submission = Submission(self.sender, announcement.epoch, self.label, R)
            self._t = None
        assert self.submission is not None
        return self.submission
