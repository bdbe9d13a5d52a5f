"""The messages of the survey as they are checked and described (OpenAPI)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ppdm.survey._tokens import LENGTH

#: Largest whole number in a message; no survey has so many epochs or bits.
MOST = 2**31 - 1
Whole = Annotated[int, Field(ge=0, le=MOST, strict=True)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Inquiry(_Message):
    """The answer to an inquiry."""

    epoch: Whole = Field(description="Counts the refreshes of the guidance, from 0.")
    k: Whole = Field(description="The system disclosure level k*.")


class Ready(_Message):
    """A provider accepts the level of an epoch."""

    epoch: Whole


class Guidance(_Message):
    """What a provider needs to draw R(t)."""

    epoch: Whole
    k: Whole
    token: str = Field(description="For one submission; it outlives its epoch.")
    hash: str = Field(description="SHA-256 of epoch, shape and V.")
    V: list[list[float]] = Field(description="V_k*, n_bits rows of k numbers.")


class Submission(_Message):
    """R(t): the only message that depends on the answers."""

    token: str = Field(min_length=LENGTH, max_length=LENGTH, pattern=r"^[A-Za-z0-9_-]+$")
    epoch: Whole = Field(description="The epoch that the token was handed out for.")
    label: Annotated[int, Field(ge=0, le=1, strict=True, alias="class")]
    ones: list[Whole] = Field(
        max_length=8192, description="Indices of the set bits of R(t), ascending."
    )


class Epoch(_Message):
    """What is published of an epoch's guidance."""

    epoch: Whole
    k: Whole
    n_received: Whole = Field(description="Tuples that had come in when it began.")
    hash: str


class Attribute(_Message):
    """One question: its bits are those of its values, in order."""

    name: str
    label: str
    values: list[str] = Field(min_length=2)
    labels: list[str] = Field(min_length=2, description="What is read for each value.")
    edges: list[float] | None = Field(description="Inner edges, where a number is asked for.")


class Question(_Message):
    """The class question; its answer is sent as it is."""

    name: str
    label: str
    values: list[str] = Field(min_length=2, max_length=2)
    labels: list[str] = Field(min_length=2, max_length=2)


class _Asked(_Message):
    title: str
    attributes: list[Attribute]
    question: Question = Field(alias="class")
    n_bits: Whole


class Schema(_Asked):
    """What is asked, and in which order its bits stand."""

    protocol: Whole
    introduction: str


class Status(_Message):
    """How far the collection is."""

    n_received: Whole
    epoch: Whole
    k: Whole
    room: Whole = Field(description="Tuples that the epoch still takes.")
    batch_size: Whole


class Classifier(_Message):
    """Naive Bayes on the R(t) of all whole epochs."""

    n_tuples: Whole
    class_count: list[Whole] = Field(min_length=2, max_length=2)
    bit_count: list[list[Whole]] = Field(min_length=2, max_length=2)
    log_odds: list[float] = Field(description="Of each bit, for class 1 against class 0.")
    prior_log_odds: float


class Accuracy(_Message):
    """What the classifier of all earlier epochs made of one epoch's R(t)."""

    epoch: Whole
    n_tuples: Whole
    correct: Whole
    majority: Whole = Field(description="Tuples of the class that was larger before.")


class Example(_Message):
    """One submission as it came."""

    epoch: Whole
    label: Whole = Field(alias="class")
    ones: list[Whole]


class Results(_Asked, Status):
    """What the miner knows, as of the last whole epoch; ``n_received`` is live."""

    mu: float
    history: list[Epoch]
    classifier: Classifier | None
    accuracy: list[Accuracy]
    example: Example | None


class Problem(_Message):
    """Why a request was refused; nothing has changed by it."""

    error: str
    reason: str


#: The keys of what may be sent.
NAMES = frozenset(
    field.alias or name
    for message in (Ready, Submission)
    for name, field in message.model_fields.items()
)


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the refusals that a message may get."""
    return {status: {"model": Problem, "description": "Refused."} for status in statuses}
