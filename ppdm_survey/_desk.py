"""Where submissions are stored before anything is learnt of them, whatever the scheme."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future
from hashlib import sha256
from numbers import Integral
from typing import Any, Literal, Self

from sklearn.utils import check_scalar

from ppdm.exceptions import EpochOverError
from ppdm_survey import _errors as errors
from ppdm_survey._schema import Scheme, Survey
from ppdm_survey._store import Exchange, Row, Store
from ppdm_survey._tokens import BlindSigner, Tokens, invitations
from ppdm_survey._writer import Writer

Access = Literal["open", "invitation"]


class Desk(ABC):
    """What the collectors of both schemes share: the store, the writer, and who may answer.

    Nothing is learnt before it is stored, so a process that is killed at any moment can be
    replayed. One thread writes, everybody else reads what is published.
    """

    _shown: dict[str, Any]

    def __init__(
        self, survey: Survey, database: str, scheme: Scheme, settings: dict[str, Any], *,
        batch_size: int, access: Access, start: bytes = b"",
    ) -> None:
        errors.demand(access in ("open", "invitation"), "access must be open or invitation", access)
        self.survey, self.access = survey, access
        self.batch_size: int = check_scalar(batch_size, "batch_size", Integral, min_val=1)
        settings |= {"scheme": scheme, "batch_size": self.batch_size, "access": access}
        self._store = Store(database)
        try:
            opened = self._store.open(survey.to_dict(scheme), settings, start)
            self._start = opened.start
            self._tokens, self._invitations = Tokens(opened.secret), invitations(opened.secret)
            self._signer = BlindSigner(self._store.signing_key()) if access != "open" else None
            #: A name that nobody can guess, for the miner's page; the same after a restart.
            self.secret_name: str = f"miner-{sha256(b'miner' + opened.secret).hexdigest()[:32]}"
            #: A public name of this database's survey: of two with the same questions, too.
            self.id: str = sha256(b"survey" + opened.secret).hexdigest()
            self._replay()
        except BaseException:
            self._store.close()
            raise
        self._writer = Writer(self._record)
        self._started = int(time.time())

    @abstractmethod
    def _forget(self) -> None:
        """Know nothing, as before the first submission."""

    @abstractmethod
    def _learn(self, rows: Sequence[Row]) -> None:
        """Learn from a whole batch."""

    @abstractmethod
    def _publish(self) -> None:
        """Show others what is known now."""

    def _in_time(self, epoch: int) -> bool:
        """Say whether a submission of an epoch may come now."""
        return True

    def results(self) -> dict[str, Any]:
        """Return what the miner knows, as of the last whole epoch or batch.

        Returns
        -------
        dict
            Ready for JSON.
        """
        return self._shown

    @property
    def n_received(self) -> int:
        """Submissions stored; for the operator, it is not published."""
        return self._n_whole + len(self._rows)

    def metrics(self) -> dict[str, int]:
        """Return numbers for a monitor; none of them moves when a submission is stored."""
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
            raise errors.BadInvitationError("invitation is not needed: the survey is open to all")
        try:
            code = self._invitations.check(invitation, 0)
        except errors.BadTokenError:
            raise errors.BadInvitationError("invitation must be one that was made here") from None
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

    def _replay(self) -> None:
        """Take everything from the store, as after a restart."""
        self._in_step = False
        if not self._store.settled().secret:
            raise errors.DatabaseInUseError("the survey in this database was closed meanwhile")
        self._n_whole, self._rows = 0, list[Row]()
        self._forget()
        for rows in self._store.pages(self.batch_size):
            self._absorb(rows)
        self._publish()
        self._in_step = True

    def _absorb(self, rows: Sequence[Row]) -> None:
        """Take in stored submissions; they must fit into the batch."""
        self._rows += rows
        if len(self._rows) == self.batch_size:
            whole, self._rows = self._rows, []
            self._n_whole += len(whole)
            self._learn(whole)

    def _record(self, rows: Sequence[Row | Exchange]) -> list[Exception | bytes | None]:
        """Store what is new among the rows, and say of each what became of it.

        Parameters
        ----------
        rows : sequence of Row or Exchange

        Returns
        -------
        list
            Of an exchange the blind signature, or ``InvitationUsedError``. Of a submission
            None where the row is stored, now or before; ``TokenUsedError`` where its token
            has served for another one, ``EpochOverError`` where it comes too late.

        Raises
        ------
        sqlalchemy.exc.SQLAlchemyError
            If the database fails. Some rows may be stored then; the next call begins with
            a replay and finds out.
        """
        exchanges = [row for row in rows if isinstance(row, Exchange)]
        submissions = [row for row in rows if isinstance(row, Row)]
        signed = iter(self._exchange(exchanges)) if exchanges else iter([])
        stored = iter(self._submit(submissions)) if submissions else iter([])
        return [next(signed if isinstance(row, Exchange) else stored) for row in rows]

    def _exchange(self, exchanges: Sequence[Exchange]) -> list[Exception | bytes | None]:
        assert self._signer is not None
        used = errors.InvitationUsedError("invitation has been exchanged already")
        allowed = self._store.exchange(exchanges)
        return [self._signer.sign(one.blinded) if may else used
                for one, may in zip(exchanges, allowed, strict=True)]

    def _submit(self, rows: Sequence[Row]) -> list[Exception | bytes | None]:
        if not self._in_step:
            self._replay()
        self._in_step = False
        known = self._store.find([row.token for row in rows])
        new = dict[bytes, Row]()
        for row in rows:
            if row.token not in known:
                known[row.token] = new[row.token] = row
        while in_time := [row for row in new.values() if self._in_time(row.epoch)]:
            chunk = in_time[: self.batch_size - len(self._rows)]  # what the batch has room for
            self._store.add(chunk, self.n_received + 1)
            self._absorb(chunk)
            for row in chunk:
                del new[row.token]
        self._in_step = True
        self._publish()
        used = errors.TokenUsedError("token has been used for another submission")
        return [used if known[row.token] != row else None if row.token not in new else
                EpochOverError(f"epoch {row.epoch} is over, and its tokens with it")
                for row in rows]
