"""A call in another environment, for a peer that does not install beside the package.

The process of the peer reads the arrays from a file and waits; each run is timed there, so that
neither imports nor the way to it count. It runs nothing while it waits.

``_elsewhere.py MODULE FUNCTION FILE`` is what that process executes.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent


class Elsewhere:
    """``FUNCTION(**arrays)`` of ``_peers_ENVIRONMENT.py``, which returns the call to time."""

    def __init__(self, environment: str, function: str, arrays: Mapping[str, Any]) -> None:
        python = HERE.parent / f".venv-peers-{environment}" / "bin" / "python"
        if not python.exists():
            raise SystemExit(f"{python} is not there: make bench creates it")
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name) / "arrays.npz"
        np.savez(file, **arrays)
        self._process = subprocess.Popen(
            [python, __file__, f"_peers_{environment}", function, file],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self) -> float:
        """Run it once; return the seconds of the processor."""
        return float(self._ask("run"))

    def result(self) -> Any:
        """Run it once; return what it returned, as an array."""
        file = Path(self._folder.name) / "result.npy"
        self._ask(str(file))
        return np.load(file)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    def _ask(self, what: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(what + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the peer ended with {self._process.wait()}: its error is above")
        return answer


def main() -> None:
    module, function, file = sys.argv[1:]
    with np.load(file) as arrays:
        told = {name: value if value.ndim else value.item() for name, value in arrays.items()}
    call = getattr(importlib.import_module(module), function)(**told)
    for line in sys.stdin:
        start = time.process_time()
        found = call()
        seconds = time.process_time() - start
        if line.strip() != "run":
            np.save(line.strip(), found)
        print(seconds, flush=True)


if __name__ == "__main__":
    main()
