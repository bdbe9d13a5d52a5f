"""A kernel that can reach a notebook's data and little else.

In bubblewrap (Debian's package) it has a file system of its own with Python, the package and one
folder, no network, and processes that end with it. ``SANDBOX=none`` goes without: a folder apart,
an unprivileged user where the grader is root and that user can run this Python, the same limits.
"""

import contextlib
import ctypes
import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec

#: What one notebook may use: seconds in all, bytes of memory, processes, bytes of a file.
SECONDS, MEMORY, PROCESSES, FILE = 600, 3 << 30, 64, 100 << 20
# a shell stays between: a kernel whose parent is the first process thinks that it was left alone
LIMITS = f"ulimit -t {SECONDS}; ulimit -v {MEMORY >> 10}; ulimit -f {FILE >> 9}"
LIMITED = ["sh", "-c", f'{LIMITS}; "$@"; exit $?', "sh"]
PACKAGES = ("ppdm", "ppdm_book")
NOBODY = 65534


def bubblewrap():
    """Return whether bubblewrap is installed and works here."""
    if not (program := shutil.which("bwrap")):
        return False
    tried = subprocess.run(
        [program, "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, check=False
    )
    return tried.returncode == 0


@functools.cache
def nobody():
    """Return the command that makes an unprivileged user of root, if that one can run Python."""
    if os.geteuid():
        return []
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    runs = subprocess.run([*drop, *LIMITED, sys.executable, "-c", "import ppdm"],
                          capture_output=True, check=False, cwd="/")  # fmt: skip
    return drop if runs.returncode == 0 else []


def walls(folder):
    """Return the command of a private file system in which only a folder can be written."""
    seen = {sys.prefix, sys.base_prefix, "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
            "/etc/ld.so.cache", "/etc/fonts", "/etc/localtime"}  # fmt: skip
    for package in PACKAGES:
        seen |= set(importlib.util.find_spec(package).submodule_search_locations)
    command = ["bwrap", "--die-with-parent", "--new-session", "--unshare-all", "--uid", str(NOBODY),
               "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # fmt: skip
    for path in sorted(seen):
        command += ["--ro-bind-try", path, path]
    return [*command, "--bind", str(folder), str(folder), "--chdir", str(folder)]


@contextlib.contextmanager
def place(data):
    """Give a folder of its own with copies of an assignment's data; remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="ppdm-", ignore_cleanup_errors=True) as folder:
        for path in data:
            shutil.copy(path, folder)
        yield Path(folder)


def kernel(folder, sandbox):
    """Return the manager of a kernel whose sockets lie in the folder, too: it needs no network."""
    before = walls(folder) if sandbox == "bwrap" else nobody() if sandbox == "none" else []
    if before and sandbox == "none":
        for path in (folder, *folder.iterdir()):
            os.chown(path, NOBODY, NOBODY)
    manager = AsyncKernelManager(transport="ipc", connection_file=str(folder / ".kernel.json"))
    manager._kernel_spec = KernelSpec(
        argv=[*before, *LIMITED, sys.executable, "-m", "ipykernel_launcher",
              "-f", "{connection_file}"],
        language="python", interrupt_mode="message",
        env={"HOME": str(folder), "IPYTHONDIR": str(folder / ".ipython"), "MPLBACKEND": "agg",
             "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    return manager


class Watch:
    """Ends all that a kernel has started: when it uses too much, and at the end."""

    def __init__(self):
        self.before = {child.pid for child in psutil.Process().children(recursive=True)}
        self.reason, self._done = None, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _found(self):
        return [p for p in psutil.Process().children(recursive=True) if p.pid not in self.before]

    def _look(self):
        began = time.monotonic()
        while not self._done.wait(0.1):
            memory, found = 0, self._found()
            for process in found:
                with contextlib.suppress(psutil.Error):
                    memory += process.memory_info().rss
            if len(found) > PROCESSES:
                self.reason = f"started more than {PROCESSES} processes"
            elif memory > MEMORY:
                self.reason = f"used more than {MEMORY >> 30} GB"
            elif time.monotonic() - began > SECONDS:
                self.reason = f"ran for more than {SECONDS} seconds"
            if self.reason:
                return self._end()

    def _end(self):
        while found := self._found():
            for process in found:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(found, timeout=1)

    def __enter__(self):
        """Begin to look, also at what a kernel leaves running, where the system can."""
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        self._thread.start()
        return self

    def __exit__(self, *_):
        """End what is left."""
        self._done.set()
        self._thread.join()
        self._end()


class Guard:
    """What no submission may change, kept in memory while one runs."""

    def __init__(self, *folders):
        found = (path for folder in (*folders, Path(__file__).parent) for path in folder.rglob("*"))
        self.kept = {path: path.read_bytes() for path in found if path.is_file()}

    def changed(self):
        """Put back what has changed; return its names."""
        found = [p for p, kept in self.kept.items() if not p.exists() or p.read_bytes() != kept]
        for path in found:
            path.write_bytes(self.kept[path])
        return [path.name for path in found]
