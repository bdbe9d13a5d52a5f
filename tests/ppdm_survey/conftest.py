"""Fixtures that several files of the survey's tests share."""

import logging

import pytest
from browser import coin, person
from collecting import command
from headless import running
from lying_server import double
from survey_site import site, unchanged

from ppdm_survey._schema import LANGUAGES, STATIC

__all__ = ["coin", "double", "person", "site", "unchanged"]


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path}/survey.sqlite"


@pytest.fixture
def exported(database, tmp_path):
    """Export the survey, which is closed before where that is asked for; give the folder."""

    def export(*options, closed=False, to="out"):
        if closed:
            command("close", "--database", database)
        command("export", tmp_path / to, "--database", database, *options)
        return tmp_path / to

    return export


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture(scope="module")
def js(chromium, tmp_path_factory):
    """Call a function of JavaScript, which has the client's arithmetic and what it keeps."""
    scripts = [STATIC / name for name in ("ppdm.js", "keep.js")]
    with running(chromium, tmp_path_factory.mktemp("page"), *scripts) as call:
        yield call


@pytest.fixture(autouse=True)
def _whole_log():
    """A server that an earlier test started leaves lines out of the log."""
    logging.getLogger("ppdm_survey").filters.clear()
