"""An HTTP server inside a running event loop that belongs to somebody else.

uvicorn likes to own the process: it installs signal handlers and polls ten times a
second. Here its start-up and shutdown are driven directly, so Ctrl-C stays the
Runner's and an idle gateway costs nothing.
"""

import asyncio
import socket

import uvicorn
from starlette.types import ASGIApp

CLOSE_SECONDS = 1
"""How long an answer that is on its way may take to be read by its agent."""

KEEP_ALIVE_SECONDS = 75


class LoopServer:
    """Serves `app` on a free loopback port from `start` to `close`."""

    def __init__(self, app: ASGIApp) -> None:
        self._config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=CLOSE_SECONDS,
        )
        self._server = uvicorn.Server(self._config)
        self._socket: socket.socket | None = None

    async def start(self) -> str:
        """Listen; returns the address as a base URL."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.bind(("127.0.0.1", 0))
        self._config.load()
        self._server.lifespan = self._config.lifespan_class(self._config)
        await self._server.startup(sockets=[self._socket])
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    async def close(self) -> None:
        """Stop listening and hang up; what was being answered gets a moment to finish."""
        if self._socket is None:
            return
        await self._server.shutdown(sockets=[self._socket])
        self._socket = None
        stuck = list(self._server.server_state.tasks)
        for connection in list(self._server.server_state.connections):
            connection.transport.abort()
        if stuck:
            await asyncio.wait(stuck, timeout=CLOSE_SECONDS)
