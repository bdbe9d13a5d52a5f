"""Settings that every test shares."""

import os

from headless import chromium
from hypothesis import settings

__all__ = ["chromium"]

# No deadline: a busy machine is no failure. In CI the examples are the same at every run,
# so that a red run means a change; elsewhere each run tries new ones.
settings.register_profile("ppdm", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("ppdm")
