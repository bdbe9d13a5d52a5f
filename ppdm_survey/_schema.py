"""What a survey asks: its attributes, their values, and the class question.

One declaration serves the file that a survey is read from, the message that publishes it,
the page, and the OpenAPI description.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, field_serializer, field_validator, model_validator

from ppdm import _validation as check
from ppdm.datasets import load_voting
from ppdm_survey._question import NO_ANSWER, Attribute, Message, Question, Text, Whole
from ppdm_survey._texts import LANGUAGES, say

#: The version of the messages; a client of another version must not guess.
PROTOCOL: Final = 1

_CLASS = "class must be one question with two values, because two groups are compared"

#: Words that operator, purpose and retention may have together: with the page's own they are
#: under 150, which somebody reads.
_CONSENT = 30


class Asked(Message, validate_by_name=True):
    """What is asked, on the page and beside the results."""

    title: Text
    attributes: Annotated[Sequence[Attribute], AfterValidator(tuple)] = Field(min_length=1)
    question: Attribute = Field(
        default=Attribute(name="class", label="Your class", values=("0", "1")),
        validation_alias="class", serialization_alias="class",
        description="The class question; its answer is sent as it is.",
    )
    n_bits: Whole = 0

    @field_serializer("question")
    def _without_edges(self, question: Attribute) -> Question:
        return question


class Survey(Asked):
    """A survey: private attributes and one public class question of two answers.

    Parameters
    ----------
    title : str
        What the respondent reads first.
    introduction : str, default=""
        And below it.
    language : {"en", "de"}, default="en"
        Of the page around the questions; the questions are shown as they stand here.
    operator, purpose, retention : str, default=""
        Who asks, what for, and how long it is kept: at most 30 words together. The page
        shows them first, and says what is not stated.
    attributes : sequence of Attribute
        In the order of their bits.
    question : Attribute
        The class question; its two values are class 0 and class 1. Its answer is not
        disguised (ZWZ05, section 1). In a file its key is ``class``.
    n_bits : int, optional
        Bits of a tuple; they follow from the attributes.
    protocol : int, default=1
        The version of the messages.

    Raises
    ------
    ValueError, TypeError
        If there is no attribute, a name is used twice, or the class has not two values.

    Examples
    --------
    >>> from ppdm_survey import voting_survey
    >>> survey = voting_survey()
    >>> len(survey.attributes), survey.n_bits, survey.question.values
    (16, 32, ('democrat', 'republican'))
    """

    protocol: Literal[1] = PROTOCOL
    language: Annotated[
        Text, AfterValidator(lambda one: check.option(one, "language", LANGUAGES))] = "en"
    introduction: Annotated[str, Field(strict=True)] = ""
    operator: Annotated[str, Field(strict=True)] = ""
    purpose: Annotated[str, Field(strict=True)] = ""
    retention: Annotated[str, Field(strict=True)] = ""

    @field_validator("question", mode="before")
    @classmethod
    def _one(cls, asked: Any) -> Any:
        if isinstance(asked, list):
            raise ValueError(f"{_CLASS}, got a list of {len(asked)}: ask the others as attributes")
        return asked

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        names = [one.name for one in (*self.attributes, self.question)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"names must be distinct, got {twice[0]!r} twice")
        asked = self.question
        if asked.n_values != 2 or asked.edges is not None or asked.optional:
            raise ValueError(f"{_CLASS}, no number and not optional, got {asked}")
        words = sum(len(one.split()) for one in (self.operator, self.purpose, self.retention))
        if words > _CONSENT:
            raise ValueError("operator, purpose and retention must have at most "
                             f"{_CONSENT} words together, got {words}")
        unanswered = say(self.language, "page.noAnswer")
        object.__setattr__(self, "attributes", tuple(
            one.model_copy(update={"labels": (*one.labels[:-1], unanswered)})
            if one.optional and one.labels[-1] == NO_ANSWER else one for one in self.attributes))
        n_bits = sum(self.n_values)
        if "n_bits" in self.model_fields_set and self.n_bits != n_bits:
            raise ValueError(f"n_bits must be {n_bits}, got {self.n_bits}")
        object.__setattr__(self, "n_bits", n_bits)
        return self

    @property
    def n_values(self) -> list[int]:
        """How many values each attribute has."""
        return [one.n_values for one in self.attributes]

    def to_dict(self) -> dict[str, Any]:
        """Return the schema message, ready for JSON."""
        return self.model_dump(mode="json")

    @classmethod
    def from_dict(cls, schema: dict[str, Any]) -> Self:
        """Read a schema message.

        Parameters
        ----------
        schema : dict
            As ``to_dict`` returns it; Only ``title``, ``attributes`` and ``class`` must be there,
            and of a question ``name``, ``label`` and ``values``.

        Returns
        -------
        Survey

        Raises
        ------
        ValueError, TypeError
            If a key is missing or unknown, the protocol is another, or as ``Survey``.
        """
        survey = cls.model_validate(schema, by_alias=True, by_name=False)
        if "question" not in survey.model_fields_set:
            raise ValueError("schema must have the key 'class'")
        return survey

    @classmethod
    def from_json(cls, path: str | Path) -> Self:
        """Read a survey from a JSON file that holds a schema message.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Survey

        Raises
        ------
        OSError
            If the file cannot be read.
        ValueError, TypeError
            If it is no JSON, or as ``from_dict``.
        """
        return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))


def voting_survey() -> Survey:
    """Return the sample survey: the 16 votes of 1984, and the party as the class.

    Returns
    -------
    Survey
    """
    votes = load_voting(random_state=0)
    parties = [str(name) for name in votes.target_names]
    return Survey(
        title="Sixteen votes",
        introduction="How would you have voted in the House of Representatives in 1984?",
        operator="Whoever has started this server: it is a demonstration.",
        purpose="To show how guided perturbation works.",
        retention="Until the server's database is deleted.",
        attributes=[Attribute(name=name, label=_in_words(name), values=["n", "y"],
                              labels=["No", "Yes"]) for name in votes.feature_names],
        question=Attribute(name="party", label="Your party", values=parties,
                           labels=[one.capitalize() for one in parties]),
    )


def _in_words(name: str) -> str:
    words = name.replace("_", " ").capitalize()
    for proper in ("El Salvador", "Nicaraguan", "South Africa", "MX"):
        words = re.sub(rf"\b{proper}\b", proper, words, flags=re.IGNORECASE)
    return words
