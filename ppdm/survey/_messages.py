"""The messages of the survey as they are checked and described (OpenAPI)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ppdm.survey._tokens import LENGTH

#: Largest whole number in a message; no survey has so many epochs or bits.
_MOST = 2**31 - 1
Whole = Annotated[int, Field(ge=0, le=_MOST, strict=True)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)


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


class Problem(_Message):
    """Why a request was refused; nothing has changed by it."""

    error: str
    reason: str


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the refusals that a message may get."""
    return {status: {"model": Problem, "description": "Refused."} for status in statuses}
