"""Sends modules of this package to a bare interpreter.

The receiving interpreter runs isolated (`-I -S`), perhaps inside a sandbox where
this package does not exist. Each module is defined there under its own full
name, so its imports of the others work unchanged in both places.

They are sent as text and compiled: compiling them would be a third of what the start
of a sandbox costs, but what is compiled is only good for an interpreter of our version.
"""

import marshal
from functools import cache
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType
from typing import TypeVar

Loaded = TypeVar("Loaded")

RECEIVER = """\
import marshal, os, sys, types
def take(count):
    taken = b""
    while len(taken) < count:
        part = os.read(0, count - len(taken))
        if not part:
            os._exit(1)
        taken += part
    return taken
version, modules = marshal.loads(take(int.from_bytes(take(4), "big")))
own = getattr(sys.modules.get("_frozen_importlib_external"), "MAGIC_NUMBER", None)
for name, source, code in modules:
    module = types.ModuleType(name)
    sys.modules[name] = module
    code = marshal.loads(code) if version == own else compile(source, name, "exec")
    exec(code, module.__dict__)
module.main()
"""
"""Takes what was sent from descriptor 0, defines the modules in order, calls `main()` of the last.

The length comes first, as four bytes.
"""
_EVERY_VERSION_READS = 4
"""Of the format in which text, bytes and lists are written."""


@cache
def shipped(modules: tuple[ModuleType, ...], version: bytes = MAGIC_NUMBER) -> bytes:
    """What the receiver is sent; `version` is that of our compiled code."""
    parts = [
        (module.__name__, _loaded(module, "get_source", str), marshal.dumps(_code(module)))
        for module in modules
    ]
    return marshal.dumps((version, parts), _EVERY_VERSION_READS)


def _code(module: ModuleType) -> CodeType:
    return _named(_loaded(module, "get_code", CodeType), module.__name__)


def _named(code: CodeType, name: str) -> CodeType:
    """The same code without the path it has here, which is nobody's business there."""
    inner = (_named(part, name) if isinstance(part, CodeType) else part for part in code.co_consts)
    return code.replace(co_filename=name, co_consts=tuple(inner))


def _loaded(module: ModuleType, what: str, kind: type[Loaded]) -> Loaded:
    loader = module.__spec__.loader if module.__spec__ else None
    load = getattr(loader, what, None)
    loaded = load(module.__name__) if load else None
    if not isinstance(loaded, kind):
        raise TypeError(f"{module.__name__} cannot be sent: {what}")
    return loaded
