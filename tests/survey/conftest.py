"""Fixtures that several files of the survey's tests share."""

from browser import chromium, person

__all__ = ["chromium", "person"]
