"""Sends modules of this package to a bare interpreter as one program text.

The receiving interpreter runs isolated (`-I -S`), perhaps inside a sandbox where
this package does not exist. Each module is defined there under its own full
name, so its imports of the others work unchanged in both places.
"""

from types import ModuleType

_DEFINE = """\
import sys, types
def define(name, source):
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, name, "exec"), module.__dict__)
"""


def program_text(modules: tuple[ModuleType, ...]) -> str:
    """A program that defines the modules in order and calls `main()` of the last."""
    parts = [_DEFINE]
    parts += [f"define({module.__name__!r}, {_source(module)!r})\n" for module in modules]
    parts.append(f"sys.modules[{modules[-1].__name__!r}].main()\n")
    return "".join(parts)


def _source(module: ModuleType) -> str:
    loader = module.__spec__.loader if module.__spec__ else None
    get_source = getattr(loader, "get_source", None)
    source = get_source(module.__name__) if get_source else None
    if not isinstance(source, str):
        raise TypeError(f"{module.__name__} has no source to send")
    return source
