"""The survey's messages as they are checked and described (OpenAPI), and what is learnt for one."""

import hashlib
import json
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from ppdm.classifiers import GuidedNB
from ppdm.typing import Bits, FloatArray
from ppdm_survey._coin import Answer
from ppdm_survey._errors import demand
from ppdm_survey._schema import Asked, Message, Survey, Whole
from ppdm_survey._tokens import BLIND_LENGTH, LENGTH, SIGNATURE_LENGTH

# No module of the survey imports annotations from __future__: pydantic and FastAPI read the types
# while the program runs.

#: Bytes as a text: base64 for addresses, without padding.
Coded = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")]


def matrix(V: ArrayLike) -> FloatArray:
    """Return V_k* as an array, where it may be one."""
    try:
        vectors = np.asarray(V, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(f"V must be rows of numbers, each of one length: {error}") from error
    demand(vectors.ndim == 2, "V must have 2 dimensions", vectors.shape)
    return vectors


#: A matrix, row by row.
Rows = Annotated[
    FloatArray,
    PlainValidator(lambda V: matrix(V) + 0.0),
    PlainSerializer(np.ndarray.tolist),
    WithJsonSchema({"type": "array", "items": {"type": "array", "items": {"type": "number"}}})]


class Inquiry(Message):
    """The answer to an inquiry."""

    epoch: Whole = Field(description="Counts the refreshes of the guidance, from 0.")
    k: Whole = Field(description="The system disclosure level k*.")
    batch_size: Whole = Field(description="Tuples of an epoch: after so many it asks anew.")


class Ready(Message):
    """A provider accepts the level of an epoch."""

    epoch: Whole


class Access(Message):
    """Who may answer."""

    access: Literal["open", "invitation"] = Field(
        description="Anybody, as often as he likes; or who is invited, once.")
    id: str = Field(description="Of this survey, and of none with the same questions.")
    key: dict[str, str] | None = Field(
        description="Of the tokens of those who are invited, as a JSON Web Key.")


class Exchange(Message):
    """An invitation for the signature of something that the server cannot read."""

    invitation: Coded = Field(min_length=LENGTH, max_length=LENGTH)
    blinded: Coded = Field(min_length=SIGNATURE_LENGTH, max_length=SIGNATURE_LENGTH)


class Signature(Message):
    """The blind signature; only who blinded it can take the token out."""

    signature: Coded


OneToken = Annotated[str, Field(
    pattern=f"^([A-Za-z0-9_-]{{{LENGTH}}}|[A-Za-z0-9_-]{{{BLIND_LENGTH}}})$",
    description="As handed out before, or what an invitation was exchanged for.")]


class Submission(Message):
    """R(t): the only message that depends on the answers."""

    token: OneToken
    epoch: Whole = Field(description="The epoch that the token was handed out for.")
    label: Annotated[int, Field(ge=0, le=1, strict=True, alias="class")]
    ones: list[Whole] = Field(
        max_length=8192, description="Indices of the set bits of R(t), ascending.")


class Epoch(Message):
    """What is published of an epoch's guidance."""

    epoch: Whole
    k: Whole
    n_received: Whole = Field(description="Tuples that had come in when it began.")
    hash: str


class PublishedGuidance(Message):
    """The guidance of one epoch with its hash, as everybody gets it; it never changes.

    Parameters
    ----------
    epoch, n_received : int
        The epoch, and how many tuples had come in when it began.
    V : array-like of float, shape (n_bits, k)
        V_k*; kept as an ndarray, without -0.0, which JSON's readers treat in different ways.
    k, hash : int and str, optional
        The disclosure level and ``guidance_hash``; they follow from the others.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm_survey import PublishedGuidance
    >>> guidance = PublishedGuidance(epoch=0, n_received=0, V=np.eye(2))
    >>> guidance.k, guidance.hash[:16], guidance.message("TOKEN")[:36]
    (2, 'c6a3260e970127ee', '{"epoch":0,"k":2,"token":"TOKEN","ha')
    """

    epoch: Whole
    n_received: Whole = Field(exclude=True)
    V: Rows = Field(description="V_k*, n_bits rows of k numbers.")
    k: Whole = Field(default_factory=lambda given: given["V"].shape[1])
    token: str = Field(default="", description="For one submission, soon.")
    hash: str = Field(
        default_factory=lambda given: guidance_hash(given["epoch"], given["V"]),
        description="SHA-256 of epoch, shape and V.")

    __eq__ = object.__eq__  # arrays have no plain equality
    __hash__ = object.__hash__

    def to_dict(self) -> dict[str, Any]:
        """Return what is published of it beforehand, an ``Epoch``."""
        return {name: getattr(self, name) for name in Epoch.model_fields}

    def message(self, token: str) -> str:
        """Return the answer to a provider that is ready, as JSON."""
        return f'{{"epoch":{self.epoch},"k":{self.k},"token":"{token}",{self._tail}'

    @cached_property
    def _tail(self) -> str:
        # the same for everybody in the epoch, so it is written once
        return json.dumps({"hash": self.hash, "V": self.V.tolist()}, separators=(",", ":"))[1:]


class Status(Inquiry):
    """How far the collection is; it changes when an epoch ends."""

    n_received: Whole = Field(description="Tuples of all whole epochs.")


class Classifier(Message):
    """Naive Bayes on the R(t) of all whole epochs."""

    n_tuples: Whole
    class_count: list[Whole] = Field(min_length=2, max_length=2)
    bit_count: list[list[Whole]] = Field(min_length=2, max_length=2)
    log_odds: list[float] = Field(description="Of each bit, for class 1 against class 0.")
    prior_log_odds: float


class Accuracy(Message):
    """What the classifier of all earlier epochs made of one epoch's R(t)."""

    epoch: Whole
    n_tuples: Whole
    correct: Whole
    majority: Whole = Field(description="Tuples of the class that was larger before.")


class Results(Asked, Status):
    """What the miner knows, as of the last whole epoch."""

    mu: float
    history: list[Epoch]
    classifier: Classifier | None
    accuracy: list[Accuracy]


class Learning:
    """Naive Bayes on R(t), epoch by epoch.

    The miner has no clear tuples but those of epochs that ask for every bit. It can only ask
    how well the classifier of all earlier epochs names the class of an R(t) that came later:
    an estimate on disguised data, which is not the accuracy on clear ones.

    Parameters
    ----------
    survey : Survey
    """

    def __init__(self, survey: Survey) -> None:
        self.classifier = GuidedNB(survey.n_values)
        self.n_tuples = 0
        self.accuracy: list[dict[str, int]] = []

    def add_epoch(self, epoch: int, R: Bits, y: Bits) -> None:
        """Test the classifier on a whole epoch, then let it learn from it.

        Parameters
        ----------
        epoch : int
        R : ndarray of shape (n, n_bits)
        y : ndarray of shape (n,)
        """
        if self.n_tuples:
            larger = int(np.argmax(self.classifier.class_count_))
            self.accuracy.append({"epoch": epoch, "n_tuples": len(y),
                                  "correct": int((self.classifier.predict(R) == y).sum()),
                                  "majority": int((y == larger).sum())})
        self.classifier.partial_fit(R, y, classes=[0, 1])
        self.n_tuples += len(y)

    def to_dict(self) -> dict[str, Any]:
        """Return classifier and accuracy, as published."""
        if not self.n_tuples:
            return {"classifier": None, "accuracy": []}
        # a tuple of no bits has the prior alone, one of a single bit that bit's share besides
        n_bits = sum(self.classifier.n_values)
        tuples = np.eye(n_bits + 1, n_bits, -1, dtype=np.int8)
        joint = self.classifier.predict_joint_log_proba(tuples)
        odds = joint[:, 1] - joint[:, 0]
        learnt = {"n_tuples": self.n_tuples,
                  "class_count": self.classifier.class_count_.astype(int).tolist(),
                  "bit_count": self.classifier.bit_count_.astype(int).tolist(),
                  "log_odds": (odds[1:] - odds[0]).tolist(), "prior_log_odds": float(odds[0])}
        return {"classifier": learnt, "accuracy": list(self.accuracy)}


class Drawing(Message):
    """A browser is about to draw a report."""

    channel: str = Field(pattern="^[0-9a-f]{64}$", description="The hash of the channel.")


class Token(Message):
    """For one report; empty where people are invited."""

    token: str


class Report(Drawing):
    """A report: the only message that depends on the answers."""

    token: OneToken
    answers: list[Answer] = Field(
        max_length=8192, description="Of each question the value told, or the values whose bits "
        "are set; null where it was not asked. Of an open question her answer.")


class Share(Message):
    """The share of one answer and its 95% interval; null where too few were asked."""

    value: str
    label: str
    share: float | None
    low: float | None = Field(alias="from")
    high: float | None = Field(alias="to")


class QuestionShares(Message):
    """What is known of one question, from those who were asked it."""

    name: str
    label: str
    n: Whole
    margin: float | None = Field(description="Half the width of the widest interval.")
    more_people: Whole | None = Field(description="How many more the margin wants.")
    values: list[Share]


class Shares(Message):
    """What the coin's miner knows, as of the last whole batch."""

    title: str
    epsilon: float
    asked: Whole
    hash: str
    n_reports: Whole
    batch_size: Whole
    margin: float = Field(description="The one that is wished for.")
    liar: float = Field(
        description="How many times a person's part of all people a made-up report moves a share.")
    false_answer: float = Field(
        description="And a false answer, of somebody who draws her lot until it is the question.")
    fingerprint: str = Field(description="Of the channel's hash and the bytes of api/schema.")
    questions: list[QuestionShares]


class Problem(Message):
    """Why a request was refused; nothing has changed by it."""

    error: str
    reason: str


#: The keys of what may be sent.
NAMES = frozenset(field.alias or name for message in (Ready, Exchange, Submission, Report)
                  for name, field in message.model_fields.items())


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the refusals that a message may get."""
    return {status: {"model": Problem, "description": "Refused."} for status in statuses}


def guidance_hash(epoch: int, V: ArrayLike) -> str:
    r"""Return the hash that commits the miner to one guidance for all of an epoch.

    SHA-256 of ``ppdm-guidance-1\n{epoch}\n{n_bits}\n{k}\n`` and V's entries, row by row, as
    little-endian doubles.

    Parameters
    ----------
    epoch : int
    V : array-like of shape (n_bits, k)

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from ppdm_survey import guidance_hash
    >>> guidance_hash(0, [[1.0, 0.0], [0.0, 1.0]])[:16]
    'c6a3260e970127ee'
    """
    vectors = matrix(V).astype("<f8")
    n_bits, k = vectors.shape
    head = f"ppdm-guidance-1\n{epoch}\n{n_bits}\n{k}\n".encode("ascii")
    return hashlib.sha256(head + vectors.tobytes()).hexdigest()
