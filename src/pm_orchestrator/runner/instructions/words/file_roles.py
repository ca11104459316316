"""The part a file plays in an instruction."""

from enum import StrEnum
from typing import Literal

import msgspec


class Role(StrEnum):
    """What the instruction wants with a file."""

    CREATE = "create"
    CHANGE = "change"
    REMOVE = "remove"
    """Deleted, or moved away."""
    SOURCE = "source"
    """Only mentioned: read, copied from, compared with, or to be left alone."""


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One file and what is wanted with it."""

    path: str
    role: Role
    may_be_empty: bool = False
    must_change: bool = False
    """It is surely to be changed, be it as the object or as the place of the change."""
    must_be: bool = False
    """It is to do something from now on, so that it is to be made where there is none."""
    kind: Literal["plain", "loose", "family"] = "plain"
    """How surely it is a file: by its form, if the project has it, or whatever it is called."""


class Reading(msgspec.Struct, frozen=True):
    """What is wanted with one mention."""

    role: Role
    must_change: bool = False
    must_be: bool = False
    """It is to do something from now on, so that it has to be there, whoever makes it."""


NOTHING = Reading(Role.SOURCE)
