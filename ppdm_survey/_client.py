"""The survey's three messages over HTTP, from Python: what a browser does, for programs."""

import time
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import httpx
import numpy as np
from sklearn.utils import check_scalar

from ppdm.exceptions import EpochOverError
from ppdm.protocol import Announcement, GuidanceMessage, Submission
from ppdm_survey._coin import Answer, CoinChannel
from ppdm_survey._errors import demand
from ppdm_survey._messages import guidance_hash, matrix
from ppdm_survey._schema import PROTOCOL

#: Seconds before a second attempt; each further one waits twice as long, up to the last.
FIRST_WAIT, LAST_WAIT = 0.1, 5.0


class HttpMiner:
    """A survey's server as one data provider sees it.

    It answers ``inquire``, ``ready`` and ``submit``, so that a ``DataProvider`` takes it
    for a miner. The token that a guidance comes with goes out with the submission; so
    there is one HttpMiner for each provider, and many may share one ``client``.

    A message that was lost, or that the server was too busy for, is sent again as it was.
    The server stores a submission once however often it comes.

    Parameters
    ----------
    url : str
        Where the survey is mounted, such as ``http://127.0.0.1:8008``.
    client : httpx.Client, optional
        The connections to use; where None one of its own, closed by ``close``.
    n_attempts : int >= 1, default=8
        How often a message is sent before its failure is raised.

    Raises
    ------
    ValueError, TypeError
        If ``n_attempts`` is no whole number >= 1. Of every method: if the server refuses
        the message (with its reason), or its answer is not what it should be.
    ConnectionError
        Of every method: if the network or the server failed ``n_attempts`` times.

    See Also
    --------
    ppdm.protocol.DataProvider : Who speaks with it.

    Examples
    --------
    >>> from ppdm.protocol import DataProvider
    >>> from ppdm_survey import HttpMiner
    >>> anna = DataProvider([0, 1] * 16, label=0, max_level=32, sender="anna")
    >>> with HttpMiner("http://127.0.0.1:8008") as miner:  # doctest: +SKIP
    ...     anna.attempt(miner)
    True
    """

    def __init__(self, url: str, client: httpx.Client | None = None, *,
                 n_attempts: int = 8) -> None:
        self.url: str = url.rstrip("/")
        self.n_attempts: int = check_scalar(n_attempts, "n_attempts", Integral, min_val=1)
        self._own = client is None
        self._client = httpx.Client(timeout=30.0) if client is None else client
        self._token: tuple[int, str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, unless they were given."""
        if self._own:
            self._client.close()

    def schema(self) -> dict[str, Any]:
        """Return what is asked: the attributes, their values and the class.

        Returns
        -------
        dict
            As the server's ``api/schema`` has it.
        """
        answer = self._ask("GET", "api/schema")
        if _field(answer, "protocol") != PROTOCOL:
            raise ValueError(f"protocol must be {PROTOCOL}, got {answer['protocol']!r}")
        _field(answer, "attributes")
        return answer

    def channel(self) -> CoinChannel:
        """Return what all records of a coin survey go through.

        Returns
        -------
        CoinChannel
        """
        return CoinChannel.model_validate(self._ask("GET", "api/channel"))

    def report(self, channel: CoinChannel, answers: Sequence[Answer]) -> None:
        """Send one report of a coin survey.

        Parameters
        ----------
        channel : CoinChannel
            The one that it was drawn by.
        answers : sequence of int, list of int or None
            As ``CoinCollector.submit`` takes them.
        """
        drawing = {"channel": channel.hash}
        token = _field(self._ask("POST", "api/ready", drawing), "token")
        self._ask("POST", "api/submit", {"token": token, "answers": answers, **drawing})

    def inquire(self) -> Announcement:
        """Ask for the epoch and k*; the question carries nothing.

        Returns
        -------
        Announcement
        """
        return _announcement(self._ask("GET", "api/inquiry"))

    def ready(self, epoch: int) -> GuidanceMessage:
        """Ask for the guidance, and check it against the hash that everybody can read.

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
        ValueError
            If the server never had the epoch, or V is not the one it published.
        ConnectionError
            If there was no answer.
        """
        # first the hash, then what it is to fit: V cannot be chosen in the light of the question
        published = self._ask("GET", f"api/epochs/{epoch}")
        answer = self._ask("POST", "api/ready", {"epoch": epoch})
        now, k = _announcement(answer)
        if _announcement(published) != (now, k):
            raise ValueError(f"k must be the one published for epoch {epoch}, got {k}")
        V = matrix(_field(answer, "V"))
        digest = guidance_hash(now, V)
        if not digest == _field(answer, "hash") == _field(published, "hash"):
            raise ValueError(f"V must have the hash that was published for epoch {now}, "
                             f"{published['hash']!r}, got {digest!r}")
        self._token = now, str(_field(answer, "token"))
        return GuidanceMessage(now, k, V)

    def submit(self, message: Submission) -> None:
        """Send R(t) and the class. The sender's name stays here.

        Parameters
        ----------
        message : Submission
            Of the epoch that ``ready`` was last asked for.

        Raises
        ------
        ValueError
            If there is no token for its epoch, R is not bits, or the server refuses it.
        ConnectionError
            If there was no answer. Send the same again.
        """
        if self._token is None or self._token[0] != message.epoch:
            raise ValueError(f"epoch must be one that ready was asked for, got {message.epoch!r}")
        if not np.isin(message.R, (0, 1)).all() or np.ndim(message.R) != 1:
            raise ValueError(f"R must hold only 0 and 1, in one row, got {message.R!r}")
        epoch, token = self._token
        self._ask("POST", "api/submit", {"token": token, "epoch": epoch, "class": message.label,
                                         "ones": np.flatnonzero(message.R).tolist()})

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a message until it is answered, and return the answer's JSON object."""
        for attempt in range(self.n_attempts):
            wait = min(FIRST_WAIT * 2**attempt, LAST_WAIT)
            try:
                response = self._client.request(method, f"{self.url}/{path}", json=body)
            except httpx.TransportError as error:
                failure = f"{type(error).__name__}: {error}"
            else:
                if response.status_code < 500:
                    return _read(response)
                failure = _reason(response)
                asked = response.headers.get("retry-after", "")
                wait = min(max(wait, float(asked) if asked.isdecimal() else 0.0), LAST_WAIT)
            if attempt + 1 < self.n_attempts:
                time.sleep(wait)
        raise ConnectionError(
            f"{self.url}/{path} failed {self.n_attempts} time(s), at last with: {failure}")


def _read(response: httpx.Response) -> dict[str, Any]:
    answer = _object(response)
    if response.status_code not in (200, 204):
        over = response.status_code == 409 and (answer or {}).get("error") == "epoch_over"
        raise (EpochOverError if over else ValueError)(_reason(response))
    whole = answer is not None or response.status_code == 204
    demand(whole, f"{response.url} must answer with a JSON object", response.text[:80])
    return answer or {}


def _object(response: httpx.Response) -> dict[str, Any] | None:
    """Return the object of an answer; None where it has none."""
    try:
        body = response.json()
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _reason(response: httpx.Response) -> str:
    body = _object(response) or {}
    said = body.get("reason") or response.reason_phrase
    return f"{response.url} refused ({response.status_code} {body.get('error', '')}): {said}"


def _field(answer: dict[str, Any], name: str) -> Any:
    demand(name in answer, f"the server's answer must have {name!r}", sorted(answer))
    return answer[name]


def _announcement(answer: dict[str, Any]) -> Announcement:
    return Announcement(check_scalar(_field(answer, "epoch"), "epoch", int, min_val=0),
                        check_scalar(_field(answer, "k"), "k", int, min_val=1))
