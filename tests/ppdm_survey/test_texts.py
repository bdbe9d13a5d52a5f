"""The texts of each language: the same keys and placeholders, each used, and nothing but JSON."""

import json
import re

import httpx
import pytest
from lying_server import rendered
from serving import serve

from ppdm_survey import Collector, Survey, create_app, voting_survey
from ppdm_survey._schema import LANGUAGES, STATIC, say, texts

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
    forms = text.values() if isinstance(text, dict) else [text]
    return [set(PLACEHOLDER.findall(form)) for form in forms]


@pytest.fixture(scope="module")
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


def test_english_and_german_are_shipped():
    assert {"en", "de"} <= set(LANGUAGES)


def test_same_keys_and_placeholders(language):
    english, other = dict(flat(texts("en"))), dict(flat(texts(language)))
    assert other.keys() == english.keys()
    assert texts(language)["lang"] == language
    assert texts(language)["dir"] in ("ltr", "rtl")
    for key, text in other.items():
        # a form for one may leave its number out
        wanted = set().union(*placeholders(english[key]))
        assert set().union(*placeholders(text)) == wanted, key
        for form in text.values() if isinstance(text, dict) else [text]:
            assert form == form.strip() != "", key


def test_every_key_is_used_and_every_used_key_is_there(used):
    keys = set(dict(flat(texts("en")))) - {"lang", "dir"}
    assert used - {"lang", "dir"} == keys


def test_a_file_is_a_comment_and_json(language):
    # so a translation cannot hold a line of code
    head, _, tail = read(f"static/ppdm.{language}.js").partition("globalThis.ppdmText =")
    assert re.fullmatch(r"/\*[^*]*\*/\s*", head)
    assert json.loads(tail.strip().removesuffix(";")) == texts(language)


def page_in(language, given=(), **own):
    """Return the page of the votes in a language, with what an operator says of his own."""
    asked = {**voting_survey().to_dict(), "language": language, **own}
    return rendered(Survey.from_dict(asked), **dict(given))


def test_the_page_is_in_the_survey_s_language(language):
    page = page_in(language)
    assert f'<html lang="{language}" dir="{texts(language)["dir"]}">' in page
    assert f"static/ppdm.{language}.js" in page
    assert say(language, "page.submit") in page
    assert say(language, "consent.class", label="Your party") in page


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


def test_what_the_operator_leaves_out_is_said(language):
    page = page_in(language, retention="")
    assert page.count(f"<dd>{say(language, 'consent.unnamed')}</dd>") == 1


def test_the_page_promises_only_what_this_survey_does(language):
    for clear in (True, False):
        page = page_in(language, {"clear": clear})
        assert (say(language, "consent.open") in page) == clear
    for public in (True, False):
        page = page_in(language, {"public": public})
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
