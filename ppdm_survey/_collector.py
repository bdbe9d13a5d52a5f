"""The data miner on duty: one thread writes, everybody else reads what it has published."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from hashlib import sha256
from numbers import Integral
from typing import Any, Literal, Self

from sklearn.utils import check_scalar

from ppdm.exceptions import EpochOverError
from ppdm.protocol import Announcement, DataMiner
from ppdm.typing import RandomState
from ppdm_survey._errors import (
    BadInvitationError,
    BadTokenError,
    SurveyError,
    UnknownEpochError,
)
from ppdm_survey._journal import Journal, Ledger
from ppdm_survey._messages import PublishedGuidance, Status
from ppdm_survey._schema import Survey
from ppdm_survey._store import Exchange, Opened, Row, Store, pack
from ppdm_survey._tokens import BlindSigner, Tokens, invitations
from ppdm_survey._writer import Writer

Access = Literal["open", "invitation"]


def check_access(access: Access) -> Access:
    """Return who may answer, where it is one of the two."""
    if access not in ("open", "invitation"):
        raise ValueError(f"access must be 'open' or 'invitation', got {access!r}")
    return access


class Desk:
    """What the collectors of both schemes share: the store, the writer, and who may answer."""

    _ledger: Ledger
    survey: Survey
    access: Access
    batch_size: int

    def _open(self, database: str, schema: dict[str, Any], settings: dict[str, Any],
              start: bytes, new_ledger: Callable[[Opened], Ledger]) -> None:
        """Open the store, replay what is in it, and begin to write."""
        self._store = Store(database)
        try:
            opened = self._store.open(schema, settings, start)
            self._tokens, self._invitations = Tokens(opened.secret), invitations(opened.secret)
            self._signer = (
                BlindSigner(self._store.signing_key()) if self.access == "invitation" else None)
            #: A name that nobody can guess, for the miner's page; the same after a restart.
            self.secret_name: str = f"miner-{sha256(b'miner' + opened.secret).hexdigest()[:32]}"
            self._ledger = new_ledger(opened)
        except BaseException:
            self._store.close()
            raise
        self._writer = Writer(self._ledger.record)
        self._started = int(time.time())

    @property
    def n_received(self) -> int:
        """Submissions stored; for the operator, it is not published."""
        return self._ledger.n_received

    @property
    def health(self) -> dict[str, int]:
        """What a monitor asks first: none of it moves when a submission is stored."""
        return {"start_time_seconds": self._started, "healthy": int(self._writer.healthy),
                "failures_total": self._writer.n_failures}

    def _nonce(self, token: str, epoch: int = 0) -> bytes:
        """Return the nonce of a token, by which it is known to be used or not."""
        return self._signer.check(token) if self._signer else self._tokens.check(token, epoch)

    @property
    def key(self) -> dict[str, str] | None:
        """The public key, a JSON Web Key, of the tokens of those who are invited."""
        return self._signer.jwk() if self._signer else None

    def invite(self, n: int) -> list[str]:
        """Make invitations; each is good for one answer.

        Parameters
        ----------
        n : int >= 1
        """
        n = check_scalar(n, "n", Integral, min_val=1)
        return [self._invitations.issue(0) for _ in range(n)]

    def exchange(self, invitation: str, blinded: bytes) -> Future[bytes]:
        """Sign a token that is not seen, once for an invitation.

        Parameters
        ----------
        invitation : str
        blinded : bytes
            A nonce, encoded and blinded (RFC 9474, section 4.2).

        Returns
        -------
        concurrent.futures.Future
            The blind signature, once it is stored that the invitation is used; the same for
            the same ``blinded``. It raises ``InvitationUsedError`` where the invitation was
            exchanged for another one.

        Raises
        ------
        BadInvitationError, BusyError
            As they say.
        SurveyError
            If ``blinded`` is no number of the key.
        """
        if self._signer is None:
            raise BadInvitationError("invitation is not needed: the survey is open to anybody")
        try:
            code = self._invitations.check(invitation, 0)
        except BadTokenError:
            raise BadInvitationError("invitation must be one that was made here") from None
        self._signer.number(blinded)  # refuses what is none before anything is stored
        return self._writer.put(Exchange(code, blinded))

    def close(self) -> None:
        """Store what is waiting and let go of the database."""
        self._writer.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
        self.survey, self.access = survey, check_access(access)
        new_miner = partial(
            DataMiner, survey.n_values, mu=mu, batch_size=batch_size, keep=False)
        first = new_miner()
        self.batch_size: int = first.batch_size
        if check_scalar(random_start, "random_start", Integral, min_val=0):
            first.bootstrap_random(random_start, random_state=random_state)
        settings: dict[str, Any] = {"scheme": "guided", "mu": first.mu,
                                    "batch_size": self.batch_size,
                                    "order": "magnitude",
                                    "random_start": int(random_start), "access": access}
        self._open(database, survey.to_dict(), settings, first.guidance.to_bytes(), lambda opened:
                   Journal(survey, self._store, new_miner, opened.start, self._signer))

    @property
    def _journal(self) -> Journal:
        assert isinstance(self._ledger, Journal)
        return self._ledger

    @property
    def guidance(self) -> PublishedGuidance:
        """The guidance of the current epoch."""
        return self._journal.snapshot.guidance

    @property
    def epochs(self) -> list[dict[str, Any]]:
        """What is published of each epoch's guidance: epoch, k, n_received, hash."""
        return list(self._journal.snapshot.results["history"])

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
        if label not in (0, 1):
            raise SurveyError(f"class must be 0 or 1, got {label}")
        return self._writer.put(Row(nonce, epoch, int(label), pack(ones, self.survey.n_bits)))

    def status(self) -> dict[str, int]:
        """Return how far the collection is: n_received, epoch, k and batch_size.

        All of it changes when an epoch ends, and at no other time: whoever saw it change with
        each submission would know when somebody answered.

        Returns
        -------
        dict
        """
        known = self._journal.snapshot.results
        return {name: known[name] for name in Status.model_fields}

    def results(self) -> dict[str, Any]:
        """Return what the miner knows, as of the last whole epoch.

        Returns
        -------
        dict
            Ready for JSON.
        """
        known = self._journal.snapshot.results
        return {**known, "history": list(known["history"])}

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
                "tuples_of_whole_epochs": now.n_received, **self.health}
