"""The command line that makes a bubblewrap sandbox.

Nothing of the host is visible but /usr, read-only, and the few generated files
of an own /etc: binding the real one shows /etc/shadow to root whatever
capabilities are dropped. Everything writable is a tmpfs with a size, or the
workspace itself.
"""

from collections.abc import Iterable
from pathlib import Path
from shlex import quote

import msgspec

from pm_orchestrator.adapters.sandboxes.asked_runners import (
    LONGEST_REPORT,
    PLACE,
    REPORTS,
    AskedRunners,
)
from pm_orchestrator.ports.sandbox import WORKSPACE, HostDirectory, SandboxSpec

HOME = "/home/worker"
NULL = "/dev/null"
INSIDE_ID = "1000"
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",  # the sandbox's own, sized and private
}

_ETC_SCRIPT = """\
{enters}exec "$@" 3<<'PASSWD' 4<<'GROUP' 5<<'GITCONFIG' 6<<'HOSTS' {more}
worker:x:1000:1000:worker:/home/worker:/bin/sh
PASSWD
worker:x:1000:
GROUP
[safe]
	directory = *
GITCONFIG
127.0.0.1 localhost
::1 localhost
HOSTS
{texts}"""
"""Hands over the files of /etc, and what stands in the place of programs, as open descriptors,
so that none is left behind on the host."""

_ETC_FILES = {"3": "/etc/passwd", "4": "/etc/group", "5": "/etc/gitconfig", "6": "/etc/hosts"}
_FIRST_FREE = 7
_FROM_HOST = ("/etc/ld.so.cache", "/etc/alternatives")
_FOR_NETWORK = (
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services", "/etc/protocols"),
    *("/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates"),
    *("/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/ca-trust/extracted"),
)
"""Names and certificates; no folder that has private keys beside them."""
_ROOT_FOLDERS = ("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin")
_BOUND = ("/usr", *_ROOT_FOLDERS, "/proc", "/dev", "/etc", str(PLACE), WORKSPACE)
_OWN = ("/dev/shm", "/tmp", HOME)
"""Folders that are made anew for every sandbox."""


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """The programs of the host that are needed."""

    shell: str
    bwrap: str
    setpriv: str | None
    """Only root needs it: to become somebody else first."""
    python: str
    """As seen inside, so below /usr."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """What differs from sandbox to sandbox."""

    uid: int
    gid: int
    workspace: Path | None
    disk_bytes: int
    readable: tuple[Path, ...] = ()
    """Further directories of the host, visible read-only under their own path."""
    asked: AskedRunners | None = None
    """What is needed so that test runners report."""
    directories: tuple[HostDirectory, ...] = ()
    """As the process that becomes bubblewrap finds them."""
    gathered: bool = False
    """Whether what is written to them is caught, and what is hidden not there."""
    known_as: Path | None = None
    network: bool = False
    doors: tuple[str, ...] = ()
    """Of the control groups that limit it."""


def bwrap_argv(tools: Tools, layout: Layout, boot: str) -> tuple[str, ...]:
    """The whole command: shell, setpriv for root, bwrap, and Python as PID 1."""
    nodes = () if layout.asked is None else layout.asked.nodes
    script = _script(layout.doors, [text for _, _, text in nodes])
    argv = [tools.shell, "-c", script, "sandbox"]
    if tools.setpriv is not None:
        argv += [tools.setpriv, "--reuid", str(layout.uid), "--regid", str(layout.gid)]
        argv += ["--clear-groups", "--no-new-privs", "--inh-caps", "-all"]
    argv += [tools.bwrap, *_isolation(layout), *_system(layout), *_writable(layout)]
    # After the tmpfs mounts, which would cover what lies below /tmp.
    for readable in layout.readable:
        argv += ["--ro-bind", str(readable), str(readable)]
    argv += _directories(layout)
    if layout.asked is not None:
        argv += _asking(layout.asked)
    # /proc too: where the workspace is root's, so is the command, and files in /proc/sys ask
    # for no capability but only for root's number; core_pattern alone would be a way out.
    for mount in ("/proc", "/dev", "/"):
        argv += ["--remount-ro", mount]
    argv += ["--chdir", WORKSPACE, "--"]
    return (*argv, tools.python, "-I", "-S", "-B", "-X", "utf8", "-c", boot)


def environment_of(spec: SandboxSpec) -> dict[str, str]:
    """The whole environment of the commands in a sandbox."""
    own = [f for f in spec.programs if spec.known_as and Path(f).is_relative_to(spec.known_as)]
    others = [folder for folder in spec.programs if folder not in own]
    path = ":".join((*own, ENVIRONMENT["PATH"], *others))
    return {**ENVIRONMENT, **spec.variables, "PATH": path}


def _script(doors: Iterable[str], texts: Iterable[str]) -> str:
    # Whether it has entered is looked up afterwards.
    enters = "".join(f"{{ echo $$ > {quote(door)}; }} 2>/dev/null\n" for door in doors)
    ends = {f"TEXT{number}": text for number, text in enumerate(texts, _FIRST_FREE)}
    more = " ".join(f"{end.removeprefix('TEXT')}<<'{end}'" for end in ends)
    return _ETC_SCRIPT.format(
        enters=enters, more=more, texts="".join(f"{text}{end}\n" for end, text in ends.items())
    )


def _asking(asked: AskedRunners) -> list[str]:
    """Places for reporters and for what they report, and other starts of the nodes."""
    options: list[str] = []
    for place in (PLACE, REPORTS):
        options += ["--perms", "0755", "--size", str(LONGEST_REPORT), "--tmpfs", str(place)]
    for program, real, _ in asked.nodes:
        options += ["--ro-bind", str(program), str(real)]
    for number, (program, _, _) in enumerate(asked.nodes, _FIRST_FREE):
        options += ["--perms", "0755", "--ro-bind-data", str(number), str(program)]
    return options


def _directories(layout: Layout) -> list[str]:
    """What comes from the host, and the name that the workspace has there."""
    options: list[str] = []
    for directory in layout.directories:
        kind = "--bind" if layout.gathered and directory.writable else "--ro-bind"
        at = Path(WORKSPACE, directory.at)
        options += [kind, str(directory.source), str(at)]
        if not layout.gathered:
            options += [part for n in directory.hidden for part in ("--ro-bind", NULL, str(at / n))]
    if layout.known_as is not None and _can_be_named(layout.known_as):
        options += ["--symlink", WORKSPACE, str(layout.known_as)]
    return options


def _can_be_named(path: Path) -> bool:
    """Whether a link can be made there: neither in what is bound, nor above what there is."""
    if any(Path(own).is_relative_to(path) for own in (*_BOUND, *_OWN)):
        return False
    return any(path.is_relative_to(own) for own in _OWN) or not any(
        path.is_relative_to(folder) for folder in _BOUND
    )


def _isolation(layout: Layout) -> list[str]:
    options = ["--unshare-all", "--unshare-user", "--disable-userns"]
    options += ["--share-net"] if layout.network else []
    options += ["--uid", INSIDE_ID, "--gid", INSIDE_ID, "--hostname", "sandbox"]
    # Follows the spawning thread: that is the supervisor's only one, which outlives it.
    options += ["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]
    options += ["--clearenv"]
    for name, value in ENVIRONMENT.items():
        options += ["--setenv", name, value]
    return options


def _system(layout: Layout) -> list[str]:
    options = ["--ro-bind", "/usr", "/usr"]
    for folder in _ROOT_FOLDERS:
        path = Path(folder)
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), folder]
        elif path.is_dir():
            options += ["--ro-bind", folder, folder]
    for path in _FROM_HOST:
        options += ["--ro-bind-try", path, path]
    theirs = _FOR_NETWORK if layout.network else ()
    for descriptor, path in _ETC_FILES.items():
        # What is made of a descriptor can have nothing mounted over it.
        if path not in theirs:
            options += ["--perms", "0444", "--ro-bind-data", descriptor, path]
    for path in theirs:
        options += ["--ro-bind-try", path, path]
    return [*options, "--proc", "/proc", "--dev", "/dev"]


def _writable(layout: Layout) -> list[str]:
    options: list[str] = []
    half = max(layout.disk_bytes // 2, 1024**2)
    for folder in _OWN:
        options += ["--perms", "0700", "--size", str(half), "--tmpfs", folder]
    if layout.workspace is not None:
        return [*options, "--bind", str(layout.workspace), WORKSPACE]
    return [*options, "--perms", "0755", "--size", str(layout.disk_bytes), "--tmpfs", WORKSPACE]
