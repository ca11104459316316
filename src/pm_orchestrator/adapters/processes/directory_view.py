"""A directory as one program sees it: at its own path, with layers over it, and thrown away.

An overlay in a mount namespace of the program's own. What lies in the directory is read
as it is; what is written, and what is taken away, goes to a scratch directory. Outside
nothing of it can be seen.

Or several directories gathered at one place, each to be handed on from there: what is written
lies in memory then, at most so much of it, and goes with the last process that sees it.

Standard library only, as everything that runs between a fork and a program.
"""

from __future__ import annotations

import os

CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x4_0000
MS_RDONLY, MS_REMOUNT = 0x1, 0x20
MS_KEPT = 0x2 | 0x4 | 0x8 | 0x400 | 0x800
"""What a mount has that its owner may not take from it: no devices, no set-user-id …"""
LAYER, UPPER, WORK, SEEN = "layer", "upper", "work", "seen"
"""In the scratch directory, empty to begin with: one for each layer and for the directory
itself, with its number; what is written; room for the kernel; and what is to be seen of a
directory that was gathered."""


HostSource = tuple[str, list[str], bool]
"""A directory, the names in it that are to stay unseen, and whether it can be written to."""


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


def gather(place: str, room: int, owner: int | None, sources: list[HostSource]) -> None:
    """Let this process find directories below `place`, by their number: each as it is, but for
    the names in it that are to stay unseen.

    What is written to all of them together takes at most `room` bytes. Where the kernel makes no
    overlay, nothing can be written. An `owner` that is given may write into every directory.

    Raises:
        OSError: the kernel does not let us, or one of the sources is gone.
    """
    _own_namespace()
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    # Held open, so that none is lost where the place itself covers it.
    handles = [os.open(source, os.O_PATH | os.O_DIRECTORY) for source, _, _ in sources]
    _mount("tmpfs", place, "tmpfs", 0, f"size={room},mode=0755")
    for number, (_, unseen, writable) in enumerate(sources):
        scratch = f"{place}/{number}"
        for name in ("", f"{LAYER}0", UPPER, WORK, SEEN):
            os.mkdir(f"{scratch}/{name}")  # noqa: PTH102 - nothing is loaded here that need not be
        os.chdir(scratch)
        source = f"/proc/self/fd/{handles[number]}"
        if not (writable and _lay_nothing_over(source, owner)):
            _only_show(source)
        for name in unseen:
            _mount("/dev/null", f"{SEEN}/{name}", None, MS_BIND)
        os.close(handles[number])
    os.chdir("/")


def _lay_nothing_over(source: str, owner: int | None) -> bool:
    """Show a directory that can be written to, if the kernel knows how."""
    _mount(source, f"{LAYER}0", None, MS_BIND)
    try:
        options = f"lowerdir={LAYER}0,upperdir={UPPER},workdir={WORK},userxattr"
        _mount("overlay", SEEN, "overlay", 0, options)
    except OSError:
        return False
    if owner is not None:
        _open_to(owner, SEEN)
    return True


def _only_show(source: str) -> None:
    _mount(source, SEEN, None, MS_BIND)
    kept = os.statvfs(SEEN).f_flag & MS_KEPT
    _mount("none", SEEN, None, MS_BIND | MS_REMOUNT | MS_RDONLY | kept)


def _open_to(owner: int, folder: str) -> None:
    """Give every directory to somebody; the files in it stay as they are."""
    pending = [folder]
    while pending:
        at = pending.pop()
        if os.stat(at, follow_symlinks=False).st_uid != owner:  # noqa: PTH116 - as above
            os.chown(at, owner, owner)
        with os.scandir(at) as entries:
            pending += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]


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
