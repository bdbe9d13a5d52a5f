"""A real server for a test: the survey's own, on a free port of this machine, in a thread."""

import socket
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


def own_server(folder):
    """Return the command that serves a survey stored in this folder, and the free port it names."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return [sys.executable, "-m", "ppdm_survey", "--port", str(port),
            "--database", f"sqlite:///{folder / 'survey.sqlite'}"], port
