"""A real server for a test: the survey's own, on a free port of this machine, in a thread."""

import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

from ppdm_survey._serve import new_server


@contextmanager
def serve(app):
    """Serve an ASGI app; give its address."""
    # asyncio switches Nagle's delays off only where the protocol is named
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        server = new_server(app)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=10)


@contextmanager
def own_server(folder):
    """Serve a survey stored in this folder by the command; give process, port and what it said."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ppdm_survey", "--scheme", "guided", "--port", str(port),
               "--database", f"sqlite:///{folder / 'survey.sqlite'}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as server:
        try:
            said = []
            while "Stop with Ctrl-C" not in (line := server.stdout.readline()):
                assert line, "the server did not start"
                said.append(line)
            while (listening := socket.socket()).connect_ex(("127.0.0.1", port)):
                listening.close()
                assert server.poll() is None, "the server does not listen"
                time.sleep(0.05)
            listening.close()
            yield server, port, said
        finally:
            server.kill()  # it waits for ever where a test fails
