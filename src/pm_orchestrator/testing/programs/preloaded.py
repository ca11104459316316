"""An interpreter that has the product loaded already, and becomes the program once per call.

Most of a short call is the start of an interpreter and its imports. Here they are paid once:
each call is a fork with standard streams, working directory, environment and arguments of its
own, which then goes through the program's entry point to its end.
"""

import atexit
import contextlib
import gc
import importlib
import marshal
import os
import pkgutil
import resource
import select
import signal
import socket
import sys
import threading
import time
from typing import NoReturn

import msgspec

import pm_orchestrator
from pm_orchestrator.domain.late_pattern import LatePattern

LOADED_LATE = (
    "anyio.streams.tls",
    "encodings.ascii",
    "httpcore2._backends.auto",
    "httpx2",
    "truststore",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.http.h11_impl",
)
"""What others' packages import at their first use, and every run of a company uses."""

FIRST_FREE = 3
"""The number after standard input, output and error."""
LARGEST_CALL = 1 << 20
FDS_OF_A_CALL = 5
"""Standard input, output and error, the working directory, and where to tell how it goes."""


Call = tuple[list[str], dict[str, str]]
"""Arguments and environment of a new process; marshalled, as they may hold what is no UTF-8."""


class News(msgspec.Struct, frozen=True):
    """Told when a call begins and when it has ended."""

    pid: int
    code: int | None = None
    """As `subprocess` has it: negative for a signal."""


def load_product() -> None:
    """Import everything of the product that a command may need, and compile its patterns."""
    for found in pkgutil.walk_packages(pm_orchestrator.__path__, "pm_orchestrator."):
        if not found.name.startswith("pm_orchestrator.testing") and "__main__" not in found.name:
            importlib.import_module(found.name)
    for name in LOADED_LATE:
        importlib.import_module(name)
    gc.collect()
    for pattern in gc.get_objects():
        if isinstance(pattern, LatePattern):
            pattern.search(" ".join(pattern.needs))
    # Nothing of this is ever garbage; looking for some would copy every page in each child.
    gc.freeze()


def serve(control: socket.socket) -> Call | None:
    """Answer calls until nobody is there to make one; in the process of a call, return it."""
    waiting = select.poll()
    waiting.register(control, select.POLLIN)
    running: dict[int, tuple[int, int]] = {}  # pidfd: the process and who wants to know
    while True:
        for ready, _ in waiting.poll():
            if ready in running:
                waiting.unregister(ready)
                _tell_end(ready, *running.pop(ready))
                continue
            message, fds, _, _ = socket.recv_fds(control, LARGEST_CALL, FDS_OF_A_CALL)
            if not message:
                return None
            pid = os.fork()
            if pid == 0:
                _take_place(control, fds)
                return marshal.loads(message)
            *handed_on, teller = fds
            for fd in handed_on:
                os.close(fd)
            with contextlib.suppress(BrokenPipeError):
                # Who had called may have given up already; its process ends like any other.
                os.write(teller, msgspec.json.encode(News(pid)))
            pidfd = os.pidfd_open(pid)
            running[pidfd] = (pid, teller)
            waiting.register(pidfd, select.POLLIN)


def _tell_end(pidfd: int, pid: int, teller: int) -> None:
    _, status = os.waitpid(pid, 0)
    news = News(pid, os.waitstatus_to_exitcode(status))
    try:
        os.write(teller, msgspec.json.encode(news))
    except BrokenPipeError:
        # Who had called did not wait for the end.
        pass
    os.close(pidfd)
    os.close(teller)


def _take_place(control: socket.socket, fds: list[int]) -> None:
    """Stand where a new process stands: in a directory, with three streams and no other file."""
    *streams, directory, _ = fds
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
    os.fchdir(directory)
    control.detach()
    os.closerange(FIRST_FREE, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def become(call: Call) -> NoReturn:
    """Be the program, from its entry point to its end.

    It ends as the interpreter does, but for taking itself to pieces: that would copy every page
    of memory in order to give it back.
    """
    arguments, environment = call
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["pm-orchestrator", *arguments]
    from pm_orchestrator.cli.main import main

    code: object = None
    try:
        main()
    except SystemExit as end:
        code = end.code
    except BaseException as error:  # noqa: BLE001 - the interpreter shows whatever comes
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    # As `multiprocessing` ends its forks: first the threads, then what was left for the end.
    for module, end in ((threading, "_shutdown"), (atexit, "_run_exitfuncs")):
        getattr(module, end)()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def preload() -> None:
    """Load the product, then answer calls on the socket whose number is the argument."""
    # Ctrl-C in a terminal is for the tests; they end this by letting go of the socket.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    load_product()
    if call := serve(socket.socket(fileno=int(sys.argv[1]))):
        become(call)


if __name__ == "__main__":
    preload()
