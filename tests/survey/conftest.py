"""Fixtures that several files of the survey's tests share."""

from browser import chromium, person
from survey_site import site, unchanged

__all__ = ["chromium", "person", "site", "unchanged"]
