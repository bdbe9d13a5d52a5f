"""A real server for a test: the survey's own, on a free port of this machine, in a thread."""

import socket
import threading
import time
from contextlib import ExitStack, contextmanager

from ppdm_survey import create_app
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
def in_turn(*collectors):
    """Serve surveys at one address: the one whose number stands in the list that is given."""
    now = [0]
    with ExitStack() as stack:
        apps = [create_app(stack.enter_context(one)) for one in collectors]

        async def front(scope, receive, send):
            await apps[now[0]](scope, receive, send)

        yield f"{stack.enter_context(serve(front))}/", now
