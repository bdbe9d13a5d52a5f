"""A library that only an extra of ppdm installs."""

from __future__ import annotations

import importlib
from typing import Any


def import_optional(module: str, purpose: str) -> Any:
    """Import a library that only ``ppdm[data]`` installs, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f'{purpose} needs {module}: pip install "ppdm[data]"') from error
