"""A question as a survey puts it, and the parts that its messages are made of."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo
from pydantic.functional_validators import AfterValidator, field_validator, model_validator

from ppdm import _validation as check
from ppdm._coding import cuts_below
from ppdm.typing import FloatArray

#: Largest whole number in a message; no survey has so many epochs or bits.
MOST = 2**31 - 1

#: The value that an optional question gets beside its own.
NO_ANSWER: Final = "no answer"


def _not_empty(text: str, info: ValidationInfo) -> str:
    if not text.strip():
        raise ValueError(f"{info.field_name} must not be empty, got {text!r}")
    return text


Whole = Annotated[int, Field(ge=0, le=MOST, strict=True)]
Text = Annotated[str, Field(strict=True), AfterValidator(_not_empty)]
Name = Annotated[Text, Field(pattern=r"^[^\W\d][\w.-]*$")]
Texts = Annotated[Sequence[Text], AfterValidator(tuple)]


def _describe(schema: dict[str, Any]) -> None:
    schema["description"] = schema["description"].partition("\n")[0]


class Message(BaseModel):
    """What is sent or read: nothing unknown in it, and it does not change."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True,
        json_schema_serialization_defaults_required=True,
        json_schema_extra=_describe)  # a docstring's first line


class Question(Message):
    """A question as it is put: its name, and an answer to choose."""

    name: Name = Field(description="Letters, digits, . _ -, a letter first.")
    label: Text
    values: Texts = Field(min_length=2)
    labels: Texts = Field(default=(), description="What is read for each value.")

    @model_validator(mode="after")
    def _label_each(self) -> Self:
        name, values, labels = self.name, self.values, self.labels or self.values
        if len(set(values)) < len(values):
            raise ValueError(f"values of {name} must be distinct, got {values}")
        if len(labels) != len(values):
            raise ValueError(
                f"labels of {name} must be {len(values)}, one for each value, got {labels}")
        object.__setattr__(self, "labels", tuple(labels))
        return self


class Attribute(Question):
    """One private question; its bits are those of its values, in order.

    Parameters
    ----------
    name : str
        The name of the form's control.
    label : str
        What the respondent reads.
    values : sequence of str
        At least two, distinct: the answers, or names of the intervals.
    labels : sequence of str, optional
        What the respondent reads for each value; the values where left out.
    edges : sequence of float, optional
        For a number: the public inner edges of its intervals, ascending, one fewer than
        the values. A number equal to an edge lies below it.
    optional : bool, default=False
        Whether it may be left unanswered. Then it has one more value, ``"no answer"``, the
        last; it is added where it is not there, and disguised as the others are.

    Raises
    ------
    ValueError, TypeError
        If a name or label is empty, a value is missing or repeated, or the edges do not fit.

    Examples
    --------
    >>> from ppdm_survey import Attribute
    >>> age = Attribute(name="age", label="Your age",
    ...                 values=["under 30", "30 to 50", "over 50"], edges=[29, 50])
    >>> age.n_values, age.labels
    (3, ('under 30', '30 to 50', 'over 50'))
    """

    edges: Sequence[float] | None = Field(
        default=None, description="Inner edges, where a number is asked for.")
    optional: bool = Field(default=False, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _may_be_left_out(cls, given: Any) -> Any:
        """Add the value of an optional question that is not answered."""
        if not (isinstance(given, dict) and given.get("optional") is True):
            return given
        values, labels = (given.get(key) or () for key in ("values", "labels"))
        if isinstance(values, str) or NO_ANSWER in values[-1:]:
            return given
        more = {"labels": (*labels, NO_ANSWER)} if labels else {}
        return {**given, "values": (*values, NO_ANSWER), **more}

    @field_validator("edges", mode="before")
    @classmethod
    def _fitting(cls, edges: Any, info: ValidationInfo) -> Any:
        name, values = (info.data.get(key) for key in ("name", "values"))
        if edges is None or values is None:
            return None  # what is wrong with the values is said already
        asked = len(values) - (values[-1] == NO_ANSWER)
        return tuple(check.cuts(edges, f"edges of {name}", asked).tolist())

    @property
    def n_values(self) -> int:
        """How many values, s_j."""
        return len(self.values)

    @property
    def cuts(self) -> FloatArray | None:
        """The edges as the package cuts: there, a number equal to a cut lies above it."""
        return None if self.edges is None else cuts_below(self.edges)
