"""Puts the code of a broken module into the functions of the one that is loaded."""

import gc
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

Functions = dict[str, list[FunctionType]]


def functions_by_file() -> Functions:
    """Every function there is, wherever it is kept."""
    gc.unfreeze()
    found: Functions = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType:
            found[thing.__code__.co_filename].append(thing)
    gc.freeze()
    return found


def swap(functions: list[FunctionType], path: Path, was: bytes) -> int:
    """How many functions got other code than they had."""
    new = _by_name(compile(path.read_bytes(), str(path), "exec"))
    old = _by_name(compile(was, str(path), "exec"))
    changed = 0
    for function in functions:
        name = function.__code__.co_qualname
        # Those of one name stand in the same order in both.
        same = [place for place, code in enumerate(old[name]) if code == function.__code__]
        if not same or len(old[name]) != len(new[name]):
            continue
        code = new[name][same[0]]
        if code != function.__code__ and code.co_freevars == function.__code__.co_freevars:
            function.__code__ = code
            changed += 1
    return changed


def _by_name(module: CodeType) -> dict[str, list[CodeType]]:
    found: dict[str, list[CodeType]] = defaultdict(list)
    for code in _codes(module):
        found[code.co_qualname].append(code)
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _codes(part)
