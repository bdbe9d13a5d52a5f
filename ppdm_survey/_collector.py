"""The data miner on duty: guided perturbation, epoch by epoch."""

import time
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from numbers import Integral
from typing import Any

from sklearn.utils import check_scalar

from ppdm.exceptions import EpochOverError
from ppdm.guidance import Guidance
from ppdm.protocol import Announcement, DataMiner
from ppdm.typing import RandomState
from ppdm_survey._desk import Access, Desk
from ppdm_survey._errors import SurveyError, UnknownEpochError, demand
from ppdm_survey._messages import Learning, PublishedGuidance, Status
from ppdm_survey._schema import Asked, Survey
from ppdm_survey._store import Row, pack, unpack

#: Seconds for which a submission may still come when its epoch is over: it was drawn, and its
#: answers are deleted. A token that is kept for longer is refused.
GRACE = 30.0


class Collector(Desk):
    """A ``DataMiner`` whose tuples are stored before they are acknowledged.

    Submissions that arrive together share a transaction. A tuple enters A* only once it is
    stored, so the running A* is always what a replay of the store gives.

    Parameters
    ----------
    survey : Survey
        What is asked.
    database : str, default="sqlite://"
        An SQLAlchemy address; the default is in memory and forgets.
    mu, batch_size
        As in ``DataMiner``.
    random_start : int >= 0, default=0
        How many random tuples A* begins with. With none, the first epoch asks for every
        bit, and only those who accept every level answer it.
    random_state : None, int or numpy.random.Generator, default=None
        For the random start alone.
    access : {"open", "invitation"}, default="open"
        Who may answer: anybody, as often as he likes; or who has an invitation, once. Anybody
        can fill an epoch but for one person, and subtract himself from its counts.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range.
    DatabaseInUseError
        If another server works on the database, or it holds another survey or settings.

    Examples
    --------
    >>> from ppdm_survey import Collector, voting_survey
    >>> with Collector(voting_survey(), batch_size=2) as collector:
    ...     for label in (0, 1):
    ...         guidance, token = collector.ready(epoch=0)
    ...         collector.submit(token, 0, label, ones=[label]).result()
    ...     collector.inquire()
    Announcement(epoch=1, k=2)
    """

    def __init__(
        self, survey: Survey, database: str = "sqlite://", *, mu: float = 0.15,
        batch_size: int = 100, random_start: int = 0, random_state: RandomState = None,
        access: Access = "open",
    ) -> None:
        self._new_miner = partial(
            DataMiner, survey.n_values, mu=mu, batch_size=batch_size, keep=False)
        first = self._new_miner()
        if check_scalar(random_start, "random_start", Integral, min_val=0):
            first.bootstrap_random(random_start, random_state=random_state)
        #: When each epoch ended, as far as this process knows.
        self._ended: dict[int, float] = {}
        settings = {"mu": first.mu, "order": "magnitude", "random_start": int(random_start)}
        super().__init__(survey, database, "guided", settings, batch_size=first.batch_size,
                         access=access, start=first.guidance.to_bytes())
        self._ended = {self.guidance.epoch - 1: time.monotonic()}

    def _forget(self) -> None:
        self._miner = self._new_miner()
        self._miner.guidance.merge(Guidance.from_bytes(self._start))
        self._results = Learning(self.survey)
        self._known: dict[str, Any] = {"history": []}
        self._begin_epoch()

    def _in_time(self, epoch: int) -> bool:
        """Say whether a submission may come now: in its epoch, or at once after it."""
        ended = self._ended.get(epoch, -GRACE)
        return epoch == self._newest.epoch or time.monotonic() < ended + GRACE

    def _learn(self, rows: Sequence[Row]) -> None:
        R, y = unpack(rows, self.survey.n_bits)
        self._miner.receive(R, y)
        self._results.add_epoch(self._newest.epoch, R, y)
        self._begin_epoch()

    def _begin_epoch(self) -> None:
        """Take the epoch's guidance from the store or, if it has none yet, store it."""
        epoch, n = self._miner.inquire().epoch, self._n_whole
        guidance = self._store.guidance(epoch)
        if guidance is None:
            guidance = PublishedGuidance(epoch=epoch, n_received=n, V=self._miner.ready(epoch).V)
            self._store.add_guidance(guidance)
        else:
            self._miner.adopt(guidance.V)
        self._newest = guidance
        self._ended.setdefault(epoch - 1, time.monotonic())
        self._known = {  # changes with the epoch alone
            **self.survey.model_dump(mode="json", include=set(Asked.model_fields)),
            "n_received": n, "epoch": epoch, "k": guidance.k,
            "batch_size": self.batch_size, "mu": self._miner.mu,
            "history": [*self._known["history"], guidance.to_dict()], **self._results.to_dict(),
        }

    def _publish(self) -> None:
        # the guidance of the current epoch, and what the miner knew when it began
        self.guidance, self._shown = self._newest, self._known

    @property
    def epochs(self) -> list[dict[str, Any]]:
        """What is published of each epoch's guidance: epoch, k, n_received, hash."""
        return list(self._shown["history"])

    def inquire(self) -> Announcement:
        """Announce the current epoch and its level k*.

        Returns
        -------
        Announcement
        """
        guidance = self.guidance
        return Announcement(guidance.epoch, guidance.k)

    def check_epoch(self, epoch: int) -> int:
        """Return an epoch that is or has been.

        Raises
        ------
        UnknownEpochError
            If it has never been.
        TypeError
            If it is no whole number.
        """
        now = self.guidance.epoch
        if not 0 <= check_scalar(epoch, "epoch", Integral) <= now:
            raise UnknownEpochError(f"epoch must be in [0, {now}], got {epoch}")
        return int(epoch)

    def ready(self, epoch: int) -> tuple[PublishedGuidance, str]:
        """Hand out guidance and token to a provider that accepts the current epoch's level.

        Parameters
        ----------
        epoch : int
            As announced.

        Returns
        -------
        guidance : PublishedGuidance
        token : str
            For one submission in the epoch, or up to ``GRACE`` seconds into the next one. It
            is empty where people are invited: they bring their own.

        Raises
        ------
        EpochOverError
            If the epoch is over.
        UnknownEpochError
            If it has never been.
        """
        guidance = self.guidance
        if self.check_epoch(epoch) < guidance.epoch:
            raise EpochOverError(
                f"epoch {epoch} is over, the current one is {guidance.epoch}: inquire again")
        return guidance, "" if self._signer else self._tokens.issue(guidance.epoch)

    def submit(self, token: str, epoch: int, label: int, ones: Sequence[int]) -> Future[None]:
        """Take one R(t); the result is there once it is stored.

        Parameters
        ----------
        token : str
            From ``ready``, or what an invitation was exchanged for.
        epoch : int
            The token's.
        label : int
            The class, 0 or 1.
        ones : sequence of int
            The indices of the set bits of R(t), ascending.

        Returns
        -------
        concurrent.futures.Future
            None once the submission is stored, or has been before. It raises
            ``TokenUsedError`` where the token has served for another submission, and
            ``BusyError`` where the submission could not be stored.

        Raises
        ------
        EpochOverError
            Of the future: if the submission comes too late for its epoch.
        UnknownEpochError, BadTokenError, BusyError
            As they say.
        SurveyError
            If the label is neither 0 nor 1, or ones are out of range or not ascending.
        """
        epoch = self.check_epoch(epoch)
        nonce = self._nonce(token, epoch)
        demand(label in (0, 1), "class must be 0 or 1", label, SurveyError)
        return self._writer.put(Row(nonce, epoch, int(label), pack(ones, self.survey.n_bits)))

    def status(self) -> dict[str, int]:
        """Return how far the collection is: n_received, epoch, k and batch_size.

        All of it changes when an epoch ends, and at no other time: whoever saw it change with
        each submission would know when somebody answered.

        Returns
        -------
        dict
        """
        return {name: self._shown[name] for name in Status.model_fields}

    def metrics(self) -> dict[str, int]:
        """Return numbers for a monitor; none of them moves when a submission is stored.

        A monitor keeps the time of each change. Beside the order in the store, a count of
        submissions would give each its time.

        Returns
        -------
        dict
        """
        now = self.guidance
        return {"epoch": now.epoch, "disclosure_level": now.k,
                "tuples_of_whole_epochs": now.n_received, **super().metrics()}
