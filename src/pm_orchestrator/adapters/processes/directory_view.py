"""A directory as one program sees it: at its own path, with layers over it, and thrown away.

An overlay in a mount namespace of the program's own. What lies in the directory is read
as it is; what is written, and what is taken away, goes to a scratch directory. Outside
nothing of it can be seen.

Standard library only, as everything that runs between a fork and a program.
"""

from __future__ import annotations

import os
import pathlib

CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x4_0000
UPPER, WORK = "upper", "work"
"""In the scratch directory: what was written, and room for the kernel."""


def enter_view(at: str, layers: list[str], scratch: str) -> None:
    """Let this process, which has a single thread, see `at` with `layers` over it.

    The topmost layer comes first. To be called before the working directory is chosen:
    one that is inside already would still be the directory itself.

    Raises:
        OSError: the kernel does not let us.
    """
    _own_namespace()
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    # By short names below one directory: in the options a comma or a colon would mean
    # something else, and no path may be longer than a page.
    os.chdir(scratch)
    names: list[str] = []
    for number, place in enumerate([*layers, at]):
        names.append(f"layer{number}")
        pathlib.Path(names[-1]).mkdir(exist_ok=True, parents=True)
        _mount(place, names[-1], None, MS_BIND)
    for name in (UPPER, WORK):
        pathlib.Path(name).mkdir(exist_ok=True, parents=True)
    options = f"lowerdir={':'.join(names)},upperdir={UPPER},workdir={WORK},userxattr"
    _mount("overlay", at, "overlay", 0, options)
    os.chdir("/")


def _own_namespace() -> None:
    """Mounts of our own; who is not root gets them with a user namespace, as itself."""
    if os.geteuid() == 0:
        return _call("unshare", CLONE_NEWNS)
    user, group = os.geteuid(), os.getegid()
    _call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        handle = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)
    return None


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    _call(
        "mount",
        os.fsencode(source),
        os.fsencode(target),
        None if kind is None else kind.encode(),
        flags,
        options.encode() or None,
    )


def _call(name: str, *arguments: object) -> None:
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
