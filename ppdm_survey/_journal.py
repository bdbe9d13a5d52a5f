"""The data miner and the store, in step: what is stored is in A*, and the other way round."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ppdm.exceptions import EpochOverError
from ppdm.guidance import Guidance
from ppdm.protocol import DataMiner
from ppdm_survey._errors import DatabaseInUseError, InvitationUsedError, TokenUsedError
from ppdm_survey._messages import Learning, PublishedGuidance
from ppdm_survey._schema import Asked, Survey
from ppdm_survey._store import Exchange, Row, Store, unpack
from ppdm_survey._tokens import BlindSigner

#: Seconds for which a submission may still come when its epoch is over: it was drawn, and its
#: answers are deleted. A token that is kept for longer is refused.
GRACE = 30.0


class Snapshot(NamedTuple):
    """What the miner shows to others; it never changes once it is published."""

    guidance: PublishedGuidance
    n_received: int
    results: dict[str, Any]
    """What the miner knows, as of the last whole epoch."""


class Ledger(ABC):
    """Stores submissions, and lets a scheme learn from what is stored.

    Nothing is learnt before it is stored, so a process that is killed at any moment can be
    replayed. One thread at a time may call it.

    Parameters
    ----------
    store : Store
        Already open.
    signer : BlindSigner, optional
        Gives the blind signature that an invitation is exchanged for.
    """

    store: Store
    signer: BlindSigner | None
    batch_size: int

    @property
    @abstractmethod
    def n_received(self) -> int:
        """Submissions stored."""

    @property
    @abstractmethod
    def room(self) -> int:
        """How many more the batch takes."""

    @abstractmethod
    def _forget(self) -> None:
        """Know nothing, as before the first submission."""

    @abstractmethod
    def _absorb(self, rows: Sequence[Row]) -> None:
        """Learn from stored submissions; they must fit into the batch."""

    @abstractmethod
    def _publish(self) -> None:
        """Show others what is known now."""

    def _in_time(self, epoch: int) -> bool:
        """Say whether a submission of an epoch may come now."""
        return True

    def replay(self) -> None:
        """Take everything from the store, as after a restart."""
        self._in_step = False
        if not self.store.settled().secret:
            raise DatabaseInUseError("the survey in this database was closed meanwhile")
        self._forget()
        for rows in self.store.pages(self.batch_size):
            self._absorb(rows)
        self._publish()
        self._in_step = True

    def record(self, rows: Sequence[Row | Exchange]) -> list[Exception | bytes | None]:
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
        assert self.signer is not None
        used = InvitationUsedError("invitation has been exchanged already")
        allowed = self.store.exchange(exchanges)
        return [self.signer.sign(one.blinded) if may else used
                for one, may in zip(exchanges, allowed, strict=True)]

    def _submit(self, rows: Sequence[Row]) -> list[Exception | bytes | None]:
        if not self._in_step:
            self.replay()
        self._in_step = False
        known = self.store.find([row.token for row in rows])
        new, late = [], set()
        for row in rows:
            if row.token not in known:
                known[row.token] = row
                new.append(row)
        while new:  # as many as the epoch has room for
            late |= {row for row in new if not self._in_time(row.epoch)}
            new = [row for row in new if row not in late]
            chunk, new = new[: self.room], new[self.room :]
            if chunk:
                self.store.add(chunk, self.n_received + 1)
                self._absorb(chunk)
        self._in_step = True
        self._publish()
        return [self._answer(row, known[row.token], row in late) for row in rows]

    def _answer(self, row: Row, known: Row, late: bool) -> Exception | None:
        if known != row:
            return TokenUsedError("token has been used for another submission")
        if late:
            return EpochOverError(f"epoch {row.epoch} is over, and its tokens with it")
        return None


@dataclass(eq=False, repr=False)
class Journal(Ledger):
    """Feeds stored tuples to the miner of guided perturbation, and publishes what follows.

    A tuple enters A* only once it is stored. A new epoch is published only once its guidance
    is stored.

    Parameters
    ----------
    survey : Survey
    store, signer
        As ``Ledger`` has them.
    new_miner : callable
        Returns a miner that knows nothing.
    start : bytes
        What each begins with: A0* and A1* of the survey's random start.

    Attributes
    ----------
    snapshot : Snapshot
        What others may read, from any thread.
    miner : DataMiner
    """

    survey: Survey
    store: Store
    new_miner: Callable[[], DataMiner]
    start: bytes
    signer: BlindSigner | None = None

    def __post_init__(self) -> None:
        #: When each epoch ended, as far as this process knows.
        self._ended: dict[int, float] = {}
        self.batch_size = self.new_miner().batch_size
        self.replay()
        self._ended = {self._guidance.epoch - 1: time.monotonic()}

    @property
    def n_received(self) -> int:
        """Tuples stored."""
        return self.miner.n_received

    @property
    def room(self) -> int:
        """How many more the epoch takes."""
        return self.miner.room

    def _forget(self) -> None:
        self.miner = self.new_miner()
        self.miner.guidance.merge(Guidance.from_bytes(self.start))
        self._results = Learning(self.survey)
        self._rows: list[Row] = []
        self._epochs: list[dict[str, Any]] = []
        self._begin_epoch()

    def _in_time(self, epoch: int) -> bool:
        """Say whether a submission may come now: in its epoch, or at once after it."""
        ended = self._ended.get(epoch, -GRACE)
        return epoch == self._guidance.epoch or time.monotonic() < ended + GRACE

    def _absorb(self, rows: Sequence[Row]) -> None:
        """Let stored tuples into A*."""
        self._rows += rows
        self.miner.receive(*unpack(rows, self.miner.n_bits))
        if len(self.miner.history) > len(self._epochs):
            self._results.add_epoch(self._guidance.epoch, *unpack(self._rows, self.miner.n_bits))
            self._rows.clear()
            self._begin_epoch()

    def _begin_epoch(self) -> None:
        """Take the epoch's guidance from the store or, if it has none yet, store it."""
        epoch = self.miner.inquire().epoch
        guidance, n = self.store.guidance(epoch), self.miner.n_received
        if guidance is None:
            guidance = PublishedGuidance(epoch=epoch, n_received=n, V=self.miner.ready(epoch).V)
            self.store.add_guidance(guidance)
        else:
            self.miner.adopt(guidance.V)
        self._guidance = guidance
        self._ended.setdefault(epoch - 1, time.monotonic())
        self._epochs.append(guidance.to_dict())
        self._known = {  # changes with the epoch alone
            **self.survey.model_dump(mode="json", include=set(Asked.model_fields)),
            "n_received": guidance.n_received, "epoch": epoch, "k": guidance.k,
            "batch_size": self.miner.batch_size, "mu": self.miner.mu,
            "history": list(self._epochs), **self._results.to_dict(),
        }

    def _publish(self) -> None:
        self.snapshot = Snapshot(self._guidance, self.miner.n_received, self._known)
