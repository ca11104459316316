"""A product that can be loaded and does nothing: what tests of it are worth is seen on it.

Every name is there, so that tests are found and begin; whatever they do with one of them
fails, or succeeds, as is wanted. A file in another language is empty, which its tests notice
as well.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal

from pm_orchestrator.domain.late_pattern import LatePattern

StandIn = Literal["nothing", "anything", "errors"]
"""What stands in the place of a product: what cannot be used, what takes and gives anything,
and what fails in every way that a test may be waiting for."""
PYTHON = """class Trouble(AssertionError, ValueError, TypeError, KeyError, RuntimeError):
    pass


class _Kind(type):
    def _use(cls, *_, **__):
        {use}

    __call__ = __getitem__ = __enter__ = __add__ = __radd__ = __sub__ = __mul__ = _use
    __iter__ = __len__ = __bool__ = __contains__ = __lt__ = __gt__ = __le__ = __ge__ = _use
    {more}

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
GIVES_ANYTHING = """
    def __iter__(cls):
        return iter(())

    def __len__(cls):
        return 0

    def __exit__(cls, *_):
        return False

    __bool__ = __contains__ = __lt__ = __gt__ = __le__ = __ge__ = __exit__
"""
PYTHON_USES: Mapping[StandIn, tuple[str, str]] = {
    "nothing": ('raise RuntimeError("there is no product here")', ""),
    "anything": ("return cls", GIVES_ANYTHING),
    "errors": ('raise Trouble("there is no product here")', ""),
}
NODE = """const nothing = new Proxy(function () {{}}, {{
  get: (target, name) => (typeof name === 'symbol' || name === 'then' ? undefined : nothing),
  apply: () => {{ {use} }},
  construct: () => {{ {use} }},
}});
"""
NODE_USES: Mapping[StandIn, str] = {
    "nothing": "throw new Error('there is no product here');",
    "anything": "return nothing;",
    "errors": "throw new TypeError('there is no product here');",
}
SCRIPT = LatePattern(r"\.[cm]?[jt]sx?$")
EXPORTS = LatePattern(
    r"^\s*export\s+(?:async\s+)?(?:function\*?|const|let|var|class|enum)\s+([A-Za-z_$][\w$]*)"
    r"|^\s*export\s*\{([^}]*)\}",
    re.MULTILINE,
)
DEFAULT = LatePattern(r"^\s*export\s+default\b|\bas\s+default\b", re.MULTILINE)


def without_content(path: str, text: str, stand_in: StandIn = "nothing") -> bytes | None:
    """What stands in the place of a product file; None where that cannot be said in its language.

    Without a product, a file in a language that is not known here is empty.
    """
    if PurePosixPath(path).suffix in {".py", ".pyi"}:
        use, more = PYTHON_USES[stand_in]
        return PYTHON.format(use=use, more=more).encode()
    if SCRIPT.search(path) is None:
        return b"" if stand_in == "nothing" else None
    node = NODE.format(use=NODE_USES[stand_in])
    names = _exported(text)
    if not names and DEFAULT.search(text) is None:
        return f"{node}module.exports = nothing;\n".encode()
    lines = [f"export const {name} = nothing;" for name in names]
    if DEFAULT.search(text) is not None:
        lines.append("export default nothing;")
    return (node + "\n".join(lines) + "\n").encode()


def _exported(text: str) -> list[str]:
    found: dict[str, None] = {}
    for match in EXPORTS.finditer(text):
        for part in (match[1] or match[2]).split(","):
            name = part.split(" as ")[-1].strip()
            if name and name != "default":
                found[name] = None
    return list(found)
