"""What a survey asks: its attributes, their values, the class question, and the page's texts.

One declaration serves the file that a survey is read from, the message that publishes it,
the page, and the OpenAPI description.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)

from ppdm_survey._errors import demand
from ppdm_survey._file import read_json

STATIC = Path(__file__).parent / "static"

#: The languages that are shipped: ``static/ppdm.LANGUAGE.js``.
LANGUAGES = tuple(sorted(file.name.split(".")[1] for file in STATIC.glob("ppdm.*.js")))

#: The version of the messages; a client of another version must not guess.
PROTOCOL: Final = 1

_CLASS = "class must be one question with two values, because two groups are compared"

#: Largest whole number in a message; no survey has so many epochs or bits.
MOST = 2**31 - 1

#: The values that a question gets beside its own, by the keys that add them: the last ones.
NOT_APPLICABLE: Final = "does not apply"
NO_ANSWER: Final = "no answer"
EXTRA: Final = {"may_not_apply": NOT_APPLICABLE, "optional": NO_ANSWER}

_IF = ("if must be left out: everybody is asked the same, or whom a question is not put to would "
       "be told. Where it is none for somebody write \"may_not_apply\": true")


#: Letters and marks of which nothing is seen; of all others ``str.isprintable`` tells.
_UNSEEN = re.compile(r"[\s\u034f\u115f\u1160\u17b4\u17b5\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def _seen(text: str) -> str:
    """Return what is seen of a text: two that are read alike are the same."""
    signs = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in signs if sign.isprintable() and not _UNSEEN.match(sign))


def _not_empty(text: str, info: ValidationInfo) -> str:
    demand(_seen(text), f"{info.field_name} must not be empty", text)
    return text


def _shipped(language: str) -> str:
    demand(language in LANGUAGES, f"language must be one of {str(LANGUAGES)[1:-1]}", language)
    return language


Scheme = Literal["coin", "guided"]
Whole = Annotated[int, Field(ge=0, le=MOST, strict=True)]
Text = Annotated[str, Field(strict=True), AfterValidator(_not_empty)]
Name = Annotated[Text, Field(pattern=r"^[^\W\d][\w.-]*$")]
Texts = Annotated[Sequence[Text], AfterValidator(tuple)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Line = Annotated[str, Field(strict=True)]

#: What came with version 2 of the file: of a question, and of a survey.
_LATER = ("open", "may_not_apply", "help", "unit", "least", "most", "step")
_LATER_OF_SURVEY = ("legal_basis", "rights", "minimum_age", "thanks")


def ascending(values: Sequence[int], n: int) -> bool:
    """Say whether whole numbers are distinct, below n, and in their order."""
    return list(values) == sorted(set(values)) and set(values) <= set(range(n))


def _without(message: dict[str, Any], later: Sequence[str]) -> dict[str, Any]:
    """Leave out what an earlier version did not know and is not used: the bytes are as before."""
    return {key: value for key, value in message.items()
            if key not in later or not (value is None or value is False or value == "")}


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
        n = len(values)
        demand(len(labels) == n, f"labels of {name} must be {n}, one for each value", labels)
        for what, each in (("values", values), ("labels", labels)):
            rule = f"{what} of {name} must be distinct, also as they are read"
            demand(len({_seen(one) for one in each}) == n, rule, each)
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
    may_not_apply : bool, default=False
        Whether there may be nothing to answer. Then ``"does not apply"`` is one more value, behind
        its own and before ``"no answer"``.
    open : bool, default=False
        Of a coin survey: whether its answer is sent as it is, so that others can be compared by it.
    help, unit : str, default=""
        What is read below the question; the unit of a number.
    least, most, step : float, optional
        Of a number: the least and the largest that is taken, and of what it is a multiple,
        counted from the least.

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

    edges: Annotated[Sequence[Number], AfterValidator(tuple)] | None = Field(
        default=None, description="Inner edges, where a number is asked for.")
    optional: bool = Field(default=False, strict=True)
    may_not_apply: bool = Field(default=False, strict=True)
    open: bool = Field(default=False, strict=True)
    help: Line = ""
    unit: Line = ""
    least: Number | None = None
    most: Number | None = None
    step: Annotated[Number, Field(gt=0)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _beside_its_own(cls, given: Any) -> Any:
        """Add the values of a question that may not apply, or be left unanswered."""
        if not isinstance(given, dict):
            return given
        if "if" in given:
            raise ValueError(_IF)
        values, labels = (given.get(key) or () for key in ("values", "labels"))
        extra = [value for key, value in EXTRA.items() if given.get(key) is True]
        if isinstance(values, str) or not extra:
            return given
        at = len(values) - (extra[-1] in values[-1:])  # the file may name the last one itself
        there = list(values[-len(extra):]) == extra
        missing = [] if there else extra[: len(extra) - len(values) + at]
        more = {"labels": (*labels[:at], *missing, *labels[at:])} if labels else {}
        return {**given, "values": (*values[:at], *missing, *values[at:]), **more}

    @field_validator("edges", mode="before")
    @classmethod
    def _plain(cls, edges: Any) -> Any:
        return edges.tolist() if isinstance(edges, np.ndarray) else edges

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        limits = [self.least, self.most, self.step, self.unit or None]
        if self.edges is None:
            rule = f"least, most, step and unit of {self.name} must have edges: they are a number's"
            demand(limits == 4 * [None], rule, limits)
            return self
        asked = self.n_values - len(self.extra)
        rule = f"edges of {self.name} must have {asked - 1} inner edges for {asked} values"
        demand(len(self.edges) == asked - 1, rule, len(self.edges))
        ascend = list(self.edges) == sorted(self.edges)
        demand(ascend, f"edges of {self.name} must not descend", self.edges)
        least = -np.inf if self.least is None else self.least
        most = np.inf if self.most is None else self.most
        inside = least < most and all(least <= edge < most for edge in self.edges)
        demand(inside, f"edges of {self.name} must lie between least and most", self.edges)
        return self

    @property
    def extra(self) -> tuple[str, ...]:
        """The values beside its own, in their order: the last of all."""
        kept = [NOT_APPLICABLE] * self.may_not_apply + [NO_ANSWER] * (self.values[-1] == NO_ANSWER)
        return tuple(kept)

    def in_words(self, language: str) -> Self:
        """Return it with what is read of the values beside its own, in a language."""
        words = {NO_ANSWER: say(language, "page.noAnswer"),
                 NOT_APPLICABLE: say(language, "page.notApplicable")}
        labels = tuple(words.get(value, label) if value == label else label
                       for value, label in zip(self.values, self.labels, strict=True))
        return self.model_copy(update={"labels": labels}) if self.extra else self

    @model_serializer(mode="wrap")
    def _as_before(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without(write(self), _LATER)

    @property
    def n_values(self) -> int:
        """How many values, s_j."""
        return len(self.values)


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
    operator, purpose, legal_basis, rights, minimum_age, retention : str, default=""
        Who asks, what for, what allows it, what a respondent may demand, how old she must be, and
        how long it is kept. The page shows them first, and says where one of operator, purpose
        and retention is not stated. An empty line begins a paragraph; a bare https address is a
        link.
    contact : str, default=""
        Whom to ask. It alone may be corrected after the first answer: it is no part of what is
        published and stored, and of no fingerprint.
    thanks : str, default=""
        What is read when the answers have arrived.
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
    language: Annotated[Text, AfterValidator(_shipped)] = "en"
    introduction: Line = ""
    operator: Line = ""
    purpose: Line = ""
    retention: Line = ""
    legal_basis: Line = ""
    rights: Line = ""
    minimum_age: Line = ""
    thanks: Line = ""
    contact: Line = Field(default="", exclude=True)

    @field_validator("question", mode="before")
    @classmethod
    def _one(cls, asked: Any) -> Any:
        if isinstance(asked, list):
            raise ValueError(f"{_CLASS}, got a list of {len(asked)}: ask the others as attributes")
        return asked

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        asked = self.question
        named = [asked] if "question" in self.model_fields_set else []
        for what, same in ("name", str), ("label", _seen):
            each = [same(getattr(one, what)) for one in (*self.attributes, *named)]
            twice = sorted({one for one in each if each.count(one) > 1})
            demand(not twice, f"{what}s must be distinct, none twice", twice)
        plain = asked.n_values == 2 and asked.edges is None and not asked.extra
        demand(plain, f"{_CLASS}, no number and not optional", asked)
        object.__setattr__(self, "attributes", tuple(
            one.in_words(self.language) for one in self.attributes))
        n_bits = sum(self.n_values)
        if "n_bits" in self.model_fields_set:
            demand(self.n_bits == n_bits, f"n_bits must be {n_bits}", self.n_bits)
        object.__setattr__(self, "n_bits", n_bits)
        return self

    @property
    def n_values(self) -> list[int]:
        """How many values each attribute has."""
        return [one.n_values for one in self.attributes]

    def to_dict(self, scheme: Scheme = "guided") -> dict[str, Any]:
        """Return the schema message, ready for JSON; that of the coin has no class."""
        return self.model_dump(mode="json", exclude={"question"} if scheme == "coin" else None)

    @model_serializer(mode="wrap")
    def _as_before(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without(write(self), _LATER_OF_SURVEY)

    def served(self, scheme: Scheme) -> bytes:
        """Return the schema message as it is served, byte for byte."""
        return json.dumps(self.to_dict(scheme), ensure_ascii=False, separators=(",", ":")).encode()

    def fingerprint(self, scheme: Scheme, channel: str = "") -> str:
        r"""Return what people compare: of the channel's hash and all that is asked and stated.

        SHA-256 of ``ppdm-survey-1\n{channel}\n`` and the bytes that ``api/schema`` serves; of
        guided perturbation, whose guidance changes, ``channel`` is empty.
        """
        head = f"ppdm-survey-1\n{channel}\n".encode()
        return hashlib.sha256(head + self.served(scheme)).hexdigest()

    @classmethod
    def from_dict(cls, schema: dict[str, Any], *, scheme: Scheme = "guided") -> Self:
        """Read a schema message.

        Parameters
        ----------
        schema : dict
            As ``to_dict`` returns it; Only ``title``, ``attributes`` and ``class`` must be there,
            and of a question ``name``, ``label`` and ``values``.
        scheme : {"guided", "coin"}, default="guided"
            The coin needs no class; where there is one, it is one more private question.

        Returns
        -------
        Survey

        Raises
        ------
        ValueError, TypeError
            If a key is missing or unknown, the protocol is another, or as ``Survey``.
        """
        if scheme == "coin" and isinstance(schema, dict) and isinstance(schema.get("class"), dict):
            private = [*(schema.get("attributes") or ()), schema["class"]]
            rest = {key: value for key, value in schema.items() if key not in ("class", "n_bits")}
            schema = {**rest, "attributes": private}
        survey = cls.model_validate(schema, by_alias=True, by_name=False)
        if scheme == "guided" and "question" not in survey.model_fields_set:
            raise ValueError("schema must have the key 'class'")
        opened = [one.name for one in survey.attributes if one.open]
        rule = "open must be left out under guided perturbation, whose class alone is open"
        demand(scheme == "coin" or not opened, rule, opened)
        return survey

    @classmethod
    def from_json(cls, path: str | Path, *, scheme: Scheme = "guided") -> Self:
        """Read a survey from a JSON file that holds a schema message.

        Parameters
        ----------
        path : str or Path
        scheme : {"guided", "coin"}, default="guided"
            As ``from_dict`` has it.

        Returns
        -------
        Survey

        Raises
        ------
        OSError
            If the file cannot be read.
        ValueError, TypeError
            If it is no JSON in UTF-8, a key stands twice in an object, or as ``from_dict``. What
            is wrong with the file is said with its line, and what to do.
        """
        return cls.from_dict(read_json(path), scheme=scheme)


def voting_survey(scheme: Scheme = "guided") -> Survey:
    """Return the sample survey: the 16 votes of 1984, and the party as the class.

    Parameters
    ----------
    scheme : {"guided", "coin"}, default="guided"
        For the coin the party is one more private question.

    Returns
    -------
    Survey
    """
    return Survey.from_json(Path(__file__).parent / "sixteen_votes.json", scheme=scheme)


@cache
def texts(language: str) -> dict[str, Any]:
    """Return the texts of a language, in groups.

    Parameters
    ----------
    language : str
        One of ``LANGUAGES``.

    Returns
    -------
    dict
        With its tag, ``lang``, and its direction, ``dir``.

    Examples
    --------
    >>> from ppdm_survey._schema import texts
    >>> texts("de")["lang"], texts("de")["buttons"]["go"]
    ('de', 'Jetzt fragen')
    """
    script = (STATIC / f"ppdm.{language}.js").read_text(encoding="utf-8")
    return dict(json.loads(script.partition("globalThis.ppdmText =")[2].rstrip("; \n")))


def say(language: str, key: str, **values: object) -> str:
    """Return one text with its placeholders filled in.

    Examples
    --------
    >>> from ppdm_survey._schema import say
    >>> say("en", "level.number", level=3, n=32)
    '3 of 32 directions'
    """
    return str(reduce(getitem, key.split("."), texts(language))).format_map(values)
