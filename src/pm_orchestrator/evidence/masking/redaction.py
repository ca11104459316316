"""Masking inside structures: every string value, before the structure is written.

Masking the encoded JSON instead could damage its quoting, so the strings are
masked one by one and the structure is built again.
"""

from typing import Any, TypeVar, cast

import msgspec

from pm_orchestrator.domain.errors import ERROR_CLASSES, PmError
from pm_orchestrator.domain.record import Record, to_json
from pm_orchestrator.evidence.masking.masker import Masker

R = TypeVar("R", bound=Record)


def redact_tree(tree: Any, masker: Masker) -> Any:
    """The same tree of JSON values with every string masked, names of fields too."""
    if isinstance(tree, str):
        return masker.mask(tree).text
    if isinstance(tree, dict):
        items = cast("dict[Any, Any]", tree)
        return {
            redact_tree(key, masker): _redact_field(key, value, masker)
            for key, value in items.items()
        }
    if isinstance(tree, list | tuple):
        return [redact_tree(value, masker) for value in cast("list[Any]", tree)]
    return tree


def redact_content(tree: dict[str, Any], masker: Masker) -> dict[str, Any]:
    """The same of JSON values; most have nothing to hide, and are seen not to at a glance."""
    data = to_json(tree)
    # As it will be read again: a tuple has become a list.
    plain = msgspec.json.decode(data)
    return redact_tree(plain, masker) if masker.suspects(data) else plain


def _redact_field(key: Any, value: Any, masker: Masker) -> Any:
    """The name of a field alone can make its value a secret."""
    if isinstance(key, str) and isinstance(value, str):
        return masker.mask_field(key, value).text
    return redact_tree(value, masker)


def redact(record: R, masker: Masker) -> R:
    """The same record with every string masked."""
    if not masker.suspects(to_json(record)):
        # Looking at all of it at once is many times faster than at one string after the other.
        return record
    tree = redact_tree(msgspec.to_builtins(record), masker)
    return msgspec.convert(tree, type(record), strict=True)


def redact_json(data: bytes, masker: Masker) -> bytes:
    """The same JSON document with every string masked, laid out as it was.

    Raises:
        ValueError: it is none.
    """
    tree = msgspec.json.decode(data)
    clean = redact_tree(tree, masker)
    if clean == tree:
        # As it nearly always is; and bytes that a hash was taken over stay what they are.
        return data
    short = msgspec.json.encode(clean)
    laid_out = b"\n" in data.rstrip()
    return (msgspec.json.format(short, indent=2) if laid_out else short) + b"\n"


def redact_error(error: PmError, masker: Masker) -> PmError:
    """The same error with everything masked that it says."""
    params = {name: masker.mask(str(value)).text for name, value in error.params.items()}
    return ERROR_CLASSES[error.next_step](error.slug, **params)
