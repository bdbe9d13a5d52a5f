"""What a survey may ask, and what it says when it is asked badly."""

import json

import numpy as np
import pytest

from ppdm.datasets import load_voting
from ppdm.survey import Attribute, Survey, voting_survey

AGE = {"name": "age", "label": "Age", "values": ["young", "middle", "old"],
       "labels": ["under 30", "30 to 50", "over 50"], "edges": [29.5, 50.0]}
PET = {"name": "pet", "label": "Pet", "values": ["none", "cat"], "labels": ["None", "A cat"],
       "edges": None}
CLASS = {"name": "city", "label": "Do you live in a city?", "values": ["n", "y"],
         "labels": ["No", "Yes"]}
SCHEMA = {"protocol": 1, "title": "Small", "introduction": "", "attributes": [AGE, PET],
          "class": CLASS, "n_bits": 5}


def changed(**changes):
    return {**SCHEMA, **changes}


def test_schema_survives_the_way_through_json(tmp_path):
    path = tmp_path / "survey.json"
    path.write_text(json.dumps(SCHEMA), encoding="utf-8")
    survey = Survey.from_json(path)
    assert survey.to_dict() == SCHEMA
    assert survey.n_values == [3, 2]
    assert survey.n_bits == 5


def test_what_may_be_left_out_has_a_default():
    bare = {key: SCHEMA[key] for key in ("title", "class")}
    attribute = {"name": "a", "label": "A", "values": ["0", "1"]}
    published = Survey.from_dict({**bare, "attributes": [attribute]}).to_dict()
    assert published["attributes"] == [{**attribute, "labels": ["0", "1"], "edges": None}]
    assert published["n_bits"] == 2


def test_sample_survey_is_the_votes_with_their_codes():
    # value 0 is a no and class 0 the democrats, as in the data: else a simulation would lie
    survey, votes = voting_survey(), load_voting(random_state=0)
    assert [one.name for one in survey.attributes] == list(votes.feature_names)
    assert {tuple(one.values) for one in survey.attributes} == {("n", "y")}
    assert list(survey.question.values) == list(votes.target_names)
    assert survey.n_bits == 32
    labels = [one.label for one in survey.attributes]
    assert {"Aid to Nicaraguan contras", "MX missile", "El Salvador aid", "Crime"} <= set(labels)


@pytest.mark.parametrize(("change", "message"), [
    ({"title": " "}, "title must not be empty, got ' '"),
    ({"title": 3}, "title must be a text, got 3"),
    ({"attributes": []}, "attributes must not be empty"),
    ({"attributes": [AGE, AGE]}, "names must be distinct, got 'age' twice"),
    ({"class": {**CLASS, "name": "age"}}, "names must be distinct, got 'age' twice"),
    ({"class": {**CLASS, "values": ["a", "b", "c"], "labels": []}}, "must have two values"),
    ({"class": {**CLASS, "edges": [1]}}, "question must have two values and no edges"),
    ({"protocol": 2}, "protocol must be 1, got 2"),
    ({"n_bits": 6}, "n_bits must be 5, got 6"),
    ({"question": CLASS}, r"missing or unknown: \['question'\]"),
    ({"attributes": [{**AGE, "values": ["a"]}]}, "values of age must be two or more, distinct"),
    ({"attributes": [{**PET, "values": ["a", "a"]}]}, "values of pet must be two or more"),
    ({"attributes": [{**PET, "values": "ab"}]}, "values of pet must be a sequence of texts"),
    ({"attributes": [{**PET, "values": [0, 1]}]}, "values of pet must be a text, got 0"),
    ({"attributes": [{**PET, "labels": ["a"]}]}, "labels of pet must be 2, one for each value"),
    ({"attributes": [{**AGE, "edges": [30]}]}, "edges of age must have 2 inner edges for 3 values"),
    ({"attributes": [{**AGE, "edges": [50, 30]}]}, "edges of age must not descend"),
    ({"attributes": [{**AGE, "edges": [30, np.inf]}]}, "edges of age"),
    ({"attributes": [{**AGE, "label": ""}]}, "label of age must not be empty"),
    ({"attributes": [7]}, "attribute must be an object"),
])
def test_bad_survey_is_refused_by_name(change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Survey.from_dict(changed(**change))


def test_missing_key_is_named():
    with pytest.raises(ValueError, match=r"missing or unknown: \['class'\]"):
        Survey.from_dict({key: value for key, value in SCHEMA.items() if key != "class"})


def test_attribute_has_its_values_as_labels():
    assert Attribute("a", "A", ["x", "y"]).labels == ("x", "y")
