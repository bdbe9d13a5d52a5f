"""Fixtures that several files of the survey's tests share."""

import logging

import pytest
from browser import person
from survey_site import site, unchanged

__all__ = ["person", "site", "unchanged"]


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path}/survey.sqlite"


@pytest.fixture(autouse=True)
def _whole_log():
    """A server that an earlier test started leaves lines out of the log."""
    logging.getLogger("ppdm_survey").filters.clear()
