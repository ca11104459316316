"""Objects and refs of our own, written as git writes them, without a process for each.

An object's name is the hash of its content, so one that is there is right; as git
does by default, nobody waits for the disk. A ref appears whole or not at all, and
is on the disk when the call returns.
"""

import hashlib
import os
import stat
import threading
import zlib
from pathlib import Path

READ_ONLY = 0o444
QUICK = 1
"""zlib level: rescues are many and mostly never read."""
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def write_object(objects: Path, object_format: str, kind: str, content: bytes) -> str:
    """Store `content` below `objects`; returns its id."""
    data = f"{kind} {len(content)}\0".encode("ascii") + content
    oid = hashlib.new(object_format, data, usedforsecurity=False).hexdigest()
    path = _path(objects, oid)
    if not path.exists():
        _make_fan_out(path.parent)
        # In no directory listing of git's: it reads only names that are hashes.
        draft = path.with_name(f"tmp_obj_{_writer()}")
        draft.unlink(missing_ok=True)
        _write(draft, zlib.compress(data, QUICK), READ_ONLY)
        draft.replace(path)
    return oid


def is_loose(objects: Path, oid: str) -> bool:
    """Whether an object is certainly there; one in a pack is not looked for."""
    return _path(objects, oid).is_file()


def write_ref(directory: Path, ref: str, oid: str) -> None:
    """Point `ref`, a name of ours, to an object, in the place of an older one."""
    path = directory / ref
    path.parent.mkdir(parents=True, exist_ok=True)
    # Git takes no name with this ending for a ref.
    draft = path.with_name(f"{path.name}.{_writer()}.lock")
    draft.unlink(missing_ok=True)
    _write(draft, f"{oid}\n".encode("ascii"), 0o666, durable=True)
    draft.replace(path)


def _make_fan_out(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        # A repository that several users share has wider permissions there.
        folder.chmod(stat.S_IMODE(folder.parent.stat().st_mode))


def _path(objects: Path, oid: str) -> Path:
    return objects / oid[:2] / oid[2:]


def _writer() -> str:
    return f"{os.getpid()}-{threading.get_ident()}"


def _write(path: Path, data: bytes, mode: int, *, durable: bool = False) -> None:
    with os.fdopen(os.open(path, NEW, mode), "wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
