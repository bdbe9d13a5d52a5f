"""The coin's miner on duty: it stores reports, counts whole batches, shows shares."""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from ppdm_survey._coin import Answer, CoinChannel, Tally, published
from ppdm_survey._desk import Access, Desk
from ppdm_survey._errors import AnotherChannelError, demand
from ppdm_survey._schema import Survey
from ppdm_survey._store import Row, unpack


class CoinCollector(Desk):
    """Takes reports that went through a public channel, and estimates shares.

    Parameters
    ----------
    survey : Survey
        What is asked; it needs no class.
    database : str, default="sqlite://"
        An SQLAlchemy address; the default is in memory and forgets.
    channel : CoinChannel
        What all records go through; it never changes once somebody has answered.
    batch_size : int >= 1, default=100
        Reports of a batch: what is published changes when one is whole.
    margin : float in (0, 1), default=0.05
        The margin of a share that is wished for.
    access : {"open", "invitation"}, default="open"
        Who may answer: anybody; or who has an invitation, once.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range, or the channel is of other questions.
    DatabaseInUseError
        If another server works on the database, or it holds another survey or settings.

    Examples
    --------
    >>> from ppdm_survey import CoinChannel, CoinCollector, voting_survey
    >>> survey = voting_survey("coin")
    >>> channel = CoinChannel.choose(survey, 2.0, asked=1)
    >>> with CoinCollector(survey, channel=channel, batch_size=1) as collector:
    ...     report = [1] + 16 * [None]
    ...     collector.submit(collector.ready(channel.hash), channel.hash, report).result()
    ...     collector.results()["questions"][0]["n"]
    1
    """

    def __init__(
        self, survey: Survey, database: str = "sqlite://", *, channel: CoinChannel,
        batch_size: int = 100, margin: float = 0.05, access: Access = "open",
    ) -> None:
        asked = [(one.name, one.n_values, one.open) for one in survey.attributes]
        told = [(one.name, one.n_values, one.kind == "open") for one in channel.columns]
        demand(told == asked, f"channel must be of the survey's questions, {asked}", told)
        self.channel = channel
        demand(0 < margin < 1, "margin must be in (0, 1)", margin)
        self.margin = float(margin)
        settings = {"margin": self.margin, "channel": channel.model_dump(mode="json")}
        super().__init__(survey, database, "coin", settings, batch_size=batch_size, access=access)

    def _forget(self) -> None:
        self._tally = Tally(self.channel)
        self._shown: dict[str, Any] = {}

    def _learn(self, rows: Sequence[Row]) -> None:
        self._tally.add(unpack(rows, int(self.channel.starts[-1]))[0])

    def _publish(self) -> None:
        if self._shown.get("n_reports") != self._tally.n_reports:
            self._shown = published(self.survey, self._tally, margin=self.margin,
                                    batch_size=self.batch_size)

    def _same(self, channel: str) -> None:
        """Refuse what was drawn, or is to be drawn, by another channel."""
        if channel != self.channel.hash:
            raise AnotherChannelError("channel must be this survey's, by its hash")

    def ready(self, channel: str) -> str:
        """Return a token for one report; empty where people are invited: they bring their own.

        Parameters
        ----------
        channel : str
            The hash of the channel that the report is to be drawn by.

        Raises
        ------
        AnotherChannelError
            If it is another one.
        """
        self._same(channel)
        return "" if self._signer else self._tokens.issue(0)

    def submit(self, token: str, channel: str, answers: Sequence[Answer]) -> Future[None]:
        """Take one report; the result is there once it is stored.

        Parameters
        ----------
        token : str
            From ``ready``, or what an invitation was exchanged for.
        channel : str
            The hash of the channel that it was drawn by.
        answers : sequence of int, list of int or None
            For each question the value that is told, or the values whose bits are set; None where
            it was not asked.

        Returns
        -------
        concurrent.futures.Future
            None once the report is stored, or has been before; ``TokenUsedError`` where the token
            has served for another report, ``BusyError`` where it could not be stored.

        Raises
        ------
        AnotherChannelError, BadTokenError, BusyError
            As they say.
        SurveyError
            If the channel never gives such a report.
        """
        self._same(channel)
        return self._writer.put(Row(self._nonce(token), 0, 0, self.channel.pack(answers)))

    def metrics(self) -> dict[str, int]:
        """Return numbers for a monitor; none of them moves when a report is stored."""
        return {"reports_of_whole_batches": self._tally.n_reports, **super().metrics()}
