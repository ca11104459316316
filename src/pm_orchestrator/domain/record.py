"""Closed records: what is written can be read back exactly, or not at all.

Every persisted structure is frozen, rejects unknown fields, wrong types and
missing fields, and has one JSON form, so that a hash over it means something.
"""

from typing import TypeVar

import msgspec

from pm_orchestrator.domain.errors import PmError


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every persisted structure.

    Subclasses repeat `frozen=True, kw_only=True`: msgspec inherits both, the type checker
    does not see that it does.
    """


class MalformedRecordError(PmError):
    """Bytes that are not the record they should be."""


R = TypeVar("R")


def to_json(record: object) -> bytes:
    """The one compact form; hashes are taken over this."""
    return msgspec.json.encode(record, order="deterministic")


def to_file(record: object) -> bytes:
    """The same content laid out for people, with a final newline."""
    return msgspec.json.format(to_json(record), indent=2) + b"\n"


def from_json(kind: type[R], data: bytes | str, source: str = "record") -> R:
    """Read a record strictly.

    Raises:
        MalformedRecordError: E302 for anything that is not exactly a `kind`.
    """
    try:
        return msgspec.json.decode(data, type=kind, strict=True)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedRecordError("evidence_invalid", evidence=source, reason=error) from error
