"""What a survey may ask, and what it says in each language."""

import json
import re

import httpx
import numpy as np
import pytest
from pydantic import ValidationError
from refusals import refusals
from serving import serve

from ppdm.datasets import load_voting
from ppdm_survey import Attribute, Collector, Survey, create_app, voting_survey
from ppdm_survey._app import render
from ppdm_survey._schema import STATIC, say, texts

AGE = {"name": "age", "label": "Age", "values": ["young", "middle", "old"],
       "labels": ["under 30", "30 to 50", "over 50"], "edges": [29.5, 50.0], "optional": False}
PET = {"name": "pet", "label": "Pet", "values": ["none", "cat"], "labels": ["None", "A cat"],
       "edges": None, "optional": False}
CLASS = {"name": "city", "label": "Do you live in a city?", "values": ["n", "y"],
         "labels": ["No", "Yes"]}
SCHEMA = {"protocol": 1, "language": "en", "title": "Small", "introduction": "",
          "operator": "", "purpose": "", "retention": "", "attributes": [AGE, PET],
          "class": CLASS, "n_bits": 5}


GONE = object()


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
    assert published["attributes"] == [
        {**attribute, "labels": ["0", "1"], "edges": None, "optional": False}]
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


test_bad_survey_is_refused_by_name = refusals(
    ({"class": GONE}, "must have the key 'class'"),
    ({"title": " "}, "title must not be empty, got ' '"),
    ({"attributes": [AGE, AGE]}, r"names must be distinct, none twice, got \['age'\]"),
    ({"class": {**CLASS, "name": "age"}}, r"names must be distinct, none twice, got \['age'\]"),
    ({"attributes": [AGE, {**AGE, "name": "old", "label": AGE["label"] + "\u200b"}]},
     "labels must be distinct, none twice"),  # two that are read alike
    ({"class": {**CLASS, "edges": [1]}}, "two values, .*, no number and not optional"),
    ({"class": {**CLASS, "optional": True}}, "two values, .*, no number and not optional"),
    ({"attributes": [{**PET, "if": "age"}]}, "if must be left out.*may_not_apply"),
    ({"attributes": [AGE, {**PET, "open": True}]}, "class alone is open"),
    ({"protocol": 2}, r"protocol\n.*should be 1.*input_value=2"),
    ({"n_bits": 6}, "n_bits must be 5, got 6"),
    ({"question": CLASS}, r"question\n.*not permitted"),
    ({"colour": "red"}, r"colour\n.*not permitted.*input_value='red'"),
    ({"language": "tlh"}, "language must be one of 'de', 'en', got 'tlh'"),
    ({"attributes": [AGE, {**PET, "size": 3}]}, r"attributes\.1\.size\n.*not permitted"),
    ({"attributes": AGE}, r"attributes\n.*Sequence"),
    ({"attributes": [{**AGE, "values": ["a"]}]}, r"attributes\.0\.values\n.*at least 2 items"),
    ({"attributes": [{**PET, "values": ["a", "a"]}]}, r"values of pet must be distinct, .*\('a'"),
    *[({"attributes": [{**PET, key: ["y", like]}]}, f"{key} of pet must be distinct, also as")
      for key in ("values", "labels") for like in ("y ", " y", "y\u200b", "\uff59", "y\ufe0f")],
    ({"attributes": [{**PET, "labels": ["caf\u00e9", "cafe\u0301"]}]}, "also as they are read"),
    ({"attributes": [{**PET, "labels": ["1 to 5", "1\u00a0to 5"]}]}, "also as they are read"),
    ({"attributes": [{**PET, "values": ["a", "\u200b"]}]}, "values must not be empty"),
    ({"attributes": [{**PET, "values": "ab"}]}, r"attributes\.0\.values\n.*not allowed.*'ab'"),
    ({"attributes": [{**PET, "values": [0, 1]}]}, r"values\.0\n.*valid string.*input_value=0"),
    ({"attributes": [{**PET, "values": ["a", " "]}]}, "values must not be empty, got ' '"),
    ({"attributes": [{**PET, "labels": ["a"]}]}, "labels of pet must be 2, one for each value"),
    ({"attributes": [{**AGE, "edges": [30]}]}, "edges of age must have 2 inner edges for 3 values"),
    ({"attributes": [{**AGE, "edges": [50, 30]}]}, "edges of age must not descend"),
    ({"attributes": [{**AGE, "edges": [30, np.inf]}]}, r"edges\.1\n.*finite number.*value=inf"),
    ({"attributes": [{**AGE, "edges": ["30", "50"]}]}, r"edges\.0\n.*valid number.*value='30'"),
    ({"attributes": [{**PET, "name": "a pet"}]}, r"attributes\.0\.name\n.*match pattern"),
    ({"attributes": [{**PET, "name": "1st"}]}, r"attributes\.0\.name\n.*match pattern"),
    ({"attributes": [{**PET, "optional": "yes"}]}, r"attributes\.0\.optional\n.*valid boolean"),
    # the page takes the last one for silence: "no answer" is that one, or none
    *[({"attributes": [{**PET, "optional": True} | wrong]}, "must be distinct") for wrong in (
        {"values": ["no answer", "none", "cat"], "labels": ["no answer", "none", "cat"]},
        {"values": ["none", "no answer", "cat"], "labels": ["none", "no answer", "cat"]},
        {"values": ["no answer", "near", "far"], "labels": [], "edges": [2]})],
    by=lambda change: Survey.from_dict(
        {key: value for key, value in (SCHEMA | change).items() if value is not GONE}),
)


@pytest.mark.parametrize("scheme", ["coin", "guided"])
def test_the_sixteen_votes_name_no_scheme_that_may_not_be_the_one_served(scheme):
    """Under the coin people consented "to show how guided perturbation works"."""
    survey = voting_survey(scheme)
    assert "although each is disguised" in survey.purpose
    assert not re.search("guided|perturbation|coin", json.dumps(survey.to_dict(scheme)))


def test_a_survey_of_code_is_a_survey_of_a_file():
    built = Survey(title="Small", attributes=[Attribute(**AGE), Attribute(**PET)],
                   question=Attribute(**CLASS))
    assert built == Survey.from_dict(SCHEMA)
    assert hash(built) == hash(Survey.from_dict(SCHEMA))
    assert built.question.edges is None
    assert Survey.from_dict(SCHEMA | {"class": {**CLASS, "edges": None}}) == built
    with pytest.raises(ValidationError, match=r"title\n.*frozen"):
        built.title = "Large"
    # edges may be an array and repeat
    age = Attribute(**{**AGE, "edges": np.array([30, 30])})
    assert age.edges == (30.0, 30.0)
    assert type(age.edges[0]) is float


def test_an_optional_question_has_one_more_value():
    pet = Attribute(**{**PET, "optional": True})
    assert pet.values == ("none", "cat", "no answer")
    assert pet.labels == ("None", "A cat", "no answer")
    age = Attribute(**{**AGE, "optional": True})
    assert age.n_values == 4
    assert age.edges == (29.5, 50.0)
    survey = Survey.from_dict(SCHEMA | {"n_bits": 7, "language": "de", "attributes": [
        {**AGE, "optional": True}, {**PET, "optional": True}]})
    assert survey.n_values == [4, 3]
    assert [one.labels[-1] for one in survey.attributes] == ["Keine Angabe"] * 2
    # and not another one when what was published is read again
    assert Survey.from_dict(survey.to_dict()) == survey


def test_an_optional_question_may_name_its_silence_itself():
    pet = {**PET, "values": ["none", "cat", "no answer"], "labels": ["None", "A cat", "My secret"],
           "optional": True}
    survey = Survey.from_dict(SCHEMA | {"attributes": [AGE, pet], "n_bits": 6})
    assert survey.attributes[1].labels == ("None", "A cat", "My secret")


PLACEHOLDER = re.compile(r"\{(\w+)\}")
USED = re.compile(r"""\bsay\(\s*(.*?["'`][\w.$\{\}]+["'`](?:\s*:\s*["'][\w.]+["'])?)""")


def read(name):
    return STATIC.parent.joinpath(name).read_text(encoding="utf-8")


SCRIPT = "".join(read(f"static/{name}.js") for name in ("ppdm", "keep", "visit", "guided", "coin"))
PAGE = read("templates/survey.html")


def flat(part, prefix=""):
    """Yield the key and text of each entry; forms for one and many are one entry."""
    for name, value in part.items():
        if isinstance(value, dict) and "other" not in value:
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def placeholders(text):
    return set(PLACEHOLDER.findall(str(text)))


def used():
    """Return the keys that the script, the page and the survey's schema ask for.

    A refusal's are the codes of the server's errors.
    """
    codes = read("_errors.py") + read("_app.py")
    schema = re.sub('self.language, |"en", ', "", read("_schema.py"))
    keys = set()
    for call in USED.findall(SCRIPT + PAGE + schema):
        keys |= set(re.findall(r"""["'`]([\w.$\{\}]+)["'`]""", call))
    for stem in [key for key in keys if "$" in key]:  # `buttons.${name}`: each name is a literal
        keys.remove(stem)
        group = stem.partition(".")[0]
        keys |= {f"{group}.{name}" for name in texts("en")[group] if f'"{name}"' in SCRIPT + codes}
    return keys


def test_same_keys_and_placeholders(language):
    english, other = dict(flat(texts("en"))), dict(flat(texts(language)))
    assert other.keys() == english.keys()
    assert texts(language)["lang"] == language
    assert texts(language)["dir"] in ("ltr", "rtl")
    for key, text in other.items():
        # a form for one may leave its number out
        assert placeholders(text) == placeholders(english[key]), key
        for form in text.values() if isinstance(text, dict) else [text]:
            assert form == form.strip() != "", key


def test_every_key_is_used_and_every_used_key_is_there():
    assert used() | {"lang", "dir"} == dict(flat(texts("en"))).keys()


def test_a_file_is_a_comment_and_json(language):
    # so a translation cannot hold a line of code
    head, _, tail = read(f"static/ppdm.{language}.js").partition("globalThis.ppdmText =")
    assert re.fullmatch(r"/\*[^*]*\*/\s*", head)
    assert json.loads(tail.strip().removesuffix(";")) == texts(language)


def page_in(language, given=(), **own):
    """Return the page of the votes in a language, with what an operator says of his own."""
    survey = Survey.from_dict({**voting_survey().to_dict(), "language": language, **own})
    usual = {"access": "open", "hold": 0, "clear": True, "public": True, "guided": True}
    return render("survey.html", survey, ".", **usual | dict(given))


def test_the_page_is_in_the_survey_s_language(language):
    page = page_in(language, retention="")
    assert f'<html lang="{language}" dir="{texts(language)["dir"]}">' in page
    assert f"static/ppdm.{language}.js" in page
    assert say(language, "page.submit") in page
    assert say(language, "consent.class", label="Your party") in page
    # what the operator leaves out is said
    assert page.count(f"<dd>{say(language, 'consent.unnamed')}</dd>") == 1


def test_no_text_is_left_in_the_page_or_the_script():
    # a sentence that stands there would be English in every language
    plain = re.sub(r"(?s)<head>.*?</head>|\{[%{#].*?[%}#]\}|<[^>]*>", "", PAGE)
    assert plain.split() == []
    code = re.sub(r"(?s)/\*.*?\*/|//[^\n]*", "", SCRIPT)
    literals = re.findall(r'"([^"\n]*)"', code)
    assert [text for text in literals if re.search("[a-z] [a-z]", text)] == ["use strict"] * 5


OWN = {"operator": "who " * 40, "purpose": "why " * 40, "retention": "x " * 40,
       "legal_basis": "law " * 40, "rights": "may " * 40, "minimum_age": "16 " * 2}


@pytest.mark.parametrize("guided", [True, False])
def test_consent_has_at_most_150_words_of_the_page_s_own(language, guided):
    # somebody has to read it, open at the start; what an ethics board asks for comes beside it
    page = page_in(language, {"guided": guided}, **OWN)
    promise = re.search(r'(?s)<details class="promise" open>(.*?)</details>', page)
    said = re.sub(r"<[^>]*>", " ", promise[1])
    for text in OWN.values():
        assert text.strip() in said
        said = said.replace(text.strip(), "")
    assert 100 < len(said.split()) <= 150
    assert say(language, "consent.public") in said
    assert say(language, "consent.script") in said


@pytest.mark.parametrize("clear", [True, False])
@pytest.mark.parametrize("public", [True, False])
def test_the_page_promises_only_what_this_survey_does(language, clear, public):
    page = page_in(language, {"clear": clear, "public": public})
    assert (say(language, "consent.open") in page) == clear
    assert (say(language, "consent.public") in page) == public
    assert (say(language, "consent.closed") in page) != public
    assert ("/miner/" in page) == public
    assert say(language, "consent.stored") in page


def test_the_server_knows_how_its_survey_began():
    for start, path in ((0, "miner"), (16, "secret")):
        with (Collector(voting_survey(), random_start=start, random_state=0) as collector,
              serve(create_app(collector, miner_path=path)) as url):
            page = httpx.get(f"{url}/").text
        assert (say("en", "consent.open") in page) == (start == 0)
        assert (say("en", "consent.public") in page) == (path == "miner")
