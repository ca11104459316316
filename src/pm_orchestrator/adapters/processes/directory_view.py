"""A directory as one program sees it: at its own path, with layers over it, and thrown away.

An overlay in a mount namespace of the program's own. What lies in the directory is read
as it is; what is written, and what is taken away, goes to a scratch directory. Outside
nothing of it can be seen.

Standard library only, as everything that runs between a fork and a program.
"""

from __future__ import annotations

import os

CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x4_0000
LAYER, UPPER, WORK = "layer", "upper", "work"
"""In the scratch directory, empty to begin with: one for each layer and for the directory
itself, with its number; what is written; and room for the kernel."""


def enter_views(views: list[tuple[str, list[str], str]]) -> None:
    """Let this process, which has a single thread, see directories with layers over them.

    Each is a directory, its layers with the topmost first, and a scratch directory; or a
    file, and another one that is seen in its place.
    To be called before the working directory is chosen: one that is inside already would
    still be the directory itself.

    Raises:
        OSError: the kernel does not let us.
    """
    _own_namespace()
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    for at, layers, scratch in views:
        _lay_over(at, layers, scratch)
    os.chdir("/")


def _lay_over(at: str, layers: list[str], scratch: str) -> None:
    # By short names below one directory: in the options a comma or a colon would mean
    # something else, and no path may be longer than a page.
    os.chdir(scratch)
    if not os.path.isdir(at):  # noqa: PTH112 - nothing is loaded here that need not be
        return _mount(layers[0], at, None, MS_BIND)
    names = [f"{LAYER}{number}" for number in range(len(layers) + 1)]
    for name, place in zip(names, [*layers, at]):  # noqa: B905 - older Pythons know no `strict`
        _mount(place, name, None, MS_BIND)
    options = f"lowerdir={':'.join(names)},upperdir={UPPER},workdir={WORK},userxattr"
    return _mount("overlay", at, "overlay", 0, options)


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
