"""Settings that every test shares."""

import os
import tracemalloc
from collections.abc import Callable, Generator
from importlib.util import find_spec
from numbers import Integral
from typing import Any

import numpy as np
import pytest
from headless import chromium, visit
from hypothesis import settings

__all__ = ["chromium", "visit"]

# No deadline: a busy machine is no failure. In CI the examples are the same at every run,
# so that a red run means a change; elsewhere each run tries new ones.
settings.register_profile("ppdm", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("ppdm")

# The environments of other versions have no tools of the book: there the packages are tested, and
# not what is about texts, pages and the tree.
if find_spec("jupytext") is None:
    collect_ignore_glob = ["test_*.py", "assignments", "explore"]

as_written = np.random.default_rng


@pytest.fixture
def allocated() -> Callable[[Callable[[], object]], int]:
    """Return what says how many bytes a call holds at a time, by Python's own count."""

    def peak(call: Callable[[], object]) -> int:
        tracemalloc.start()
        try:
            call()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return peak


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--shift-seeds", type=int, default=0, metavar="N",
        help="add N to each integer seed: a test that then fails held by luck",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Shift from here on, so that what a test file draws when it is read is shifted, too.

    Package and tests call ``np.random.default_rng`` by its full name. A sequence of integers
    is no seed of a test but the key of a row in a stored table, and stays.
    """
    shift = config.getoption("shift_seeds")

    def shifted(seed: Any = None) -> np.random.Generator:
        if isinstance(seed, np.random.SeedSequence) and isinstance(seed.entropy, int):
            own = np.random.SeedSequence(seed.entropy + shift, spawn_key=seed.spawn_key)
            return as_written(own)  # an int that a scheme made a stream of its own
        return as_written(seed + shift if isinstance(seed, Integral) else seed)

    if shift:
        np.random.default_rng = shifted


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the examples of ppdm.dask where Dask is not installed."""
    if find_spec("dask") is None:
        for item in items:
            if item.path.name == "dask.py" and isinstance(item, pytest.DoctestItem):
                item.add_marker(pytest.mark.skip(reason="the extra ppdm[dask]"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Leave alone what shows its draws: doctests, and tests marked ``fixed_seed(reason)``."""
    fixed = isinstance(item, pytest.DoctestItem) or item.get_closest_marker("fixed_seed")
    with pytest.MonkeyPatch.context() as patch:
        if fixed:
            patch.setattr(np.random, "default_rng", as_written)
        return (yield)
