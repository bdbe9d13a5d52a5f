"""Load a script that lies in no package: ``book/_make``, ``book/_ext``, ``benchmarks``."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parent.parent


def load(name):
    """Return the script at this place of the tree as a module."""
    spec = importlib.util.spec_from_file_location(Path(name).stem, ROOT / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
