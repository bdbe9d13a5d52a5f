"""Fixtures that several files of the survey's tests share."""

from browser import person
from survey_site import site, unchanged

__all__ = ["person", "site", "unchanged"]
