"""A real server for a test: uvicorn on a free port of this machine, in a thread."""

import socket
import threading
import time
from contextlib import contextmanager

import uvicorn


@contextmanager
def serve(app):
    """Serve an ASGI app; give its address."""
    # asyncio switches Nagle's delays off only where the protocol is named
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
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
