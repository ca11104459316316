"""From an order to a running program, or to the reason why it cannot run.

Standard library only: this text also runs inside sandboxes.
"""

from __future__ import annotations

import errno
import math
import os
import resource
import signal

from pm_orchestrator.adapters.processes.plain_json import loads

TYPE_CHECKING = False  # typing costs more to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable

IGNORED_BY_PYTHON = (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ)
"""Or caught by it; a program that we start finds them as they usually are."""


class OwnerGoneError(Exception):
    """The owner closed its end before it had said what to run."""


class Order:
    """What to run and how long each patience lasts: one line of JSON from the owner."""

    def __init__(self, line: bytes) -> None:
        fields = loads(line)
        self.argv: list[str] = fields["argv"]
        self.cwd: str = fields["cwd"]
        self.env: dict[str, str] = fields["env"]
        timeout: float | None = fields["timeout_s"]
        self.timeout_s: float = math.inf if timeout is None else timeout
        self.kill_grace_s: float = fields["kill_grace_s"]
        self.linger_s: float = fields["linger_s"]
        self.limits: dict[str, int] = fields["limits"]
        """By the names that the kernel gives to them: `RLIMIT_NPROC` …"""
        self.views: list[tuple[str, list[str], str]] = fields["views"]
        """For `enter_views`."""
        self.gathered: tuple[str, int, int | None, list[tuple[str, list[str], bool]]] | None
        self.gathered = fields["gathered"]
        """For `gather`."""


def take_order(control: int) -> tuple[Order, bool]:
    """Read the order; also say whether the owner already wants it killed."""
    received = b""
    while b"\n" not in received:
        part = os.read(control, 65536)
        if not part:
            raise OwnerGoneError
        received += part
    line, _, rest = received.partition(b"\n")
    return Order(line), bool(rest)


def start(order: Order, stdio: tuple[int, int, int]) -> int:
    """Start the program in a session of its own.

    Raises:
        OSError: it cannot be started; the text says what was missing.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        become(order, stdio, writer)
    os.close(writer)
    failure = os.read(reader, 4096)
    os.close(reader)
    if failure:
        os.waitpid(pid, 0)
        raise OSError(failure.decode(errors="replace"))
    return pid


def become(order: Order, stdio: tuple[int, int, int], failure: int) -> None:
    """In the forked child: turn into the program, or say why not and end."""
    doing = f"working directory {order.cwd}"
    try:
        os.setsid()
        for number in IGNORED_BY_PYTHON:
            signal.signal(number, signal.SIG_DFL)
        for wanted, given in enumerate(stdio):
            os.dup2(given, wanted)
        if order.views:
            # Few commands have any, and none in a sandbox, where this module is not.
            from pm_orchestrator.adapters.processes.directory_view import enter_views

            doing = f"view of {order.views[0][0]}"
            enter_views(order.views)
            doing = f"working directory {order.cwd}"
        if order.gathered:
            from pm_orchestrator.adapters.processes.directory_view import gather

            doing = "directories of the host"
            gather(*order.gathered)
            doing = f"working directory {order.cwd}"
        os.chdir(order.cwd)
        doing = order.argv[0]
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name, limit in order.limits.items():
            resource.setrlimit(getattr(resource, name), (limit, limit))
        execute(order)
    except OSError as error:
        os.write(failure, f"{doing}: {error.strerror}".encode(errors="replace"))
    except ValueError as error:
        os.write(failure, f"{doing}: {error}".encode(errors="replace"))
    os._exit(127)


def execute(order: Order) -> int:
    """Replace this process by the program.

    os.execvpe would do the same, but imports more on the way than the fork costs.
    """
    return first_that_starts(order, lambda place: os.execve(place, order.argv, order.env))


def first_that_starts(order: Order, attempt: Callable[[str], int]) -> int:
    """Attempt one place after the other where the program may be, by the PATH it is given."""
    program = order.argv[0]
    places = [program]
    if "/" not in program:
        # An empty entry would mean the working directory, which is an agent's to fill.
        folders = order.env.get("PATH", os.defpath).split(":")
        places = [f"{folder}/{program}" for folder in folders if folder]
    refusal: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for place in places:
        try:
            return attempt(place)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:
            refusal = error
    raise refusal
