"""A value that an instruction states: what is to stand in files, and what it takes the place of."""

from typing import Literal

import msgspec

SHOWN = 40
"""Letters of a value that are named in a reason."""
Reach = Literal["somewhere", "documents", "everywhere"]


class ValueChange(msgspec.Struct, frozen=True, kw_only=True):
    """One literal value for another, or for whatever a setting was."""

    new: str
    old: str = ""
    """None where only the setting is named."""
    old_may_be_a_key: bool = False
    """ "Change `level` to `debug`" may name the setting, and not what it says."""
    files: tuple[str, ...] = ()
    """Where it is to be done, as the instruction calls them; a family by its name."""
    reach: Reach = "somewhere"
    """Whether none of the old value may be left, and where: in the files, if any are named."""

    def say(self) -> str:
        """In a few words, as it is named in a reason."""
        where = f"{', '.join(self.files)}: " if self.files else ""
        old, new = self.old[:SHOWN], self.new[:SHOWN]
        return where + (f"{old} → {new}" if old else f"→ {new}")
