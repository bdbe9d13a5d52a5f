"""What a survey asks: its attributes, their values, and the class question."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ppdm._validation import check_cuts
from ppdm.datasets import load_voting

#: The version of the messages; a client of another version must not guess.
PROTOCOL = 1


@dataclass(frozen=True)
class Attribute:
    """One private question.

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

    Raises
    ------
    ValueError, TypeError
        If a name or label is empty, a value is missing or repeated, or the edges do not fit.

    Examples
    --------
    >>> from ppdm.survey import Attribute
    >>> Attribute("age", "Your age", ["under 30", "30 to 50", "over 50"], edges=[29, 50]).n_values
    3
    """

    name: str
    label: str
    values: Sequence[str]
    labels: Sequence[str] = ()
    edges: Sequence[float] | None = None

    def __post_init__(self) -> None:
        _check_text(self.name, "name")
        _check_text(self.label, f"label of {self.name}")
        values = _check_texts(self.values, f"values of {self.name}")
        labels = _check_texts(self.labels, f"labels of {self.name}") if self.labels else values
        if len(values) < 2 or len(set(values)) != len(values):
            raise ValueError(f"values of {self.name} must be two or more, distinct, got {values}")
        if len(labels) != len(values):
            raise ValueError(
                f"labels of {self.name} must be {len(values)}, one for each value, got {labels}"
            )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "labels", labels)
        if self.edges is not None:
            edges = check_cuts(self.edges, f"edges of {self.name}", len(values))
            object.__setattr__(self, "edges", tuple(edges.tolist()))

    @property
    def n_values(self) -> int:
        """How many values, s_j."""
        return len(self.values)

    def to_dict(self) -> dict[str, Any]:
        """Return the attribute as it is published."""
        return {
            "name": self.name,
            "label": self.label,
            "values": list(self.values),
            "labels": list(self.labels),
            "edges": None if self.edges is None else list(self.edges),
        }


@dataclass(frozen=True)
class Survey:
    """A survey: private attributes and one public class question of two answers.

    Parameters
    ----------
    title, introduction : str
        What the respondent reads first.
    attributes : sequence of Attribute
        In the order of their bits.
    question : Attribute
        The class question; its two values are class 0 and class 1. Its answer is not
        disguised (ZWZ05, section 1).

    Raises
    ------
    ValueError, TypeError
        If there is no attribute, a name is used twice, or the class has not two values.

    Examples
    --------
    >>> from ppdm.survey import voting_survey
    >>> survey = voting_survey()
    >>> len(survey.attributes), survey.n_bits, survey.question.values
    (16, 32, ('democrat', 'republican'))
    """

    title: str
    introduction: str
    attributes: Sequence[Attribute]
    question: Attribute = field(
        default_factory=lambda: Attribute("class", "Your class", ["0", "1"])
    )

    def __post_init__(self) -> None:
        _check_text(self.title, "title")
        object.__setattr__(self, "attributes", tuple(self.attributes))
        if not self.attributes:
            raise ValueError("attributes must not be empty")
        names = [one.name for one in (*self.attributes, self.question)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"names must be distinct, got {twice[0]!r} twice")
        if self.question.n_values != 2 or self.question.edges is not None:
            raise ValueError(
                f"question must have two values and no edges, got {self.question.to_dict()}"
            )

    @cached_property
    def n_values(self) -> list[int]:
        """How many values each attribute has."""
        return [one.n_values for one in self.attributes]

    @property
    def n_bits(self) -> int:
        """Bits of a tuple."""
        return sum(self.n_values)

    def to_dict(self) -> dict[str, Any]:
        """Return the schema message."""
        return {
            "protocol": PROTOCOL,
            "title": self.title,
            "introduction": self.introduction,
            "attributes": [one.to_dict() for one in self.attributes],
            "class": {key: value for key, value in self.question.to_dict().items()
                      if key != "edges"},
            "n_bits": self.n_bits,
        }

    @classmethod
    def from_dict(cls, schema: dict[str, Any]) -> Survey:
        """Read a schema message.

        Parameters
        ----------
        schema : dict
            As ``to_dict`` returns it; ``introduction``, ``labels``, ``edges``, ``n_bits``
            and ``protocol`` may be left out.

        Returns
        -------
        Survey

        Raises
        ------
        ValueError, TypeError
            If a key is missing or unknown, the protocol is another, or as ``Survey``.
        """
        _check_keys(schema, "schema", {"title", "attributes", "class"},
                    {"protocol", "introduction", "n_bits"})
        if schema.get("protocol", PROTOCOL) != PROTOCOL:
            raise ValueError(f"protocol must be {PROTOCOL}, got {schema['protocol']!r}")
        survey = cls(
            title=schema["title"],
            introduction=schema.get("introduction", ""),
            attributes=[_attribute(one) for one in schema["attributes"]],
            question=_attribute(schema["class"]),
        )
        if schema.get("n_bits", survey.n_bits) != survey.n_bits:
            raise ValueError(f"n_bits must be {survey.n_bits}, got {schema['n_bits']!r}")
        return survey

    @classmethod
    def from_json(cls, path: str | Path) -> Survey:
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
    attributes = [
        Attribute(name, _in_words(name), ["n", "y"], ["No", "Yes"])
        for name in votes.feature_names
    ]
    parties = [str(name) for name in votes.target_names]
    return Survey(
        title="Sixteen votes",
        introduction="How would you have voted in the House of Representatives in 1984?",
        attributes=attributes,
        question=Attribute("party", "Your party", parties, [one.capitalize() for one in parties]),
    )


def _in_words(name: str) -> str:
    words = name.replace("_", " ").capitalize()
    for proper in ("El Salvador", "Nicaraguan", "South Africa", "MX"):
        words = re.sub(rf"\b{proper}\b", proper, words, flags=re.IGNORECASE)
    return words


def _attribute(entry: dict[str, Any]) -> Attribute:
    _check_keys(entry, "attribute", {"name", "label", "values"}, {"labels", "edges"})
    return Attribute(**entry)


def _check_keys(entry: Any, what: str, needed: set[str], allowed: set[str]) -> None:
    if not isinstance(entry, dict):
        raise TypeError(f"{what} must be an object with {sorted(needed)}, got {entry!r}")
    wrong = sorted((needed - entry.keys()) | (entry.keys() - needed - allowed))
    if wrong:
        raise ValueError(
            f"{what} must have {sorted(needed)} and may have {sorted(allowed)}; "
            f"missing or unknown: {wrong}"
        )


def _check_text(text: Any, name: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a text, got {text!r}")
    if not text.strip():
        raise ValueError(f"{name} must not be empty, got {text!r}")
    return text


def _check_texts(texts: Any, name: str) -> tuple[str, ...]:
    if isinstance(texts, str) or not np.iterable(texts):
        raise TypeError(f"{name} must be a sequence of texts, got {texts!r}")
    return tuple(_check_text(one, name) for one in texts)
