"""A product that can be loaded and does nothing: what tests of it are worth is seen on it.

Every name is there, so that tests are found and begin; whatever they do with one of them
fails. A file in another language is empty, which its tests notice as well.
"""

import re
from pathlib import PurePosixPath

from pm_orchestrator.domain.late_pattern import LatePattern

PYTHON = b"""class _Kind(type):
    def _fail(cls, *_, **__):
        raise RuntimeError("there is no product here")

    __call__ = __iter__ = __getitem__ = __len__ = __bool__ = __enter__ = __contains__ = _fail
    __add__ = __radd__ = __sub__ = __mul__ = __lt__ = __gt__ = __le__ = __ge__ = _fail

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __eq__(cls, other):
        return cls is other

    def __hash__(cls):
        return id(cls)


class Nothing(Exception, metaclass=_Kind):
    pass


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Nothing
"""
NODE = """const nothing = new Proxy(function () {}, {
  get: (target, name) => (typeof name === 'symbol' || name === 'then' ? undefined : nothing),
  apply: () => { throw new Error('there is no product here'); },
  construct: () => { throw new Error('there is no product here'); },
});
"""
SCRIPT = LatePattern(r"\.[cm]?[jt]sx?$")
EXPORTS = LatePattern(
    r"^\s*export\s+(?:async\s+)?(?:function\*?|const|let|var|class|enum)\s+([A-Za-z_$][\w$]*)"
    r"|^\s*export\s*\{([^}]*)\}",
    re.MULTILINE,
)
DEFAULT = LatePattern(r"^\s*export\s+default\b|\bas\s+default\b", re.MULTILINE)


def without_content(path: str, text: str) -> bytes:
    """What stands in a product file when there is no product."""
    if PurePosixPath(path).suffix in {".py", ".pyi"}:
        return PYTHON
    if SCRIPT.search(path) is None:
        return b""
    names = _exported(text)
    if not names and DEFAULT.search(text) is None:
        return f"{NODE}module.exports = nothing;\n".encode()
    lines = [f"export const {name} = nothing;" for name in names]
    if DEFAULT.search(text) is not None:
        lines.append("export default nothing;")
    return (NODE + "\n".join(lines) + "\n").encode()


def _exported(text: str) -> list[str]:
    found: dict[str, None] = {}
    for match in EXPORTS.finditer(text):
        for part in (match[1] or match[2]).split(","):
            name = part.split(" as ")[-1].strip()
            if name and name != "default":
                found[name] = None
    return list(found)
