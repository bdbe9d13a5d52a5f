"""Where nbgrader is not installed, helpers are not looked through for doctests, either.

What the assignments put into the temporary folder is gone after each file of tests.
"""

import tempfile
from importlib.util import find_spec

import pytest

missing = not all(map(find_spec, ("jupytext", "nbgrader")))
collect_ignore = ["mistakes.py", "sheets.py", "long"] if missing else []


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left(tmp_path_factory):
    """Give a temporary folder of its own, which must be empty afterwards."""
    folder = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        yield
        if not missing:
            import sheets

            sheets.source.cache_clear()
            while sheets._FOLDERS:
                sheets._FOLDERS.pop().cleanup()
    assert [path.name for path in folder.iterdir()] == []
