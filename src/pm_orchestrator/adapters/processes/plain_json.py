"""JSON by the interpreter's own accelerator, without what the library loads around it.

Its regular expressions alone cost a bare interpreter as much as starting. Whoever has no
accelerator, or another one, takes the library.

Standard library only: this text also runs inside sandboxes.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing costs more to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SPACE = " \t\n\r"


class _Plainly:
    """What the accelerator asks about how to read."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 - by the accelerator, which empties it


def _refuse(value: object) -> None:
    raise TypeError(f"{type(value).__name__} is no JSON")


def dumps(value: object) -> str:
    """As `json.dumps` does, in ASCII."""
    return "".join(_encode(value, 0))


def loads(text: str | bytes) -> Any:
    """As `json.loads` does, of text in UTF-8.

    Raises:
        ValueError: it is not one JSON value.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogatepass")
    begin = len(text) - len(text.lstrip(SPACE))
    try:
        value, end = _scan(text, begin)
    except StopIteration:
        raise ValueError("it holds no JSON") from None
    if text[end:].strip(SPACE):
        raise ValueError("it holds more than JSON")
    return value


def _accelerated() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """How to write and to read."""
    try:
        import _json as own

        accelerator: Any = own
        write = accelerator.make_encoder(
            None,
            _refuse,
            accelerator.encode_basestring_ascii,
            *(None, ": ", ", "),
            *(False, False, True),
        )
        return write, accelerator.make_scanner(_Plainly)
    except (ImportError, AttributeError, TypeError):
        import json

        decoder: Any = json.JSONDecoder()
        return lambda value, _level: (json.dumps(value),), decoder.scan_once


_encode, _scan = _accelerated()
